//! Functions as text.

use std::fmt;

use super::linear::{Columns, Linear};
use super::names::{Names, params_prefix};
use super::relation::{condition_text, pieces_text, tuple_text, tuples_text};
use crate::func::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::sets::Set;
use crate::space::{DimType, Space};

/// The expression alone, over the printed names of its domain.
fn aff_text(aff: &Aff, names: &Names) -> String {
    let unknowns = vec![String::new(); aff.divs().len()];
    Linear::new(
        aff.row(),
        Columns {
            names: names.all(),
            divs: aff.divs(),
            unknowns: &unknowns,
        },
    )
    .to_string()
}

/// `A[i, j] -> `, or nothing for a function of the parameters.
pub(super) fn domain_prefix(domain: &Space, names: &Names) -> String {
    if domain.is_params() {
        return String::new();
    }
    format!("{} -> ", tuples_text(domain, &names.all()[domain.dim(DimType::Param)..]))
}

/// ` : condition`, or nothing when it always holds.
pub(super) fn condition_suffix(set: &Set, names: &Names) -> String {
    let text = condition_text(set.rel(), names);
    if text.is_empty() { text } else { format!(" : {text}") }
}

fn range_text(ma: &MultiAff, names: &Names) -> String {
    let entries: Vec<String> = ma.affs().iter().map(|a| format!("({})", aff_text(a, names))).collect();
    tuple_text(ma.out_tuple(), &entries)
}

/// The pieces of a piecewise expression without braces.
fn pw_aff_pieces(pa: &PwAff) -> String {
    let names = Names::new(pa.domain_space());
    let domain = domain_prefix(pa.domain_space(), &names);
    let piece = |(s, x): &(Set, Aff)| format!("{domain}[({})]{}", aff_text(x, &names), condition_suffix(s, &names));
    let pieces: Vec<String> = pa.pieces().iter().map(piece).collect();
    if pieces.is_empty() {
        format!("{domain}[(0)] : false")
    } else {
        pieces.join("; ")
    }
}

fn pw_multi_aff_pieces(pma: &PwMultiAff) -> String {
    let names = Names::new(pma.domain_space());
    let domain = domain_prefix(pma.domain_space(), &names);
    let piece = |(s, x): &(Set, MultiAff)| format!("{domain}{}{}", range_text(x, &names), condition_suffix(s, &names));
    let pieces: Vec<String> = pma.pieces().iter().map(piece).collect();
    if pieces.is_empty() {
        let nothing = vec!["(0)".to_string(); pma.len()];
        return format!("{domain}{} : false", tuple_text(pma.out_tuple(), &nothing));
    }
    pieces.join("; ")
}

/// One dimension of a tuple of piecewise expressions: `(i + 1)` or `((i) : i > 0; (0) : i <= 0)`.
fn member_text(pa: &PwAff, names: &Names) -> String {
    if let Some(aff) = pa.as_aff() {
        return format!("({})", aff_text(aff, names));
    }
    let piece = |(s, x): &(Set, Aff)| format!("({}){}", aff_text(x, names), condition_suffix(s, names));
    let pieces: Vec<String> = pa.pieces().iter().map(piece).collect();
    if pieces.is_empty() {
        "((0) : false)".to_string()
    } else {
        format!("({})", pieces.join("; "))
    }
}

fn union_pieces(upa: &UnionPwAff) -> String {
    let pieces: Vec<String> = upa.pw_affs().iter().map(pw_aff_pieces).collect();
    pieces.join("; ")
}

fn braces(pieces: &str) -> String {
    if pieces.is_empty() {
        "{ }".to_string()
    } else {
        format!("{{ {pieces} }}")
    }
}

impl Aff {
    /// The expression alone, in the names of its domain: `1 + floor((i)/2)`.
    pub fn to_expr_string(&self) -> String {
        aff_text(self, &Names::new(self.space()))
    }
}

impl fmt::Display for Aff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MultiAff::from_aff(self).fmt(f)
    }
}

impl fmt::Display for MultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::new(self.domain_space());
        let domain = domain_prefix(self.domain_space(), &names);
        write!(
            f,
            "{}{{ {domain}{} }}",
            params_prefix(self.domain_space()),
            range_text(self, &names)
        )
    }
}

impl fmt::Display for PwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", params_prefix(self.domain_space()), braces(&pw_aff_pieces(self)))
    }
}

impl fmt::Display for PwMultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", params_prefix(self.domain_space()), braces(&pw_multi_aff_pieces(self)))
    }
}

impl fmt::Display for MultiPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::new(self.domain_space());
        let domain = domain_prefix(self.domain_space(), &names);
        let entries: Vec<String> = self.members().iter().map(|m| member_text(m, &names)).collect();
        let condition = self.explicit_domain().map_or_else(String::new, |s| condition_suffix(s, &names));
        let range = tuple_text(self.out_tuple(), &entries);
        write!(f, "{}{{ {domain}{range}{condition} }}", params_prefix(self.domain_space()))
    }
}

impl fmt::Display for UnionPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", params_prefix(self.params_space()), braces(&union_pieces(self)))
    }
}

impl fmt::Display for UnionPwMultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces: Vec<String> = self.pw_multi_affs().iter().map(pw_multi_aff_pieces).collect();
        write!(f, "{}{}", params_prefix(self.params_space()), braces(&pieces.join("; ")))
    }
}

impl fmt::Display for MultiUnionPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self.members().iter().map(|m| braces(&union_pieces(m))).collect();
        let tuple = tuple_text(self.out_tuple(), &entries);
        let params = params_prefix(self.params_space());
        match self.explicit_domain() {
            None => write!(f, "{params}{tuple}"),
            Some(set) => {
                let pieces = set
                    .sets()
                    .iter()
                    .map(|s| pieces_text(s.space(), s.rel().parts.iter().map(AsRef::as_ref)));
                write!(f, "{params}({tuple} : {})", braces(&pieces.collect::<Vec<_>>().join("; ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Tuple;

    #[test]
    fn nested_entries_are_split() {
        let t = Tuple::wrapped(Tuple::named("A", 1), Tuple::named("B", 2));
        let entries: Vec<String> = ["x", "y", "z"].map(String::from).to_vec();
        assert_eq!(tuple_text(&t, &entries), "[A[x] -> B[y, z]]");
    }
}
