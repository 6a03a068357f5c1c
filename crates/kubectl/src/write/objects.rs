//! What is done to objects that are there: `delete`, `scale`, `label`,
//! `annotate`, `patch`, `edit`, `set image` (KC-079 to KC-085, KC-098 to KC-103).

use podscope_api::ordered;
use podscope_api::schema::{self, Rejection};
use podscope_api::{Kind, Object, ObjectKey, Str, Tree};
use podscope_cluster::client::{ClientCommand, DeleteCommand, Write, object_name};
use podscope_cluster::{DeleteOptions, Part, Request};
use serde_json::{Value, json};

pub(super) use super::super::logs::go_type;
use super::super::merge::{json_merge, json_patch, strategic, three_way, without_merge_key};
use super::manifest::BINDING;
use super::reading::{Item, Manifest, without_fields};
use super::{Plan, View, change, find, set, typed_name, with_objects};
use crate::command::{Delete, Doomed, Kubectl, Mark, PatchType, Selection, Target, Validation};

pub(super) fn delete(what: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    let mut ignore_not_found = what.ignore_not_found;
    let is_scoped = match &what.what {
        Doomed::Manifest { text, namespace } => {
            let found = Manifest::read(text, namespace.as_deref(), Validation::Ignore);
            if found.is_empty() {
                plan.out("No resources found");
                return plan;
            }
            for item in found.items() {
                match item.map(Item::sent) {
                    Ok(Some((kind, key, _))) => targets.push((kind, key)),
                    Ok(None) => return Plan::refuse(BINDING),
                    Err(message) => return Plan::refuse(message),
                }
            }
            targets.retain(|(_, key)| !key.name.is_empty());
            if targets.is_empty() {
                return Plan::refuse("error: error when deleting \"STDIN\": resource name may not be empty");
            }
            namespace.is_some()
        }
        // What is named is deleted unseen, as it was named.
        Doomed::Target(target) if let Some(named) = named_keys(target) => {
            targets = named;
            target.namespace.is_some()
        }
        Doomed::Target(target) => {
            let found = match find(target, view.objects) {
                Ok(found) => found,
                Err(message) => return Plan::refuse(message),
            };
            for object in found.groups.iter().flat_map(|(_, objects)| objects) {
                targets.push((object.kind(), object.key()));
            }
            for (kind, name) in found.misses {
                let key = if kind.is_namespaced() {
                    ObjectKey::new(target.namespace(), name.as_str())
                } else {
                    ObjectKey::cluster(name.as_str())
                };
                targets.push((kind, key));
            }
            if target.all || target.selector.is_some() || target.field_selector.is_some() {
                ignore_not_found = true;
                if targets.is_empty() {
                    plan.out("No resources found");
                    return plan;
                }
            }
            target.namespace.is_some()
        }
    };
    let mut warnings = Vec::new();
    if is_scoped && targets.iter().any(|(kind, _)| !kind.is_namespaced()) {
        warnings.push("Warning: deleting cluster-scoped resources, not scoped to the provided namespace".to_owned());
    }
    if what.dry_run.is_of_client() {
        for warning in warnings {
            plan.err(warning);
        }
        for (kind, key) in &targets {
            let tail = if kind.is_namespaced() {
                format!(" from {} namespace", key.namespace)
            } else {
                String::new()
            };
            let kind = kind.qualified_singular();
            plan.out(match what.output_name {
                true => format!("{kind}/{}", key.name),
                false => format!("{kind} {:?} deleted{tail} (dry run)", &*key.name),
            });
        }
        return plan;
    }
    let (propagation, deprecated) = crate::command::cascading(what.cascade.as_deref());
    deprecated.into_iter().for_each(|warning| plan.err(warning));
    let mut question = String::new();
    if let Some(answer) = &what.answer {
        plan.out(format!(
            "You are about to delete the following {} resource(s):",
            targets.len()
        ));
        for (kind, key) in &targets {
            plan.out(object_name(*kind, &key.name));
        }
        "Do you want to continue? (y/n): ".clone_into(&mut question);
        let is_yes = answer
            .split_whitespace()
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("y"));
        if !is_yes {
            plan.out(format!("{question}deletion is cancelled"));
            return plan;
        }
    }
    plan.client = Some(ClientCommand::Delete(DeleteCommand {
        question,
        targets,
        options: DeleteOptions {
            grace_seconds: what.grace_seconds(),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        },
        wait: what.wait.unwrap_or(true),
        timeout: what.timeout,
        ignore_not_found,
        output_name: what.output_name,
        dry_run: what.dry_run,
        warnings,
        context: match &what.what {
            Doomed::Manifest { .. } => "error when deleting \"STDIN\": ",
            Doomed::Target(_) => "",
        },
    }));
    plan
}

