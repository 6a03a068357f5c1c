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

    /// Names of nodes; one that would be read as a flag says that it is a node.
    fn nodes(&mut self, names: &[String]) -> &mut Self {
        for name in names {
            match name.starts_with('-') {
                true => self.word(&format!("node/{name}")),
                false => self.word(name),
            };
        }
        self
    }

    fn dry_run(&mut self, dry_run: DryRun) -> &mut Self {
        self.flag("--dry-run", dry_run == DryRun::Bare)
            .flag("--dry-run=client", dry_run == DryRun::Client)
            .flag("--dry-run=server", dry_run == DryRun::Server);
        if let DryRun::Boolean(word) = dry_run {
            self.equals("--dry-run", word);
        }
        self
    }

    fn validation(&mut self, validation: Validation) -> &mut Self {
        self.flag("--validate=warn", validation == Validation::Warn)
            .flag("--validate=ignore", validation == Validation::Ignore)
    }

    fn output(&mut self, output: &Output) -> &mut Self {
        match output {
            Output::Table => self,
            Output::Wide => self.word("-o").word("wide"),
            Output::Yaml => self.word("-o").word("yaml"),
            Output::Json => self.word("-o").word("json"),
            Output::Kyaml => self.word("-o").word("kyaml"),
            Output::Name => self.word("-o").word("name"),
            Output::JsonPath(path) => self.word("-o").word(&format!("jsonpath={path}")),
            Output::JsonPathAsJson(path) => self.word("-o").word(&format!("jsonpath-as-json={path}")),
            Output::GoTemplate(text) => self.word("-o").word(&format!("go-template={text}")),
            Output::CustomColumns(spec) => self.word("-o").word(&format!("custom-columns={spec}")),
            Output::WithManagedFields(output) => self.output(output).word("--show-managed-fields"),
        }
    }

    fn document(&mut self, text: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(&here_document(text));
        self
    }
}

impl std::fmt::Display for Kubectl {
    #[expect(clippy::too_many_lines, reason = "one arm for each command")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Text("kubectl".into());
        let t = &mut text;
        match self {
            Kubectl::Get(get) => print_get(t, get),
            Kubectl::Describe(describe) => {
                t.word("describe")
                    .target(&describe.target)
                    .flag("--show-events=true", describe.show_events == Some(true))
                    .flag("--show-events=false", describe.show_events == Some(false));
            }
            Kubectl::Apply(apply) => print_apply(t, apply),
            Kubectl::Create {
                manifest,
                namespace,
                validation,
                save_config,
                dry_run,
                output,
            } => {
                t.word("create").value("-n", namespace).validation(*validation);
                t.flag("--save-config", *save_config).dry_run(*dry_run).output(output);
                t.word("-f").word("-").document(manifest);
            }
            Kubectl::Verbatim(verbatim) => print_words(t, &verbatim.words),
            Kubectl::Delete(delete) => print_delete(t, delete),
            Kubectl::Scale {
                target,
                replicas,
                current_replicas,
                resource_version,
                dry_run,
                output,
            } => {
                t.word("scale").target(target);
                if let Some(current) = current_replicas {
                    t.equals("--current-replicas", current);
                }
                if let Some(version) = resource_version {
                    t.equals("--resource-version", version);
                }
                t.equals("--replicas", replicas).dry_run(*dry_run).output(output);
            }
            Kubectl::Rollout { action, target, output } => {
                print_rollout(t, action, target);
                t.output(output);
            }
            Kubectl::Cordon {
                nodes,
                selector,
                cordon,
                dry_run,
            } => {
                t.word(if *cordon { "cordon" } else { "uncordon" }).nodes(nodes);
                t.value("-l", selector).dry_run(*dry_run);
            }
            Kubectl::Drain(drain) => print_drain(t, drain),
            Kubectl::Taint {
                nodes,
                all,
                selector,
                changes,
                overwrite,
                dry_run,
                output,
            } => {
                t.word("taint");
                t.word("nodes").words(nodes);
                t.flag("--all", *all);
                t.value("-l", selector).flag("--overwrite", *overwrite);
                for change in changes {
                    t.word(&taint_spec(change));
                }
                t.dry_run(*dry_run).output(output);
            }
            Kubectl::Label(mark) => print_mark(t, "label", mark),
            Kubectl::Annotate(mark) => print_mark(t, "annotate", mark),
            Kubectl::Patch {
                target,
                patch_type,
                patch,
                subresource,
                dry_run,
                output,
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
                t.dry_run(*dry_run).output(output).word("-p").word(patch);
            }
            Kubectl::Edit {
                target,
                text,
                subresource,
            } => {
                t.word("edit").target(target);
                if let Some(subresource) = subresource {
                    t.equals("--subresource", subresource);
                }
                t.document(text);
            }
            Kubectl::SetImage {
                target,
                images,
                dry_run,
                output,
            } => {
                t.word("set").word("image").selection(&target.selection);
                for (container, image) in images {
                    t.equals(container, image);
                }
                t.scope(target).dry_run(*dry_run).output(output);
            }
            Kubectl::Events(events) => print_events(t, events),
            Kubectl::Explain { kind, path, recursive } => {
                let mut what = kind.plural().to_owned();
                for part in path {
                    what.push('.');
                    what.push_str(part);
                }
                t.word("explain").word(&what).flag("--recursive", *recursive);
            }
            Kubectl::Top(top) => print_top(t, top),
            Kubectl::Logs(logs) => print_logs(t, logs),
        }
        f.write_str(&text.0)
    }
}

