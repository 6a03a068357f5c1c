//! kubectl's writing commands as clients of the simulated world: names and
//! selectors are resolved here, objects and patches are built here; the client
//! sends, waits and prints (KC-079 to KC-109).

mod manifest;
mod nodes;
mod objects;
mod reading;

use podscope_api::{Kind, Object, Time};
use podscope_cluster::client::{ClientCommand, RolloutStatus, Write};
use podscope_cluster::{Mutation, Objects, Part, Request};
use serde_json::Value;

use super::get::find;
use super::rollout;
use super::{View, not_found, qualified_singular};
use crate::command::{DryRun, Kubectl, RolloutAction, Target};

/// The annotation that holds what `apply` was given last.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What a command does.
#[derive(Debug, Default)]
pub struct Plan {
    /// Lines printed before anything is sent; true for stderr.
    pub lines: Vec<(bool, String)>,
    /// The client that does the rest.
    pub client: Option<ClientCommand>,
    /// Why nothing is done.
    pub refused: Option<String>,
}

impl Plan {
    pub(super) fn refuse(message: impl Into<String>) -> Plan {
        Plan {
            refused: Some(message.into()),
            ..Plan::default()
        }
    }
    pub(super) fn writes(writes: Vec<Write>) -> Plan {
        Plan {
            client: (!writes.is_empty()).then_some(ClientCommand::Write(writes)),
            ..Plan::default()
        }
    }
    pub(super) fn err(&mut self, text: impl Into<String>) {
        self.lines.push((true, text.into()));
    }
    fn out(&mut self, text: impl Into<String>) {
        self.lines.push((false, text.into()));
    }
}

/// The same plan with `--dry-run`: a client says what it would do, a server is asked and stores nothing (KC-080).
fn rehearsed(mut plan: Plan, dry_run: DryRun) -> Plan {
    let tail = dry_run.suffix();
    match (dry_run, plan.client.take()) {
        (DryRun::Client, Some(ClientCommand::Write(writes))) => {
            for write in writes {
                let name = match &write.request {
                    Request::Create(object) => object.metadata().name.to_string(),
                    _ => String::new(),
                };
                plan.out(format!("{}{tail}", write.success.replace("{name}", &name)));
            }
        }
        (DryRun::Server, Some(ClientCommand::Write(mut writes))) => {
            for write in &mut writes {
                write.request = dry_run.request(write.request.clone());
                write.success.push_str(tail);
                if let Some((_, text)) = &mut write.unchanged {
                    text.push_str(tail);
                }
            }
            plan.client = Some(ClientCommand::Write(writes));
        }
        (_, client) => plan.client = client,
    }
    plan
}

