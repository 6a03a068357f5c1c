//! Switches for history and what-if runs (F-20): each brings back one behaviour of an older Kubernetes version.
//! Invariants cannot read them.

macro_rules! switches {
    ($($(#[$m:meta])* $field:ident = $text:literal),* $(,)?) => {
        /// The active switches; none active is Kubernetes v1.36.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Switches { $($(#[$m])* pub $field: bool),* }
        impl Switches {
            /// All names, in declaration order.
            pub const NAMES: &'static [&'static str] = &[$($text),*];
            /// Turns a switch on; returns false if the name is unknown.
            pub fn turn_on(&mut self, name: &str) -> bool {
                match name { $($text => { self.$field = true; true })* _ => false }
            }

            /// Returns the active switches as the user writes them, in declaration order.
            pub fn active_names(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$field { names.push($text); })*
                names
            }
        }
    };
}
switches! {
    /// The node controller force-deletes pods of lost nodes (before 1.5).
    node_controller_force_deletes = "node-controller-force-deletes",
    namespace_controller_force_deletes = "namespace-controller-force-deletes",
    /// The cluster has no PodGC controller.
    podgc_absent = "podgc-absent",
    /// The kubelet kills without the minimum grace period of two seconds.
    kubelet_without_two_second_floor = "kubelet-without-two-second-floor",
    /// The rules for grace periods are those of v1.23 (seed 003 in docs/README.md).
    grace_rules_v1_23 = "grace-rules-v1.23",
    /// After a partition heals, the kubelet recreates its deleted Node (seed 000 in docs/README.md).
    healed_kubelet_reregisters = "healed-kubelet-reregisters",
    /// A StatefulSet replaces pods of unreachable nodes.
    statefulset_replaces_unreachable = "statefulset-replaces-unreachable",
    /// Pods of lost nodes are set to Failed (seed 002 in docs/README.md).
    lost_node_pods_failed = "lost-node-pods-failed",
    /// Pod priority is ignored.
    pod_priority_off = "pod-priority-off",
    /// `preemptionPolicy: Never` is ignored.
    non_preempting_off = "non-preempting-off",
    /// Node-pressure eviction spares pods whose usage is within their requests.
    within_requests_exempt = "within-requests-exempt",
}
