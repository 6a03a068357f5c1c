//! Plans commands that write, which become clients of the simulated world (KC-079 to KC-109). This module resolves
//! names and selectors, and builds objects and patches. The client sends the requests, waits, and prints the results.

mod apply;
mod delete;
mod expose;
mod last_applied;
mod manifest;
pub(crate) mod manifest_reader;
mod metadata;
mod nodes;
pub(crate) mod patch;
mod replace;
mod rollout;
mod saved_config;
mod scale;
mod set;
mod verbatim;

pub(super) use delete::{deleted_kinds, manifest_kinds};
pub(super) use manifest::manifest_objects;

use std::sync::Arc;

use podscope_api::{Kind, Object, Time};
use podscope_cluster::client::{ClientCommand, ObjectFormatter, Write, object_name};
use podscope_cluster::{Mutation, Objects, OutputKind, Part, Request};
use serde_json::Value;

use self::manifest_reader::Manifest;
use super::View;
use super::get::find;
use super::output::{ObjectFormat, object_text};
use crate::command::{DryRun, Kubectl, Output, RolloutAction, Target};
use crate::refusals::{Refusal, bad_request};

/// The output and the requests of a command.
#[derive(Debug, Default)]
pub struct Plan {
    /// Lines printed before a request is sent, each marked as output, warning or error.
    pub lines: Vec<(OutputKind, String)>,
    /// The client that sends the requests; `None` if nothing is sent.
    pub client: Option<ClientCommand>,
    /// The error if the command fails before it sends a request.
    pub refused: Option<String>,
}

impl Plan {
    pub(super) fn refuse(message: impl Into<String>) -> Plan {
        Plan {
            refused: Some(message.into()),
            ..Plan::default()
        }
    }

    pub(super) fn err(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Error, text.into()));
    }

    /// Prints a warning with kubectl's prefix; the command continues.
    fn warn(&mut self, text: impl std::fmt::Display) {
        self.warn_unprefixed(format!("Warning: {text}"));
    }

    /// Prints a warning without the prefix `Warning: `.
    pub(super) fn warn_unprefixed(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Warning, text.into()));
    }

    fn out(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Output, text.into()));
    }

    /// Warns about fields that the server does not know.
    fn warn_unknown_fields(&mut self, fields: &[String]) {
        for field in fields {
            self.warn(podscope_api::schema::unknown_field(field));
        }
    }

    /// Returns whether the plan prints and sends nothing.
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.client.is_none() && self.refused.is_none()
    }
}

/// Applies `--dry-run` and `-o` to a plan (KC-080). A client dry run prints the messages without sending requests; a
/// server dry run sends requests that store nothing. With `-o` the resulting object is printed.
fn with_dry_run(plan: Plan, dry_run: DryRun, output: &Output, view: &View<'_>) -> Plan {
    with_dry_run_suffix(dry_run.suffix(), plan, dry_run, output, view)
}

/// Like [`with_dry_run`], but each line ends with `suffix` instead of ` (dry run)`.
fn with_dry_run_suffix(suffix: &str, mut plan: Plan, dry_run: DryRun, output: &Output, view: &View<'_>) -> Plan {
    let format = match ObjectFormat::of(output) {
        Ok(format) => format,
        Err(message) => return Plan::refuse(message),
    };
    let Some(ClientCommand::Write(writes)) = plan.client.take_if(|client| matches!(client, ClientCommand::Write(_)))
    else {
        return plan;
    };
    let mut kept = Vec::new();
    for (at, mut write) in writes.into_iter().enumerate() {
        let Some(request) = write.request.take() else {
            kept.push(Write {
                success: format!("{}{suffix}", write.success),
                ..write
            });
            continue;
        };
        write.success.push_str(suffix);
        if let Some((_, text)) = &mut write.unchanged {
            text.push_str(suffix);
        }
        let separator = if at > 0 && format.as_ref().is_some_and(ObjectFormat::has_document_separators) {
            "---\n"
        } else {
            ""
        };
        if dry_run.is_client_side() {
            let object = resulting_object(&request, view);
            // A write that changes nothing and has no message for that case prints nothing.
            let is_silent = write
                .unchanged
                .as_ref()
                .is_some_and(|(_, text)| text.as_str() == suffix);
            if is_silent && object.as_ref().is_some_and(|object| is_unchanged(object, view)) {
                continue;
            }
            let name = object
                .as_ref()
                .map(|object| object.metadata().name.to_string())
                .unwrap_or_default();
            kept.push(Write::without_request(match (&format, &object) {
                (Some(format), Some(object)) => format!("{separator}{}", object_text(format, object)),
                _ => write.success.replace("{name}", &name),
            }));
            continue;
        }
        if let Some(format) = format.clone() {
            write.formatter = Some(ObjectFormatter(Arc::new(move |object| {
                format!("{separator}{}", object_text(&format, object))
            })));
        }
        write.request = Some(dry_run.wrap_request(request));
        kept.push(write);
    }
    plan.client = (!kept.is_empty()).then_some(ClientCommand::Write(kept));
    plan
}

