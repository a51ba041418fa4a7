//! A generated program with its inputs.

use crate::evaluate::{Range, count, evaluate};
use crate::model::{Item, Model, Place, Through};
use crate::{Profile, Stats, bytes_from_seed, chance, choose, emit};
use arbitrary::{Result, Unstructured};
use tilia_abi::{Buffer, FloatFormat, MemRefValue, Value};
use tilia_program::{AffineExpr, ScalarType};

/// Bytes of choices for one program.
const CHOICES: usize = 1 << 14;

/// Programs chosen before an idle one is accepted.
const ATTEMPTS: usize = 5;

/// A program with inputs.
#[derive(Debug, Clone)]
pub struct Case {
    /// The module's text.
    pub mlir: String,
    /// The function to call.
    pub entry: &'static str,
    /// What to call it with: each stays inside the arrays.
    pub inputs: Vec<Input>,
    /// What the case holds.
    pub stats: Stats,
}

/// Arguments by their shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Values of the index arguments, which come first.
    pub params: Vec<i64>,
    /// Element type and shape of the memref arguments, which follow.
    pub arrays: Vec<(ScalarType, Vec<i64>)>,
}

/// Shapes of all arrays: what is added to subscripts, and extents by input.
#[derive(Debug, Clone)]
pub(crate) struct Shapes {
    /// By array and dimension.
    pub(crate) shift: Vec<Vec<i64>>,
    /// By array, input and dimension: extents that accesses need.
    pub(crate) extents: Vec<Vec<Vec<i64>>>,
}

impl Case {
    /// The program that follows from a seed.
    #[must_use]
    pub fn from_seed(seed: u64, profile: &Profile) -> Self {
        let bytes = bytes_from_seed(seed, CHOICES);
        // Choices never fail on account of the bytes: what is missing counts as zeros.
        Self::arbitrary(&mut Unstructured::new(&bytes), profile).unwrap_or_else(|_| Self::empty())
    }

    fn empty() -> Self {
        Self {
            mlir: "func.func @kernel() {\n  return\n}\n".to_owned(),
            entry: "kernel",
            inputs: vec![Input {
                params: vec![],
                arrays: vec![],
            }],
            stats: Stats::default(),
        }
    }

    /// The program that follows from arbitrary bytes, such as a fuzzer's.
    ///
    /// # Errors
    /// As the bytes' own: none in practice.
    pub fn arbitrary(u: &mut Unstructured<'_>, profile: &Profile) -> Result<Self> {
        let mut attempt = Self::attempt(u, profile)?;
        // Most idle programs are thrown away; some stay, for idle programs must work, too.
        for _ in 1..ATTEMPTS {
            if !idle(&attempt.stats) || chance(u, 10)? {
                break;
            }
            attempt = Self::attempt(u, profile)?;
        }
        Ok(attempt)
    }

    fn attempt(u: &mut Unstructured<'_>, profile: &Profile) -> Result<Self> {
        let mut model = choose::model(u, profile)?;
        let inputs = model.params.first().map_or(1, Vec::len);
        let (ranges, mut stats) = evaluate_all(&mut model, inputs, profile.instances);
        count(&model, &mut stats);
        let shapes = shapes(&model, &ranges, inputs);
        let all = (0..inputs).map(|n| input(&model, &shapes, n)).collect();
        Ok(Self {
            mlir: emit::text(&model, &shapes),
            entry: "kernel",
            inputs: all,
            stats,
        })
    }

    /// Arguments for an input: fresh arrays whose contents follow from their place.
    ///
    /// # Panics
    /// When memory is short.
    #[must_use]
    pub fn arguments(&self, input: &Input) -> Vec<Value> {
        let params = input.params.iter().map(|&v| Value::Int(v));
        let arrays = input
            .arrays
            .iter()
            .enumerate()
            .map(|(n, (elem, shape))| Value::MemRef(array(n, *elem, shape)));
        params.chain(arrays).collect()
    }
}

/// Whether so little happens that tests would learn nothing.
fn idle(stats: &Stats) -> bool {
    stats.statements < 2 || stats.instances < 20 || stats.dependences == 0
}

