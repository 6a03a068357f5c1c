//! Verbs that write objects: `apply`, `create`, `run`, `delete`, `scale`,
//! `patch`, `edit`, `set image`, `rollout`.

use super::super::flags::Args;
use super::super::*;
use super::words::*;

/// `kubectl apply`.
pub(super) fn apply(args: &Args) -> Result<Kubectl, CommandError> {
    let namespace = namespace(args);
    Ok(Kubectl::Apply {
        manifest: manifest(args)?.ok_or_else(|| args.plain(args.end, "must specify one of -f and -k"))?,
        namespace,
        dry_run: dry_run(args)?,
    })
}

/// `kubectl create`.
pub(super) fn create(args: &Args) -> Result<Kubectl, CommandError> {
    let namespace = namespace(args);
    Ok(Kubectl::Create {
        what: what_to_create(args)?,
        namespace,
        dry_run: dry_run(args)?,
        output: output_of_write(args)?,
    })
}

/// What `create` was asked for.
fn what_to_create(args: &Args) -> Result<CreateWhat, CommandError> {
    if let Some(text) = manifest(args)? {
        return Ok(CreateWhat::Manifest(text));
    }
    let Some((what, rest)) = args.positional.split_first() else {
        return Err(args.plain(args.end, "must specify one of -f and -k"));
    };
    let name = || match rest {
        [name] => Ok(name.text.clone()),
        _ => Err(args.usage(args.end, format!("exactly one NAME is required, got {}", rest.len()))),
    };
    Ok(match what.text.as_str() {
        "deployment" | "deploy" => {
            required(args, &["image"])?;
            CreateWhat::Deployment {
                name: name()?,
                images: args.values("image"),
                replicas: small(args, "replicas")?.unwrap_or(1),
            }
        }
        "namespace" | "ns" => CreateWhat::Namespace(name()?),
        "job" => {
            required(args, &["image"])?;
            CreateWhat::Job {
                name: name()?,
                image: args.value("image").unwrap_or_default(),
            }
        }
        "configmap" | "cm" => {
            let mut literals = Vec::new();
            for literal in args.values("from-literal") {
                literals.push(pair(&literal).ok_or_else(|| {
                    args.plain(
                        args.column("from-literal"),
                        format!("invalid literal source {literal}, expected key=value"),
                    )
                })?);
            }
            CreateWhat::ConfigMap {
                name: name()?,
                literals,
            }
        }
        "priorityclass" | "pc" => CreateWhat::PriorityClass {
            name: name()?,
            value: small(args, "value")?.unwrap_or(0),
            global_default: args.bool("global-default", false)?,
            preemption_policy: args.value("preemption-policy"),
            description: args.value("description").unwrap_or_default(),
        },
        "poddisruptionbudget" | "pdb" => {
            let selector = args
                .value("selector")
                .ok_or_else(|| args.plain(args.end, "a selector must be specified"))?;
            let (min_available, max_unavailable) = (args.value("min-available"), args.value("max-unavailable"));
            match (&min_available, &max_unavailable) {
                (None, None) => {
                    return Err(args.plain(args.end, "one of min-available or max-unavailable must be specified"));
                }
                (Some(_), Some(_)) => {
                    return Err(args.plain(args.end, "min-available and max-unavailable cannot be both specified"));
                }
                _ => {}
            }
            CreateWhat::PodDisruptionBudget {
                name: name()?,
                selector,
                min_available,
                max_unavailable,
            }
        }
        other => {
            return Err(args.usage(
                what.column,
                format!("cannot create {other:?} by name: use deployment, namespace, job, configmap, priorityclass, poddisruptionbudget, or -f -"),
            ));
        }
    })
}

/// `kubectl run`.
pub(super) fn run(args: &Args) -> Result<Kubectl, CommandError> {
    let namespace = namespace(args);
    let command = {
        let [name] = args.positional.as_slice() else {
            return Err(args.usage(args.end, "NAME is required for run"));
        };
        let image = args
            .value("image")
            .ok_or_else(|| args.plain(args.end, "required flag(s) \"image\" not set"))?;
        let restart = args.value("restart");
        if !matches!(restart.as_deref(), None | Some("Always" | "OnFailure" | "Never")) {
            return Err(args.plain(
                args.column("restart"),
                format!("invalid restart policy: {}", restart.unwrap_or_default()),
            ));
        }
        Kubectl::Create {
            what: CreateWhat::Run {
                name: name.text.clone(),
                image,
                restart,
                labels: args
                    .values("labels")
                    .iter()
                    .flat_map(|list| list.split(','))
                    .filter_map(pair)
                    .collect(),
            },
            namespace,
            dry_run: dry_run(args)?,
            output: output_of_write(args)?,
        }
    };
    Ok(command)
}

