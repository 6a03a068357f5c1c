//! The scheduler's benchmark workloads, one decision at a time; JavaScript measures the time
//! (`tests/e2e/decisions.mjs`).

use podscope_scheduler::Attempt;
use podscope_scheduler::bench::{self, BenchOptions, Workload};
use wasm_bindgen::prelude::*;

/// A cluster with an endless supply of pods to schedule.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Bench {
    bench: bench::Bench,
    n_pods: usize,
    attempt: Option<Attempt>,
}

#[wasm_bindgen]
impl Bench {
    /// Creates a workload of `podscope bench` with the given numbers of nodes and running pods. With more than one pod
    /// template, a running pod is deleted before every decision.
    ///
    /// # Errors
    /// No workload has this name.
    #[wasm_bindgen(constructor)]
    pub fn new(workload: &str, nodes: usize, pods: usize, templates: usize) -> Result<Bench, JsError> {
        let known = Workload::from_name(workload);
        let known = known.ok_or_else(|| JsError::new(&format!("there is no workload {workload:?}")))?;
        let options = BenchOptions {
            nodes: nodes.max(1),
            pods,
            templates: templates.max(1),
            deletions: templates > 1,
            ..BenchOptions::default()
        };
        Ok(Bench {
            bench: bench::Bench::new(known, options),
            n_pods: 0,
            attempt: None,
        })
    }

    /// Adds the next pod to the queue. Not part of the measured time.
    pub fn prepare(&mut self) {
        self.bench.prepare(self.n_pods);
        self.n_pods += 1;
    }

    /// Schedules the pod: the measured part.
    pub fn decide(&mut self) {
        self.attempt = self.bench.decide();
    }

    /// Applies the decision to the cluster. Not part of the measured time.
    pub fn settle(&mut self) {
        if let Some(attempt) = self.attempt.take() {
            self.bench.carry_out(&attempt);
        }
    }
}
