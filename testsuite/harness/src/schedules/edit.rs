//! Edits of schedule trees: some legal for every program, some only where the dependences allow them.

use super::text::{Below, Node};

/// An edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// A band becomes its value divided by 7, then its value: always legal.
    Strip,
    /// A band moves by 3: always legal.
    Shift,
    /// A band is scaled by 2: always legal.
    Scale,
    /// An inner band becomes the sum with the band around it: always legal.
    Skew,
    /// A band runs backwards.
    Reverse,
    /// Two nested bands change places.
    Interchange,
    /// Two nested bands become tiles of 5 by 3.
    Tile,
    /// Two neighbours of a sequence change places.
    Reorder,
    /// A band over a sequence is distributed over its parts.
    Distribute,
}

impl Edit {
    /// All edits.
    pub(super) const ALL: [Edit; 9] = [
        Edit::Strip,
        Edit::Shift,
        Edit::Scale,
        Edit::Skew,
        Edit::Reverse,
        Edit::Interchange,
        Edit::Tile,
        Edit::Reorder,
        Edit::Distribute,
    ];

    /// Whether the edit keeps the order of every program.
    pub(super) fn is_always_legal(self) -> bool {
        matches!(self, Edit::Strip | Edit::Shift | Edit::Scale | Edit::Skew)
    }

    /// The trees that the edit makes, one for each place where it applies.
    pub(super) fn apply(self, root: &Node) -> Vec<Node> {
        let mut trees = Vec::new();
        match self {
            Edit::Reorder => {
                for path in root.find(&|node| matches!(&node.below, Below::List(..))) {
                    let Below::List(_, items) = below_at(root, &path) else { continue };
                    for number in 1..items.len() {
                        let mut tree = root.clone();
                        if let Some(Node {
                            below: Below::List(_, items),
                            ..
                        }) = tree.at_mut(&path)
                        {
                            items.swap(number - 1, number);
                            trees.push(tree);
                        }
                    }
                }
            }
            _ => {
                for path in root.find(&|node| node.value("schedule").is_some()) {
                    let mut tree = root.clone();
                    if tree.at_mut(&path).is_some_and(|node| self.at_band(node)) {
                        trees.push(tree);
                    }
                }
            }
        }
        trees
    }

    /// Edits a band in place; `false` where the edit doesn't apply.
    fn at_band(self, node: &mut Node) -> bool {
        let Some(band) = node.value("schedule").and_then(Band::parse) else {
            return false;
        };
        let edited = match self {
            Edit::Strip => Some(band.with(|groups| [groups.map("floor((", ")/7)"), groups].concat())),
            Edit::Shift => Some(band.with(|groups| groups.map("(", ") + 3"))),
            Edit::Scale => Some(band.with(|groups| groups.map("2*(", ")"))),
            Edit::Reverse => Some(band.with(|groups| groups.map("-(", ")"))),
            Edit::Distribute => return distribute(node),
            Edit::Skew | Edit::Interchange | Edit::Tile => return self.at_pair(node, &band),
            Edit::Reorder => None,
        };
        edited.is_some_and(|band| set_band(node, &band))
    }

    /// Edits a band of one member directly above another.
    fn at_pair(self, node: &mut Node, outer: &Band) -> bool {
        let Below::Child(child) = &mut node.below else { return false };
        let Some(inner) = child.value("schedule").and_then(Band::parse) else {
            return false;
        };
        let ([first], [second]) = (outer.members.as_slice(), inner.members.as_slice()) else {
            return false;
        };
        if first.len() != second.len() || first.iter().zip(second).any(|(a, b)| a.statement != b.statement) {
            return false;
        }
        let (upper, lower) = match self {
            Edit::Interchange => (inner.clone(), outer.clone()),
            Edit::Skew => {
                let sum = first.iter().zip(second).map(|(a, b)| Piece {
                    statement: b.statement.clone(),
                    value: format!("({}) + ({})", a.value, b.value),
                });
                (
                    outer.clone(),
                    Band {
                        prefix: inner.prefix.clone(),
                        members: vec![sum.collect()],
                    },
                )
            }
            _ => {
                let tiles = [
                    vec![first.clone()].map("floor((", ")/5)"),
                    vec![second.clone()].map("floor((", ")/3)"),
                ]
                .concat();
                let points = vec![first.clone(), second.clone()];
                (
                    Band {
                        prefix: outer.prefix.clone(),
                        members: tiles,
                    },
                    Band {
                        prefix: inner.prefix.clone(),
                        members: points,
                    },
                )
            }
        };
        set_band(child, &lower) && set_band(node, &upper)
    }
}

