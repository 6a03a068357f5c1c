//! The [`Verbatim`] commands that only read: `auth`, `config`, `cluster-info`, `api-resources`, `api-versions`,
//! `version`, `diff`, `apply view-last-applied`, `get --raw`.

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::annotation::LAST_APPLIED;
use podscope_api::{ALL_VERBS, API_EXTENSIONS, Kind, OTHER_GROUP_VERSIONS, OTHER_RESOURCES, ObjectKey, OtherResource};
use podscope_cluster::{Objects, OutputKind};
use serde_json::{Value, json};

use super::diff;
use super::get::find;
use super::merge::three_way_merge;
use super::output::ObjectFormat;
use super::text::table;
use super::write::manifest_objects;
use super::{Printed, View, list_value, printed_value};
use crate::command::{
    API_EXTENSION_KINDS, Action, CONTEXT as NAME, ConfigCommand, CustomKinds, Output, Target, Verbatim,
};
use crate::refusals::{NO_SUCH_RESOURCE, not_found};

const VERSION: &str = podscope_api::KUBERNETES_VERSION;
/// Name of the user of all requests, as in kubeadm's kubeconfig.
pub const USER: &str = "kubernetes-admin";
const SERVER_URL: &str = "https://127.0.0.1:6443";

/// Executes a [`Verbatim`] command that only reads; returns false if the command writes.
pub(super) fn execute_query(command: &Verbatim, view: &View<'_>, printed: &mut Printed) -> bool {
    match &command.action {
        Action::CanI { warnings, quiet } => {
            for warning in warnings {
                printed.warn(warning);
                printed.lines.push((OutputKind::Warning, String::new()));
            }
            if !quiet {
                printed.out("yes");
            }
        }
        Action::WhatCanI { no_headers } => {
            let rows = [
                ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"],
                ["*.*", "[]", "[]", "[*]"],
                ["", "[*]", "[]", "[*]"],
            ];
            print_rows(&rows[usize::from(*no_headers)..], printed);
        }
        Action::WhoAmI => print_who_am_i(&command.output, view, printed),
        Action::ApiResources { .. } => print_api_resources(&command.action, view.objects, printed),
        Action::ComponentStatuses(names) => print_component_statuses(names, &command.output, view, printed),
        Action::ApiVersions => {
            let versions = api_versions(view.objects);
            versions.into_iter().for_each(|version| printed.out(version));
        }
        Action::ClusterInfo => {
            printed.out(format!("Kubernetes control plane is running at {SERVER_URL}"));
            printed.out("");
            printed.out("To further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
        }
        Action::Config(command) => print_config(*command, printed),
        Action::Token(account) => print_token_error(account, command.namespace.as_deref(), view, printed),
        Action::Version { client, output } => print_version(*client, output, printed),
        Action::LastApplied(target) => print_last_applied(target, &command.output, view, printed),
        Action::Diff { text } => print_diff(text, command.namespace.as_deref(), view, printed),
        Action::Raw(path) => print_raw(path, view, printed),
        _ => return false,
    }
    true
}

fn print_rows<const N: usize>(rows: &[[&str; N]], printed: &mut Printed) {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    print_table(&rows, printed);
}

fn print_table(rows: &[Vec<String>], printed: &mut Printed) {
    table(rows).into_iter().for_each(|line| printed.out(line));
}

/// Prints the output of `auth whoami`.
fn print_who_am_i(output: &Output, view: &View<'_>, printed: &mut Printed) {
    let value = json!({
        "kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": view.now.to_string()},
        "status": {"userInfo": {"username": USER, "groups": ["system:masters", "system:authenticated"]}},
    });
    match ObjectFormat::of(output) {
        Ok(Some(format)) => print_document(&format, &value, printed),
        Ok(None) => {
            let rows = [
                ["ATTRIBUTE", "VALUE"],
                ["Username", USER],
                ["Groups", "[system:masters system:authenticated]"],
            ];
            print_rows(&rows, printed);
        }
        Err(why) => printed.fail(why),
    }
}

