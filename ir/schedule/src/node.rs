//! Nodes of schedule trees.

use std::sync::Arc;
use tilia_presburger::{Id, Map, Set, UnionMap, UnionPwAff, UnionSet};

/// The mark above a band whose loops are to stay sequential, whatever dependences allow.
pub const SEQUENTIAL: &str = "sequential";

/// How the loop that scans a band member is to be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum LoopType {
    /// The generator's choice: pieces of one convex shape each.
    #[default]
    Default,
    /// One loop, with conditions inside.
    Atomic,
    /// Pieces in each of which the same statements run, without conditions.
    Separate,
    /// No loop: the body once for each value.
    Unroll,
}

/// One member of a band: an integer function of the statement instances, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The value of each instance; total on what reaches the band.
    pub func: UnionPwAff,
    /// Name for the loop.
    pub name: Option<Id>,
    /// For fixed outer values, no dependence has a distance other than 0 here: the loop may run in any order, also in parallel.
    pub coincident: bool,
    /// For equal values of all outer members, those before it in its band included, no dependence has a distance other than 0 here but those that only keep the order of
    /// reductions, which may change: the iterations may run in any order, one at a time.
    pub reduces: bool,
    /// How to generate the loop.
    pub loop_type: LoopType,
    /// How to generate the loop inside the isolated part.
    pub isolated_loop_type: LoopType,
}

impl Member {
    /// A member without a name, flags unset.
    #[must_use]
    pub fn new(func: UnionPwAff) -> Member {
        Member {
            func,
            name: None,
            coincident: false,
            reduces: false,
            loop_type: LoopType::Default,
            isolated_loop_type: LoopType::Default,
        }
    }

    /// The member with a name for its loop.
    #[must_use]
    pub fn named(self, name: impl Into<Id>) -> Member {
        Member {
            name: Some(name.into()),
            ..self
        }
    }

    /// The same attributes around another function.
    ///
    /// Loop types are kept; `coincident` is the caller's to judge and kept too.
    #[must_use]
    pub fn with_func(&self, func: UnionPwAff) -> Member {
        Member { func, ..self.clone() }
    }
}

/// A band: lexicographic order on the values of its members.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Outermost first; may be empty.
    pub members: Vec<Member>,
    /// All dependence distances are non-negative in every member for fixed outer values: members may be permuted and tiled.
    pub permutable: bool,
    /// Part of the values to generate apart from the rest: `[outer values] -> [values of this band]`.
    pub isolate: Option<Map>,
}

impl Band {
    /// A band of the members, not known to be permutable.
    #[must_use]
    pub fn new(members: Vec<Member>) -> Band {
        Band {
            members,
            permutable: false,
            isolate: None,
        }
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Are there no members?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// Root: introduces the instances.
    Domain(UnionSet),
    /// Orders by values.
    Band(Band),
    /// Keeps some of the instances.
    Filter(UnionSet),
    /// Children (filters) one after the other.
    Sequence,
    /// Children (filters) in any order.
    Set,
    /// An annotation of the subtree.
    Mark(Id),
    /// What the generator may assume of parameters and outer values.
    Context(Set),
    /// What code outside must enforce; descendants assume it.
    Guard(Set),
    /// Adds instances for each combination of outer values.
    Extension(UnionMap),
    /// Replaces each reaching instance by several.
    Expansion {
        /// From new instances to the reaching one.
        contraction: UnionMap,
        /// From reaching instances to new ones: the inverse.
        expansion: UnionMap,
    },
    /// Orders nothing; the end of every path.
    Leaf,
}

impl NodeKind {
    /// The kind's name, as in the text form.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Domain(_) => "domain",
            NodeKind::Band(_) => "band",
            NodeKind::Filter(_) => "filter",
            NodeKind::Sequence => "sequence",
            NodeKind::Set => "set",
            NodeKind::Mark(_) => "mark",
            NodeKind::Context(_) => "context",
            NodeKind::Guard(_) => "guard",
            NodeKind::Extension(_) => "extension",
            NodeKind::Expansion { .. } => "expansion",
            NodeKind::Leaf => "leaf",
        }
    }

    /// Does the payload mention values of outer bands, so that these must not change?
    #[must_use]
    pub fn is_anchor(&self) -> bool {
        match self {
            NodeKind::Context(_) | NodeKind::Guard(_) | NodeKind::Extension(_) => true,
            NodeKind::Band(b) => b.isolate.is_some(),
            _ => false,
        }
    }
}