fn print_get(t: &mut Text, get: &Get) {
    t.word("get").target(&get.target);
    t.output(&get.output);
    if !get.label_columns.is_empty() {
        t.word("-L").word(&get.label_columns.join(","));
    }
    t.flag("--show-labels", get.show_labels)
        .flag("--show-kind", get.show_kind)
        .flag("--no-headers", get.no_headers);
    if let Some(path) = &get.sort_by {
        t.equals("--sort-by", path);
    }
    t.flag("--ignore-not-found", get.ignore_not_found)
        .flag("--show-managed-fields", get.show_managed_fields)
        .flag("--watch", get.watch == Watch::Yes)
        .flag("--watch-only", get.watch == Watch::Only)
        .flag("--output-watch-events", get.output_watch_events)
        .flag("--subresource=scale", get.scale)
        .flag("--server-print=false", get.bare_columns);
}

fn print_apply(t: &mut Text, apply: &Apply) {
    t.word("apply")
        .value("-n", &apply.namespace)
        .flag("--force", apply.force);
    if let Some(server_side) = &apply.server_side {
        t.word("--server-side");
        if server_side.manager != FIELD_MANAGER {
            t.equals("--field-manager", &server_side.manager);
        }
        t.flag("--force-conflicts", server_side.force_conflicts);
    }
    t.flag("--prune", apply.prune)
        .flag("--all", apply.prune && apply.selector.is_none());
    for kind in &apply.prune_allowlist {
        let version = match kind.api_version() {
            "v1" => "core/v1",
            version => version,
        };
        t.equals("--prune-allowlist", format!("{version}/{}", kind.name()));
    }
    t.value("-l", &apply.selector)
        .validation(apply.validation)
        .dry_run(apply.dry_run)
        .output(&apply.output);
    t.word("-f").word("-").document(&apply.manifest);
}

fn print_rollout(t: &mut Text, action: &RolloutAction, target: &Target) {
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
        RolloutAction::Status {
            revision,
            watch,
            timeout,
        } => {
            if *revision != 0 {
                t.equals("--revision", revision);
            }
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

fn print_drain(t: &mut Text, drain: &Drain) {
    t.word("drain").nodes(&drain.nodes).value("-l", &drain.selector);
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

fn print_events(t: &mut Text, events: &Events) {
    t.word("events")
        .value("-n", &events.namespace)
        .flag("-A", events.all_namespaces);
    if let Some((kind, name)) = &events.involved {
        t.word("--for").word(&format!("{}/{name}", kind.singular()));
    }
    if !events.types.is_empty() {
        t.equals("--types", events.types.join(","));
    }
    t.flag("--no-headers", events.no_headers)
        .flag("--watch", events.watch)
        .output(&events.output);
}

fn print_top(t: &mut Text, top: &Top) {
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

/// `key=value:effect`, and a `-` behind it where it is taken away.
fn taint_spec(change: &TaintChange) -> String {
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
    spec
}

/// The words as they were said, flags in one form.
fn print_words(t: &mut Text, words: &Words) {
    for word in words.verb.split(' ') {
        t.word(word);
    }
    t.words(&words.positional);
    for (flag, value) in &words.flags {
        t.equals(&format!("--{flag}"), value);
    }
    if let Some(rest) = &words.handed_on {
        t.word("--").words(rest);
    }
    if let Some(text) = &words.stdin {
        t.document(text);
    }
}

fn print_logs(t: &mut Text, logs: &Logs) {
    t.word("logs");
    match &logs.selector {
        Some(selector) => t.word("-l").word(selector),
        None => t.word(&logs.pod),
    };
    t.value("-n", &logs.namespace).value("-c", &logs.container);
    t.flag("--previous", logs.previous)
        .flag("--all-containers", logs.all_containers)
        .flag("--timestamps", logs.timestamps)
        .flag("--prefix", logs.prefix)
        .flag("--follow", logs.follow);
    match logs.since {
        None => {}
        Some(Since::Ago(since)) => drop(t.equals("--since", podscope_api::print_duration(since.0))),
        Some(Since::At(at)) => drop(t.equals("--since-time", podscope_api::print_rfc3339(at.0, 6))),
    }
    if logs.limit_bytes != 0 {
        t.equals("--limit-bytes", logs.limit_bytes);
    }
    if logs.tail != -1 {
        t.equals("--tail", logs.tail);
    }
}

fn print_delete(t: &mut Text, delete: &Delete) {
    t.word("delete");
    match &delete.what {
        DeleteTarget::Target(target) => t.target(target),
        DeleteTarget::Manifest { namespace, .. } => t.value("-n", namespace),
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
    if let Some(answer) = &delete.answer {
        t.word("--interactive").document(answer);
    }
    if let DeleteTarget::Manifest { text, .. } = &delete.what {
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
        .dry_run(mark.dry_run)
        .output(&mark.output);
    if let Some(version) = &mark.resource_version {
        t.equals("--resource-version", version);
    }
}
