//! kubectl's writing commands as clients of the simulated world: names and
//! selectors are resolved here, objects and patches are built here; the client
//! sends, waits and prints (KC-079 to KC-109).

use std::sync::Arc;

use podscope_api::{Kind, LabelSelector, Node, Object, ObjectKey, Str, Taint, Time};
use podscope_cluster::client::{ClientCommand, DeleteCommand, DrainCommand, RolloutStatus, Write};
use podscope_cluster::{DeleteOptions, Mutation, Objects, Part, Propagation, Request};
use serde_json::{Value, json};

use super::get::find;
use super::merge::{json_merge, json_patch, strategic, three_way};
use super::rollout;
use super::selector::LabelQuery;
use super::{View, not_found, qualified_plural, qualified_singular};
use crate::command::{
    CreateWhat, Delete, Drain, DryRun, Kubectl, Mark, PatchType, RolloutAction, Selection, TaintChange,
};

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
    fn err(&mut self, text: impl Into<String>) {
        self.lines.push((true, text.into()));
    }
    fn out(&mut self, text: impl Into<String>) {
        self.lines.push((false, text.into()));
    }
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
        } => apply(manifest, namespace.as_deref(), *dry_run, &view),
        Kubectl::Create {
            what,
            namespace,
            dry_run,
        } => create(what, namespace.as_deref().unwrap_or("default"), *dry_run),
        Kubectl::Delete(what) => delete(what, &view),
        Kubectl::Scale {
            selection,
            namespace,
            replicas,
            current_replicas,
        } => scale(selection, namespace.as_deref(), *replicas, *current_replicas, &view),
        Kubectl::Rollout {
            action,
            selection,
            namespace,
        } => {
            let namespace = namespace.as_deref().unwrap_or("default");
            with_objects(selection, Some(namespace), &view, |object, plan, writes| {
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
                    rollout::Act::Say(text) => plan.out(text),
                }
                Ok(())
            })
        }
        Kubectl::Cordon {
            nodes,
            selector,
            cordon,
            dry_run,
        } => cordon_nodes(nodes, selector.as_deref(), *cordon, *dry_run, &view),
        Kubectl::Drain(what) => drain(what, &view),
        Kubectl::Taint {
            nodes,
            all: _,
            selector,
            changes,
            overwrite,
        } => taint(nodes, selector.as_deref(), changes, *overwrite, &view),
        Kubectl::Label(what) => mark(what, true, &view),
        Kubectl::Annotate(what) => mark(what, false, &view),
        Kubectl::Patch {
            selection,
            namespace,
            patch_type,
            patch,
            subresource,
        } => {
            let tree = match podscope_api::read_yaml(patch) {
                Ok(tree) => tree.to_value(),
                Err(problems) => {
                    let why = problems.first().map_or_else(String::new, ToString::to_string);
                    return Plan::refuse(format!("error: unable to parse {patch:?}: {why}"));
                }
            };
            let patch_type = *patch_type;
            let part = if subresource.as_deref() == Some("status") {
                Part::Status
            } else {
                Part::Main
            };
            with_objects(selection, namespace.as_deref(), &view, |object, _, writes| {
                let name = typed_name(object);
                let tree = tree.clone();
                writes.push(change(
                    object,
                    part,
                    "patch",
                    &format!("{name} patched"),
                    Some(format!("{name} patched (no change)")),
                    move |live| match patch_type {
                        PatchType::Strategic => Ok(strategic(live, &tree)),
                        PatchType::Merge => Ok(json_merge(live, &tree)),
                        PatchType::Json => {
                            json_patch(live, &tree).map_err(|why| format!("The request is invalid: {why}"))
                        }
                    },
                )?);
                Ok(())
            })
        }
        Kubectl::Edit {
            selection,
            namespace,
            text,
        } => {
            let parsed = podscope_api::parse(text);
            if let Some(problem) = parsed.problems.first() {
                return Plan::refuse(format!("error: the edited file failed validation: {problem}"));
            }
            let [located] = parsed.objects.as_slice() else {
                return Plan::refuse("error: the edited text must hold one object");
            };
            let edited = located.value.to_value();
            with_objects(selection, namespace.as_deref(), &view, |object, _, writes| {
                if object.kind() != located.value.kind() || object.metadata().name != located.value.metadata().name {
                    return Err("error: at least one of apiVersion, kind and name was changed".into());
                }
                let (before, edited) = (object.to_value(), edited.clone());
                writes.push(change(
                    object,
                    Part::Main,
                    "edit",
                    &format!("{} edited", typed_name(object)),
                    Some("Edit cancelled, no changes made.".into()),
                    move |live| Ok(three_way(&before, &edited, live)),
                )?);
                Ok(())
            })
        }
        Kubectl::SetImage {
            selection,
            namespace,
            images,
        } => with_objects(selection, namespace.as_deref(), &view, |object, _, writes| {
            set_image(object, images, writes)
        }),
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
        unchanged: unchanged.map(|text| (object.metadata().resource_version.clone(), text)),
        context: String::new(),
    })
}

