//! Workloads for measuring the time of decisions. The code here does not read a clock: the caller measures
//! [`Bench::decide`].

use std::sync::Arc;

use podscope_api::{
    Affinity, CelDeviceSelector, Container, Device, DeviceAttribute, DeviceClass, DeviceRequest, DeviceSelector,
    ExactDeviceRequest, LabelSelector, Node, NodeName, Object, Pod, PodAffinity, PodAffinityTerm, PodDisruptionBudget,
    PodPhase, PodResourceClaim, Quantity, ResourceClaim, ResourceSlice, Str, Time, TopologySpreadConstraint,
    UnsatisfiableAction, WeightedPodAffinityTerm,
};

use crate::attempt::{Attempt, Outcome};
use crate::config::SchedulerConfiguration;
use crate::scheduler::{NoRecorder, Scheduler};

/// Scheduling constraints of the measured pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// Pods with requests of 100m cpu and 500Mi memory, without constraints.
    Basic,
    /// Pods spread over zones with maxSkew 5 and ScheduleAnyway.
    SoftSpread,
    /// Pods spread over zones with maxSkew 5 and DoNotSchedule.
    Spread,
    /// Pods with preferred anti-affinity on the hostname, weight 1.
    Anti,
    /// Pods with required affinity on the zone.
    Affinity,
    /// Full nodes, pods with ten priorities, and one PodDisruptionBudget per app: every decision preempts.
    Preempt,
    /// Pods with a claim of one device, selected by CEL expressions of class and request; each node has eight devices.
    Dra,
}

impl Workload {
    /// All workloads with their names.
    pub const ALL: [(Workload, &'static str); 7] = [
        (Workload::Basic, "basic"),
        (Workload::SoftSpread, "softspread"),
        (Workload::Spread, "spread"),
        (Workload::Anti, "anti"),
        (Workload::Affinity, "affinity"),
        (Workload::Preempt, "preempt"),
        (Workload::Dra, "dra"),
    ];
    /// Finds a workload by its command-line name.
    pub fn from_name(name: &str) -> Option<Workload> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(workload, _)| *workload)
    }
}

/// Size of the measured cluster, and options of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchOptions {
    /// Number of nodes. Each has 16 cpu, 64Gi of memory and a limit of 110 pods; the nodes are spread over three zones.
    pub nodes: usize,
    /// Number of pods that run before the first decision.
    pub pods: usize,
    /// Number of different pod templates (labels and selectors); 1 gives all pods the same template.
    pub templates: usize,
    /// Whether a running pod is deleted before every decision.
    pub deletions: bool,
    /// Whether Filter runs on every node; otherwise it stops after enough feasible nodes.
    pub without_sampling: bool,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self {
            nodes: 5000,
            pods: 5000,
            templates: 1,
            deletions: false,
            without_sampling: false,
        }
    }
}

const ZONES: [&str; 3] = ["a", "b", "c"];
const N_APPS: usize = 20;

/// A scheduler with its cluster and a generator of pods.
#[derive(Debug, Clone)]
pub struct Bench {
    workload: Workload,
    options: BenchOptions,
    scheduler: Scheduler,
    /// Running pods, oldest first. With [`BenchOptions::deletions`], the first one is deleted before a decision.
    running: std::collections::VecDeque<Arc<Pod>>,
    /// Number of pods generated so far.
    n_generated: usize,
    random: u64,
    pending: Option<Arc<Pod>>,
}

fn container_with_requests(cpu: i64, memory_mib: i64) -> Arc<Vec<Container>> {
    let mut container = Container {
        name: "c".into(),
        image: "registry.k8s.io/pause:3.10".into(),
        ..Container::default()
    };
    let requests = &mut Arc::make_mut(&mut container.resources).requests;
    requests.insert("cpu".into(), Quantity::from_milli(cpu));
    requests.insert("memory".into(), Quantity::from_bytes(memory_mib << 20));
    Arc::new(vec![container])
}

/// Number of devices of each node, in the workload `dra`.
const DEVICES_PER_NODE: usize = 8;

fn device_class() -> Object {
    let mut class = DeviceClass::default();
    class.metadata.name = "gpu".into();
    class
        .spec
        .selectors
        .push(device_selector("device.driver == 'gpu.example.com'"));
    Object::DeviceClass(Arc::new(class))
}

fn device_selector(expression: &str) -> DeviceSelector {
    let expression = expression.into();
    DeviceSelector {
        cel: Some(CelDeviceSelector { expression }),
    }
}

fn resource_slice(index: usize) -> Object {
    let node: Str = format!("node-{index}").into();
    let mut slice = ResourceSlice::default();
    slice.metadata.name = format!("{node}-gpus").into();
    let spec = &mut slice.spec;
    spec.driver = "gpu.example.com".into();
    spec.node_name = Some(node.clone());
    (spec.pool.name, spec.pool.generation, spec.pool.resource_slice_count) = (node, 1, 1);
    for number in 0..DEVICES_PER_NODE {
        let mut device = Device {
            name: format!("gpu-{number}").into(),
            ..Device::default()
        };
        let model = DeviceAttribute {
            string: Some(if number % 2 == 0 { "A100" } else { "T4" }.into()),
            ..DeviceAttribute::default()
        };
        device.attributes.insert("model".into(), model);
        spec.devices.push(device);
    }
    Object::ResourceSlice(Arc::new(slice))
}

