//! `run`: a pod of one container.

use super::*;

/// `--overrides`, and how they change what is made.
pub(in super::super) fn overrides(args: &Args) -> Parsed<Option<(PatchType, Value)>> {
    let Some(text) = args.value("overrides").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let how = match args.value("override-type").as_deref() {
        None | Some("merge") => PatchType::Merge,
        Some("strategic") => PatchType::Strategic,
        Some("json") => PatchType::Json,
        Some(other) => {
            let why = format!("invalid override type: {other}");
            return Err(args.plain(args.column("override-type"), why));
        }
    };
    let wrong = |_| args.plain(args.column("overrides"), "Invalid JSON Patch");
    Ok(Some((how, serde_json::from_str(&text).map_err(wrong)?)))
}

/// `kubectl run`.
pub(in super::super) fn run(args: &Args) -> Parsed<Deed> {
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
        return Err(args.plain(args.column("image"), "--image is required"));
    }
    if !super::super::image::is_reference(&image) {
        let why = format!("Invalid image name {image:?}: invalid reference format");
        return Err(args.plain(args.column("image"), why));
    }
    let is_interactive = args.bool("stdin", false)?;
    let is_attached = args.bool("attach", is_interactive)?;
    if args.bool("tty", false)? && !is_interactive {
        let why = "-i/--stdin is required for containers with -t/--tty=true";
        return Err(args.usage(args.column("tty"), why));
    }
    let restart = args.value("restart").filter(|policy| !policy.is_empty());
    let restart = restart.unwrap_or_else(|| "Always".to_owned());
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
    if is_attached && let Some(why) = super::super::said::nothing_to_do("run -i") {
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
            Some((name, value)) if value.is_empty() => Ok(json!({"name": name})),
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
    let mut annotations = Map::new();
    for text in args.values("annotations") {
        let wrong = || {
            args.plain(
                args.column("annotations"),
                format!("invalid annotations format: {text}"),
            )
        };
        let (key, value) = pair(&text).filter(|(key, _)| !key.is_empty()).ok_or_else(wrong)?;
        annotations.insert(key, Value::from(value));
    }
    if !annotations.is_empty() {
        object["metadata"]["annotations"] = Value::Object(annotations);
    }
    if let Some((how, overrides)) = overrides(args)? {
        let wrong = |why| args.plain(args.column("overrides"), why);
        object = crate::overridden(&object, how, &overrides).map_err(wrong)?;
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
