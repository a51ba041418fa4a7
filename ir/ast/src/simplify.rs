//! Tidying: empty blocks, constant conditions, nested blocks and loops that can't run are removed.
//!
//! Purely structural; meaning and order of the instances stay.

use crate::{Ast, Expr, Node};

impl Ast {
    /// The AST without empty parts.
    #[must_use]
    pub fn simplified(self) -> Ast {
        Ast {
            root: self.root.simplified().unwrap_or_else(|| Node::Block(Vec::new())),
            vars: self.vars,
        }
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.root.node_count()
    }
}

impl Node {
    /// A block of the nodes; of one node, the node itself.
    #[must_use]
    pub fn sequence(nodes: Vec<Node>) -> Node {
        let mut out = Vec::with_capacity(nodes.len());
        for n in nodes {
            match n {
                Node::Block(inner) => out.extend(inner),
                n => out.push(n),
            }
        }
        match <[Node; 1]>::try_from(out) {
            Ok([only]) => only,
            Err(out) => Node::Block(out),
        }
    }

    /// Is there nothing to execute?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Node::Block(list) if list.iter().all(Node::is_empty))
    }

    /// The number of nodes, this one included; blocks don't count.
    #[must_use]
    pub fn node_count(&self) -> usize {
        match self {
            Node::Block(list) => list.iter().map(Node::node_count).sum(),
            Node::For(f) => 1 + f.body.node_count(),
            Node::If { then, otherwise, .. } => 1 + then.node_count() + otherwise.as_ref().map_or(0, |n| n.node_count()),
            Node::User { .. } => 1,
            Node::Mark { body, .. } => 1 + body.node_count(),
        }
    }

    /// The node without empty parts; `None` when nothing is left.
    #[must_use]
    pub fn simplified(self) -> Option<Node> {
        match self {
            Node::Block(list) => {
                let list: Vec<Node> = list.into_iter().filter_map(Node::simplified).collect();
                let node = Node::sequence(list);
                (!node.is_empty()).then_some(node)
            }
            Node::For(mut f) => {
                if let (Expr::Int(lower), Expr::Int(upper)) = (&f.lower, &f.upper)
                    && lower > upper
                {
                    return None;
                }
                f.body = Box::new(f.body.simplified()?);
                Some(Node::For(f))
            }
            Node::If { cond, then, otherwise } => simplified_if(cond, *then, otherwise.map(|n| *n)),
            Node::User { .. } => Some(self),
            Node::Mark { name, body } => Some(Node::Mark {
                name,
                body: Box::new(body.simplified()?),
            }),
        }
    }
}

fn simplified_if(cond: Expr, then: Node, otherwise: Option<Node>) -> Option<Node> {
    let then = then.simplified();
    let otherwise = otherwise.and_then(Node::simplified);
    match (cond, then, otherwise) {
        (Expr::Bool(true), then, _) => then,
        (Expr::Bool(false), _, otherwise) => otherwise,
        (_, None, None) => None,
        (cond, None, Some(o)) => Some(Node::If {
            cond: cond.not(),
            then: Box::new(o),
            otherwise: None,
        }),
        (
            cond,
            Some(Node::If {
                cond: inner,
                then,
                otherwise: None,
            }),
            None,
        ) => Some(Node::If {
            cond: Expr::all([cond, inner]),
            then,
            otherwise: None,
        }),
        (cond, Some(then), otherwise) => Some(Node::If {
            cond,
            then: Box::new(then),
            otherwise: otherwise.map(Box::new),
        }),
    }
}
