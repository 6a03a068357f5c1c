//! `create KIND NAME` and `run`: objects that the words describe wholly, as kubectl's generators make them (KC-097).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use podscope_api::{Kind, Quantity};
use podscope_cluster::Span;
use serde_json::{Map, Value, json};

use super::super::flags::Args;
use super::super::*;
use super::words::*;
use crate::LabelQuery;

type Parsed<T> = Result<T, CommandError>;

/// The object of `create WHAT`.
pub(super) fn create(args: &Args, what: &str) -> Parsed<Deed> {
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
    Ok(Deed::Make(made))
}

fn name(args: &Args) -> Parsed<String> {
    match args.positional.as_slice() {
        [name] => Ok(name.text.clone()),
        other => Err(args.usage(args.end, format!("exactly one NAME is required, got {}", other.len()))),
    }
}

fn made(object: Value, kind: &str) -> Made {
    let context = match kind {
        "" => String::new(),
        kind => format!("error: failed to create {kind}: "),
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

/// The image's name without registry, tag and digest, as kubectl names the container.
fn container_of(image: &str) -> String {
    let name = image.rsplit('/').next().unwrap_or(image);
    let name = name.split(['@', ':']).next().unwrap_or(name);
    name.to_ascii_lowercase()
        .chars()
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

fn deployment(args: &Args) -> Parsed<Made> {
    required(args, &["image"])?;
    let (name, images) = (name(args)?, args.values("image"));
    let images: Vec<&str> = images.iter().flat_map(|list| list.split(',')).collect();
    let command = args.handed_on.clone().unwrap_or_default();
    if images.len() > 1 && !command.is_empty() {
        return Err(args.plain(args.end, "cannot specify multiple --image options and command"));
    }
    let mut containers: Vec<Value> = images
        .iter()
        .map(|image| json!({"name": container_of(image), "image": image}))
        .collect();
    if let Some(container) = containers.first_mut() {
        if !command.is_empty() {
            container["command"] = json!(command);
        }
        if let Some(port) = small(args, "port")?.filter(|port| *port >= 0) {
            container["ports"] = json!([{"containerPort": port}]);
        }
    }
    let replicas = small(args, "replicas")?.unwrap_or(1);
    if replicas < 0 {
        return Err(args.plain(args.column("replicas"), format!("invalid replicas: {replicas}")));
    }
    let labels = json!({"app": name});
    let mut made = made(
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}}}}),
        "deployment",
    );
    made.empties = vec![
        ("/spec/strategy", json!({})),
        ("/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    Ok(made)
}

fn job(args: &Args) -> Parsed<Deed> {
    let (name, image, from) = (name(args)?, args.value("image"), args.value("from"));
    let command = args.handed_on.clone().unwrap_or_default();
    match (image, from) {
        (Some(image), None) => Ok(Deed::Make(job_of(&name, &image, &command))),
        (None, Some(_)) if !command.is_empty() => Err(args.plain(args.end, "cannot specify --from and command")),
        (None, Some(from)) => {
            let column = args.column("from");
            let (kind, source) = from.split_once('/').unwrap_or((&from, ""));
            let kind = kinds_of(kind, column)?.first().copied().unwrap_or(Kind::Job);
            let source = source.to_owned();
            Ok(Deed::JobFrom { name, kind, source })
        }
        _ => Err(args.plain(args.end, "either --image or --from must be specified")),
    }
}

fn job_of(name: &str, image: &str, command: &[String]) -> Made {
    let mut container = json!({"name": name, "image": image});
    if !command.is_empty() {
        container["command"] = json!(command);
    }
    let mut made = made(
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}}),
        "job",
    );
    made.empties = vec![
        ("/spec/template/metadata", json!({})),
        ("/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    made
}

fn cron_job(args: &Args) -> Parsed<Made> {
    required(args, &["image", "schedule"])?;
    let (name, image) = (name(args)?, args.value("image").unwrap_or_default());
    let mut container = json!({"name": name, "image": image});
    if let Some(command) = args.handed_on.as_ref().filter(|command| !command.is_empty()) {
        container["command"] = json!(command);
    }
    let restart = args.value("restart").unwrap_or_else(|| "OnFailure".to_owned());
    let mut made = made(
        json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
            "spec": {"schedule": args.value("schedule"), "jobTemplate": {"metadata": {"name": name},
                "spec": {"template": {"spec": {"containers": [container], "restartPolicy": restart}}}}}}),
        "cronjob",
    );
    made.empties = vec![
        ("/spec/jobTemplate/spec/template/metadata", json!({})),
        ("/spec/jobTemplate/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    Ok(made)
}

/// `--from-literal` and `--from-file`; there are no files here.
fn literals(args: &Args, kind: &str, name: &str) -> Parsed<Map<String, Value>> {
    for flag in ["from-file", "from-env-file"] {
        if let Some(path) = args.value(flag) {
            let path = path.rsplit('=').next().unwrap_or_default().to_owned();
            return Err(args.plain(
                args.column(flag),
                format!("error reading {path}: no such file or directory"),
            ));
        }
    }
    let mut data = Map::new();
    for literal in args.values("from-literal") {
        let column = args.column("from-literal");
        let (key, value) = pair(&literal)
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| args.plain(column, format!("invalid literal source {literal}, expected key=value")))?;
        let is_key = key.len() <= 253
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if !is_key {
            return Err(args.plain(
                column,
                format!("{key:?} is not a valid key name for a {kind}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"),
            ));
        }
        // A value in quotes loses them.
        let inner = ['\'', '"']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote)));
        let value = inner.unwrap_or(&value).to_owned();
        if data.insert(key.clone(), Value::from(value)).is_some() {
            return Err(args.plain(
                column,
                match kind {
                    "ConfigMap" => format!(
                        "cannot add key {key:?}, another key by that name already exists in Data for ConfigMap {name:?}"
                    ),
                    _ => format!("cannot add key {key}, another key by that name already exists"),
                },
            ));
        }
    }
    Ok(data)
}

