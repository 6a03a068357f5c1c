//! Progress of long work, shown as a line on stderr if it is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use podscope_cluster::SimTime;

/// Progress is shown only if the work takes longer than this.
const PROGRESS_DELAY: std::time::Duration = std::time::Duration::from_millis(500);

/// Template of the progress line of a stage with an unknown number of steps.
const STAGE_TEMPLATE: &str = "{spinner} {msg}, {elapsed}";
/// Template of the progress line of a stage with a known number of steps.
const STEPS_TEMPLATE: &str = "{bar:30} {msg}, {eta} left";

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

    /// Creates progress of a run, measured in simulated time.
    pub(crate) fn of_time(until: SimTime) -> Self {
        Self::new(
            until.0.unsigned_abs(),
            "{bar:30} {percent}% of the run, {msg}, {eta} left",
        )
    }

    /// Creates progress of a search, measured in tried seeds.
    pub(crate) fn of_seeds(seeds: u64) -> Self {
        Self::new(seeds, "{bar:30} {pos}/{len} seeds, {msg}, {eta} left")
    }

    /// Creates progress of shrinking, measured in runs. The total is unknown.
    pub(crate) fn of_shrinking() -> Self {
        Self::new(0, "shrinking: run {pos}, {msg}; Ctrl-C prints the smallest so far")
    }

    /// Creates progress of work in stages, some of which have a known number of steps. Shows `initial_message` until
    /// the first update.
    pub(crate) fn of_stages(initial_message: &'static str) -> Self {
        let progress = Self::new(0, STAGE_TEMPLATE);
        progress.bar.set_message(initial_message);
        // Reading a file and starting a cluster send no updates, so a thread redraws the elapsed time.
        progress.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        progress.bar.enable_steady_tick(PROGRESS_DELAY);
        progress
    }

    /// Updates the progress of work in stages: `done` of `total` steps of the current stage are done; `total` is 0 if
    /// unknown.
    pub(crate) fn update_stage(&mut self, done: u64, total: u64, message: impl FnOnce() -> String) {
        let is_new = self.bar.length() != Some(total);
        if is_new
            && let Ok(style) = ProgressStyle::with_template(if total == 0 { STAGE_TEMPLATE } else { STEPS_TEMPLATE })
        {
            self.bar.set_style(style);
            self.bar.set_length(total);
        }
        self.bar.set_message(message());
        self.bar.set_position(done);
    }

    /// Updates the number of finished steps and the message of the line.
    pub(crate) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        if self.is_hidden && self.bar.elapsed() > PROGRESS_DELAY {
            self.is_hidden = false;
            // Indicatif draws nothing if stderr is not a terminal.
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
