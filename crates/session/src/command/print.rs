//! [`Kubectl`] back to its canonical text.

use podscope_api::Kind;

use super::shell::{here_document, quote};
use super::*;
use crate::duration::print_duration;

/// A line under construction.
struct Text(String);

impl Text {
    fn word(&mut self, word: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(&quote(word));
        self
    }
    fn value(&mut self, flag: &str, value: &Option<String>) -> &mut Self {
        if let Some(value) = value {
            self.word(flag).word(value);
        }
        self
    }
    fn equals(&mut self, flag: &str, value: impl std::fmt::Display) -> &mut Self {
        self.word(&format!("{flag}={value}"))
    }
    fn flag(&mut self, flag: &str, on: bool) -> &mut Self {
        if on {
            self.word(flag);
        }
        self
    }
    /// As people write it: `delete pod web-0`, `get pods`.
    fn selection(&mut self, selection: &Selection) -> &mut Self {
        match selection {
            Selection::Kinds { kinds, names } if !names.is_empty() => self.kinds(kinds, Kind::singular).words(names),
            other => self.plural(other),
        }
    }
    /// As kubectl's own examples of some verbs have it: `label nodes a-1`.
    fn plural(&mut self, selection: &Selection) -> &mut Self {
        match selection {
            Selection::Kinds { kinds, names } => self.kinds(kinds, Kind::plural).words(names),
            Selection::Items(items) => {
                for (kind, name) in items {
                    self.word(&format!("{}/{name}", kind.singular()));
                }
                self
            }
        }
    }
    fn kinds(&mut self, kinds: &[Kind], word: fn(Kind) -> &'static str) -> &mut Self {
        self.word(&kinds.iter().map(|kind| word(*kind)).collect::<Vec<_>>().join(","))
    }
    fn words(&mut self, words: &[String]) -> &mut Self {
        for word in words {
            self.word(word);
        }
        self
    }
    fn dry_run(&mut self, dry_run: DryRun) -> &mut Self {
        self.flag("--dry-run=client", dry_run == DryRun::Client)
            .flag("--dry-run=server", dry_run == DryRun::Server)
    }
    fn document(&mut self, text: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(&here_document(text));
        self
    }
}

