//! Generates the objects of `create service|ingress`.

use super::*;

/// `create service`.
pub(super) fn generate_service(args: &Args, kind: &str) -> Parsed<GeneratedObjects> {
    if kind == "externalname" {
        check_required_flags(args, &["external-name"])?;
    }
    let name = object_name_argument(args)?;
    let mut ports = Vec::new();
    let column = args.column("tcp");
    let tcp_values = args.values("tcp");
    for text in tcp_values.iter().flat_map(|list| list.split(',')) {
        // Text after a second colon is ignored.
        let mut parts = text.split(':');
        let (port, target) = (parts.next().unwrap_or_default(), parts.next());
        let parse_port = |text: &str| {
            let parse_error = |why: &str| args.error(column, format!("strconv.ParseUint: parsing {text:?}: {why}"));
            match text.parse::<u64>() {
                Ok(number) if number <= u64::from(u16::MAX) => Ok(number),
                Ok(_) => Err(parse_error("value out of range")),
                Err(_) => Err(parse_error("invalid syntax")),
            }
        };
        let port_number = parse_port(port)?;
        let target = match target {
            None => Value::from(port_number),
            Some(target) => match target.parse::<i32>() {
                Ok(number) if (1..=65535).contains(&number) => Value::from(number),
                Ok(_) => return Err(args.error(column, "must be between 1 and 65535, inclusive")),
                Err(_) => match podscope_api::port_name_problems(target).join(",") {
                    none if none.is_empty() => Value::from(target),
                    why => return Err(args.error(column, why)),
                },
            },
        };
        let mut one =
            json!({"name": text.replace(':', "-"), "port": port_number, "protocol": "TCP", "targetPort": target});
        if let Some(node_port) = parse_int32_flag(args, "node-port")?.filter(|port| *port > 0 && kind == "nodeport") {
            one["nodePort"] = Value::from(node_port);
        }
        ports.push(one);
    }
    let cluster_ip = args.value("clusterip").filter(|ip| !ip.is_empty());
    if ports.is_empty() && kind != "externalname" && cluster_ip.as_deref() != Some("None") {
        return Err(args.error(args.end, "at least one tcp port specifier must be provided"));
    }
    let (service_type, noun) = match kind {
        "clusterip" => ("ClusterIP", "ClusterIP service"),
        "nodeport" => ("NodePort", "NodePort service"),
        "loadbalancer" => ("LoadBalancer", "LoadBalancer service"),
        _ => ("ExternalName", "ExternalName service"),
    };
    let mut spec = json!({"type": service_type, "selector": {"app": name}});
    if !ports.is_empty() {
        spec["ports"] = Value::Array(ports);
    }
    if let Some(ip) = cluster_ip {
        spec["clusterIP"] = Value::from(ip);
    }
    if kind == "externalname" {
        let name = args.value("external-name").unwrap_or_default();
        if !podscope_api::subdomain_problems(&name).is_empty() {
            let why = format!("invalid service external name {name}");
            return Err(args.error(args.column("external-name"), why));
        }
        spec["externalName"] = Value::from(name);
    }
    let mut generated = generated_object(
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}),
        noun,
    );
    generated.empty_fields = vec![("/status", json!({"loadBalancer": {}}))];
    Ok(generated)
}

/// Parses the backend of an Ingress: `SERVICE:PORT`.
fn parse_backend(text: &str) -> Option<Value> {
    let (service, port) = text.split_once(':').filter(|(service, _)| !service.is_empty())?;
    let port = match port.parse::<u16>() {
        Ok(number) => json!({"number": number}),
        Err(_) => json!({"name": port}),
    };
    Some(json!({"service": {"name": service, "port": port}}))
}

/// The parsed rules of an Ingress.
#[derive(Default)]
struct IngressRules {
    /// Each host with its paths as JSON, in the order of their first rules.
    hosts: Vec<(String, Vec<Value>)>,
    tls: Vec<Value>,
}

impl IngressRules {
    /// Parses the rules of `create ingress --rule`.
    fn parse(args: &Args, texts: &[String]) -> Parsed<IngressRules> {
        let mut rules = IngressRules::default();
        for text in texts {
            rules.add_rule(text).ok_or_else(|| {
                let why =
                    format!("rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]");
                args.error(args.column("rule"), why)
            })?;
        }
        Ok(rules)
    }

    /// Adds a rule `host/path=service:port,tls=secret`; `None` if the syntax is invalid.
    fn add_rule(&mut self, text: &str) -> Option<()> {
        let (first, rest) = text
            .split_once(',')
            .map_or((text, None), |(first, rest)| (first, Some(rest)));
        let (url, target) = first.split_once('=')?;
        let (host, path) = url.split_once('/')?;
        let (path, path_type) = match path.strip_suffix('*') {
            Some(prefix) => (format!("/{prefix}"), "Prefix"),
            None => (format!("/{path}"), "Exact"),
        };
        let one = json!({"backend": parse_backend(target)?, "path": path, "pathType": path_type});
        match self.hosts.iter_mut().find(|(known, _)| known == host) {
            Some((_, paths)) => paths.push(one),
            None => self.hosts.push((host.to_owned(), vec![one])),
        }
        if let Some(rest) = rest.filter(|rest| rest.starts_with("tls")) {
            let mut entry = json!({});
            if !host.is_empty() {
                entry["hosts"] = json!([host]);
            }
            if let Some(secret) = rest.strip_prefix("tls=") {
                entry["secretName"] = Value::from(secret);
            }
            self.tls.push(entry);
        }
        Some(())
    }

    /// Returns a host with its paths as a rule of an Ingress in JSON.
    fn host_rule((host, paths): (String, Vec<Value>)) -> Value {
        match host.as_str() {
            "" => json!({"http": {"paths": paths}}),
            host => json!({"host": host, "http": {"paths": paths}}),
        }
    }
}

fn parse_annotations(args: &Args) -> Parsed<Map<String, Value>> {
    let mut annotations = Map::new();
    for text in args.values("annotation") {
        let format_error = || {
            args.error(
                args.column("annotation"),
                format!("annotation {text} is invalid and should be in format key=[value]"),
            )
        };
        let (key, value) = split_key_value(&text).ok_or_else(format_error)?;
        annotations.insert(key, Value::from(value));
    }
    Ok(annotations)
}

/// `create ingress`.
pub(super) fn generate_ingress(args: &Args) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let (rules, default) = (args.values("rule"), args.value("default-backend"));
    if rules.is_empty() && default.is_none() {
        return Err(args.error(
            args.end,
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        ));
    }
    let mut spec = json!({});
    if let Some(class) = args.value("class") {
        spec["ingressClassName"] = Value::from(class);
    }
    if let Some(text) = default {
        let format_error = || {
            args.error(
                args.column("default-backend"),
                "default-backend should be in format servicename:serviceport",
            )
        };
        spec["defaultBackend"] = parse_backend(&text).ok_or_else(format_error)?;
    }
    let rules = IngressRules::parse(args, &rules)?;
    if !rules.hosts.is_empty() {
        spec["rules"] = rules.hosts.into_iter().map(IngressRules::host_rule).collect();
    }
    if !rules.tls.is_empty() {
        spec["tls"] = Value::Array(rules.tls);
    }
    let annotations = parse_annotations(args)?;
    let mut metadata = json!({"name": name});
    if !annotations.is_empty() {
        metadata["annotations"] = Value::Object(annotations);
    }
    let mut generated = generated_object(
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}),
        "ingress",
    );
    generated.empty_fields = vec![("/status", json!({"loadBalancer": {}}))];
    Ok(generated)
}