fn below_at<'n>(root: &'n Node, path: &[usize]) -> &'n Below {
    path.iter().fold(&root.below, |below, &step| match below {
        Below::Leaf => below,
        Below::Child(child) => &child.below,
        Below::List(_, items) => &items[step].below,
    })
}

/// Moves a band into the children of the sequence under it, restricted to the statements of each.
fn distribute(node: &mut Node) -> bool {
    let Some(band) = node.value("schedule").and_then(Band::parse) else {
        return false;
    };
    let Below::Child(child) = &node.below else { return false };
    let Below::List(kind, items) = child.below.clone() else {
        return false;
    };
    let mut moved = Vec::new();
    for item in items {
        let Some(filter) = item.value("filter").map(str::to_owned) else {
            return false;
        };
        let members: Vec<Vec<Piece>> = band
            .members
            .iter()
            .map(|pieces| {
                pieces
                    .iter()
                    .filter(|piece| filter.contains(&format!("{}[", piece.name())))
                    .cloned()
                    .collect()
            })
            .collect();
        let mut inner = Node {
            keys: vec![("schedule".to_owned(), String::new())],
            below: item.below.clone(),
        };
        set_band(
            &mut inner,
            &Band {
                prefix: band.prefix.clone(),
                members,
            },
        );
        moved.push(Node {
            keys: item.keys,
            below: Below::Child(Box::new(inner)),
        });
    }
    *node = Node {
        keys: Vec::new(),
        below: Below::List(kind, moved),
    };
    true
}

/// Gives a band another schedule. Promises about the old one are dropped, loop names too.
fn set_band(node: &mut Node, band: &Band) -> bool {
    node.keys
        .retain(|(key, _)| !matches!(key.as_str(), "permutable" | "coincident" | "reduces" | "names" | "options"));
    match node.keys.iter_mut().find(|(key, _)| key == "schedule") {
        Some((_, value)) => *value = format!("\"{}\"", band.print()),
        None => return false,
    }
    true
}

/// What one statement has in one member: `S[i, j] -> [(i + j)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    statement: String,
    value: String,
}

impl Piece {
    fn name(&self) -> &str {
        self.statement.split('[').next().unwrap_or_default()
    }
}

/// A schedule of one or more members, without conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Band {
    /// The parameters and the arrow after them.
    prefix: String,
    members: Vec<Vec<Piece>>,
}

trait Members {
    /// The members with text around every value.
    fn map(&self, before: &str, after: &str) -> Vec<Vec<Piece>>;
}

impl Members for Vec<Vec<Piece>> {
    fn map(&self, before: &str, after: &str) -> Vec<Vec<Piece>> {
        let piece = |piece: &Piece| Piece {
            statement: piece.statement.clone(),
            value: format!("{before}{}{after}", piece.value),
        };
        self.iter().map(|member| member.iter().map(piece).collect()).collect()
    }
}

