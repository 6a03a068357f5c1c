//! Code within a visited function that did not run: regions that can move out.
//!
//! A region is a run of instructions within one block, entered at its start alone, that takes nothing
//! from the operand stack and leaves nothing there. It becomes a function of the rest: the locals that
//! it uses are parameters, those that others read afterwards are results, and a branch out of it is a
//! number among the results, by which the place that it left branches on.
//!
//! ```text
//! block                              block
//!   visited                            visited
//!   br_if 0                            br_if 0
//!   cold: reads $a, sets $b   ──►      (local.set $b)(call region $a $b) ; gives code, $b
//!         br 1 somewhere               br_if 1 if the code says so
//! end                                end
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use wasmparser::{BlockType, FuncType, FuncValidator, FunctionBody, Operator, ValType, WasmModuleResources};

use crate::instrument::ends_segment;
use crate::liveness::Liveness;
use crate::module::told;

/// An instruction and what is known about it.
pub(crate) struct Instr<'a> {
    pub(crate) op: Operator<'a>,
    /// Its length.
    bytes: u64,
    /// It did not run.
    cold: bool,
    /// Operands before it, after it, and as few as it leaves of those before.
    before: u32,
    after: u32,
    low: u32,
    /// Control does not come past it.
    diverges: bool,
    /// Of a block, loop, `if` or `else`: its `end`.
    pub(crate) end: usize,
    /// Of an `if`: its `else`.
    pub(crate) arm: Option<usize>,
}

/// A visited function, taken apart.
pub(crate) struct Visited<'a> {
    pub(crate) code: Vec<Instr<'a>>,
    /// Types of its parameters and locals.
    pub(crate) locals: Vec<ValType>,
    /// In order, none within another.
    pub(crate) regions: Vec<Region>,
}

/// A place outside that a region branches to.
pub(crate) struct Exit {
    /// The label, as a branch right behind the region would name it.
    pub(crate) label: u32,
    /// What goes with the branch.
    pub(crate) value: Option<ValType>,
    /// The place that it names.
    to: usize,
}

/// See the module.
pub(crate) struct Region {
    pub(crate) range: Range<usize>,
    /// Locals of the function, that the region's function takes first, in this order.
    pub(crate) params: Vec<u32>,
    /// Locals that nobody else needs.
    pub(crate) own: Vec<u32>,
    /// Locals that are read elsewhere and set here.
    pub(crate) results: Vec<u32>,
    pub(crate) exits: Vec<Exit>,
    /// Control never comes past its end.
    pub(crate) diverges: bool,
    /// The label of the function itself, as a branch right behind the region would name it.
    pub(crate) function_label: u32,
}

impl Region {
    /// The type of the one value that goes with branches.
    pub(crate) fn value(&self) -> Option<ValType> {
        self.exits.iter().find_map(|exit| exit.value)
    }
    /// Whether a number must tell how it was left.
    pub(crate) fn has_code(&self) -> bool {
        self.exits.len() + usize::from(!self.diverges) > 1
    }
    /// The number of an exit; 0 is the region's end.
    pub(crate) fn exit(&self, label: u32) -> Option<usize> {
        self.exits.iter().position(|exit| exit.label == label)
    }
}

/// What a call of the region's function costs where the region was, about, in bytes.
const CALL: u64 = 8;

/// An order of types; any will do.
fn rank(ty: ValType) -> u8 {
    match ty {
        ValType::I32 => 0,
        ValType::I64 => 1,
        ValType::F32 => 2,
        ValType::F64 => 3,
        ValType::V128 => 4,
        ValType::Ref(_) => 5,
    }
}

/// What encloses an instruction.
#[derive(Clone, Copy)]
struct Frame {
    is_loop: bool,
    ty: BlockType,
    /// Where a branch to it goes.
    target: usize,
}

/// Takes a body apart. `ran` tells of segments, numbered within the body; a region moves out when
/// that saves at least `gain` bytes.
pub(crate) fn visited<'a, T: WasmModuleResources>(
    body: &FunctionBody<'a>,
    signature: &FuncType,
    types: &[FuncType],
    validator: &mut FuncValidator<T>,
    gain: u64,
    ran: impl Fn(u64) -> bool,
) -> Result<Visited<'a>, String> {
    let mut locals = signature.params().to_vec();
    for group in body.get_locals_reader().map_err(told)? {
        let (count, ty) = group.map_err(told)?;
        locals.extend(std::iter::repeat_n(ty, count as usize));
    }
    let code = read(body, types, validator, ran)?;
    let mut finder = Finder {
        code: &code,
        types,
        signature,
        locals: &locals,
        live: Liveness::of(&code, locals.len())?,
        frames: vec![Frame {
            is_loop: false,
            ty: BlockType::Empty,
            target: code.len(),
        }],
        gain,
        found: Vec::new(),
    };
    finder.search(0..code.len() - 1);
    let regions = finder.found;
    Ok(Visited { code, locals, regions })
}

