//! What one command may cost. Paths, templates and selectors come from people and from links, and
//! a short one can ask for more than a lifetime of looking: `{..a..b..c}` over all objects. So whoever
//! walks counts the values it looks at, and a command that passes the limit is refused.

use std::cell::Cell;

/// Values that one command may look at: half a second or so in a browser.
pub const WORK: u64 = 20_000_000;

/// What a text counts as: one value, and another for every sixteen bytes.
pub(crate) fn of_text(text: &str) -> u64 {
    1 + text.len() as u64 / 16
}

/// A command's count of work.
#[derive(Debug, Clone)]
pub struct Work {
    left: Cell<u64>,
}

/// A command asks for more than [`WORK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuchWork;

impl std::fmt::Display for TooMuchWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "this command would look at more than {WORK} values: ask for fewer objects, or by a path without `..` and nested filters"
        )
    }
}

impl Default for Work {
    fn default() -> Self {
        Work { left: Cell::new(WORK) }
    }
}

impl Work {
    /// Counts that so many values are looked at.
    ///
    /// # Errors
    /// The limit is passed.
    pub fn spend(&self, values: u64) -> Result<(), TooMuchWork> {
        let left = self.left.get().checked_sub(values).ok_or(TooMuchWork)?;
        self.left.set(left);
        Ok(())
    }

    /// How many values were looked at.
    pub fn spent(&self) -> u64 {
        WORK - self.left.get()
    }
}
