//! Generates the objects of `create role|clusterrole|rolebinding|clusterrolebinding`.

use podscope_api::ordered::StableSort as _;

use super::*;

/// Verbs that kubectl accepts for resources.
pub(in super::super) const RESOURCE_VERBS: &[&str] = &[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
    "*",
    "approve",
    "sign",
    "attest",
    "proxy",
];

/// Verbs that kubectl accepts for non-resource URLs.
pub(in super::super) const URL_VERBS: &[&str] = &["get", "post", "put", "head", "options", "delete", "patch", "*"];

/// Returns all values of a flag that takes comma-separated lists and may be repeated.
pub(in super::super) fn comma_separated_values(args: &Args, flag: &str) -> Vec<String> {
    let all = args.values(flag);
    all.iter()
        .flat_map(|list| list.split(','))
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns one rule per API group of the resources.
fn resource_rules(args: &Args, resources: &[String], verbs: &[String]) -> Parsed<Vec<Value>> {
    let mut rules: Vec<Value> = Vec::new();
    for resource in resources {
        let (resource, subresource) = resource
            .split_once('/')
            .map_or((resource.as_str(), None), |(resource, subresource)| {
                (resource, Some(subresource))
            });
        let (group, plural) = match resource {
            "*" => ("", "*"),
            // `*.GROUP` stands for all resources of the group.
            resource if resource.starts_with("*.") => (resource.trim_start_matches("*."), "*"),
            resource => {
                // The server reports an unknown resource type, so kubectl prints this error without `error: `.
                let unknown = || args.unknown_type_error(args.column("resource"), no_such_type_message(resource));
                let kind = args.kind_named(resource).ok_or_else(unknown)?;
                (kind.group(), kind.plural())
            }
        };
        let plural = subresource.map_or_else(|| plural.to_owned(), |subresource| format!("{plural}/{subresource}"));
        match rules.iter_mut().find(|rule| rule["apiGroups"] == json!([group])) {
            Some(rule) => {
                if let Some(list) = rule["resources"].as_array_mut() {
                    list.push(Value::from(plural));
                }
            }
            None => {
                let mut rule = json!({"apiGroups": [group], "resources": [plural], "verbs": verbs});
                let names = comma_separated_values(args, "resource-name");
                if !names.is_empty() {
                    rule["resourceNames"] = json!(names);
                }
                rules.push(rule);
            }
        }
    }
    // kubectl groups the resources in a map, which it prints sorted.
    rules.stable_sort_by(|a, b| a["apiGroups"].to_string().cmp(&b["apiGroups"].to_string()));
    Ok(rules)
}

/// Generates the object of `create role` or `create clusterrole`.
pub(super) fn generate_role(args: &Args, kind_name: &str) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let verbs = comma_separated_values(args, "verb");
    let rule_flags = ["verb", "resource", "resource-name", "non-resource-url"];
    if args.value("aggregation-rule").is_some() && rule_flags.iter().any(|flag| args.value(flag).is_some()) {
        let why = "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames";
        return Err(args.error(args.column("aggregation-rule"), why));
    }
    if verbs.is_empty() && args.value("aggregation-rule").is_none() {
        return Err(args.error(args.end, "at least one verb must be specified"));
    }
    let (resources, urls) = (
        comma_separated_values(args, "resource"),
        comma_separated_values(args, "non-resource-url"),
    );
    let aggregated = parse_flag_pairs(args, "aggregation-rule", "aggregation-rule")?;
    if !aggregated.is_empty() {
        return Ok(generated_object(
            json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": aggregated}]},
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": null}),
            "",
        ));
    }
    if resources.is_empty() && urls.is_empty() {
        return Err(args.error(
            args.end,
            match kind_name {
                "role" => "at least one resource must be specified",
                _ => "one of resource or nonResourceURL must be specified",
            },
        ));
    }
    let mut rules = resource_rules(args, &resources, &verbs)?;
    if urls.iter().any(|url| *url != "*" && !url.starts_with('/')) {
        return Err(args.error(args.column("non-resource-url"), "nonResourceURL should start with /"));
    }
    if let Some(verb) = verbs
        .iter()
        .find(|verb| !urls.is_empty() && !URL_VERBS.contains(&verb.as_str()))
    {
        let why = format!("invalid verb: '{verb}' for nonResourceURL");
        return Err(args.error(args.column("verb"), why));
    }
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    let kind = if kind_name == "role" { "Role" } else { "ClusterRole" };
    let mut generated = generated_object(
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": rules}),
        "",
    );
    let non_standard = verbs.iter().filter(|verb| !RESOURCE_VERBS.contains(&verb.as_str()));
    generated.warnings = non_standard
        .map(|verb| format!("'{verb}' is not a standard resource verb"))
        .collect();
    Ok(generated)
}

/// Generates the object of `create rolebinding` or `create clusterrolebinding`.
pub(super) fn generate_role_binding(args: &Args, kind_name: &str) -> Parsed<GeneratedObjects> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let name = object_name_argument(args)?;
    let (role, cluster_role) = (args.value("role"), args.value("clusterrole"));
    let role_ref = match (role, cluster_role) {
        (Some(role), None) if kind_name == "rolebinding" => json!({"apiGroup": GROUP, "kind": "Role", "name": role}),
        (None, Some(role)) => json!({"apiGroup": GROUP, "kind": "ClusterRole", "name": role}),
        _ if kind_name == "rolebinding" => {
            return Err(args.error(args.end, "exactly one of clusterrole or role must be specified"));
        }
        _ => return check_required_flags(args, &["clusterrole"]).map(|()| GeneratedObjects::default()),
    };
    let mut subjects: Vec<Value> = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        subjects.extend(
            comma_separated_values(args, flag)
                .iter()
                .map(|name| json!({"apiGroup": GROUP, "kind": kind, "name": name})),
        );
    }
    for account in comma_separated_values(args, "serviceaccount") {
        let Some((namespace, name)) = account.split_once(':').filter(|(a, b)| !a.is_empty() && !b.is_empty()) else {
            return Err(args.error(
                args.column("serviceaccount"),
                "serviceaccount must be <namespace>:<name>",
            ));
        };
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    let kind = if kind_name == "rolebinding" {
        "RoleBinding"
    } else {
        "ClusterRoleBinding"
    };
    let mut object =
        json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": name}, "roleRef": role_ref});
    if !subjects.is_empty() {
        object["subjects"] = Value::Array(subjects);
    }
    Ok(generated_object(object, kind_name))
}
