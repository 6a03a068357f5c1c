//! Counts how many more pods fit into a cluster (see `count.rs`). The shapes of these pods are given by files, or by an
//! existing pod.
//!
//! For a DaemonSet, the answer is the number of nodes on which its pod runs: in a copy of the cluster, the DaemonSet's
//! controller creates the pods.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use podscope_api::{Kind, Node, Object, ObjectKey, Pod, ordered};
use podscope_cluster::{Objects, Rng, Span};
use podscope_kubectl::command;
use podscope_protocol::Problem;
use podscope_scheduler::{Scheduler, SchedulerConfiguration};
use serde::Serialize;

use super::count::{AdmittedShape, CopyCounter};
use super::room_search::{RoomChange, RoomQuestion, RoomSearch};
use super::run;
use super::{ProgressStage, WorkControl};
use crate::scenario::{self, File, Loaded};
use crate::timeline::{Session, Slice};
use podscope_cluster::scheduler_of;

/// Maximum number of copies of a pod that are counted.
pub const MAX_COPIES: usize = 100_000;
/// Number of placed copies between two progress reports.
const COPIES_PER_REPORT: usize = 100;

/// A file with a Pod or with a workload that has a pod template, and the number of copies in each round of the count.
#[derive(Debug, Clone)]
pub struct PodShape {
    pub file: File,
    pub copies: usize,
}

/// The answer to the question how many more pods fit into a cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FitAnswer {
    pub fits: usize,
    /// For each node, the reason why it refuses the next pod. Empty if the maximum number of copies was reached.
    pub stopped_by: Vec<RefusingNode>,
    /// Number of placed pods on each node.
    pub on: ordered::Map<String, usize>,
    /// Number of placed pods of each shape, in the order of the question.
    pub shapes: Vec<ShapeFit>,
    /// Changes of the cluster that would each make room for the needed pods, the smallest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<RoomChange>,
    /// The nodes on which a DaemonSet does not create a pod.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unwanted: Vec<String>,
}

/// Number of placed pods of one shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShapeFit {
    /// Name of the file with the shape.
    pub shape: String,
    pub fits: usize,
    /// Whether the count ended because the next pod of this shape did not fit.
    pub stops: bool,
}

/// A node, with the reason why it refuses the next pod.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusingNode {
    pub node: String,
    /// Reasons for the refusal, in the words of kube-scheduler.
    pub reason: String,
}

/// Counts how many more pods of the shapes fit into a cluster. If fewer than `need` fit, looks for changes of the
/// cluster that make room for `need` pods.
///
/// # Errors
/// Problems of the files, or the API server's reason for refusing a pod.
pub fn fit(
    cluster: &Loaded,
    shapes: Vec<PodShape>,
    need: usize,
    control: WorkControl<'_>,
) -> Result<FitAnswer, Vec<Problem>> {
    if let [PodShape { file, .. }] = shapes.as_slice() {
        let loaded = scenario::load(std::slice::from_ref(file))?;
        let is_daemon_set = |object: &&Object| object.kind() == Kind::DaemonSet;
        if let Some(set) = loaded.setup.objects.iter().find(is_daemon_set) {
            return fit_daemon_set(run::start_cluster(cluster.clone(), control)?, set, control.stop);
        }
    }
    let objects = objects_of(cluster, control)?;
    // The shapes are admitted in a copy of the cluster without nodes and pods: admission does not depend on nodes, and
    // existing pods must not limit the count.
    let mut without_pods = cluster.clone();
    without_pods
        .setup
        .objects
        .retain(|object| !matches!(object.kind(), Kind::Pod | Kind::Node) && object.template().is_none());
    let empty_cluster = Session::new(without_pods)?;
    let names: Vec<String> = shapes.iter().map(|shape| shape.file.0.clone()).collect();
    let mut admitted_shapes: Vec<AdmittedShape> = Vec::new();
    for shape in shapes {
        admitted_shapes.push((admitted(&empty_cluster, shape.file)?, shape.copies.max(1)));
    }
    let scheduler = scheduler_without_queue(&objects, empty_cluster.scheduler_config());
    let mut fitting = FitRun::start(&objects, scheduler, admitted_shapes, need, cluster.setup.seed);
    while !(control.stop)() && !fitting.work(COPIES_PER_REPORT) {
        (control.progress)(ProgressStage::Placed(fitting.n_placed()));
    }
    let mut fit = fitting.into_fit();
    for (shape, name) in fit.shapes.iter_mut().zip(names) {
        shape.shape = name;
    }
    Ok(fit)
}

