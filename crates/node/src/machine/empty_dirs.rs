//! Contents of emptyDirs. An emptyDir belongs to the pod: data that a container wrote stays when the container is
//! removed, and is deleted with the pod (LC-003).

use podscope_api::ordered::StableSort as _;
use podscope_api::{Container as Spec, Pod, Str};

use super::{Container, MachinePod};
use podscope_sim::SimTime;

/// Data that one container of a pod, over all its restarts, has written into an emptyDir. A restarted container writes
/// the same files again.
///
/// Deviation: individual files are not simulated. All `disk` of a process is in the first emptyDir on the node's disk
/// that the process can write to; without one, in the container's writable layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyDirData {
    pub volume: Str,
    pub container: Str,
    pub bytes: i64,
    /// When the first instance of the container that wrote data was started.
    pub since: SimTime,
}

/// Returns the emptyDir that receives a container's disk use; None if its writable layer does.
pub(super) fn target_empty_dir(pod: &Pod, spec: &Spec) -> Option<Str> {
    spec.volume_mounts.iter().find_map(|mount| {
        let volume = pod.spec.volumes.iter().find(|volume| volume.name == mount.name)?;
        let on_disk = volume.empty_dir.as_ref().is_some_and(|dir| &*dir.medium != "Memory");
        (on_disk && mount.read_only != Some(true)).then(|| volume.name.clone())
    })
}

impl MachinePod {
    /// Returns the contents of the pod's emptyDirs by volume and container; `bytes_written` gives the bytes that each
    /// container instance has written. If several instances of one container wrote, the largest amount counts.
    pub fn empty_dir_contents(&self, bytes_written: impl Fn(&Container) -> i64) -> Vec<EmptyDirData> {
        let mut all = self.removed_written.clone();
        for container in &self.containers {
            if let Some(written) = data_written_by(container, bytes_written(container)) {
                merge_written_data(&mut all, written);
            }
        }
        all.stable_sort_by_key(|one| (one.volume.clone(), one.container.clone()));
        all
    }

    /// Remembers the data that a removed container leaves in an emptyDir.
    pub(super) fn keep_written_data(&mut self, removed: &Container, now: SimTime) {
        if let Some(written) = data_written_by(removed, removed.disk(now)) {
            merge_written_data(&mut self.removed_written, written);
        }
    }
}

/// Returns the data that a container has written into an emptyDir; None if there is none.
fn data_written_by(container: &Container, bytes: i64) -> Option<EmptyDirData> {
    let volume = container.writes_to.clone().filter(|_| bytes > 0)?;
    Some(EmptyDirData {
        volume,
        container: container.name.clone(),
        bytes,
        since: container.started_at,
    })
}

/// Adds data to the list of written data. If the list already has data of the same volume and container, both are
/// merged.
fn merge_written_data(all: &mut Vec<EmptyDirData>, one: EmptyDirData) {
    let same = |known: &&mut EmptyDirData| known.volume == one.volume && known.container == one.container;
    match all.iter_mut().find(same) {
        Some(known) => {
            known.bytes = known.bytes.max(one.bytes);
            known.since = known.since.min(one.since);
        }
        None => all.push(one),
    }
}
