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

            /// Is there no element?
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn is_empty(&self, b: &Budget) -> Result<bool> {
                self.basic.is_empty(b)
            }

            /// Some element (a pair of a map: in the wrapped space), parameters included.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn sample(&self, b: &Budget) -> Result<Option<Point>> {
                self.to_union().sample_point(b)
            }

            /// Without the dimensions (there is some value for them); exact, see the union type.
            ///
            /// # Errors
            /// When the dimensions don't exist.
            pub fn project_out(&self, t: DimType, first: usize, n: usize, _b: &Budget) -> Result<$basic> {
                let r = self.to_rel().project_out(t, first, n)?;
                Ok($union::from_rel(r.clone())
                    .into_single()
                    .unwrap_or_else(|| $basic::empty(&r.space)))
            }

            /// The equalities that hold at all elements, over dimensions and divisions.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn affine_hull(&self, b: &Budget) -> Result<$basic> {
                self.to_union().affine_hull(b)
            }

            /// The same elements without constraints that the others imply.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn remove_redundancies(&self, b: &Budget) -> Result<$basic> {
                let mut q = (*self.basic).clone();
                q.remove_redundancies(b)?;
                Ok($basic::from_inner(self.space.clone(), q))
            }

            /// The same elements with implied equalities made explicit.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn detect_equalities(&self, b: &Budget) -> Result<$basic> {
                let mut q = (*self.basic).clone();
                q.detect_equalities(b)?;
                Ok($basic::from_inner(self.space.clone(), q))
            }

            /// Fewer constraints for the same elements inside the context.
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn gist(&self, context: &$basic, b: &Budget) -> Result<$basic> {
                let r = self.to_rel().gist(&context.to_rel(), b)?;
                Ok($union::from_rel(r.clone())
                    .into_single()
                    .unwrap_or_else(|| $basic::empty(&r.space)))
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

            /// Is there no element?
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn is_empty(&self, b: &Budget) -> Result<bool> {
                self.0.is_empty(b)
            }

            /// The same elements without pieces that have none.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn drop_empty_pieces(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.drop_empty(b)?))
            }

            /// Some element (a pair of a map: in the wrapped space), parameters included.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn sample_point(&self, b: &Budget) -> Result<Option<Point>> {
                Ok(self.0.sample(b)?.map(|x| Point::from_row(self.space(), &x)))
            }

            /// Is the point (a pair of a map: in the wrapped space) an element? Coordinates go by position.
            ///
            /// # Errors
            /// When the point has another number of coordinates, or the budget runs out.
            pub fn contains(&self, p: &Point, b: &Budget) -> Result<bool> {
                self.0.contains(&p.to_row(), b)
            }

            /// Is every dimension bounded, for each value of the parameters?
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn is_bounded(&self, b: &Budget) -> Result<bool> {
                self.0.is_bounded(b)
            }

            /// The largest value of an expression on the (wrapped) space over all elements and parameter values.
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn max_aff(&self, aff: &Aff, b: &Budget) -> Result<Optimum<Int>> {
                self.0.optimum(aff, Dir::Up, b)
            }

            /// The smallest value of an expression on the (wrapped) space over all elements and parameter values.
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn min_aff(&self, aff: &Aff, b: &Budget) -> Result<Optimum<Int>> {
                self.0.optimum(aff, Dir::Down, b)
            }

            /// The elements that are not in `other`.
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn subtract(&self, other: &$union, b: &Budget) -> Result<$union> {
                Ok($union(self.0.subtract(&other.0, b)?))
            }

            /// The elements of the space that are not in this one.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn complement(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.complement(b)?))
            }

            /// Is every element in `other`?
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn is_subset(&self, other: &$union, b: &Budget) -> Result<bool> {
                self.0.is_subset(&other.0, b)
            }

            /// Is every element in `other`, which has more?
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn is_strict_subset(&self, other: &$union, b: &Budget) -> Result<bool> {
                Ok(self.0.is_subset(&other.0, b)? && !other.0.is_subset(&self.0, b)?)
            }

            /// Have both the same elements?
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn is_equal(&self, other: &$union, b: &Budget) -> Result<bool> {
                self.0.is_equal(&other.0, b)
            }

            /// Have they no element in common?
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn is_disjoint(&self, other: &$union, b: &Budget) -> Result<bool> {
                self.0.is_disjoint(&other.0, b)
            }

            /// The same elements in pieces that have none in common.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn make_disjoint(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.make_disjoint(b)?))
            }

            /// The same elements with all local variables known divisions, so that `constraints` can list everything.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn compute_divs(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.compute_divs(b)?))
            }

            /// The lexicographically smallest elements, for each value of the parameters (and input of a map).
            ///
            /// # Errors
            /// When there is no smallest one somewhere, or the budget runs out.
            pub fn lexmin(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.lex_opt(Goal::Min, b)?))
            }

            /// The lexicographically largest elements, for each value of the parameters (and input of a map).
            ///
            /// # Errors
            /// When there is no largest one somewhere, or the budget runs out.
            pub fn lexmax(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.lex_opt(Goal::Max, b)?))
            }

            /// The same elements in fewer pieces.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn coalesce(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.coalesce(b)?))
            }

            /// The stride of output (set) dimension `pos`: `(s, f)` such that the dimension is `f` modulo `s` at every element,
            /// with `f` on the (wrapped) space, in terms of parameters and earlier dimensions. `s = 1` when nothing is known.
            ///
            /// # Errors
            /// When the dimension doesn't exist or the budget runs out.
            pub fn stride_info(&self, pos: usize, b: &Budget) -> Result<(Int, Aff)> {
                self.0.stride_info(pos, b)
            }

            /// The equalities that hold at all elements, as one piece that contains them.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn affine_hull(&self, b: &Budget) -> Result<$basic> {
                Ok($basic::from_inner(self.space().clone(), self.0.affine_hull(b)?))
            }

            /// The closure of the rational convex hull, over the dimensions and the divisions of the pieces.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn polyhedral_hull(&self, b: &Budget) -> Result<$basic> {
                Ok($basic::from_inner(self.space().clone(), self.0.polyhedral_hull(b)?))
            }

            /// The same elements with implied equalities made explicit.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn detect_equalities(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.detect_equalities(b)?))
            }

            /// The same elements without constraints that the others imply.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn remove_redundancies(&self, b: &Budget) -> Result<$union> {
                Ok($union(self.0.remove_redundancies(b)?))
            }

            /// All elements (pairs of a map: in the wrapped space) in lexicographic order of parameters and coordinates.
            ///
            /// # Errors
            /// `Unbounded` when a parameter or dimension has no bounds, `OutOfBudget` when there are more
            /// than `limit`.
            pub fn points(&self, b: &Budget, limit: usize) -> Result<Vec<Point>> {
                Ok(self
                    .0
                    .points(limit, b)?
                    .iter()
                    .map(|x| Point::from_row(self.space(), x))
                    .collect())
            }

            /// The number of elements of a set or map that is bounded, parameters included. The innermost dimension is counted in
            /// whole intervals where no division is involved.
            ///
            /// # Errors
            /// `Unbounded` when a parameter or dimension has no bounds, or when the budget runs out.
            pub fn count_points(&self, b: &Budget) -> Result<Int> {
                self.0.count_points(b)
            }

            /// Fewer constraints for the same elements inside the context.
            ///
            /// # Errors
            /// When the spaces do not match or the budget runs out.
            pub fn gist(&self, context: &$union, b: &Budget) -> Result<$union> {
                Ok($union(self.0.gist(&context.0, b)?))
            }

            /// Fewer constraints for the same elements at the parameter values of the context.
            ///
            /// # Errors
            /// When the context is no parameter set or the budget runs out.
            pub fn gist_params(&self, context: &Set, b: &Budget) -> Result<$union> {
                Ok($union(self.0.gist_side(context.rel(), DimType::Param, b)?))
            }

            /// An over-approximation by one piece: the constraints of all pieces, each relaxed until it holds everywhere.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn simple_hull(&self, b: &Budget) -> Result<$basic> {
                Ok($basic::from_inner(self.space().clone(), self.0.simple_hull(b)?))
            }

            /// An over-approximation by one piece: those constraints of the pieces that hold everywhere.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn unshifted_simple_hull(&self, b: &Budget) -> Result<$basic> {
                Ok($basic::from_inner(self.space().clone(), self.0.unshifted_simple_hull(b)?))
            }

            /// The smallest box around the elements: for each output (set) dimension its least and greatest value over all
            /// elements and parameter values, `None` where there is no limit. `None` when there is no element.
            ///
            /// # Errors
            /// When the budget runs out.
            pub fn bounding_box(&self, b: &Budget) -> Result<Option<Vec<Limits<Int>>>> {
                self.0.bounding_box(b)
            }

            /// The elements without the dimensions (there is some value for them); exact over the integers. What remains of the
            /// dimensions may be local variables without known division, see `compute_divs`.
            ///
            /// # Errors
            /// When the dimensions don't exist.
            pub fn project_out(&self, t: DimType, first: usize, n: usize, _b: &Budget) -> Result<$union> {
                Ok($union(self.0.project_out(t, first, n)?))
            }

            /// Projects out all dimensions of the type but those from `first` to `first + n`.
            ///
            /// # Errors
            /// When the dimensions don't exist.
            pub fn project_out_all_but(&self, t: DimType, first: usize, n: usize, _b: &Budget) -> Result<$union> {
                self.0.check_range(t, first, n)?;
                let after = self.dim(t) - first - n;
                Ok($union(self.0.project_out(t, first + n, after)?.project_out(t, 0, first)?))
            }

            /// The parameter values for which there is an element, as a parameter set.
            #[must_use]
            pub fn params(&self) -> Set {
                Set::from_rel(self.0.params())
            }

            /// The elements at the parameter values of a parameter set.
            ///
            /// # Errors
            /// When `params` is no parameter set.
            pub fn intersect_params(&self, params: &Set) -> Result<$union> {
                Ok($union(self.0.intersect_params(params.rel())?))
            }

            /// Inserts unconstrained dimensions. The tuple loses its name and nesting.
            ///
            /// # Errors
            /// For parameters, and when the position doesn't exist.
            pub fn insert_dims(&self, t: DimType, at: usize, n: usize) -> Result<$union> {
                Ok($union(self.0.insert_dims(t, at, n)?))
            }

            /// Appends unconstrained dimensions. The tuple loses its name and nesting.
            ///
            /// # Errors
            /// For parameters.
            pub fn add_dims(&self, t: DimType, n: usize) -> Result<$union> {
                Ok($union(self.0.insert_dims(t, self.dim(t), n)?))
            }

            /// Moves dimensions. Tuples that change lose their name and nesting.
            ///
            /// # Errors
            /// When the positions don't exist, or a dimension without name would become a parameter.
            pub fn move_dims(&self, dst: DimType, dst_pos: usize, src: DimType, src_pos: usize, n: usize) -> Result<$union> {
                Ok($union(self.0.move_dims(dst, dst_pos, src, src_pos, n)?))
            }

            /// The elements whose dimension has the value.
            ///
            /// # Errors
            /// When the dimension doesn't exist.
            pub fn fix(&self, t: DimType, pos: usize, value: Int) -> Result<$union> {
                let r = self.0.dim_row(t, pos, Int::ONE, -value)?;
                Ok($union(self.0.constrain(&r, true)))
            }

            /// The elements whose dimension is at least the value.
            ///
            /// # Errors
            /// When the dimension doesn't exist.
            pub fn lower_bound(&self, t: DimType, pos: usize, value: Int) -> Result<$union> {
                let r = self.0.dim_row(t, pos, Int::ONE, -value)?;
                Ok($union(self.0.constrain(&r, false)))
            }

            /// The elements whose dimension is at most the value.
            ///
            /// # Errors
            /// When the dimension doesn't exist.
            pub fn upper_bound(&self, t: DimType, pos: usize, value: Int) -> Result<$union> {
                let r = self.0.dim_row(t, pos, Int::NEG_ONE, value)?;
                Ok($union(self.0.constrain(&r, false)))
            }

            /// The elements whose two dimensions are equal.
            ///
            /// # Errors
            /// When a dimension doesn't exist.
            pub fn equate(&self, t1: DimType, pos1: usize, t2: DimType, pos2: usize) -> Result<$union> {
                let r = self.0.difference_row((t1, pos1), (t2, pos2), Int::ZERO)?;
                Ok($union(self.0.constrain(&r, true)))
            }

            /// The elements whose first dimension is below the second.
            ///
            /// # Errors
            /// When a dimension doesn't exist.
            pub fn order_lt(&self, t1: DimType, pos1: usize, t2: DimType, pos2: usize) -> Result<$union> {
                let r = self.0.difference_row((t2, pos2), (t1, pos1), Int::NEG_ONE)?;
                Ok($union(self.0.constrain(&r, false)))
            }

            /// The elements whose first dimension is at most the second.
            ///
            /// # Errors
            /// When a dimension doesn't exist.
            pub fn order_le(&self, t1: DimType, pos1: usize, t2: DimType, pos2: usize) -> Result<$union> {
                let r = self.0.difference_row((t2, pos2), (t1, pos1), Int::ZERO)?;
                Ok($union(self.0.constrain(&r, false)))
            }

            /// The elements whose first dimension is above the second.
            ///
            /// # Errors
            /// When a dimension doesn't exist.
            pub fn order_gt(&self, t1: DimType, pos1: usize, t2: DimType, pos2: usize) -> Result<$union> {
                self.order_lt(t2, pos2, t1, pos1)
            }

            /// The elements whose first dimension is at least the second.
            ///
            /// # Errors
            /// When a dimension doesn't exist.
            pub fn order_ge(&self, t1: DimType, pos1: usize, t2: DimType, pos2: usize) -> Result<$union> {
                self.order_le(t2, pos2, t1, pos1)
            }

            /// Does a constraint, or a division in use, mention one of the dimensions?
            pub fn involves_dims(&self, t: DimType, first: usize, n: usize) -> bool {
                self.0.involves_dims(t, first, n)
            }

            /// An over-approximation: without the constraints that mention one of the dimensions.
            ///
            /// # Errors
            /// When the dimensions don't exist.
            pub fn drop_constraints_involving_dims(&self, t: DimType, first: usize, n: usize) -> Result<$union> {
                Ok($union(self.0.drop_constraints(t, first, n, false)?))
            }

            /// An over-approximation: only the constraints that mention one of the dimensions.
            ///
            /// # Errors
            /// When the dimensions don't exist.
            pub fn drop_constraints_not_involving_dims(&self, t: DimType, first: usize, n: usize) -> Result<$union> {
                Ok($union(self.0.drop_constraints(t, first, n, true)?))
            }

            /// The value of a dimension when every piece visibly fixes it to the same one.
            pub fn plain_get_val_if_fixed(&self, t: DimType, pos: usize) -> Option<Int> {
                self.0.plain_fixed_value(t, pos)
            }

            /// The same elements with the tuple on one side renamed.
            #[must_use]
            pub fn set_tuple_name(&self, t: DimType, name: Option<Id>) -> $union {
                $union(self.0.set_tuple_name(t, name))
            }

            /// The same elements with a dimension renamed. (`None` leaves a parameter as it is.)
            ///
            /// # Errors
            /// When the dimension doesn't exist.
            pub fn set_dim_name(&self, t: DimType, pos: usize, name: Option<Id>) -> Result<$union> {
                self.0.check_range(t, pos, 1)?;
                Ok($union(self.0.with_space(self.0.space.set_dim_name(t, pos, name))))
            }

            /// The same elements with the tuple on one side replaced by one of the same number of dimensions.
            ///
            /// # Errors
            /// When the numbers of dimensions differ.
            pub fn reset_tuple(&self, t: DimType, tuple: Tuple) -> Result<$union> {
                Ok($union(self.0.with_tuple(t, tuple)?))
            }

            /// The same elements with nested tuples flattened.
            #[must_use]
            pub fn flatten(&self) -> $union {
                $union(self.0.flatten())
            }

            /// Pairs: `[A -> B]` of sets, `[A -> C] -> [B -> D]` of maps `A -> B` and `C -> D`.
            ///
            /// # Errors
            /// When a parameter set takes part.
            pub fn product(&self, other: &$union) -> Result<$union> {
                Ok($union(self.0.product(&other.0)?))
            }

            /// The product with flattened tuples.
            ///
            /// # Errors
            /// As for the product.
            pub fn flat_product(&self, other: &$union) -> Result<$union> {
                Ok($union(self.0.product(&other.0)?.flatten()))
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
