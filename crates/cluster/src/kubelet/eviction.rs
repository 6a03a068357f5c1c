//! Node-pressure eviction (LC-186 to LC-201).

use super::Managers;
use super::host::Host;

/// What the eviction manager remembers.
#[derive(Debug, Clone, Default)]
pub(super) struct Eviction {}

impl Managers {
    /// Queues the next pass if usage can cross a threshold.
    pub(super) fn watch_usage(&mut self, _host: &mut Host<'_, '_>) {
        let _ = &self.eviction;
    }
    /// One pass.
    pub(super) fn eviction_pass(&mut self, _host: &mut Host<'_, '_>) {}
}