/// Plans for every object that a selection names; misses are errors after what was found.
fn with_objects(
    selection: &Selection,
    namespace: Option<&str>,
    view: &View<'_>,
    mut act: impl FnMut(&Object, &mut Plan, &mut Vec<Write>) -> Result<(), String>,
) -> Plan {
    let found = match find(selection, namespace, false, None, None, view) {
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

fn manifest_objects(text: &str, namespace: Option<&str>, plan: &mut Plan) -> Result<Vec<Object>, String> {
    let parsed = podscope_api::parse(text);
    if !parsed.problems.is_empty() {
        let lines: Vec<String> = parsed
            .problems
            .iter()
            .map(|problem| format!("error: error parsing STDIN: {problem}"))
            .collect();
        return Err(lines.join("\n"));
    }
    for other in &parsed.others {
        plan.err(format!(
            "Warning: {} {:?} is not simulated and is left out",
            other.value.kind, other.value.name
        ));
    }
    let mut objects = Vec::new();
    for located in parsed.objects {
        let mut object = located.value;
        if object.kind().is_namespaced() {
            let own = object.metadata().namespace.clone();
            if own.is_empty() {
                object.metadata_mut().namespace = Str::from(namespace.unwrap_or("default"));
            } else if let Some(wanted) = namespace.filter(|wanted| **wanted != *own) {
                return Err(format!(
                    "error: the namespace from the provided object {own:?} does not match the namespace {wanted:?}. You must pass '--namespace={own}' to perform this operation."
                ));
            }
        }
        objects.push(object);
    }
    if objects.is_empty() && parsed.others.is_empty() {
        return Err("error: no objects passed to apply".into());
    }
    Ok(objects)
}

fn apply(manifest: &str, namespace: Option<&str>, dry_run: DryRun, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let objects = match manifest_objects(manifest, namespace, &mut plan) {
        Ok(objects) => objects,
        Err(message) => return Plan::refuse(message),
    };
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    for object in objects {
        let mut desired = object.to_value();
        let name = typed_name(&object);
        // The file as it is given, on one line.
        let applied = format!("{desired}\n");
        set_annotation(&mut desired, LAST_APPLIED, &applied);
        let Some(live) = view.objects.get_kind(object.kind(), &object.key()) else {
            if dry_run == DryRun::Client {
                plan.out(format!("{name} created (dry run)"));
                continue;
            }
            match podscope_api::object_from_value(&desired) {
                Ok(object) => writes.push(Write {
                    context: "error when creating \"STDIN\": ".into(),
                    ..Write::new(Request::Create(object), format!("{name} created"))
                }),
                Err(found) => errors.extend(
                    found
                        .into_iter()
                        .map(|error| format!("error: {}: {}", error.path, error.message)),
                ),
            }
            continue;
        };
        if dry_run == DryRun::Client {
            plan.out(format!("{name} configured (dry run)"));
            continue;
        }
        if live.metadata().is_terminating() {
            plan.err(format!(
                "Warning: Detected changes to resource {} which is currently being deleted.",
                object.metadata().name
            ));
        }
        let original = match live.metadata().annotation(LAST_APPLIED) {
            Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            None => {
                plan.err(format!(
                    "Warning: resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
                    object.kind().plural(),
                    object.metadata().name
                ));
                Value::Null
            }
        };
        if let Some(map) = desired.as_object_mut() {
            map.shift_remove("status");
        }
        let write = change(
            &live,
            Part::Main,
            "apply",
            &format!("{name} configured"),
            Some(format!("{name} unchanged")),
            move |live| Ok(three_way(&original, &desired, live)),
        );
        match write {
            Ok(write) => writes.push(write),
            Err(message) => errors.push(message),
        }
    }
    finish(plan, writes, errors)
}

fn set_annotation(value: &mut Value, key: &str, text: &str) {
    if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = meta.entry("annotations").or_insert_with(|| json!({}));
        if let Some(map) = annotations.as_object_mut() {
            map.insert(key.to_owned(), Value::from(text));
        }
    }
}

fn create(what: &CreateWhat, namespace: &str, dry_run: DryRun) -> Plan {
    let mut plan = Plan::default();
    let (values, context) = match what {
        CreateWhat::Manifest(text) => {
            let objects = match manifest_objects(text, Some(namespace).filter(|one| *one != "default"), &mut plan) {
                Ok(objects) => objects,
                Err(message) => return Plan::refuse(message.replace("passed to apply", "passed to create")),
            };
            (
                objects.into_iter().map(Ok).collect::<Vec<_>>(),
                "error when creating \"STDIN\": ".to_owned(),
            )
        }
        other => {
            let (value, context) = generated(other, namespace);
            (
                vec![podscope_api::object_from_value(&value)],
                context.map_or_else(String::new, |kind| format!("failed to create {kind}: ")),
            )
        }
    };
    let mut writes = Vec::new();
    for object in values {
        match object {
            Ok(object) => {
                let success = format!("{}/{{name}} created", qualified_singular(object.kind()));
                if dry_run == DryRun::Client {
                    plan.out(format!("{} created (dry run)", typed_name(&object)));
                    continue;
                }
                writes.push(Write {
                    context: context.clone(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Err(errors) => {
                let text = errors
                    .first()
                    .map_or_else(String::new, |error| format!("{}: {}", error.path, error.message));
                return Plan::refuse(format!("error: {text}"));
            }
        }
    }
    finish(plan, writes, Vec::new())
}

/// The object that a generator makes, and the kind named in its errors.
fn generated(what: &CreateWhat, namespace: &str) -> (Value, Option<&'static str>) {
    let container = |image: &str| {
        // The image's name without registry, tag and digest, as kubectl names the container.
        let name = image.rsplit('/').next().unwrap_or(image);
        let name = name.split(['@', ':']).next().unwrap_or(name);
        json!({"name": name, "image": image})
    };
    match what {
        CreateWhat::Deployment { name, images, replicas } => (
            json!({"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                    "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": images.iter().map(|image| container(image)).collect::<Vec<_>>()}}}}),
            Some("deployment"),
        ),
        CreateWhat::Namespace(name) => (
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
            None,
        ),
        CreateWhat::Job { name, image } => (
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": namespace},
                "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": name, "image": image}]}}}}),
            Some("job"),
        ),
        CreateWhat::ConfigMap { name, literals } => {
            let data: serde_json::Map<String, Value> = literals
                .iter()
                .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                .collect();
            (
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}),
                Some("configmap"),
            )
        }
        CreateWhat::PriorityClass {
            name,
            value,
            global_default,
            preemption_policy,
            description,
        } => (
            json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
                "globalDefault": global_default, "description": description,
                "preemptionPolicy": preemption_policy.as_deref().unwrap_or("PreemptLowerPriority")}),
            Some("priorityclass"),
        ),
        CreateWhat::Run {
            name,
            image,
            restart,
            labels,
        } => {
            let labels: serde_json::Map<String, Value> = if labels.is_empty() {
                [("run".to_owned(), Value::from(name.as_str()))].into_iter().collect()
            } else {
                labels
                    .iter()
                    .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                    .collect()
            };
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels},
                    "spec": {"containers": [{"name": name, "image": image}], "restartPolicy": restart.as_deref().unwrap_or("Always")}}),
                None,
            )
        }
        CreateWhat::PodDisruptionBudget {
            name,
            selector,
            min_available,
            max_unavailable,
        } => {
            let labels: serde_json::Map<String, Value> = LabelQuery::parse(selector)
                .ok()
                .and_then(|query| query.equalities())
                .unwrap_or_default()
                .into_iter()
                .map(|(key, value)| (key.to_string(), Value::from(&*value)))
                .collect();
            let bound = |text: &String| {
                text.parse::<i32>()
                    .map_or_else(|_| Value::from(text.as_str()), Value::from)
            };
            let mut spec = json!({"selector": {"matchLabels": labels}});
            if let Some(map) = spec.as_object_mut() {
                map.extend(
                    min_available
                        .as_ref()
                        .map(|text| ("minAvailable".to_owned(), bound(text))),
                );
                map.extend(
                    max_unavailable
                        .as_ref()
                        .map(|text| ("maxUnavailable".to_owned(), bound(text))),
                );
            }
            (
                json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": namespace}, "spec": spec}),
                Some("poddisruptionbudgets"),
            )
        }
        CreateWhat::Manifest(_) => (Value::Null, None),
    }
}

