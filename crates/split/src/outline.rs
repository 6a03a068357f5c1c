//! Writing regions: the call where a region was, and the function that it became.

use std::collections::BTreeMap;

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{BlockType, Function, Instruction, ValType};
use wasmparser::Operator;

use crate::module::{FUNCTION_TABLE, told};
use crate::numbers::Numbers;
use crate::regions::{Exit, Region, Visited};

/// How the first half calls a region's function.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) type_index: u32,
    pub(crate) slot: u32,
}

/// Parameters and results of a region's function: the value of a branch, how it was left, locals.
pub(crate) fn signature(
    region: &Region,
    locals: &[wasmparser::ValType],
) -> (Vec<wasmparser::ValType>, Vec<wasmparser::ValType>) {
    let of = |indexes: &[u32]| indexes.iter().map(|local| locals[*local as usize]).collect::<Vec<_>>();
    let code = region.has_code().then_some(wasmparser::ValType::I32);
    let results = region.value().into_iter().chain(code).chain(of(&region.results));
    (of(&region.params), results.collect())
}

/// A visited function without its regions.
pub(crate) fn visited(
    function: &Visited<'_>,
    params: usize,
    sites: &[Site],
    numbers: &mut Numbers,
    ensure: u32,
) -> Result<Function, String> {
    let mut locals = Vec::new();
    for ty in &function.locals[params..] {
        locals.push(numbers.val_type(*ty).map_err(told)?);
    }
    let mut spare = Spare::default();
    for region in function.regions.iter().filter(|region| chooses(region)) {
        let wanted = [Some(ValType::I32), region.value().map(numeric)];
        for (place, ty) in [&mut spare.code, &mut spare.value].into_iter().zip(wanted) {
            if let Some(ty) = ty
                && !place.iter().any(|(of, _)| *of == ty)
            {
                place.push((ty, (params + locals.len()) as u32));
                locals.push(ty);
            }
        }
    }

    let mut out = Function::new_with_locals_types(locals);
    let mut regions = function.regions.iter().zip(sites).peekable();
    let mut at = 0;
    while at < function.code.len() {
        if let Some((region, site)) = regions.next_if(|(region, _)| region.range.start == at) {
            call(&mut out, region, *site, ensure, &spare);
            at = region.range.end;
        } else {
            out.instruction(&numbers.instruction(function.code[at].op.clone()).map_err(told)?);
            at += 1;
        }
    }
    Ok(out)
}

/// Locals added for what regions give back: the number that tells how one was left, and values by type.
#[derive(Default)]
struct Spare {
    code: Vec<(ValType, u32)>,
    value: Vec<(ValType, u32)>,
}

/// A region's values are of these types alone.
fn numeric(ty: wasmparser::ValType) -> ValType {
    match ty {
        wasmparser::ValType::I64 => ValType::I64,
        wasmparser::ValType::F32 => ValType::F32,
        wasmparser::ValType::F64 => ValType::F64,
        _ => ValType::I32,
    }
}

/// Whether what a region gives back must be kept to choose among exits.
fn chooses(region: &Region) -> bool {
    region.has_code() && (region.exits.len() > 1 || region.value().is_some())
}

fn call(out: &mut Function, region: &Region, site: Site, ensure: u32, spare: &Spare) {
    out.instruction(&Instruction::Call(ensure));
    for local in &region.params {
        out.instruction(&Instruction::LocalGet(*local));
    }
    out.instruction(&Instruction::I32Const(site.slot.cast_signed()));
    out.instruction(&Instruction::CallIndirect {
        type_index: site.type_index,
        table_index: FUNCTION_TABLE,
    });
    for local in region.results.iter().rev() {
        out.instruction(&Instruction::LocalSet(*local));
    }
    match region.exits.as_slice() {
        [] => {}
        [only] if region.diverges => {
            out.instruction(&Instruction::Br(only.label));
        }
        [Exit { label, value: None, .. }] => {
            out.instruction(&Instruction::BrIf(*label));
        }
        exits => choose(out, region, exits, spare),
    }
    if region.diverges {
        out.instruction(&Instruction::Unreachable);
    }
}

