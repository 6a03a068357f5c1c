//! The CPU load that clients' requests put on containers.

use podscope_api::{Str, Uid, ordered};

/// CPU that containers use for the client requests that they serve now, in millicores, by pod and container. Has an
/// entry only for containers whose behaviour sets a CPU time per request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestLoad {
    by_container: ordered::Map<(Uid, Str), i64>,
}

impl RequestLoad {
    /// Returns the load of a container in millicores.
    pub fn of(&self, pod: &Uid, container: &Str) -> i64 {
        if self.by_container.is_empty() {
            return 0;
        }
        let key = (pod.clone(), container.clone());
        self.by_container.get(&key).copied().unwrap_or(0)
    }
}

impl FromIterator<((Uid, Str), i64)> for RequestLoad {
    fn from_iter<I: IntoIterator<Item = ((Uid, Str), i64)>>(all: I) -> Self {
        let by_container = all.into_iter().collect();
        Self { by_container }
    }
}
