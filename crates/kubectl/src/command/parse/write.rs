//! Verbs that write objects and are printed back in one form: `apply`, `create -f -`, `delete`, `scale`, `patch`,
//! `edit`, `set image`, `rollout`. `create KIND`, `run` and others that keep their words are in `verbatim.rs`.

use podscope_api::Kind;

use super::super::flags::Args;
use super::super::shell::Word;
use super::super::*;
use super::operands::*;

/// `kubectl apply`.
pub(super) fn apply(args: &Args) -> Result<Kubectl, CommandError> {
    no_kustomization(args)?;
    if !args.positional.is_empty() {
        return Err(args.usage(args.end, unexpected(args)));
    }
    let selector = selector(args);
    let all = args.bool("all", false)?;
    let prune = args.bool("prune", false)?;
    if all && selector.is_some() {
        return Err(args.plain(args.column("all"), "cannot set --all and --selector at the same time"));
    }
    if prune && selector.is_none() && !all {
        return Err(args.plain(
            args.column("prune"),
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        ));
    }
    let dry_run = dry_run(args)?;
    let force = args.bool("force", false)?;
    Ok(Kubectl::Apply(Apply {
        server_side: server_side(args, force, dry_run)?,
        manifest: manifest(args)?.ok_or_else(|| args.plain(args.end, "must specify one of -f and -k"))?,
        namespace: namespace(args),
        force,
        selector,
        prune,
        prune_allowlist: prune_allowlist(args)?,
        validation: validation(args)?,
        dry_run,
        output: output_of_write(args)?,
    }))
}

/// `--prune-allowlist`: kinds as `GROUP/VERSION/KIND`, the first group as `core`.
fn prune_allowlist(args: &Args) -> Result<Vec<Kind>, CommandError> {
    let column = args.column("prune-allowlist");
    let texts = args.values("prune-allowlist");
    let one = |text: &str| {
        let parts: Vec<&str> = text.split('/').collect();
        let [group, version, kind] = parts.as_slice() else {
            let why = format!("invalid GroupVersionKind format: {text}, please follow <group/version/kind>");
            return Err(args.plain(column, why));
        };
        let api_version = match *group {
            "core" | "" => (*version).to_owned(),
            group => format!("{group}/{version}"),
        };
        let unserved = || args.plain(column, podscope_api::no_matches(&api_version, kind));
        Kind::from_wire(&api_version, kind).ok_or_else(unserved)
    };
    texts.iter().flat_map(|list| list.split(',')).map(one).collect()
}

/// `--server-side`, and what it does not go with.
fn server_side(args: &Args, force: bool, dry_run: DryRun) -> Result<Option<ServerSide>, CommandError> {
    let force_conflicts = args.bool("force-conflicts", false)?;
    let is_on_server = args.bool("server-side", false)?;
    let refuse = |flag: &str, why: &str| Err(args.plain(args.column(flag), why));
    if force_conflicts && !is_on_server {
        return refuse("force-conflicts", "--force-conflicts only works with --server-side");
    }
    if is_on_server && dry_run.is_of_client() {
        let why = "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)";
        return refuse("dry-run", why);
    }
    if is_on_server && force {
        return refuse("force", "--force cannot be used with --server-side");
    }
    if force && dry_run == DryRun::Server {
        return refuse("force", "--dry-run=server cannot be used with --force");
    }
    let manager = args.value("field-manager").filter(|name| !name.is_empty());
    Ok(is_on_server.then(|| ServerSide {
        manager: manager.unwrap_or_else(|| FIELD_MANAGER.to_owned()),
        force_conflicts,
    }))
}

/// `--validate`.
pub(super) fn validation(args: &Args) -> Result<Validation, CommandError> {
    match args.value("validate").as_deref() {
        None | Some("strict" | "true") => Ok(Validation::Strict),
        Some("warn") => Ok(Validation::Warn),
        Some("ignore" | "false") => Ok(Validation::Ignore),
        Some(other) => Err(args.plain(
            args.column("validate"),
            format!("invalid - validate option {other:?}; must be one of: strict (or true), warn, ignore (or false)"),
        )),
    }
}

/// `Unexpected args: [foo x]`.
fn unexpected(args: &Args) -> String {
    let words = args.words();
    format!("Unexpected args: [{}]", words.join(" "))
}

