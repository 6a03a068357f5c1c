//! How far long work is: a line on stderr where that is a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use podscope_cluster::SimTime;

/// Half a second of work shows nothing.
const QUIET: std::time::Duration = std::time::Duration::from_millis(500);

/// A line that shows how much of `total` is done; it goes when it is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    quiet: bool,
}

impl Progress {
    fn new(total: u64, template: &str) -> Self {
        let bar = ProgressBar::hidden();
        bar.set_length(total);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, quiet: true }
    }

    /// Of simulated time.
    pub(crate) fn of_time(until: SimTime) -> Self {
        Self::new(
            until.0.unsigned_abs(),
            "{bar:30} {percent}% of the run, {msg}, {eta} left",
        )
    }

    /// Of seeds that are tried.
    pub(crate) fn of_seeds(seeds: u64) -> Self {
        Self::new(seeds, "{bar:30} {pos}/{len} seeds, {msg}, {eta} left")
    }

    /// So much is done, and what there is to say.
    pub(crate) fn at(&mut self, done: u64, word: impl FnOnce() -> String) {
        if self.quiet && self.bar.elapsed() > QUIET {
            self.quiet = false;
            // Hides itself where stderr is no terminal.
            self.bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        if !self.quiet {
            self.bar.set_message(word());
            self.bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
