//! Lexicographic optima as functions, and functions from single-valued relations.

use super::{Aff, MultiAff, PwAff, PwMultiAff, UnionPwMultiAff};
use crate::error::{Error, Result};
use crate::lexmin::Goal;
use crate::num::Budget;
use crate::rel::Rel;
use crate::sets::{Map, Set};
use crate::space::DimType;
use crate::union::UnionMap;

impl Rel {
    /// The lexicographic optimum of the output dimensions as a function of the inputs, or of the parameters of a set.
    fn optimum_function(&self, goal: Goal, b: &Budget) -> Result<PwMultiAff> {
        let domain = if self.space.is_map() {
            self.space.domain()
        } else {
            self.space.to_params()
        };
        let out = self.space.out().clone();
        let mut list = Vec::new();
        for piece in self.lex_pieces(goal, b)? {
            let aff = |r: &Vec<_>| Aff::from_parts(domain.clone(), piece.divs.clone(), r.clone()).normalized();
            let affs = piece.values.iter().map(aff).collect();
            let set = Set::from_rel(piece.domain.with_space(domain.clone()));
            list.push((set, MultiAff::from_parts(domain.clone(), out.clone(), affs)));
        }
        PwMultiAff::from_disjoint(&domain, out, list).coalesce(b)
    }
}

macro_rules! optima {
    ($relation:ident) => {
        impl $relation {
            /// The lexicographically least element as a function: of the parameters for a set, of the input for a map.
            ///
            /// # Errors
            /// When there is no least element somewhere, or the budget is used up.
            pub fn lexmin_pw_multi_aff(&self, b: &Budget) -> Result<PwMultiAff> {
                self.rel().optimum_function(Goal::Min, b)
            }

            /// The lexicographically greatest element as a function: of the parameters for a set, of the input for a map.
            ///
            /// # Errors
            /// When there is no greatest element somewhere, or the budget is used up.
            pub fn lexmax_pw_multi_aff(&self, b: &Budget) -> Result<PwMultiAff> {
                self.rel().optimum_function(Goal::Max, b)
            }

            /// The least value of output dimension `pos`: a function of the parameters for a set, of the input for a map.
            ///
            /// # Errors
            /// When it is unbounded below somewhere, or the budget is used up.
            pub fn dim_min(&self, pos: usize, b: &Budget) -> Result<PwAff> {
                Ok(self.only_dim(pos, b)?.lexmin_pw_multi_aff(b)?.get(0))
            }

            /// The greatest value of output dimension `pos`: a function of the parameters for a set, of the input for a map.
            ///
            /// # Errors
            /// When it is unbounded above somewhere, or the budget is used up.
            pub fn dim_max(&self, pos: usize, b: &Budget) -> Result<PwAff> {
                Ok(self.only_dim(pos, b)?.lexmax_pw_multi_aff(b)?.get(0))
            }

            fn only_dim(&self, pos: usize, b: &Budget) -> Result<$relation> {
                let n = self.dim(DimType::Out);
                if pos >= n {
                    return Err(Error::Unsupported(format!("there is no dimension {pos} in {}", self.space())));
                }
                self.project_out(DimType::Out, pos + 1, n - pos - 1, b)?
                    .project_out(DimType::Out, 0, pos, b)
            }
        }
    };
}

optima!(Set);
optima!(Map);

impl PwMultiAff {
    /// The function whose graph a map is.
    ///
    /// # Errors
    /// When an input has several outputs, or the budget is used up.
    pub fn from_map(map: &Map, b: &Budget) -> Result<PwMultiAff> {
        if !map.is_single_valued(b)? {
            return Err(Error::Unsupported("the map is not single-valued, so it is no function".into()));
        }
        map.lexmin_pw_multi_aff(b)
    }

    /// The function of the parameters whose values are the elements of a set.
    ///
    /// # Errors
    /// When there are several elements for some parameters, or the budget is used up.
    pub fn from_set(set: &Set, b: &Budget) -> Result<PwMultiAff> {
        if !set.is_singleton(b)? {
            return Err(Error::Unsupported(
                "the set has several elements, so it is no function of the parameters".into(),
            ));
        }
        set.lexmin_pw_multi_aff(b)
    }
}

impl UnionPwMultiAff {
    /// The function whose graph a union of maps is.
    ///
    /// # Errors
    /// When an input has several outputs, or the budget is used up.
    pub fn from_union_map(map: &UnionMap, b: &Budget) -> Result<UnionPwMultiAff> {
        let mut out = UnionPwMultiAff::empty(map.params_space());
        for m in map.maps() {
            out = out.union_add(&UnionPwMultiAff::from_pw_multi_aff(&PwMultiAff::from_map(m, b)?), b)?;
        }
        Ok(out)
    }
}
