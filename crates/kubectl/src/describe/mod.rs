//! `kubectl describe`: a format per kind, and a generic one that prints the fields of all other kinds (KC-064 to
//! KC-078).

mod access;
mod autoscaler;
mod config;
mod container;
mod generic;
mod ingress;
mod network;
mod node;
mod pod;
mod settings;
mod storage;
mod template;
mod volume;
mod workload;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::annotation;

use podscope_api::{Event, Kind, Object, Str, Time};

use super::columns::age;
use super::events_and_metadata::event_age;
use super::get::find;
use super::text::{TabbedText, cell};
use super::{Printed, View};
use crate::command::{Describe, Selection, Target};

pub(super) use template::print_template_section;

/// Maximum length of an annotation, key included, that is printed on one line (KC-065).
const ANNOTATION_WIDTH: usize = 140;
/// Text that Go prints for the zero time.
const ZERO_TIME: &str = "Mon, 01 Jan 0001 00:00:00 +0000";

/// Prints the selected objects.
pub(super) fn describe(command: &Describe, view: &View<'_>, printed: &mut Printed) {
    let found = match find(&command.target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    if let [_] = found.missing.as_slice() {
        // With two arguments (`pod web`), kubectl treats a name that does not exist as a prefix.
        match &command.target.selection {
            Selection::Kinds { kinds, names } if let [prefix] = names.as_slice() => {
                if kinds.len() > 1 {
                    return printed.fail("error: you may only specify a single resource type");
                }
                if describe_by_prefix(kinds, prefix, command, view, printed) {
                    return;
                }
            }
            Selection::Items(items) if items.len() == 2 => {
                return found.lookup_errors().for_each(|error| printed.fail(error));
            }
            Selection::Kinds { .. } | Selection::Items(_) => {}
        }
    }
    // For several objects, or objects found by a name prefix, events are printed only on request (KC-066).
    let count: usize = found.groups.iter().map(|(_, objects)| objects.len()).sum();
    let show_events = command.show_events.unwrap_or(count == 1 && found.missing.is_empty());
    let mut first = true;
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if !std::mem::replace(&mut first, false) {
            printed.out("");
            printed.out("");
        }
        describe_object(object, show_events, view)
            .into_iter()
            .for_each(|line| printed.out(line));
    }
    found.lookup_errors().for_each(|error| printed.fail(error));
    if first && found.missing.is_empty() {
        printed.print_no_objects(if command.target.all_namespaces {
            "No resources found".to_owned()
        } else {
            format!("No resources found in {} namespace.", command.target.namespace())
        });
    }
}

/// Describes all objects whose names begin with a name that does not exist (KC-066). Returns whether there are any.
fn describe_by_prefix(
    kinds: &[Kind],
    prefix: &str,
    command: &Describe,
    view: &View<'_>,
    printed: &mut Printed,
) -> bool {
    let all = Target {
        selection: Selection::Kinds {
            kinds: kinds.to_vec(),
            names: Vec::new(),
        },
        ..command.target.clone()
    };
    let Ok(found) = find(&all, view.objects) else {
        return false;
    };
    let mut any = false;
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if object.metadata().name.starts_with(prefix) {
            any = true;
            describe_object(object, command.show_events.unwrap_or(false), view)
                .into_iter()
                .for_each(|line| printed.out(line));
            printed.out("");
        }
    }
    any
}

/// Returns the lines that describe one object, with its events.
fn describe_object(object: &Object, show_events: bool, view: &View<'_>) -> Vec<String> {
    let mut text = TabbedText::default();
    let mut has_events = true;
    match object {
        Object::Pod(pod) => pod::describe(pod, view, &mut text),
        Object::Node(node) => node::describe(node, view, &mut text),
        Object::Deployment(one) => workload::describe_deployment(one, view, &mut text),
        Object::ReplicaSet(one) => workload::describe_replica_set(one, view, &mut text),
        Object::ReplicationController(one) => workload::describe_replication_controller(one, view, &mut text),
        Object::StatefulSet(one) => workload::describe_stateful_set(one, view, &mut text),
        Object::DaemonSet(one) => workload::describe_daemon_set(one, view, &mut text),
        Object::Job(one) => workload::describe_job(one, &mut text),
        Object::Service(one) => network::describe_service(one, view, &mut text),
        Object::EndpointSlice(one) => network::describe_endpoint_slice(one, &mut text),
        Object::PersistentVolume(one) => storage::describe_volume(one, view, &mut text),
        Object::PersistentVolumeClaim(one) => storage::describe_claim(one, view, &mut text),
        Object::StorageClass(one) => storage::describe_storage_class(one, &mut text),
        Object::CsiNode(one) => storage::describe_csi_node(one, &mut text),
        Object::PodDisruptionBudget(one) => config::describe_budget(one, &mut text),
        Object::PriorityClass(one) => config::describe_priority_class(one, &mut text),
        Object::ConfigMap(one) => config::describe_config_map(one, &mut text),
        Object::Secret(one) => {
            has_events = false;
            config::describe_secret(one, &mut text);
        }
        Object::Namespace(one) => {
            has_events = false;
            config::describe_namespace(one, view, &mut text);
        }
        Object::ServiceAccount(one) => settings::describe_service_account(one, &mut text),
        Object::ResourceQuota(one) => {
            has_events = false;
            settings::describe_quota(one, &mut text);
        }
        Object::LimitRange(one) => {
            has_events = false;
            settings::describe_limit_range(one, &mut text);
        }
        Object::Endpoints(one) => settings::describe_endpoints(one, &mut text),
        Object::CronJob(one) => settings::describe_cron_job(one, &mut text),
        Object::HorizontalPodAutoscaler(one) => autoscaler::describe_autoscaler(one, &mut text),
        other if matches!(other.kind(), Kind::Role | Kind::ClusterRole) => {
            has_events = false;
            access::describe_role(other, &mut text);
        }
        other if matches!(other.kind(), Kind::RoleBinding | Kind::ClusterRoleBinding) => {
            has_events = false;
            access::describe_binding(other, &mut text);
        }
        other if other.kind() == Kind::Ingress => ingress::describe_ingress(other, view, &mut text),
        other if other.kind() == Kind::IngressClass => ingress::describe_ingress_class(other, &mut text),
        other if other.kind() == Kind::NetworkPolicy => {
            has_events = false;
            ingress::describe_network_policy(other, &mut text);
        }
        other => generic::describe(other, &mut text),
    }
    if !show_events || !has_events {
        return text.finish();
    }
    let events = events_of_object(object, view);
    if events.is_empty() {
        text.line(0, "Events:\t<none>");
        return text.finish();
    }
    let mut lines = text.finish();
    lines.extend(event_table(&events, view.now));
    lines
}