/// The keys of what a target names, as it names them; none where it chooses.
fn named_keys(target: &Target) -> Option<Vec<(Kind, ObjectKey)>> {
    let pairs: Vec<(Kind, &String)> = match &target.selection {
        Selection::Items(items) => items.iter().map(|(kind, name)| (*kind, name)).collect(),
        Selection::Kinds { kinds, names } => kinds
            .iter()
            .flat_map(|kind| names.iter().map(move |name| (*kind, name)))
            .collect(),
    };
    let key = |(kind, name): (Kind, &String)| match kind.is_namespaced() {
        true => (kind, ObjectKey::new(target.namespace(), name.as_str())),
        false => (kind, ObjectKey::cluster(name.as_str())),
    };
    (!pairs.is_empty()).then(|| pairs.into_iter().map(key).collect())
}

pub(super) fn scale(
    target: &Target,
    replicas: i32,
    current: Option<i32>,
    version: Option<&str>,
    view: &View<'_>,
) -> Plan {
    // The first that cannot be scaled ends the command; what came before it is scaled.
    let mut has_failed = false;
    let plan = with_objects(target, view, |object, _, writes| {
        if std::mem::replace(&mut has_failed, true) {
            return Ok(());
        }
        let is_scalable = matches!(
            object.kind(),
            Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
        );
        if !is_scalable {
            return Err("Error from server (NotFound): the server could not find the requested resource".to_owned());
        }
        let typed = object.typed_value();
        let have = typed.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1);
        if let Some(current) = current.filter(|current| i64::from(*current) != have) {
            return Err(format!("error: Expected replicas to be {current}, was {have}"));
        }
        let is = &object.metadata().resource_version;
        if let Some(version) = version.filter(|version| **version != **is) {
            return Err(format!("error: Expected resource version to be {version}, was {is}"));
        }
        let mut write = change(
            object,
            Part::Main,
            "kubectl",
            &format!("{} scaled", typed_name(object)),
            None,
            move |live| Ok(json_merge(live, &json!({"spec": {"replicas": replicas}}))),
        )?;
        if let Some(Request::Patch { change, .. }) = &mut write.request {
            *change = change.clone().through("scale");
        }
        writes.push(write);
        has_failed = false;
        Ok(())
    });
    match plan.is_empty() {
        true => Plan::refuse("error: no objects passed to scale"),
        false => plan,
    }
}

/// What `label` did to an object's labels, in a word (KC-100).
fn label_word(map: &ordered::Map<Str, Str>, changes: &[(String, Option<String>)]) -> &'static str {
    let sets = |key: &str, value: &str| map.get(key).is_none_or(|have| **have != *value);
    let has_set = changes
        .iter()
        .any(|(key, value)| value.as_ref().is_some_and(|value| sets(key, value)));
    let has_removed = changes
        .iter()
        .any(|(key, value)| value.is_none() && map.contains_key(key.as_str()));
    match (has_set, has_removed) {
        (true, true) => "modified",
        (true, false) => "labeled",
        (false, true) => "unlabeled",
        (false, false) => "not labeled",
    }
}

