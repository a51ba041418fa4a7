//! Which nested loops may be permuted.
//!
//! Members `f_1, .., f_n` of nested bands form one permutable band exactly when no open pair has a negative distance in any of them: then any order of the members,
//! and any rectangular tiling, runs every pair's target no earlier than its source (Irigoin and Triolet 1988; Bondhugula et al., PLDI 2008).

use crate::{Error, Pairs, Violation};
use tilia_presburger::Budget;
use tilia_schedule::{Band, Member};

/// One permutable group of members, and what ends it.
#[derive(Debug, Clone)]
pub struct Group {
    /// The members as one band, flags set as proved.
    pub band: Band,
    /// A pair that forbids the next member to join, or (when the group has one member) that the member itself runs the wrong way round.
    pub stopped_by: Option<Violation>,
    /// Whether the group really is permutable: false for a single member that violates a dependence.
    pub legal: bool,
}

/// Cuts a list of nested members into maximal permutable groups, outermost first, and returns the pairs that all of them leave open.
///
/// # Errors
/// When the sets library gives up.
pub fn permutable_groups(members: &[Member], open: &Pairs, b: &Budget) -> Result<(Vec<Group>, Pairs), Error> {
    let mut groups = Vec::new();
    let mut open = open.clone();
    let mut rest = members;
    while !rest.is_empty() {
        let mut n = 0;
        let mut stopped_by = None;
        while n < rest.len() {
            stopped_by = open.violated_by(&rest[n], b)?;
            if stopped_by.is_some() {
                break;
            }
            n += 1;
        }
        let legal = n > 0;
        let (own, tail) = rest.split_at(n.max(1));
        let mut members = Vec::with_capacity(own.len());
        for m in own {
            members.push(Member {
                coincident: open.all_equal(m, b)?,
                reduces: false,
                ..m.clone()
            });
        }
        for m in own {
            open = open.left_by(m, b)?;
        }
        groups.push(Group {
            band: Band {
                members,
                permutable: legal,
                isolate: None,
            },
            stopped_by,
            legal,
        });
        rest = tail;
    }
    Ok((groups, open))
}
