//! Estimates the maximum cost of an expression before it is evaluated (DRA-178).
//!
//! Deviation: the real estimate depends on the cost of each function and on string sizes; this one counts evaluation
//! steps.

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr};

/// Maximum estimated cost of a device selector, in evaluation steps.
pub(crate) const MAX_ESTIMATED_COST: u64 = 1_000_000;
/// Assumed number of elements of a list or map that is not a literal. A device has at most 48 attributes and
/// capacities.
const ASSUMED_COLLECTION_SIZE: u64 = 64;

/// Returns the direct subexpressions of an expression.
fn subexpressions(expression: &IdedExpr) -> Vec<&IdedExpr> {
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
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|entry| entry_subexpressions(&entry.expr))
            .collect(),
        Expr::Struct(record) => record
            .entries
            .iter()
            .flat_map(|entry| entry_subexpressions(&entry.expr))
            .collect(),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

fn entry_subexpressions(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// Visits an expression and all its subexpressions, parents first.
pub(crate) fn visit_subexpressions<'a>(expression: &'a IdedExpr, visit: &mut dyn FnMut(&'a IdedExpr)) {
    visit(expression);
    for part in subexpressions(expression) {
        visit_subexpressions(part, visit);
    }
}

/// Estimates the number of evaluation steps of an expression.
pub(crate) fn estimate_cost(expression: &IdedExpr) -> u64 {
    let Expr::Comprehension(comprehension) = &expression.expr else {
        let sum = subexpressions(expression).into_iter().map(estimate_cost);
        return sum.fold(1, u64::saturating_add);
    };
    let steps_per_element =
        estimate_cost(&comprehension.loop_cond).saturating_add(estimate_cost(&comprehension.loop_step));
    let loop_steps = steps_per_element.saturating_mul(range_size(&comprehension.iter_range));
    [
        &comprehension.iter_range,
        &comprehension.accu_init,
        &comprehension.result,
    ]
    .into_iter()
    .map(estimate_cost)
    .fold(loop_steps, u64::saturating_add)
}

fn range_size(range: &IdedExpr) -> u64 {
    match &range.expr {
        Expr::List(list) => list.elements.len() as u64,
        Expr::Map(map) => map.entries.len() as u64,
        Expr::Comprehension(one) => range_size(&one.iter_range),
        _ => ASSUMED_COLLECTION_SIZE,
    }
}

/// Returns whether an expression concatenates the result of `string(…)`, whose length the API server does not know.
pub(crate) fn concatenates_unbounded(expression: &IdedExpr) -> bool {
    let mut found = false;
    visit_subexpressions(expression, &mut |expression| {
        if let Expr::Call(call) = &expression.expr
            && call.func_name == "_+_"
        {
            found |= call.args.iter().any(is_unbounded);
        }
    });
    found
}

fn is_unbounded(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Call(call) => match call.func_name.as_str() {
            "string" => true,
            "_+_" | "_?_:_" => call.args.iter().any(is_unbounded),
            _ => false,
        },
        _ => false,
    }
}
