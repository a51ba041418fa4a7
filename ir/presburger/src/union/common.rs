//! What unions of sets and unions of maps have in common, written once.

/// The methods that both union types share; `$members` is the accessor's name.
macro_rules! union_common {
    ($union:ident, $member:ident, $members:ident, $from:ident, $extract:ident) => {
        impl $union {
            /// No elements. Only the parameters of `space` matter.
            pub fn empty(space: &Space) -> $union {
                $union {
                    params: space.to_params(),
                    members: Vec::new(),
                }
            }

            /// One member.
            pub fn $from(member: &$member) -> $union {
                let mut union = $union::empty(member.space());
                union.push(member.clone());
                union
            }

            /// The union of members of any spaces.
            ///
            /// # Errors
            /// Never for valid members.
            pub fn from_members<'a>(members: impl IntoIterator<Item = &'a $member>) -> Result<$union> {
                let mut union = $union::empty(&Space::params_only([]));
                for m in members {
                    union = union.union(&$union::$from(m))?;
                }
                Ok(union)
            }

            /// Adds a member with the union's parameters, of a space that has none yet.
            fn push(&mut self, member: $member) {
                debug_assert!(member.space().same_params(&self.params));
                if !member.plain_is_empty() {
                    self.members.push(member);
                }
            }

            /// Adds a member with the union's parameters to the one of its space.
            fn merge(&mut self, member: $member) -> Result<()> {
                match self.members.iter_mut().find(|m| m.space().same_tuples(member.space())) {
                    Some(m) => *m = m.union(&member)?,
                    None => self.push(member),
                }
                Ok(())
            }

            /// The union of members that may have more parameters than `params`.
            fn collect(params: &Space, members: Vec<$member>) -> Result<$union> {
                let params = members
                    .iter()
                    .fold(params.to_params(), |p, m| m.space().to_params().align_params(&p));
                let mut out = $union::empty(&params);
                for m in members {
                    out.merge(m.align_params(&params))?;
                }
                Ok(out)
            }

            /// The members, one for each space.
            pub fn $members(&self) -> &[$member] {
                &self.members
            }

            /// The number of members.
            #[expect(
                clippy::len_without_is_empty,
                reason = "emptiness is a question about elements and takes a budget"
            )]
            pub fn len(&self) -> usize {
                self.members.len()
            }

            /// Are there visibly no elements?
            pub fn plain_is_empty(&self) -> bool {
                self.members.is_empty()
            }

            /// The space of the parameters.
            pub fn params_space(&self) -> &Space {
                &self.params
            }

            /// The member with the tuples of `space`, empty when there is none.
            #[must_use]
            pub fn $extract(&self, space: &Space) -> $member {
                match self.find(space) {
                    Some(m) => m.clone(),
                    None => $member::empty(&space.align_params(&self.params)),
                }
            }

            /// The member with the tuples of `space`, if any.
            pub fn find(&self, space: &Space) -> Option<&$member> {
                self.members.iter().find(|m| m.space().same_tuples(space))
            }

            /// The same elements with the parameters of `space` first.
            #[must_use]
            pub fn align_params(&self, space: &Space) -> $union {
                let params = self.params.align_params(space);
                let members = self.members.iter().map(|m| m.align_params(&params)).collect();
                $union { params, members }
            }

            /// Both with the same parameters.
            fn aligned(&self, other: &$union) -> ($union, $union) {
                let a = self.align_params(&other.params.align_params(&self.params));
                let b = other.align_params(&a.params);
                (a, b)
            }

            /// Changes each member; the spaces may change.
            fn each(&self, f: impl Fn(&$member) -> Result<$member>) -> Result<$union> {
                let members = self.members.iter().map(f).collect::<Result<Vec<_>>>()?;
                $union::collect(&self.params, members)
            }

            /// Combines the members of common spaces.
            fn common(&self, other: &$union, f: impl Fn(&$member, &$member) -> Result<$member>) -> Result<$union> {
                let (a, b) = self.aligned(other);
                let mut out = $union::empty(&a.params);
                for x in &a.members {
                    if let Some(y) = b.find(x.space()) {
                        out.push(f(x, y)?);
                    }
                }
                Ok(out)
            }

            /// The elements of either.
            ///
            /// # Errors
            /// Never for valid unions.
            pub fn union(&self, other: &$union) -> Result<$union> {
                let (mut a, b) = self.aligned(other);
                for m in b.members {
                    a.merge(m)?;
                }
                Ok(a)
            }

            /// The elements of both.
            ///
            /// # Errors
            /// Never for valid unions.
            pub fn intersect(&self, other: &$union) -> Result<$union> {
                self.common(other, |x, y| x.intersect(y))
            }

            /// The elements that aren't in the other.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn subtract(&self, other: &$union, b: &Budget) -> Result<$union> {
                let (x, y) = self.aligned(other);
                let mut out = $union::empty(&x.params);
                for m in &x.members {
                    out.push(match y.find(m.space()) {
                        Some(n) => m.subtract(n, b)?,
                        None => m.clone(),
                    });
                }
                Ok(out)
            }

            /// The elements at parameter values of a set.
            ///
            /// # Errors
            /// When the set isn't one of parameters.
            pub fn intersect_params(&self, params: &Set) -> Result<$union> {
                self.each(|m| m.intersect_params(params))
            }

            /// The parameter values for which there are elements.
            ///
            /// # Errors
            /// Never for valid unions.
            pub fn params(&self) -> Result<Set> {
                let mut set = Set::empty(&self.params);
                for m in &self.members {
                    set = set.union(&m.params())?;
                }
                Ok(set)
            }

            /// Are there no elements?
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn is_empty(&self, b: &Budget) -> Result<bool> {
                for m in &self.members {
                    if !m.is_empty(b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// The same elements without members that have none.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn remove_empty(&self, b: &Budget) -> Result<$union> {
                let mut out = $union::empty(&self.params);
                for m in &self.members {
                    if !m.is_empty(b)? {
                        out.push(m.clone());
                    }
                }
                Ok(out)
            }

            /// Are all elements in the other?
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn is_subset(&self, other: &$union, b: &Budget) -> Result<bool> {
                for m in &self.members {
                    let inside = match other.find(m.space()) {
                        Some(n) => m.is_subset(n, b)?,
                        None => m.is_empty(b)?,
                    };
                    if !inside {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// Are all elements in the other, which has more?
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn is_strict_subset(&self, other: &$union, b: &Budget) -> Result<bool> {
                Ok(self.is_subset(other, b)? && !other.is_subset(self, b)?)
            }

            /// Are the elements the same?
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn is_equal(&self, other: &$union, b: &Budget) -> Result<bool> {
                Ok(self.is_subset(other, b)? && other.is_subset(self, b)?)
            }

            /// Have they no element in common?
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn is_disjoint(&self, other: &$union, b: &Budget) -> Result<bool> {
                self.intersect(other)?.is_empty(b)
            }

            /// All elements of the spaces of the members.
            #[must_use]
            pub fn universe(&self) -> $union {
                let members = self.members.iter().map(|m| $member::universe(m.space())).collect();
                $union {
                    params: self.params.clone(),
                    members,
                }
            }

            /// The elements without some parameters, for any values of these.
            ///
            /// # Errors
            /// When there are no such parameters or the budget is used up.
            pub fn project_out_params(&self, first: usize, n: usize, b: &Budget) -> Result<$union> {
                let params = Set::universe(&self.params).project_out(DimType::Param, first, n, b)?;
                let members = self
                    .members
                    .iter()
                    .map(|m| m.project_out(DimType::Param, first, n, b))
                    .collect::<Result<_>>()?;
                $union::collect(params.space(), members)
            }
        }

        impl From<$member> for $union {
            fn from(member: $member) -> $union {
                $union::$from(&member)
            }
        }
    };
}

pub(super) use union_common;
