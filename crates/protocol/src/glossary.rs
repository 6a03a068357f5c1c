//! Glossary of the terms in lessons. A story links to a term with `[[term]]` or `[[term|link text]]`; a click shows the
//! definition.

/// The terms with their definitions, in alphabetical order.
pub const GLOSSARY: &[(&str, &str)] = &[
    (
        "affinity",
        "A rule of a pod about labels: of nodes it wants (node affinity), or of pods it wants beside it or away from it (pod affinity, anti-affinity).",
    ),
    (
        "allocatable",
        "What a node has for pods: its capacity less what the system keeps.",
    ),
    (
        "API server",
        "The door of the control plane: every object is written and read through it, and through nothing else.",
    ),
    (
        "app member",
        "A command of this playground that says who votes in a group of processes, such as an etcd in pods. A real group has a tool of its own for it: etcdctl member.",
    ),
    (
        "back-off",
        "A wait before the next try, which doubles after each failure: 10 s, 20 s, 40 s, up to five minutes for a container.",
    ),
    (
        "behaviour annotation",
        "behavior.podscope.dev/CONTAINER says how a container of the simulation behaves: when it exits, how long it starts, what its probes answer. A real cluster ignores it.",
    ),
    (
        "binding",
        "The scheduler's word to the API server: this pod belongs to that node. It is never taken back.",
    ),
    (
        "cluster",
        "Machines that run containers together, and the control plane that says which.",
    ),
    (
        "condition",
        "A named yes, no or unknown in an object's status, with a reason and the time of its last change.",
    ),
    (
        "container",
        "A program that runs apart from the others of its machine, with files of its own.",
    ),
    (
        "control plane",
        "The programs that decide for a cluster: API server, etcd, scheduler and controllers.",
    ),
    (
        "controller",
        "A program that compares what should be with what is, and asks the API server for the difference.",
    ),
    (
        "cordon",
        "To mark a node so that no new pods are placed on it. What runs there runs on.",
    ),
    ("DaemonSet", "A controller that keeps one pod on each node that fits."),
    (
        "Deployment",
        "A controller that keeps pods of one template through ReplicaSets, and replaces them step by step when the template changes.",
    ),
    (
        "DeviceClass",
        "A kind of devices, such as GPUs, chosen by an expression about what drivers publish.",
    ),
    (
        "disruption budget",
        "A PodDisruptionBudget: how many pods of a kind may be missing when somebody asks politely, by eviction.",
    ),
    (
        "drain",
        "To cordon a node and ask for the eviction of each of its pods.",
    ),
    (
        "endpoint",
        "A pod that a Service sends traffic to; the list stands in its EndpointSlices.",
    ),
    (
        "EndpointSlice",
        "The list of the pods that a Service sends traffic to, with who of them is ready.",
    ),
    (
        "eviction",
        "A deletion that asks first: the API checks disruption budgets. The kubelet's own eviction, when a node runs short, asks nobody, and neither does a NoExecute taint.",
    ),
    (
        "fault",
        "A command of this playground, beside kubectl: it ends programs, cuts networks, switches machines off, and heals again. In a real cluster such things happen without being asked.",
    ),
    (
        "fencing",
        "To make sure that a machine does no harm, by taking its power, its storage or its network.",
    ),
    (
        "finalizer",
        "A name in an object's list: somebody has to do something before the object may go.",
    ),
    (
        "grace period",
        "How long a pod has from the request for its deletion to SIGKILL; 30 s unless the pod says otherwise.",
    ),
    (
        "heartbeat",
        "A kubelet's sign of life: it renews its lease every 10 s. After 50 s of silence the node is Unknown.",
    ),
    (
        "image",
        "What a container is made of: a program with its files, kept in a registry and pulled by the kubelet.",
    ),
    (
        "init container",
        "A container that runs to its end before the others of its pod start.",
    ),
    (
        "Job",
        "A controller that runs pods until enough of them have succeeded.",
    ),
    (
        "kubelet",
        "The agent of Kubernetes on each machine. It starts and stops containers, and reports.",
    ),
    (
        "label",
        "A key and a value on an object. Selectors find objects by their labels, and by nothing else.",
    ),
    (
        "lease",
        "A small object that its holder renews: proof of life of a node, or of the leader of a component.",
    ),
    (
        "limit",
        "The most that a container may use; the node enforces it. Over its memory limit a container is killed.",
    ),
    (
        "liveness probe",
        "A question that the kubelet asks again and again; after some failures in a row it restarts the container.",
    ),
    (
        "load annotation",
        "behavior.podscope.dev/load on a HorizontalPodAutoscaler says what all pods of its target have to do together, over time: cpu=300m..2@60s. A real cluster ignores it, and measures.",
    ),
    ("manifest", "An object written down as YAML, to be applied."),
    ("namespace", "A part of a cluster with names of its own."),
    ("node", "A machine of the cluster, as the API knows it."),
    (
        "nomination",
        "The scheduler's note on a pod that room is being made for it on that node. It is no promise.",
    ),
    (
        "owner",
        "The object that made another one, and without which that one is removed.",
    ),
    (
        "PersistentVolumeClaim",
        "An object that asks for storage; a PersistentVolume is the storage. A pod mounts its volume through the claim.",
    ),
    (
        "phase",
        "A pod's life in one word: Pending, Running, Succeeded, Failed or Unknown.",
    ),
    (
        "pod",
        "One or more containers that are placed together on one node. The smallest thing that Kubernetes starts.",
    ),
    (
        "PodGC",
        "The controller that removes pods which no kubelet will ever report on, those of missing nodes above all.",
    ),
    (
        "pod-deletion-cost",
        "An annotation: of pods that are otherwise alike, those with the lower number go first when a ReplicaSet scales down.",
    ),
    (
        "preemption",
        "To end pods of lower priority so that one of higher priority fits.",
    ),
    (
        "preStop hook",
        "A command that the kubelet runs in a container before it stops it, within the grace period.",
    ),
    (
        "priority",
        "A pod's rank, from its PriorityClass: who is scheduled first, and who may push whom out.",
    ),
    (
        "QoS class",
        "Guaranteed, Burstable or BestEffort, from a pod's requests and limits.",
    ),
    (
        "quorum",
        "More than half of a group's members: as many as it needs to decide.",
    ),
    (
        "readiness probe",
        "A question that the kubelet asks again and again; while it fails, the pod gets no traffic.",
    ),
    (
        "ReplicaSet",
        "A controller that keeps a number of pods of one template. Which pods they are is all the same to it.",
    ),
    (
        "request",
        "What a container reserves on its node. The scheduler counts requests, not use.",
    ),
    (
        "ResourceClaim",
        "An object that asks for devices, and holds them while pods use it.",
    ),
    (
        "ResourceSlice",
        "A list of devices of a node, as their driver publishes it.",
    ),
    (
        "sandbox",
        "What a pod's containers share, its network above all. When it is lost all of them start anew.",
    ),
    (
        "scheduler",
        "The program that chooses a node for each pod that has none.",
    ),
    (
        "scheduling gate",
        "A name in a pod's list that keeps the scheduler from looking at it.",
    ),
    (
        "selector",
        "A condition on labels: app=web finds every object with that label.",
    ),
    (
        "Service",
        "A stable address in front of the ready pods that a selector finds.",
    ),
    ("SIGKILL", "The signal that ends a process at once; none can ignore it."),
    (
        "SIGTERM",
        "The signal that asks a process to end. It may finish its work first, or ignore it.",
    ),
    (
        "sidecar",
        "A container that runs beside the others for all of the pod's life: an init container with restartPolicy Always.",
    ),
    (
        "skew",
        "The difference between the domain with the most matching pods and the one with the fewest.",
    ),
    (
        "spread constraint",
        "A rule of a pod about how evenly pods like it stand over zones or nodes: maxSkew is the difference it allows.",
    ),
    (
        "StatefulSet",
        "A controller that keeps pods with fixed names, one of each at most.",
    ),
    (
        "startup probe",
        "A question that holds the other probes back until it has succeeded once.",
    ),
    (
        "taint",
        "A mark on a node that keeps pods away, unless they tolerate it; with NoExecute it also evicts.",
    ),
    (
        "toleration",
        "A pod's word that it bears a taint, for ever or for some seconds.",
    ),
    (
        "topology domain",
        "All nodes with the same value of a label, such as a zone.",
    ),
    (
        "UID",
        "An object's own number. A new object of an old name has another one.",
    ),
    (
        "volume",
        "Storage that a container mounts. One that outlives its pod is a PersistentVolume.",
    ),
    (
        "zone",
        "Machines that can fail together, such as a data centre. A label on each node says which it is in.",
    ),
];

