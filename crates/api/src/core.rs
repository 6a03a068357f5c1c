//! The smaller kinds: namespaces, services, endpoints, policy, events, configuration.

use crate::ordered;

use crate::macros::string_enum;
use crate::wire_types;
use crate::{
    ConditionStatus, IntOrString, LabelSelector, MicroTime, ObjectMeta, ObjectReference, PreemptionPolicy, Str, Time,
};

wire_types! {
    pub struct Namespace {
        pub metadata: ObjectMeta,
        pub spec: NamespaceSpec,
        pub status: NamespaceStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Finalizers of a namespace (`kubernetes`).
    pub struct NamespaceSpec { pub finalizers: Vec<Str> }
    /// Phase `Active` or `Terminating`.
    pub struct NamespaceStatus { pub phase: Str, pub conditions: Vec<NamespaceCondition> }
    /// Why a namespace does not end.
    pub struct NamespaceCondition {
        pub kind as "type": Str,
        pub status: ConditionStatus,
        pub last_transition_time: Option<Time>,
        pub reason: Str,
        pub message: Str,
    }

    pub struct Service {
        pub metadata: ObjectMeta,
        pub spec: ServiceSpec,
        pub status: ServiceStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Status of a Service; nothing gives it an address from outside.
    pub struct ServiceStatus { pub load_balancer: LoadBalancerStatus }
    /// Addresses from outside travel in the extra fields.
    pub struct LoadBalancerStatus {}
    pub struct ServiceSpec {
        pub ports: Vec<ServicePort>,
        pub selector: Option<ordered::Map<Str, Str>>,
        pub cluster_ip as "clusterIP": Str,
        pub kind as "type": Str,
        pub external_name: Str,
        pub cluster_ips as "clusterIPs": Vec<Str>,
        pub session_affinity: Str,
        pub internal_traffic_policy: Option<Str>,
        pub external_traffic_policy: Str,
        pub ip_families: Vec<Str>,
        pub ip_family_policy: Str,
        pub allocate_load_balancer_node_ports: Option<bool>,
        pub publish_not_ready_addresses: Option<bool>,
        pub session_affinity_config: Option<serde_json::Value>,
        pub health_check_node_port: Option<i32>,
        pub traffic_distribution: Option<Str>,
        pub load_balancer_class: Option<Str>,
        pub load_balancer_source_ranges: Vec<Str>,
        pub external_ips as "externalIPs": Vec<Str>,
    }

    pub struct ServicePort { pub name: Str, pub protocol: Str, pub app_protocol: Option<Str>, pub port: i32, pub target_port: Option<IntOrString>, pub node_port: Option<i32> }
    /// Endpoints of a Service.
    pub struct EndpointSlice {
        pub metadata: ObjectMeta,
        pub address_type: Str,
        pub endpoints: Vec<Endpoint>,
        pub ports: Vec<EndpointPort>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// The older form of a Service's endpoints.
    pub struct Endpoints {
        pub metadata: ObjectMeta,
        pub subsets: Vec<EndpointSubset>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Addresses that have the same ports.
    pub struct EndpointSubset {
        pub addresses: Vec<EndpointAddress>,
        pub not_ready_addresses: Vec<EndpointAddress>,
        pub ports: Vec<EndpointPort>,
    }

    /// An address and whose it is.
    pub struct EndpointAddress {
        pub ip: Str,
        pub hostname: Str,
        pub node_name: Option<Str>,
        pub target_ref: Option<ObjectReference>,
    }

    /// One endpoint (CT-114).
    pub struct Endpoint {
        pub addresses: Vec<Str>,
        pub conditions: EndpointConditions,
        pub target_ref: Option<ObjectReference>,
        pub node_name: Option<Str>,
        pub zone: Option<Str>,
        pub hostname: Option<Str>,
    }

    pub struct EndpointConditions { pub ready: Option<bool>, pub serving: Option<bool>, pub terminating: Option<bool> }
    /// A port of a slice.
    pub struct EndpointPort { pub name: Option<Str>, pub protocol: Option<Str>, pub port: Option<i32>, pub app_protocol: Option<Str> }
    /// A budget of voluntary disruption.
    pub struct PodDisruptionBudget {
        pub metadata: ObjectMeta,
        pub spec: PodDisruptionBudgetSpec,
        pub status: PodDisruptionBudgetStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    pub struct PodDisruptionBudgetSpec {
        pub min_available: Option<IntOrString>,
        pub selector: Option<LabelSelector>,
        pub max_unavailable: Option<IntOrString>,
        pub unhealthy_pod_eviction_policy: Option<Str>,
    }

    /// Status of a budget (CT-097).
    pub struct PodDisruptionBudgetStatus {
        pub observed_generation: Option<i64>,
        pub disrupted_pods: ordered::Map<Str, Time>,
        pub disruptions_allowed: i32,
        pub current_healthy: i32,
        pub desired_healthy: i32,
        pub expected_pods: i32,
        pub conditions: Vec<BudgetCondition>,
    }

    pub struct BudgetCondition {
        pub kind as "type": Str,
        pub status: ConditionStatus,
        pub observed_generation: Option<i64>,
        pub last_transition_time: Option<Time>,
        pub reason: Str,
        pub message [shown]: Str,
    }

    /// A class of priority (S-04).
    pub struct PriorityClass {
        pub metadata: ObjectMeta,
        pub value: i32,
        pub global_default: Option<bool>,
        pub description: Str,
        pub preemption_policy: Option<PreemptionPolicy>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// A ConfigMap; only its presence matters.
    pub struct ConfigMap {
        pub metadata: ObjectMeta,
        pub data: ordered::Map<Str, Str>,
        /// Base64.
        pub binary_data: ordered::Map<Str, Str>,
        pub immutable: Option<bool>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// A Secret; only its presence matters.
    pub struct Secret {
        pub metadata: ObjectMeta,
        pub kind as "type": Str,
        pub data: ordered::Map<Str, Str>,
        /// Becomes `data` when it is written.
        pub string_data: ordered::Map<Str, Str>,
        pub immutable: Option<bool>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// An event about an object (core/v1).
    pub struct Event {
        pub metadata: ObjectMeta,
        pub involved_object: ObjectReference,
        pub reason: Str,
        pub message: Str,
        pub source: EventSource,
        pub first_timestamp [shown]: Option<Time>,
        pub last_timestamp [shown]: Option<Time>,
        pub count: Option<i32>,
        pub kind as "type": Str,
        pub event_time [shown]: Option<MicroTime>,
        pub series: Option<EventSeries>,
        pub action: Str,
        pub related: Option<ObjectReference>,
        pub reporting_component [shown]: Str,
        pub reporting_instance [shown]: Str,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Repetitions of an event of `events.k8s.io`.
    pub struct EventSeries { pub count: i32, pub last_observed_time: Option<MicroTime> }
    /// Who emitted an event.
    pub struct EventSource { pub component: Str, pub host: Str }
}

impl Event {
    /// Who emitted it, and where that runs: newer events name only who reports.
    pub fn emitter(&self) -> (&Str, &Str) {
        if self.source.component.is_empty() {
            (&self.reporting_component, &self.reporting_instance)
        } else {
            (&self.source.component, &self.source.host)
        }
    }
}

string_enum! {
    /// Kind of an event.
    pub enum EventType { Normal = "Normal", Warning = "Warning" }
}