/// `--append-hash`: a name that changes with what it names. Which hash it is shows nowhere else.
fn hashed_name(args: &Args, name: &str, data: &Map<String, Value>) -> Parsed<String> {
    if !args.bool("append-hash", false)? {
        return Ok(name.to_owned());
    }
    const LETTERS: &[u8; 16] = b"bcdfghjklmnpqrst";
    let text = Value::Object(data.clone()).to_string();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let tail: String = (0..10)
        .map(|place| char::from(LETTERS[(hash >> (place * 4)) as usize & 15]))
        .collect();
    Ok(format!("{name}-{tail}"))
}

fn config_map(args: &Args) -> Parsed<Made> {
    let name = name(args)?;
    let data = literals(args, "ConfigMap", &name)?;
    let name = hashed_name(args, &name, &data)?;
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if !data.is_empty() {
        object["data"] = Value::Object(data);
    }
    Ok(made(object, "configmap"))
}

fn secret(args: &Args, kind: &str) -> Parsed<Made> {
    let name = name(args)?;
    let encoded = |text: &str| Value::from(STANDARD.encode(text));
    let mut data = literals(args, "Secret", &name)?;
    data.values_mut()
        .for_each(|value| *value = encoded(value.as_str().unwrap_or_default()));
    let mut of_type = args.value("type").filter(|text| !text.is_empty());
    let mut what = "secret";
    match kind {
        "tls" => {
            let given = |flag: &str| args.value(flag).filter(|path| !path.is_empty());
            let Some((path, _)) = given("cert").zip(given("key")) else {
                return Err(args.plain(args.end, "key and cert must be specified"));
            };
            let why = format!("Cannot read file {path}, open {path}: no such file or directory");
            return Err(args.plain(args.column("cert"), why));
        }
        "docker-registry" => {
            let given = |flag: &str| args.value(flag).unwrap_or_default();
            let (user, password) = (given("docker-username"), given("docker-password"));
            let server = args
                .value("docker-server")
                .unwrap_or_else(|| "https://index.docker.io/v1/".to_owned());
            if user.is_empty() || password.is_empty() || server.is_empty() {
                let why = "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required";
                return Err(args.plain(args.end, why));
            }
            let mut entry = json!({"username": user, "password": password});
            if let Some(email) = args.value("docker-email") {
                entry["email"] = Value::from(email);
            }
            entry["auth"] = encoded(&format!("{user}:{password}"));
            data.insert(
                ".dockerconfigjson".to_owned(),
                encoded(&json!({"auths": {server: entry}}).to_string()),
            );
            of_type = Some("kubernetes.io/dockerconfigjson".to_owned());
            what = "secret docker-registry";
        }
        _ => {}
    }
    let name = hashed_name(args, &name, &data)?;
    let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    if !data.is_empty() {
        object["data"] = Value::Object(data);
    }
    if let Some(of_type) = of_type {
        object["type"] = Value::from(of_type);
    }
    Ok(made(object, what))
}

