//! kubectl's writing commands as clients of the simulated world: names and
//! selectors are resolved here, objects and patches are built here; the client
//! sends, waits and prints (KC-079 to KC-109).

mod apply;
mod delete;
mod expose;
mod last_applied;
mod manifest;
mod mark;
mod nodes;
pub(crate) mod patch;
pub(crate) mod reading;
mod replace;
mod rollout;
mod saved;
mod scale;
mod set;
mod verbatim;

pub(super) use manifest::manifest_objects;

use std::sync::Arc;

use podscope_api::{Object, Time};
use podscope_cluster::client::{ClientCommand, Shows, Write, object_name};
use podscope_cluster::{Mutation, Objects, OutputKind, Part, Request};
use serde_json::Value;

use super::View;
use super::get::find;
use super::output::{Form, shown_object};
use crate::command::{DryRun, Kubectl, Output, RolloutAction, Target};
use crate::refusals::{Refusal, bad_request, not_found};

/// The annotation that holds what `apply` was given last.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What a command does.
#[derive(Debug, Default)]
pub struct Plan {
    /// Lines printed before anything is sent, and what they are.
    pub lines: Vec<(OutputKind, String)>,
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

    pub(super) fn err(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Error, text.into()));
    }

    /// Says what is odd, as kubectl marks it; the command goes on.
    fn warn(&mut self, text: impl std::fmt::Display) {
        self.warn_so(format!("Warning: {text}"));
    }

    /// A warning that kubectl marks in another way.
    pub(super) fn warn_so(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Warning, text.into()));
    }

    fn out(&mut self, text: impl Into<String>) {
        self.lines.push((OutputKind::Output, text.into()));
    }

    /// Warns of fields that the server does not know.
    fn warn_of_unknown(&mut self, fields: &[String]) {
        for field in fields {
            self.warn(format_args!("unknown field {field:?}"));
        }
    }

    /// Whether it does and says nothing.
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.client.is_none() && self.refused.is_none()
    }
}

/// The same plan with `--dry-run` and `-o`: a client says what it would do, a server is asked and stores nothing
/// (KC-080); with `-o` the object that comes of it is printed.
fn rehearsed(plan: Plan, dry_run: DryRun, output: &Output, view: &View<'_>) -> Plan {
    rehearsed_with(dry_run.suffix(), plan, dry_run, output, view)
}

/// The same, with what is said behind each line in place of `(dry run)`.
fn rehearsed_with(tail: &str, mut plan: Plan, dry_run: DryRun, output: &Output, view: &View<'_>) -> Plan {
    let form = match Form::of(output) {
        Ok(form) => form,
        Err(message) => return Plan::refuse(message),
    };
    let Some(ClientCommand::Write(writes)) = plan.client.take_if(|client| matches!(client, ClientCommand::Write(_)))
    else {
        return plan;
    };
    let mut left = Vec::new();
    for (at, mut write) in writes.into_iter().enumerate() {
        let Some(request) = write.request.take() else {
            left.push(Write {
                success: format!("{}{tail}", write.success),
                ..write
            });
            continue;
        };
        write.success.push_str(tail);
        if let Some((_, text)) = &mut write.unchanged {
            text.push_str(tail);
        }
        let separator = if at > 0 && form.as_ref().is_some_and(Form::is_separated) {
            "---\n"
        } else {
            ""
        };
        if dry_run.is_of_client() {
            let object = would_be(&request, view);
            // What changes nothing, and says nothing of it, is not told either.
            let is_silent = write.unchanged.as_ref().is_some_and(|(_, text)| text.as_str() == tail);
            if is_silent && object.as_ref().is_some_and(|object| is_as_stored(object, view)) {
                continue;
            }
            let name = object
                .as_ref()
                .map(|object| object.metadata().name.to_string())
                .unwrap_or_default();
            left.push(Write::say(match (&form, &object) {
                (Some(form), Some(object)) => format!("{separator}{}", shown_object(form, object)),
                _ => write.success.replace("{name}", &name),
            }));
            continue;
        }
        if let Some(form) = form.clone() {
            write.shows = Some(Shows(Arc::new(move |object| {
                format!("{separator}{}", shown_object(&form, object))
            })));
        }
        write.request = Some(dry_run.request(request));
        left.push(write);
    }
    plan.client = (!left.is_empty()).then_some(ClientCommand::Write(left));
    plan
}

