//! Schedule trees as text: just enough structure to edit what `--schedule-out` writes.

use anyhow::{Context, Result, bail};

/// A node: its `key: value` lines, and what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// The lines, without indentation.
    pub(crate) keys: Vec<(String, String)>,
    /// Below it.
    pub(crate) below: Below,
}

/// What is below a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Below {
    /// Nothing.
    Leaf,
    /// One node.
    Child(Box<Node>),
    /// The children of a sequence or set; the node itself then has no lines of its own.
    List(String, Vec<Node>),
}

/// One scop's tree in a file of several.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// The line `# scop NAME`.
    pub(crate) head: String,
    /// The root.
    pub(crate) root: Node,
}

/// The documents of a file.
pub(crate) fn parse(text: &str) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && line.trim() != "---")
        .peekable();
    while let Some(head) = lines.next() {
        if !head.starts_with("# scop ") {
            bail!("a line `# scop NAME` was expected, not {head:?}");
        }
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            body.push(Line::new(line));
        }
        let mut rest = body.as_slice();
        let root = Node::parse(&mut rest).with_context(|| head.to_owned())?;
        if let Some(line) = rest.first() {
            bail!("{head}: a line too many: {:?}", line.text);
        }
        documents.push(Document {
            head: head.to_owned(),
            root,
        });
    }
    Ok(documents)
}

/// A line: where its text begins, whether a dash stands before it, and the text.
struct Line {
    indent: usize,
    dash: bool,
    text: String,
}

impl Line {
    fn new(line: &str) -> Line {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        match text.strip_prefix("- ") {
            Some(item) => Line {
                indent: indent + 2,
                dash: true,
                text: item.trim_end().to_owned(),
            },
            None => Line {
                indent,
                dash: false,
                text: text.trim_end().to_owned(),
            },
        }
    }
}

impl Node {
    fn parse(lines: &mut &[Line]) -> Result<Node> {
        let indent = lines.first().context("a node was expected at the end of the text")?.indent;
        let mut node = Node {
            keys: Vec::new(),
            below: Below::Leaf,
        };
        while let Some(line) = lines.first() {
            if line.indent != indent || (line.dash && !node.keys.is_empty()) {
                break;
            }
            let (key, value) = line
                .text
                .split_once(':')
                .with_context(|| format!("`key: value` was expected, not {:?}", line.text))?;
            *lines = &lines[1..];
            match key {
                "child" => node.below = Below::Child(Box::new(Node::parse(lines)?)),
                "sequence" | "set" => {
                    let mut items = Vec::new();
                    while lines.first().is_some_and(|line| line.dash && line.indent == indent + 2) {
                        items.push(Node::parse(lines)?);
                    }
                    node.below = Below::List(key.to_owned(), items);
                }
                _ => node.keys.push((key.to_owned(), value.trim().to_owned())),
            }
            if node.below != Below::Leaf {
                break;
            }
        }
        Ok(node)
    }

    /// The text, indented.
    pub(crate) fn print(&self, indent: usize, out: &mut String) {
        self.print_item(indent, false, out);
    }

    fn print_item(&self, indent: usize, mut dash: bool, out: &mut String) {
        let mut line = |text: &str| {
            if std::mem::take(&mut dash) {
                out.push_str(&format!("{:1$}- {text}\n", "", indent - 2));
            } else {
                out.push_str(&format!("{:indent$}{text}\n", ""));
            }
        };
        for (key, value) in &self.keys {
            line(&format!("{key}: {value}"));
        }
        match &self.below {
            Below::Leaf => {}
            Below::Child(child) => {
                line("child:");
                child.print_item(indent + 2, false, out);
            }
            Below::List(kind, items) => {
                line(&format!("{kind}:"));
                for item in items {
                    item.print_item(indent + 2, true, out);
                }
            }
        }
    }

    /// The value of a key, without quotes.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.keys
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.trim_matches('"'))
    }

    /// The paths of all nodes that satisfy a condition, from the top.
    pub(crate) fn find(&self, condition: &dyn Fn(&Node) -> bool) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        let mut open = vec![(self, Vec::new())];
        while let Some((node, path)) = open.pop() {
            if condition(node) {
                found.push(path.clone());
            }
            for (number, child) in node.children().enumerate() {
                open.push((child, [path.as_slice(), &[number]].concat()));
            }
        }
        found.sort();
        found
    }

    fn children(&self) -> Box<dyn Iterator<Item = &Node> + '_> {
        match &self.below {
            Below::Leaf => Box::new(std::iter::empty()),
            Below::Child(child) => Box::new(std::iter::once(child.as_ref())),
            Below::List(_, items) => Box::new(items.iter()),
        }
    }

    /// The node at a path.
    pub(crate) fn at_mut(&mut self, path: &[usize]) -> Option<&mut Node> {
        let Some((&first, rest)) = path.split_first() else {
            return Some(self);
        };
        match &mut self.below {
            Below::Leaf => None,
            Below::Child(child) => (first == 0).then_some(child.as_mut())?.at_mut(rest),
            Below::List(_, items) => items.get_mut(first)?.at_mut(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# scop kernel
domain: \"[n] -> { S0[i] : 0 <= i < n; S1[i] : 0 <= i < n }\"
child:
  schedule: \"[n] -> i[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]\"
  permutable: 1
  child:
    sequence:
    - filter: \"{ S0[i] }\"
    - filter: \"{ S1[i] }\"
      child:
        mark: \"x\"
";

    #[test]
    fn what_is_read_is_printed() {
        let documents = parse(TEXT).unwrap();
        let mut text = format!("{}\n", documents[0].head);
        documents[0].root.print(0, &mut text);
        assert_eq!(text, TEXT);
        assert_eq!(
            documents[0].root.find(&|node| node.value("filter").is_some()),
            [vec![0, 0, 0], vec![0, 0, 1]]
        );
    }

    #[test]
    fn several_scops_in_one_file() {
        assert_eq!(parse(&format!("{TEXT}\n{TEXT}")).unwrap().len(), 2);
        assert!(parse("domain: \"{ }\"\n").is_err());
    }
}
