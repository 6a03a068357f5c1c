//! The macro `cel.bind(name, value, expression)`, which evaluates the expression with a local variable.

use cel::IdedExpr;
use cel::common::ast::{ComprehensionExpr, Expr, ListExpr, LiteralValue};
use cel::parser::{Macro, MacroExprHelper, ParseError};

/// Returns the macro `cel.bind`. It expands to a comprehension over an empty list, with the variable as its
/// accumulator.
pub(crate) fn bind() -> Macro {
    Macro::receiver("bind", 3, expand_bind)
}

fn expand_bind(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Result<Option<IdedExpr>, ParseError> {
    let is_cel = |target: &IdedExpr| matches!(&target.expr, Expr::Ident(name) if name == "cel");
    if !target.as_ref().is_some_and(is_cel) {
        return Ok(None);
    }
    let Some(Expr::Ident(name)) = args.first().map(|first| first.expr.clone()) else {
        let at = args.first().map_or(0, |first| first.id);
        return Err(helper.new_error(at, "cel.bind() variable names must be simple identifiers"));
    };
    let (Some(result), Some(init)) = (args.pop(), args.pop()) else {
        return Ok(None);
    };
    let comprehension = ComprehensionExpr {
        iter_range: helper.next_expr(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "#unused".to_owned(),
        iter_var2: None,
        loop_step: helper.next_expr(Expr::Ident(name.clone())),
        accu_var: name,
        accu_init: init,
        loop_cond: helper.next_expr(Expr::Literal(LiteralValue::Boolean(false.into()))),
        result,
    };
    Ok(Some(helper.next_expr(Expr::Comprehension(Box::new(comprehension)))))
}