/// Whether the object is stored as it is.
fn is_as_stored(object: &Object, view: &View<'_>) -> bool {
    let stored = view.objects.get_kind(object.kind(), &object.key());
    stored.is_some_and(|stored| stored.to_value() == object.to_value())
}

/// The object that a request would leave behind, as far as a client can tell.
fn would_be(request: &Request, view: &View<'_>) -> Option<Object> {
    match request {
        Request::Create(object) | Request::Update(object, _) => Some(object.clone()),
        Request::Patch { kind, key, change, .. } => change.apply(&view.objects.get_kind(*kind, key)?).ok(),
        _ => None,
    }
}

/// Plans a command on the objects as they are now.
pub fn plan(command: &Kubectl, objects: &Objects, now: Time) -> Plan {
    let mut plan = planned(command, objects, now);
    let deprecated = match command.dry_run() {
        DryRun::Bare => Some((
            "helpers.go:737",
            "--dry-run is deprecated and can be replaced with --dry-run=client.".to_owned(),
        )),
        DryRun::Boolean(word) => {
            let (place, better) = match command.dry_run().is_of_client() {
                true => ("helpers.go:751", "client"),
                false => ("helpers.go:754", "none"),
            };
            let why =
                format!("--dry-run={word} is deprecated (boolean value) and can be replaced with --dry-run={better}.");
            Some((place, why))
        }
        _ => None,
    };
    if let Some((place, why)) = deprecated {
        let warning = crate::gotext::klog('W', now, place, &why);
        plan.lines.insert(0, (OutputKind::Warning, warning));
    }
    plan
}

#[expect(clippy::too_many_lines, reason = "one arm for each command")]
fn planned(command: &Kubectl, objects: &Objects, now: Time) -> Plan {
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
        Kubectl::Apply(apply) => {
            let plan = apply::apply(apply, &view);
            rehearsed(plan, apply.dry_run, &apply.output, &view)
        }
        Kubectl::Create {
            manifest,
            namespace,
            validation,
            save_config,
            dry_run,
            output,
        } => {
            let namespace = namespace.as_deref();
            if dry_run.is_of_client() {
                manifest::create_of_client(manifest, namespace, *validation, *save_config, output)
            } else {
                let plan = manifest::create(manifest, namespace, *validation, *save_config);
                rehearsed(plan, *dry_run, output, &view)
            }
        }
        Kubectl::Verbatim(verbatim) => match verbatim::plan(verbatim, &view) {
            Some(plan) => plan,
            None => Plan::refuse("error: this command only reads"),
        },
        Kubectl::Delete(what) => delete::delete(what, &view),
        Kubectl::Scale {
            target,
            replicas,
            current_replicas,
            resource_version,
            dry_run,
            output,
        } => rehearsed(
            scale::scale(target, *replicas, *current_replicas, resource_version.as_deref(), &view),
            *dry_run,
            output,
            &view,
        ),
        Kubectl::Rollout { action, target, output } => {
            let plan = rollout::plan(action, target, &view);
            match action {
                RolloutAction::Status { .. } => plan,
                _ => rehearsed(plan, command.dry_run(), output, &view),
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
            all,
            selector,
            changes,
            overwrite,
            dry_run,
            output,
        } => {
            // Who means all or chooses by labels has named none.
            let nodes = if *all || selector.is_some() {
                &[]
            } else {
                nodes.as_slice()
            };
            let plan = nodes::taint(nodes, selector.as_deref(), changes, *overwrite, &view);
            // It says nothing of `--dry-run` in what it prints.
            rehearsed_with("", plan, *dry_run, output, &view)
        }
        Kubectl::Label(what) => rehearsed(mark::mark(what, true, &view), what.dry_run, &what.output, &view),
        Kubectl::Annotate(what) => rehearsed(mark::mark(what, false, &view), what.dry_run, &what.output, &view),
        Kubectl::Get(get) => super::watch::plan(get, &view),
        Kubectl::Events(wanted) => super::event_watch::plan(wanted),
        Kubectl::Patch {
            dry_run,
            output,
            subresource,
            ..
        } => {
            let plan = rehearsed(patch::patch(command, &view), *dry_run, output, &view);
            match subresource.as_deref() {
                Some("scale") => showing_scale(plan, output),
                _ => plan,
            }
        }
        Kubectl::Edit {
            target,
            text,
            subresource,
        } => patch::edit(target, text, subresource.as_deref(), &view),
        Kubectl::SetImage {
            target,
            images,
            dry_run,
            output,
        } => {
            let plan = all_or_none(target, &view).unwrap_or_else(|| {
                with_objects(target, &view, |object, plan, writes| {
                    set::set_image(object, images, plan, writes)
                })
            });
            rehearsed(plan, *dry_run, output, &view)
        }
        _ => Plan::refuse("error: this command only reads"),
    }
}