fn service(args: &Args, kind: &str) -> Parsed<Made> {
    if kind == "externalname" {
        required(args, &["external-name"])?;
    }
    let name = name(args)?;
    let mut ports = Vec::new();
    let column = args.column("tcp");
    let given = args.values("tcp");
    for text in given.iter().flat_map(|list| list.split(',')) {
        let (port, target) = text
            .split_once(':')
            .map_or((text, None), |(port, target)| (port, Some(target)));
        let number = |text: &str| {
            let wrong = |why: &str| args.plain(column, format!("strconv.ParseUint: parsing {text:?}: {why}"));
            match text.parse::<u64>() {
                Ok(number) if number <= u64::from(u16::MAX) => Ok(number),
                Ok(_) => Err(wrong("value out of range")),
                Err(_) => Err(wrong("invalid syntax")),
            }
        };
        let number_of_port = number(port)?;
        let target = match target {
            None => Value::from(number_of_port),
            Some(target) => target.parse::<u64>().map_or_else(|_| Value::from(target), Value::from),
        };
        let mut one =
            json!({"name": text.replace(':', "-"), "port": number_of_port, "protocol": "TCP", "targetPort": target});
        if let Some(node_port) = small(args, "node-port")?.filter(|port| *port > 0 && kind == "nodeport") {
            one["nodePort"] = Value::from(node_port);
        }
        ports.push(one);
    }
    let cluster_ip = args.value("clusterip").filter(|ip| !ip.is_empty());
    if ports.is_empty() && kind != "externalname" && cluster_ip.as_deref() != Some("None") {
        return Err(args.plain(args.end, "at least one tcp port specifier must be provided"));
    }
    let (of_type, what) = match kind {
        "clusterip" => ("ClusterIP", "ClusterIP service"),
        "nodeport" => ("NodePort", "NodePort service"),
        "loadbalancer" => ("LoadBalancer", "LoadBalancer service"),
        _ => ("ExternalName", "ExternalName service"),
    };
    let mut spec = json!({"type": of_type, "selector": {"app": name}});
    if !ports.is_empty() {
        spec["ports"] = Value::Array(ports);
    }
    if let Some(ip) = cluster_ip {
        spec["clusterIP"] = Value::from(ip);
    }
    if kind == "externalname" {
        spec["externalName"] = Value::from(args.value("external-name"));
    }
    let mut made = made(
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}),
        what,
    );
    made.empties = vec![("/status", json!({"loadBalancer": {}}))];
    Ok(made)
}

fn priority_class(args: &Args) -> Parsed<Made> {
    let name = name(args)?;
    if args.value("value").is_none() {
        return required(args, &["value"]).map(|()| Made::default());
    }
    let mut object = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
        "value": small(args, "value")?,
        "preemptionPolicy": args.value("preemption-policy").unwrap_or_else(|| "PreemptLowerPriority".to_owned())});
    if args.bool("global-default", false)? {
        object["globalDefault"] = Value::from(true);
    }
    if let Some(text) = args.value("description").filter(|text| !text.is_empty()) {
        object["description"] = Value::from(text);
    }
    Ok(made(object, "priorityclass"))
}

fn budget(args: &Args) -> Parsed<Made> {
    let name = name(args)?;
    let selector = args.value("selector").filter(|text| !text.is_empty());
    let selector = selector.ok_or_else(|| args.plain(args.end, "a selector must be specified"))?;
    let query = LabelQuery::parse(&selector).map_err(|why| args.plain(args.column("selector"), why))?;
    let bound = |flag: &str| {
        let Some(text) = args.value(flag).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let is_percent = text
            .strip_suffix('%')
            .is_some_and(|number| number.parse::<u32>().is_ok());
        match text.parse::<i32>() {
            Ok(number) => Ok(Some(Value::from(number))),
            Err(_) if is_percent => Ok(Some(Value::from(text))),
            Err(_) => Err(args.plain(args.column(flag), format!("invalid format specified for {flag}"))),
        }
    };
    let mut spec = json!({"selector": match query.equalities() {
        Some(pairs) => json!({"matchLabels": pairs.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect::<Map<_, _>>()}),
        None => query.to_value(),
    }});
    match (bound("min-available")?, bound("max-unavailable")?) {
        (None, None) => {
            return Err(args.plain(args.end, "one of min-available or max-unavailable must be specified"));
        }
        (Some(_), Some(_)) => {
            return Err(args.plain(args.end, "min-available and max-unavailable cannot be both specified"));
        }
        (Some(least), None) => spec["minAvailable"] = least,
        (None, Some(most)) => spec["maxUnavailable"] = most,
    }
    let mut made = made(
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}),
        "poddisruptionbudgets",
    );
    made.empties = vec![(
        "/status",
        json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0}),
    )];
    Ok(made)
}