fn delete(what: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let namespace = what.namespace.as_deref();
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    let mut ignore_not_found = what.ignore_not_found;
    if let Some(text) = &what.manifest {
        match manifest_objects(text, namespace, &mut plan) {
            Ok(objects) => targets.extend(objects.iter().map(|object| (object.kind(), object.key()))),
            Err(message) => return Plan::refuse(message.replace("passed to apply", "passed to delete")),
        }
    } else if let Some(selection) = &what.selection {
        let found = match find(
            selection,
            namespace,
            what.all_namespaces,
            what.selector.as_deref(),
            what.field_selector.as_deref(),
            view,
        ) {
            Ok(found) => found,
            Err(message) => return Plan::refuse(message),
        };
        for object in found.groups.iter().flat_map(|(_, objects)| objects) {
            targets.push((object.kind(), object.key()));
        }
        for (kind, name) in found.misses {
            let key = if kind.is_namespaced() {
                ObjectKey::new(namespace.unwrap_or("default"), name.as_str())
            } else {
                ObjectKey::cluster(name.as_str())
            };
            targets.push((kind, key));
        }
        if what.all || what.selector.is_some() || what.field_selector.is_some() {
            ignore_not_found = true;
            if targets.is_empty() {
                plan.out("No resources found");
                return plan;
            }
        }
    }
    let mut warnings = Vec::new();
    if namespace.is_some() && targets.iter().any(|(kind, _)| !kind.is_namespaced()) {
        warnings.push("Warning: deleting cluster-scoped resources, not scoped to the provided namespace".to_owned());
    }
    if what.dry_run == DryRun::Client {
        for (kind, key) in &targets {
            let tail = if kind.is_namespaced() {
                format!(" from {} namespace", key.namespace)
            } else {
                String::new()
            };
            plan.out(format!(
                "{} {:?} deleted{tail} (dry run)",
                qualified_singular(*kind),
                &*key.name
            ));
        }
        return plan;
    }
    plan.client = Some(ClientCommand::Delete(DeleteCommand {
        targets,
        options: DeleteOptions {
            grace_seconds: what.grace_seconds(),
            propagation: match what.cascade.as_deref() {
                Some("orphan") => Some(Propagation::Orphan),
                Some("foreground") => Some(Propagation::Foreground),
                _ => Some(Propagation::Background),
            },
            ..DeleteOptions::default()
        },
        wait: what.wait.unwrap_or(true),
        timeout: what.timeout,
        ignore_not_found,
        output_name: what.output_name,
        warnings,
    }));
    plan
}

