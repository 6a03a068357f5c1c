//! Which locals hold something that is still read, before each instruction of a function.

use wasmparser::Operator;

use crate::regions::Instr;

/// A set of locals at every place.
pub(crate) struct Liveness {
    /// Words of 64 locals each, `width` of them a place.
    bits: Vec<u64>,
    width: usize,
}

impl Liveness {
    /// Works backwards until nothing changes: loops take a few rounds.
    pub(crate) fn of(code: &[Instr<'_>], locals: usize) -> Result<Self, String> {
        let width = locals.div_ceil(64).max(1);
        let mut this = Self {
            bits: vec![0; (code.len() + 1) * width],
            width,
        };
        let next = successors(code)?;
        let mut changes = true;
        while changes {
            changes = false;
            for at in (0..code.len()).rev() {
                for word in 0..width {
                    let mut live = next[at]
                        .iter()
                        .fold(0, |live, next| live | this.bits[next * width + word]);
                    let bit = |local: u32| {
                        if local as usize / 64 == word {
                            1 << (local % 64)
                        } else {
                            0
                        }
                    };
                    match code[at].op {
                        Operator::LocalGet { local_index } => live |= bit(local_index),
                        Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                            live &= !bit(local_index);
                        }
                        _ => {}
                    }
                    let place = &mut this.bits[at * width + word];
                    changes |= *place != live;
                    *place = live;
                }
            }
        }
        Ok(this)
    }

    /// Whether the local is read later, as control stands before an instruction.
    pub(crate) fn before(&self, at: usize, local: u32) -> bool {
        self.bits[at * self.width + local as usize / 64] & (1 << (local % 64)) != 0
    }
}

/// Where control may go from each instruction.
fn successors(code: &[Instr<'_>]) -> Result<Vec<Vec<usize>>, String> {
    let mut next = Vec::with_capacity(code.len());
    // Where a branch to each open label goes; the function's own is its end.
    let mut labels = vec![code.len()];
    for (at, instr) in code.iter().enumerate() {
        let label = |depth: u32| labels[labels.len() - 1 - depth as usize];
        next.push(match &instr.op {
            Operator::Br { relative_depth } => vec![label(*relative_depth)],
            Operator::BrIf { relative_depth } => vec![label(*relative_depth), at + 1],
            Operator::BrTable { targets } => {
                let mut all = vec![label(targets.default())];
                for target in targets.targets() {
                    all.push(label(target.map_err(crate::module::told)?));
                }
                all
            }
            Operator::Return | Operator::Unreachable => Vec::new(),
            Operator::If { .. } => vec![at + 1, instr.arm.map_or(instr.end, |arm| arm + 1)],
            Operator::Else => vec![instr.end],
            _ => vec![at + 1],
        });
        match instr.op {
            Operator::Block { .. } | Operator::If { .. } => labels.push(instr.end),
            Operator::Loop { .. } => labels.push(at),
            Operator::End => {
                labels.pop();
            }
            _ => {}
        }
    }
    Ok(next)
}