/// Returns the events that kubectl finds for an object, sorted by their last time (KC-073).
fn events_of_object<'v>(object: &Object, view: &View<'v>) -> Vec<&'v Event> {
    let meta = object.metadata();
    let mut events: Vec<&Event> = view
        .objects
        .list::<Event>()
        .filter(|event| {
            let involved = &event.involved_object;
            involved.name == meta.name
                && involved.namespace == meta.namespace
                && (object.kind() == Kind::Pod || &*involved.kind == object.kind().name())
                // In events about their node, kubelets set the UID of the node to its name.
                && (involved.uid == meta.uid || (object.kind() == Kind::Node && *involved.uid.0 == *meta.name))
        })
        .map(|event| &**event)
        .collect();
    events.stable_sort_by_key(|event| event.last_timestamp);
    events
}

fn event_table(events: &[&Event], now: Time) -> Vec<String> {
    let mut text = TabbedText::default();
    text.line(0, "Events:");
    text.line(1, "Type\tReason\tAge\tFrom\tMessage");
    text.line(1, "----\t------\t----\t----\t-------");
    for event in events {
        let (from, _) = event.emitter();
        let age = event_age(event, now);
        let message = match &*event.involved_object.field_path {
            "" => cell(event.message.trim()),
            path => cell(&format!("{path}: {}", event.message.trim())),
        };
        text.line(
            1,
            &format!("{}\t{}\t{age}\t{from}\t{message}", event.kind, event.reason),
        );
    }
    text.finish()
}

/// Formats a time in RFC 1123 format; `None` becomes Go's zero time.
fn rfc1123_time(at: Option<Time>) -> String {
    at.map_or_else(|| ZERO_TIME.to_owned(), podscope_api::print_rfc1123)
}

/// Formats the status of an object that is being deleted: `Terminating (lasts 5s)`.
fn terminating_status(since: Option<Time>, now: Time) -> String {
    format!("Terminating (lasts {})", age(since, now))
}

/// Prints a list: the first item on the line of the title, each further item on a line that begins with a tab (KC-065).
fn print_list(text: &mut TabbedText, title: &str, items: &[String]) {
    match items.split_first() {
        None => text.line(0, &format!("{title}:\t<none>")),
        Some((first, rest)) => {
            text.line(0, &format!("{title}:\t{first}"));
            for item in rest {
                text.line(0, &format!("\t{item}"));
            }
        }
    }
}

fn print_labels(text: &mut TabbedText, title: &str, map: &ordered::Map<Str, Str>) {
    let shown: Vec<String> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
    print_list(text, title, &shown);
}

/// Prints annotations. Long and multi-line values are printed on lines of their own (KC-065).
fn print_annotations(text: &mut TabbedText, title: &str, map: &ordered::Map<Str, Str>) {
    let shown: Vec<String> = map
        .iter()
        .filter(|(key, _)| &***key != annotation::LAST_APPLIED)
        .map(|(key, value)| {
            let value = value.strip_suffix('\n').unwrap_or(value);
            if key.len() + value.len() + 2 <= ANNOTATION_WIDTH && !value.contains('\n') {
                return format!("{key}: {value}");
            }
            let mut out = format!("{key}:");
            for line in value.split('\n') {
                out.push_str("\n\t  ");
                out.push_str(&shorten(line, ANNOTATION_WIDTH - 2));
            }
            out
        })
        .collect();
    print_list(text, title, &shown);
}

/// Truncates a line to a number of bytes.
fn shorten(line: &str, width: usize) -> String {
    if line.len() <= width {
        return line.to_owned();
    }
    let end = (0..=width).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    format!("{}...", line.get(..end).unwrap_or_default())
}

/// Formats a list as Go prints it: `[a b]`.
fn bracketed<T: std::fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    format!("[{}]", items.join(" "))
}

/// Formats a boolean as kubectl does: `True`, `False`.
fn capitalized_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
