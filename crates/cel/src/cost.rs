//! The work an expression can be at most, estimated before it runs (DRA-178).
//!
//! Deviation: the real estimate weighs functions and the sizes of strings; this one counts the steps.

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr};

/// Steps of one evaluation at most.
pub(crate) const LIMIT: u64 = 1_000_000;
/// Elements of a list or map that no literal tells: a device has 48 values at most, a text as many words.
const UNKNOWN_SIZE: u64 = 64;

/// The parts of an expression.
fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(one) => vec![
            &one.iter_range,
            &one.accu_init,
            &one.loop_cond,
            &one.loop_step,
            &one.result,
        ],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Map(map) => map.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Struct(record) => record.entries.iter().flat_map(|entry| of_entry(&entry.expr)).collect(),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

fn of_entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// Shows every part of an expression, itself first.
pub(crate) fn walk<'a>(expression: &'a IdedExpr, show: &mut dyn FnMut(&'a IdedExpr)) {
    show(expression);
    for part in parts(expression) {
        walk(part, show);
    }
}

/// Steps of an evaluation.
pub(crate) fn of(expression: &IdedExpr) -> u64 {
    let Expr::Comprehension(one) = &expression.expr else {
        let sum = parts(expression).into_iter().map(of);
        return sum.fold(1, u64::saturating_add);
    };
    let turn = of(&one.loop_cond).saturating_add(of(&one.loop_step));
    let turns = turn.saturating_mul(size(&one.iter_range));
    [&one.iter_range, &one.accu_init, &one.result]
        .into_iter()
        .map(of)
        .fold(turns, u64::saturating_add)
}

fn size(range: &IdedExpr) -> u64 {
    match &range.expr {
        Expr::List(list) => list.elements.len() as u64,
        Expr::Map(map) => map.entries.len() as u64,
        Expr::Comprehension(one) => size(&one.iter_range),
        _ => UNKNOWN_SIZE,
    }
}
