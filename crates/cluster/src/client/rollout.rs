//! `kubectl rollout status`: prints a line per watch event until the rollout is complete (KC-104 to KC-107).

use std::collections::VecDeque;

use podscope_api::well_known::condition;
use podscope_api::{DaemonSet, Deployment, Kind, StatefulSet, UpdateStrategyType};

use super::{ClientTimer, Context, Input, RolloutStatus, View, error_text, exit, print, print_error, set_timeout};
use crate::ApiError;

/// State of a running `kubectl rollout status`.
#[derive(Debug, Clone)]
pub(super) struct RolloutClient {
    command: RolloutStatus,
    /// The rollouts that are followed after the present one.
    left: VecDeque<RolloutStatus>,
    has_started: bool,
    has_failed: bool,
}

/// The status line of a rollout and whether the rollout is complete, or the error that ends the command.
type StatusLine = Result<(String, bool), String>;

impl RolloutClient {
    /// Creates the state; returns None if there is no rollout to follow.
    pub(super) fn new(commands: Vec<RolloutStatus>) -> Option<Self> {
        let mut left = VecDeque::from(commands);
        Some(Self {
            command: left.pop_front()?,
            left,
            has_started: false,
            has_failed: false,
        })
    }

    /// Ends the present rollout: continues with the next one, or exits.
    fn end_rollout(&mut self, has_failed: bool, view: &View, ctx: &mut Context<'_>) {
        self.has_failed |= has_failed;
        match self.left.pop_front() {
            Some(next) => {
                self.command = next;
                set_timeout(self.command.timeout, ctx);
                self.report_rollout_status(view, ctx);
            }
            None => exit(ctx, self.has_failed),
        }
    }

    pub(super) fn handle(&mut self, input: &Input, view: &View, ctx: &mut Context<'_>) {
        match input {
            Input::Started => set_timeout(self.command.timeout, ctx),
            Input::Listed { .. } => self.report_rollout_status(view, ctx),
            Input::Changed(change) => {
                let is_about = change
                    .object()
                    .is_some_and(|object| object.kind() == self.command.kind && object.key() == self.command.key);
                if is_about && self.has_started {
                    if change.new.is_none() {
                        print_error(ctx, "error: object has been deleted");
                        return self.end_rollout(true, view, ctx);
                    }
                    self.report_rollout_status(view, ctx);
                }
            }
            Input::Timer(ClientTimer::Timeout) => {
                print_error(ctx, "error: timed out waiting for the condition");
                self.end_rollout(true, view, ctx);
            }
            Input::Answered(..) | Input::Timer(_) => {}
        }
    }

    /// Prints the status of the present rollout; ends it if it is complete or if there is an error.
    fn report_rollout_status(&mut self, view: &View, ctx: &mut Context<'_>) {
        let (objects, key) = (&view.objects, &self.command.key);
        self.has_started = true;
        let line = match self.command.kind {
            Kind::Deployment => objects.get::<Deployment>(key).map(|object| deployment_line(object)),
            Kind::StatefulSet => objects.get::<StatefulSet>(key).map(|object| stateful_set_line(object)),
            Kind::DaemonSet => objects.get::<DaemonSet>(key).map(|object| daemon_set_line(object)),
            kind => {
                print_error(
                    ctx,
                    format!("error: no status viewer has been implemented for {}", kind.name()),
                );
                return self.end_rollout(true, view, ctx);
            }
        };
        match line {
            None => {
                print_error(
                    ctx,
                    error_text(
                        &ApiError::not_found(self.command.kind, &key.name),
                        &super::ErrorContext::None,
                    ),
                );
                self.end_rollout(true, view, ctx);
            }
            Some(Err(error)) => {
                print_error(ctx, error);
                self.end_rollout(true, view, ctx);
            }
            Some(Ok((text, is_done))) => {
                print(ctx, text);
                if is_done || !self.command.watch {
                    self.end_rollout(false, view, ctx);
                }
            }
        }
    }
}

