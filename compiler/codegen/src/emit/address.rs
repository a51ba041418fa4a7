//! Addresses of elements.

use super::core::{Emit, Emitter};
use super::place::Purpose;
use super::poly::Poly;
use super::value::{Bundle, Num};
use cranelift_codegen::ir::Value;

/// An address: register and displacement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    pub(super) base: Value,
    pub(super) disp: i32,
}

/// Displacements that still leave room to reach the parts of a vector.
const MAX_DISP: i64 = 1 << 30;

impl Emitter<'_, '_> {
    pub(super) fn num_poly(num: Num) -> Poly {
        match num {
            Num::Const(c) => Poly::constant(c),
            Num::Val(v) => Poly::value(v),
        }
    }

    /// `a * b`, with factors computed first where the product would get too large.
    pub(super) fn mul_polys(&mut self, a: &Poly, b: &Poly) -> Poly {
        if let Some(p) = a.mul(b) {
            return p;
        }
        let (a, b) = (self.sum(a), self.sum(b));
        Poly::value(self.mul_values(a, b))
    }

    /// The address in bytes of the element with these subscripts.
    pub(super) fn address_poly(&mut self, memref: &Bundle, subscripts: &[Poly]) -> Poly {
        let bytes = i64::try_from(memref.elem.bytes()).unwrap_or(8);
        let mut address = Poly::value(memref.data).add(&Self::num_poly(memref.offset).scale(bytes));
        for (sub, &stride) in subscripts.iter().zip(&memref.strides) {
            let stride = Self::num_poly(stride).scale(bytes);
            address = address.add(&self.mul_polys(sub, &stride));
            if !address.is_small() {
                address = Poly::value(self.sum(&address));
            }
        }
        address
    }

    /// Register and displacement for an address.
    pub(super) fn address(&mut self, poly: &Poly) -> Emit<Address> {
        let (open, c) = poly.clone().split_constant();
        let base = match self.sum_open(&open, Purpose::Address) {
            Some(base) => base,
            None => return Err(self.malformed("an address without base")),
        };
        match i32::try_from(c) {
            Ok(disp) if c.abs() < MAX_DISP => Ok(Address { base, disp }),
            _ => Ok(Address {
                base: self.add_constant(base, c),
                disp: 0,
            }),
        }
    }
}
