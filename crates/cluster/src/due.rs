//! Pending actions of the whole world, collected from all components: deadlines of the control plane and the kubelets,
//! and processes that end by themselves. They take place unless something else happens first.

use podscope_api::ordered::StableSort as _;
use podscope_api::pending_event::PendingEventKind;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, CronJob, Kind, Node, Object, ObjectKey, Pod, Time};
use podscope_node::kubelet::Kubelet;

use crate::machine::Machine;
use crate::world::ComponentState;
use crate::{Actor, PendingEvent, SimTime, World};

impl World {
    /// Returns the pending actions, the earliest first. The instant of an action is that of the decision; its effects
    /// follow within milliseconds, depending on the network.
    pub fn pending_events(&self) -> Vec<PendingEvent> {
        let mut due: Vec<PendingEvent> = self.controller_events().unwrap_or_default();
        for state in self.processes.values() {
            let candidate = state
                .election
                .as_ref()
                .filter(|_| state.runs() && self.is_api_up && self.is_etcd_up);
            if let Some((lease, at)) = candidate.and_then(|election| election.lease_and_takeover_time())
                && !self.has_leader(lease)
            {
                due.push(PendingEvent {
                    at,
                    what: PendingEventKind::Lease,
                    kind: Kind::Lease,
                    key: ObjectKey::new("kube-system", lease),
                    uid: "".into(),
                    container: "".into(),
                    is_projected: false,
                });
            }
        }
        let queue = self.scheduler().map(|scheduler| scheduler.queue()).unwrap_or_default();
        due.extend(queue.into_iter().filter_map(|entry| {
            Some(PendingEvent {
                at: SimTime(entry.retried_at?),
                what: PendingEventKind::Attempt,
                kind: Kind::Pod,
                key: entry.pod,
                uid: entry.uid.as_ref().into(),
                container: "".into(),
                is_projected: false,
            })
        }));
        for state in self.nodes.values() {
            if let Some(kubelet) = state.kubelet.kubelet() {
                due.extend(Kubelet::pending_events(kubelet, &state.machine, self.now));
            }
            due.extend(self.due_exits(&state.machine));
        }
        due.retain(|one| one.at >= self.now);
        due.stable_sort();
        due.dedup();
        due
    }

    /// Returns the pending actions of the controller-manager; None if no controller-manager leads, or if the API server
    /// is down or does not reach etcd. An action stays in the list until its effect is observed.
    pub fn controller_events(&self) -> Option<Vec<PendingEvent>> {
        // The attacher and the fencing controller also run as controller-managers, but have no pending actions.
        let cores = self
            .processes
            .iter()
            .filter_map(|(actor, state)| match (actor, &state.component) {
                (Actor::ControllerManager(_), ComponentState::Manager(Some(core))) => Some(core),
                _ => None,
            });
        let wall = self.wall_time();
        let each = cores.map(|core| core.pending_events(self.now, wall, &self.heartbeats));
        let found: Vec<Vec<PendingEvent>> = each.filter(|_| self.is_api_up && self.is_etcd_up).collect();
        (!found.is_empty()).then(|| found.into_iter().flatten().collect())
    }

    /// Returns the pending exits of containers whose process will end by itself, if the API server has their pod.
    fn due_exits<'m>(&'m self, machine: &'m Machine) -> impl Iterator<Item = PendingEvent> + 'm {
        machine.pods().flat_map(move |(uid, held)| {
            let pod = match self.objects().by_uid(uid) {
                Some(Object::Pod(pod)) => Some(pod),
                _ => None,
            };
            let due = |pod: &Pod| {
                let ending = held
                    .running()
                    .filter_map(|one| Some((one.name.clone(), one.ends_at()?)));
                let due = ending.map(|(container, at)| PendingEvent {
                    at,
                    what: PendingEventKind::Exit,
                    kind: Kind::Pod,
                    key: pod.metadata.key(),
                    uid: uid.clone(),
                    container,
                    is_projected: false,
                });
                due.collect::<Vec<_>>()
            };
            pod.map(|pod| due(&pod)).unwrap_or_default()
        })
    }

    /// Returns whether a process holds the lease with this name and leads.
    fn has_leader(&self, lease: &str) -> bool {
        let is_holder = |actor: &Actor| match actor {
            Actor::Scheduler(_) => lease == "kube-scheduler",
            Actor::ControllerManager(_) => lease == "kube-controller-manager",
            _ => false,
        };
        let mut processes = self.control_plane_processes().into_iter();
        processes.any(|process| process.leads && is_holder(&process.actor))
    }

    /// Returns whether a pending action has taken place: its instant has passed, and its effect is visible. An operator
    /// or another controller may have caused the same effect.
    pub fn has_happened(&self, due: &PendingEvent) -> bool {
        let pod = self
            .objects()
            .get::<Pod>(&due.key)
            .filter(|pod| pod.metadata.uid == due.uid);
        let process = || {
            let machine = self.machine(pod?.spec.node_name.as_ref()?)?;
            machine.pod(&due.uid)?.latest(&due.container)
        };
        let ready = || {
            self.objects()
                .get::<Node>(&due.key)?
                .condition(condition::READY)
                .map(|ready| ready.status.clone())
        };
        self.now >= due.at
            && match due.what {
                PendingEventKind::NotReady => ready() == Some(ConditionStatus::Unknown),
                PendingEventKind::Evicted => pod.is_none_or(|pod| pod.metadata.is_terminating()),
                PendingEventKind::Lease => self.has_leader(&due.key.name),
                PendingEventKind::Attempt => {
                    let is_waiting = |pod: &Pod| pod.spec.node_name.is_none();
                    let queue = self.scheduler().map(|scheduler| scheduler.queue()).unwrap_or_default();
                    let tried = |at: Option<i64>| at.is_none_or(|at| SimTime(at) > due.at);
                    let mut entries = queue.into_iter().filter(|entry| *entry.uid == *due.uid);
                    !pod.is_some_and(|pod| is_waiting(pod)) || entries.all(|entry| tried(entry.retried_at))
                }
                PendingEventKind::BackOff => process().is_some_and(|one| one.started_at >= due.at),
                PendingEventKind::Probe => {
                    let is_stopped = process().is_none_or(|one| !one.signals.is_empty() || one.started_at >= due.at);
                    is_stopped || pod.is_none_or(|pod| !pod.is_ready())
                }
                PendingEventKind::StopSignal | PendingEventKind::Kill => {
                    process().is_none_or(|one| !one.signals.is_empty())
                }
                PendingEventKind::Job => {
                    let served = self
                        .objects()
                        .get::<CronJob>(&due.key)
                        .map(|cron| cron.status.last_schedule_time);
                    // The CronJob controller acts 0.1 s after the scheduled time, which is a whole second. If it has
                    // acted, `lastScheduleTime` is later than one second before `due.at`.
                    let instant = Time(self.start.0 + due.at.0 - 1_000_000);
                    served.is_none_or(|served| served > Some(instant))
                }
                PendingEventKind::Exit => process().is_none_or(|one| !one.is_running() || one.started_at >= due.at),
            }
    }
}