fn read<'a, T: WasmModuleResources>(
    body: &FunctionBody<'a>,
    types: &[FuncType],
    validator: &mut FuncValidator<T>,
    ran: impl Fn(u64) -> bool,
) -> Result<Vec<Instr<'a>>, String> {
    validator.read_locals(&mut body.get_binary_reader()).map_err(told)?;
    let mut reader = body.get_operators_reader().map_err(told)?;
    let (mut code, mut open, mut segment) = (Vec::<Instr<'a>>::new(), Vec::new(), 0);
    while !reader.eof() {
        let start = reader.original_position();
        let op = reader.read().map_err(told)?;
        let before = validator.operand_stack_height();
        validator.op(start, &op).map_err(told)?;
        let at = code.len();
        match op {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => open.push(at),
            Operator::Else => {
                if let Some(&opened) = open.last() {
                    code[opened].arm = Some(at);
                }
            }
            Operator::End => {
                if let Some(opened) = open.pop() {
                    code[opened].end = at;
                    if let Some(arm) = code[opened].arm {
                        code[arm].end = at;
                    }
                }
            }
            _ => {}
        }
        let after = validator.operand_stack_height();
        let begins = ends_segment(&op);
        code.push(Instr {
            bytes: reader.original_position() - start,
            cold: !ran(segment),
            before,
            after,
            low: after.saturating_sub(pushed(&op, types)),
            diverges: matches!(
                op,
                Operator::Unreachable | Operator::Br { .. } | Operator::BrTable { .. } | Operator::Return
            ),
            end: at,
            arm: None,
            op,
        });
        segment += u64::from(begins);
    }
    Ok(code)
}

/// How many operands an instruction pushes at most.
fn pushed(op: &Operator<'_>, types: &[FuncType]) -> u32 {
    match op {
        Operator::LocalSet { .. }
        | Operator::GlobalSet { .. }
        | Operator::TableSet { .. }
        | Operator::Drop
        | Operator::Nop
        | Operator::BrIf { .. }
        | Operator::I32Store { .. }
        | Operator::I32Store8 { .. }
        | Operator::I32Store16 { .. }
        | Operator::I64Store { .. }
        | Operator::I64Store8 { .. }
        | Operator::I64Store16 { .. }
        | Operator::I64Store32 { .. }
        | Operator::F32Store { .. }
        | Operator::F64Store { .. }
        | Operator::MemoryCopy { .. }
        | Operator::MemoryFill { .. }
        | Operator::MemoryInit { .. } => 0,
        Operator::CallIndirect { type_index, .. } => types[*type_index as usize].results().len() as u32,
        _ => 1,
    }
}

struct Finder<'f, 'a> {
    code: &'f [Instr<'a>],
    types: &'f [FuncType],
    signature: &'f FuncType,
    locals: &'f [ValType],
    live: Liveness,
    frames: Vec<Frame>,
    gain: u64,
    found: Vec<Region>,
}

impl Finder<'_, '_> {
    /// The end of the instruction, or of the block that it opens.
    fn item_end(&self, at: usize) -> usize {
        self.code[at].end + 1
    }

