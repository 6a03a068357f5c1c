//! Compiles the CEL expressions of device selectors, so that an object with an invalid expression is refused (DRA-032).
//!
//! Deviation: these errors are listed after all other errors of the object.

use podscope_api::{DeviceClaim, DeviceSelector, ErrorList, Object};
use podscope_cel::Selector;

/// The compiler's message for an expression whose estimated cost is too high.
const TOO_COMPLEX: &str = "too complex, exceeds cost limit";

/// Adds an error for each device selector of an object whose CEL expression does not compile.
pub(super) fn check(object: &Object, problems: &mut ErrorList) {
    match object {
        Object::DeviceClass(class) => check_selectors(&class.spec.selectors, "spec.selectors", problems),
        Object::ResourceClaim(claim) => check_claim(&claim.spec.devices, "spec.devices", problems),
        Object::ResourceClaimTemplate(template) => {
            check_claim(&template.spec.spec.devices, "spec.spec.devices", problems);
        }
        _ => {}
    }
}

fn check_claim(claim: &DeviceClaim, path: &str, problems: &mut ErrorList) {
    for (index, request) in claim.requests.iter().enumerate() {
        let path = format!("{path}.requests[{index}]");
        if let Some(exactly) = &request.exactly {
            check_selectors(&exactly.selectors, &format!("{path}.exactly.selectors"), problems);
        }
        for (index, sub) in request.first_available.iter().enumerate() {
            let path = format!("{path}.firstAvailable[{index}].selectors");
            check_selectors(&sub.selectors, &path, problems);
        }
    }
}

fn check_selectors(selectors: &[DeviceSelector], path: &str, problems: &mut ErrorList) {
    for (index, selector) in selectors.iter().enumerate() {
        let Some(cel) = &selector.cel else { continue };
        // Validation has already refused longer expressions.
        if cel.expression.len() > podscope_cel::MAX_LENGTH {
            continue;
        }
        if let Err(text) = Selector::compile(&cel.expression) {
            let path = format!("{path}[{index}].cel.expression");
            if text == TOO_COMPLEX {
                problems.add_forbidden(&path, &text);
            } else {
                problems.add_invalid(&path, &cel.expression, &text);
            }
        }
    }
}