fn scale(selection: &Selection, namespace: Option<&str>, replicas: i32, current: Option<i32>, view: &View<'_>) -> Plan {
    let found = match find(selection, namespace, false, None, None, view) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    if let Some((kind, name)) = found.misses.first() {
        return Plan::refuse(format!(
            "error: no objects passed to scale {} {name:?} not found",
            qualified_plural(*kind)
        ));
    }
    let mut writes = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if !matches!(
            object.kind(),
            Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
        ) {
            return Plan::refuse(format!(
                "Error from server (NotFound): the server could not find the requested resource ({} do not scale)",
                object.kind().plural()
            ));
        }
        let have = object
            .typed_value()
            .pointer("/spec/replicas")
            .and_then(Value::as_i64)
            .unwrap_or(1);
        if let Some(current) = current.filter(|current| i64::from(*current) != have) {
            return Plan::refuse(format!("error: Expected replicas to be {current}, was {have}"));
        }
        let write = change(
            object,
            Part::Main,
            "scale",
            &format!("{} scaled", typed_name(object)),
            None,
            move |live| Ok(json_merge(live, &json!({"spec": {"replicas": replicas}}))),
        );
        match write {
            Ok(write) => writes.push(write),
            Err(message) => return Plan::refuse(message),
        }
    }
    Plan::writes(writes)
}

