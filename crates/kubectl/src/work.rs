//! Work limit of one command. Paths, templates and selectors come from users and from links, and even a short
//! one, such as `{..a..b..c}` over all objects, may practically never finish. Therefore each evaluation counts the
//! values that it visits, and a command that exceeds the limit fails.

use std::cell::Cell;

/// Maximum number of values that one command may visit, which takes about half a second in a browser.
pub const MAX_WORK: u64 = 20_000_000;

/// Returns the number of values that a text counts as: one, plus one per sixteen bytes.
pub(crate) fn work_of_text(text: &str) -> u64 {
    1 + text.len() as u64 / 16
}

/// Counts the values that one command has visited.
#[derive(Debug, Clone)]
pub struct WorkCounter {
    left: Cell<u64>,
}

/// Error: a command visits more than [`MAX_WORK`] values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuchWork;

impl std::fmt::Display for TooMuchWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "this command would look at more than {MAX_WORK} values: ask for fewer objects, or by a path without `..` and nested filters"
        )
    }
}

impl Default for WorkCounter {
    fn default() -> Self {
        WorkCounter {
            left: Cell::new(MAX_WORK),
        }
    }
}

impl WorkCounter {
    /// Adds a number of values to the count.
    ///
    /// # Errors
    /// The count exceeds the limit.
    pub fn spend(&self, values: u64) -> Result<(), TooMuchWork> {
        let left = self.left.get().checked_sub(values).ok_or(TooMuchWork)?;
        self.left.set(left);
        Ok(())
    }

    /// Returns the number of values counted so far.
    pub fn spent(&self) -> u64 {
        MAX_WORK - self.left.get()
    }
}