/// Returns whether the stored object equals this one.
fn is_unchanged(object: &Object, view: &View<'_>) -> bool {
    let stored = view.objects.get_kind(object.kind(), &object.key());
    stored.is_some_and(|stored| stored.to_value() == object.to_value())
}

/// Returns the object that a request would store, as far as a client can compute it.
fn resulting_object(request: &Request, view: &View<'_>) -> Option<Object> {
    match request {
        Request::Create(object) | Request::Update(object, _) => Some(object.clone()),
        Request::Patch { kind, key, change, .. } => change.apply(&view.objects.get_kind(*kind, key)?).ok(),
        _ => None,
    }
}

/// Plans a command against the current objects.
pub fn plan(command: &Kubectl, objects: &Objects, now: Time) -> Plan {
    let mut plan = plan_command(command, objects, now);
    let deprecated = match command.dry_run() {
        DryRun::Bare => Some((
            "helpers.go:737",
            "--dry-run is deprecated and can be replaced with --dry-run=client.".to_owned(),
        )),
        DryRun::Boolean(value) => {
            let (source, better) = match command.dry_run().is_client_side() {
                true => ("helpers.go:751", "client"),
                false => ("helpers.go:754", "none"),
            };
            let why =
                format!("--dry-run={value} is deprecated (boolean value) and can be replaced with --dry-run={better}.");
            Some((source, why))
        }
        _ => None,
    };
    if let Some((source, why)) = deprecated {
        let warning = crate::gotext::klog_line('W', now, source, &why);
        plan.lines.insert(0, (OutputKind::Warning, warning));
    }
    plan
}