/// An array with contents that hold few repetitions and, as floats, don't add up exactly.
fn array(n: usize, elem: ScalarType, shape: &[i64]) -> MemRefValue {
    let strides = MemRefValue::row_major(shape).expect("shapes of cases are small");
    let count: i64 = shape.iter().product();
    let mut bytes = Vec::new();
    let width = usize::try_from(elem.bytes()).unwrap_or(8);
    for k in 0..count {
        let number = (k * 7 + i64::try_from(n).unwrap_or(0) * 5) % 23 - 8;
        let word = match FloatFormat::of(elem) {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            Some(format) => format.from_f64(number as f64 * 0.37 + 0.1),
            None => number.cast_unsigned(),
        };
        bytes.extend(&word.to_le_bytes()[..width]);
    }
    MemRefValue {
        buffer: Buffer::from_bytes(&bytes).expect("memory for a small array"),
        elem,
        offset: 0,
        sizes: shape.to_vec(),
        strides,
    }
}

/// Ranges of all inputs; shortens loops until the instances fit the limit.
fn evaluate_all(model: &mut Model, inputs: usize, limit: u64) -> (Vec<Vec<Option<Range>>>, Stats) {
    for trips in [i64::MAX, 6, 4, 3, 2, 1, 0] {
        if trips < i64::MAX {
            shorten(&mut model.body, trips);
        }
        let mut stats = Stats::default();
        let all: std::result::Result<Vec<_>, _> = (0..inputs)
            .map(|n| evaluate(model, n, limit, &mut stats).map(|t| t.ranges))
            .collect();
        if let Ok(ranges) = all {
            return (ranges, stats);
        }
    }
    // Without any iteration only the top level is left: far below every limit.
    model.body.clear();
    (vec![vec![None; model.arrays.len()]; inputs], Stats::default())
}

/// Gives every loop an upper bound that far above its first lower bound.
fn shorten(items: &mut [Item], trips: i64) {
    for item in items {
        if let Item::Loop(l) = item {
            let first = l.lower[0].clone();
            let bound = AffineExpr::add(first, AffineExpr::Const(trips.saturating_mul(l.step)));
            // A second call replaces the first's bound.
            if l.parallel {
                l.upper = vec![bound];
            } else {
                l.upper.truncate(2);
                l.upper.push(bound);
            }
        }
        for list in item.children_mut() {
            shorten(list, trips);
        }
    }
}

fn shapes(model: &Model, ranges: &[Vec<Option<Range>>], inputs: usize) -> Shapes {
    let mut shapes = Shapes {
        shift: Vec::new(),
        extents: Vec::new(),
    };
    for (a, array) in model.arrays.iter().enumerate() {
        let of = |input: usize, d: usize| ranges[input][a].as_ref().map(|r| r[d]);
        let lowest = |d: usize| (0..inputs).filter_map(|n| of(n, d)).map(|r| r.0).min().unwrap_or(0);
        let shift: Vec<i64> = (0..array.rank()).map(|d| -lowest(d)).collect();
        let needed = |n: usize, d: usize| of(n, d).map_or(1, |r| r.1 + shift[d] + 1);
        let extents = (0..inputs).map(|n| {
            let extent = |d: usize| {
                let most = if array.dynamic[d] {
                    needed(n, d)
                } else {
                    (0..inputs).map(|n| needed(n, d)).max().unwrap_or(1)
                };
                match array.through {
                    // The slack of a view is the base's.
                    Through::SubView(_) => most,
                    _ => most + array.slack[d],
                }
            };
            (0..array.rank()).map(extent).collect()
        });
        shapes.extents.push(extents.collect());
        shapes.shift.push(shift);
    }
    shapes
}

/// Extents of the array that the accessed view is made of.
pub(crate) fn base_extents(array: &crate::model::Array, extents: &[i64]) -> Vec<i64> {
    match &array.through {
        Through::SubView(dims) => {
            let reach = |((&d, &(offset, stride)), slack): ((&i64, &(i64, i64)), &i64)| offset + (d - 1) * stride + 1 + slack;
            extents.iter().zip(dims).zip(&array.slack).map(reach).collect()
        }
        _ => extents.to_vec(),
    }
}

fn input(model: &Model, shapes: &Shapes, n: usize) -> Input {
    let arguments = model.arrays.iter().enumerate().filter(|(_, a)| a.place == Place::Argument);
    Input {
        params: model.params.iter().map(|p| p[n]).collect(),
        arrays: arguments.map(|(k, a)| (a.elem, base_extents(a, &shapes.extents[k][n]))).collect(),
    }
}
