//! `kubectl drain`: cordons the nodes, selects the pods to evict, evicts them all at once, retries every five seconds
//! if a disruption budget refuses, and waits until the pods are gone (KC-086 to KC-093, CT-105).

use std::borrow::Cow;

use podscope_api::ordered;

use podscope_api::{DaemonSet, Kind, Node, NodeName, ObjectKey, Pod, Uid};

use super::{
    ClientTimer, Context, DrainCommand, DryRun, Input, View, cordon_request, error_text, exit, print, print_error,
    print_warning,
};
use crate::{CallId, DeleteOptions, Request, Span};

/// Interval after which a refused eviction is requested again.
const EVICTION_RETRY_INTERVAL: Span = Span::seconds(5);
/// Interval at which drain checks whether evicted pods are gone.
const DELETION_POLL_INTERVAL: Span = Span::seconds(1);

const DAEMON_FATAL: &str = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
const DAEMON_WARNING: &str = "ignoring DaemonSet-managed Pods";
const LOCAL_FATAL: &str = "Pods with local storage (use --delete-emptydir-data to override)";
const LOCAL_WARNING: &str = "deleting Pods with local storage";
const UNMANAGED_FATAL: &str = "Pods that declare no controller (use --force to override)";
const UNMANAGED_WARNING: &str = "deleting Pods that declare no controller";