pub(super) fn mark(what: &Mark, labels: bool, view: &View<'_>) -> Plan {
    let mut seen = ordered::Map::new();
    with_objects(&what.target, view, |object, plan, writes| {
        let meta = object.metadata();
        // One that is named twice is met as the first change left it.
        let stored = if labels { &meta.labels } else { &meta.annotations };
        let map: &mut ordered::Map<Str, Str> = seen
            .entry((object.kind(), object.key()))
            .or_insert_with(|| (**stored).clone());
        let conflicts: Vec<String> = what
            .changes
            .iter()
            .filter_map(|(key, value)| {
                let have = map.get(key.as_str())?;
                let is_exempt = !labels && key == "kubernetes.io/change-cause";
                let clash = value.as_ref().is_some_and(|value| **value != **have) && !is_exempt;
                clash.then(|| format!("'{key}' already has a value ({have})"))
            })
            .collect();
        if !what.overwrite && !conflicts.is_empty() {
            let label = |one: &String| format!("{one}, and --overwrite is false");
            return Err(match labels {
                true => match conflicts.as_slice() {
                    [one] => format!("error: {}", label(one)),
                    all => all.iter().map(label).collect::<Vec<_>>().join("\n"),
                },
                false => format!(
                    "error: --overwrite is false but found the following declared annotation(s): {}",
                    conflicts.join("; ")
                ),
            });
        }
        if let Some(version) = what
            .resource_version
            .as_deref()
            .filter(|version| **version != *meta.resource_version)
        {
            if version.parse::<u64>().is_err() {
                let why = "invalid syntax";
                return Err(format!(
                    "Error from server: strconv.ParseUint: parsing {version:?}: {why}"
                ));
            }
            return Err(format!(
                "Error from server (Conflict): Operation cannot be fulfilled on {} {:?}: the object has been modified; please apply your changes to the latest version and try again",
                object.kind().qualified_plural(),
                &*meta.name
            ));
        }
        let name = typed_name(object);
        for (key, value) in &what.changes {
            let is_told = labels && !what.list && !what.dry_run.is_of_client();
            if value.is_none() && !map.contains_key(key.as_str()) && is_told {
                plan.out(format!("label {key:?} not found."));
            }
        }
        let word = if labels {
            label_word(map, &what.changes)
        } else {
            "annotated"
        };
        let mut pairs = serde_json::Map::new();
        for (key, value) in &what.changes {
            match value {
                Some(value) => drop(map.insert(key.as_str().into(), value.as_str().into())),
                None => drop(map.remove(key.as_str())),
            }
            pairs.insert(key.clone(), value.as_deref().map_or(Value::Null, Value::from));
        }
        let (field, manager) = match labels {
            true => ("labels", "kubectl-label"),
            false => ("annotations", "kubectl-annotate"),
        };
        let patch = json!({"metadata": {field: pairs}});
        let say = format!("{name} {word}");
        writes.push(change(object, Part::Main, manager, &say, None, move |live| {
            Ok(json_merge(live, &patch))
        })?);
        Ok(())
    })
}

/// What Go calls a value that is no object.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        _ => "object",
    }
}

/// Reads a patch: YAML or JSON; what is wrong with it is what the server says.
fn read_patch(text: &str, patch_type: PatchType) -> Result<Value, String> {
    let bad = |why: String| format!("Error from server (BadRequest): {why}");
    // Nothing to change; a merge patch has to be an object.
    if text.trim() == "null" {
        return match patch_type {
            PatchType::Json => Ok(json!([])),
            PatchType::Strategic => Ok(json!({})),
            PatchType::Merge => Err(bad("Invalid JSON Patch".to_owned())),
        };
    }
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let tree = match (podscope_api::read_yaml(text), serde_json::from_str::<Value>(text)) {
        (Ok(tree), _) => tree.to_value(),
        (Err(_), Err(error)) if looks_like_json && error.is_eof() => {
            return Err(bad("unexpected end of JSON input".to_owned()));
        }
        (Err(problems), _) => {
            let why = problems.first().map_or_else(String::new, ToString::to_string);
            return Err(format!("error: unable to parse {text:?}: {why}"));
        }
    };
    match (patch_type, &tree) {
        (PatchType::Json, Value::Array(_)) | (PatchType::Strategic | PatchType::Merge, Value::Object(_)) => Ok(tree),
        (PatchType::Json, other) => {
            let of = json_type(other);
            let why = format!("json: cannot unmarshal {of} into Go value of type []handlers.jsonPatchOp");
            Err(bad(format!("error decoding patch: {why}")))
        }
        (_, other) => {
            let of = json_type(other);
            Err(bad(format!(
                "json: cannot unmarshal {of} into Go value of type map[string]interface {{}}"
            )))
        }
    }
}