/// `kubectl delete` (KC-081, KC-085).
pub(super) fn delete(args: &Args) -> Result<Kubectl, CommandError> {
    let what = match manifest(args)? {
        None => Doomed::Target(chosen(args, &args.positional)?),
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
            Doomed::Manifest {
                text,
                namespace: namespace(args),
            }
        }
    };
    let grace_period = args.int("grace-period")?.unwrap_or(-1);
    let (force, now) = (args.bool("force", false)?, args.bool("now", false)?);
    if force && grace_period > 0 {
        return Err(args.plain(
            args.column("force"),
            "--force and --grace-period greater than 0 cannot be specified together",
        ));
    }
    if now && grace_period != -1 {
        return Err(args.plain(
            args.column("now"),
            "--now and --grace-period cannot be specified together",
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
    let cascade = args.value("cascade");
    if !matches!(cascade.as_deref(), None | Some("background" | "foreground" | "orphan")) {
        return Err(args.plain(
            args.column("cascade"),
            format!(
                "invalid cascade value ({}). Must be \"background\", \"foreground\", or \"orphan\"",
                cascade.unwrap_or_default()
            ),
        ));
    }
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
        cascade: cascade.filter(|cascade| cascade != "background"),
        ignore_not_found: args.bool("ignore-not-found", false)?,
        output_name,
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
            current_replicas: small(args, "current-replicas")?.filter(|current| *current >= 0),
            dry_run: dry_run(args)?,
        }
    };
    Ok(command)
}

/// `kubectl patch`.
pub(super) fn patch(args: &Args) -> Result<Kubectl, CommandError> {
    let command = {
        let target = chosen(args, &args.positional)?;
        let patch = args.value("patch").filter(|patch| !patch.is_empty()).ok_or_else(|| {
            args.plain(
                args.end,
                "must specify --patch or --patch-file containing the contents of the patch",
            )
        })?;
        let patch_type = match args.value("type").as_deref() {
            None | Some("strategic") => PatchType::Strategic,
            Some("merge") => PatchType::Merge,
            Some("json") => PatchType::Json,
            Some(other) => {
                return Err(args.plain(
                    args.column("type"),
                    format!("--type must be one of [json merge strategic], not {other:?}"),
                ));
            }
        };
        let subresource = args.value("subresource");
        if !matches!(subresource.as_deref(), None | Some("status" | "scale")) {
            return Err(args.plain(
                args.column("subresource"),
                format!(
                    "invalid subresource value: {:?}. Must be one of [status scale resize]",
                    subresource.unwrap_or_default()
                ),
            ));
        }
        Kubectl::Patch {
            target,
            patch_type,
            patch,
            subresource,
            dry_run: dry_run(args)?,
        }
    };
    Ok(command)
}

/// `kubectl edit`.
pub(super) fn edit(args: &Args) -> Result<Kubectl, CommandError> {
    Ok(Kubectl::Edit {
        target: target(args, &args.positional)?,
        text: args.stdin.clone().ok_or_else(|| {
            args.plain(
                args.end,
                "the edited object is missing: write it after the command, <<'EOF' … EOF",
            )
        })?,
    })
}

/// `kubectl set image`.
pub(super) fn set_image(args: &Args) -> Result<Kubectl, CommandError> {
    let command = {
        let at = changes_from(&args.positional);
        let (what, images) = args.positional.split_at(at.min(args.positional.len()));
        let target = chosen(args, what)?;
        let images: Vec<(String, String)> = images.iter().filter_map(|word| pair(&word.text)).collect();
        if images.is_empty() {
            return Err(args.plain(args.end, "at least one image update is required"));
        }
        Kubectl::SetImage {
            target,
            images,
            dry_run: dry_run(args)?,
        }
    };
    Ok(command)
}

/// `kubectl rollout STATUS|UNDO|…`.
pub(super) fn rollout(args: &Args, rollout: &str) -> Result<Kubectl, CommandError> {
    Ok(Kubectl::Rollout {
        action: match rollout.strip_prefix("rollout ").unwrap_or_default() {
            "status" => RolloutAction::Status {
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
                revision: args.int("revision")?.unwrap_or(0),
            },
        },
        target: some_target(args, &args.positional)?
            .ok_or_else(|| args.plain(args.end, "required resource not specified"))?,
    })
}