/// A row of `api-resources`.
struct ListedResource {
    /// API group; empty for the core group.
    group: &'static str,
    api_version: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: Vec<String>,
    is_namespaced: bool,
    verbs: &'static str,
    categories: Vec<String>,
}

/// Verbs of a custom resource, in the order of API discovery.
const CUSTOM_VERBS: &str = "delete,deletecollection,get,list,patch,create,update,watch";

/// Returns all resources that the API server serves, custom kinds in their preferred version, sorted by group and name.
fn all_resources(objects: &Objects) -> Vec<ListedResource> {
    let of_kind = |kind: &Kind| OtherResource {
        plural: kind.plural(),
        short_names: kind.short_names(),
        api_version: kind.api_version(),
        is_namespaced: kind.is_namespaced(),
        kind: kind.name(),
        verbs: match kind {
            Kind::Namespace => "create,delete,get,list,patch,update,watch",
            _ => ALL_VERBS,
        },
        category: match kind {
            kind if crate::command::is_in_category_all(*kind) => "all",
            kind if API_EXTENSION_KINDS.contains(kind) => API_EXTENSIONS,
            _ => "",
        },
    };
    let built_in = Kind::ALL.iter().map(of_kind).chain(OTHER_RESOURCES.iter().copied());
    let built_in = built_in.map(|resource| ListedResource {
        group: resource.api_version.split_once('/').map_or("", |(group, _)| group),
        api_version: resource.api_version,
        kind: resource.kind,
        plural: resource.plural,
        short_names: resource.short_names.iter().map(|name| (*name).to_owned()).collect(),
        is_namespaced: resource.is_namespaced,
        verbs: resource.verbs,
        categories: [resource.category]
            .iter()
            .filter(|category| !category.is_empty())
            .map(|category| (*category).to_owned())
            .collect(),
    });
    let custom = CustomKinds::served_by(objects).into_names_and_categories();
    let custom = custom
        .into_iter()
        .map(|(kind, short_names, categories)| ListedResource {
            group: kind.group(),
            api_version: kind.api_version(),
            kind: kind.name(),
            plural: kind.plural(),
            short_names,
            is_namespaced: kind.is_namespaced(),
            verbs: CUSTOM_VERBS,
            categories,
        });
    let mut all: Vec<ListedResource> = built_in.chain(custom).collect();
    all.stable_sort_by_key(|listed| (listed.group, listed.plural));
    all
}

/// Returns the versions of all API groups, sorted.
fn api_versions(objects: &Objects) -> Vec<&'static str> {
    let mut versions: Vec<&str> = OTHER_GROUP_VERSIONS.to_vec();
    versions.extend(all_resources(objects).iter().map(|listed| listed.api_version));
    versions.extend(
        CustomKinds::served_by(objects)
            .kinds_in_all_versions()
            .map(Kind::api_version),
    );
    versions.stable_sort();
    versions.dedup();
    versions
}

/// Prints the output of `kubectl api-resources` (KC-063).
fn print_api_resources(action: &Action, objects: &Objects, printed: &mut Printed) {
    let Action::ApiResources {
        group,
        namespaced,
        no_headers,
        verbs,
        categories,
        sort_by,
        output,
    } = action
    else {
        return;
    };
    let mut all = all_resources(objects);
    all.retain(|listed| {
        group.as_deref().is_none_or(|group| listed.group == group)
            && namespaced.is_none_or(|namespaced| listed.is_namespaced == namespaced)
            && verbs
                .iter()
                .all(|verb| listed.verbs.split(',').any(|known| known == verb))
            && categories.iter().all(|category| listed.categories.contains(category))
    });
    match sort_by.as_str() {
        "kind" => all.stable_sort_by_key(|listed| listed.kind),
        "name" => all.stable_sort_by_key(|listed| listed.plural),
        _ => {}
    }
    if let Ok(Some(format @ (ObjectFormat::Json | ObjectFormat::Yaml))) = ObjectFormat::of(output) {
        return print_document(&format, &resource_list_value(&all), printed);
    }
    if *output == Output::Name {
        for ListedResource { group, plural, .. } in all {
            let dot = if group.is_empty() { "" } else { "." };
            printed.out(format!("{plural}{dot}{group}"));
        }
        return;
    }
    let mut rows = Vec::new();
    if !no_headers {
        let mut header = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]
            .map(String::from)
            .to_vec();
        if *output == Output::Wide {
            header.extend(["VERBS", "CATEGORIES"].map(String::from));
        }
        rows.push(header);
    }
    for resource in all {
        let mut row = vec![
            resource.plural.to_owned(),
            resource.short_names.join(","),
            resource.api_version.to_owned(),
            resource.is_namespaced.to_string(),
            resource.kind.to_owned(),
        ];
        if *output == Output::Wide {
            row.extend([resource.verbs.to_owned(), resource.categories.join(",")]);
        }
        rows.push(row);
    }
    print_table(&rows, printed);
}