/// Branches by the code that was given back.
fn choose(out: &mut Function, region: &Region, exits: &[Exit], spare: &Spare) {
    let kept = |place: &[(ValType, u32)], ty| place.iter().find(|(of, _)| *of == ty).map_or(0, |(_, local)| *local);
    let code = kept(&spare.code, ValType::I32);
    out.instruction(&Instruction::LocalSet(code));
    let Some(value) = region.value() else {
        let labels: Vec<u32> = exits.iter().map(|exit| exit.label + 1).collect();
        let targets: Vec<u32> = std::iter::once(0)
            .chain(labels[..labels.len() - 1].iter().copied())
            .collect();
        out.instruction(&Instruction::Block(BlockType::Empty));
        out.instruction(&Instruction::LocalGet(code));
        out.instruction(&Instruction::BrTable(targets.into(), labels[labels.len() - 1]));
        out.instruction(&Instruction::End);
        return;
    };
    let value = kept(&spare.value, numeric(value));
    out.instruction(&Instruction::LocalSet(value));
    for (number, exit) in (1..).zip(exits) {
        out.instruction(&Instruction::LocalGet(code));
        out.instruction(&Instruction::I32Const(number));
        out.instruction(&Instruction::I32Eq);
        if exit.value.is_some() {
            out.instruction(&Instruction::If(BlockType::Empty));
            out.instruction(&Instruction::LocalGet(value));
            out.instruction(&Instruction::Br(exit.label + 1));
            out.instruction(&Instruction::End);
        } else {
            out.instruction(&Instruction::BrIf(exit.label));
        }
    }
}

/// The function that a region became.
pub(crate) fn region(function: &Visited<'_>, region: &Region, numbers: &mut Numbers) -> Result<Function, String> {
    let mut own = Vec::new();
    for local in &region.own {
        own.push(numbers.val_type(function.locals[*local as usize]).map_err(told)?);
    }
    let places: BTreeMap<u32, u32> = region.params.iter().chain(&region.own).copied().zip(0..).collect();
    let mut out = Function::new_with_locals_types(own);
    // The first exit is innermost.
    for exit in region.exits.iter().rev() {
        let ty = match exit.value {
            Some(ty) => BlockType::Result(numbers.val_type(ty).map_err(told)?),
            None => BlockType::Empty,
        };
        out.instruction(&Instruction::Block(ty));
    }
    let mut nest = 0;
    for instr in &function.code[region.range.clone()] {
        let branch = |depth: u32| match depth.checked_sub(nest) {
            None => Ok(depth),
            Some(label) => match region.exit(label) {
                Some(exit) => Ok(nest + exit as u32),
                None => Err("a branch to nowhere".to_string()),
            },
        };
        let rewritten = match &instr.op {
            Operator::LocalGet { local_index } => Instruction::LocalGet(places[local_index]),
            Operator::LocalSet { local_index } => Instruction::LocalSet(places[local_index]),
            Operator::LocalTee { local_index } => Instruction::LocalTee(places[local_index]),
            Operator::Br { relative_depth } => Instruction::Br(branch(*relative_depth)?),
            Operator::BrIf { relative_depth } => Instruction::BrIf(branch(*relative_depth)?),
            Operator::Return => Instruction::Br(branch(nest + region.function_label)?),
            Operator::BrTable { targets } => {
                let mut labels = Vec::new();
                for target in targets.targets() {
                    labels.push(branch(target.map_err(told)?)?);
                }
                Instruction::BrTable(labels.into(), branch(targets.default())?)
            }
            op => numbers.instruction(op.clone()).map_err(told)?,
        };
        match instr.op {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => nest += 1,
            Operator::End => nest -= 1,
            _ => {}
        }
        out.instruction(&rewritten);
    }
    if !region.diverges {
        give_back(&mut out, region, 0, &places, true);
    }
    for (number, exit) in (1..).zip(&region.exits) {
        out.instruction(&Instruction::End);
        give_back(&mut out, region, number, &places, exit.value.is_none());
    }
    if region.exits.is_empty() && region.diverges {
        out.instruction(&Instruction::Unreachable);
    }
    out.instruction(&Instruction::End);
    Ok(out)
}

/// Leaves the region's function.
fn give_back(out: &mut Function, region: &Region, code: i32, places: &BTreeMap<u32, u32>, needs_value: bool) {
    if needs_value && let Some(ty) = region.value() {
        out.instruction(&match numeric(ty) {
            ValType::I64 => Instruction::I64Const(0),
            ValType::F32 => Instruction::F32Const(0.0_f32.into()),
            ValType::F64 => Instruction::F64Const(0.0_f64.into()),
            _ => Instruction::I32Const(0),
        });
    }
    if region.has_code() {
        out.instruction(&Instruction::I32Const(code));
    }
    for local in &region.results {
        out.instruction(&Instruction::LocalGet(places[local]));
    }
    out.instruction(&Instruction::Return);
}