#[expect(clippy::too_many_lines, reason = "one arm for each command")]
fn plan_command(command: &Kubectl, objects: &Objects, now: Time) -> Plan {
    let no_logs = |_: &podscope_api::Pod, _: &str, _: bool| Vec::new();
    let no_usage = |_: &podscope_api::Pod, _: &str| None;
    let no_lease = |_: &podscope_api::NodeName| None;
    let view = View {
        objects,
        now,
        start: now,
        logs: &no_logs,
        usage: &no_usage,
        renewed: &no_lease,
    };
    match command {
        Kubectl::Apply(apply) => {
            let plan = apply::plan_apply(apply, &view);
            with_dry_run(plan, apply.dry_run, &apply.output, &view)
        }
        Kubectl::Create {
            manifest,
            namespace,
            validation,
            save_config,
            dry_run,
            output,
        } => {
            let found = Manifest::read(manifest, namespace.as_deref(), *validation, objects);
            if dry_run.is_client_side() {
                manifest::plan_create_client_dry_run(found, *save_config, output)
            } else {
                let plan = manifest::plan_create(found, *save_config);
                with_dry_run(plan, *dry_run, output, &view)
            }
        }
        Kubectl::Verbatim(verbatim) => match verbatim::plan(verbatim, &view) {
            Some(plan) => plan,
            None => Plan::refuse("error: this command only reads"),
        },
        Kubectl::Delete(delete) => delete::plan_delete(delete, &view),
        Kubectl::Scale {
            target,
            replicas,
            current_replicas,
            resource_version,
            dry_run,
            output,
        } => with_dry_run(
            scale::plan_scale(target, *replicas, *current_replicas, resource_version.as_deref(), &view),
            *dry_run,
            output,
            &view,
        ),
        Kubectl::Rollout { action, target, output } => {
            let plan = rollout::plan(action, target, &view);
            match action {
                RolloutAction::Status { .. } => plan,
                _ => with_dry_run(plan, command.dry_run(), output, &view),
            }
        }
        Kubectl::Cordon {
            nodes,
            selector,
            cordon,
            dry_run,
        } => nodes::plan_cordon(nodes, selector.as_deref(), *cordon, *dry_run, &view),
        Kubectl::Drain(drain) => nodes::plan_drain(drain, &view),
        Kubectl::Taint {
            nodes,
            all,
            selector,
            changes,
            overwrite,
            dry_run,
            output,
        } => {
            // With `--all` or a selector, names are ignored.
            let nodes = if *all || selector.is_some() {
                &[]
            } else {
                nodes.as_slice()
            };
            let plan = nodes::plan_taint(nodes, selector.as_deref(), changes, *overwrite, &view);
            // `taint` does not print ` (dry run)`.
            with_dry_run_suffix("", plan, *dry_run, output, &view)
        }
        Kubectl::Label(mark) => with_dry_run(
            metadata::plan_metadata_change(mark, true, &view),
            mark.dry_run,
            &mark.output,
            &view,
        ),
        Kubectl::Annotate(mark) => with_dry_run(
            metadata::plan_metadata_change(mark, false, &view),
            mark.dry_run,
            &mark.output,
            &view,
        ),
        Kubectl::Get(get) => super::watch::plan(get, &view),
        Kubectl::Events(wanted) => super::event_watch::plan(wanted),
        Kubectl::Patch {
            dry_run,
            output,
            subresource,
            ..
        } => {
            let plan = with_dry_run(patch::plan_patch(command, &view), *dry_run, output, &view);
            match subresource.as_deref() {
                Some("scale") => with_scale_output(plan, output),
                _ => plan,
            }
        }
        Kubectl::Edit {
            target,
            text,
            subresource,
        } => patch::plan_edit(target, text, subresource.as_deref(), &view),
        Kubectl::SetImage {
            target,
            images,
            dry_run,
            output,
        } => {
            let plan = refuse_if_missing(target, &view).unwrap_or_else(|| {
                plan_for_objects(target, &view, |object, plan, writes| {
                    set::set_image(object, images, plan, writes)
                })
            });
            with_dry_run(plan, *dry_run, output, &view)
        }
        _ => Plan::refuse("error: this command only reads"),
    }
}

/// Changes a plan to print the `Scale` of each object instead of the object.
fn with_scale_output(mut plan: Plan, output: &Output) -> Plan {
    if let (Some(ClientCommand::Write(writes)), Ok(Some(format))) = (&mut plan.client, ObjectFormat::of(output)) {
        for write in writes.iter_mut().filter(|write| write.formatter.is_some()) {
            let format = format.clone();
            write.formatter = Some(ObjectFormatter(Arc::new(move |object| {
                format.text(&super::scale::scale_of(object)).unwrap_or_else(|why| why)
            })));
        }
    }
    plan
}

/// Returns the kind, group and name of an object: `deployment.apps/web`.
pub(super) fn typed_name(object: &Object) -> String {
    object_name(object.kind(), &object.metadata().name)
}

