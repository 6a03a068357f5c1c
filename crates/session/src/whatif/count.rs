//! Counts how many more pods of given shapes fit into a cluster: the scheduler places copies, with all its plugins,
//! until no node accepts the next copy. If there are several shapes, they are placed in rounds, each with its own
//! number of copies per round. There is no preemption, and pods that are already waiting are ignored. The result
//! contains each node's reason for refusing the next copy.

use std::sync::Arc;

use podscope_api::explained::{NodeExplanation, NodeVerdict};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Object, Pod, PodPhase};
use podscope_cluster::Rng;
use podscope_scheduler::explain::explain;
use podscope_scheduler::{NoRecorder, Outcome, Scheduler};

use super::fit::{FitAnswer, RefusingNode, ShapeFit};

/// A pod after admission by the API server, and its number of copies in each round.
pub(super) type AdmittedShape = (Pod, usize);

/// The placement of copies by the scheduler, in progress, with the number of copies placed so far.
#[derive(Debug)]
pub(super) struct CopyCounter {
    /// Scheduler of the cluster. It also knows the copies that have been placed.
    scheduler: Scheduler,
    shapes: Vec<AdmittedShape>,
    /// Index of the shape whose copies are being placed, and number of its copies placed in this round.
    turn: (usize, usize),
    max: usize,
    rng: Rng,
    fit: FitAnswer,
    is_done: bool,
}

impl CopyCounter {
    /// Starts to count up to `max` copies of the shapes. There must be at least one shape, and no pods may wait in the
    /// scheduler's queue.
    pub(super) fn new(scheduler: Scheduler, shapes: Vec<AdmittedShape>, max: usize, rng: Rng) -> Self {
        let none = |_: &AdmittedShape| ShapeFit {
            shape: String::new(),
            fits: 0,
            stops: false,
        };
        let fit = FitAnswer {
            shapes: shapes.iter().map(none).collect(),
            ..FitAnswer::default()
        };
        Self {
            scheduler,
            shapes,
            turn: (0, 0),
            max,
            rng,
            fit,
            is_done: false,
        }
    }

    /// Places at most `max_copies` more copies. Returns whether the count has ended.
    pub(super) fn work(&mut self, max_copies: usize) -> bool {
        for _ in 0..max_copies {
            if self.is_done || self.fit.fits >= self.max {
                return true;
            }
            self.is_done = !self.place_next();
        }
        self.is_done
    }

    /// Returns the number of copies that have been placed.
    pub(super) const fn n_placed(&self) -> usize {
        self.fit.fits
    }

    /// Returns how many copies fit, as far as copies have been placed.
    pub(super) const fn fit(&self) -> &FitAnswer {
        &self.fit
    }

    pub(super) fn into_fit(self) -> FitAnswer {
        self.fit
    }

    /// Places the next copy. Returns false if no node accepts the copy.
    fn place_next(&mut self) -> bool {
        let (at, in_round) = self.turn;
        let Some((pod, copies)) = self.shapes.get(at) else {
            return false;
        };
        let placed = place_copy(&mut self.scheduler, pod, self.fit.fits, &mut self.rng);
        let shape = self.fit.shapes.get_mut(at);
        let Some(node) = placed else {
            self.fit.stopped_by = refusal_reasons(&self.scheduler, pod);
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

/// Lets the scheduler place one copy of a pod. Returns the copy's node, or None if no node accepts the copy.
fn place_copy(scheduler: &mut Scheduler, pod: &Pod, nth: usize, rng: &mut Rng) -> Option<String> {
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

/// Returns, for each node, the reason why it refuses the pod.
fn refusal_reasons(scheduler: &Scheduler, pod: &Pod) -> Vec<RefusingNode> {
    let Some((cache, decision)) = scheduler.decide(&Arc::new(pod.clone())) else {
        return Vec::new();
    };
    let refused = |node: NodeExplanation| match node.verdict {
        NodeVerdict::Refused { reasons, .. } => Some(RefusingNode {
            node: node.name,
            reason: reasons.join(", "),
        }),
        NodeVerdict::Fits(_) | NodeVerdict::NotExamined => None,
    };
    let nodes = explain(&cache, &decision).explanation.nodes;
    let mut all: Vec<RefusingNode> = nodes.into_iter().filter_map(refused).collect();
    all.stable_sort_by_key(|one| one.node.clone());
    all
}
