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
    /// Where it looks: `-n`, `-A`, `--all` and the selectors.
    fn scope(&mut self, target: &Target) -> &mut Self {
        self.value("-n", &target.namespace)
            .flag("-A", target.all_namespaces)
            .flag("--all", target.all)
            .value("-l", &target.selector);
        if let Some(fields) = &target.field_selector {
            self.equals("--field-selector", fields);
        }
        self
    }
    fn target(&mut self, target: &Target) -> &mut Self {
        self.selection(&target.selection).scope(target)
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
    fn output(&mut self, output: &Output) -> &mut Self {
        match output {
            Output::Table => self,
            Output::Wide => self.word("-o").word("wide"),
            Output::Yaml => self.word("-o").word("yaml"),
            Output::Json => self.word("-o").word("json"),
            Output::Name => self.word("-o").word("name"),
            Output::JsonPath(path) => self.word("-o").word(&format!("jsonpath={path}")),
            Output::CustomColumns(spec) => self.word("-o").word(&format!("custom-columns={spec}")),
        }
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
                t.word("get").target(&get.target);
                t.output(&get.output);
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
                    .target(&describe.target)
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
                output,
            } => print_create(t, what, namespace, *dry_run, output),
            Kubectl::Delete(delete) => print_delete(t, delete),
            Kubectl::Scale {
                target,
                replicas,
                current_replicas,
                dry_run,
            } => {
                t.word("scale").target(target);
                if let Some(current) = current_replicas {
                    t.equals("--current-replicas", current);
                }
                t.equals("--replicas", replicas).dry_run(*dry_run);
            }
            Kubectl::Rollout { action, target } => {
                t.word("rollout").word(match action {
                    RolloutAction::Status { .. } => "status",
                    RolloutAction::Undo { .. } => "undo",
                    RolloutAction::Restart => "restart",
                    RolloutAction::Pause => "pause",
                    RolloutAction::Resume => "resume",
                    RolloutAction::History { .. } => "history",
                });
                t.target(target);
                match action {
                    RolloutAction::Status { watch, timeout } => {
                        t.flag("--watch=false", !watch);
                        if let Some(timeout) = timeout {
                            t.equals("--timeout", print_duration(*timeout));
                        }
                    }
                    RolloutAction::Undo { to_revision, dry_run } => {
                        if *to_revision != 0 {
                            t.equals("--to-revision", to_revision);
                        }
                        t.dry_run(*dry_run);
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
                target,
                patch_type,
                patch,
                subresource,
                dry_run,
            } => {
                t.word("patch").target(target);
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
            Kubectl::Edit { target, text } => {
                t.word("edit").target(target).document(text);
            }
            Kubectl::SetImage {
                target,
                images,
                dry_run,
            } => {
                t.word("set").word("image").selection(&target.selection);
                for (container, image) in images {
                    t.equals(container, image);
                }
                t.scope(target).dry_run(*dry_run);
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

fn print_create(t: &mut Text, what: &CreateWhat, namespace: &Option<String>, dry_run: DryRun, output: &Output) {
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
    t.value("-n", namespace).dry_run(dry_run).output(output);
    if let CreateWhat::Manifest(text) = what {
        t.word("-f").word("-").document(text);
    }
}

fn print_delete(t: &mut Text, delete: &Delete) {
    t.word("delete");
    match &delete.what {
        Doomed::Target(target) => t.target(target),
        Doomed::Manifest { namespace, .. } => t.value("-n", namespace),
    };
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
    if let Doomed::Manifest { text, .. } = &delete.what {
        t.word("-f").word("-").document(text);
    }
}

fn print_mark(t: &mut Text, verb: &str, mark: &super::Mark) {
    t.word(verb).plural(&mark.target.selection);
    for (key, value) in &mark.changes {
        match value {
            Some(value) => t.equals(key, value),
            None => t.word(&format!("{key}-")),
        };
    }
    t.scope(&mark.target)
        .flag("--overwrite", mark.overwrite)
        .flag("--list", mark.list)
        .dry_run(mark.dry_run);
}
