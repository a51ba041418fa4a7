//! Multiply-adds that overwrite their sum.
//!
//! x86 has three forms of a multiply-add, which differ in the operand that the result overwrites. Cranelift only knows the two that overwrite a factor. In a loop that sums up products this costs
//! a copy of a factor and a copy of the sum for each of them. So the sum and a factor change places before instructions are selected, which makes Cranelift allocate the registers as if the
//! result overwrote the sum, and in the machine code the instruction gets the form that does: its encoding differs in one byte. Each multiply-add is found again by its source location, and
//! if one isn't, or isn't what it should be, the unit is compiled without this.

use super::order::Uses;
use cranelift_codegen::CompiledCode;
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Function, Inst, Opcode, SourceLoc, Type, Value, ValueDef, types};
use cranelift_codegen::isa::TargetIsa;

/// What was done to a multiply-add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing.
    Kept,
    /// Its sum and a factor changed places.
    Swapped,
    /// The same, and that factor is negated.
    SwappedNegated,
}

/// The multiply-adds of a unit, by number.
pub(super) struct MultiplyAdds {
    forms: Vec<Form>,
    /// Source location of the first; the others follow by number.
    first: u32,
}

/// Whether the machine has multiply-adds in x86's forms.
pub(super) fn is_supported(isa: &dyn TargetIsa) -> bool {
    let is_x86 = isa.name() == "x64";
    is_x86 && isa.isa_flags().iter().any(|f| f.name == "has_fma" && f.as_bool() == Some(true))
}

/// Swaps the operands of the multiply-adds that are to overwrite their sum, and numbers all by their source locations. Nothing but instruction selection may follow.
pub(super) fn swap(code: &mut Function) -> MultiplyAdds {
    let uses = Uses::of(code);
    // Locations are kept as distances from the first one that was ever set, with one distance for none: numbers that count up from there can't meet it.
    let base = code.params.ensure_base_srcloc(SourceLoc::new(0));
    let first = base.bits();
    let mut forms = Vec::new();
    if base.is_default() {
        // That was no location at all: there are no distances from it.
        return MultiplyAdds { forms, first };
    }
    code.srclocs.clear();
    let blocks: Vec<Block> = code.layout.blocks().collect();
    for block in blocks {
        let insts: Vec<Inst> = code.layout.block_insts(block).collect();
        if !insts.iter().any(|&i| is_multiply_add(code, i)) {
            continue;
        }
        let mut last_use: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        for (n, &inst) in insts.iter().enumerate() {
            for value in code.dfg.inst_values(inst) {
                last_use[value] = Some(n);
            }
        }
        for (n, &inst) in insts.iter().enumerate() {
            if is_multiply_add(code, inst) {
                let dies = |code: &Function, v: Value| last_use[v] == Some(n) && uses.dies(code, v, block);
                let number = u32::try_from(forms.len()).unwrap_or(u32::MAX);
                forms.push(swap_one(code, inst, dies));
                code.set_srcloc(inst, SourceLoc::new(first.wrapping_add(number)));
            }
        }
    }
    MultiplyAdds { forms, first }
}

fn is_multiply_add(code: &Function, inst: Inst) -> bool {
    code.dfg.insts[inst].opcode() == Opcode::Fma
}

fn swap_one(code: &mut Function, inst: Inst, dies: impl Fn(&Function, Value) -> bool) -> Form {
    let &[x, y, z] = code.dfg.inst_args(inst) else { return Form::Kept };
    if !is_native(code.dfg.value_type(z)) {
        return Form::Kept;
    }
    if !dies(code, z) {
        // It is copied in any case. A factor that isn't needed any more is overwritten, if there is one: that is the first one.
        if dies(code, y) && !dies(code, x) {
            code.dfg.inst_args_mut(inst).swap(0, 1);
        }
        return Form::Kept;
    }
    let is = |code: &Function, v: Value, test: fn(Opcode) -> bool| match code.dfg.value_def(v) {
        ValueDef::Result(def, _) => test(code.dfg.insts[def].opcode()),
        ValueDef::Param(..) | ValueDef::Union(..) => false,
    };
    // A sum that is loaded can be an operand in memory, and a negation of the sum part of the instruction: both in its last place only.
    let negation = |op| op == Opcode::Fneg;
    if is(code, z, Opcode::can_load) || is(code, z, negation) {
        return Form::Kept;
    }
    let (operands, form) = match (is(code, x, negation), is(code, y, negation)) {
        (false, false) => ([z, y, x], Form::Swapped),
        (true, false) => ([z, y, x], Form::SwappedNegated),
        (false, true) => ([z, x, y], Form::SwappedNegated),
        (true, true) => return Form::Kept,
    };
    code.dfg.inst_args_mut(inst).copy_from_slice(&operands);
    form
}

