//! A condition that a program waits for, in the format of the conditions in lessons (`{count: "pods -l app=web",
//! equals: 2}`, `{object: Pod default/web-0, path: .spec.nodeName, exists: true}`).

use std::cell::RefCell;

use podscope_api::Tree;
use podscope_cluster::World;
use serde_json::Value;

use super::document::ExpectDocument;
use super::expect::{self, Check, WorldState};
use super::value_cache::ValueCache;

/// A condition about the cluster's objects or requests, for which a program waits.
#[derive(Debug, Clone, PartialEq)]
pub struct AwaitedCondition(Check);

impl AwaitedCondition {
    /// Reads a condition about an object, about a number of objects, or about client requests.
    ///
    /// # Errors
    /// The condition is invalid, or it is about a time or an invariant, for which a program cannot wait.
    pub fn read(value: &Value) -> Result<AwaitedCondition, String> {
        let (document, errors): (ExpectDocument, _) = podscope_api::decode_lenient(&Tree::from_value(value), true);
        if let Some(error) = errors.first() {
            return Err(format!("{}: {}", error.path, error.message));
        }
        let condition = expect::read_condition(&document).map_err(|bad| match bad.field.as_str() {
            "" => bad.message,
            field => format!("{field}: {}", bad.message),
        })?;
        match (condition.timing, condition.check) {
            (None, Some(check)) if !check.compares_with_step_start() && !matches!(check, Check::Invariant(_)) => {
                Ok(AwaitedCondition(check))
            }
            _ => Err("one of object, count, ready and requests is wanted, without at, by and always".to_owned()),
        }
    }

    /// Returns whether the condition holds in the world now.
    #[must_use]
    pub fn is_met(&self, world: &World) -> bool {
        let value_cache = RefCell::new(ValueCache::default());
        let state = WorldState {
            objects: world.objects(),
            is_invariant_violated: &|_| false,
            requests: &|| world.requests(),
            value_cache: &value_cache,
            recorded: None,
        };
        self.0.holds(&state).0
    }
}