impl Band {
    /// Reads `[n] -> name[{ S[i] -> [(i)]; T[i] -> [(i)] }, { .. }]`; `None` where a piece has a condition.
    fn parse(text: &str) -> Option<Band> {
        let at = text.find("[{")?;
        let prefix = text[..at].rfind("-> ").map_or(String::new(), |arrow| text[..arrow + 3].to_owned());
        let inside = text[at + 1..].trim_end().strip_suffix(']')?;
        let members = inside.split("}, {").map(|group| {
            let pieces = group.trim_matches(|c: char| matches!(c, '{' | '}' | ' ')).split(';');
            pieces.map(|piece| {
                let (statement, value) = piece.trim().split_once(" -> ")?;
                let value = value.strip_prefix("[(")?.strip_suffix(")]")?;
                Some(Piece {
                    statement: statement.to_owned(),
                    value: value.to_owned(),
                })
            })
        });
        let members: Option<Vec<Vec<Piece>>> = members.map(Iterator::collect).collect();
        Some(Band { prefix, members: members? })
    }

    fn with(&self, change: impl FnOnce(Vec<Vec<Piece>>) -> Vec<Vec<Piece>>) -> Band {
        Band {
            prefix: self.prefix.clone(),
            members: change(self.members.clone()),
        }
    }

    fn print(&self) -> String {
        let member = |pieces: &Vec<Piece>| {
            let pieces: Vec<String> = pieces
                .iter()
                .map(|piece| format!("{} -> [({})]", piece.statement, piece.value))
                .collect();
            format!("{{ {} }}", pieces.join("; "))
        };
        let members: Vec<String> = self.members.iter().map(member).collect();
        format!("{}[{}]", self.prefix, members.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::parse;
    use super::*;

    const TEXT: &str = "\
# scop kernel
domain: \"[n] -> { S[i, j]; T[i, j] }\"
child:
  schedule: \"[n] -> i[{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }]\"
  permutable: 1
  child:
    schedule: \"[n] -> [{ S[i, j] -> [(j)]; T[i, j] -> [(1 + j)] }]\"
    child:
      sequence:
      - filter: \"{ S[i, j] }\"
      - filter: \"{ T[i, j] }\"
";

    fn edited(edit: Edit) -> Vec<String> {
        let root = &parse(TEXT).unwrap()[0].root;
        let print = |tree: Node| {
            let mut text = String::new();
            tree.print(0, &mut text);
            text
        };
        edit.apply(root).into_iter().map(print).collect()
    }

    #[test]
    fn bands_are_edited_one_by_one() {
        let trees = edited(Edit::Reverse);
        assert_eq!(trees.len(), 2);
        assert!(
            trees[0].contains("schedule: \"[n] -> [{ S[i, j] -> [(-(i))]; T[i, j] -> [(-(i))] }]\"\n  child:"),
            "{}",
            trees[0]
        );
        assert!(trees[1].contains("T[i, j] -> [(-(1 + j))]"));
    }

    #[test]
    fn pairs_are_tiled_and_skewed() {
        let tiled = &edited(Edit::Tile)[0];
        assert!(tiled.contains("[{ S[i, j] -> [(floor((i)/5))]; T[i, j] -> [(floor((i)/5))] }, { S[i, j] -> [(floor((j)/3))]; T[i, j] -> [(floor((1 + j)/3))] }]"));
        assert!(tiled.contains("[{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }, { S[i, j] -> [(j)]; T[i, j] -> [(1 + j)] }]"));
        assert!(edited(Edit::Skew)[0].contains("T[i, j] -> [((i) + (1 + j))]"));
    }

    #[test]
    fn a_band_moves_into_the_sequence_below() {
        let trees = edited(Edit::Distribute);
        assert_eq!(trees.len(), 1);
        assert!(
            trees[0].contains("    - filter: \"{ T[i, j] }\"\n      child:\n        schedule: \"[n] -> [{ T[i, j] -> [(1 + j)] }]\"\n"),
            "{}",
            trees[0]
        );
    }

    #[test]
    fn neighbours_change_places() {
        assert!(edited(Edit::Reorder)[0].ends_with("- filter: \"{ T[i, j] }\"\n      - filter: \"{ S[i, j] }\"\n"));
    }
}
