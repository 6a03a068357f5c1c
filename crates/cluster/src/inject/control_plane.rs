//! Faults of the control plane: its processes crash, start and get a second instance; etcd goes down and comes back.

use podscope_api::fault::{ControlPlaneProcess, FaultKind};

use super::{PROCESS_START_DELAY, fault_or_repair_record, fault_record};
use crate::event::Event;
use crate::{Actor, Sink, World};

impl World {
    pub(super) fn apply_control_plane_fault(
        &mut self,
        by: &Actor,
        process: ControlPlaneProcess,
        up: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let name = process.as_str();
        let happening = fault_or_repair_record(FaultKind::Crash(process), up);
        if process == ControlPlaneProcess::ApiServer {
            if !up && !self.is_api_up {
                return Err("the apiserver does not run".into());
            }
            self.emit(by, happening, None, None, sink);
            if self.is_api_up {
                self.is_api_up = false;
                self.update_store_reachability();
                self.break_all_watches();
            }
            if up {
                self.is_api_up = true;
                self.update_store_reachability();
                self.retry_broken_watches(|_| true);
            }
            self.update_proxies_of_api_server();
            return Ok(());
        }
        let instances: Vec<Actor> = self
            .processes
            .keys()
            .filter(|actor| is_actor_of_process(actor, process) && self.running(actor).is_some())
            .cloned()
            .collect();
        if !up && instances.is_empty() {
            return Err(format!("no {name} runs"));
        }
        self.emit(by, happening, None, None, sink);
        for actor in &instances {
            self.kill(actor);
        }
        if up {
            self.start_process(process, 0, true);
        }
        Ok(())
    }

    /// Starts a process of the control plane: as a candidate of the leader election, or as an instance that believes
    /// that it leads.
    fn start_process(&mut self, process: ControlPlaneProcess, instance: u8, as_candidate: bool) {
        let actor = match process {
            ControlPlaneProcess::ControllerManager => Actor::ControllerManager(instance),
            ControlPlaneProcess::Scheduler => Actor::Scheduler(instance),
            ControlPlaneProcess::ApiServer => return,
        };
        self.add_process(actor.clone(), as_candidate, false);
        if let Some(process) = self.running(&actor) {
            self.queue.push(self.now + PROCESS_START_DELAY, Event::Start(process));
        }
    }

    /// Starts a second instance that believes it leads (`fault second`).
    pub(super) fn start_second_instance(
        &mut self,
        by: &Actor,
        process: ControlPlaneProcess,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let name = process.as_str();
        if process == ControlPlaneProcess::ApiServer {
            return Err("a second apiserver would be no fault: several may run".into());
        }
        let running = |instance: u8| {
            let actor = match process {
                ControlPlaneProcess::Scheduler => Actor::Scheduler(instance),
                _ => Actor::ControllerManager(instance),
            };
            self.running(&actor).is_some()
        };
        let instance = match (running(0), running(1)) {
            (true, true) => return Err(format!("two instances of {name} already run")),
            (true, false) => 1,
            (false, _) => return Err(format!("no {name} runs; restart it first")),
        };
        self.emit(by, fault_record(FaultKind::Second(process)), None, None, sink);
        self.start_process(process, instance, false);
        Ok(())
    }

    pub(super) fn apply_etcd_fault(&mut self, by: &Actor, up: bool, sink: &mut dyn Sink) -> Result<(), String> {
        if up == self.is_etcd_up {
            return Err(format!("etcd is already {}", if up { "up" } else { "down" }));
        }
        self.emit(by, fault_or_repair_record(FaultKind::EtcdDown, up), None, None, sink);
        self.is_etcd_up = up;
        if !up {
            self.etcd_cut = self.now;
        }
        self.update_store_reachability();
        if up {
            self.serve_held_requests(sink);
        }
        Ok(())
    }

    /// Updates whether lease renewals are stored: only while the API server runs and reaches etcd.
    fn update_store_reachability(&mut self) {
        self.heartbeats
            .set_server_up(self.is_api_up && self.is_etcd_up, self.now);
    }

    fn break_all_watches(&mut self) {
        let revision = self.api.store().revision();
        let actors: Vec<Actor> = self.all_processes().map(|(actor, _)| actor).collect();
        for actor in actors {
            self.break_watch(&actor, revision);
        }
    }
}

fn is_actor_of_process(actor: &Actor, process: ControlPlaneProcess) -> bool {
    match process {
        ControlPlaneProcess::Scheduler => matches!(actor, Actor::Scheduler(_)),
        ControlPlaneProcess::ControllerManager => matches!(actor, Actor::ControllerManager(_)),
        ControlPlaneProcess::ApiServer => false,
    }
}
