//! Kubernetes objects as plain data: types, parsing with source positions, defaulting, validation and printing. This
//! crate does not depend on the simulator.
//!
//! Only fields that affect the simulation have Rust types. All other fields of an object are kept in [`Extra`], so that
//! export loses nothing.
//!
//! ```
//! use podscope_api::{default_object, parse, validate};
//!
//! let text = "\
//! apiVersion: v1
//! kind: Pod
//! metadata: {name: web, namespace: default}
//! spec:
//!   topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]
//!   containers: [{name: app, image: nginx}]
//! ";
//! let mut pod = parse(text).objects.remove(0);
//! default_object(&mut pod.value);
//!
//! let wrong = validate(&pod.value);
//! let first = wrong.iter().next().expect("a skew of 0 is refused");
//! assert_eq!(first.path, "spec.topologySpreadConstraints[0].maxSkew");
//! assert_eq!(first.message, "Invalid value: 0: must be greater than zero");
//! assert_eq!(pod.at.position(text, &first.path), (5, 41));
//! ```

mod advice;
mod affinity;
mod autoscaler;
mod behavior;
mod calls;
mod caused_by;
pub mod clock;
pub mod condition_taints;
mod config;
mod core;
pub mod cron;
pub mod custom;
mod danger;
mod decode;
mod default;
mod device;
mod device_description;
mod duration;
mod encoding;
pub mod explained;
mod extra;
pub mod fault;
pub mod features;
mod fields;
pub mod hash;
mod image;
mod json;
pub mod limits;
pub(crate) mod macros;
pub mod managed;
mod meta;
mod node;
mod object;
pub mod ordered;
mod parse;
pub mod pending_event;
mod pod;
mod pod_total;
mod print;
mod quantity;
pub mod quota;
pub mod remedy;
mod residual;
mod restart;
pub mod schema;
mod served;
mod settings;
mod storage;
pub mod structural;
mod time;
mod token_volume;
mod tree;
pub mod untyped;
mod untyped_object;
mod validate;
mod values;
mod versions;
mod visible;
mod warnings;
pub mod well_known;
pub mod wire;
mod workload;
mod yaml;
mod yaml_block;
mod yaml_loose;
mod yaml_scalar;
mod yaml_words;
mod zone;

use std::cell::RefCell;
use std::sync::Arc;

pub use self::advice::{Advice, advice};
pub use self::affinity::NAME_FIELD;
pub use self::autoscaler::{load_annotation_key, metric_source_field, parse_load_annotation};
pub use self::behavior::*;
pub use self::calls::*;
pub use self::caused_by::CausedBy;
pub use self::config::*;
pub use self::core::*;
pub use self::danger::Danger;
pub use self::decode::{ExpectedType, FieldError, Mismatch, decode, decode_lenient};
pub use self::default::{default_object, generate_job_selector, stored_grace_period};
pub use self::device::*;
pub use self::device_description::*;
pub use self::duration::{Duration, parse_duration, print_duration, print_duration_short};
pub use self::encoding::{NotText, decode_text};
pub use self::extra::Extra;
pub use self::token_volume::TokenVolumeSuffix;
/// The name of the ConfigMap with the cluster's CA certificate; every namespace has this ConfigMap.
pub const ROOT_CA_CONFIG_MAP: &str = "kube-root-ca.crt";
pub use self::fields::{Field, field_values, fields};
pub use self::image::{check_image_name, is_image_reference};
pub use self::meta::*;
pub use self::node::*;
pub use self::object::*;
pub use self::parse::{
    Config, ConvertedObjects, LineIndex, Located, Location, Parsed, Problem, ProblemKind, SyntaxError,
    UnsimulatedObject, object_from_tree, object_from_value, parse, read_documents, read_yaml, read_yaml_document,
};
pub use self::pod::*;
pub use self::pod_total::is_pod_level_resource;
pub use self::print::{print_json, print_yaml};
pub use self::quantity::{Format, Quantity};
pub use self::restart::{RESTARTING_ALL, RestartDecider, RestartDecision, RestartReason, RestartRuleOfContainer};
pub use self::served::{
    ALL_VERBS, API_EXTENSIONS, KUBERNETES_VERSION, OTHER_GROUP_VERSIONS, OTHER_RESOURCES, OtherResource,
    no_matches_message,
};
pub use self::settings::*;
pub use self::storage::*;
pub use self::time::{MicroTime, Time, go_time_error, parse_rfc3339, print_rfc1123, print_rfc3339};
pub use self::tree::{Data, Entry, Tree};
pub use self::untyped_object::UntypedObject;
pub use self::validate::{
    ADDRESS_TYPES, AllocationError, ErrorList, HOST_PATH_TYPES, PROC_MOUNT_TYPES, QUOTA_SCOPES, ValidationError,
    check_service_allocation, label_value_problems, port_name_problems, qualified_name_problems, stored_version,
    subdomain_problems, validate, validate_ephemeral_containers, validate_events_k8s_io_event,
    validate_events_k8s_io_update, validate_metadata_update, validate_resize, validate_status_update, validate_update,
};
pub use self::versions::{served_form, stored_form};
pub use self::visible::visible;
pub use self::warnings::{DEPRECATED_ENDPOINTS, warnings};
pub use self::workload::*;
pub use self::zone::Zone;

/// A shared, immutable string. Names and labels are cloned far more often than they are created.
pub type Str = Arc<str>;

/// Maximum number of strings that [`shared`] interns.
const MAX_INTERNED_STRINGS: usize = 4096;

/// Interns a string that many objects have in common, such as a condition type or an event reason. Only the first
/// `MAX_INTERNED_STRINGS` distinct strings are interned; later ones are allocated anew.
pub fn shared(text: &str) -> Str {
    thread_local! {
        static INTERNED: RefCell<ordered::Set<Str>> = const { RefCell::new(ordered::Set::new()) };
    }
    if text.is_empty() {
        return Str::default();
    }
    INTERNED.with_borrow_mut(|known| match known.get(text) {
        Some(known) => known.clone(),
        None => {
            let text = Str::from(text);
            if known.len() < MAX_INTERNED_STRINGS {
                known.insert(text.clone());
            }
            text
        }
    })
}

/// An integer or a string (`intstr.IntOrString`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntOrString {
    Int(i32),
    /// A percentage or a port name.
    String(Str),
}

impl IntOrString {
    /// Resolves the container port of a probe or hook: a number, or the name of one of the container's ports.
    ///
    /// # Errors
    /// The kubelet's error for a name that no port has (`ResolveContainerPort`).
    pub fn port_of(&self, container: &Container) -> Result<i32, String> {
        let port = match self {
            Self::Int(number) => *number,
            Self::String(name) => match container.ports.iter().find(|port| port.name == *name) {
                Some(port) => port.container_port,
                None => match name.parse::<i64>() {
                    Ok(number) => i32::try_from(number).unwrap_or(-1),
                    Err(_) => return Err(format!("strconv.Atoi: parsing \"{name}\": invalid syntax")),
                },
            },
        };
        if (1..=65535).contains(&port) {
            Ok(port)
        } else {
            Err(format!("invalid port number: {port}"))
        }
    }
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl std::fmt::Display for IntOrString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::String(text) => f.write_str(text),
        }
    }
}
