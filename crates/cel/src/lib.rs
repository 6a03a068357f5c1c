//! The Common Expression Language in the two places where Podscope evaluates it: device selectors over the variable
//! `device` (DRA-176 to DRA-178), in this module, and validation rules of CustomResourceDefinitions, in [`rules`].
//!
//! An expression is compiled once ([`Selector::compile`]) and evaluated for many devices ([`Selector::matches`]). The
//! crate `cel` provides the language; this crate adds the types and functions of Kubernetes.
//!
//! Deviation: the types in a device selector are checked at evaluation, not at compilation. Timestamps, durations and
//! the URL and IP libraries are not supported.

mod bind;
mod cost;
mod device;
mod library;
mod map;
mod quantity;
pub mod rules;
mod version;

use std::sync::{Arc, OnceLock};

use cel::common::types::CelBool;
use cel::{Context, Env, ExecutionError, Program, Value};

pub use self::device::DeviceValue;

/// Maximum length of an expression in bytes (DRA-178).
pub const MAX_LENGTH: usize = 10 * 1024;

/// A compiled CEL expression that selects devices.
#[derive(Debug)]
pub struct Selector {
    program: Program,
}

impl Selector {
    /// Compiles the expression of a device selector.
    ///
    /// # Errors
    /// Returns the text that Kubernetes prints after `CEL compile error:` (DRA-177).
    pub fn compile(expression: &str) -> Result<Self, String> {
        if expression.len() > MAX_LENGTH {
            return Err(format!("expression must not be longer than {MAX_LENGTH} bytes"));
        }
        let program = cel_environment()
            .compile(expression)
            .map_err(|errors| format!("compilation failed: {errors}"))?;
        check_variables(&program, expression, &["device"])?;
        let found = cost::estimate_cost(program.expression());
        if found > cost::MAX_ESTIMATED_COST {
            return Err("too complex, exceeds cost limit".to_owned());
        }
        Ok(Self { program })
    }

    /// Returns whether the expression selects the device.
    ///
    /// # Errors
    /// Returns the text that Kubernetes prints after `CEL runtime error:`, for example for a missing attribute or
    /// mismatched types.
    pub fn matches(&self, device: &DeviceValue) -> Result<bool, String> {
        let mut context = Context::with_env(cel_environment().clone());
        context.add_variable_as_val("device", Box::new(device.clone()));
        let value = Value::resolve_val(self.program.expression(), &context).map_err(|error| error_text(&error))?;
        match value.downcast_ref::<CelBool>() {
            Some(value) => Ok(*value.inner()),
            None => {
                let kind = value.get_type().name().to_owned();
                Err(format!(
                    "CEL result of type {kind} could not be converted to bool: type conversion error from '{kind}' to 'bool'"
                ))
            }
        }
    }
}

/// Returns CEL's standard library with the functions and types that Kubernetes adds.
fn cel_environment() -> &'static Arc<Env> {
    static ENVIRONMENT: OnceLock<Arc<Env>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut env = Env::stdlib();
        let added = env
            .add_extension(cel::extensions::strings)
            .and_then(|()| env.add_extension(library::declare_functions))
            .and_then(|()| env.add_extension(quantity::declare_type))
            .and_then(|()| env.add_extension(version::declare_type))
            .and_then(|()| env.add_macro(bind::bind()));
        assert!(added.is_ok(), "a function is declared twice: {added:?}");
        Arc::new(env)
    })
}

/// Checks that an expression uses declared variables only; the error is worded as in cel-go.
fn check_variables(program: &Program, source: &str, variables: &[&str]) -> Result<(), String> {
    const DECLARED_IDENTIFIERS: &[&str] = &[
        "bool",
        "bytes",
        "cel",
        "double",
        "dyn",
        "int",
        "list",
        "map",
        "null_type",
        "optional",
        "sets",
        "string",
        "strings",
        "type",
        "uint",
    ];
    let references = program.references();
    let mut names: Vec<&str> = references
        .variables()
        .into_iter()
        // Ignore names that begin with `@` or `.`, which the expansion of macros generates.
        .filter(|name| {
            !variables.contains(name) && !DECLARED_IDENTIFIERS.contains(name) && !name.starts_with(['@', '.'])
        })
        .filter(|name| !is_declared_by_comprehension(program.expression(), name))
        .collect();
    names.sort_unstable();
    match names.first() {
        None => Ok(()),
        Some(name) => {
            let at = source.find(name).map_or(1, |at| at + 1);
            Err(format!(
                "compilation failed: ERROR: <input>:1:{at}: undeclared reference to '{name}' (in container '')\n | {source}\n | {:.>at$}",
                "^"
            ))
        }
    }
}

/// Returns whether a comprehension in the expression declares the variable.
fn is_declared_by_comprehension(expression: &cel::IdedExpr, name: &str) -> bool {
    let mut found = false;
    cost::visit_subexpressions(expression, &mut |expression| {
        if let cel::common::ast::Expr::Comprehension(one) = &expression.expr {
            found |= one.iter_var == name || one.accu_var == name || one.iter_var2.as_deref() == Some(name);
        }
    });
    found
}