/// The same plan, of whose objects the size alone is shown.
fn showing_scale(mut plan: Plan, output: &Output) -> Plan {
    if let (Some(ClientCommand::Write(writes)), Ok(Some(form))) = (&mut plan.client, Form::of(output)) {
        for write in writes.iter_mut().filter(|write| write.shows.is_some()) {
            let form = form.clone();
            write.shows = Some(Shows(Arc::new(move |object| {
                form.text(&super::scale::scale_of(object)).unwrap_or_else(|why| why)
            })));
        }
    }
    plan
}

/// `deployment.apps/web`.
pub(super) fn typed_name(object: &Object) -> String {
    object_name(object.kind(), &object.metadata().name)
}

/// What a verb of `kubectl set` writes: `how` changes a copy of the object as it is then.
pub(super) fn set(
    object: &Object,
    success: &str,
    unchanged: Option<String>,
    how: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Result<Write, Refusal> {
    change(object, Part::Main, "kubectl-set", success, unchanged, move |live| {
        let mut value = live.clone();
        how(&mut value);
        Ok(value)
    })
}

/// A patch of a field manager, tried on the object as it is now, so that its errors are known at once.
pub(super) fn change(
    object: &Object,
    part: Part,
    manager: &'static str,
    success: &str,
    unchanged: Option<String>,
    apply: impl Fn(&Value) -> Result<Value, Refusal> + Send + Sync + 'static,
) -> Result<Write, Refusal> {
    let tried = apply(&object.to_value())?;
    podscope_api::object_from_value(&tried).map_err(|errors| {
        let first = errors
            .first()
            .map(|error| bad_request(format!("{}: {}", error.path, error.message)));
        first.unwrap_or_else(|| Refusal::told(""))
    })?;
    Ok(Write {
        request: Some(Request::Patch {
            kind: object.kind(),
            key: object.key(),
            uid: None,
            part,
            change: Mutation::of_object(manager, move |live| {
                let value = apply(&live.to_value()).ok()?;
                podscope_api::object_from_value(&value).ok()
            }),
        }),
        success: success.to_owned(),
        unchanged: unchanged.map(|text| (object.metadata().resource_version.clone(), text)),
        ..Write::say("")
    })
}

/// When it is told what was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Misses {
    First,
    Last,
}

/// Plans for every object that is selected; misses are errors after what was found.
fn with_objects(
    target: &Target,
    view: &View<'_>,
    act: impl FnMut(&Object, &mut Plan, &mut Vec<Write>) -> Result<(), Refusal>,
) -> Plan {
    with_objects_and(Misses::Last, target, view, act)
}

fn with_objects_and(
    misses: Misses,
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
    let at = match misses {
        Misses::First => 0,
        Misses::Last => errors.len(),
    };
    let told = found.misses.iter().map(|(kind, name)| not_found(*kind, name));
    errors.splice(at..at, told);
    finish(plan, writes, errors)
}

/// Of `set`: where one that was named is missing, nothing is changed, and what is missing is told.
fn all_or_none(target: &Target, view: &View<'_>) -> Option<Plan> {
    let misses = find(target, view.objects).ok()?.misses;
    (!misses.is_empty()).then(|| {
        let errors = misses.iter().map(|(kind, name)| not_found(*kind, name)).collect();
        finish(Plan::default(), Vec::new(), errors)
    })
}

/// What is said where a selector matches nothing.
fn nothing_found(target: &Target) -> Plan {
    let mut plan = Plan::default();
    plan.err(match target.all_namespaces {
        true => "No resources found".to_owned(),
        false => format!("No resources found in {} namespace.", target.namespace()),
    });
    plan
}

/// Several errors are told without kubectl's `error: ` (KC-116).
fn finish(mut plan: Plan, writes: Vec<Write>, errors: Vec<Refusal>) -> Plan {
    let are_several = errors.len() > 1;
    let told = |error: Refusal| match are_several {
        true => error.among_others(),
        false => error.to_string(),
    };
    let errors: Vec<String> = errors.into_iter().map(told).collect();
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