fn print_document(format: &ObjectFormat, value: &Value, printed: &mut Printed) {
    match format.text(value) {
        Ok(text) => text.split('\n').for_each(|line| printed.out(line)),
        Err(why) => printed.fail(why),
    }
}

/// Returns the resources as an `APIResourceList`, each with its group and version.
fn resource_list_value(all: &[ListedResource]) -> Value {
    let to_json = |resource: &ListedResource| {
        let version = resource.api_version.rsplit('/').next().unwrap_or_default();
        let mut value = json!({"name": resource.plural, "singularName": resource.kind.to_ascii_lowercase(),
            "namespaced": resource.is_namespaced, "version": version, "kind": resource.kind,
            "verbs": resource.verbs.split(',').collect::<Vec<_>>()});
        if !resource.group.is_empty() {
            value["group"] = Value::from(resource.group);
        }
        if !resource.short_names.is_empty() {
            value["shortNames"] = json!(resource.short_names);
        }
        if !resource.categories.is_empty() {
            value["categories"] = json!(resource.categories);
        }
        value
    };
    json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "", "resources": all.iter().map(to_json).collect::<Vec<_>>()})
}

/// Returns the components that `componentstatuses` lists, each with `ok` or the error of its health check. A component
/// is healthy while its leader renews the lease. etcd is always healthy, because without it the API server would not
/// answer.
pub fn component_health(objects: &Objects, now: podscope_api::Time) -> [(&'static str, String); 3] {
    let all = [("controller-manager", 10257), ("scheduler", 10259), ("etcd-0", 0)];
    all.map(|(name, port)| {
        let key = ObjectKey::new("kube-system", format!("kube-{name}"));
        let lease = objects.get::<podscope_api::Lease>(&key);
        let is_led = lease.is_some_and(|lease| {
            let seconds = i64::from(lease.spec.lease_duration_seconds.unwrap_or(15));
            lease
                .spec
                .renew_time
                .is_some_and(|at| now.0 - at.0 <= seconds * 1_000_000)
        });
        let why = match port == 0 || is_led {
            true => "ok".to_owned(),
            false => format!(
                "Get \"https://127.0.0.1:{port}/healthz\": dial tcp 127.0.0.1:{port}: connect: connection refused"
            ),
        };
        (name, why)
    })
}

/// Prints the output of `get componentstatuses`.
fn print_component_statuses(names: &[String], output: &Output, view: &View<'_>, printed: &mut Printed) {
    printed.warn("v1 ComponentStatus is deprecated in v1.19+");
    let all = component_health(view.objects, view.now);
    let mut found = all.to_vec();
    found.retain(|(name, _)| names.is_empty() || names.iter().any(|one| one == name));
    let format = match ObjectFormat::of(output) {
        Ok(format) => format,
        Err(message) => return printed.fail(message),
    };
    if let Some(format) = format {
        let value = |(name, why): &(&str, String)| {
            let status = if why == "ok" { "True" } else { "False" };
            json!({"apiVersion": "v1", "conditions": [{"message": why, "status": status, "type": "Healthy"}],
                "kind": "ComponentStatus", "metadata": {"name": name}})
        };
        let items: Vec<Value> = found.iter().map(value).collect();
        match (&format, names, items.as_slice()) {
            (ObjectFormat::Name, ..) => items.iter().for_each(|item| print_document(&format, item, printed)),
            (_, [_], [one]) => print_document(&format, one, printed),
            _ => print_document(&format, &super::get::list_of_items(items), printed),
        }
    } else if !found.is_empty() {
        let mut rows = vec![["NAME", "STATUS", "MESSAGE", "ERROR"].map(String::from).to_vec()];
        for (name, why) in &found {
            let status = if why == "ok" { "Healthy" } else { "Unhealthy" };
            rows.push(vec![(*name).to_owned(), status.to_owned(), why.clone(), String::new()]);
        }
        print_table(&rows, printed);
    }
    for name in names.iter().filter(|name| !all.iter().any(|(known, _)| known == name)) {
        printed.fail(format!(
            "Error from server (NotFound): componentstatuses {name:?} not found"
        ));
    }
}

fn print_config(command: ConfigCommand, printed: &mut Printed) {
    match command {
        ConfigCommand::CurrentContext => printed.out(NAME),
        ConfigCommand::UseContext => printed.out(format!("Switched to context {NAME:?}.")),
        ConfigCommand::GetClusters | ConfigCommand::GetUsers => {
            printed.out("NAME");
            printed.out(NAME);
        }
        ConfigCommand::GetContexts => {
            let rows = [
                ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"],
                ["*", NAME, NAME, NAME, ""],
            ];
            print_table(&rows.map(|row| row.map(String::from).to_vec()), printed);
        }
        ConfigCommand::View => {
            let value = json!({"apiVersion": "v1", "kind": "Config", "preferences": {},
                "clusters": [{"cluster": {"certificate-authority-data": "DATA+OMITTED", "server": SERVER_URL}, "name": NAME}],
                "contexts": [{"context": {"cluster": NAME, "user": NAME}, "name": NAME}], "current-context": NAME,
                "users": [{"name": NAME, "user": {"client-certificate-data": "DATA+OMITTED", "client-key-data": "DATA+OMITTED"}}]});
            podscope_api::print_yaml(&value)
                .lines()
                .for_each(|line| printed.out(line));
        }
    }
}

/// Prints the error of `create token`, which always fails, because the simulation has no authentication.
fn print_token_error(account: &str, namespace: Option<&str>, view: &View<'_>, printed: &mut Printed) {
    let key = ObjectKey::new(namespace.unwrap_or("default"), account);
    let why = match view.objects.get_kind(Kind::ServiceAccount, &key) {
        None => format!("failed to create token: serviceaccounts {account:?} not found"),
        Some(_) => {
            "kubectl create token: nobody here asks for a token; whoever gives a command may do everything".to_owned()
        }
    };
    printed.fail(format!("error: {why}"));
}

fn print_version(client: bool, output: &Output, printed: &mut Printed) {
    let info = json!({"gitVersion": VERSION, "major": "1", "minor": "36", "platform": "linux/amd64"});
    let mut all = json!({"clientVersion": info, "kustomizeVersion": "v5.8.1"});
    if !client {
        all["serverVersion"] = info;
    }
    match output {
        Output::Yaml => podscope_api::print_yaml(&all)
            .lines()
            .for_each(|line| printed.out(line)),
        Output::Json => super::gotext::json_indented(&all)
            .lines()
            .for_each(|line| printed.out(line.replace("    ", "  "))),
        _ => {
            printed.out(format!("Client Version: {VERSION}"));
            printed.out("Kustomize Version: v5.8.1");
            if !client {
                printed.out(format!("Server Version: {VERSION}"));
            }
        }
    }
}

/// Prints the last-applied-configuration annotation (`apply view-last-applied`).
fn print_last_applied(target: &Target, output: &Output, view: &View<'_>, printed: &mut Printed) {
    let found = match find(target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    let format = if *output == Output::Json {
        ObjectFormat::Json
    } else {
        ObjectFormat::Yaml
    };
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let text = object.metadata().annotation(LAST_APPLIED);
        let Some(value) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
            // kubectl creates an error about a missing annotation but never prints it, so the object is skipped.
            continue;
        };
        if let Ok(text) = format.text(&value) {
            text.split('\n').for_each(|line| printed.out(line));
        }
    }
    found.lookup_errors().for_each(|error| printed.fail(error));
}

