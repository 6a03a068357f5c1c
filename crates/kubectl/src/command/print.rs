//! Prints a [`Kubectl`] command as its canonical text.

use podscope_api::Kind;

use super::shell::{here_document, quote};
use super::*;
use crate::duration::print_duration;

/// Builds a command line. Each word is quoted if necessary.
struct LineBuilder(String);

impl LineBuilder {
    /// Appends a word.
    fn word(&mut self, word: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(&quote(word));
        self
    }

    /// Appends `FLAG VALUE` if there is a value.
    fn value(&mut self, flag: &str, value: &Option<String>) -> &mut Self {
        if let Some(value) = value {
            self.word(flag).word(value);
        }
        self
    }

    /// Appends `FLAG=VALUE`.
    fn equals(&mut self, flag: &str, value: impl std::fmt::Display) -> &mut Self {
        self.word(&format!("{flag}={value}"))
    }

    /// Appends a flag if it is on.
    fn flag(&mut self, flag: &str, on: bool) -> &mut Self {
        if on {
            self.word(flag);
        }
        self
    }

    /// Prints kinds in the singular before names and in the plural otherwise: `delete pod web-0`, `get pods`.
    fn selection(&mut self, selection: &Selection) -> &mut Self {
        match selection {
            Selection::Kinds { kinds, names } if !names.is_empty() => self.kinds(kinds, Kind::singular).words(names),
            other => self.plural(other),
        }
    }

    /// Prints kinds in the plural, as kubectl's examples of some verbs do: `label nodes a-1`.
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

    /// Prints `-n`, `-A`, `--all` and the selectors.
    fn namespace_and_selectors(&mut self, target: &Target) -> &mut Self {
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
        self.selection(&target.selection).namespace_and_selectors(target)
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

    /// Prints node names. A name that begins with `-` gets the prefix `node/`, so that it is not parsed as a flag.
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

    /// Appends a here-document.
    fn document(&mut self, text: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(&here_document(text));
        self
    }
}

impl std::fmt::Display for Kubectl {
    #[expect(clippy::too_many_lines, reason = "one arm for each command")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = LineBuilder("kubectl".into());
        let line = &mut text;
        match self {
            Kubectl::Get(get) => print_get(line, get),
            Kubectl::Describe(describe) => {
                line.word("describe")
                    .target(&describe.target)
                    .flag("--show-events=true", describe.show_events == Some(true))
                    .flag("--show-events=false", describe.show_events == Some(false));
            }
            Kubectl::Apply(apply) => print_apply(line, apply),
            Kubectl::Create {
                manifest,
                namespace,
                validation,
                save_config,
                dry_run,
                output,
            } => {
                line.word("create").value("-n", namespace).validation(*validation);
                line.flag("--save-config", *save_config)
                    .dry_run(*dry_run)
                    .output(output);
                line.word("-f").word("-").document(manifest);
            }
            Kubectl::Verbatim(verbatim) => print_words(line, &verbatim.words),
            Kubectl::Delete(delete) => print_delete(line, delete),
            Kubectl::Scale {
                target,
                replicas,
                current_replicas,
                resource_version,
                dry_run,
                output,
            } => {
                line.word("scale").target(target);
                if let Some(current) = current_replicas {
                    line.equals("--current-replicas", current);
                }
                if let Some(version) = resource_version {
                    line.equals("--resource-version", version);
                }
                line.equals("--replicas", replicas).dry_run(*dry_run).output(output);
            }
            Kubectl::Rollout { action, target, output } => {
                print_rollout(line, action, target);
                line.output(output);
            }
            Kubectl::Cordon {
                nodes,
                selector,
                cordon,
                dry_run,
            } => {
                line.word(if *cordon { "cordon" } else { "uncordon" }).nodes(nodes);
                line.value("-l", selector).dry_run(*dry_run);
            }
            Kubectl::Drain(drain) => print_drain(line, drain),
            Kubectl::Taint {
                nodes,
                all,
                selector,
                changes,
                overwrite,
                dry_run,
                output,
            } => {
                line.word("taint");
                line.word("nodes").words(nodes);
                line.flag("--all", *all);
                line.value("-l", selector).flag("--overwrite", *overwrite);
                for change in changes {
                    line.word(&taint_spec(change));
                }
                line.dry_run(*dry_run).output(output);
            }
            Kubectl::Label(mark) => print_metadata_change(line, "label", mark),
            Kubectl::Annotate(mark) => print_metadata_change(line, "annotate", mark),
            Kubectl::Patch {
                target,
                patch_type,
                patch,
                subresource,
                dry_run,
                output,
            } => {
                line.word("patch").target(target);
                match patch_type {
                    PatchType::Strategic => {}
                    PatchType::Merge => drop(line.equals("--type", "merge")),
                    PatchType::Json => drop(line.equals("--type", "json")),
                }
                if let Some(subresource) = subresource {
                    line.equals("--subresource", subresource);
                }
                line.dry_run(*dry_run).output(output).word("-p").word(patch);
            }
            Kubectl::Edit {
                target,
                text,
                subresource,
            } => {
                line.word("edit").target(target);
                if let Some(subresource) = subresource {
                    line.equals("--subresource", subresource);
                }
                if !text.is_empty() {
                    line.document(text);
                }
            }
            Kubectl::SetImage {
                target,
                images,
                dry_run,
                output,
            } => {
                line.word("set").word("image").selection(&target.selection);
                for (container, image) in images {
                    line.equals(container, image);
                }
                line.namespace_and_selectors(target).dry_run(*dry_run).output(output);
            }
            Kubectl::Events(events) => print_events(line, events),
            Kubectl::Explain { kind, path, recursive } => {
                let mut field_path = kind.plural().to_owned();
                for part in path {
                    field_path.push('.');
                    field_path.push_str(part);
                }
                line.word("explain").word(&field_path).flag("--recursive", *recursive);
            }
            Kubectl::Top(top) => print_top(line, top),
            Kubectl::Logs(logs) => print_logs(line, logs),
        }
        f.write_str(&text.0)
    }
}

