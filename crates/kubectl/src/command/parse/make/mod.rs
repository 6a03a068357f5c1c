//! `create KIND NAME` and `run`: generates objects from flags like kubectl's generators (KC-097).

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

/// Generates the object of `create KIND`.
pub(super) fn create(args: &Args, kind_name: &str) -> Parsed<Action> {
    let generated = match kind_name {
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
        "role" | "clusterrole" => role(args, kind_name)?,
        "rolebinding" | "clusterrolebinding" => role_binding(args, kind_name)?,
        "ingress" => ingress(args)?,
        _ => match kind_name.split_once(' ') {
            Some(("secret", kind)) => secret(args, kind)?,
            Some((_, kind)) => service(args, kind)?,
            None => return Err(args.plain(args.end, "must specify one of -f and -k")),
        },
    };
    Ok(Action::Create(generated))
}

/// Returns the name of the object, which is the only positional argument.
fn name(args: &Args) -> Parsed<String> {
    match args.positional.as_slice() {
        [name] => Ok(name.text.clone()),
        other => Err(args.usage(args.end, format!("exactly one NAME is required, got {}", other.len()))),
    }
}

/// Wraps a generated object. Errors of the server are printed after `failed to create KIND: `, or without this prefix
/// if `kind` is empty.
fn generated(object: Value, kind: &str) -> Generated {
    let context = match kind {
        "" => ErrorContext::None,
        kind => ErrorContext::Own(format!("failed to create {kind}: ")),
    };
    Generated {
        objects: vec![object],
        context,
        done: "created",
        ..Generated::default()
    }
}

/// Generates an object that has only a name.
fn simple(args: &Args, mut object: Value, kind: &str) -> Parsed<Generated> {
    object["metadata"] = json!({"name": name(args)?});
    let mut generated = generated(object, kind);
    if kind.is_empty() {
        generated.empty_fields = vec![("/spec", json!({})), ("/status", json!({}))];
    }
    Ok(generated)
}

/// Parses a flag with values like `a=b,c=d`, which may be repeated.
pub(super) fn pairs(args: &Args, flag: &str, noun: &str) -> Parsed<Map<String, Value>> {
    let mut out = Map::new();
    for text in split_all(args, flag) {
        let spec_error = || args.plain(args.column(flag), format!("unexpected {noun} spec: {text}"));
        let (key, value) = pair(&text).filter(|(key, _)| !key.is_empty()).ok_or_else(spec_error)?;
        out.insert(key, Value::from(value));
    }
    Ok(out)
}

/// Default timeout of `wait`.
pub(super) const WAIT_DEFAULT: Span = Span::seconds(30);
