//! The default of `timeAdded` in device taints, which is the time of the request.

use std::sync::Arc;

use podscope_api::{Object, Time};

/// Sets `timeAdded` of the taints in a ResourceSlice that have none (DRA-008).
pub(super) fn set_time_added(object: &mut Object, now: Time) {
    let Object::ResourceSlice(slice) = object else { return };
    let is_undated = |device: &podscope_api::Device| device.taints.iter().any(|taint| taint.time_added.is_none());
    if !slice.spec.devices.iter().any(is_undated) {
        return;
    }
    let now = Time::from_seconds(now.seconds());
    let devices = &mut Arc::make_mut(slice).spec.devices;
    for taint in devices.iter_mut().flat_map(|device| &mut device.taints) {
        taint.time_added.get_or_insert(now);
    }
}