fn nodes_of(
    nodes: &[String],
    selector: Option<&str>,
    view: &View<'_>,
) -> Result<(Vec<Arc<Node>>, Vec<String>), String> {
    let selection = Selection::Kinds {
        kinds: vec![Kind::Node],
        names: nodes.to_vec(),
    };
    let found = find(&selection, None, false, selector, None, view)?;
    let nodes = found
        .groups
        .into_iter()
        .flat_map(|(_, objects)| objects)
        .filter_map(|object| match object {
            Object::Node(node) => Some(node),
            _ => None,
        })
        .collect();
    let misses = found.misses.iter().map(|(kind, name)| not_found(*kind, name)).collect();
    Ok((nodes, misses))
}

fn cordon_nodes(nodes: &[String], selector: Option<&str>, cordon: bool, dry_run: DryRun, view: &View<'_>) -> Plan {
    let (nodes, misses) = match nodes_of(nodes, selector, view) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let word = if cordon { "cordoned" } else { "uncordoned" };
    for node in nodes {
        let name = &node.metadata.name;
        if node.is_unschedulable() == cordon {
            plan.out(format!("node/{name} already {word}"));
            continue;
        }
        if dry_run == DryRun::Client {
            plan.out(format!("node/{name} {word} (dry run)"));
            continue;
        }
        let request = Request::Patch {
            kind: Kind::Node,
            key: node.metadata.key(),
            uid: None,
            part: Part::Main,
            change: Mutation::new::<Node>("cordon", move |node| node.spec.unschedulable = cordon.then_some(true)),
        };
        writes.push(Write::new(request, format!("node/{name} {word}")));
    }
    finish(plan, writes, misses)
}