/// Returns the claim of a pod; it has the same name as the pod.
fn claim_for_pod(pod: &Pod) -> ResourceClaim {
    let mut claim = ResourceClaim::default();
    claim.metadata.name = pod.metadata.name.clone();
    claim.metadata.namespace = pod.metadata.namespace.clone();
    claim.metadata.uid = format!("claim-{}", pod.metadata.name).into();
    claim.spec.devices.requests.push(DeviceRequest {
        name: "gpu".into(),
        exactly: Some(ExactDeviceRequest {
            device_class_name: "gpu".into(),
            selectors: vec![device_selector("device.attributes['gpu.example.com'].model == 'T4'")],
            allocation_mode: "ExactCount".into(),
            count: Some(1),
            ..ExactDeviceRequest::default()
        }),
        ..DeviceRequest::default()
    });
    claim
}

fn node(index: usize) -> Object {
    let name: Str = format!("node-{index}").into();
    let mut node = Node::default();
    node.metadata.name = name.clone();
    let labels = Arc::make_mut(&mut node.metadata.labels);
    labels.insert("kubernetes.io/hostname".into(), name);
    labels.insert("topology.kubernetes.io/zone".into(), ZONES[index % 3].into());
    for (resource, quantity) in [
        ("cpu", Quantity::from_units(16)),
        ("memory", Quantity::from_bytes(64 << 30)),
        ("pods", Quantity::from_units(110)),
    ] {
        node.status.allocatable.insert(resource.into(), quantity);
    }
    Object::Node(Arc::new(node))
}

impl Bench {
    /// Builds the cluster with its running pods.
    pub fn new(workload: Workload, options: BenchOptions) -> Self {
        let config = SchedulerConfiguration::default();
        let config = if options.without_sampling {
            config.without_sampling()
        } else {
            config
        };
        let mut bench = Self {
            workload,
            options,
            scheduler: Scheduler::new(config, 0),
            running: std::collections::VecDeque::new(),
            n_generated: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            pending: None,
        };
        for index in 0..options.nodes {
            bench.scheduler.on_change(None, Some(&node(index)), 0);
        }
        if workload == Workload::Dra {
            bench.scheduler.on_change(None, Some(&device_class()), 0);
            for index in 0..options.nodes {
                bench.scheduler.on_change(None, Some(&resource_slice(index)), 0);
            }
        }
        if workload == Workload::Preempt {
            for app in 0..N_APPS {
                let mut budget = PodDisruptionBudget::default();
                budget.metadata.name = format!("app-{app}").into();
                budget.metadata.namespace = "default".into();
                budget.spec.selector = Some(app_selector(&format!("app-{app}")));
                budget.status.disruptions_allowed = (app % 4) as i32;
                bench
                    .scheduler
                    .on_change(None, Some(&Object::PodDisruptionBudget(Arc::new(budget))), 0);
            }
        }
        let existing = if workload == Workload::Preempt {
            options.nodes * 4
        } else {
            options.pods
        };
        for index in 0..existing {
            let mut pod = bench.pod(index);
            if workload == Workload::Preempt {
                pod.spec.priority = Some((index / 3 % 10) as i32 * 10);
            }
            // With zone affinity, all pods of one template run in the same zone.
            let node_index = if workload == Workload::Affinity {
                (index * 3) % options.nodes
            } else {
                index % options.nodes
            };
            pod.spec.node_name = Some(NodeName(format!("node-{node_index}").into()));
            pod.status.phase = Some(PodPhase::Running);
            pod.status.start_time = Some(Time::from_seconds(index as i64));
            let pod = Arc::new(pod);
            bench.scheduler.on_change(None, Some(&Object::Pod(pod.clone())), 0);
            bench.running.push_back(pod);
        }
        bench
    }

