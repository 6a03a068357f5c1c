//! Whether the engine still answers. It is asked once a second, as long as it has something to do; five
//! seconds without a word, and it counts as busy. Seconds are counted as they are seen here: a page that slept,
//! or was busy itself, blames nobody for it.

/// Seconds without a word after which the engine counts as busy.
const PATIENCE: u32 = 5;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tick {
    Rest,
    /// Ask whether it is there.
    Ask,
    /// Say that it is busy.
    Busy,
}

/// What is known of the engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    /// It has been there: before that it is being loaded.
    has_spoken: bool,
    /// It got work that no answer to a question has followed yet.
    has_work: bool,
    /// Seconds since it was asked.
    silent: Option<u32>,
}

impl Watch {
    /// It got something to do.
    pub(crate) fn sent(&mut self) {
        self.has_work = true;
    }

    /// It said something: it is at work, and comes to the question in time.
    pub(crate) fn spoke(&mut self) {
        self.has_spoken = true;
        self.wait_on();
    }

    /// It answered the question.
    pub(crate) fn answered(&mut self) {
        self.silent = None;
    }

    /// Somebody has the patience to wait as long again.
    pub(crate) fn wait_on(&mut self) {
        self.silent = self.silent.map(|_| 0);
    }

    /// A second has passed.
    pub(crate) fn tick(&mut self) -> Tick {
        match self.silent {
            None if self.has_spoken && std::mem::take(&mut self.has_work) => {
                self.silent = Some(0);
                Tick::Ask
            }
            None => Tick::Rest,
            Some(seconds) => {
                self.silent = Some(seconds + 1);
                if seconds + 1 == PATIENCE {
                    Tick::Busy
                } else {
                    Tick::Rest
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(watch: &mut Watch, n: u32) -> Vec<Tick> {
        (0..n).map(|_| watch.tick()).collect()
    }

    /// Shows: Q-05
    #[test]
    fn five_silent_seconds_are_busy_and_a_word_begins_them_anew() {
        let mut watch = Watch::default();
        watch.sent();
        assert_eq!(ticks(&mut watch, 20), [Tick::Rest; 20], "it is being loaded");
        watch.spoke();
        assert_eq!(ticks(&mut watch, 1), [Tick::Ask]);
        assert_eq!(ticks(&mut watch, 4), [Tick::Rest; 4]);
        watch.spoke();
        assert_eq!(ticks(&mut watch, 4), [Tick::Rest; 4]);
        assert_eq!(ticks(&mut watch, 2), [Tick::Busy, Tick::Rest], "said once");
        watch.wait_on();
        assert_eq!(ticks(&mut watch, 5).last(), Some(&Tick::Busy));
        watch.answered();
        assert_eq!(ticks(&mut watch, 9), [Tick::Rest; 9], "it has nothing to do");
        watch.sent();
        assert_eq!(ticks(&mut watch, 1), [Tick::Ask]);
    }
}