/// `kubectl create -f -`.
pub(super) fn create(args: &Args) -> Result<Kubectl, CommandError> {
    if !args.positional.is_empty() {
        return Err(args.usage(args.end, unexpected(args)));
    }
    Ok(Kubectl::Create {
        manifest: manifest(args)?.ok_or_else(|| args.plain(args.end, "must specify one of -f and -k"))?,
        namespace: namespace(args),
        validation: validation(args)?,
        save_config: args.bool("save-config", false)?,
        dry_run: dry_run(args)?,
        output: output_of_write(args)?,
    })
}

/// `kubectl delete` (KC-081, KC-085).
pub(super) fn delete(args: &Args) -> Result<Kubectl, CommandError> {
    let is_asked = args.bool("interactive", false)?;
    let manifest = match is_asked && args.value("filename").is_none() {
        true => None,
        false => manifest(args)?,
    };
    if is_asked && manifest.is_some() {
        let why = "standard input holds the manifest, and cannot answer --interactive";
        return Err(args.plain(args.column("interactive"), why));
    }
    let cascade = cascade(args)?;
    let grace_period = args.int("grace-period")?.unwrap_or(-1);
    let (force, now) = (args.bool("force", false)?, args.bool("now", false)?);
    if now && grace_period != -1 {
        return Err(args.plain(
            args.column("now"),
            "--now and --grace-period cannot be specified together",
        ));
    }
    let what = match manifest {
        None => DeleteTarget::Target(chosen(args, &args.positional)?),
        Some(_) if !args.positional.is_empty() => {
            return Err(args.plain(
                args.end,
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
            ));
        }
        Some(text) => {
            // Deviation: kubectl chooses among the objects of the text by their labels.
            let flags = ["selector", "field-selector", "all", "all-namespaces"];
            if let Some(flag) = flags.iter().find(|flag| args.value(flag).is_some()) {
                return Err(args.plain(
                    args.column(flag),
                    format!(
                        "--{flag} chooses among the objects of the cluster; with -f everything in the text is deleted"
                    ),
                ));
            }
            DeleteTarget::Manifest {
                text,
                namespace: namespace(args),
            }
        }
    };
    if force && (grace_period > 0 || now) {
        return Err(args.plain(
            args.column("force"),
            "--force and --grace-period greater than 0 cannot be specified together",
        ));
    }
    let output_name = match args.value("output").as_deref() {
        None | Some("") => false,
        Some("name") => true,
        Some(other) => {
            return Err(args.plain(
                args.column("output"),
                format!("unexpected -o output mode: {other}. We only support '-o name'"),
            ));
        }
    };
    Ok(Kubectl::Delete(Delete {
        what,
        grace_period,
        force,
        now,
        wait: if args.value("wait").is_some() {
            Some(args.bool("wait", true)?)
        } else {
            None
        },
        timeout: args.duration("timeout")?,
        cascade,
        ignore_not_found: args.bool("ignore-not-found", false)?,
        output_name,
        // Who is asked and says nothing has not said yes.
        answer: is_asked.then(|| args.stdin.clone().unwrap_or_default()),
        dry_run: dry_run(args)?,
    }))
}

/// `kubectl scale`.
pub(super) fn scale(args: &Args) -> Result<Kubectl, CommandError> {
    let command = {
        required(args, &["replicas"])?;
        let replicas = small(args, "replicas")?.unwrap_or(-1);
        if replicas < 0 {
            return Err(args.plain(
                args.column("replicas"),
                "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
            ));
        }
        Kubectl::Scale {
            target: chosen(args, &args.positional)?,
            replicas,
            current_replicas: {
                let current = small(args, "current-replicas")?;
                if current.is_some_and(|current| current < -1) {
                    let why = "The --current-replicas must specify an integer of -1 or greater";
                    return Err(args.plain(args.column("current-replicas"), why));
                }
                current.filter(|current| *current >= 0)
            },
            resource_version: args.value("resource-version").filter(|version| !version.is_empty()),
            dry_run: dry_run(args)?,
            output: output_of_write(args)?,
        }
    };
    Ok(command)
}

