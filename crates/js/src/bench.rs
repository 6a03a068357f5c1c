//! The scheduler's workloads, one decision at a time: JavaScript has the clock (`tests/e2e/decisions.mjs`).

use podscope_scheduler::Attempt;
use podscope_scheduler::bench::{self, Size, Workload};
use wasm_bindgen::prelude::*;

/// A cluster and an endless supply of pods.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Bench {
    bench: bench::Bench,
    made: usize,
    attempt: Option<Attempt>,
}

#[wasm_bindgen]
impl Bench {
    /// A workload of `podscope bench`, with that many nodes and running pods. With more than one template a
    /// running pod is deleted before every decision.
    ///
    /// # Errors
    /// When there is no workload of that name.
    #[wasm_bindgen(constructor)]
    pub fn new(workload: &str, nodes: usize, pods: usize, templates: usize) -> Result<Bench, JsError> {
        let known = Workload::from_name(workload);
        let known = known.ok_or_else(|| JsError::new(&format!("there is no workload {workload:?}")))?;
        let size = Size {
            nodes: nodes.max(1),
            pods,
            templates: templates.max(1),
            deletions: templates > 1,
            ..Size::default()
        };
        Ok(Bench {
            bench: bench::Bench::new(known, size),
            made: 0,
            attempt: None,
        })
    }

    /// Makes the next pod known. Not to be timed.
    pub fn prepare(&mut self) {
        self.bench.prepare(self.made);
        self.made += 1;
    }

    /// Decides it: what is to be timed.
    pub fn decide(&mut self) {
        self.attempt = self.bench.decide();
    }

    /// Carries the decision out. Not to be timed.
    pub fn settle(&mut self) {
        if let Some(attempt) = self.attempt.take() {
            self.bench.settle(&attempt);
        }
    }
}