fn drain(what: &Drain, view: &View<'_>) -> Plan {
    let (nodes, misses) = match nodes_of(&what.nodes, what.selector.as_deref(), view) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    if !misses.is_empty() {
        return Plan::refuse(misses.join("\n"));
    }
    let pod_selector = match what.pod_selector.as_deref().map(LabelQuery::parse) {
        None => None,
        Some(Ok(query)) => Some(query.to_selector()),
        Some(Err(why)) => return Plan::refuse(format!("error: {why}")),
    };
    let mut plan = Plan::default();
    if what.dry_run == DryRun::Client {
        for node in &nodes {
            plan.out(format!("node/{} cordoned (dry run)", node.metadata.name));
            for pod in view.objects.pods_on(&node.metadata.name.as_ref().into()) {
                plan.out(format!("evicting pod {} (dry run)", pod.metadata.key()));
            }
            plan.out(format!("node/{} drained (dry run)", node.metadata.name));
        }
        return plan;
    }
    plan.client = Some(ClientCommand::Drain(DrainCommand {
        nodes: nodes.iter().map(|node| node.metadata.name.as_ref().into()).collect(),
        ignore_daemonsets: what.ignore_daemonsets,
        delete_emptydir_data: what.delete_emptydir_data,
        force: what.force,
        grace_seconds: (what.grace_period >= 0).then_some(what.grace_period),
        timeout: what.timeout.filter(|timeout| timeout.0 > 0),
        disable_eviction: what.disable_eviction,
        pod_selector: pod_selector.filter(|selector: &LabelSelector| !selector.is_empty()),
        skip_wait_for_delete: (what.skip_wait_for_delete_timeout > 0)
            .then(|| podscope_cluster::Span::seconds(what.skip_wait_for_delete_timeout)),
    }));
    plan
}

fn taint(nodes: &[String], selector: Option<&str>, changes: &[TaintChange], overwrite: bool, view: &View<'_>) -> Plan {
    let (nodes, mut errors) = match nodes_of(nodes, selector, view) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let removes = changes.iter().filter(|change| change.remove).count();
    let word = match (removes, overwrite) {
        (_, true) => "modified",
        (0, _) => "tainted",
        (removes, _) if removes == changes.len() => "untainted",
        _ => "modified",
    };
    let mut writes = Vec::new();
    for node in nodes {
        let name = node.metadata.name.clone();
        let same = |taint: &Taint, change: &TaintChange| {
            *taint.key == *change.key && (change.effect.is_empty() || taint.effect.as_str() == change.effect)
        };
        let mut failed = false;
        for change in changes {
            let exists = node.spec.taints.iter().any(|taint| same(taint, change));
            if change.remove && !exists {
                let effect = if change.effect.is_empty() {
                    String::new()
                } else {
                    format!(":{}", change.effect)
                };
                errors.push(format!("error: taint \"{}{effect}\" not found", change.key));
                failed = true;
            }
            if !change.remove && exists && !overwrite {
                errors.push(format!(
                    "error: node {name} already has {} taint(s) with same effect(s) and --overwrite is false",
                    change.key
                ));
                failed = true;
            }
        }
        if failed {
            continue;
        }
        let changes = changes.to_vec();
        let request = Request::Patch {
            kind: Kind::Node,
            key: node.metadata.key(),
            uid: None,
            part: Part::Main,
            change: Mutation::new::<Node>("taint", move |node| {
                for change in &changes {
                    node.spec.taints.retain(|taint| {
                        !(*taint.key == *change.key
                            && (change.effect.is_empty() || taint.effect.as_str() == change.effect))
                    });
                }
                let added: Vec<Taint> = changes
                    .iter()
                    .filter(|change| !change.remove)
                    .map(|change| Taint {
                        key: change.key.as_str().into(),
                        value: change.value.as_str().into(),
                        effect: change.effect.as_str().into(),
                        time_added: None,
                    })
                    .collect();
                node.spec.taints.splice(0..0, added);
            }),
        };
        writes.push(Write::new(request, format!("node/{name} {word}")));
    }
    finish(Plan::default(), writes, errors)
}