fn is_native(ty: Type) -> bool {
    [types::F32, types::F64, types::F32X4, types::F64X2].contains(&ty)
}

impl MultiplyAdds {
    /// The unit's machine code, in which swapped multiply-adds have the form that overwrites the sum. An error if one isn't found.
    pub(super) fn finish(&self, code: &CompiledCode) -> Result<Vec<u8>, String> {
        let mut bytes = code.code_buffer().to_vec();
        for (n, start) in self.places(code)? {
            let place = bytes.get_mut(start..start + 4);
            match (self.forms[n], place) {
                (Form::Kept, _) => {}
                (form, Some(place)) => overwrite_sum(place, form)?,
                (_, None) => return Err(format!("no multiply-add at byte {start}")),
            }
        }
        Ok(bytes)
    }

    /// Number and first byte of each multiply-add, in the order of the code.
    fn places(&self, code: &CompiledCode) -> Result<Vec<(usize, usize)>, String> {
        let mut places = Vec::new();
        let mut found = vec![false; self.forms.len()];
        for range in code.buffer.get_srclocs_sorted() {
            if range.loc.is_default() {
                continue;
            }
            let n = range.loc.bits().wrapping_sub(self.first) as usize;
            match found.get_mut(n) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(format!("multiply-add {n} has more than one instruction")),
            }
            places.push((n, range.start as usize));
        }
        match found.iter().position(|&f| !f) {
            Some(n) => Err(format!("multiply-add {n} has no instruction")),
            None => Ok(places),
        }
    }

    /// The listing of the unit's code, in which swapped multiply-adds are called what [`Self::finish`] makes them.
    pub(super) fn rename(&self, listing: &str, code: &CompiledCode) -> Result<String, String> {
        let mut order = self.places(code)?.into_iter();
        let mut text = String::with_capacity(listing.len());
        for line in listing.lines() {
            let name = line.split_whitespace().next().unwrap_or_default();
            let is_one = ["vfmadd", "vfnmadd", "vfmsub", "vfnmsub"].iter().any(|p| name.starts_with(p));
            let form = if is_one { order.next().map(|(n, _)| self.forms[n]) } else { None };
            let kind: String = name.chars().skip_while(|c| !c.is_ascii_digit()).skip(3).collect();
            match form {
                Some(Form::Swapped) => text.push_str(&line.replacen(name, &format!("vfmadd231{kind}"), 1)),
                Some(Form::SwappedNegated) => text.push_str(&line.replacen(name, &format!("vfnmadd231{kind}"), 1)),
                Some(Form::Kept) | None => text.push_str(line),
            }
            text.push('\n');
        }
        Ok(text)
    }
}

