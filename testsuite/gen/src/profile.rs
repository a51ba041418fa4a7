//! What a generated program may hold.

/// Which features a generator uses, and how large programs get.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
pub struct Profile {
    /// Deepest nest of loops.
    pub depth: usize,
    /// Items (loops, guards, statements) in one list.
    pub items: usize,
    /// Statement instances that one input may execute.
    pub instances: u64,
    /// Guards with `mod` and `floordiv`, also in subscripts and bounds.
    pub divisions: bool,
    /// Values carried by loops.
    pub carried: bool,
    /// Values that are computed in an outer loop and used in inner ones.
    pub values: bool,
    /// Private arrays.
    pub private: bool,
    /// Scalars in memory that an iteration writes and then reads. No profile has them by itself.
    pub temporaries: bool,
    /// Subviews and casts.
    pub views: bool,
    /// Vector loads and stores.
    pub vectors: bool,
    /// Arrays of integers, f32 and f16.
    pub types: bool,
    /// Functions of the math dialect.
    pub math: bool,
    /// `affine.parallel`, where iterations are independent by construction.
    pub parallel: bool,
    /// Programs in the scf dialect with arithmetic on indices.
    pub scf: bool,
    /// What no static control part can hold: calls with effects, conditions on data, indirect subscripts.
    pub opaque: bool,
}

impl Profile {
    /// Everything there is.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            depth: 4,
            items: 3,
            instances: 3000,
            divisions: true,
            carried: true,
            values: true,
            private: true,
            temporaries: false,
            views: true,
            vectors: true,
            types: true,
            math: true,
            parallel: true,
            scf: true,
            opaque: true,
        }
    }

    /// Affine loops and statements only: what scheduling works with.
    #[must_use]
    pub fn affine() -> Self {
        Self {
            vectors: false,
            types: false,
            math: false,
            parallel: false,
            scf: false,
            opaque: false,
            views: false,
            ..Self::everything()
        }
    }

    /// The same with few loops and instances, for tests that do much with each program.
    #[must_use]
    pub fn small() -> Self {
        Self {
            depth: 3,
            items: 2,
            instances: 300,
            divisions: false,
            carried: false,
            values: false,
            private: false,
            ..Self::affine()
        }
    }

    /// Programs for random configurations of the scheduler. Reductions over integers may change their order.
    #[must_use]
    pub fn configurations() -> Self {
        Self {
            items: 2,
            instances: 600,
            types: true,
            ..Self::affine()
        }
    }

    /// Programs around a scalar that iterations write and read.
    #[must_use]
    pub fn temporaries() -> Self {
        Self {
            items: 2,
            instances: 300,
            depth: 3,
            temporaries: true,
            divisions: false,
            values: false,
            ..Self::affine()
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::everything()
    }
}