/// Returns the request of a `kubectl set` verb. `edit` is called for a copy of the current object, and again for the
/// stored object when the request arrives.
pub(super) fn set_verb_request(
    object: &Object,
    success: &str,
    unchanged: Option<String>,
    edit: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Result<Write, Refusal> {
    change_request(object, Part::Main, "kubectl-set", success, unchanged, move |live| {
        let mut value = live.clone();
        edit(&mut value);
        Ok(value)
    })
}

/// Returns a patch request of a field manager. The patch is first applied to the current object, so that its errors are
/// known before the request is sent.
pub(super) fn change_request(
    object: &Object,
    part: Part,
    manager: &'static str,
    success: &str,
    unchanged: Option<String>,
    apply: impl Fn(&Value) -> Result<Value, Refusal> + Send + Sync + 'static,
) -> Result<Write, Refusal> {
    let patched = apply(&object.to_value())?;
    decode_object(object.kind(), &patched).map_err(bad_request)?;
    Ok(Write {
        request: Some(Request::Patch {
            kind: object.kind(),
            key: object.key(),
            uid: None,
            part,
            change: Mutation::of_object(manager, move |live| {
                let value = apply(&live.to_value()).ok()?;
                decode_object(live.kind(), &value).ok()
            }),
        }),
        success: success.to_owned(),
        unchanged: unchanged.map(|text| (object.metadata().resource_version.clone(), text)),
        ..Write::without_request("")
    })
}

/// Whether the NotFound errors precede or follow the other errors of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotFoundErrorPosition {
    First,
    Last,
}

/// Plans the writes for all selected objects with `act`. NotFound errors come last.
fn plan_for_objects(
    target: &Target,
    view: &View<'_>,
    act: impl FnMut(&Object, &mut Plan, &mut Vec<Write>) -> Result<(), Refusal>,
) -> Plan {
    plan_for_objects_and_errors(NotFoundErrorPosition::Last, target, view, act)
}

/// Like [`plan_for_objects`], with the given position of the NotFound errors.
fn plan_for_objects_and_errors(
    position: NotFoundErrorPosition,
    target: &Target,
    view: &View<'_>,
    mut act: impl FnMut(&Object, &mut Plan, &mut Vec<Write>) -> Result<(), Refusal>,
) -> Plan {
    let found = match find(target, view.objects) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors: Vec<Refusal> = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if let Err(message) = act(object, &mut plan, &mut writes) {
            errors.push(message);
        }
    }
    let at = match position {
        NotFoundErrorPosition::First => 0,
        NotFoundErrorPosition::Last => errors.len(),
    };
    errors.splice(at..at, found.lookup_errors());
    finish_plan(plan, writes, errors)
}

/// Returns a plan that only reports NotFound errors if an object requested by name does not exist; `None` if all
/// objects exist. `kubectl set` changes nothing in that case.
fn refuse_if_missing(target: &Target, view: &View<'_>) -> Option<Plan> {
    let found = find(target, view.objects).ok()?;
    let errors: Vec<Refusal> = found.lookup_errors().collect();
    (!errors.is_empty()).then(|| finish_plan(Plan::default(), Vec::new(), errors))
}

/// Returns a plan that prints kubectl's message about a selector that matches nothing.
fn plan_nothing_found(target: &Target) -> Plan {
    let text = match target.all_namespaces {
        true => "No resources found".to_owned(),
        false => format!("No resources found in {} namespace.", target.namespace()),
    };
    Plan {
        lines: vec![(OutputKind::Remark, text)],
        ..Plan::default()
    }
}

/// Adds writes and errors to a plan. Several errors are printed without kubectl's `error: ` (KC-116).
fn finish_plan(mut plan: Plan, writes: Vec<Write>, errors: Vec<Refusal>) -> Plan {
    let are_several = errors.len() > 1;
    let text = |error: Refusal| match are_several {
        true => error.without_prefix(),
        false => error.to_string(),
    };
    let errors: Vec<String> = errors.into_iter().map(text).collect();
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

/// Decodes a value into an object of a built-in or custom kind.
///
/// # Errors
/// The error of the first field that cannot be decoded.
fn decode_object(kind: Kind, value: &Value) -> Result<Object, String> {
    if let Kind::Custom(_) = kind {
        return super::rest::custom::decode_object(kind, value);
    }
    podscope_api::object_from_value(value).map_err(|errors| {
        let first = errors.first();
        first.map_or_else(String::new, |error| format!("{}: {}", error.path, error.message))
    })
}