/// Finds a term, ignoring case. Returns the term and its definition.
pub fn find_term(term: &str) -> Option<&'static (&'static str, &'static str)> {
    GLOSSARY.iter().find(|(known, _)| known.eq_ignore_ascii_case(term))
}

/// Returns the terms to which a text links, each with its link text if that differs.
pub fn linked_terms(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let links = text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]"));
    links.map(|(link, _)| match link.split_once('|') {
        Some((term, words)) => (term, Some(words)),
        None => (link, None),
    })
}

/// Returns the terms to which a text links but which the glossary does not contain.
pub fn unknown_terms(text: &str) -> Vec<&str> {
    let terms = linked_terms(text).map(|(term, _)| term);
    terms.filter(|term| find_term(term).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_term_has_one_definition_sentence() {
        for (at, (term, sentence)) in GLOSSARY.iter().enumerate() {
            assert!(sentence.ends_with('.'), "{term}");
            assert!(
                GLOSSARY
                    .iter()
                    .skip(at + 1)
                    .all(|(other, _)| !other.eq_ignore_ascii_case(term)),
                "{term}"
            );
        }
        assert_eq!(
            unknown_terms("a [[Grace period]], [[back-off|waits]] and [[nonsense]]"),
            ["nonsense"]
        );
    }
}