/// What the server says of a patch that names another object than the one it is sent to.
pub(super) fn other_identity(object: &Object, patched: &Value) -> Option<String> {
    let meta = object.metadata();
    let text = |field: &str| patched.pointer(&format!("/metadata/{field}")).and_then(Value::as_str);
    let bad = |why: String| Some(format!("Error from server (BadRequest): {why}"));
    if let Some(name) = text("name").filter(|name| **name != *meta.name) {
        return bad(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            meta.name
        ));
    }
    if text("namespace").is_some_and(|namespace| *namespace != *meta.namespace) {
        return bad("the namespace of the provided object does not match the namespace sent on the request".to_owned());
    }
    if let Some(uid) = text("uid").filter(|uid| **uid != *meta.uid.to_string()) {
        let (kind, name) = (object.kind().name(), &*meta.name);
        return Some(format!(
            "The {kind} {name:?} is invalid: metadata.uid: Invalid value: {uid:?}: field is immutable"
        ));
    }
    None
}

/// What the server says of a patch that names another version of the object than the one that is there.
fn other_version(object: &Object, patched: &Value) -> Option<String> {
    let meta = object.metadata();
    let wanted = patched.pointer("/metadata/resourceVersion")?.as_str()?;
    (!wanted.is_empty() && *wanted != *meta.resource_version).then(|| {
        format!(
            "Error from server (Conflict): Operation cannot be fulfilled on {} {:?}: the object has been modified; please apply your changes to the latest version and try again",
            object.kind().qualified_plural(),
            &*meta.name
        )
    })
}

/// `kubectl patch`.
pub(super) fn patch(command: &Kubectl, view: &View<'_>) -> Plan {
    let Kubectl::Patch {
        target,
        patch_type,
        patch,
        subresource,
        ..
    } = command
    else {
        return Plan::default();
    };
    let patch_type = *patch_type;
    let part = part_of(subresource.as_deref());
    with_objects(target, view, |object, plan, writes| {
        let is_scalable = matches!(
            object.kind(),
            Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
        );
        let is_known = match subresource.as_deref() {
            None | Some("status") => true,
            Some("scale") => is_scalable,
            Some("resize") => object.kind() == Kind::Pod,
            Some(_) => false,
        };
        if !is_known {
            return Err("Error from server (NotFound): the server could not find the requested resource".to_owned());
        }
        let tree = read_patch(patch, patch_type)?;
        let given = tree.clone();
        let live = object.to_value();
        if patch_type == PatchType::Strategic
            && let Some((item, key)) = without_merge_key("", &live, &tree)
        {
            let item = super::super::gotext::plain(&item);
            return Err(format!(
                "Error from server: map: {item} does not contain declared merge key: {key}"
            ));
        }
        let apply = move |live: &Value| match patch_type {
            PatchType::Strategic => Ok(strategic(live, &tree)),
            PatchType::Merge => Ok(json_merge(live, &tree)),
            PatchType::Json => json_patch(live, &tree).map_err(|_| REJECTED.to_owned()),
        };
        let patched = apply(&live)?;
        if let Some(why) = other_identity(object, &patched).or_else(|| other_version(object, &patched)) {
            return Err(why);
        }
        if patch_type == PatchType::Json
            && let Some(why) = undecodable(object.kind(), &patched)
        {
            // The server prints what it could not read, whole.
            let made = super::super::gotext::json(&patched);
            return Err(format!("The request is invalid: patch: Invalid value: {made:?}: {why}"));
        }
        let unknown = match (convertible(object.kind(), &patched), patch_type) {
            (Err(Rejection::Unknown(fields)), _) => fields,
            // A JSON patch is decoded, not converted.
            (Ok(()), _) | (Err(_), PatchType::Json) => Vec::new(),
            (Err(why), _) => return Err(invalid_patch(&given, &why)),
        };
        plan.warn_of_unknown(&unknown);
        let apply = move |live: &Value| Ok(without_fields(&apply(live)?, &unknown));
        let (name, unchanged) = match subresource.as_deref() {
            Some("scale") => (format!("scale.autoscaling/{}", object.metadata().name), None),
            _ => (
                typed_name(object),
                Some(format!("{} patched (no change)", typed_name(object))),
            ),
        };
        writes.push(change(
            object,
            part,
            "kubectl-patch",
            &format!("{name} patched"),
            unchanged,
            apply,
        )?);
        Ok(())
    })
}

