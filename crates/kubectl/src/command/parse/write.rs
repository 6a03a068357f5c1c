//! Parses the verbs that write and have a canonical text: `apply`, `create -f -`, `delete`, `scale`, `patch`, `edit`,
//! `set image`, `rollout`. The verbs that keep their original words (`create KIND`, `run`, …) are in `verbatim.rs`.

use podscope_api::Kind;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::operands::*;

/// Parses `kubectl apply`.
pub(super) fn parse_apply(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    reject_kustomization(args)?;
    if !args.positional.is_empty() {
        return Err(args.usage_error(args.end, unexpected_args_message(args)));
    }
    let selector = selector(args);
    let all = args.bool("all", false)?;
    let prune = args.bool("prune", false)?;
    if all && selector.is_some() {
        return Err(args.error(args.column("all"), "cannot set --all and --selector at the same time"));
    }
    if prune && selector.is_none() && !all {
        return Err(args.error(
            args.column("prune"),
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        ));
    }
    let dry_run = dry_run(args)?;
    let force = args.bool("force", false)?;
    let server_side = parse_server_side(args, force, dry_run)?;
    let manifest = manifest(args)?.ok_or_else(|| args.error(args.end, "must specify one of -f and -k"))?;
    Ok(Kubectl::Apply(Apply {
        namespace: words.push_flag_value("-n", namespace(args)),
        force: words.push_flag("--force", force),
        server_side: words.push_server_side(server_side),
        prune: {
            words.push_flag("--prune", prune);
            words.push_flag("--all", prune && selector.is_none());
            prune
        },
        prune_allowlist: prune_allowlist(args, words)?,
        selector: words.push_flag_value("-l", selector),
        validation: words.push_validation(parse_validation(args)?),
        dry_run: words.push_dry_run(dry_run),
        output: words.push_output(output_of_write(args)?),
        manifest: words.push_manifest(manifest),
    }))
}

/// Parses `--prune-allowlist`: kinds as `GROUP/VERSION/KIND`, with `core` for the core group.
fn prune_allowlist(args: &Args, words: &mut Words) -> Result<Vec<Kind>, CommandError> {
    let column = args.column("prune-allowlist");
    let texts = args.values("prune-allowlist");
    let parse_kind = |text: &str| {
        let parts: Vec<&str> = text.split('/').collect();
        let [group, version, kind] = parts.as_slice() else {
            let why = format!("invalid GroupVersionKind format: {text}, please follow <group/version/kind>");
            return Err(args.error(column, why));
        };
        let api_version = match *group {
            "core" | "" => (*version).to_owned(),
            group => format!("{group}/{version}"),
        };
        let unserved = || {
            args.unknown_type_error(
                column,
                format!("error: {}", podscope_api::no_matches_message(&api_version, kind)),
            )
        };
        args.kind_of_manifest(&api_version, kind).ok_or_else(unserved)
    };
    let kinds = texts.iter().flat_map(|list| list.split(',')).map(parse_kind);
    let kinds: Vec<Kind> = kinds.collect::<Result<_, _>>()?;
    for kind in &kinds {
        let version = match kind.api_version() {
            "v1" => "core/v1",
            version => version,
        };
        words.push_flag_with_equals("--prune-allowlist", Some(format!("{version}/{}", kind.name())));
    }
    Ok(kinds)
}

/// Parses `--server-side`, and checks the flags that conflict with it.
fn parse_server_side(args: &Args, force: bool, dry_run: DryRun) -> Result<Option<ServerSide>, CommandError> {
    let force_conflicts = args.bool("force-conflicts", false)?;
    let is_server_side = args.bool("server-side", false)?;
    let flag_error = |flag: &str, why: &str| Err(args.error(args.column(flag), why));
    if force_conflicts && !is_server_side {
        return flag_error("force-conflicts", "--force-conflicts only works with --server-side");
    }
    if is_server_side && dry_run.is_client_side() {
        let why = "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)";
        return flag_error("dry-run", why);
    }
    if is_server_side && force {
        return flag_error("force", "--force cannot be used with --server-side");
    }
    if force && dry_run == DryRun::Server {
        return flag_error("force", "--dry-run=server cannot be used with --force");
    }
    let manager = args.value("field-manager").filter(|name| !name.is_empty());
    Ok(is_server_side.then(|| ServerSide {
        manager: manager.unwrap_or_else(|| FIELD_MANAGER.to_owned()),
        force_conflicts,
    }))
}