/// A node: a kind with its payload, and children. Immutable; subtrees are shared.
///
/// A leaf has no children, a sequence or set at least one (all filters), every other kind exactly one.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    kind: NodeKind,
    children: Vec<Arc<Node>>,
}

impl Node {
    pub(crate) fn raw(kind: NodeKind, children: Vec<Arc<Node>>) -> Arc<Node> {
        Arc::new(Node { kind, children })
    }

    /// What the node is.
    #[must_use]
    pub fn kind(&self) -> &NodeKind {
        &self.kind
    }

    /// The children.
    #[must_use]
    pub fn children(&self) -> &[Arc<Node>] {
        &self.children
    }

    /// The only child of a node that isn't a leaf, sequence or set.
    #[must_use]
    pub fn child(&self) -> Option<&Arc<Node>> {
        match self.kind {
            NodeKind::Sequence | NodeKind::Set => None,
            _ => self.children.first(),
        }
    }

    /// The band, if this is one.
    #[must_use]
    pub fn as_band(&self) -> Option<&Band> {
        match &self.kind {
            NodeKind::Band(b) => Some(b),
            _ => None,
        }
    }

    /// Is this a leaf?
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        matches!(self.kind, NodeKind::Leaf)
    }

    /// Is this a sequence or a set?
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.kind, NodeKind::Sequence | NodeKind::Set)
    }

    /// Does this node or one below mention values of outer bands?
    #[must_use]
    pub fn is_subtree_anchored(&self) -> bool {
        self.kind.is_anchor() || self.children.iter().any(|c| c.is_subtree_anchored())
    }

    /// The number of nodes of the subtree.
    #[must_use]
    pub fn size(&self) -> usize {
        1 + self.children.iter().map(|c| c.size()).sum::<usize>()
    }

    /// A leaf.
    #[must_use]
    pub fn leaf() -> Arc<Node> {
        Node::raw(NodeKind::Leaf, Vec::new())
    }

    /// A band above `child`.
    #[must_use]
    pub fn band(band: Band, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Band(band), vec![child])
    }

    /// A filter above `child`.
    #[must_use]
    pub fn filter(keep: UnionSet, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Filter(keep), vec![child])
    }

    /// A mark above `child`.
    #[must_use]
    pub fn mark(name: impl Into<Id>, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Mark(name.into()), vec![child])
    }

    /// A context above `child`.
    #[must_use]
    pub fn context(assume: Set, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Context(assume), vec![child])
    }

    /// A guard above `child`.
    #[must_use]
    pub fn guard(condition: Set, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Guard(condition), vec![child])
    }

    /// An extension above `child`.
    #[must_use]
    pub fn extension(added: UnionMap, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Extension(added), vec![child])
    }

    /// An expansion above `child`.
    #[must_use]
    pub fn expansion(contraction: UnionMap, expansion: UnionMap, child: Arc<Node>) -> Arc<Node> {
        Node::raw(NodeKind::Expansion { contraction, expansion }, vec![child])
    }

    /// A sequence of filters with their subtrees. A list of one is that filter; of none, a leaf.
    #[must_use]
    pub fn sequence(children: Vec<(UnionSet, Arc<Node>)>) -> Arc<Node> {
        Node::list(NodeKind::Sequence, children)
    }

    /// A set of filters with their subtrees: as a sequence, but unordered.
    #[must_use]
    pub fn set(children: Vec<(UnionSet, Arc<Node>)>) -> Arc<Node> {
        Node::list(NodeKind::Set, children)
    }

    fn list(kind: NodeKind, children: Vec<(UnionSet, Arc<Node>)>) -> Arc<Node> {
        let mut nodes: Vec<Arc<Node>> = children.into_iter().map(|(f, c)| Node::filter(f, c)).collect();
        match nodes.len() {
            0 => Node::leaf(),
            1 => nodes.remove(0),
            _ => Node::raw(kind, nodes),
        }
    }
}
