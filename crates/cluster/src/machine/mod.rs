//! The machine: processes, images, disks, power. What really runs, whatever
//! the API says.

use std::collections::BTreeMap;
use std::sync::Arc;

use podscope_api::{NodeName, ObjectKey, Pod, ResourceList, Str, Uid};

use crate::{Ctx, SimTime};

/// Number of a container on its machine; never used twice there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerId(pub u64);

/// A hook of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookKind {
    /// `postStart`.
    PostStart,
    /// `preStop`.
    PreStop,
}

/// A timer of a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineTimer {
    /// A process may have reached the end of its plan.
    Process(Uid, ContainerId),
    /// A hook ends by itself.
    Hook(Uid, ContainerId, HookKind),
    /// The pull under way ends.
    Pull,
}

/// What a kubelet can notice of its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MachineEvent {
    /// A container's process ended.
    Exited {
        /// The pod.
        pod: Uid,
        /// The container.
        container: ContainerId,
    },
    /// A hook returned.
    HookFinished {
        /// The pod.
        pod: Uid,
        /// The container.
        container: ContainerId,
        /// Which hook.
        hook: HookKind,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// An image pull ended.
    Pulled {
        /// The image.
        image: Str,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// A pod's sandbox was lost.
    SandboxLost(Uid),
    /// The container runtime went down or came back; calls under way failed.
    Runtime {
        /// Whether it answers.
        up: bool,
    },
}

/// A container that really runs, as `-o processes` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessView {
    /// The machine.
    pub node: NodeName,
    /// The pod's namespace and name.
    pub pod: ObjectKey,
    /// The pod's UID.
    pub uid: Uid,
    /// The container's name.
    pub container: Str,
    /// When the process started.
    pub started_at: SimTime,
    /// Signals it has received, in order.
    pub signals: Vec<Str>,
}

/// What happens to a machine from outside. (Kubelet crashes, cuts and leaves are the world's.)
#[derive(Debug, Clone, PartialEq)]
pub enum MachineFault {
    /// Power is cut: every process ends without a signal, at once.
    PowerOff,
    /// Power returns; no container runs. The world starts the kubelet after this.
    Boot,
    /// The container runtime stops answering; processes run on.
    RuntimeDown,
    /// The container runtime is back.
    RuntimeUp,
    /// The main process of a container exits.
    Exit {
        /// UID of the pod.
        pod: Uid,
        /// The container.
        container: Str,
        /// Its exit code.
        code: i32,
    },
    /// The sandbox of a pod is lost.
    Sandbox(Uid),
    /// The storage servers refuse (or, with false, accept again) this machine.
    StorageRefused(bool),
}

/// One machine.
#[derive(Debug, Clone)]
pub struct Machine {
    node: NodeName,
}

impl Machine {
    /// A machine with power, without processes. Labels are those its kubelet registers with.
    pub fn new(node: NodeName, _labels: BTreeMap<Str, Str>, _capacity: ResourceList) -> Self {
        Self { node }
    }
    /// The containers that the status of an imported pod says are running.
    pub fn adopt(&mut self, _pod: &Arc<Pod>, _ctx: &mut Ctx<'_>) {
        let _ = &self.node;
    }
    /// A timer of the machine.
    pub fn handle(&mut self, _timer: MachineTimer, _ctx: &mut Ctx<'_>) {}
    /// Something happens to the machine.
    ///
    /// # Errors
    /// What is wrong with the fault (no such container, already off, …).
    pub fn fault(&mut self, _fault: &MachineFault, _ctx: &mut Ctx<'_>) -> Result<(), String> {
        Ok(())
    }
    /// What the kubelet can notice since the last call; the world hands it to the kubelet if one runs.
    pub fn take_events(&mut self) -> Vec<MachineEvent> {
        Vec::new()
    }
    /// Containers that run now, by pod and start.
    pub fn processes(&self) -> Vec<ProcessView> {
        Vec::new()
    }
}
