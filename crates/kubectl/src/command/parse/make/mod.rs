//! `create KIND NAME` and `run`: objects that the words describe wholly, as kubectl's generators make them (KC-097).

mod access;
mod data;
mod network;
mod policy;
mod run;
mod workloads;

use podscope_api::Kind;
use podscope_cluster::Span;
use podscope_cluster::client::ErrorContext;
use serde_json::{Map, Value, json};

pub(super) use self::access::{RESOURCE_VERBS, URL_VERBS, split_all};
use self::access::{role, role_binding};
use self::data::{config_map, secret};
use self::network::{ingress, service};
pub(super) use self::policy::amounts;
use self::policy::{budget, priority_class, quota};
pub(super) use self::run::{overrides, run};
use self::workloads::{cron_job, deployment, job};
use super::super::flags::Args;
use super::super::*;
use super::operands::*;

type Parsed<T> = Result<T, CommandError>;

/// The object of `create WHAT`.
pub(super) fn create(args: &Args, what: &str) -> Parsed<Action> {
    let made = match what {
        "deployment" => deployment(args)?,
        "job" => return job(args),
        "cronjob" => cron_job(args)?,
        "namespace" => simple(args, json!({"apiVersion": "v1", "kind": "Namespace"}), "")?,
        "serviceaccount" => simple(
            args,
            json!({"apiVersion": "v1", "kind": "ServiceAccount"}),
            "serviceaccount",
        )?,
        "configmap" => config_map(args)?,
        "priorityclass" => priority_class(args)?,
        "poddisruptionbudget" => budget(args)?,
        "quota" => quota(args)?,
        "role" | "clusterrole" => role(args, what)?,
        "rolebinding" | "clusterrolebinding" => role_binding(args, what)?,
        "ingress" => ingress(args)?,
        _ => match what.split_once(' ') {
            Some(("secret", kind)) => secret(args, kind)?,
            Some((_, kind)) => service(args, kind)?,
            None => return Err(args.plain(args.end, "must specify one of -f and -k")),
        },
    };
    Ok(Action::Make(made))
}

fn name(args: &Args) -> Parsed<String> {
    match args.positional.as_slice() {
        [name] => Ok(name.text.clone()),
        other => Err(args.usage(args.end, format!("exactly one NAME is required, got {}", other.len()))),
    }
}

fn made(object: Value, kind: &str) -> Made {
    let context = match kind {
        "" => ErrorContext::None,
        kind => ErrorContext::Own(format!("failed to create {kind}: ")),
    };
    Made {
        objects: vec![object],
        context,
        word: "created",
        ..Made::default()
    }
}

fn simple(args: &Args, mut object: Value, kind: &str) -> Parsed<Made> {
    object["metadata"] = json!({"name": name(args)?});
    let mut made = made(object, kind);
    if kind.is_empty() {
        made.empties = vec![("/spec", json!({})), ("/status", json!({}))];
    }
    Ok(made)
}

/// `a=b,c=d` of a flag that may come several times.
pub(super) fn pairs(args: &Args, flag: &str, noun: &str) -> Parsed<Map<String, Value>> {
    let mut out = Map::new();
    for text in split_all(args, flag) {
        let wrong = || args.plain(args.column(flag), format!("unexpected {noun} spec: {text}"));
        let (key, value) = pair(&text).filter(|(key, _)| !key.is_empty()).ok_or_else(wrong)?;
        out.insert(key, Value::from(value));
    }
    Ok(out)
}

/// How long `wait` waits if nothing is said.
pub(super) const WAIT_DEFAULT: Span = Span::seconds(30);
