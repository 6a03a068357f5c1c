//! The type `kubernetes.Quantity` in CEL expressions.

use std::any::Any;
use std::cmp::Ordering;

use cel::common::traits::Zeroer;
use cel::common::types::{CelBool, CelDouble, CelInt, CelString, Type};
use cel::common::value::{StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use podscope_api::Quantity;

static QUANTITY: Type = Type::new_unspecified_type("kubernetes.Quantity");

#[derive(Debug, Clone, Copy)]
pub(crate) struct CelQuantity(pub(crate) Quantity);

impl Val for CelQuantity {
    fn get_type(&self) -> &Type {
        &QUANTITY
    }

    fn cel_type() -> &'static Type {
        &QUANTITY
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other
            .downcast_ref::<CelQuantity>()
            .is_some_and(|other| other.0 == self.0)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for CelQuantity {}

impl Zeroer for CelQuantity {
    fn is_zero_value(&self) -> bool {
        self.0.is_zero()
    }
}

/// Declares the type `kubernetes.Quantity` and its functions in a CEL environment.
pub(crate) fn declare_type(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn quantity: (CelString) -> Result<CelQuantity>)?;
    add_overload!(env, fn is_quantity: (CelString) -> CelBool)?;
    add_member_overload!(env, fn is_greater_than: (CelQuantity, CelQuantity) -> CelBool)?;
    add_member_overload!(env, fn is_less_than: (CelQuantity, CelQuantity) -> CelBool)?;
    add_member_overload!(env, fn compare_to: (CelQuantity, CelQuantity) -> CelInt)?;
    add_member_overload!(env, fn sign: (CelQuantity) -> CelInt)?;
    add_member_overload!(env, fn is_integer: (CelQuantity) -> CelBool)?;
    add_member_overload!(env, fn as_integer: (CelQuantity) -> Result<CelInt>)?;
    add_member_overload!(env, fn as_approximate_float: (CelQuantity) -> CelDouble)?;
    add_member_overload!(env, fn add: (CelQuantity, CelQuantity) -> CelQuantity)?;
    add_member_overload!(env, fn add_int: (CelQuantity, CelInt) -> CelQuantity, name = "add")?;
    add_member_overload!(env, fn sub: (CelQuantity, CelQuantity) -> CelQuantity)?;
    add_member_overload!(env, fn sub_int: (CelQuantity, CelInt) -> CelQuantity, name = "sub")
}

pub(crate) fn ordering_to_int(order: Ordering) -> CelInt {
    CelInt::from(order as i64)
}

fn quantity(text: &CelString<'_>) -> Result<CelQuantity, ExecutionError> {
    let read = text.inner().parse().map(CelQuantity);
    read.map_err(|error| ExecutionError::function_error("quantity", error))
}

fn is_quantity(text: &CelString<'_>) -> CelBool {
    CelBool::from(text.inner().parse::<Quantity>().is_ok())
}

fn is_greater_than(own: &CelQuantity, other: &CelQuantity) -> CelBool {
    CelBool::from(own.0 > other.0)
}

fn is_less_than(own: &CelQuantity, other: &CelQuantity) -> CelBool {
    CelBool::from(own.0 < other.0)
}

fn compare_to(own: &CelQuantity, other: &CelQuantity) -> CelInt {
    ordering_to_int(own.0.cmp(&other.0))
}

fn sign(own: &CelQuantity) -> CelInt {
    CelInt::from(i64::from(own.0.sign()))
}

fn exact_integer(own: &CelQuantity) -> Option<i64> {
    let value = own.0.value();
    (Quantity::from_units(value) == own.0).then_some(value)
}

fn is_integer(own: &CelQuantity) -> CelBool {
    CelBool::from(exact_integer(own).is_some())
}

fn as_integer(own: &CelQuantity) -> Result<CelInt, ExecutionError> {
    exact_integer(own)
        .map(CelInt::from)
        .ok_or_else(|| ExecutionError::function_error("asInteger", "cannot convert value to integer"))
}

fn as_approximate_float(own: &CelQuantity) -> CelDouble {
    let value = match exact_integer(own) {
        Some(value) => value as f64,
        None => own.0.milli_value() as f64 / 1000.0,
    };
    CelDouble::from(value)
}

fn add(own: &CelQuantity, other: &CelQuantity) -> CelQuantity {
    CelQuantity(own.0.plus(other.0))
}

fn add_int(own: &CelQuantity, other: &CelInt) -> CelQuantity {
    CelQuantity(own.0.plus(Quantity::from_units(*other.inner())))
}

fn sub(own: &CelQuantity, other: &CelQuantity) -> CelQuantity {
    CelQuantity(own.0.minus(other.0))
}

fn sub_int(own: &CelQuantity, other: &CelInt) -> CelQuantity {
    CelQuantity(own.0.minus(Quantity::from_units(*other.inner())))
}