/// Parses `--validate`.
pub(super) fn parse_validation(args: &Args) -> Result<Validation, CommandError> {
    match args.value("validate").as_deref() {
        None | Some("strict" | "true") => Ok(Validation::Strict),
        Some("warn") => Ok(Validation::Warn),
        Some("ignore" | "false") => Ok(Validation::Ignore),
        Some(other) => Err(args.error(
            args.column("validate"),
            format!("invalid - validate option {other:?}; must be one of: strict (or true), warn, ignore (or false)"),
        )),
    }
}

/// Returns kubectl's message about unexpected positional arguments: `Unexpected args: [foo x]`.
fn unexpected_args_message(args: &Args) -> String {
    let words = args.positional_texts();
    format!("Unexpected args: [{}]", words.join(" "))
}

/// Parses `kubectl create -f -`.
pub(super) fn parse_create(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    if !args.positional.is_empty() {
        return Err(args.usage_error(args.end, unexpected_args_message(args)));
    }
    let manifest = manifest(args)?.ok_or_else(|| args.error(args.end, "must specify one of -f and -k"))?;
    Ok(Kubectl::Create {
        namespace: words.push_flag_value("-n", namespace(args)),
        validation: words.push_validation(parse_validation(args)?),
        save_config: words.push_flag("--save-config", args.bool("save-config", false)?),
        dry_run: words.push_dry_run(dry_run(args)?),
        output: words.push_output(output_of_write(args)?),
        manifest: words.push_manifest(manifest),
    })
}

/// Parses `kubectl delete` (KC-081, KC-085).
pub(super) fn parse_delete(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let is_interactive = args.bool("interactive", false)?;
    let manifest = match is_interactive && args.value("filename").is_none() {
        true => None,
        false => manifest(args)?,
    };
    if is_interactive && manifest.is_some() {
        let why = "standard input holds the manifest, and cannot answer --interactive";
        return Err(args.error(args.column("interactive"), why));
    }
    let cascade = parse_cascade(args)?;
    let grace_period = args.int("grace-period")?.unwrap_or(-1);
    let (force, now) = (args.bool("force", false)?, args.bool("now", false)?);
    if now && grace_period != -1 {
        return Err(args.error(
            args.column("now"),
            "--now and --grace-period cannot be specified together",
        ));
    }
    let objects = delete_target(args, manifest, words)?;
    if force && (grace_period > 0 || now) {
        return Err(args.error(
            args.column("force"),
            "--force and --grace-period greater than 0 cannot be specified together",
        ));
    }
    let output_name = match args.value("output").as_deref() {
        None | Some("") => false,
        Some("name") => true,
        Some(other) => {
            return Err(args.error(
                args.column("output"),
                format!("unexpected -o output mode: {other}. We only support '-o name'"),
            ));
        }
    };
    Ok(Kubectl::Delete(Delete {
        grace_period: words.push_unless_default("--grace-period", -1, grace_period),
        force: words.push_flag("--force", force),
        now: words.push_flag("--now", now),
        wait: match args.value("wait") {
            Some(_) => words.push_flag_with_equals("--wait", Some(args.bool("wait", true)?)),
            None => None,
        },
        timeout: words.push_duration("--timeout", args.duration("timeout")?),
        cascade: words.push_flag_with_equals("--cascade", cascade),
        ignore_not_found: words.push_flag("--ignore-not-found", args.bool("ignore-not-found", false)?),
        output_name: {
            words.push_flag_value("-o", output_name.then(|| "name".to_owned()));
            output_name
        },
        dry_run: words.push_dry_run(dry_run(args)?),
        // `--interactive` without a here-document: the answer is empty, which does not confirm the deletion.
        answer: words
            .push_flag("--interactive", is_interactive)
            .then(|| words.push_stdin(args.stdin.clone().unwrap_or_default())),
        objects: match objects {
            DeleteTarget::Manifest { text, namespace } => DeleteTarget::Manifest {
                text: words.push_manifest(text),
                namespace,
            },
            target => target,
        },
    }))
}