/// Formats an evaluation error in the wording of cel-go.
fn error_text(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::ValuesNotComparable(..)
        | ExecutionError::UnsupportedBinaryOperator(..) => "no such overload".to_owned(),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        ExecutionError::UndeclaredReference(name) => format!("undeclared reference to '{name}' (in container '')"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::IndexOutOfBounds(index) => format!("index out of bounds: {index:?}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::{Device, DeviceAttribute, DeviceCapacity};

    fn test_device() -> DeviceValue {
        let mut device = Device::default();
        let text = |text: &str| DeviceAttribute {
            string: Some(text.into()),
            ..Default::default()
        };
        device.attributes.insert("model".into(), text("h100"));
        device.attributes.insert("other.io/root".into(), text("pci0"));
        let index = DeviceAttribute {
            int: Some(2),
            ..Default::default()
        };
        device.attributes.insert("index".into(), index);
        let version = DeviceAttribute {
            version: Some("1.5.2".into()),
            ..Default::default()
        };
        device.attributes.insert("driverVersion".into(), version);
        let memory = DeviceCapacity {
            value: "40Gi".parse().unwrap_or_default(),
            request_policy: None,
        };
        device.capacity.insert("memory".into(), memory);
        DeviceValue::new("gpu.example.com", &device)
    }

    fn evaluate(expression: &str) -> Result<bool, String> {
        Selector::compile(expression)?.matches(&test_device())
    }

    /// Shows: DRA-176
    #[test]
    fn device_expressions_evaluate_as_in_kubernetes() {
        for (expression, expected) in [
            (r#"device.driver == "gpu.example.com""#, true),
            (r#"device.driver.endsWith("example.com")"#, true),
            (r#"device.attributes["gpu.example.com"].model == "h100""#, true),
            (r#"device.attributes["gpu.example.com"].index >= 2"#, true),
            (r#"device.attributes["other.io"].root == "pci0""#, true),
            (r#""model" in device.attributes["gpu.example.com"]"#, true),
            (r#""model" in device.attributes["nowhere.io"]"#, false),
            (r#""nowhere.io" in device.attributes"#, false),
            (r#"has(device.attributes["gpu.example.com"].nope)"#, false),
            (
                r#"device.attributes["gpu.example.com"].?nope.orValue("x") == "x""#,
                true,
            ),
            (
                r#"device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.5.0"))"#,
                true,
            ),
            (
                r#"device.attributes["gpu.example.com"].driverVersion.compareTo(semver("2.0.0")) == -1"#,
                true,
            ),
            (
                r#"device.attributes["gpu.example.com"].driverVersion.major() == 1"#,
                true,
            ),
            (r#"semver("v1.2", true) == semver("1.2.0")"#, true),
            (r#"isSemver("1.2") || isSemver("1.2.3-rc.1")"#, true),
            (
                r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"#,
                true,
            ),
            (
                r#"device.capacity["gpu.example.com"].memory.isLessThan(quantity("1Ti"))"#,
                true,
            ),
            (r#"quantity("1Gi").add(quantity("1Gi")) == quantity("2Gi")"#, true),
            (
                r#"quantity("3k").asInteger() == 3000 && quantity("1").add(2).isInteger()"#,
                true,
            ),
            ("device.allowMultipleAllocations", false),
            (
                r#"device.attributes["gpu.example.com"].model in ["a100", "h100"]"#,
                true,
            ),
            (
                r#"device.attributes["gpu.example.com"].model.matches("^h[0-9]+$")"#,
                true,
            ),
            (
                r#"device.attributes["gpu.example.com"].model.find("[0-9]+") == "100""#,
                true,
            ),
            (
                r#"cel.bind(a, device.attributes["gpu.example.com"], a.index + a.index == 4)"#,
                true,
            ),
            (r#"device.attributes["gpu.example.com"].all(key, key != "nope")"#, true),
            (r#"device.attributes["gpu.example.com"].size() == 3"#, true),
            (r#"sets.contains(["a", "b"], ["a"]) && [1, 2].sum() == 3"#, true),
            ("type(device.driver) == string", true),
        ] {
            assert_eq!(evaluate(expression), Ok(expected), "{expression}");
        }
    }

    /// Shows: DRA-151, DRA-177, DRA-178
    #[test]
    fn expression_errors_match_cel_go() {
        for (expression, expected) in [
            (
                r#"device.attributes["gpu.example.com"].nosuch == 1"#,
                "no such key: nosuch",
            ),
            (r#"device.attributes["nowhere.io"].model == "x""#, "no such key: model"),
            (
                r#"device.attributes["gpu.example.com"].index"#,
                "CEL result of type int could not be converted to bool",
            ),
            (
                r#"device.attributes["gpu.example.com"].index > "x""#,
                "no such overload",
            ),
            (
                "devcie.driver == 'x'",
                "undeclared reference to 'devcie' (in container '')",
            ),
            ("device.driver ==", "compilation failed: ERROR: <input>:1:"),
            (
                "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, \
                 [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e > 0)))))",
                "too complex, exceeds cost limit",
            ),
        ] {
            let error = evaluate(expression).expect_err(expression);
            assert!(error.contains(expected), "{expression}: {error}");
        }
    }
}
