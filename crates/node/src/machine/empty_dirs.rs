//! What emptyDirs hold. A directory belongs to the pod: what a container wrote stays when the container is removed, and
//! goes with the pod (LC-003).

use podscope_api::ordered::StableSort as _;
use podscope_api::{Container as Spec, Pod, Str};

use super::{Container, MachinePod};
use podscope_sim::SimTime;

/// What containers of one name have written into an emptyDir. One that is started again writes the same files again.
///
/// Deviation: which files a process writes is not simulated. All of its `disk` is one set of files in the first emptyDir
/// of the node's disk that it can write to; without one, in its own layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub volume: Str,
    pub container: Str,
    pub bytes: i64,
    /// When the first container that wrote it was started.
    pub since: SimTime,
}

/// The emptyDir that a container's disk use goes to; none if that is its own layer.
pub(super) fn written_by(pod: &Pod, spec: &Spec) -> Option<Str> {
    spec.volume_mounts.iter().find_map(|mount| {
        let volume = pod.spec.volumes.iter().find(|volume| volume.name == mount.name)?;
        let on_disk = volume.empty_dir.as_ref().is_some_and(|dir| &*dir.medium != "Memory");
        (on_disk && mount.read_only != Some(true)).then(|| volume.name.clone())
    })
}

impl MachinePod {
    /// What its emptyDirs hold, if each container has written so much: of a name the most that one of them wrote. By
    /// volume and container.
    pub fn written(&self, amount: impl Fn(&Container) -> i64) -> Vec<Written> {
        let mut all = self.kept.clone();
        for container in &self.containers {
            if let Some(written) = of_container(container, amount(container)) {
                add(&mut all, written);
            }
        }
        all.stable_sort_by_key(|one| (one.volume.clone(), one.container.clone()));
        all
    }

    /// What a container that is removed leaves in an emptyDir.
    pub(super) fn keep(&mut self, removed: &Container, now: SimTime) {
        if let Some(written) = of_container(removed, removed.disk(now)) {
            add(&mut self.kept, written);
        }
    }
}

fn of_container(container: &Container, bytes: i64) -> Option<Written> {
    let volume = container.writes_to.clone().filter(|_| bytes > 0)?;
    Some(Written {
        volume,
        container: container.name.clone(),
        bytes,
        since: container.started_at,
    })
}

fn add(all: &mut Vec<Written>, one: Written) {
    let same = |known: &&mut Written| known.volume == one.volume && known.container == one.container;
    match all.iter_mut().find(same) {
        Some(known) => {
            known.bytes = known.bytes.max(one.bytes);
            known.since = known.since.min(one.since);
        }
        None => all.push(one),
    }
}