/// Returns the objects of `kubectl delete`: those that the arguments select, or those of the manifest.
fn delete_target(args: &Args, manifest: Option<String>, words: &mut Words) -> Result<DeleteTarget, CommandError> {
    Ok(match manifest {
        None => DeleteTarget::Target(words.push_target(explicit_target(args, &args.positional)?)),
        Some(_) if !args.positional.is_empty() => {
            return Err(args.error(
                args.end,
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
            ));
        }
        Some(text) => {
            // Deviation: with a manifest, the console refuses all of these flags, although kubectl can select the
            // objects of a manifest by label.
            let flags = ["selector", "field-selector", "all", "all-namespaces"];
            if let Some(flag) = flags.iter().find(|flag| args.value(flag).is_some()) {
                return Err(args.error(
                    args.column(flag),
                    format!(
                        "--{flag} chooses among the objects of the cluster; with -f everything in the text is deleted"
                    ),
                ));
            }
            DeleteTarget::Manifest {
                text,
                namespace: words.push_flag_value("-n", namespace(args)),
            }
        }
    })
}

/// Parses `kubectl scale`.
pub(super) fn parse_scale(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let command = {
        check_required_flags(args, &["replicas"])?;
        let replicas = parse_int32_flag(args, "replicas")?.unwrap_or(-1);
        if replicas < 0 {
            return Err(args.error(
                args.column("replicas"),
                "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
            ));
        }
        Kubectl::Scale {
            target: words.push_target(explicit_target(args, &args.positional)?),
            current_replicas: {
                let current = parse_int32_flag(args, "current-replicas")?;
                if current.is_some_and(|current| current < -1) {
                    let why = "The --current-replicas must specify an integer of -1 or greater";
                    return Err(args.error(args.column("current-replicas"), why));
                }
                words.push_flag_with_equals("--current-replicas", current.filter(|current| *current >= 0))
            },
            resource_version: words.push_flag_with_equals(
                "--resource-version",
                args.value("resource-version").filter(|version| !version.is_empty()),
            ),
            replicas: {
                words.push_flag_with_equals("--replicas", Some(replicas));
                replicas
            },
            dry_run: words.push_dry_run(dry_run(args)?),
            output: words.push_output(output_of_write(args)?),
        }
    };
    Ok(command)
}

/// Parses `kubectl patch`.
pub(super) fn parse_patch(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let command = {
        let file = args.value("patch-file").filter(|path| !path.is_empty());
        let patch = args.value("patch").filter(|patch| !patch.is_empty());
        if let Some(path) = file {
            let why = match patch {
                Some(_) => "cannot specify --patch and --patch-file together".to_owned(),
                None => format!("unable to read patch file: open {path}: no such file or directory"),
            };
            return Err(args.error(args.column("patch-file"), why));
        }
        let patch = patch.ok_or_else(|| {
            args.error(
                args.end,
                "must specify --patch or --patch-file containing the contents of the patch",
            )
        })?;
        let patch_type = match args.value("type").as_deref() {
            None | Some("" | "strategic") => PatchType::Strategic,
            Some("merge") => PatchType::Merge,
            Some("json") => PatchType::Json,
            Some(other) => {
                return Err(args.error(
                    args.column("type"),
                    format!("--type must be one of [json merge strategic], not {other:?}"),
                ));
            }
        };
        let subresource = args.value("subresource").filter(|part| !part.is_empty());
        Kubectl::Patch {
            target: words.push_target(explicit_target(args, &args.positional)?),
            patch_type: {
                words.push_flag("--type=merge", patch_type == PatchType::Merge);
                words.push_flag("--type=json", patch_type == PatchType::Json);
                patch_type
            },
            subresource: words.push_flag_with_equals("--subresource", subresource),
            dry_run: words.push_dry_run(dry_run(args)?),
            output: words.push_output(output_of_write(args)?),
            patch: {
                words.push_flag_value("-p", Some(patch.clone()));
                patch
            },
        }
    };
    Ok(command)
}

/// Parses `--subresource` of `kubectl edit`.
fn edited_subresource(args: &Args) -> Result<Option<String>, CommandError> {
    let subresource = args.value("subresource").filter(|name| !name.is_empty());
    match subresource.as_deref() {
        None | Some("status" | "resize") => Ok(subresource),
        Some(other) => Err(args.error(
            args.column("subresource"),
            format!("invalid subresource value: {other:?}. Must be one of [resize status]"),
        )),
    }
}

