//! Detects an engine that no longer responds. While the engine has work it is pinged once per second; after five
//! seconds without a message it counts as busy. Seconds are counted in ticks of the page's own timer, so the time in
//! which the page itself slept or was busy does not count.

/// Seconds without a message after which the engine counts as busy.
const BUSY_AFTER_SECONDS: u32 = 5;

/// What the page does after a tick of its timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchAction {
    Rest,
    /// Ping the engine.
    Ping,
    /// Report that the engine is busy.
    Busy,
}

/// The state of the detection: what was sent to and received from the engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct EngineWatch {
    /// The engine has sent a message. Before its first message the engine is still being loaded.
    has_spoken: bool,
    /// A request was sent after the last ping.
    has_work: bool,
    /// Seconds since the pending ping, or since the last message after it; `None` without a pending ping.
    silent_seconds: Option<u32>,
    /// The engine has begun to load the rest of its wasm, and has sent no message since.
    is_loading: bool,
}

impl EngineWatch {
    /// Called when a request is sent.
    pub(crate) fn request_sent(&mut self) {
        self.has_work = true;
    }

    /// Called when the engine begins to load the rest of its wasm.
    pub(crate) fn loading_began(&mut self) {
        self.is_loading = true;
    }

    /// Returns whether the engine is silent because it loads the rest of its wasm.
    pub(crate) fn is_loading(&self) -> bool {
        self.is_loading
    }

    /// Called when the engine sends an update. The update proves that the engine works; the answer to the
    /// pending ping comes later.
    pub(crate) fn update_received(&mut self) {
        self.has_spoken = true;
        self.is_loading = false;
        self.restart_silence_count();
    }

    /// Called when the engine answers the ping.
    pub(crate) fn ping_answered(&mut self) {
        self.silent_seconds = None;
        self.is_loading = false;
    }

    /// Restarts the count of seconds without a message: after an update, or when the user chooses to wait.
    pub(crate) fn restart_silence_count(&mut self) {
        self.silent_seconds = self.silent_seconds.map(|_| 0);
    }

    /// Called once per second.
    pub(crate) fn tick(&mut self) -> WatchAction {
        match self.silent_seconds {
            None if self.has_spoken && std::mem::take(&mut self.has_work) => {
                self.silent_seconds = Some(0);
                WatchAction::Ping
            }
            None => WatchAction::Rest,
            Some(seconds) => {
                self.silent_seconds = Some(seconds + 1);
                if seconds + 1 == BUSY_AFTER_SECONDS {
                    WatchAction::Busy
                } else {
                    WatchAction::Rest
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_ticks(watch: &mut EngineWatch, count: u32) -> Vec<WatchAction> {
        (0..count).map(|_| watch.tick()).collect()
    }

    /// Shows: Q-05
    #[test]
    fn engine_is_busy_after_five_silent_seconds() {
        let mut watch = EngineWatch::default();
        watch.request_sent();
        assert_eq!(
            run_ticks(&mut watch, 20),
            [WatchAction::Rest; 20],
            "a loading engine is not pinged"
        );
        watch.update_received();
        assert_eq!(run_ticks(&mut watch, 1), [WatchAction::Ping]);
        assert_eq!(run_ticks(&mut watch, 4), [WatchAction::Rest; 4]);
        watch.update_received();
        assert_eq!(run_ticks(&mut watch, 4), [WatchAction::Rest; 4]);
        assert_eq!(
            run_ticks(&mut watch, 2),
            [WatchAction::Busy, WatchAction::Rest],
            "busy is reported once"
        );
        watch.restart_silence_count();
        assert_eq!(run_ticks(&mut watch, 5).last(), Some(&WatchAction::Busy));
        watch.ping_answered();
        assert_eq!(
            run_ticks(&mut watch, 9),
            [WatchAction::Rest; 9],
            "an idle engine is not pinged"
        );
        watch.request_sent();
        assert_eq!(run_ticks(&mut watch, 1), [WatchAction::Ping]);
    }

    #[test]
    fn engine_is_loading_until_its_next_message() {
        let mut watch = EngineWatch::default();
        watch.loading_began();
        assert!(watch.is_loading());
        watch.update_received();
        assert!(!watch.is_loading());
        watch.loading_began();
        watch.ping_answered();
        assert!(!watch.is_loading());
    }
}