/// Prints the changes that `apply` would make, in the format of `diff -u -N` (`diff -f -`).
fn print_diff(text: &str, namespace: Option<&str>, view: &View<'_>, printed: &mut Printed) {
    let objects = match manifest_objects(text, namespace, view) {
        Ok(objects) => objects,
        Err(message) => return printed.fail(message),
    };
    for object in objects {
        let live = view.objects.get_kind(object.kind(), &object.key());
        let mut desired = object.to_value();
        desired.as_object_mut().map(|map| map.shift_remove("status"));
        let before = live.as_ref().map(|live| printed_value(live, false));
        let after = match &live {
            None => desired,
            Some(live) => {
                let original = live
                    .metadata()
                    .annotation(LAST_APPLIED)
                    .and_then(|text| serde_json::from_str(text).ok());
                // If the live object has annotations, compare it with a manifest that has the field `annotations` too.
                if !live.metadata().annotations.is_empty()
                    && let Some(metadata) = desired.get_mut("metadata").and_then(Value::as_object_mut)
                {
                    metadata.entry("annotations").or_insert_with(|| json!({}));
                }
                three_way_merge(&original.unwrap_or(Value::Null), &desired, &printed_value(live, false))
            }
        };
        let text = |value: &Value| podscope_api::print_yaml(value);
        let (before, after) = (before.as_ref().map(text).unwrap_or_default(), text(&after));
        let (version, kind) = (object.kind().api_version().replace('/', "."), object.kind().name());
        let file = format!(
            "{version}.{kind}.{}.{}",
            object.metadata().namespace,
            object.metadata().name
        );
        let changed = diff::unified_diff(&before, &after);
        if changed.is_empty() {
            continue;
        }
        printed.out(format!("diff -u -N /tmp/LIVE/{file} /tmp/MERGED/{file}"));
        printed.out(format!("--- /tmp/LIVE/{file}"));
        printed.out(format!("+++ /tmp/MERGED/{file}"));
        changed.into_iter().for_each(|line| printed.out(line));
        printed.status = 1;
    }
}

