//! The smaller kinds: Namespaces, Services, endpoints, PodDisruptionBudgets, PriorityClasses, ConfigMaps, Secrets and
//! events.

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
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a namespace: its finalizers, by default only `kubernetes`.
    pub struct NamespaceSpec { pub finalizers: Vec<Str> }
    /// Status of a namespace: its phase, which is `Active` or `Terminating`, and its conditions.
    pub struct NamespaceStatus { pub phase: Str, pub conditions: Vec<NamespaceCondition> }
    /// A condition that tells why a namespace is not yet deleted.
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
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Status of a Service. Podscope assigns no external load balancer address.
    pub struct ServiceStatus { pub load_balancer: LoadBalancerStatus }
    /// The external addresses of a Service. They are not simulated, so they are kept in `Extra`.
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
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The older API for a Service's endpoints, replaced by [`EndpointSlice`].
    pub struct Endpoints {
        pub metadata: ObjectMeta,
        pub subsets: Vec<EndpointSubset>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Addresses that share the same ports.
    pub struct EndpointSubset {
        pub addresses: Vec<EndpointAddress>,
        pub not_ready_addresses: Vec<EndpointAddress>,
        pub ports: Vec<EndpointPort>,
    }

    /// An endpoint's IP address and the pod it belongs to.
    pub struct EndpointAddress {
        pub ip: Str,
        pub hostname: Str,
        pub node_name: Option<Str>,
        pub target_ref: Option<ObjectReference>,
    }

    /// One endpoint of a slice. Its conditions derive from the pod's readiness and deletion (CT-114).
    pub struct Endpoint {
        pub addresses: Vec<Str>,
        pub conditions: EndpointConditions,
        pub target_ref: Option<ObjectReference>,
        pub node_name: Option<Str>,
        pub zone: Option<Str>,
        pub hostname: Option<Str>,
    }

    pub struct EndpointConditions { pub ready: Option<bool>, pub serving: Option<bool>, pub terminating: Option<bool> }
    /// A port of an EndpointSlice.
    pub struct EndpointPort { pub name: Option<Str>, pub protocol: Option<Str>, pub port: Option<i32>, pub app_protocol: Option<Str> }
    /// A limit on voluntary disruptions of a set of pods.
    pub struct PodDisruptionBudget {
        pub metadata: ObjectMeta,
        pub spec: PodDisruptionBudgetSpec,
        pub status: PodDisruptionBudgetStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct PodDisruptionBudgetSpec {
        pub min_available: Option<IntOrString>,
        pub selector: Option<LabelSelector>,
        pub max_unavailable: Option<IntOrString>,
        pub unhealthy_pod_eviction_policy: Option<Str>,
    }

    /// Status of a PodDisruptionBudget, written by the disruption controller (CT-097).
    pub struct PodDisruptionBudgetStatus {
        pub observed_generation: Option<i64>,
        pub disrupted_pods: ordered::Map<Str, Time>,
        pub disruptions_allowed: i32,
        pub current_healthy: i32,
        pub desired_healthy: i32,
        pub expected_pods: i32,
        pub conditions: Vec<BudgetCondition>,
    }

    pub struct BudgetCondition as "Condition" {
        pub kind as "type": Str,
        pub status: ConditionStatus,
        pub observed_generation: Option<i64>,
        pub last_transition_time: Option<Time>,
        pub reason: Str,
        pub message [shown]: Str,
    }

    /// A named priority for pods (S-04).
    pub struct PriorityClass {
        pub metadata: ObjectMeta,
        pub value: i32,
        pub global_default: Option<bool>,
        pub description: Str,
        pub preemption_policy: Option<PreemptionPolicy>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// A ConfigMap. The simulation looks only at whether it exists.
    pub struct ConfigMap {
        pub metadata: ObjectMeta,
        pub data: ordered::Map<Str, Str>,
        /// Values encoded in base64.
        pub binary_data: ordered::Map<Str, Str>,
        pub immutable: Option<bool>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// A Secret. The simulation looks only at whether it exists.
    pub struct Secret {
        pub metadata: ObjectMeta,
        pub kind as "type": Str,
        pub data: ordered::Map<Str, Str>,
        /// Plain-text values; the API server moves them to `data` on write.
        pub string_data: ordered::Map<Str, Str>,
        pub immutable: Option<bool>,
        /// Fields that Podscope does not simulate, kept for export.
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
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Repetitions of an event, as `events.k8s.io` counts them.
    pub struct EventSeries { pub count: i32, pub last_observed_time: Option<MicroTime> }
    /// The component that emitted an event.
    pub struct EventSource { pub component: Str, pub host: Str }
}

impl Event {
    /// Returns the component that emitted the event, and its host. Events of `events.k8s.io` set only the reporting
    /// fields.
    pub fn emitter(&self) -> (&Str, &Str) {
        if self.source.component.is_empty() {
            (&self.reporting_component, &self.reporting_instance)
        } else {
            (&self.source.component, &self.source.host)
        }
    }
}

string_enum! {
    pub enum EventType { Normal, Warning }
}