/// Gives the instruction, whose bytes begin with `code`, the form that overwrites the sum. It has the prefix of three bytes for the second opcode table, and an opcode whose high half is the form:
/// 9 and A where a factor is overwritten, B where the sum is.
fn overwrite_sum(code: &mut [u8], form: Form) -> Result<(), String> {
    let &mut [prefix, table, operands, ref mut opcode] = code else {
        return Err("an instruction that is too short".into());
    };
    let is_one = prefix == 0xC4 && table & 0x1F == 2 && operands & 3 == 1 && matches!(*opcode >> 4, 0x9 | 0xA);
    // The low half tells the operation; its last bit, whether it is of scalars.
    *opcode = match (form, *opcode & 0xF) {
        (Form::Swapped, low @ (0x8 | 0x9)) if is_one => 0xB0 | low,
        (Form::SwappedNegated, low @ (0xA | 0xB)) if is_one => 0xB0 | (low + 2),
        (_, _) => return Err(format!("opcode {opcode:#x} for a multiply-add")),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Form, is_supported, overwrite_sum, swap};
    use cranelift_codegen::Context;
    use cranelift_codegen::control::ControlPlane;
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, Signature, SourceLoc, UserFuncName, types};
    use cranelift_codegen::isa::{CallConv, TargetIsa};
    use cranelift_codegen::settings;

    /// x + y * z, then that + y * z, and so on, `count` times; the source's locations start with `line`.
    fn chain(count: usize, line: Option<u32>) -> Function {
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params = vec![AbiParam::new(types::F64); 3];
        signature.returns = vec![AbiParam::new(types::F64)];
        let mut code = Function::with_name_signature(UserFuncName::default(), signature);
        let block = code.dfg.make_block();
        code.layout.append_block(block);
        let params: Vec<_> = (0..3).map(|_| code.dfg.append_block_param(block, types::F64)).collect();
        let location = line.map_or(SourceLoc::default(), SourceLoc::new);
        let mut cursor = FuncCursor::new(&mut code).at_bottom(block).with_srcloc(location);
        let mut sum = params[0];
        for _ in 0..count {
            sum = cursor.ins().fma(params[1], params[2], sum);
        }
        cursor.ins().return_(&[sum]);
        code
    }

    #[test]
    fn multiply_adds_are_found_whatever_the_lines_of_the_source() {
        let isa = cranelift_native::builder().map(|b| b.finish(settings::Flags::new(settings::builder())));
        let Ok(Ok(isa)) = isa else {
            panic!("Cranelift doesn't support this machine")
        };
        let isa: &dyn TargetIsa = &*isa;
        if !is_supported(isa) {
            return;
        }
        for line in (0..12).chain([100, 1 << 30, u32::MAX - 20]).map(Some).chain([None]) {
            let mut context = Context::for_function(chain(8, line));
            let them = swap(&mut context.func);
            assert!(context.compile(isa, &mut ControlPlane::default()).is_ok());
            let Some(code) = context.take_compiled_code() else {
                panic!("no code")
            };
            let Ok(bytes) = them.finish(&code) else { panic!("line {line:?}") };
            let changed = bytes.iter().zip(code.code_buffer()).filter(|(a, b)| a != b).count();
            assert_eq!(changed, if line.is_some() { 8 } else { 0 }, "line {line:?}");
        }
    }

    #[test]
    fn forms_have_the_opcodes_of_the_manual() {
        for (form, before, after) in [
            (Form::Swapped, 0x98, 0xB8),
            (Form::Swapped, 0x99, 0xB9),
            (Form::Swapped, 0xA8, 0xB8),
            (Form::Swapped, 0xA9, 0xB9),
            (Form::SwappedNegated, 0x9A, 0xBC),
            (Form::SwappedNegated, 0x9B, 0xBD),
            (Form::SwappedNegated, 0xAA, 0xBC),
            (Form::SwappedNegated, 0xAB, 0xBD),
        ] {
            let mut code = [0xC4, 0xE2, 0xF1, before];
            assert_eq!(overwrite_sum(&mut code, form), Ok(()));
            assert_eq!(code, [0xC4, 0xE2, 0xF1, after]);
        }
    }

    #[test]
    fn other_instructions_are_refused() {
        // Another prefix, opcode table or operand size; another operation; the form that is there already; too short.
        for code in [
            &mut [0xC5, 0xE2, 0xF1, 0xA8][..],
            &mut [0xC4, 0xE1, 0xF1, 0xA8],
            &mut [0xC4, 0xE2, 0xF0, 0xA8],
            &mut [0xC4, 0xE2, 0xF1, 0xAA],
            &mut [0xC4, 0xE2, 0xF1, 0xAC],
            &mut [0xC4, 0xE2, 0xF1, 0xB8],
            &mut [0xC4, 0xE2, 0xF1],
        ] {
            assert!(overwrite_sum(code, Form::Swapped).is_err());
        }
    }
}
