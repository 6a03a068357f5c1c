//! The `Scenario` document as it is written down.

use podscope_api::ordered;

use podscope_api::{Quantity, Str, wire_types};
use serde_json::Value;

wire_types! {
    /// The document.
    pub(crate) struct Document { pub(crate) api_version: String, #[allow(dead_code)] pub(crate) kind: String, pub(crate) metadata: Metadata, pub(crate) spec: Spec }
    /// `metadata`.
    pub(crate) struct Metadata { pub(crate) name: String, #[allow(dead_code)] pub(crate) labels: ordered::Map<String, String>, pub(crate) annotations: ordered::Map<String, String> }
    /// `spec`.
    pub(crate) struct Spec {
        pub(crate) title: String,
        pub(crate) seed: Option<u64>,
        pub(crate) start: Option<String>,
        pub(crate) cluster: Option<ClusterDocument>,
        pub(crate) components: Components,
        pub(crate) search: Option<SearchDocument>,
        pub(crate) timeline: Vec<EntryDocument>,
        pub(crate) steps: Vec<StepDocument>,
        pub(crate) solution: Vec<EntryDocument>,
        pub(crate) wrong: Vec<EntryDocument>,
        pub(crate) expect: Vec<ExpectDocument>,
    }
    /// `spec.cluster`.
    pub(crate) struct ClusterDocument { pub(crate) zones: Option<Vec<String>>, pub(crate) nodes_per_zone: Option<u32>, pub(crate) node: ordered::Map<Str, Quantity> }
    /// `spec.components`.
    pub(crate) struct Components {
        pub(crate) kube_scheduler: Value,
        pub(crate) controller_manager: Value,
        #[allow(dead_code, reason = "read from its own tree, with positions")]
        pub(crate) kubelet: Value,
        pub(crate) fencing: Value,
        pub(crate) network: Option<NetworkDocument>,
        pub(crate) history: Vec<String>,
    }
    /// `spec.components.network`.
    pub(crate) struct NetworkDocument { pub(crate) latency: Option<String>, pub(crate) jitter: Option<String> }
    /// `spec.search`.
    pub(crate) struct SearchDocument { pub(crate) faults: Option<Vec<String>>, pub(crate) horizon: Option<String>, pub(crate) max: Option<u32> }
    /// An entry of a timeline.
    pub(crate) struct EntryDocument { pub(crate) at: Option<String>, pub(crate) run: Option<String>, pub(crate) apply: Option<String> }
    /// A step.
    pub(crate) struct StepDocument {
        pub(crate) text: String,
        pub(crate) when: Option<ExpectDocument>,
        pub(crate) highlight: Vec<String>,
        pub(crate) try_command as "try": Option<String>,
        pub(crate) goal: Option<ExpectDocument>,
    }
    /// An expectation or condition.
    pub(crate) struct ExpectDocument {
        pub(crate) at: Option<String>,
        pub(crate) by: Option<String>,
        pub(crate) always: Option<String>,
        pub(crate) object: Option<String>,
        pub(crate) path: Option<String>,
        pub(crate) count: Option<String>,
        pub(crate) exists: Option<bool>,
        pub(crate) equals: Value,
        pub(crate) not: Value,
    }
}