/// `cpu=1,memory=2Gi`.
pub(super) fn amounts(args: &Args, flag: &str) -> Parsed<Vec<(String, String)>> {
    let column = args.column(flag);
    let mut out = Vec::new();
    for text in args
        .values(flag)
        .iter()
        .flat_map(|list| list.split(','))
        .filter(|text| !text.is_empty())
    {
        let (name, amount) = pair(text).filter(|(_, amount)| !amount.contains('=')).ok_or_else(|| {
            args.plain(
                column,
                format!("Invalid argument syntax {text:?}, expected <resource>=<quantity>"),
            )
        })?;
        if amount.parse::<Quantity>().is_err() {
            let why = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
            return Err(args.plain(column, why));
        }
        out.push((name, amount));
    }
    Ok(out)
}

fn quota(args: &Args) -> Parsed<Made> {
    let name = name(args)?;
    let hard: Map<String, Value> = amounts(args, "hard")?
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
    let mut made = made(
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": spec}),
        "quota",
    );
    made.empties = vec![("/status", json!({}))];
    Ok(made)
}

fn split_all(args: &Args, flag: &str) -> Vec<String> {
    let all = args.values(flag);
    all.iter()
        .flat_map(|list| list.split(','))
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

fn role(args: &Args, what: &str) -> Parsed<Made> {
    const VERBS: &[&str] = &[
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
    let name = name(args)?;
    let verbs = split_all(args, "verb");
    if verbs.is_empty() {
        return Err(args.plain(args.end, "at least one verb must be specified"));
    }
    let (resources, urls) = (split_all(args, "resource"), split_all(args, "non-resource-url"));
    if resources.is_empty() && urls.is_empty() {
        return Err(args.plain(
            args.end,
            match what {
                "role" => "at least one resource must be specified",
                _ => "one of resource, nonResourceURL must be specified",
            },
        ));
    }
    let mut rules: Vec<Value> = Vec::new();
    for resource in &resources {
        let (resource, part) = resource
            .split_once('/')
            .map_or((resource.as_str(), None), |(of, part)| (of, Some(part)));
        let (group, plural) = match resource {
            "*" => ("", "*"),
            resource => {
                let kind = kinds_of(resource, args.column("resource"))?
                    .first()
                    .copied()
                    .unwrap_or(Kind::Pod);
                (
                    kind.api_version().split_once('/').map_or("", |(group, _)| group),
                    kind.plural(),
                )
            }
        };
        let plural = part.map_or_else(|| plural.to_owned(), |part| format!("{plural}/{part}"));
        match rules.iter_mut().find(|rule| rule["apiGroups"] == json!([group])) {
            Some(rule) => {
                if let Some(list) = rule["resources"].as_array_mut() {
                    list.push(Value::from(plural));
                }
            }
            None => {
                let mut rule = json!({"apiGroups": [group], "resources": [plural], "verbs": verbs});
                let names = split_all(args, "resource-name");
                if !names.is_empty() {
                    rule["resourceNames"] = json!(names);
                }
                rules.push(rule);
            }
        }
    }
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    let kind = if what == "role" { "Role" } else { "ClusterRole" };
    let mut made = made(
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": rules}),
        what,
    );
    let odd = verbs.iter().filter(|verb| !VERBS.contains(&verb.as_str()));
    made.warnings = odd
        .map(|verb| format!("Warning: '{verb}' is not a standard resource verb"))
        .collect();
    Ok(made)
}

fn role_binding(args: &Args, what: &str) -> Parsed<Made> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let name = name(args)?;
    let (role, cluster_role) = (args.value("role"), args.value("clusterrole"));
    let of = match (role, cluster_role) {
        (Some(role), None) if what == "rolebinding" => json!({"apiGroup": GROUP, "kind": "Role", "name": role}),
        (None, Some(role)) => json!({"apiGroup": GROUP, "kind": "ClusterRole", "name": role}),
        _ if what == "rolebinding" => {
            return Err(args.plain(args.end, "exactly one of clusterrole or role must be specified"));
        }
        _ => return required(args, &["clusterrole"]).map(|()| Made::default()),
    };
    let mut subjects: Vec<Value> = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        subjects.extend(
            split_all(args, flag)
                .iter()
                .map(|name| json!({"apiGroup": GROUP, "kind": kind, "name": name})),
        );
    }
    for account in split_all(args, "serviceaccount") {
        let Some((namespace, name)) = account.split_once(':').filter(|(a, b)| !a.is_empty() && !b.is_empty()) else {
            return Err(args.plain(
                args.column("serviceaccount"),
                "serviceaccount must be <namespace>:<name>",
            ));
        };
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    let kind = if what == "rolebinding" {
        "RoleBinding"
    } else {
        "ClusterRoleBinding"
    };
    let mut object =
        json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": name}, "roleRef": of});
    if !subjects.is_empty() {
        object["subjects"] = Value::Array(subjects);
    }
    Ok(made(object, what))
}

/// `SERVICE:PORT` of an ingress.
fn backend(text: &str) -> Option<Value> {
    let (service, port) = text.split_once(':').filter(|(service, _)| !service.is_empty())?;
    let port = match port.parse::<u16>() {
        Ok(number) => json!({"number": number}),
        Err(_) => json!({"name": port}),
    };
    Some(json!({"service": {"name": service, "port": port}}))
}

fn ingress(args: &Args) -> Parsed<Made> {
    let name = name(args)?;
    let (rules, default) = (args.values("rule"), args.value("default-backend"));
    if rules.is_empty() && default.is_none() {
        return Err(args.plain(
            args.end,
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        ));
    }
    let mut spec = json!({});
    if let Some(class) = args.value("class") {
        spec["ingressClassName"] = Value::from(class);
    }
    if let Some(text) = default {
        let wrong = || {
            args.plain(
                args.column("default-backend"),
                "default-backend should be in format servicename:serviceport",
            )
        };
        spec["defaultBackend"] = backend(&text).ok_or_else(wrong)?;
    }
    let mut hosts: Vec<(String, Vec<Value>)> = Vec::new();
    let mut tls: Vec<Value> = Vec::new();
    for rule in &rules {
        let wrong = || {
            let why =
                format!("rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]");
            args.plain(args.column("rule"), why)
        };
        let (first, rest) = rule
            .split_once(',')
            .map_or((rule.as_str(), None), |(first, rest)| (first, Some(rest)));
        let (place, target) = first.split_once('=').ok_or_else(wrong)?;
        let (host, path) = place.split_once('/').ok_or_else(wrong)?;
        let (path, of_type) = match path.strip_suffix('*') {
            Some(prefix) => (format!("/{prefix}"), "Prefix"),
            None => (format!("/{path}"), "Exact"),
        };
        let one = json!({"backend": backend(target).ok_or_else(wrong)?, "path": path, "pathType": of_type});
        match hosts.iter_mut().find(|(known, _)| known == host) {
            Some((_, paths)) => paths.push(one),
            None => hosts.push((host.to_owned(), vec![one])),
        }
        if let Some(rest) = rest.filter(|rest| rest.starts_with("tls")) {
            let mut entry = json!({});
            if !host.is_empty() {
                entry["hosts"] = json!([host]);
            }
            if let Some(secret) = rest.strip_prefix("tls=") {
                entry["secretName"] = Value::from(secret);
            }
            tls.push(entry);
        }
    }
    let rule = |(host, paths): (String, Vec<Value>)| match host.as_str() {
        "" => json!({"http": {"paths": paths}}),
        host => json!({"host": host, "http": {"paths": paths}}),
    };
    if !hosts.is_empty() {
        spec["rules"] = Value::Array(hosts.into_iter().map(rule).collect());
    }
    if !tls.is_empty() {
        spec["tls"] = Value::Array(tls);
    }
    let mut made = made(
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name}, "spec": spec}),
        "ingress",
    );
    made.empties = vec![("/status", json!({"loadBalancer": {}}))];
    Ok(made)
}