impl std::fmt::Display for Kubectl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Text("kubectl".into());
        let t = &mut text;
        match self {
            Kubectl::Get(get) => {
                t.word("get").selection(&get.selection).value("-n", &get.namespace);
                t.flag("-A", get.all_namespaces).value("-l", &get.selector);
                if let Some(fields) = &get.field_selector {
                    t.equals("--field-selector", fields);
                }
                match &get.output {
                    Output::Table => {}
                    Output::Wide => drop(t.word("-o").word("wide")),
                    Output::Yaml => drop(t.word("-o").word("yaml")),
                    Output::Json => drop(t.word("-o").word("json")),
                    Output::Name => drop(t.word("-o").word("name")),
                    Output::JsonPath(path) => drop(t.word("-o").word(&format!("jsonpath={path}"))),
                    Output::CustomColumns(spec) => drop(t.word("-o").word(&format!("custom-columns={spec}"))),
                }
                if !get.label_columns.is_empty() {
                    t.word("-L").word(&get.label_columns.join(","));
                }
                t.flag("--show-labels", get.show_labels)
                    .flag("--no-headers", get.no_headers);
                if let Some(path) = &get.sort_by {
                    t.equals("--sort-by", path);
                }
                t.flag("--ignore-not-found", get.ignore_not_found)
                    .flag("--show-managed-fields", get.show_managed_fields)
                    .flag("--watch", get.watch == Watch::Yes)
                    .flag("--watch-only", get.watch == Watch::Only)
                    .flag("--output-watch-events", get.output_watch_events);
            }
            Kubectl::Describe(describe) => {
                t.word("describe")
                    .selection(&describe.selection)
                    .value("-n", &describe.namespace);
                t.flag("-A", describe.all_namespaces)
                    .value("-l", &describe.selector)
                    .flag("--show-events=false", !describe.show_events);
            }
            Kubectl::Apply {
                manifest,
                namespace,
                dry_run,
            } => {
                t.word("apply").value("-n", namespace).dry_run(*dry_run);
                t.word("-f").word("-").document(manifest);
            }
            Kubectl::Create {
                what,
                namespace,
                dry_run,
            } => print_create(t, what, namespace, *dry_run),
            Kubectl::Delete(delete) => print_delete(t, delete),
            Kubectl::Scale {
                selection,
                namespace,
                replicas,
                current_replicas,
                dry_run,
            } => {
                t.word("scale").selection(selection).value("-n", namespace);
                if let Some(current) = current_replicas {
                    t.equals("--current-replicas", current);
                }
                t.equals("--replicas", replicas).dry_run(*dry_run);
            }
            Kubectl::Rollout {
                action,
                selection,
                namespace,
            } => {
                t.word("rollout").word(match action {
                    RolloutAction::Status { .. } => "status",
                    RolloutAction::Undo { .. } => "undo",
                    RolloutAction::Restart => "restart",
                    RolloutAction::Pause => "pause",
                    RolloutAction::Resume => "resume",
                    RolloutAction::History { .. } => "history",
                });
                t.selection(selection).value("-n", namespace);
                match action {
                    RolloutAction::Status { watch, timeout } => {
                        t.flag("--watch=false", !watch);
                        if let Some(timeout) = timeout {
                            t.equals("--timeout", print_duration(*timeout));
                        }
                    }
                    RolloutAction::Undo { to_revision } if *to_revision != 0 => {
                        t.equals("--to-revision", to_revision);
                    }
                    RolloutAction::History { revision } if *revision != 0 => {
                        t.equals("--revision", revision);
                    }
                    _ => {}
                }
            }
            Kubectl::Cordon {
                nodes,
                selector,
                cordon,
                dry_run,
            } => {
                t.word(if *cordon { "cordon" } else { "uncordon" }).words(nodes);
                t.value("-l", selector).dry_run(*dry_run);
            }
            Kubectl::Drain(drain) => {
                t.word("drain").words(&drain.nodes).value("-l", &drain.selector);
                t.flag("--ignore-daemonsets", drain.ignore_daemonsets)
                    .flag("--delete-emptydir-data", drain.delete_emptydir_data)
                    .flag("--force", drain.force);
                if drain.grace_period != -1 {
                    t.equals("--grace-period", drain.grace_period);
                }
                if let Some(timeout) = drain.timeout {
                    t.equals("--timeout", print_duration(timeout));
                }
                t.flag("--disable-eviction", drain.disable_eviction);
                if let Some(selector) = &drain.pod_selector {
                    t.equals("--pod-selector", selector);
                }
                if drain.skip_wait_for_delete_timeout != 0 {
                    t.equals("--skip-wait-for-delete-timeout", drain.skip_wait_for_delete_timeout);
                }
                t.dry_run(drain.dry_run);
            }
            Kubectl::Taint {
                nodes,
                all,
                selector,
                changes,
                overwrite,
                dry_run,
            } => {
                t.word("taint");
                if nodes.iter().any(|node| node.starts_with('-')) {
                    // Alone such a name would be read as a flag.
                    t.words(&nodes.iter().map(|node| format!("node/{node}")).collect::<Vec<_>>());
                } else {
                    t.word("nodes").words(nodes);
                }
                t.flag("--all", *all);
                t.value("-l", selector).flag("--overwrite", *overwrite);
                for change in changes {
                    let mut spec = change.key.clone();
                    if !change.value.is_empty() {
                        spec.push_str(&format!("={}", change.value));
                    }
                    if !change.effect.is_empty() {
                        spec.push_str(&format!(":{}", change.effect));
                    }
                    if change.remove {
                        spec.push('-');
                    }
                    t.word(&spec);
                }
                t.dry_run(*dry_run);
            }
            Kubectl::Label(mark) => print_mark(t, "label", mark),
            Kubectl::Annotate(mark) => print_mark(t, "annotate", mark),
            Kubectl::Patch {
                selection,
                namespace,
                patch_type,
                patch,
                subresource,
                dry_run,
            } => {
                t.word("patch").selection(selection).value("-n", namespace);
                match patch_type {
                    PatchType::Strategic => {}
                    PatchType::Merge => drop(t.equals("--type", "merge")),
                    PatchType::Json => drop(t.equals("--type", "json")),
                }
                if let Some(subresource) = subresource {
                    t.equals("--subresource", subresource);
                }
                t.dry_run(*dry_run).word("-p").word(patch);
            }
            Kubectl::Edit {
                selection,
                namespace,
                text,
            } => {
                t.word("edit")
                    .selection(selection)
                    .value("-n", namespace)
                    .document(text);
            }
            Kubectl::SetImage {
                selection,
                namespace,
                images,
                dry_run,
            } => {
                t.word("set").word("image").selection(selection);
                for (container, image) in images {
                    t.equals(container, image);
                }
                t.value("-n", namespace).dry_run(*dry_run);
            }
            Kubectl::Events {
                namespace,
                all_namespaces,
                involved,
                types,
                no_headers,
            } => {
                t.word("events").value("-n", namespace).flag("-A", *all_namespaces);
                if let Some((kind, name)) = involved {
                    t.word("--for").word(&format!("{}/{name}", kind.singular()));
                }
                if !types.is_empty() {
                    t.equals("--types", types.join(","));
                }
                t.flag("--no-headers", *no_headers);
            }
            Kubectl::Explain { kind, path } => {
                let mut what = kind.plural().to_owned();
                for part in path {
                    what.push('.');
                    what.push_str(part);
                }
                t.word("explain").word(&what);
            }
            Kubectl::Top(top) => {
                t.word("top").word(if top.nodes { "node" } else { "pod" });
                if let Some(name) = &top.name {
                    t.word(name);
                }
                t.value("-n", &top.namespace)
                    .flag("-A", top.all_namespaces)
                    .value("-l", &top.selector);
                t.flag("--containers", top.containers);
                if let Some(by) = &top.sort_by {
                    t.equals("--sort-by", by);
                }
                t.flag("--no-headers", top.no_headers).flag("--sum", top.sum);
            }
            Kubectl::Logs {
                pod,
                namespace,
                container,
                previous,
                all_containers,
                timestamps,
                tail,
            } => {
                t.word("logs").word(pod).value("-n", namespace).value("-c", container);
                t.flag("--previous", *previous)
                    .flag("--all-containers", *all_containers)
                    .flag("--timestamps", *timestamps);
                if *tail != -1 {
                    t.equals("--tail", tail);
                }
            }
            Kubectl::ApiResources => drop(t.word("api-resources")),
            Kubectl::Version => drop(t.word("version")),
        }
        f.write_str(&text.0)
    }
}

