//! Progress of long work: a line on stderr if that is a terminal, otherwise nothing.

use indicatif::{ProgressBar, ProgressStyle};
use podscope_cluster::SimTime;

/// Work that takes no longer than this shows no progress.
const DELAY: std::time::Duration = std::time::Duration::from_millis(500);

/// Templates of a stage whose number of steps is not known, and of one with steps.
const STAGE: &str = "{spinner} {msg}, {elapsed}";
const STEPS: &str = "{bar:30} {msg}, {eta} left";

/// A line that shows how much of `total` is done; dropping the value removes the line.
pub(crate) struct Progress {
    bar: ProgressBar,
    is_hidden: bool,
}

impl Progress {
    fn new(total: u64, template: &str) -> Self {
        let bar = ProgressBar::hidden();
        bar.set_length(total);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, is_hidden: true }
    }

    /// Progress in simulated time.
    pub(crate) fn of_time(until: SimTime) -> Self {
        Self::new(
            until.0.unsigned_abs(),
            "{bar:30} {percent}% of the run, {msg}, {eta} left",
        )
    }

    /// Progress in tried seeds.
    pub(crate) fn of_seeds(seeds: u64) -> Self {
        Self::new(seeds, "{bar:30} {pos}/{len} seeds, {msg}, {eta} left")
    }

    /// Progress of shrinking, in runs, whose total is not known.
    pub(crate) fn of_shrinking() -> Self {
        Self::new(0, "shrinking: run {pos}, {msg}; Ctrl-C prints the smallest so far")
    }

    /// Progress of work in stages, some of which have a known number of steps. Until the first update it shows `words`.
    pub(crate) fn of_stages(words: &'static str) -> Self {
        let progress = Self::new(0, STAGE);
        progress.bar.set_message(words);
        // Reading a file and starting a cluster do not report: the line is drawn by a thread meanwhile.
        progress.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        progress.bar.enable_steady_tick(DELAY);
        progress
    }

    /// Updates work in stages: `done` of `total` steps of the present one; 0 if their number is not known.
    pub(crate) fn update_stage(&mut self, done: u64, total: u64, message: impl FnOnce() -> String) {
        let is_new = self.bar.length() != Some(total);
        if is_new && let Ok(style) = ProgressStyle::with_template(if total == 0 { STAGE } else { STEPS }) {
            self.bar.set_style(style);
            self.bar.set_length(total);
        }
        self.bar.set_message(message());
        self.bar.set_position(done);
    }

    /// Updates the line: `done` out of the total, and a message.
    pub(crate) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        if self.is_hidden && self.bar.elapsed() > DELAY {
            self.is_hidden = false;
            // Indicatif draws nothing if stderr is no terminal.
            self.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        if !self.is_hidden {
            self.bar.set_message(message());
            self.bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
