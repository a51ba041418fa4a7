//! Operations of both union types that search: optima and simplification, member by member.

/// The methods that both union types share.
macro_rules! union_search {
    ($union:ident) => {
        impl $union {
            /// The lexicographically least element of each member, for each value of what comes before.
            ///
            /// # Errors
            /// When a member is unbounded below or the budget is used up.
            pub fn lexmin(&self, b: &Budget) -> Result<$union> {
                self.each(|m| m.lexmin(b))
            }

            /// The lexicographically greatest element of each member, for each value of what comes before.
            ///
            /// # Errors
            /// When a member is unbounded above or the budget is used up.
            pub fn lexmax(&self, b: &Budget) -> Result<$union> {
                self.each(|m| m.lexmax(b))
            }

            /// The same elements in fewer pieces, where that is easily found.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn coalesce(&self, b: &Budget) -> Result<$union> {
                self.each(|m| m.coalesce(b))
            }

            /// A simpler union with the same elements among those of `context`. Members without partner in the context go.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn gist(&self, context: &$union, b: &Budget) -> Result<$union> {
                self.common(context, |x, y| x.gist(y, b))
            }

            /// A simpler union with the same elements at parameter values of `context`.
            ///
            /// # Errors
            /// When the set isn't one of parameters, or the budget is used up.
            pub fn gist_params(&self, context: &Set, b: &Budget) -> Result<$union> {
                self.each(|m| m.gist_params(context, b))
            }

            /// One conjunction for each member that contains it.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn simple_hull(&self, b: &Budget) -> Result<$union> {
                self.each(|m| Ok(m.simple_hull(b)?.to_union()))
            }

            /// The members with as many local variables made known divisions as possible.
            ///
            /// # Errors
            /// When the budget is used up.
            pub fn compute_divs(&self, b: &Budget) -> Result<$union> {
                self.each(|m| m.compute_divs(b))
            }
        }
    };
}

pub(super) use union_search;
