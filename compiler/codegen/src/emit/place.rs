//! Placing pure index arithmetic: computed once, outside the loops that don't change it.

use super::core::Emitter;
use super::loops::MAX_INDUCTIONS;
use super::poly::Poly;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{InstBuilder, Value, ValueDef};
use rustc_hash::FxHashMap;

/// An instruction of index arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Add(Value, Value),
    AddImm(Value, i64),
    Mul(Value, Value),
    MulImm(Value, i64),
    Shl(Value, u32),
}

/// Instructions emitted so far whose results can be used again.
pub(super) type Scope = FxHashMap<Node, Value>;

/// Whether a sum is an address, for which the machine adds a scaled register for free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Number,
    Address,
}

impl Emitter<'_, '_> {
    /// Number of loops around the definition of a value.
    pub(super) fn level_of(&self, value: Value) -> u32 {
        let block = match self.code.dfg.value_def(value) {
            ValueDef::Result(inst, _) => self.code.layout.inst_block(inst),
            ValueDef::Param(block, _) => Some(block),
            ValueDef::Union(..) => None,
        };
        block.map_or(self.level(), |b| self.depth_of[b])
    }

    /// The result of `node`: that of an equal one before, or a new one, before the outermost loop that doesn't change its operands.
    pub(super) fn node(&mut self, node: Node) -> Value {
        if let Some(&v) = self.scopes.iter().rev().find_map(|s| s.get(&node)) {
            return v;
        }
        let level = match node {
            Node::Add(a, b) | Node::Mul(a, b) => self.level_of(a).max(self.level_of(b)),
            Node::AddImm(a, _) | Node::MulImm(a, _) | Node::Shl(a, _) => self.level_of(a),
        };
        let (scope, result) = match self.loops.get(level as usize) {
            Some(outer) => {
                let scope = outer.scope;
                let cursor = FuncCursor::new(&mut self.code).at_inst(outer.preheader_jump);
                (scope, build(cursor, node))
            }
            None => (self.scopes.len() - 1, build(self.at(), node)),
        };
        self.scopes[scope].insert(node, result);
        result
    }

    pub(super) fn add_values(&mut self, a: Value, b: Value) -> Value {
        // One order for equal sums. The value that is known earlier comes first, where addressing wants its base.
        self.node(if (self.level_of(b), b) < (self.level_of(a), a) {
            Node::Add(b, a)
        } else {
            Node::Add(a, b)
        })
    }

    pub(super) fn add_constant(&mut self, a: Value, c: i64) -> Value {
        if c == 0 { a } else { self.node(Node::AddImm(a, c)) }
    }

    pub(super) fn mul_values(&mut self, a: Value, b: Value) -> Value {
        self.node(if b < a { Node::Mul(b, a) } else { Node::Mul(a, b) })
    }

    pub(super) fn mul_constant(&mut self, a: Value, c: i64) -> Value {
        match c {
            1 => a,
            c if c > 0 && c.count_ones() == 1 => self.node(Node::Shl(a, c.trailing_zeros())),
            c => self.node(Node::MulImm(a, c)),
        }
    }

    /// The value of a polynomial.
    pub(super) fn sum(&mut self, poly: &Poly) -> Value {
        let (open, c) = poly.clone().split_constant();
        match self.sum_open(&open, Purpose::Number) {
            Some(v) => self.add_constant(v, c),
            None => self.int(c),
        }
    }

    /// The value of a polynomial without constant term; `None` for zero. Summed up from what is known outermost to what changes innermost, so that each
    /// partial sum stands outside of the loops that don't change it.
    pub(super) fn sum_open(&mut self, poly: &Poly, purpose: Purpose) -> Option<Value> {
        let by_level = poly.group(|mono| mono.iter().map(|&v| self.level_of(v)).max().unwrap_or(0));
        let mut sum = None;
        for (level, mut rest) in by_level {
            while rest.as_constant().is_none() {
                let x = self.leading(&rest, level);
                let (factor, others) = rest.split_by(x);
                sum = Some(self.accumulate(sum, x, &factor, level, purpose));
                rest = others;
            }
        }
        sum
    }

    /// The value to treat next: the iterator of the loop at `level` if it occurs, else the one known last.
    fn leading(&self, poly: &Poly, level: u32) -> Value {
        let iterator = (level as usize).checked_sub(1).and_then(|l| self.loops.get(l)).map(|l| l.iterator);
        let mut best: Option<(bool, u32, Value)> = None;
        for (mono, _) in poly.terms() {
            for &v in mono {
                best = best.max(Some((Some(v) == iterator, self.level_of(v), v)));
            }
        }
        // A polynomial that isn't constant has a value in it.
        best.map_or(self.ctx, |(_, _, v)| v)
    }

    /// `sum + x * factor`.
    fn accumulate(&mut self, sum: Option<Value>, x: Value, factor: &Poly, level: u32, purpose: Purpose) -> Value {
        if let Some(base) = sum
            && purpose == Purpose::Address
            && level == self.level()
            && self.loops.last().is_some_and(|l| l.iterator == x)
        {
            return self.step_address(base, x, factor);
        }
        let product = self.product(x, factor);
        match sum {
            Some(sum) => self.add_values(sum, product),
            None => product,
        }
    }

    fn product(&mut self, x: Value, factor: &Poly) -> Value {
        match factor.as_constant() {
            Some(c) => self.mul_constant(x, c),
            None => {
                let factor = self.sum(factor);
                self.mul_values(x, factor)
            }
        }
    }

    /// `base + x * factor` where `x` is the iterator of the loop around: by an addressing mode, or in an innermost loop by a pointer that moves along.
    fn step_address(&mut self, base: Value, x: Value, factor: &Poly) -> Value {
        let scale = factor.as_constant();
        let addressable = matches!(scale, Some(1 | 2 | 4 | 8));
        let fixed = factor.terms().all(|(m, _)| m.iter().all(|&v| self.level_of(v) < self.level()));
        let invariant = fixed && self.level_of(base) < self.level();
        let room = self
            .loops
            .last()
            .is_some_and(|l| l.innermost && l.inductions.len() < MAX_INDUCTIONS);
        if addressable || !invariant || !room {
            let product = self.product(x, factor);
            return self.add_values(base, product);
        }
        self.induction(base, factor)
    }
}

fn build(mut cursor: FuncCursor<'_>, node: Node) -> Value {
    match node {
        Node::Add(a, b) => cursor.ins().iadd(a, b),
        Node::AddImm(a, c) => cursor.ins().iadd_imm_s(a, c),
        Node::Mul(a, b) => cursor.ins().imul(a, b),
        Node::MulImm(a, c) => cursor.ins().imul_imm_s(a, c),
        Node::Shl(a, n) => cursor.ins().ishl_imm_u(a, i64::from(n)),
    }
}
