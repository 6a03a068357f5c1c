//! Functions that Kubernetes adds to CEL: regular expressions, sets and sums.

use cel::common::types::{CelBool, CelInt, CelList, CelString, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use regex::Regex;

/// Declares the functions of this module in a CEL environment.
pub(crate) fn declare_functions(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>, id = "matches")?;
    add_member_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>)?;
    add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    let two_lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", two_lists(), |args| {
        compare_sets(&args, |a, b| contains_all(a, b))
    })?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", two_lists(), |args| {
        compare_sets(&args, |a, b| contains_all(a, b) && contains_all(b, a))
    })?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", two_lists(), |args| {
        compare_sets(&args, |a, b| b.iter().any(|item| contains(a, *item)))
    })?;
    env.add_member_overload("sum", "list_sum", LIST_TYPE, Vec::new(), sum)
}

fn compile_regex(function: &str, text: &CelString<'_>) -> Result<Regex, ExecutionError> {
    Regex::new(text.inner())
        .map_err(|error| ExecutionError::function_error(function, format!("Illegal regex: {error}")))
}

/// The function `matches` of the standard library. The feature `regex` of the crate `cel` would provide it, but enables
/// all Unicode tables and all engines of the crate `regex`; the character classes of RE2 need fewer.
fn matches(text: &CelString<'_>, regex: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let compiled = Regex::new(regex.inner()).map_err(|error| {
        let message = format!("'{}' not a valid regex:\n{error}", regex.inner());
        ExecutionError::function_error("matches", message)
    })?;
    Ok(CelBool::from(compiled.is_match(text.inner())))
}

fn find(text: &CelString<'_>, regex: &CelString<'_>) -> Result<CelString<'static>, ExecutionError> {
    let regex = compile_regex("find", regex)?;
    let found = regex.find(text.inner()).map_or("", |found| found.as_str());
    Ok(CelString::from(found.to_owned()))
}

fn find_all(text: &CelString<'_>, regex: &CelString<'_>) -> Result<CelList<'static>, ExecutionError> {
    let regex = compile_regex("findAll", regex)?;
    let found = regex.find_iter(text.inner());
    let found: Vec<Box<dyn Val>> = found
        .map(|found| -> Box<dyn Val> { Box::new(CelString::from(found.as_str().to_owned())) })
        .collect();
    Ok(CelList::from(found))
}

fn list_elements(list: &dyn Val) -> Vec<&dyn Val> {
    let mut elements = list.as_iterable().map(|list| list.iter());
    let mut found = Vec::new();
    while let Some(element) = elements.as_mut().and_then(|elements| elements.next()) {
        found.push(element);
    }
    found
}

fn contains(list: &[&dyn Val], item: &dyn Val) -> bool {
    list.iter().any(|element| element.equals(item))
}

fn contains_all(list: &[&dyn Val], others: &[&dyn Val]) -> bool {
    others.iter().all(|item| contains(list, *item))
}

fn compare_sets<'b, 'v>(
    args: &[CowVal<'b, 'v>],
    relation: impl Fn(&[&dyn Val], &[&dyn Val]) -> bool,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let answer = relation(&list_elements(&*args[0]), &list_elements(&*args[1]));
    Ok(CowVal::owned(CelBool::from(answer)))
}

fn sum<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut total = 0_i64;
    for element in list_elements(&*args[0]) {
        let element = element
            .downcast_ref::<CelInt>()
            .ok_or_else(|| ExecutionError::no_such_member_overload("sum", vec!["list".to_owned()]))?;
        total = total
            .checked_add(*element.inner())
            .ok_or_else(|| ExecutionError::function_error("sum", "integer overflow"))?;
    }
    Ok(CowVal::owned(CelInt::from(total)))
}