/// Plans a command on the objects as they are now.
pub fn plan(command: &Kubectl, objects: &Objects, now: Time) -> Plan {
    let none = |_: &podscope_api::Pod, _: &str, _: bool| Vec::new();
    let unused = |_: &podscope_api::Pod, _: &str| None;
    let unknown = |_: &podscope_api::NodeName| None;
    let view = View {
        objects,
        now,
        start: now,
        logs: &none,
        usage: &unused,
        renewed: &unknown,
    };
    match command {
        Kubectl::Apply {
            manifest,
            namespace,
            dry_run,
        } => rehearsed(manifest::apply(manifest, namespace.as_deref(), &view), *dry_run),
        Kubectl::Create {
            what,
            namespace,
            dry_run,
            output,
        } => manifest::create(what, namespace.as_deref(), *dry_run, output),
        Kubectl::Delete(what) => objects::delete(what, &view),
        Kubectl::Scale {
            target,
            replicas,
            current_replicas,
            dry_run,
        } => rehearsed(objects::scale(target, *replicas, *current_replicas, &view), *dry_run),
        Kubectl::Rollout { action, target } => {
            let plan = with_objects(target, &view, |object, plan, writes| {
                if let RolloutAction::Status { watch, timeout } = action {
                    if !matches!(object.kind(), Kind::Deployment | Kind::StatefulSet | Kind::DaemonSet) {
                        return Err(format!(
                            "error: no status viewer has been implemented for {:?}",
                            object.kind().name()
                        ));
                    }
                    plan.client = Some(ClientCommand::RolloutStatus(RolloutStatus {
                        kind: object.kind(),
                        key: object.key(),
                        watch: *watch,
                        timeout: *timeout,
                    }));
                    return Ok(());
                }
                match rollout::act(action, object, &view)? {
                    rollout::Act::Write(write) => writes.push(*write),
                    rollout::Act::Say(text) => text.lines().for_each(|line| plan.out(line)),
                }
                Ok(())
            });
            match action {
                RolloutAction::Undo { dry_run, .. } => rehearsed(plan, *dry_run),
                _ => plan,
            }
        }
        Kubectl::Cordon {
            nodes,
            selector,
            cordon,
            dry_run,
        } => nodes::cordon_nodes(nodes, selector.as_deref(), *cordon, *dry_run, &view),
        Kubectl::Drain(what) => nodes::drain(what, &view),
        Kubectl::Taint {
            nodes,
            all: _,
            selector,
            changes,
            overwrite,
            dry_run,
        } => rehearsed(
            nodes::taint(nodes, selector.as_deref(), changes, *overwrite, &view),
            *dry_run,
        ),
        Kubectl::Label(what) => rehearsed(objects::mark(what, true, &view), what.dry_run),
        Kubectl::Annotate(what) => rehearsed(objects::mark(what, false, &view), what.dry_run),
        Kubectl::Get(get) => super::watch::plan(get, &view),
        Kubectl::Patch { dry_run, .. } => rehearsed(objects::patch(command, &view), *dry_run),
        Kubectl::Edit { target, text } => objects::edit(target, text, &view),
        Kubectl::SetImage {
            target,
            images,
            dry_run,
        } => {
            let plan = with_objects(target, &view, |object, _, writes| {
                objects::set_image(object, images, writes)
            });
            rehearsed(plan, *dry_run)
        }
        _ => Plan::refuse("error: this command only reads"),
    }
}

/// `deployment.apps/web`.
pub(super) fn typed_name(object: &Object) -> String {
    format!("{}/{}", qualified_singular(object.kind()), object.metadata().name)
}

/// A patch that is tried on the object as it is now, so that its errors are known at once.
pub(super) fn change(
    object: &Object,
    part: Part,
    name: &'static str,
    success: &str,
    unchanged: Option<String>,
    apply: impl Fn(&Value) -> Result<Value, String> + Send + Sync + 'static,
) -> Result<Write, String> {
    let tried = apply(&object.to_value())?;
    podscope_api::object_from_value(&tried).map_err(|errors| {
        errors.first().map_or_else(String::new, |error| {
            format!("Error from server (BadRequest): {}: {}", error.path, error.message)
        })
    })?;
    Ok(Write {
        request: Request::Patch {
            kind: object.kind(),
            key: object.key(),
            uid: None,
            part,
            change: Mutation::of_object(name, move |live| {
                let value = apply(&live.to_value()).ok()?;
                podscope_api::object_from_value(&value).ok()
            }),
        },
        success: success.to_owned(),
        shows: None,
        unchanged: unchanged.map(|text| (object.metadata().resource_version.clone(), text)),
        context: String::new(),
    })
}

/// Plans for every object that is selected; misses are errors after what was found.
fn with_objects(
    target: &Target,
    view: &View<'_>,
    mut act: impl FnMut(&Object, &mut Plan, &mut Vec<Write>) -> Result<(), String>,
) -> Plan {
    let found = match find(target, view.objects) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors: Vec<String> = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if let Err(message) = act(object, &mut plan, &mut writes) {
            errors.push(message);
        }
    }
    errors.extend(found.misses.iter().map(|(kind, name)| not_found(*kind, name)));
    finish(plan, writes, errors)
}

fn finish(mut plan: Plan, writes: Vec<Write>, errors: Vec<String>) -> Plan {
    if writes.is_empty() && plan.client.is_none() && plan.lines.is_empty() && !errors.is_empty() {
        return Plan::refuse(errors.join("\n"));
    }
    for error in errors {
        plan.err(error);
    }
    if !writes.is_empty() {
        plan.client = Some(ClientCommand::Write(writes));
    }
    plan
}
