//! What the public types have in common, written once.

/// The methods that basic sets and basic maps share.
macro_rules! basic_methods {
    ($basic:ident, $union:ident) => {
        impl $basic {
            pub(crate) fn from_inner(space: Space, b: Basic) -> $basic {
                debug_assert_eq!(space.total_dim(), b.n_dim());
                $basic {
                    space,
                    basic: Arc::new(b),
                }
            }

            pub(crate) fn inner(&self) -> &Basic {
                &self.basic
            }

            /// The space.
            pub fn space(&self) -> &Space {
                &self.space
            }

            /// The number of dimensions of that type.
            pub fn dim(&self, t: DimType) -> usize {
                self.space.dim(t)
            }

            /// No elements.
            pub fn empty(space: &Space) -> $basic {
                $basic::from_inner(space.clone(), Basic::empty(space.total_dim()))
            }

            /// All elements of the space.
            pub fn universe(space: &Space) -> $basic {
                $basic::from_inner(space.clone(), Basic::universe(space.total_dim()))
            }

            /// The elements that satisfy all the constraints.
            ///
            /// # Errors
            /// When a constraint lives in another space.
            pub fn from_constraints<'a>(space: &Space, constraints: impl IntoIterator<Item = &'a Constraint>) -> Result<$basic> {
                let mut b = Basic::universe(space.total_dim());
                for c in constraints {
                    convert::add_constraint(&mut b, space, c)?;
                }
                b.simplify();
                Ok($basic::from_inner(space.clone(), b))
            }

            /// The elements that satisfy the constraint as well. New parameters of the constraint are added.
            ///
            /// # Errors
            /// When the constraint lives in another space.
            pub fn add_constraint(&self, c: &Constraint) -> Result<$basic> {
                let me = self.align_params(c.aff().space());
                let mut b = (*me.basic).clone();
                convert::add_constraint(&mut b, &me.space, c)?;
                b.simplify();
                Ok($basic::from_inner(me.space, b))
            }

            /// The constraints, local variables shown as divisions. (The bounds that a division implies are not listed.)
            ///
            /// # Errors
            /// When a local variable has no known division; see `compute_divs` of the union type.
            pub fn constraints(&self) -> Result<Vec<Constraint>> {
                convert::constraints(&self.basic, &self.space)
            }

            /// Are all local variables known divisions?
            pub fn has_known_divs(&self) -> bool {
                self.basic.divs.all_known()
            }

            /// The number of local variables.
            pub fn n_div(&self) -> usize {
                self.basic.n_div()
            }

            /// The same elements with the parameters of `space` first, then the remaining own ones.
            #[must_use]
            pub fn align_params(&self, space: &Space) -> $basic {
                self.to_union()
                    .align_params(space)
                    .into_single()
                    .unwrap_or_else(|| $basic::empty(&self.space.align_params(space)))
            }

            /// The elements of both.
            ///
            /// # Errors
            /// When the spaces do not match.
            pub fn intersect(&self, other: &$basic) -> Result<$basic> {
                let r = self.to_rel().intersect(&other.to_rel())?;
                Ok($union::from_rel(r.clone())
                    .into_single()
                    .unwrap_or_else(|| $basic::empty(&r.space)))
            }

            /// Is it visibly empty? (A cheap test that may miss emptiness.)
            pub fn plain_is_empty(&self) -> bool {
                self.basic.empty
            }

            /// Is it visibly everything?
            pub fn plain_is_universe(&self) -> bool {
                self.basic.is_plain_universe()
            }

            /// The union type with this one piece.
            pub fn to_union(&self) -> $union {
                $union::from_rel(self.to_rel())
            }

            pub(crate) fn to_rel(&self) -> Rel {
                let parts = if self.basic.empty {
                    Vec::new()
                } else {
                    vec![self.basic.clone()]
                };
                Rel {
                    space: self.space.clone(),
                    parts,
                }
            }
        }

        impl From<$basic> for $union {
            fn from(b: $basic) -> $union {
                b.to_union()
            }
        }
    };
}

/// The methods that sets and maps share.
macro_rules! union_methods {
    ($union:ident, $basic:ident) => {
        impl $union {
            pub(crate) fn from_rel(rel: Rel) -> $union {
                $union(rel)
            }

            pub(crate) fn rel(&self) -> &Rel {
                &self.0
            }

            /// The only piece, when there is just one.
            pub(crate) fn into_single(self) -> Option<$basic> {
                match <[_; 1]>::try_from(self.0.parts) {
                    Ok([basic]) => Some($basic {
                        space: self.0.space,
                        basic,
                    }),
                    Err(_) => None,
                }
            }

            pub(crate) fn pieces(&self) -> Vec<$basic> {
                self.0
                    .parts
                    .iter()
                    .map(|p| $basic {
                        space: self.0.space.clone(),
                        basic: p.clone(),
                    })
                    .collect()
            }

            /// The space.
            pub fn space(&self) -> &Space {
                &self.0.space
            }

            /// The number of dimensions of that type.
            pub fn dim(&self, t: DimType) -> usize {
                self.0.space.dim(t)
            }

            /// No elements.
            pub fn empty(space: &Space) -> $union {
                $union(Rel::empty(space.clone()))
            }

            /// All elements of the space.
            pub fn universe(space: &Space) -> $union {
                $union(Rel::universe(space.clone()))
            }

            /// The number of pieces.
            pub fn n_basic(&self) -> usize {
                self.0.parts.len()
            }

            /// Is it visibly empty? (A cheap test that may miss emptiness.)
            pub fn plain_is_empty(&self) -> bool {
                self.0.plain_is_empty()
            }

            /// Is it visibly everything?
            pub fn plain_is_universe(&self) -> bool {
                self.0.parts.iter().any(|p| p.is_plain_universe())
            }

            /// The same elements with the parameters of `space` first, then the remaining own ones.
            #[must_use]
            pub fn align_params(&self, space: &Space) -> $union {
                $union(self.0.align_params(space))
            }

            /// The elements that satisfy the constraint as well. New parameters of the constraint are added.
            ///
            /// # Errors
            /// When the constraint lives in another space.
            pub fn add_constraint(&self, c: &Constraint) -> Result<$union> {
                let space = self.0.space.align_params(c.aff().space());
                let b = $basic::from_constraints(&space, [c])?;
                self.intersect(&b.to_union())
            }

            /// The elements of either.
            ///
            /// # Errors
            /// When the spaces do not match.
            pub fn union(&self, other: &$union) -> Result<$union> {
                Ok($union(self.0.union(&other.0)?))
            }

            /// The elements of both.
            ///
            /// # Errors
            /// When the spaces do not match.
            pub fn intersect(&self, other: &$union) -> Result<$union> {
                Ok($union(self.0.intersect(&other.0)?))
            }
        }
    };
}

pub(crate) use {basic_methods, union_methods};