fn print_get(line: &mut LineBuilder, get: &Get) {
    line.word("get").target(&get.target);
    line.output(&get.output);
    if !get.label_columns.is_empty() {
        line.word("-L").word(&get.label_columns.join(","));
    }
    line.flag("--show-labels", get.show_labels)
        .flag("--show-kind", get.show_kind)
        .flag("--no-headers", get.no_headers);
    if let Some(path) = &get.sort_by {
        line.equals("--sort-by", path);
    }
    line.flag("--ignore-not-found", get.ignore_not_found)
        .flag("--show-managed-fields", get.show_managed_fields)
        .flag("--watch", get.watch == Watch::Yes)
        .flag("--watch-only", get.watch == Watch::Only)
        .flag("--output-watch-events", get.output_watch_events)
        .flag("--subresource=scale", get.scale)
        .flag("--server-print=false", get.bare_columns);
}

fn print_apply(line: &mut LineBuilder, apply: &Apply) {
    line.word("apply")
        .value("-n", &apply.namespace)
        .flag("--force", apply.force);
    if let Some(server_side) = &apply.server_side {
        line.word("--server-side");
        if server_side.manager != FIELD_MANAGER {
            line.equals("--field-manager", &server_side.manager);
        }
        line.flag("--force-conflicts", server_side.force_conflicts);
    }
    line.flag("--prune", apply.prune)
        .flag("--all", apply.prune && apply.selector.is_none());
    for kind in &apply.prune_allowlist {
        let version = match kind.api_version() {
            "v1" => "core/v1",
            version => version,
        };
        line.equals("--prune-allowlist", format!("{version}/{}", kind.name()));
    }
    line.value("-l", &apply.selector)
        .validation(apply.validation)
        .dry_run(apply.dry_run)
        .output(&apply.output);
    line.word("-f").word("-").document(&apply.manifest);
}

fn print_rollout(line: &mut LineBuilder, action: &RolloutAction, target: &Target) {
    line.word("rollout").word(match action {
        RolloutAction::Status { .. } => "status",
        RolloutAction::Undo { .. } => "undo",
        RolloutAction::Restart => "restart",
        RolloutAction::Pause => "pause",
        RolloutAction::Resume => "resume",
        RolloutAction::History { .. } => "history",
    });
    line.target(target);
    match action {
        RolloutAction::Status {
            revision,
            watch,
            timeout,
        } => {
            if *revision != 0 {
                line.equals("--revision", revision);
            }
            line.flag("--watch=false", !watch);
            if let Some(timeout) = timeout {
                line.equals("--timeout", print_duration(*timeout));
            }
        }
        RolloutAction::Undo { to_revision, dry_run } => {
            if *to_revision != 0 {
                line.equals("--to-revision", to_revision);
            }
            line.dry_run(*dry_run);
        }
        RolloutAction::History { revision } if *revision != 0 => {
            line.equals("--revision", revision);
        }
        _ => {}
    }
}

fn print_drain(line: &mut LineBuilder, drain: &Drain) {
    line.word("drain").nodes(&drain.nodes).value("-l", &drain.selector);
    line.flag("--ignore-daemonsets", drain.ignore_daemonsets)
        .flag("--delete-emptydir-data", drain.delete_emptydir_data)
        .flag("--force", drain.force);
    if drain.grace_period != -1 {
        line.equals("--grace-period", drain.grace_period);
    }
    if let Some(timeout) = drain.timeout {
        line.equals("--timeout", print_duration(timeout));
    }
    line.flag("--disable-eviction", drain.disable_eviction);
    if let Some(selector) = &drain.pod_selector {
        line.equals("--pod-selector", selector);
    }
    if drain.skip_wait_for_delete_timeout != 0 {
        line.equals("--skip-wait-for-delete-timeout", drain.skip_wait_for_delete_timeout);
    }
    line.dry_run(drain.dry_run);
}

