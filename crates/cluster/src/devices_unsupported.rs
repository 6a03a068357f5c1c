//! Replaces `devices.rs` in a build without the feature `devices`, in which no device driver is simulated.

use std::sync::Arc;

use podscope_api::NodeName;

use crate::fault::DeviceChange;
use crate::{Actor, Change, Objects, Sink, Span, World};

impl World {
    pub(crate) fn import_slices(&mut self) {}

    pub(crate) fn start_drivers(&mut self, _: u64, _: &Arc<Objects>, _: &mut dyn Sink) {}

    pub(crate) fn start_driver(&mut self, _: &NodeName, _: Span) {}

    pub(crate) fn stop_driver(&mut self, _: &NodeName, _: &mut dyn Sink) {}

    pub(crate) fn observe_devices(&mut self, _: &Change) {}

    pub(crate) fn device_fault(
        &mut self,
        _: &Actor,
        _: &NodeName,
        _: &str,
        _: &DeviceChange,
        _: &mut dyn Sink,
    ) -> Result<(), String> {
        Err("this build simulates no devices".to_owned())
    }

    pub(crate) fn driver_fault(&mut self, _: &Actor, _: &NodeName, _: bool, _: &mut dyn Sink) -> Result<(), String> {
        Err("this build simulates no devices".to_owned())
    }
}
