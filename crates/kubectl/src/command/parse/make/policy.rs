//! Generates the objects of `create priorityclass|poddisruptionbudget|quota`.

use podscope_api::Quantity;

use super::*;
use crate::LabelQuery;

/// Generates the object of `create priorityclass`.
pub(super) fn generate_priority_class(args: &Args) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let mut object = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
        "value": parse_int32_flag(args, "value")?.unwrap_or(0),
        "preemptionPolicy": args.value("preemption-policy").unwrap_or_else(|| "PreemptLowerPriority".to_owned())});
    if args.bool("global-default", false)? {
        object["globalDefault"] = Value::from(true);
    }
    if let Some(text) = args.value("description").filter(|text| !text.is_empty()) {
        object["description"] = Value::from(text);
    }
    Ok(generated_object(object, "priorityclass"))
}

/// Generates the object of `create poddisruptionbudget`.
pub(super) fn generate_budget(args: &Args) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let selector = args.value("selector").filter(|text| !text.is_empty());
    let selector = selector.ok_or_else(|| args.error(args.end, "a selector must be specified"))?;
    let query = LabelQuery::parse(&selector).map_err(|why| {
        let why = format!("couldn't parse the selector string {selector:?}: {why}");
        args.error(args.column("selector"), why)
    })?;
    let bound = |flag: &str| {
        let Some(text) = args.value(flag).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let is_percent = text
            .strip_suffix('%')
            .is_some_and(|number| number.parse::<u32>().is_ok());
        match text.parse::<i32>() {
            Ok(number) if number >= 0 && !text.starts_with(['-', '+']) => Ok(Some(Value::from(number))),
            Err(_) if is_percent => Ok(Some(Value::from(text))),
            _ => Err(args.error(args.column(flag), format!("invalid format specified for {flag}"))),
        }
    };
    let mut spec = json!({"selector": match query.equalities() {
        Some(pairs) => json!({"matchLabels": pairs.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect::<Map<_, _>>()}),
        None => query.to_value(),
    }});
    match (bound("min-available")?, bound("max-unavailable")?) {
        (None, None) => {
            return Err(args.error(args.end, "one of min-available or max-unavailable must be specified"));
        }
        (Some(_), Some(_)) => {
            return Err(args.error(args.end, "min-available and max-unavailable cannot be both specified"));
        }
        (Some(min), None) => spec["minAvailable"] = min,
        (None, Some(max)) => spec["maxUnavailable"] = max,
    }
    let mut generated = generated_object(
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}),
        "poddisruptionbudgets",
    );
    generated.empty_fields = vec![(
        "/status",
        json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0}),
    )];
    Ok(generated)
}

/// Parses amounts of resources: `cpu=1,memory=2Gi`.
pub(in super::super) fn parse_resource_amounts(args: &Args, flag: &str) -> Parsed<Vec<(String, String)>> {
    let column = args.column(flag);
    let mut out = Vec::new();
    for text in args
        .values(flag)
        .iter()
        .flat_map(|list| list.split(','))
        .filter(|text| !text.is_empty())
    {
        let (name, amount) = split_key_value(text)
            .filter(|(_, amount)| !amount.contains('='))
            .ok_or_else(|| {
                args.error(
                    column,
                    format!("Invalid argument syntax {text}, expected <resource>=<value>"),
                )
            })?;
        if amount.parse::<Quantity>().is_err() {
            let why = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
            return Err(args.error(column, why));
        }
        out.push((name, amount));
    }
    Ok(out)
}

/// `create quota`.
pub(super) fn generate_quota(args: &Args) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let hard: Map<String, Value> = parse_resource_amounts(args, "hard")?
        .into_iter()
        .map(|(name, amount)| (name, Value::from(amount)))
        .collect();
    let mut spec = json!({});
    if !hard.is_empty() {
        spec["hard"] = Value::Object(hard);
    }
    if let Some(scopes) = args.value("scopes").filter(|text| !text.is_empty()) {
        spec["scopes"] = json!(scopes.split(',').collect::<Vec<_>>());
    }
    let mut generated = generated_object(
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": spec}),
        "quota",
    );
    generated.empty_fields = vec![("/status", json!({}))];
    Ok(generated)
}