fn print_events(line: &mut LineBuilder, events: &Events) {
    line.word("events")
        .value("-n", &events.namespace)
        .flag("-A", events.all_namespaces);
    if let Some((kind, name)) = &events.involved {
        line.word("--for").word(&format!("{}/{name}", kind.singular()));
    }
    if !events.types.is_empty() {
        line.equals("--types", events.types.join(","));
    }
    line.flag("--no-headers", events.no_headers)
        .flag("--watch", events.watch)
        .output(&events.output);
}

fn print_top(line: &mut LineBuilder, top: &Top) {
    line.word("top").word(if top.nodes { "node" } else { "pod" });
    if let Some(name) = &top.name {
        line.word(name);
    }
    line.value("-n", &top.namespace)
        .flag("-A", top.all_namespaces)
        .value("-l", &top.selector);
    line.flag("--containers", top.containers);
    if let Some(by) = &top.sort_by {
        line.equals("--sort-by", by);
    }
    line.flag("--no-headers", top.no_headers).flag("--sum", top.sum);
}

/// A taint as `key=value:effect`, with a final `-` if it is removed.
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

/// Prints the original words, with every flag as `--flag=value`.
fn print_words(line: &mut LineBuilder, words: &Words) {
    for word in words.verb.split(' ') {
        line.word(word);
    }
    line.words(&words.positional);
    for (flag, value) in &words.flags {
        line.equals(&format!("--{flag}"), value);
    }
    if let Some(rest) = &words.passthrough_args {
        line.word("--").words(rest);
    }
    if let Some(text) = &words.stdin {
        line.document(text);
    }
}

fn print_logs(line: &mut LineBuilder, logs: &Logs) {
    line.word("logs");
    match &logs.selector {
        Some(selector) => line.word("-l").word(selector),
        None => line.word(&logs.pod),
    };
    line.value("-n", &logs.namespace).value("-c", &logs.container);
    line.flag("--previous", logs.previous)
        .flag("--all-containers", logs.all_containers)
        .flag("--timestamps", logs.timestamps)
        .flag("--prefix", logs.prefix)
        .flag("--follow", logs.follow);
    match logs.since {
        None => {}
        Some(Since::Ago(since)) => drop(line.equals("--since", podscope_api::print_duration(since.0))),
        Some(Since::At(at)) => drop(line.equals("--since-time", podscope_api::print_rfc3339(at.0, 6))),
    }
    if logs.limit_bytes != 0 {
        line.equals("--limit-bytes", logs.limit_bytes);
    }
    if logs.tail != -1 {
        line.equals("--tail", logs.tail);
    }
}

fn print_delete(line: &mut LineBuilder, delete: &Delete) {
    line.word("delete");
    match &delete.objects {
        DeleteTarget::Target(target) => line.target(target),
        DeleteTarget::Manifest { namespace, .. } => line.value("-n", namespace),
    };
    if delete.grace_period != -1 {
        line.equals("--grace-period", delete.grace_period);
    }
    line.flag("--force", delete.force).flag("--now", delete.now);
    if let Some(wait) = delete.wait {
        line.equals("--wait", wait);
    }
    if let Some(timeout) = delete.timeout {
        line.equals("--timeout", print_duration(timeout));
    }
    if let Some(cascade) = &delete.cascade {
        line.equals("--cascade", cascade);
    }
    line.flag("--ignore-not-found", delete.ignore_not_found);
    if delete.output_name {
        line.word("-o").word("name");
    }
    line.dry_run(delete.dry_run);
    if let Some(answer) = &delete.answer {
        line.word("--interactive").document(answer);
    }
    if let DeleteTarget::Manifest { text, .. } = &delete.objects {
        line.word("-f").word("-").document(text);
    }
}

fn print_metadata_change(line: &mut LineBuilder, verb: &str, change: &super::MetadataChange) {
    line.word(verb).plural(&change.target.selection);
    for (key, value) in &change.changes {
        match value {
            Some(value) => line.equals(key, value),
            None => line.word(&format!("{key}-")),
        };
    }
    line.namespace_and_selectors(&change.target)
        .flag("--overwrite", change.overwrite)
        .flag("--list", change.list)
        .dry_run(change.dry_run)
        .output(&change.output);
    if let Some(version) = &change.resource_version {
        line.equals("--resource-version", version);
    }
}