/// Error of the edit commands if they have no here-document; the console has no editor.
pub(crate) const EDITED_TEXT_MISSING: &str = "the edited object is missing: write it after the command, <<'EOF' … EOF";

/// Parses `kubectl edit`.
pub(super) fn parse_edit(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    // Check `-o`, the format in which an editor would show the object, and ignore it: the edited text may be YAML or
    // JSON.
    let format = args.value("output").unwrap_or_default();
    if !matches!(format.as_str(), "" | "yaml" | "json") {
        return Err(args.usage_error(args.column("output"), "The flag 'output' must be one of yaml|json"));
    }
    Ok(Kubectl::Edit {
        target: words.push_target(target(args, &args.positional)?),
        subresource: words.push_flag_with_equals("--subresource", edited_subresource(args)?),
        text: match &args.stdin {
            Some(text) if !text.is_empty() => words.push_stdin(text.clone()),
            _ => String::new(),
        },
    })
}

/// Parses `kubectl set image`.
pub(super) fn parse_set_image(args: &Args, words: &mut Words) -> Result<Kubectl, CommandError> {
    let command = {
        let is_change =
            |word: &Word| (word.text.contains('=') && !word.text.starts_with('=')) || word.text.ends_with('-');
        let at = args
            .positional
            .iter()
            .position(is_change)
            .unwrap_or(args.positional.len());
        let (resources, images) = args.positional.split_at(at);
        let target = explicit_target_or_all(args, resources)?;
        let images: Vec<(String, String)> = images.iter().filter_map(|word| split_key_value(&word.text)).collect();
        if images.is_empty() {
            return Err(args.error(args.end, "at least one image update is required"));
        }
        words.push_selection(&target.selection);
        for (container, image) in &images {
            words.push_flag_with_equals(container, Some(image));
        }
        words.push_namespace_and_selectors(&target);
        Kubectl::SetImage {
            target,
            images,
            dry_run: words.push_dry_run(dry_run(args)?),
            output: words.push_output(output_of_write(args)?),
        }
    };
    Ok(command)
}

/// Parses `kubectl rollout status|undo|…`.
pub(super) fn parse_rollout(args: &Args, verb: &str, words: &mut Words) -> Result<Kubectl, CommandError> {
    // Parse the flags first, because kubectl checks them before the objects. Append their words last, because the
    // canonical text begins with the objects.
    let mut flags = Words::default();
    let action = rollout_action(args, verb, &mut flags)?;
    let output = flags.push_output(output_of_write(args)?);
    let target = optional_target(args, &args.positional)?
        .ok_or_else(|| args.error(args.end, "required resource not specified"))?;
    let target = words.push_target(target);
    words.append(flags);
    Ok(Kubectl::Rollout { action, target, output })
}

fn rollout_action(args: &Args, verb: &str, words: &mut Words) -> Result<RolloutAction, CommandError> {
    Ok(match verb.strip_prefix("rollout ").unwrap_or_default() {
        "status" => RolloutAction::Status {
            revision: words.push_unless_default("--revision", 0, positive_revision(args)?),
            watch: !words.push_flag("--watch=false", !args.bool("watch", true)?),
            timeout: words.push_duration("--timeout", args.duration("timeout")?),
        },
        "undo" => RolloutAction::Undo {
            to_revision: words.push_unless_default("--to-revision", 0, args.int("to-revision")?.unwrap_or(0)),
            dry_run: words.push_dry_run(dry_run(args)?),
        },
        "restart" => RolloutAction::Restart,
        "pause" => RolloutAction::Pause,
        "resume" => RolloutAction::Resume,
        _ => RolloutAction::History {
            revision: words.push_unless_default("--revision", 0, positive_revision(args)?),
        },
    })
}

fn positive_revision(args: &Args) -> Result<i64, CommandError> {
    match args.int("revision")?.unwrap_or(0) {
        negative if negative < 0 => {
            let why = format!("revision must be a positive integer: {negative}");
            Err(args.error(args.column("revision"), why))
        }
        revision => Ok(revision),
    }
}