/// The count of the copies that fit, in progress. If fewer fit than are needed, a search follows for changes that make
/// room. Both are done in pieces of work, so that the page stays responsive and can stop them.
#[derive(Debug)]
pub struct FitRun {
    counting: CopyCounter,
    question: RoomQuestion,
    /// The search for changes that make room. It starts after the count if too few copies fit.
    search: Option<RoomSearch>,
}

impl FitRun {
    /// Starts to count copies. No pods may wait in the scheduler's queue.
    fn start(objects: &Objects, scheduler: Scheduler, shapes: Vec<AdmittedShape>, need: usize, seed: u64) -> Self {
        let rng = Rng::split(seed, "whatif/fit");
        Self {
            counting: CopyCounter::new(scheduler.clone(), shapes.clone(), MAX_COPIES, rng),
            question: RoomQuestion {
                scheduler,
                shapes,
                nodes: objects.list::<Node>().cloned().collect(),
                need,
                rng: Rng::split(seed, "whatif/room"),
            },
            search: None,
        }
    }

    /// Starts to count copies of an existing pod in a session at its current time. The copies belong to the pod's
    /// workload and have no scheduling gates. If fewer than `need` fit, changes that make room for `need` copies are
    /// searched.
    ///
    /// # Errors
    /// The pod does not exist, or its scheduler is not one of the session's.
    pub fn of_pod(session: &Session, key: &ObjectKey, need: usize) -> Result<Self, Vec<Problem>> {
        let refuse = |why: String| vec![Problem::of_file("whatif", why)];
        let objects = session.world().objects();
        let pod = objects.get::<Pod>(key);
        let mut pod = Pod::clone(pod.ok_or_else(|| refuse(format!("pods {:?} not found", &*key.name)))?);
        pod.metadata.deletion_timestamp = None;
        pod.spec.node_name = None;
        pod.spec.scheduling_gates = Default::default();
        pod.status = Default::default();
        let scheduler = scheduler_without_queue(objects, session.scheduler_config());
        if scheduler.decide(&Arc::new(pod.clone())).is_none() {
            let name = &pod.spec.scheduler_name;
            return Err(refuse(format!("no scheduler of the cluster is named {name:?}")));
        }
        let seed = session.loaded().setup.seed;
        Ok(Self::start(objects, scheduler, vec![(pod, 1)], need, seed))
    }

    /// Places at most `max_copies` more copies. Returns whether the answer is complete.
    pub fn work(&mut self, max_copies: usize) -> bool {
        if let Some(search) = &mut self.search {
            return search.work(max_copies);
        }
        if !self.counting.work(max_copies) {
            return false;
        }
        let fit = self.counting.fit();
        if fit.fits >= self.question.need.min(MAX_COPIES) {
            return true;
        }
        let refusing: Vec<&str> = fit.stopped_by.iter().map(|one| one.node.as_str()).collect();
        self.search = Some(RoomSearch::start(self.question.clone(), &refusing));
        false
    }

    /// Returns the number of copies that fit into the cluster without a change, as far as they have been counted.
    #[must_use]
    pub const fn n_placed(&self) -> usize {
        self.counting.n_placed()
    }

    /// Returns the answer, as far as it has been computed.
    #[must_use]
    pub fn into_fit(self) -> FitAnswer {
        let changes = self.search.map(RoomSearch::into_changes);
        FitAnswer {
            changes: changes.unwrap_or_default(),
            ..self.counting.into_fit()
        }
    }
}

/// Returns a scheduler for a cluster. The pods that wait for a node are removed from its queue.
fn scheduler_without_queue(objects: &Objects, config: SchedulerConfiguration) -> Scheduler {
    let mut scheduler = scheduler_of(objects, config, 0);
    for pod in objects.list::<Pod>().filter(|pod| pod.spec.node_name.is_none()) {
        scheduler.on_change(Some(&Object::Pod(pod.clone())), None, 0);
    }
    scheduler
}

/// Returns the objects of a cluster. The cluster of a dump is not simulated, because the start of a large cluster would
/// take long; that of other files is simulated until it has started.
pub(super) fn objects_of(cluster: &Loaded, control: WorkControl<'_>) -> Result<Arc<Objects>, Vec<Problem>> {
    if cluster.is_dump() {
        (control.progress)(ProgressStage::Starting);
        return cluster.objects_at_start();
    }
    let session = run::start_cluster(cluster.clone(), control)?;
    Ok(session.world().objects().clone())
}