/// Executes `get --raw`: serves lists and objects by path, `/version`, and the health endpoints.
fn print_raw(path: &str, view: &View<'_>, printed: &mut Printed) {
    let parts: Vec<&str> = path
        .split(['?'])
        .next()
        .unwrap_or_default()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let (version, rest) = match parts.as_slice() {
        ["healthz" | "livez" | "readyz"] => return printed.out("ok"),
        ["version"] => {
            let info = json!({"gitVersion": VERSION, "major": "1", "minor": "36", "platform": "linux/amd64"});
            return printed.out(super::gotext::json_indented(&info).replace("    ", "  "));
        }
        ["api", version, rest @ ..] => ((*version).to_owned(), rest),
        ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
        _ => return printed.fail(NO_SUCH_RESOURCE),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
        rest => (None, rest),
    };
    let [plural, name @ ..] = rest else {
        return printed.fail(NO_SUCH_RESOURCE);
    };
    let kind = Kind::ALL
        .iter()
        .copied()
        .find(|kind| kind.api_version() == version && kind.plural() == *plural);
    let Some(kind) = kind else {
        return printed.fail(NO_SUCH_RESOURCE);
    };
    let value = match (name, namespace) {
        ([], Some(namespace)) => list_value(&view.objects.list_kind_in(kind, namespace), true),
        ([], None) => list_value(&view.objects.list_kind(kind), true),
        ([name], namespace) => {
            let key = ObjectKey::of(kind, namespace.unwrap_or_default(), *name);
            match view.objects.get_kind(kind, &key) {
                Some(object) => printed_value(&object, true),
                None => return printed.fail(not_found(kind, name)),
            }
        }
        _ => return printed.fail(NO_SUCH_RESOURCE),
    };
    let mut value = value;
    if name.is_empty() {
        value["kind"] = Value::from(format!("{}List", kind.name()));
        value["apiVersion"] = Value::from(kind.api_version());
    }
    printed.out(super::gotext::json(&value));
}
