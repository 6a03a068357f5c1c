//! Replaces `claims.rs` in a build without the feature `devices`, in which no pod with claims is scheduled.

use podscope_api::{Container, ContainerResourceStatus, Pod, Uid};

use super::Managers;
use super::host::Host;
use super::worker::PodWorker;
use podscope_sim::SimTime;

/// Result of preparing the claims of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Preparation {
    Ready,
    #[expect(dead_code, reason = "only constructed with the feature")]
    Until(SimTime),
    #[expect(dead_code, reason = "only constructed with the feature")]
    Failed(String),
}

pub(super) fn prepare(_: &Pod, _: Option<SimTime>, _: &mut Host<'_, '_>) -> Preparation {
    Preparation::Ready
}

pub(super) fn unprepare(_: &Uid, _: &mut Host<'_, '_>) -> bool {
    true
}

pub(super) fn health_of_devices(_: &Pod, _: &Container, _: &Host<'_, '_>) -> Vec<ContainerResourceStatus> {
    Vec::new()
}

impl PodWorker {
    pub(super) fn fail_to_prepare(&mut self, _: &str, _: &mut Host<'_, '_>) {}
}

impl Managers {
    pub(super) fn observe_devices(&mut self, _: &mut Host<'_, '_>) {}

    pub(super) fn driver_timer(&mut self, _: &mut Host<'_, '_>) {}

    pub(super) fn initialize_devices(&mut self, _: &mut Host<'_, '_>) {}
}
