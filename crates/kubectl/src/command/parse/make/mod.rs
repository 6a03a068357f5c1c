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

pub(super) use self::access::{RESOURCE_VERBS, URL_VERBS, comma_separated_values};
use self::access::{generate_role, generate_role_binding};
use self::data::{generate_config_map, generate_secret};
use self::network::{generate_ingress, generate_service};
pub(super) use self::policy::parse_resource_amounts;
use self::policy::{generate_budget, generate_priority_class, generate_quota};
pub(super) use self::run::{parse_overrides, run};
use self::workloads::{generate_cron_job, generate_deployment, generate_job};
use super::super::flags::Args;
use super::super::*;
use super::operands::*;

type Parsed<T> = Result<T, CommandError>;

/// Generates the object of `create KIND`.
pub(super) fn create(args: &Args, kind_name: &str) -> Parsed<Action> {
    let generated = match kind_name {
        "deployment" => generate_deployment(args)?,
        "job" => return generate_job(args),
        "cronjob" => generate_cron_job(args)?,
        "namespace" => generate_named_object(args, json!({"apiVersion": "v1", "kind": "Namespace"}), "")?,
        "serviceaccount" => generate_named_object(
            args,
            json!({"apiVersion": "v1", "kind": "ServiceAccount"}),
            "serviceaccount",
        )?,
        "configmap" => generate_config_map(args)?,
        "priorityclass" => generate_priority_class(args)?,
        "poddisruptionbudget" => generate_budget(args)?,
        "quota" => generate_quota(args)?,
        "role" | "clusterrole" => generate_role(args, kind_name)?,
        "rolebinding" | "clusterrolebinding" => generate_role_binding(args, kind_name)?,
        "ingress" => generate_ingress(args)?,
        _ => match kind_name.split_once(' ') {
            Some(("secret", kind)) => generate_secret(args, kind)?,
            Some((_, kind)) => generate_service(args, kind)?,
            None => return Err(args.error(args.end, "must specify one of -f and -k")),
        },
    };
    Ok(Action::Create(generated))
}

/// Returns the name of the object, which is the only positional argument.
fn object_name_argument(args: &Args) -> Parsed<String> {
    match args.positional.as_slice() {
        [name] => Ok(name.text.clone()),
        other => Err(args.usage_error(args.end, format!("exactly one NAME is required, got {}", other.len()))),
    }
}

/// Wraps a generated object. Errors of the server are printed after `failed to create KIND: `, or without this prefix
/// if `kind` is empty.
fn generated_object(object: Value, kind: &str) -> GeneratedObjects {
    let context = match kind {
        "" => ErrorContext::None,
        kind => ErrorContext::Own(format!("failed to create {kind}: ")),
    };
    GeneratedObjects {
        objects: vec![object],
        context,
        done: "created",
        ..GeneratedObjects::default()
    }
}

/// Adds the name to an object that needs no other fields.
fn generate_named_object(args: &Args, mut object: Value, kind: &str) -> Parsed<GeneratedObjects> {
    object["metadata"] = json!({"name": object_name_argument(args)?});
    let mut generated = generated_object(object, kind);
    if kind.is_empty() {
        generated.empty_fields = vec![("/spec", json!({})), ("/status", json!({}))];
    }
    Ok(generated)
}

/// Parses a flag with values like `a=b,c=d`, which may be repeated.
pub(super) fn parse_flag_pairs(args: &Args, flag: &str, noun: &str) -> Parsed<Map<String, Value>> {
    let mut out = Map::new();
    for text in comma_separated_values(args, flag) {
        let spec_error = || args.error(args.column(flag), format!("unexpected {noun} spec: {text}"));
        let (key, value) = split_key_value(&text)
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(spec_error)?;
        out.insert(key, Value::from(value));
    }
    Ok(out)
}

/// Default timeout of `wait`.
pub(super) const DEFAULT_WAIT_TIMEOUT: Span = Span::seconds(30);
