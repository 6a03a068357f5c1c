//! The `Scenario` document as it is written down.

use std::collections::BTreeMap;

use podscope_api::{Quantity, Str};
use serde::Deserialize;
use serde_json::Value;

macro_rules! documents {
    ($($(#[$m:meta])* struct $name:ident { $($(#[$fm:meta])* $field:ident : $ty:ty),* $(,)? })*) => {$(
        $(#[$m])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(crate) struct $name { $($(#[$fm])* pub(crate) $field: $ty),* }
    )*};
}

documents! {
    /// The document.
    struct Document { api_version: String, #[allow(dead_code)] kind: String, metadata: Metadata, spec: Spec }
    /// `metadata`.
    struct Metadata { name: String, #[allow(dead_code)] labels: BTreeMap<String, String>, annotations: BTreeMap<String, String> }
    /// `spec`.
    struct Spec {
        title: String,
        seed: Option<u64>,
        start: Option<String>,
        cluster: Option<ClusterDocument>,
        components: Components,
        search: Option<SearchDocument>,
        timeline: Vec<EntryDocument>,
        steps: Vec<StepDocument>,
        solution: Vec<EntryDocument>,
        wrong: Vec<EntryDocument>,
        expect: Vec<ExpectDocument>,
    }
    /// `spec.cluster`.
    struct ClusterDocument { zones: Option<Vec<String>>, nodes_per_zone: Option<u32>, node: BTreeMap<Str, Quantity> }
    /// `spec.components`.
    struct Components {
        kube_scheduler: Value,
        controller_manager: Value,
        kubelet: Value,
        fencing: Value,
        network: Option<NetworkDocument>,
        history: Vec<String>,
    }
    /// `spec.components.network`.
    struct NetworkDocument { latency: Option<String>, jitter: Option<String> }
    /// `spec.search`.
    struct SearchDocument { faults: Option<Vec<String>>, horizon: Option<String>, max: Option<u32> }
    /// An entry of a timeline.
    struct EntryDocument { at: Option<String>, run: Option<String>, apply: Option<String> }
    /// A step.
    struct StepDocument {
        text: String,
        when: Option<ExpectDocument>,
        highlight: Vec<String>,
        #[serde(rename = "try")]
        try_command: Option<String>,
        goal: Option<ExpectDocument>,
    }
    /// An expectation or condition.
    struct ExpectDocument {
        at: Option<String>,
        by: Option<String>,
        always: Option<String>,
        object: Option<String>,
        path: Option<String>,
        count: Option<String>,
        exists: Option<bool>,
        equals: Value,
        not: Value,
    }
}