/// Decision of drain about a pod (KC-088).
#[derive(Debug, PartialEq, Eq)]
enum PodDecision {
    /// The pod is not evicted.
    Skip,
    /// The pod is not evicted, and a warning is printed.
    Ignore(&'static str),
    /// The pod is evicted; a warning may be printed.
    Evict(Option<Cow<'static, str>>),
    /// The pod keeps the node from being drained.
    Fatal(Cow<'static, str>),
}

/// Progress of the eviction of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PodEvictionStep {
    /// The eviction request is pending.
    Requested(CallId),
    /// A disruption budget refused the eviction; a timer for the retry runs.
    Refused,
    /// The eviction was accepted; the pod is terminating.
    Terminating,
}

/// State of a running `kubectl drain`.
#[derive(Debug, Clone)]
pub(super) struct DrainClient {
    command: DrainCommand,
    /// Index of the node that is being drained.
    node: usize,
    cordon: Option<CallId>,
    is_cordoned: Vec<bool>,
    pods: ordered::Map<ObjectKey, (Uid, PodEvictionStep)>,
    is_evicting: bool,
    /// Deadline for the node that is being drained, in microseconds of wall-clock time.
    deadline: Option<i64>,
    failures: Vec<(NodeName, String)>,
    pod_errors: Vec<String>,
    has_started: bool,
}

impl DrainClient {
    pub(super) fn new(command: DrainCommand) -> Self {
        Self {
            command,
            node: 0,
            cordon: None,
            is_cordoned: Vec::new(),
            pods: ordered::Map::new(),
            is_evicting: false,
            deadline: None,
            failures: Vec::new(),
            pod_errors: Vec::new(),
            has_started: false,
        }
    }

    pub(super) fn handle(&mut self, input: Input, view: &View, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {}
            Input::Listed { .. } if !self.has_started => {
                self.has_started = true;
                self.cordon_next_node(view, ctx);
            }
            Input::Answered(id, answer) if self.cordon == Some(id) => {
                self.cordon = None;
                let node = self.command.nodes[self.is_cordoned.len()].clone();
                match answer {
                    Ok(_) => print(
                        ctx,
                        format!("node/{node} cordoned{}", self.command.options.dry_run.suffix()),
                    ),
                    Err(error) => {
                        print_error(
                            ctx,
                            format!("error: unable to cordon node {:?}: {}", node.as_str(), error.message),
                        );
                        exit(ctx, true);
                        return;
                    }
                }
                self.is_cordoned.push(true);
                self.cordon_next_node(view, ctx);
            }
            Input::Answered(id, answer) => {
                let asked = self
                    .pods
                    .iter()
                    .find(|(_, (_, step))| *step == PodEvictionStep::Requested(id))
                    .map(|(key, _)| key.clone());
                let Some(key) = asked else { return };
                self.handle_eviction_answer(&key, answer.err(), view, ctx);
            }
            Input::Timer(ClientTimer::Retry(key)) => {
                if self
                    .pods
                    .get(&key)
                    .is_some_and(|(_, step)| *step == PodEvictionStep::Refused)
                {
                    if self.has_timed_out(ctx) {
                        // kubectl prints `evicting pod` for the retry before it detects that the timeout has passed.
                        if !self.command.options.disable_eviction {
                            print(ctx, format!("evicting pod {key}"));
                        }
                        self.fail_on_timeout(view, ctx);
                    } else {
                        self.evict(&key, ctx);
                    }
                }
            }
            Input::Timer(ClientTimer::Poll) => {
                if self.is_evicting {
                    if self.has_timed_out(ctx) {
                        self.fail_on_timeout(view, ctx);
                        return;
                    }
                    self.check_deleted_pods(view, ctx);
                }
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => {}
        }
    }

    /// Cordons all nodes first, then drains them one after the other.
    fn cordon_next_node(&mut self, view: &View, ctx: &mut Context<'_>) {
        while let Some(name) = self.command.nodes.get(self.is_cordoned.len()) {
            let Some(node) = view.objects.named::<Node>(name.as_str()) else {
                print_error(
                    ctx,
                    error_text(
                        &crate::ApiError::not_found(Kind::Node, name.as_str()),
                        &super::ErrorContext::None,
                    ),
                );
                exit(ctx, true);
                return;
            };
            if node.is_unschedulable() {
                print(
                    ctx,
                    format!("node/{name} already cordoned{}", self.command.options.dry_run.suffix()),
                );
                self.is_cordoned.push(true);
                continue;
            }
            if self.command.options.dry_run.is_client_side() {
                print(ctx, format!("node/{name} cordoned (dry run)"));
                self.is_cordoned.push(true);
                continue;
            }
            let request = cordon_request(node, true, "kubectl-drain");
            self.cordon = Some(ctx.call(self.command.options.dry_run.wrap_request(request)));
            return;
        }
        self.begin_node_drain(view, ctx);
    }

    /// Selects the pods of the next node and requests their eviction, or exits if all nodes are done.
    fn begin_node_drain(&mut self, view: &View, ctx: &mut Context<'_>) {
        let Some(node) = self.command.nodes.get(self.node).cloned() else {
            self.finish_drain(ctx);
            return;
        };
        let mut fatal: ordered::Map<Cow<'static, str>, Vec<String>> = ordered::Map::new();
        let mut warnings: ordered::Map<Cow<'static, str>, Vec<String>> = ordered::Map::new();
        let mut to_evict = Vec::new();
        for pod in view.objects.pods_on(&node) {
            let selected = self
                .command
                .pod_selector
                .as_ref()
                .is_none_or(|selector| selector.matches(&pod.metadata.labels));
            if !selected {
                continue;
            }
            let key = pod.metadata.key();
            match self.decide_pod_eviction(pod, view, ctx) {
                PodDecision::Skip => {}
                PodDecision::Ignore(warning) => warnings.entry(warning.into()).or_default().push(key.to_string()),
                PodDecision::Evict(warning) => {
                    if let Some(warning) = warning {
                        warnings.entry(warning).or_default().push(key.to_string());
                    }
                    to_evict.push((key, pod.metadata.uid.clone()));
                }
                PodDecision::Fatal(why) => fatal.entry(why).or_default().push(key.to_string()),
            }
        }
        let listed = |groups: &ordered::Map<Cow<'static, str>, Vec<String>>, lead: &str| -> Vec<String> {
            groups
                .iter()
                .map(|(why, pods)| format!("{lead}{why}: {}", pods.join(", ")))
                .collect()
        };
        if !fatal.is_empty() {
            let errors = listed(&fatal, "cannot delete ");
            let text = match errors.as_slice() {
                [one] => one.clone(),
                many => format!("[{}]", many.join(", ")),
            };
            self.fail_node_drain(&node, text, ctx);
            self.node += 1;
            self.begin_node_drain(view, ctx);
            return;
        }
        if !warnings.is_empty() {
            print_warning(ctx, listed(&warnings, "").join("; "));
        }
        self.is_evicting = true;
        self.deadline = self.command.options.timeout.map(|timeout| ctx.wall().0 + timeout.0);
        if self.command.options.dry_run.is_client_side() {
            for (key, _) in to_evict.drain(..) {
                print(ctx, format!("evicting pod {key} (dry run)"));
            }
        }
        self.pods = to_evict
            .iter()
            .map(|(key, uid)| (key.clone(), (uid.clone(), PodEvictionStep::Refused)))
            .collect();
        for (key, _) in &to_evict {
            self.evict(key, ctx);
        }
        self.end_node_drain_if_done(view, ctx);
    }

    /// Decides what to do with a pod, by kubectl's filters in their order (KC-088).
    fn decide_pod_eviction(&self, pod: &Pod, view: &View, ctx: &Context<'_>) -> PodDecision {
        if let (Some(limit), Some(since)) = (
            self.command.options.skip_wait_for_delete.filter(|limit| limit.0 > 0),
            pod.metadata.deletion_timestamp,
        ) && ctx.wall().0 - since.0 > limit.0
        {
            return PodDecision::Skip;
        }
        let is_finished = pod.is_terminal();
        let owner = pod.metadata.controller_ref();
        let mut decision = PodDecision::Evict(None);
        if let Some(owner) = owner.filter(|owner| &*owner.kind == "DaemonSet" && !is_finished) {
            let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
            let exists = view.objects.get::<DaemonSet>(&key).is_some();
            let missing = || format!("daemonsets.apps {:?} not found", &*owner.name).into();
            if !exists && self.command.options.force {
                decision = PodDecision::Evict(Some(missing()));
            } else if !exists {
                return PodDecision::Fatal(missing());
            } else if !self.command.options.ignore_daemonsets {
                return PodDecision::Fatal(DAEMON_FATAL.into());
            } else {
                return PodDecision::Ignore(DAEMON_WARNING);
            }
        }
        if pod.is_mirror() {
            return PodDecision::Skip;
        }
        if !is_finished && pod.spec.volumes.iter().any(|volume| volume.empty_dir.is_some()) {
            if !self.command.options.delete_emptydir_data {
                return PodDecision::Fatal(LOCAL_FATAL.into());
            }
            decision = PodDecision::Evict(Some(LOCAL_WARNING.into()));
        }
        if owner.is_none() && !is_finished {
            if !self.command.options.force {
                return PodDecision::Fatal(UNMANAGED_FATAL.into());
            }
            return PodDecision::Evict(Some(UNMANAGED_WARNING.into()));
        }
        // kubectl's last filter accepts a pod with a controller, and thereby discards the warning of an earlier filter.
        if owner.is_some() {
            PodDecision::Evict(None)
        } else {
            decision
        }
    }

    fn evict(&mut self, key: &ObjectKey, ctx: &mut Context<'_>) {
        let options = DeleteOptions {
            grace_seconds: self.command.options.grace_seconds,
            ..DeleteOptions::default()
        };
        let dry_run = self.command.options.dry_run;
        let request = if self.command.options.disable_eviction {
            Request::Delete {
                kind: Kind::Pod,
                key: key.clone(),
                options,
            }
        } else {
            print(ctx, format!("evicting pod {key}{}", dry_run.suffix()));
            Request::Evict {
                pod: key.clone(),
                options,
            }
        };
        let id = ctx.call(dry_run.wrap_request(request));
        if let Some((_, step)) = self.pods.get_mut(key) {
            *step = PodEvictionStep::Requested(id);
        }
    }

    fn handle_eviction_answer(
        &mut self,
        key: &ObjectKey,
        error: Option<crate::ApiError>,
        view: &View,
        ctx: &mut Context<'_>,
    ) {
        match error {
            // A dry run deletes no pod, so drain does not wait until the pod is gone.
            None if self.command.options.dry_run == DryRun::Server => {
                self.pods.remove(key);
            }
            None => {
                if let Some((_, step)) = self.pods.get_mut(key) {
                    *step = PodEvictionStep::Terminating;
                }
                ctx.timer_in(DELETION_POLL_INTERVAL, ClientTimer::Poll);
            }
            Some(error) if error.is_not_found() => {
                self.pods.remove(key);
            }
            Some(error) if error.code == 429 || error.code == 0 || error.code == 504 => {
                if self.has_timed_out(ctx) {
                    self.fail_on_timeout(view, ctx);
                    return;
                }
                print_error(
                    ctx,
                    format!(
                        "error when evicting pods/{:?} -n {:?} (will retry after 5s): {}",
                        &*key.name, &*key.namespace, error.message
                    ),
                );
                if let Some((_, step)) = self.pods.get_mut(key) {
                    *step = PodEvictionStep::Refused;
                }
                ctx.timer_in(EVICTION_RETRY_INTERVAL, ClientTimer::Retry(key.clone()));
            }
            Some(error) => {
                self.pods.remove(key);
                self.pod_errors.push(format!(
                    "error when evicting pods/{:?} -n {:?}: {}",
                    &*key.name, &*key.namespace, error.message
                ));
            }
        }
        self.end_node_drain_if_done(view, ctx);
    }

    /// Handles the poll timer: prints the pods that are gone.
    fn check_deleted_pods(&mut self, view: &View, ctx: &mut Context<'_>) {
        let gone: Vec<ObjectKey> = self
            .pods
            .iter()
            .filter(|(key, (uid, step))| {
                *step == PodEvictionStep::Terminating
                    && view.objects.get::<Pod>(key).is_none_or(|pod| pod.metadata.uid != *uid)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone {
            self.pods.remove(&key);
            let how = if self.command.options.disable_eviction {
                "deleted"
            } else {
                "evicted"
            };
            print(ctx, format!("pod/{} {how}", key.name));
        }
        if self
            .pods
            .values()
            .any(|(_, step)| *step == PodEvictionStep::Terminating)
        {
            ctx.timer_in(DELETION_POLL_INTERVAL, ClientTimer::Poll);
        }
        self.end_node_drain_if_done(view, ctx);
    }

    /// Reports the node as drained or failed once no pod is left to evict, and continues with the next node.
    fn end_node_drain_if_done(&mut self, view: &View, ctx: &mut Context<'_>) {
        if !self.is_evicting || !self.pods.is_empty() {
            return;
        }
        self.is_evicting = false;
        let node = self.command.nodes[self.node].clone();
        let errors = std::mem::take(&mut self.pod_errors);
        match errors.as_slice() {
            [] => print(
                ctx,
                format!("node/{node} drained{}", self.command.options.dry_run.suffix()),
            ),
            [one] => self.fail_node_drain(&node, one.clone(), ctx),
            many => self.fail_node_drain(&node, format!("[{}]", many.join(", ")), ctx),
        }
        self.node += 1;
        self.begin_node_drain(view, ctx);
    }

    /// Prints and stores the reason why a node could not be drained.
    fn fail_node_drain(&mut self, node: &NodeName, why: String, ctx: &mut Context<'_>) {
        print_error(
            ctx,
            format!(
                "error: unable to drain node {:?} due to error: {why}, continuing command...",
                node.as_str()
            ),
        );
        self.failures.push((node.clone(), why));
    }

    /// Handles the timeout: reports the pending pods and continues with the next node (KC-093).
    fn fail_on_timeout(&mut self, view: &View, ctx: &mut Context<'_>) {
        let node = self.command.nodes[self.node].clone();
        let limit = self.command.options.timeout.unwrap_or(Span::ZERO);
        let pending: Vec<ObjectKey> = self.pods.keys().cloned().collect();
        let why = pending.first().map_or_else(String::new, |key| {
            format!(
                "error when evicting pods/{:?} -n {:?}: global timeout reached: {limit}",
                &*key.name, &*key.namespace
            )
        });
        print_error(
            ctx,
            format!(
                "There are pending pods in node {:?} when an error occurred: {why}",
                node.as_str()
            ),
        );
        for key in &pending {
            print_error(ctx, format!("pod/{}", key.name));
        }
        self.is_evicting = false;
        self.pods.clear();
        self.fail_node_drain(&node, why, ctx);
        // Each node has its own timeout, so draining continues with the next node.
        self.node += 1;
        self.begin_node_drain(view, ctx);
    }

    fn has_timed_out(&self, ctx: &Context<'_>) -> bool {
        self.deadline.is_some_and(|deadline| ctx.wall().0 >= deadline)
    }

    /// Prints which nodes could not be drained, and exits.
    fn finish_drain(&mut self, ctx: &mut Context<'_>) {
        if self.failures.is_empty() {
            exit(ctx, false);
            return;
        }
        print_error(ctx, "There are pending nodes to be drained:");
        for (node, _) in &self.failures {
            print_error(ctx, format!(" {node}"));
        }
        for (_, why) in &self.failures {
            print_error(ctx, why.clone());
        }
        exit(ctx, true);
    }
}