/// What a subresource lets a write change.
fn part_of(subresource: Option<&str>) -> Part {
    match subresource {
        Some("status") => Part::Status,
        Some("resize") => Part::Resize,
        _ => Part::Main,
    }
}

/// Whether the server can make an object of what a patch has left.
pub(super) fn convertible(kind: Kind, patched: &Value) -> Result<(), Rejection> {
    match schema::served(kind.api_version(), kind.name()) {
        Some(served) => schema::convert_object(served.fields, &Tree::from_value(patched)),
        None => Ok(()),
    }
}

/// What the server's decoder says of an object that a JSON patch has made.
fn undecodable(kind: Kind, patched: &Value) -> Option<Rejection> {
    let served = schema::served(kind.api_version(), kind.name())?;
    let why = schema::decode_object(served.fields, &Tree::from_value(patched)).err()?;
    matches!(why, Rejection::Type(_)).then_some(why)
}

/// What the server says of a patch whose outcome it cannot read: the patch in Go's words for a map.
pub(super) fn invalid_patch(patch: &Value, why: &Rejection) -> String {
    let patch = super::super::gotext::plain(patch);
    format!("The request is invalid: patch: Invalid value: {patch:?}: {why}")
}

/// What kubectl says of a refusal without causes.
const REJECTED: &str = "The request is invalid: the server rejected our request due to an error in our request";

/// `kubectl edit`: what was changed in the text is changed in the object.
pub(super) fn edit(target: &Target, text: &str, subresource: Option<&str>, view: &View<'_>) -> Plan {
    let part = part_of(subresource);
    let parsed = podscope_api::parse(text);
    if let Some(problem) = parsed.problems.first() {
        return Plan::refuse(format!("error: the edited file failed validation: {problem}"));
    }
    let [located] = parsed.objects.as_slice() else {
        return Plan::refuse("error: the edited text must hold one object");
    };
    let edited = located.value.to_value();
    with_objects(target, view, |object, _, writes| {
        if object.kind() != located.value.kind() || object.metadata().name != located.value.metadata().name {
            return Err("error: at least one of apiVersion, kind and name was changed".into());
        }
        if part == Part::Resize && object.kind() != Kind::Pod {
            return Err("Error from server (NotFound): the server could not find the requested resource".to_owned());
        }
        let (before, edited) = (object.to_value(), edited.clone());
        writes.push(change(
            object,
            part,
            "kubectl-edit",
            &format!("{} edited", typed_name(object)),
            Some("Edit cancelled, no changes made.".into()),
            move |live| Ok(three_way(&before, &edited, live)),
        )?);
        Ok(())
    })
}

pub(super) fn set_image(
    object: &Object,
    images: &[(String, String)],
    plan: &mut Plan,
    writes: &mut Vec<Write>,
) -> Result<(), String> {
    let at = super::set::pod_spec(object)?;
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
    let known: Vec<String> = names("containers").into_iter().chain(names("initContainers")).collect();
    let is_known = |(container, _): &&(String, String)| container == "*" || known.contains(container);
    for (container, _) in images.iter().filter(|image| !is_known(image)) {
        plan.err(format!("error: unable to find container named {container:?}"));
    }
    // What is found is changed all the same.
    if !images.iter().any(|image| is_known(&image)) {
        return Ok(());
    }
    let images = images.to_vec();
    let write = set(
        object,
        &format!("{} image updated", typed_name(object)),
        // What changes nothing is not told.
        Some(String::new()),
        move |value| {
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
        },
    )?;
    writes.push(Write {
        context: "error: failed to patch image update to pod template: ".to_owned(),
        ..write
    });
    Ok(())
}
