//! The structure of the `Scenario` document: its structs and fields in YAML.

use podscope_api::ordered;

use podscope_api::Tree;
use podscope_api::wire::{DecodeResult, Reader, Wire};
use podscope_api::{Quantity, Str, Taint, wire_types};
use serde_json::Value;

/// A time with its unit, as it is written in the file. A number without a unit is kept as text, so that the error
/// message can quote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WrittenTime(pub(crate) Option<String>);

impl Wire for WrittenTime {
    fn from_null() -> Self {
        Self(None)
    }

    fn go_type() -> String {
        "string".into()
    }

    fn is_omitted_when_printed(&self) -> bool {
        self.0.is_none()
    }

    fn to_json_value(&self) -> Value {
        self.0.clone().map_or(Value::Null, Value::String)
    }

    fn decode<'n>(&mut self, node: &'n Tree<'n>, reader: &mut Reader<'n>) -> DecodeResult<'n> {
        self.0 = match (node.as_str(), node.json_kind()) {
            (Some(text), _) => Some(text.to_owned()),
            (None, "number") => Some(node.to_value().to_string()),
            (None, "null") => None,
            _ => return Err(reader.fail(node, "must be a time such as 90s or 1m30s")),
        };
        Ok(None)
    }
}

wire_types! {
    pub(crate) struct Document { pub(crate) api_version: String, #[allow(dead_code)] pub(crate) kind: String, pub(crate) metadata: Metadata, pub(crate) spec: Spec }
    /// The field `metadata` of a Scenario document.
    pub(crate) struct Metadata { pub(crate) name: String, #[allow(dead_code)] pub(crate) labels: ordered::Map<String, String>, pub(crate) annotations: ordered::Map<String, String> }
    /// The field `spec` of a Scenario document.
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
        pub(crate) bypasses: Vec<Vec<EntryDocument>>,
        pub(crate) recap: Vec<String>,
        pub(crate) expect: Vec<ExpectDocument>,
    }

    /// The field `spec.cluster` of a Scenario document.
    pub(crate) struct ClusterDocument { pub(crate) zones: Option<Vec<String>>, pub(crate) nodes_per_zone: Option<u32>, pub(crate) node: ordered::Map<Str, Quantity>, pub(crate) devices: Value, pub(crate) node_groups: Vec<NodeGroupDocument> }
    /// An item of the list `spec.cluster.nodeGroups`.
    pub(crate) struct NodeGroupDocument {
        pub(crate) name: Str,
        pub(crate) min: Option<u32>,
        pub(crate) max: Option<u32>,
        pub(crate) size: Option<u32>,
        pub(crate) like: Option<String>,
        pub(crate) labels: ordered::Map<Str, Str>,
        pub(crate) taints: Vec<Taint>,
        pub(crate) node: ordered::Map<Str, Quantity>,
        pub(crate) delay: Option<String>,
    }

    /// The field `spec.components` of a Scenario document.
    pub(crate) struct Components {
        pub(crate) kube_scheduler: Value,
        pub(crate) controller_manager: Value,
        #[allow(dead_code, reason = "read from its own tree, with positions")]
        pub(crate) kubelet: Value,
        pub(crate) fencing: Value,
        pub(crate) cluster_autoscaler: Value,
        pub(crate) network: Option<NetworkDocument>,
        pub(crate) history: Vec<String>,
    }

    /// The field `spec.components.network` of a Scenario document.
    pub(crate) struct NetworkDocument { pub(crate) latency: Option<String>, pub(crate) jitter: Option<String> }
    /// The field `spec.search` of a Scenario document.
    pub(crate) struct SearchDocument { pub(crate) faults: Option<Vec<String>>, pub(crate) horizon: Option<String>, pub(crate) max: Option<u32> }
    pub(crate) struct EntryDocument { pub(crate) at: WrittenTime, pub(crate) run: Option<String>, pub(crate) apply: Option<String>, pub(crate) api: Option<ApiDocument> }
    /// An API call of a program. The body is a text, or any other value, which is sent as JSON.
    pub(crate) struct ApiDocument { pub(crate) method: String, pub(crate) path: String, pub(crate) content_type: String, pub(crate) body: Value }
    pub(crate) struct StepDocument {
        pub(crate) text: String,
        pub(crate) when: Option<ExpectDocument>,
        pub(crate) highlight: Vec<String>,
        pub(crate) try_command as "try": Option<String>,
        pub(crate) predict: Option<PredictDocument>,
        pub(crate) manifest: Option<String>,
        pub(crate) hints: Vec<String>,
        // The goals of the step: a condition, or a list of conditions.
        pub(crate) goal: Value,
        pub(crate) keep: Value,
        pub(crate) mistakes: Vec<MistakeDocument>,
    }

    pub(crate) struct PredictDocument {
        pub(crate) ask: String,
        pub(crate) options: Vec<Value>,
        pub(crate) is: Option<ExpectDocument>,
        pub(crate) until: Option<ExpectDocument>,
        pub(crate) why: ordered::Map<String, String>,
    }

    /// A mistake with its explanation. `when` is a condition, or a list of conditions that must all hold.
    pub(crate) struct MistakeDocument { pub(crate) when: Value, pub(crate) say: String }
    /// An expectation of a scenario, or a condition of a step.
    pub(crate) struct ExpectDocument {
        pub(crate) at: WrittenTime,
        pub(crate) by: WrittenTime,
        pub(crate) always: Option<String>,
        pub(crate) object: Option<String>,
        pub(crate) path: Option<String>,
        pub(crate) count: Option<String>,
        pub(crate) requests: Option<String>,
        pub(crate) ready: Option<String>,
        pub(crate) same: Option<String>,
        // The condition that must not hold at any time after the step was shown.
        pub(crate) never: Value,
        pub(crate) exists: Option<bool>,
        pub(crate) equals: Value,
        pub(crate) not: Value,
        pub(crate) least: Option<i64>,
        pub(crate) most: Option<i64>,
        pub(crate) say: Option<String>,
    }
}

/// Returns the names of the fields that each struct of a Scenario document accepts. The struct names are those in the
/// table for completion in the editor.
#[cfg(test)]
pub(crate) fn accepted_fields() -> Vec<(&'static str, Vec<String>)> {
    use podscope_api::wire::Record;
    let all: [(&'static str, &dyn Record); 13] = [
        ("Scenario", &Document::default()),
        ("Metadata", &Metadata::default()),
        ("Spec", &Spec::default()),
        ("Cluster", &ClusterDocument::default()),
        ("NodeGroup", &NodeGroupDocument::default()),
        ("Components", &Components::default()),
        ("Network", &NetworkDocument::default()),
        ("Search", &SearchDocument::default()),
        ("Entry", &EntryDocument::default()),
        ("Api", &ApiDocument::default()),
        ("Step", &StepDocument::default()),
        ("Predict", &PredictDocument::default()),
        ("Condition", &ExpectDocument::default()),
    ];
    all.map(|(name, record)| (name, record.shape().names().collect()))
        .into()
}