fn mark(what: &Mark, labels: bool, view: &View<'_>) -> Plan {
    let found = match find(
        &what.selection,
        what.namespace.as_deref(),
        what.all_namespaces,
        what.selector.as_deref(),
        None,
        view,
    ) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let name = typed_name(object);
        let meta = object.metadata();
        let map = if labels { &meta.labels } else { &meta.annotations };
        let conflicts: Vec<String> = what
            .changes
            .iter()
            .filter_map(|(key, value)| {
                let have = map.get(key.as_str())?;
                let clash =
                    value.as_ref().is_some_and(|value| **value != **have) && key != "kubernetes.io/change-cause";
                clash.then(|| format!("'{key}' already has a value ({have})"))
            })
            .collect();
        if !what.overwrite && !conflicts.is_empty() {
            errors.push(if labels {
                format!("error: {}, and --overwrite is false", conflicts.join(", "))
            } else {
                format!(
                    "error: --overwrite is false but found the following declared annotation(s): {}",
                    conflicts.join("; ")
                )
            });
            continue;
        }
        let noun = if labels { "label" } else { "annotation" };
        for (key, value) in &what.changes {
            if value.is_none() && !map.contains_key(key.as_str()) && labels {
                plan.out(format!("{noun} {key:?} not found."));
            }
        }
        let removes = what
            .changes
            .iter()
            .any(|(key, value)| value.is_none() && map.contains_key(key.as_str()));
        let adds = what.changes.iter().any(|(_, value)| value.is_some());
        let word = match (labels, removes && !adds && !what.overwrite) {
            (false, _) => "annotated",
            (true, true) => "unlabeled",
            (true, false) => "labeled",
        };
        let pairs: serde_json::Map<String, Value> = what
            .changes
            .iter()
            .map(|(key, value)| {
                (
                    key.clone(),
                    value.as_ref().map_or(Value::Null, |value| Value::from(value.as_str())),
                )
            })
            .collect();
        let field = if labels { "labels" } else { "annotations" };
        let patch = json!({"metadata": {field: pairs}});
        let unchanged = labels.then(|| format!("{name} not labeled"));
        match change(
            object,
            Part::Main,
            "label",
            &format!("{name} {word}"),
            unchanged,
            move |live| Ok(json_merge(live, &patch)),
        ) {
            Ok(write) => writes.push(write),
            Err(message) => errors.push(message),
        }
    }
    errors.extend(found.misses.iter().map(|(kind, name)| not_found(*kind, name)));
    if writes.is_empty() && errors.is_empty() {
        plan.err("No resources found");
    }
    finish(plan, writes, errors)
}

fn set_image(object: &Object, images: &[(String, String)], writes: &mut Vec<Write>) -> Result<(), String> {
    let at = if object.kind() == Kind::Pod {
        "/spec"
    } else {
        "/spec/template/spec"
    };
    let value = object.to_value();
    let names = |field: &str| -> Vec<String> {
        value
            .pointer(&format!("{at}/{field}"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|container| container.get("name").and_then(Value::as_str).map(str::to_owned))
            .collect()
    };
    for (container, _) in images.iter().filter(|(container, _)| container != "*") {
        if !names("containers").contains(container) && !names("initContainers").contains(container) {
            return Err(format!("error: unable to find container named {container:?}"));
        }
    }
    let images = images.to_vec();
    writes.push(change(
        object,
        Part::Main,
        "set image",
        &format!("{} image updated", typed_name(object)),
        None,
        move |live| {
            let mut value = live.clone();
            for field in ["containers", "initContainers"] {
                let Some(Value::Array(containers)) = value.pointer_mut(&format!("{at}/{field}")) else {
                    continue;
                };
                for container in containers {
                    let name = container
                        .get("name")
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned();
                    if let Some((_, image)) = images.iter().rev().find(|(wanted, _)| *wanted == name || wanted == "*")
                        && let Some(map) = container.as_object_mut()
                    {
                        map.insert("image".into(), Value::from(image.as_str()));
                    }
                }
            }
            Ok(value)
        },
    )?);
    Ok(())
}