/// `kubectl run`.
pub(super) fn run(args: &Args) -> Parsed<Deed> {
    required(args, &["image"])?;
    let Some((name, more)) = args.positional.split_first() else {
        return Err(args.usage(args.end, "NAME is required for run"));
    };
    let name = name.text.clone();
    let words: Vec<String> = more
        .iter()
        .map(|word| word.text.clone())
        .chain(args.handed_on.clone().unwrap_or_default())
        .collect();
    let image = args.value("image").unwrap_or_default();
    if image.is_empty() {
        return Err(args.usage(args.column("image"), "--image is required"));
    }
    if !super::image::is_reference(&image) {
        let why = format!("Invalid image name {image:?}: invalid reference format");
        return Err(args.plain(args.column("image"), why));
    }
    let is_interactive = args.bool("stdin", false)?;
    let is_attached = args.bool("attach", is_interactive)?;
    if args.bool("tty", false)? && !is_interactive {
        let why = "-i/--stdin is required for containers with -t/--tty=true";
        return Err(args.usage(args.column("tty"), why));
    }
    let restart = args.value("restart").unwrap_or_else(|| "Always".to_owned());
    if !matches!(restart.as_str(), "Always" | "OnFailure" | "Never") {
        return Err(args.usage(args.column("restart"), format!("invalid restart policy: {restart}")));
    }
    if args.bool("rm", false)? && !is_attached {
        return Err(args.usage(args.column("rm"), "--rm should only be used for attached containers"));
    }
    if is_attached && dry_run(args)? != DryRun::None {
        let why =
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)";
        return Err(args.usage(args.end, why));
    }
    if is_attached && let Some(why) = super::said::nothing_to_do("run -i") {
        return Err(CommandError::new(args.end, why));
    }
    let pull = args.value("image-pull-policy").filter(|policy| !policy.is_empty());
    if let Some(policy) = pull
        .as_deref()
        .filter(|policy| !["Always", "IfNotPresent", "Never"].contains(policy))
    {
        return Err(args.usage(
            args.column("image-pull-policy"),
            format!("invalid image pull policy: {policy}"),
        ));
    }
    let port = match args.value("port").filter(|port| !port.is_empty()) {
        None => None,
        Some(text) => {
            let wrong = |_| {
                args.plain(
                    args.column("port"),
                    format!("strconv.Atoi: parsing {text:?}: invalid syntax"),
                )
            };
            Some(text.parse::<i64>().map_err(wrong)?)
        }
    };
    let expose = args.bool("expose", false)?;
    if expose && port.is_none() {
        return Err(args.usage(args.column("expose"), "--port must be set when exposing a service"));
    }
    let mut container = json!({"name": name, "image": image});
    if !words.is_empty() {
        let field = if args.bool("command", false)? {
            "command"
        } else {
            "args"
        };
        container[field] = json!(words);
    }
    if let Some(policy) = pull {
        container["imagePullPolicy"] = Value::from(policy);
    }
    if let Some(port) = port {
        container["ports"] = json!([{"containerPort": port}]);
    }
    if args.bool("privileged", false)? {
        container["securityContext"] = json!({"privileged": true});
    }
    let env: Vec<Value> = args
        .values("env")
        .iter()
        .map(|text| match pair(text).filter(|(name, _)| !name.is_empty()) {
            Some((name, value)) => Ok(json!({"name": name, "value": value})),
            None => Err(args.plain(args.column("env"), format!("invalid env: {text}"))),
        })
        .collect::<Parsed<_>>()?;
    if !env.is_empty() {
        container["env"] = Value::Array(env);
    }
    let mut labels = pairs(args, "labels", "label")?;
    if labels.is_empty() {
        labels.insert("run".to_owned(), Value::from(name.as_str()));
    }
    let mut object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "restartPolicy": restart}});
    let annotations = pairs(args, "annotations", "annotation")?;
    if !annotations.is_empty() {
        object["metadata"]["annotations"] = Value::Object(annotations);
    }
    if let Some(text) = args.value("overrides").filter(|text| !text.is_empty()) {
        let wrong = |_| args.plain(args.column("overrides"), "Invalid JSON Patch");
        let overrides: Value = serde_json::from_str(&text).map_err(wrong)?;
        object = match args.value("override-type").as_deref() {
            Some("strategic") => crate::strategic(&object, &overrides),
            _ => crate::json_merge(&object, &overrides),
        };
    }
    let mut run = made(object, "");
    if expose {
        run.objects.insert(
            0,
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
                "spec": {"ports": [{"port": port, "protocol": "TCP", "targetPort": port}], "selector": labels}}),
        );
    }
    run.empties = vec![
        ("/spec/containers/*/resources", json!({})),
        ("/spec/dnsPolicy", json!("ClusterFirst")),
        ("/status", json!({})),
    ];
    Ok(Deed::Make(run))
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