/// Creates the DaemonSet in the cluster and counts the nodes to which one of its pods is bound.
fn fit_daemon_set(mut session: Session, set: &Object, stop: fn() -> bool) -> Result<FitAnswer, Vec<Problem>> {
    let refuse = |why: String| vec![Problem::of_file("whatif", why)];
    let namespace = match &*set.metadata().namespace {
        "" => "default",
        namespace => namespace,
    };
    let key = ObjectKey::new(namespace, set.metadata().name.clone());
    let text = podscope_api::print_yaml(&podscope_kubectl::printed_value(set, false));
    let read = command::parse(&format!("kubectl create -f - <<'EOF'\n{text}EOF\n"));
    let before = session.outputs().len();
    session
        .command(read.map_err(|error| refuse(error.message))?)
        .map_err(|limit| refuse(limit.to_string()))?;
    run::settle(&mut session, Span::ZERO, stop, &mut |_| {});
    let objects = session.world().objects();
    let Some(created) = objects.get_kind(Kind::DaemonSet, &key) else {
        let lines = session.outputs()[before..].iter().map(|line| line.text.clone());
        return Err(refuse(lines.collect::<Vec<_>>().join(" ")));
    };
    let mut fit = FitAnswer::default();
    let mut wanted: ordered::Set<String> = ordered::Set::new();
    for pod in objects.pods_of(&created.metadata().uid) {
        if let Some(node) = &pod.spec.node_name {
            wanted.insert(node.to_string());
            fit.fits += 1;
            *fit.on.entry(node.to_string()).or_default() += 1;
            continue;
        }
        let Some(node) = pod.spec.pinned_node() else { continue };
        wanted.insert(node.to_string());
        let condition = pod.condition(condition::POD_SCHEDULED);
        fit.stopped_by.push(RefusingNode {
            node: node.to_string(),
            reason: condition.map(|one| one.message.to_string()).unwrap_or_default(),
        });
    }
    fit.stopped_by.stable_sort_by_key(|one| one.node.clone());
    let nodes = objects.list::<Node>().map(|node| node.metadata.name.to_string());
    fit.unwanted = nodes.filter(|node| !wanted.contains(node)).collect();
    Ok(fit)
}

/// Returns the pod in a file after admission by the API server, which adds defaults, priority and tolerations.
fn admitted(session: &Session, shape: File) -> Result<Pod, Vec<Problem>> {
    let name = shape.0.clone();
    let loaded = scenario::load(&[shape])?;
    let refuse = |why: &str| vec![Problem::of_file(&name, why.to_owned())];
    let mut shapes = loaded.setup.objects.iter();
    let template = shapes
        .find_map(|object| match object {
            Object::Pod(pod) => Some(Pod::clone(pod)),
            other => other.template().map(|template| {
                let mut pod = Pod::default();
                pod.metadata.namespace = other.metadata().namespace.clone();
                pod.metadata.labels = template.metadata.labels.clone();
                pod.metadata.annotations = template.metadata.annotations.clone();
                pod.spec = template.spec.clone();
                pod
            }),
        })
        .ok_or_else(|| refuse("there is no Pod in it, and nothing with a template of one"))?;
    let mut pod = template;
    pod.metadata.name = "fit".into();
    pod.metadata.uid = Default::default();
    pod.metadata.owner_references = Default::default();
    pod.metadata.resource_version = Default::default();
    pod.spec.node_name = None;
    pod.status = Default::default();
    let namespace = pod.metadata.namespace.to_string();
    let text = podscope_api::print_yaml(&podscope_kubectl::printed_value(&Object::Pod(Arc::new(pod)), false));
    let line = format!("kubectl create -f - <<'EOF'\n{text}EOF\n");
    let read = command::parse(&line).map_err(|error| refuse(&error.message))?;
    let mut trial = session.clone();
    let before = trial.outputs().len();
    trial.command(read).map_err(|limit| refuse(&limit.to_string()))?;
    // Advance until the API server has created the pod, but not until the scheduler has bound it.
    let until = trial.now() + Span::seconds(1);
    let key = ObjectKey::new(if namespace.is_empty() { "default" } else { &namespace }, "fit");
    while trial.advance_while(until, 1, |world| world.objects().get_kind(Kind::Pod, &key).is_none()) == Slice::More {}
    let created = trial.world().objects().get::<Pod>(&key);
    let output = || {
        let lines = trial.outputs()[before..].iter().map(|line| line.text.clone());
        lines.collect::<Vec<_>>().join(" ")
    };
    let mut pod = Pod::clone(created.ok_or_else(|| refuse(&output()))?);
    pod.spec.node_name = None;
    pod.status = Default::default();
    Ok(pod)
}