fn print_create(t: &mut Text, what: &CreateWhat, namespace: &Option<String>, dry_run: DryRun) {
    match what {
        CreateWhat::Run { .. } => t.word("run"),
        _ => t.word("create"),
    };
    match what {
        CreateWhat::Manifest(_) => {}
        CreateWhat::Deployment { name, images, replicas } => {
            t.word("deployment").word(name);
            for image in images {
                t.equals("--image", image);
            }
            if *replicas != 1 {
                t.equals("--replicas", replicas);
            }
        }
        CreateWhat::Namespace(name) => drop(t.word("namespace").word(name)),
        CreateWhat::Job { name, image } => drop(t.word("job").word(name).equals("--image", image)),
        CreateWhat::ConfigMap { name, literals } => {
            t.word("configmap").word(name);
            for (key, value) in literals {
                t.equals("--from-literal", format!("{key}={value}"));
            }
        }
        CreateWhat::PriorityClass {
            name,
            value,
            global_default,
            preemption_policy,
            description,
        } => {
            t.word("priorityclass").word(name).equals("--value", value);
            t.flag("--global-default", *global_default);
            if let Some(policy) = preemption_policy {
                t.equals("--preemption-policy", policy);
            }
            if !description.is_empty() {
                t.equals("--description", description);
            }
        }
        CreateWhat::Run {
            name,
            image,
            restart,
            labels,
        } => {
            t.word(name).equals("--image", image);
            if let Some(restart) = restart {
                t.equals("--restart", restart);
            }
            if !labels.is_empty() {
                let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
                t.equals("--labels", pairs.join(","));
            }
        }
        CreateWhat::PodDisruptionBudget {
            name,
            selector,
            min_available,
            max_unavailable,
        } => {
            t.word("poddisruptionbudget").word(name).equals("--selector", selector);
            if let Some(value) = min_available {
                t.equals("--min-available", value);
            }
            if let Some(value) = max_unavailable {
                t.equals("--max-unavailable", value);
            }
        }
    }
    t.value("-n", namespace).dry_run(dry_run);
    if let CreateWhat::Manifest(text) = what {
        t.word("-f").word("-").document(text);
    }
}

fn print_delete(t: &mut Text, delete: &Delete) {
    t.word("delete");
    if let Some(selection) = &delete.selection {
        t.selection(selection);
    }
    t.value("-n", &delete.namespace)
        .flag("-A", delete.all_namespaces)
        .flag("--all", delete.all)
        .value("-l", &delete.selector);
    if let Some(fields) = &delete.field_selector {
        t.equals("--field-selector", fields);
    }
    if delete.grace_period != -1 {
        t.equals("--grace-period", delete.grace_period);
    }
    t.flag("--force", delete.force).flag("--now", delete.now);
    if let Some(wait) = delete.wait {
        t.equals("--wait", wait);
    }
    if let Some(timeout) = delete.timeout {
        t.equals("--timeout", print_duration(timeout));
    }
    if let Some(cascade) = &delete.cascade {
        t.equals("--cascade", cascade);
    }
    t.flag("--ignore-not-found", delete.ignore_not_found);
    if delete.output_name {
        t.word("-o").word("name");
    }
    t.dry_run(delete.dry_run);
    if let Some(text) = &delete.manifest {
        t.word("-f").word("-").document(text);
    }
}

fn print_mark(t: &mut Text, verb: &str, mark: &super::Mark) {
    t.word(verb).plural(&mark.selection);
    for (key, value) in &mark.changes {
        match value {
            Some(value) => t.equals(key, value),
            None => t.word(&format!("{key}-")),
        };
    }
    t.value("-n", &mark.namespace)
        .flag("-A", mark.all_namespaces)
        .flag("--all", mark.all)
        .value("-l", &mark.selector)
        .flag("--overwrite", mark.overwrite)
        .flag("--list", mark.list)
        .dry_run(mark.dry_run);
}