/// Returns the status line of a Deployment (KC-104).
fn deployment_line(object: &Deployment) -> StatusLine {
    let (name, status) = (&object.metadata.name, &object.status);
    if object.metadata.generation.unwrap_or(0) > status.observed_generation.unwrap_or(0) {
        return Ok(("Waiting for deployment spec update to be observed...".into(), false));
    }
    let overdue = status.conditions.iter().any(|condition| {
        &*condition.kind == condition::PROGRESSING && &*condition.reason == "ProgressDeadlineExceeded"
    });
    if overdue {
        return Err(format!(
            "error: deployment {:?} exceeded its progress deadline",
            &**name
        ));
    }
    let wanted = object.spec.replicas.unwrap_or(1);
    let [updated, total, available] =
        [status.updated_replicas, status.replicas, status.available_replicas].map(|count| count.unwrap_or(0));
    let waiting = |text: String| {
        let line = format!("Waiting for deployment {:?} rollout to finish: {text}...", &**name);
        Ok((line, false))
    };
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new replicas have been updated"));
    }
    if total > updated {
        return waiting(format!("{} old replicas are pending termination", total - updated));
    }
    if available < updated {
        return waiting(format!("{available} of {updated} updated replicas are available"));
    }
    Ok((format!("deployment {:?} successfully rolled out", &**name), true))
}

/// Returns the status line of a StatefulSet (KC-107).
fn stateful_set_line(object: &StatefulSet) -> StatusLine {
    let (spec, status) = (&object.spec, &object.status);
    if spec.update_strategy.kind == Some(UpdateStrategyType::OnDelete) {
        return Err("error: rollout status is only available for RollingUpdate strategy type".into());
    }
    let observed = status.observed_generation.unwrap_or(0);
    if observed == 0 || object.metadata.generation.unwrap_or(0) > observed {
        return Ok(("Waiting for statefulset spec update to be observed...".into(), false));
    }
    let wanted = spec.replicas.unwrap_or(1);
    let (ready, updated) = (status.ready_replicas.unwrap_or(0), status.updated_replicas.unwrap_or(0));
    if ready < wanted {
        return Ok((format!("Waiting for {} pods to be ready...", wanted - ready), false));
    }
    if let Some(rolling) = &spec.update_strategy.rolling_update {
        let target = wanted - rolling.partition.unwrap_or(0);
        if updated < target {
            let line = format!(
                "Waiting for partitioned roll out to finish: {updated} out of {target} new pods have been updated..."
            );
            return Ok((line, false));
        }
        let line = format!("partitioned roll out complete: {updated} new pods have been updated...");
        return Ok((line, true));
    }
    if status.update_revision != status.current_revision {
        let line = format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {}...",
            status.update_revision
        );
        return Ok((line, false));
    }
    let line = format!(
        "statefulset rolling update complete {} pods at revision {}...",
        status.current_replicas.unwrap_or(0),
        status.current_revision
    );
    Ok((line, true))
}

/// Returns the status line of a DaemonSet (KC-106).
fn daemon_set_line(object: &DaemonSet) -> StatusLine {
    let (name, status) = (&object.metadata.name, &object.status);
    if object.spec.update_strategy.kind == Some(UpdateStrategyType::OnDelete) {
        return Err("error: rollout status is only available for RollingUpdate strategy type".into());
    }
    if object.metadata.generation.unwrap_or(0) > status.observed_generation.unwrap_or(0) {
        return Ok(("Waiting for daemon set spec update to be observed...".into(), false));
    }
    let wanted = status.desired_number_scheduled;
    let (updated, available) = (
        status.updated_number_scheduled.unwrap_or(0),
        status.number_available.unwrap_or(0),
    );
    let waiting = |text: String| {
        let line = format!("Waiting for daemon set {:?} rollout to finish: {text}...", &**name);
        Ok((line, false))
    };
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new pods have been updated"));
    }
    if available < wanted {
        return waiting(format!("{available} of {wanted} updated pods are available"));
    }
    Ok((format!("daemon set {:?} successfully rolled out", &**name), true))
}
