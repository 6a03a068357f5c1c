//! The type `kubernetes.Semver` in CEL expressions.

use std::any::Any;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::common::value::{StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use semver::Version;

use crate::quantity::ordering_to_int;

static VERSION: Type = Type::new_unspecified_type("kubernetes.Semver");

/// A semantic version. Comparisons ignore build metadata.
#[derive(Debug, Clone)]
pub(crate) struct CelVersion(pub(crate) Version);

impl Val for CelVersion {
    fn get_type(&self) -> &Type {
        &VERSION
    }

    fn cel_type() -> &'static Type {
        &VERSION
    }

    fn equals(&self, other: &dyn Val) -> bool {
        let other = other.downcast_ref::<CelVersion>();
        other.is_some_and(|other| self.0.cmp_precedence(&other.0).is_eq())
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for CelVersion {}

/// Declares the type `kubernetes.Semver` and its functions in a CEL environment.
pub(crate) fn declare_type(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn semver: (CelString) -> Result<CelVersion>)?;
    add_overload!(env, fn semver_normalized: (CelString, CelBool) -> Result<CelVersion>, name = "semver")?;
    add_overload!(env, fn is_semver: (CelString) -> CelBool)?;
    add_overload!(env, fn is_semver_normalized: (CelString, CelBool) -> CelBool, name = "isSemver")?;
    add_member_overload!(env, fn is_greater_than: (CelVersion, CelVersion) -> CelBool)?;
    add_member_overload!(env, fn is_less_than: (CelVersion, CelVersion) -> CelBool)?;
    add_member_overload!(env, fn compare_to: (CelVersion, CelVersion) -> CelInt)?;
    add_member_overload!(env, fn major: (CelVersion) -> CelInt)?;
    add_member_overload!(env, fn minor: (CelVersion) -> CelInt)?;
    add_member_overload!(env, fn patch: (CelVersion) -> CelInt)
}

/// Normalizes a version: removes a leading `v` and leading zeros, and adds missing parts.
fn normalize_version(text: &str) -> String {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<&str> = numbers
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" if !part.is_empty() => "0",
            part => part,
        })
        .collect();
    while parts.len() < 3 && rest.is_empty() {
        parts.push("0");
    }
    format!("{}{rest}", parts.join("."))
}

fn parse(text: &str) -> Result<CelVersion, ExecutionError> {
    let read = text.parse().map(CelVersion);
    read.map_err(|error| ExecutionError::function_error("semver", error))
}

fn semver(text: &CelString<'_>) -> Result<CelVersion, ExecutionError> {
    parse(text.inner())
}

fn semver_normalized(text: &CelString<'_>, normalize: &CelBool) -> Result<CelVersion, ExecutionError> {
    match normalize.inner() {
        true => parse(&normalize_version(text.inner())),
        false => parse(text.inner()),
    }
}

fn is_semver(text: &CelString<'_>) -> CelBool {
    CelBool::from(parse(text.inner()).is_ok())
}

fn is_semver_normalized(text: &CelString<'_>, normalize: &CelBool) -> CelBool {
    CelBool::from(semver_normalized(text, normalize).is_ok())
}

fn is_greater_than(own: &CelVersion, other: &CelVersion) -> CelBool {
    CelBool::from(own.0.cmp_precedence(&other.0).is_gt())
}

fn is_less_than(own: &CelVersion, other: &CelVersion) -> CelBool {
    CelBool::from(own.0.cmp_precedence(&other.0).is_lt())
}

fn compare_to(own: &CelVersion, other: &CelVersion) -> CelInt {
    ordering_to_int(own.0.cmp_precedence(&other.0))
}

fn major(own: &CelVersion) -> CelInt {
    CelInt::from(own.0.major as i64)
}

fn minor(own: &CelVersion) -> CelInt {
    CelInt::from(own.0.minor as i64)
}

fn patch(own: &CelVersion) -> CelInt {
    CelInt::from(own.0.patch as i64)
}