    /// Looks for regions among the instructions of one block.
    fn search(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            if self.code[at].cold {
                let run_end = self.cold_end(at, range.end);
                at = self.carve(at, run_end);
            } else {
                self.descend(at);
                at = self.item_end(at);
            }
        }
    }

    fn cold_end(&self, mut at: usize, end: usize) -> usize {
        while at < end && self.code[at].cold {
            at = self.item_end(at);
        }
        at
    }

    /// Searches within a block.
    fn descend(&mut self, at: usize) {
        let (ty, is_loop) = match self.code[at].op {
            Operator::Block { blockty } | Operator::If { blockty } => (blockty, false),
            Operator::Loop { blockty } => (blockty, true),
            _ => return,
        };
        let (end, arm) = (self.code[at].end, self.code[at].arm);
        let target = if is_loop { at } else { end };
        self.frames.push(Frame { is_loop, ty, target });
        self.search(at + 1..arm.unwrap_or(end));
        if let Some(arm) = arm {
            self.search(arm + 1..end);
        }
        self.frames.pop();
    }

    /// Takes the first region out of a cold run, if there is one at its start; tells where to go on.
    fn carve(&mut self, start: usize, run_end: usize) -> usize {
        let height = self.code[start].before;
        let (mut at, mut end) = (start, None);
        while at < run_end {
            let last = self.item_end(at) - 1;
            let is_block = last > at;
            let low = if is_block {
                self.code[at].after.min(self.code[at].before)
            } else {
                self.code[at].low
            };
            if low < height {
                break;
            }
            at = last + 1;
            if !is_block && self.code[last].diverges {
                end = Some((at, true));
                break;
            }
            if self.code[last].after == height {
                end = Some((at, false));
            }
        }
        if let Some((end, diverges)) = end
            && let Some(region) = self.region(start..end, diverges)
        {
            self.found.push(region);
            return end;
        }
        self.descend(start);
        self.item_end(start)
    }

    /// The region of a range, if it is one and worth it.
    fn region(&self, range: Range<usize>, diverges: bool) -> Option<Region> {
        let bytes: u64 = self.code[range.clone()].iter().map(|instr| instr.bytes).sum();
        if bytes < CALL + self.gain {
            return None;
        }
        let function_label = self.frames.len() as u32 - 1;
        let mut labels = BTreeSet::new();
        let mut nest = 0;
        for instr in &self.code[range.clone()] {
            let mut leave = |depth: u32| {
                if depth >= nest {
                    labels.insert(depth - nest);
                }
            };
            match &instr.op {
                Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => leave(*relative_depth),
                Operator::BrTable { targets } => {
                    for target in targets.targets() {
                        leave(target.ok()?);
                    }
                    leave(targets.default());
                }
                Operator::Return => {
                    labels.insert(function_label);
                }
                Operator::ReturnCall { .. } | Operator::ReturnCallIndirect { .. } => return None,
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => nest += 1,
                Operator::End => nest -= 1,
                _ => {}
            }
        }
        let exits: Option<Vec<Exit>> = labels
            .into_iter()
            .map(|label| {
                let value = self.label_value(label)?;
                let to = self.frames[self.frames.len() - 1 - label as usize].target;
                Some(Exit { label, value, to })
            })
            .collect();
        let exits = exits?;
        let mut values = exits.iter().filter_map(|exit| exit.value);
        if let Some(first) = values.next()
            && (matches!(first, ValType::V128 | ValType::Ref(_)) || values.any(|value| value != first))
        {
            return None;
        }
        let mut region = Region {
            range,
            params: Vec::new(),
            own: Vec::new(),
            results: Vec::new(),
            exits,
            diverges,
            function_label,
        };
        self.share_locals(&mut region);
        let site = CALL + 2 * (region.params.len() + region.results.len() + 2 * region.exits.len()) as u64;
        (bytes >= site + self.gain).then_some(region)
    }

    /// What a branch to a label of an enclosing block takes along; none where that is more than a value.
    fn label_value(&self, label: u32) -> Option<Option<ValType>> {
        let of = |types: &[ValType]| match types {
            [] => Some(None),
            [one] => Some(Some(*one)),
            _ => None,
        };
        let at = self.frames.len() - 1 - label as usize;
        if at == 0 {
            return of(self.signature.results());
        }
        let frame = self.frames[at];
        match (frame.ty, frame.is_loop) {
            (BlockType::Empty, _) | (BlockType::Type(_), true) => Some(None),
            (BlockType::Type(ty), false) => Some(Some(ty)),
            (BlockType::FuncType(ty), true) => of(self.types[ty as usize].params()),
            (BlockType::FuncType(ty), false) => of(self.types[ty as usize].results()),
        }
    }

    /// Sorts the locals that a region uses. Those of one type stand together: fewer function types.
    fn share_locals(&self, region: &mut Region) {
        let (mut used, mut set) = (BTreeSet::new(), BTreeSet::new());
        for instr in &self.code[region.range.clone()] {
            match instr.op {
                Operator::LocalGet { local_index } => used.insert(local_index),
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                    set.insert(local_index);
                    used.insert(local_index)
                }
                _ => false,
            };
        }
        let end = (!region.diverges).then_some(region.range.end);
        let ways: Vec<usize> = end.into_iter().chain(region.exits.iter().map(|exit| exit.to)).collect();
        for local in used {
            // What is still read later and not set on every way must come in, too: it is live here.
            if self.live.before(region.range.start, local) {
                region.params.push(local);
            } else {
                region.own.push(local);
            }
            if set.contains(&local) && ways.iter().any(|way| self.live.before(*way, local)) {
                region.results.push(local);
            }
        }
        for list in [&mut region.params, &mut region.results] {
            list.sort_by_key(|local| rank(self.locals[*local as usize]));
        }
    }
}