/// `kubectl patch`.
pub(super) fn patch(args: &Args) -> Result<Kubectl, CommandError> {
    let command = {
        let file = args.value("patch-file").filter(|path| !path.is_empty());
        let patch = args.value("patch").filter(|patch| !patch.is_empty());
        if let Some(path) = file {
            let why = match patch {
                Some(_) => "cannot specify --patch and --patch-file together".to_owned(),
                None => format!("unable to read patch file: open {path}: no such file or directory"),
            };
            return Err(args.plain(args.column("patch-file"), why));
        }
        let patch = patch.ok_or_else(|| {
            args.plain(
                args.end,
                "must specify --patch or --patch-file containing the contents of the patch",
            )
        })?;
        let patch_type = match args.value("type").as_deref() {
            None | Some("" | "strategic") => PatchType::Strategic,
            Some("merge") => PatchType::Merge,
            Some("json") => PatchType::Json,
            Some(other) => {
                return Err(args.plain(
                    args.column("type"),
                    format!("--type must be one of [json merge strategic], not {other:?}"),
                ));
            }
        };
        let subresource = args.value("subresource").filter(|part| !part.is_empty());
        Kubectl::Patch {
            target: chosen(args, &args.positional)?,
            patch_type,
            patch,
            subresource,
            dry_run: dry_run(args)?,
            output: output_of_write(args)?,
        }
    };
    Ok(command)
}

/// The subresource that `kubectl edit` knows beside the object itself.
fn edited_part(args: &Args) -> Result<Option<String>, CommandError> {
    let part = args.value("subresource").filter(|part| !part.is_empty());
    match part.as_deref() {
        None | Some("status" | "resize") => Ok(part),
        Some(other) => Err(args.plain(
            args.column("subresource"),
            format!("invalid subresource value: {other:?}. Must be one of [resize status]"),
        )),
    }
}

/// There is no editor.
pub(super) const NO_EDIT: &str = "the edited object is missing: write it after the command, <<'EOF' … EOF";

/// `kubectl edit`.
pub(super) fn edit(args: &Args) -> Result<Kubectl, CommandError> {
    // In what form the editor shows it; both are read.
    let form = args.value("output").unwrap_or_default();
    if !matches!(form.as_str(), "" | "yaml" | "json") {
        return Err(args.usage(args.column("output"), "The flag 'output' must be one of yaml|json"));
    }
    Ok(Kubectl::Edit {
        target: target(args, &args.positional)?,
        text: args.stdin.clone().ok_or_else(|| args.plain(args.end, NO_EDIT))?,
        subresource: edited_part(args)?,
    })
}

/// `kubectl set image`.
pub(super) fn set_image(args: &Args) -> Result<Kubectl, CommandError> {
    let command = {
        let is_change =
            |word: &Word| (word.text.contains('=') && !word.text.starts_with('=')) || word.text.ends_with('-');
        let at = args
            .positional
            .iter()
            .position(is_change)
            .unwrap_or(args.positional.len());
        let (what, images) = args.positional.split_at(at);
        let target = chosen_or_all(args, what)?;
        let images: Vec<(String, String)> = images.iter().filter_map(|word| pair(&word.text)).collect();
        if images.is_empty() {
            return Err(args.plain(args.end, "at least one image update is required"));
        }
        Kubectl::SetImage {
            target,
            images,
            dry_run: dry_run(args)?,
            output: output_of_write(args)?,
        }
    };
    Ok(command)
}

/// `kubectl rollout STATUS|UNDO|…`.
pub(super) fn rollout(args: &Args, rollout: &str) -> Result<Kubectl, CommandError> {
    Ok(Kubectl::Rollout {
        action: match rollout.strip_prefix("rollout ").unwrap_or_default() {
            "status" => RolloutAction::Status {
                revision: positive_revision(args)?,
                watch: args.bool("watch", true)?,
                timeout: args.duration("timeout")?,
            },
            "undo" => RolloutAction::Undo {
                to_revision: args.int("to-revision")?.unwrap_or(0),
                dry_run: dry_run(args)?,
            },
            "restart" => RolloutAction::Restart,
            "pause" => RolloutAction::Pause,
            "resume" => RolloutAction::Resume,
            _ => RolloutAction::History {
                revision: positive_revision(args)?,
            },
        },
        output: output_of_write(args)?,
        target: some_target(args, &args.positional)?
            .ok_or_else(|| args.plain(args.end, "required resource not specified"))?,
    })
}

fn positive_revision(args: &Args) -> Result<i64, CommandError> {
    match args.int("revision")?.unwrap_or(0) {
        negative if negative < 0 => {
            let why = format!("revision must be a positive integer: {negative}");
            Err(args.plain(args.column("revision"), why))
        }
        revision => Ok(revision),
    }
}
