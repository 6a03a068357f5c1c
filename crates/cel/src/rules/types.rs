//! Infers the types of expressions from a schema, so that a definition whose rules have misspelt fields or mismatched
//! operands is refused.
//!
//! An unknown type is [`Type::Dyn`], which is compatible with every type.

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue};
use cel::{IdedExpr, Program};
use serde_json::Value;

use super::value::{escaped_property_name, schema_with_metadata};
use super::{NULL, is_true, string_field};

/// The type of a CEL expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type<'s> {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    List(Box<Type<'s>>),
    Map(Box<Type<'s>>),
    /// An object with the properties of a schema.
    Object(&'s Value),
}

impl<'s> Type<'s> {
    /// Returns the type of the values that a schema describes.
    fn of(schema: &'s Value) -> Type<'s> {
        match string_field(schema, "type") {
            "boolean" => Type::Bool,
            "integer" => Type::Int,
            "number" => Type::Double,
            "string" => match string_field(schema, "format") {
                "date-time" | "date" | "duration" | "byte" => Type::Dyn,
                _ => Type::String,
            },
            "array" => Type::List(Box::new(Type::of(schema.get("items").unwrap_or(NULL)))),
            "object" => match schema.get("additionalProperties").filter(|more| more.is_object()) {
                Some(more) => Type::Map(Box::new(Type::of(more))),
                None => Type::Object(schema),
            },
            _ => Type::Dyn,
        }
    }

    fn name(&self) -> String {
        match self {
            Type::Dyn => "dyn".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Uint => "uint".to_owned(),
            Type::Double => "double".to_owned(),
            Type::String => "string".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::List(of) => format!("list({})", of.name()),
            Type::Map(of) => format!("map(string, {})", of.name()),
            Type::Object(_) => "object".to_owned(),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Uint | Type::Double)
    }

    /// Returns whether a value of this type is accepted where the other type is expected.
    fn is_compatible_with(&self, other: &Type<'_>) -> bool {
        match (self, other) {
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::List(one), Type::List(other)) | (Type::Map(one), Type::Map(other)) => one.is_compatible_with(other),
            (Type::Map(_) | Type::Object(_), Type::Map(_) | Type::Object(_)) => true,
            (Type::Null, other) | (other, Type::Null) => {
                matches!(other, Type::Null | Type::Object(_) | Type::Map(_) | Type::List(_))
            }
            (one, other) => one == other,
        }
    }
}

/// A type error: the id of the expression that has the error, and the message.
type TypeError = (u64, String);

/// Checks that the types in an expression match, and that its result has the expected type.
///
/// # Errors
/// Returns the message that the API server shows, with the position in the expression.
pub(super) fn check(program: &Program, source: &str, schema: &Value, expected: Type<'_>) -> Result<(), String> {
    let mut scope = TypeScope {
        names: vec![("self", Type::of(schema)), ("oldSelf", Type::Dyn)],
    };
    let found = scope.infer(program.expression()).map_err(|(id, why)| {
        let at = program
            .source_info()
            .offset_for(id)
            .map_or(0, |(start, _)| start as usize);
        error_text_with_position(source, at, &why)
    })?;
    if found.is_compatible_with(&expected) {
        return Ok(());
    }
    match expected {
        Type::Bool => Err("must evaluate to a bool".to_owned()),
        _ => Err("messageExpression must evaluate to a string".to_owned()),
    }
}

/// Formats an error as cel-go prints it, with the line and the column of the expression.
fn error_text_with_position(source: &str, at: usize, why: &str) -> String {
    let before: Vec<char> = source.chars().take(at).collect();
    let row = before.iter().filter(|letter| **letter == '\n').count();
    let column = before.iter().rev().take_while(|letter| **letter != '\n').count();
    let line = source.lines().nth(row).unwrap_or_default();
    let dots = ".".repeat(column);
    format!(
        "compilation failed: ERROR: <input>:{}:{}: {why}\n | {line}\n | {dots}^",
        row + 1,
        column + 1
    )
}

/// The variables that an expression can use, with their types.
struct TypeScope<'s, 'e> {
    names: Vec<(&'e str, Type<'s>)>,
}

impl<'s, 'e> TypeScope<'s, 'e> {
    fn infer(&mut self, expression: &'e IdedExpr) -> Result<Type<'s>, TypeError> {
        Ok(match &expression.expr {
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Type::Bool,
                LiteralValue::Bytes(_) => Type::Bytes,
                LiteralValue::Double(_) => Type::Double,
                LiteralValue::Int(_) => Type::Int,
                LiteralValue::Null => Type::Null,
                LiteralValue::String(_) => Type::String,
                LiteralValue::UInt(_) => Type::Uint,
            },
            Expr::Ident(name) => {
                let known = self.names.iter().rev().find(|(known, _)| known == name);
                known.map_or(Type::Dyn, |(_, of)| of.clone())
            }
            Expr::Select(select) => {
                let operand = self.infer(&select.operand)?;
                let field = field_type(&operand, &select.field).map_err(|why| (expression.id, why))?;
                if select.test { Type::Bool } else { field }
            }
            Expr::Call(call) => self.infer_call(expression.id, call)?,
            Expr::Comprehension(one) => self.infer_comprehension(one)?,
            Expr::List(list) => {
                let mut of = None;
                for element in &list.elements {
                    let found = self.infer(element)?;
                    of = Some(match of {
                        None => found,
                        Some(of) if of == found => of,
                        Some(_) => Type::Dyn,
                    });
                }
                Type::List(Box::new(of.unwrap_or(Type::Dyn)))
            }
            Expr::Map(_) => Type::Map(Box::new(Type::Dyn)),
            Expr::Struct(_) | Expr::Unspecified => Type::Dyn,
        })
    }

    fn infer_call(&mut self, id: u64, call: &'e CallExpr) -> Result<Type<'s>, TypeError> {
        let target = call.target.as_deref().map(|target| self.infer(target)).transpose()?;
        let args = call
            .args
            .iter()
            .map(|arg| self.infer(arg))
            .collect::<Result<Vec<_>, _>>()?;
        let name = call.func_name.as_str();
        let mismatch = || {
            let names: Vec<String> = target.iter().chain(&args).map(Type::name).collect();
            let why = format!(
                "found no matching overload for '{name}' applied to '({})'",
                names.join(", ")
            );
            Err((id, why))
        };
        Ok(match (name, args.as_slice()) {
            ("_&&_" | "_||_", args) => match args.iter().all(|arg| arg.is_compatible_with(&Type::Bool)) {
                true => Type::Bool,
                false => return mismatch(),
            },
            ("!_", [arg]) => match arg.is_compatible_with(&Type::Bool) {
                true => Type::Bool,
                false => return mismatch(),
            },
            ("_==_" | "_!=_", [one, other]) => {
                match one.is_compatible_with(other) || one.is_number() && other.is_number() {
                    true => Type::Bool,
                    false => return mismatch(),
                }
            }
            ("_<_" | "_<=_" | "_>_" | "_>=_", [one, other]) => {
                let is_comparable = one.is_number() && other.is_number()
                    || one.is_compatible_with(other) && !matches!(one, Type::List(_) | Type::Map(_) | Type::Object(_));
                match is_comparable {
                    true => Type::Bool,
                    false => return mismatch(),
                }
            }
            ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", [one, other]) => match (one, other) {
                (Type::Dyn, _) | (_, Type::Dyn) => Type::Dyn,
                (Type::String | Type::Bytes, _) if name == "_+_" && one == other => one.clone(),
                (Type::List(_), Type::List(_)) if name == "_+_" && one.is_compatible_with(other) => one.clone(),
                (one, other) if one.is_number() && one == other => one.clone(),
                _ => return mismatch(),
            },
            ("_?_:_", [_, one, other]) => {
                if one == other {
                    one.clone()
                } else {
                    Type::Dyn
                }
            }
            ("_[_]", [Type::List(of) | Type::Map(of), _]) => (**of).clone(),
            ("@in" | "startsWith" | "endsWith" | "contains" | "matches", _) => Type::Bool,
            ("size" | "int" | "indexOf" | "lastIndexOf", _) => Type::Int,
            ("string" | "lowerAscii" | "upperAscii" | "replace" | "substring" | "trim" | "join" | "charAt", _) => {
                Type::String
            }
            ("double", _) => Type::Double,
            ("bool", _) => Type::Bool,
            _ => Type::Dyn,
        })
    }

    fn infer_comprehension(&mut self, one: &'e ComprehensionExpr) -> Result<Type<'s>, TypeError> {
        let range = self.infer(&one.iter_range)?;
        let start = self.infer(&one.accu_init)?;
        let (key, value) = match range {
            Type::List(of) => (Type::Int, *of),
            Type::Map(of) => (Type::String, *of),
            _ => (Type::Dyn, Type::Dyn),
        };
        let depth = self.names.len();
        match (&one.iter_var2, matches!(key, Type::String)) {
            (Some(second), _) => {
                self.names.push((&one.iter_var, key));
                self.names.push((second, value));
            }
            (None, true) => self.names.push((&one.iter_var, key)),
            (None, false) => self.names.push((&one.iter_var, value)),
        }
        // A list that the comprehension builds starts empty and gets its element type from the loop step, so the
        // accumulator has the type `list(dyn)`.
        let start = match start {
            Type::List(_) => Type::List(Box::new(Type::Dyn)),
            start => start,
        };
        self.names.push((&one.accu_var, start));
        self.infer(&one.loop_step)?;
        let result = self.infer(&one.result);
        self.names.truncate(depth);
        result
    }
}

/// Returns the type of a field of a value.
///
/// # Errors
/// The value has no such field, or no fields at all.
fn field_type<'s>(of: &Type<'s>, name: &str) -> Result<Type<'s>, String> {
    match of {
        Type::Dyn => Ok(Type::Dyn),
        Type::Map(of) => Ok((**of).clone()),
        Type::Object(schema) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let mut known = properties.into_iter().flatten();
            let found = known.find(|(known, _)| escaped_property_name(known).as_deref() == Some(name));
            let embedded = || is_true(schema, "x-kubernetes-embedded-resource");
            match found {
                // CEL expressions cannot access a property without a type.
                Some((_, schema)) if is_untyped(schema) => Err(format!("undefined field '{name}'")),
                Some((_, schema)) => Ok(Type::of(schema)),
                None if embedded() && schema_with_metadata(NULL)["properties"].get(name).is_some() => Ok(Type::Dyn),
                None => Err(format!("undefined field '{name}'")),
            }
        }
        other => Err(format!("type '{}' does not support field selection", other.name())),
    }
}

fn is_untyped(schema: &Value) -> bool {
    string_field(schema, "type").is_empty() && !is_true(schema, "x-kubernetes-int-or-string")
}
