//! Counts how many more pods of given shapes fit: the scheduler places copies, with all its plugins, until no node accepts
//! the next one. Several shapes are placed in rounds, each with its number of copies. Preemption is not counted, and pods
//! that wait already do not take part. The result has each node's reason for refusing the next copy.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Object, ObjectKey, Pod, PodPhase};
use podscope_cluster::Rng;
use podscope_protocol::Problem;
use podscope_scheduler::explain::{NodeVerdict, explain};
use podscope_scheduler::{NoRecorder, Outcome, Scheduler};

use super::fit::{Fit, MAX_COPIES, ShapeFit, StoppedBy};
use crate::explain::scheduler_of;
use crate::timeline::Session;

/// An admitted pod, and its number of copies in each round.
pub(super) type AdmittedShape = (Pod, usize);

/// A count in progress, so that the page stays responsive and can stop it.
#[derive(Debug)]
pub struct Counting {
    /// The cluster with the copies that have been placed.
    scheduler: Scheduler,
    shapes: Vec<AdmittedShape>,
    /// Index of the shape whose turn it is, and its number of copies in this round.
    turn: (usize, usize),
    most: usize,
    rng: Rng,
    fit: Fit,
    is_done: bool,
}

impl Counting {
    /// Counts up to `most` copies of the shapes, at least one of which must be given. Pods that wait in the scheduler's
    /// queue must not be in it.
    pub(super) fn new(scheduler: Scheduler, shapes: Vec<AdmittedShape>, most: usize, rng: Rng) -> Self {
        let none = |_: &AdmittedShape| ShapeFit {
            shape: String::new(),
            fits: 0,
            stops: false,
        };
        let fit = Fit {
            shapes: shapes.iter().map(none).collect(),
            ..Fit::default()
        };
        Self {
            scheduler,
            shapes,
            turn: (0, 0),
            most,
            rng,
            fit,
            is_done: false,
        }
    }

    /// Counts copies of a pod of a session at its present time. The copies belong to the pod's workload and have no
    /// scheduling gates.
    ///
    /// # Errors
    /// The pod does not exist, or no scheduler of the session places it.
    pub fn of_pod(session: &Session, key: &ObjectKey) -> Result<Self, Vec<Problem>> {
        let refuse = |why: String| vec![Problem::of("whatif", why)];
        let objects = session.world().objects();
        let pod = objects.get::<Pod>(key);
        let mut pod = Pod::clone(pod.ok_or_else(|| refuse(format!("pods {:?} not found", &*key.name)))?);
        pod.metadata.deletion_timestamp = None;
        pod.spec.node_name = None;
        pod.spec.scheduling_gates = Default::default();
        pod.status = Default::default();
        let config = session.scheduler_config();
        let mut scheduler = scheduler_of(objects, config, 0);
        if scheduler.decide(&Arc::new(pod.clone())).is_none() {
            let name = &pod.spec.scheduler_name;
            return Err(refuse(format!("no scheduler of the cluster is named {name:?}")));
        }
        let waiting = objects.list::<Pod>().filter(|pod| pod.spec.node_name.is_none());
        for pod in waiting {
            scheduler.on_change(Some(&Object::Pod(pod.clone())), None, 0);
        }
        let rng = Rng::split(session.loaded().setup.seed, "whatif/fit");
        Ok(Self::new(scheduler, vec![(pod, 1)], MAX_COPIES, rng))
    }

    /// Places at most this number of copies. Returns whether the count has ended.
    pub fn work(&mut self, copies: usize) -> bool {
        for _ in 0..copies {
            if self.is_done || self.fit.fits >= self.most {
                return true;
            }
            self.is_done = !self.place_next();
        }
        self.is_done
    }

    /// Number of copies that have been placed.
    #[must_use]
    pub const fn n_placed(&self) -> usize {
        self.fit.fits
    }

    /// The result for the copies that have been placed.
    #[must_use]
    pub fn into_fit(self) -> Fit {
        self.fit
    }

    /// Places the next copy. Returns false if no node accepts it.
    fn place_next(&mut self) -> bool {
        let (at, in_round) = self.turn;
        let Some((pod, copies)) = self.shapes.get(at) else {
            return false;
        };
        let placed = place(&mut self.scheduler, pod, self.fit.fits, &mut self.rng);
        let shape = self.fit.shapes.get_mut(at);
        let Some(node) = placed else {
            self.fit.stopped_by = stopped_by(&self.scheduler, pod);
            if let Some(shape) = shape {
                shape.stops = true;
            }
            return false;
        };
        self.fit.fits += 1;
        *self.fit.on.entry(node).or_default() += 1;
        if let Some(shape) = shape {
            shape.fits += 1;
        }
        self.turn = match in_round + 1 < *copies {
            true => (at, in_round + 1),
            false => ((at + 1) % self.shapes.len(), 0),
        };
        true
    }
}

/// Places one copy. Returns its node, or None if no node accepts it.
fn place(scheduler: &mut Scheduler, pod: &Pod, nth: usize, rng: &mut Rng) -> Option<String> {
    let mut copy = pod.clone();
    copy.metadata.name = format!("{}-{nth}", pod.metadata.name).into();
    copy.metadata.uid = podscope_api::Uid(format!("fit-{nth}").into());
    let pending = Object::Pod(Arc::new(copy.clone()));
    scheduler.on_change(None, Some(&pending), 0);
    let mut draw = || rng.bits();
    let attempt = scheduler.schedule_one(0, &mut draw, &mut NoRecorder)?;
    let Outcome::Assumed { node, .. } = attempt.outcome else {
        scheduler.on_change(Some(&pending), None, 0);
        return None;
    };
    copy.spec.node_name = Some(node.clone());
    copy.status.phase = Some(PodPhase::Running);
    scheduler.on_change(Some(&pending), Some(&Object::Pod(Arc::new(copy))), 0);
    drop(scheduler.bind_finished(&attempt.uid, Ok(()), 0));
    Some(node.to_string())
}

/// Returns each node's reason for refusing the pod.
fn stopped_by(scheduler: &Scheduler, pod: &Pod) -> Vec<StoppedBy> {
    let Some((cache, decision)) = scheduler.decide(&Arc::new(pod.clone())) else {
        return Vec::new();
    };
    let explanation = explain(&cache, &decision);
    let refused =
        |node: &&podscope_scheduler::explain::NodeExplanation| matches!(node.verdict, NodeVerdict::Refused(_));
    let mut all: Vec<StoppedBy> = (explanation.nodes.iter().filter(refused))
        .map(|node| StoppedBy {
            node: node.name.clone(),
            reason: node.reasons.join(", "),
        })
        .collect();
    all.stable_sort_by_key(|one| one.node.clone());
    all
}