    /// Returns the number of running pods.
    pub fn running_pod_count(&self) -> usize {
        self.running.len()
    }

    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn pod(&mut self, index: usize) -> Pod {
        self.n_generated += 1;
        let mut pod = Pod::default();
        pod.metadata.name = format!("pod-{}", self.n_generated).into();
        pod.metadata.namespace = "default".into();
        pod.metadata.uid = format!("uid-{}", self.n_generated).into();
        let app = match self.workload {
            Workload::Preempt => format!("app-{}", index % N_APPS),
            _ => format!("app-{}", index % self.options.templates),
        };
        Arc::make_mut(&mut pod.metadata.labels).insert("app".into(), app.as_str().into());
        pod.spec.scheduler_name = "default-scheduler".into();
        let term = |key: &str| PodAffinityTerm {
            label_selector: Some(app_selector(&app)),
            topology_key: key.into(),
            ..PodAffinityTerm::default()
        };
        let spread = |action| TopologySpreadConstraint {
            max_skew: 5,
            topology_key: "topology.kubernetes.io/zone".into(),
            when_unsatisfiable: Some(action),
            label_selector: Some(app_selector(&app)),
            ..TopologySpreadConstraint::default()
        };
        pod.spec.containers = container_with_requests(100, 500);
        match self.workload {
            Workload::Basic => {}
            Workload::SoftSpread => {
                pod.spec.topology_spread_constraints = Arc::new(vec![spread(UnsatisfiableAction::ScheduleAnyway)]);
            }
            Workload::Spread => {
                pod.spec.topology_spread_constraints = Arc::new(vec![spread(UnsatisfiableAction::DoNotSchedule)]);
            }
            Workload::Anti => {
                let mut rules = PodAffinity::default();
                rules
                    .preferred_during_scheduling_ignored_during_execution
                    .push(WeightedPodAffinityTerm {
                        weight: 1,
                        pod_affinity_term: term("kubernetes.io/hostname"),
                    });
                pod.spec.affinity = Some(Arc::new(Affinity {
                    pod_anti_affinity: Some(rules),
                    ..Affinity::default()
                }));
            }
            Workload::Affinity => {
                let mut rules = PodAffinity::default();
                rules
                    .required_during_scheduling_ignored_during_execution
                    .push(term("topology.kubernetes.io/zone"));
                pod.spec.affinity = Some(Arc::new(Affinity {
                    pod_affinity: Some(rules),
                    ..Affinity::default()
                }));
            }
            Workload::Preempt => pod.spec.containers = container_with_requests(4000, 500),
            Workload::Dra => pod.spec.resource_claims.push(PodResourceClaim {
                name: "gpu".into(),
                resource_claim_name: Some(pod.metadata.name.clone()),
                ..PodResourceClaim::default()
            }),
        }
        pod
    }

    /// Creates the next pending pod and, with `BenchOptions::deletions`, deletes the oldest running one. The caller
    /// does not measure this call.
    pub fn prepare(&mut self, index: usize) {
        if self.options.deletions
            && let Some(pod) = self.running.pop_front()
        {
            self.scheduler.on_change(Some(&Object::Pod(pod)), None, 0);
        }
        let mut pod = self.pod(index);
        if self.workload == Workload::Preempt {
            pod.spec.priority = Some(1000);
        }
        if self.workload == Workload::Dra {
            let claim = Object::ResourceClaim(Arc::new(claim_for_pod(&pod)));
            self.scheduler.on_change(None, Some(&claim), 0);
        }
        let pod = Arc::new(pod);
        self.scheduler.on_change(None, Some(&Object::Pod(pod.clone())), 0);
        self.pending = Some(pod);
    }

    /// Schedules the prepared pod. The caller measures this call.
    pub fn decide(&mut self) -> Option<Attempt> {
        let mut random = self.random;
        let mut draw = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let attempt = self.scheduler.schedule_one(0, &mut draw, &mut NoRecorder);
        self.random = random;
        attempt
    }

    /// Carries out the decision: binds the pod, or deletes its victims and then binds the pod to the node of the
    /// victims. The caller does not measure this call.
    pub fn carry_out(&mut self, attempt: &Attempt) {
        let Some(pod) = self.pending.take() else {
            return;
        };
        let node = match &attempt.outcome {
            Outcome::Assumed { node, devices, .. } => {
                for (claim, allocation) in devices.iter().flat_map(|devices| &devices.claims) {
                    let mut written = ResourceClaim::clone(claim);
                    written.status.allocation.clone_from(allocation);
                    let (old, new) = (
                        Object::ResourceClaim(claim.clone()),
                        Object::ResourceClaim(Arc::new(written)),
                    );
                    self.scheduler.on_change(Some(&old), Some(&new), 0);
                }
                node.clone()
            }
            Outcome::Unschedulable {
                preempt: Some(preempt), ..
            } => {
                self.scheduler.preemption_finished(&attempt.uid);
                for victim in &preempt.victims {
                    if let Some(info) = self.scheduler.cache().pod(&victim.uid) {
                        let deleted = Object::Pod(info.pod.clone());
                        self.scheduler.on_change(Some(&deleted), None, 0);
                    }
                }
                preempt.node.clone()
            }
            _ => {
                let _ = self.next_random();
                self.scheduler.on_change(Some(&Object::Pod(pod)), None, 0);
                return;
            }
        };
        let mut bound = (*pod).clone();
        bound.spec.node_name = Some(node);
        bound.status.phase = Some(PodPhase::Running);
        let bound = Arc::new(bound);
        let (old, new) = (Object::Pod(pod), Object::Pod(bound.clone()));
        self.scheduler.on_change(Some(&old), Some(&new), 0);
        let _ = self.scheduler.bind_finished(&attempt.uid, Ok(()), 0);
        self.running.push_back(bound);
    }

    /// Returns the pod created by the last [`Bench::prepare`].
    pub fn pending(&self) -> Option<&Arc<Pod>> {
        self.pending.as_ref()
    }

    /// Returns the scheduler, so that tests can compare its cache with a newly built one.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }
}

fn app_selector(app: &str) -> LabelSelector {
    let mut selector = LabelSelector::default();
    selector.match_labels.insert("app".into(), app.into());
    selector
}
