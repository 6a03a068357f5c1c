//! Generates the pod of `kubectl run`, which has one container.

use super::*;

/// Parses `--overrides` and `--override-type`.
pub(in super::super) fn parse_overrides(args: &Args) -> Parsed<Option<(PatchType, Value)>> {
    let Some(text) = args.value("overrides").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let patch_type = match args.value("override-type").as_deref() {
        None | Some("merge") => PatchType::Merge,
        Some("strategic") => PatchType::Strategic,
        Some("json") => PatchType::Json,
        Some(other) => {
            let why = format!("invalid override type: {other}");
            return Err(args.error(args.column("override-type"), why));
        }
    };
    let parse_error = |_| args.error(args.column("overrides"), "Invalid JSON Patch");
    Ok(Some((patch_type, serde_json::from_str(&text).map_err(parse_error)?)))
}

/// Parses `--image`.
fn parse_image(args: &Args) -> Parsed<String> {
    let image = args.value("image").unwrap_or_default();
    if image.is_empty() {
        return Err(args.error(args.column("image"), "--image is required"));
    }
    if !podscope_api::is_image_reference(&image) {
        let why = format!("Invalid image name {image:?}: invalid reference format");
        return Err(args.error(args.column("image"), why));
    }
    Ok(image)
}

/// Returns whether the command attaches to the container (`--attach`, `-i`).
fn is_attached(args: &Args) -> Parsed<bool> {
    let is_interactive = args.bool("stdin", false)?;
    let is_attached = args.bool("attach", is_interactive)?;
    if args.bool("tty", false)? && !is_interactive {
        let why = "-i/--stdin is required for containers with -t/--tty=true";
        return Err(args.usage_error(args.column("tty"), why));
    }
    Ok(is_attached)
}

/// Checks the flags for attached containers, and rejects attaching, which the simulation does not support.
fn check_attach_flags(args: &Args, is_attached: bool) -> Parsed<()> {
    if args.bool("rm", false)? && !is_attached {
        return Err(args.usage_error(args.column("rm"), "--rm should only be used for attached containers"));
    }
    if is_attached && dry_run(args)? != DryRun::None {
        let why =
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)";
        return Err(args.usage_error(args.end, why));
    }
    if is_attached && let Some(why) = super::super::verbatim::unsupported_verb("run -i") {
        return Err(CommandError::new(args.end, why));
    }
    Ok(())
}

/// Parses `--restart`.
fn parse_restart_policy(args: &Args) -> Parsed<String> {
    let restart = args.value("restart").filter(|policy| !policy.is_empty());
    let restart = restart.unwrap_or_else(|| "Always".to_owned());
    if !matches!(restart.as_str(), "Always" | "OnFailure" | "Never") {
        return Err(args.usage_error(args.column("restart"), format!("invalid restart policy: {restart}")));
    }
    Ok(restart)
}

/// Parses `--image-pull-policy`.
fn parse_image_pull_policy(args: &Args) -> Parsed<Option<String>> {
    let pull = args.value("image-pull-policy").filter(|policy| !policy.is_empty());
    if let Some(policy) = pull
        .as_deref()
        .filter(|policy| !["Always", "IfNotPresent", "Never"].contains(policy))
    {
        return Err(args.usage_error(
            args.column("image-pull-policy"),
            format!("invalid image pull policy: {policy}"),
        ));
    }
    Ok(pull)
}

/// Parses `--port`.
fn parse_port_flag(args: &Args) -> Parsed<Option<i64>> {
    let Some(text) = args.value("port").filter(|port| !port.is_empty()) else {
        return Ok(None);
    };
    let parse_error = |_| {
        args.error(
            args.column("port"),
            format!("strconv.Atoi: parsing {text:?}: invalid syntax"),
        )
    };
    text.parse::<i64>().map(Some).map_err(parse_error)
}

/// Parses `--annotations`.
fn parse_annotations(args: &Args) -> Parsed<Map<String, Value>> {
    let mut annotations = Map::new();
    for text in args.values("annotations") {
        let format_error = || {
            args.error(
                args.column("annotations"),
                format!("invalid annotations format: {text}"),
            )
        };
        let (key, value) = split_key_value(&text)
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(format_error)?;
        annotations.insert(key, Value::from(value));
    }
    Ok(annotations)
}

/// The only container of the pod that `kubectl run` creates.
struct Container<'a> {
    name: &'a str,
    image: String,
    pull: Option<String>,
    port: Option<i64>,
    /// Arguments of the container, or with `--command` its command.
    words: Vec<String>,
}

impl Container<'_> {
    fn to_value(&self, args: &Args) -> Parsed<Value> {
        let mut container = json!({"name": self.name, "image": self.image});
        if !self.words.is_empty() {
            let field = if args.bool("command", false)? {
                "command"
            } else {
                "args"
            };
            container[field] = json!(self.words);
        }
        if let Some(policy) = &self.pull {
            container["imagePullPolicy"] = Value::from(policy.as_str());
        }
        if let Some(port) = self.port {
            container["ports"] = json!([{"containerPort": port}]);
        }
        if args.bool("privileged", false)? {
            container["securityContext"] = json!({"privileged": true});
        }
        let env: Vec<Value> = args
            .values("env")
            .iter()
            .map(
                |text| match split_key_value(text).filter(|(name, _)| !name.is_empty()) {
                    Some((name, value)) if value.is_empty() => Ok(json!({"name": name})),
                    Some((name, value)) => Ok(json!({"name": name, "value": value})),
                    None => Err(args.error(args.column("env"), format!("invalid env: {text}"))),
                },
            )
            .collect::<Parsed<_>>()?;
        if !env.is_empty() {
            container["env"] = Value::Array(env);
        }
        Ok(container)
    }
}

/// Parses `kubectl run`.
pub(in super::super) fn run(args: &Args) -> Parsed<Action> {
    check_required_flags(args, &["image"])?;
    let Some((name, more)) = args.positional.split_first() else {
        return Err(args.usage_error(args.end, "NAME is required for run"));
    };
    let name = name.text.as_str();
    let words = more.iter().map(|word| word.text.clone());
    let image = parse_image(args)?;
    let is_attached = is_attached(args)?;
    let restart = parse_restart_policy(args)?;
    check_attach_flags(args, is_attached)?;
    let pull = parse_image_pull_policy(args)?;
    let port = parse_port_flag(args)?;
    let expose = args.bool("expose", false)?;
    if expose && port.is_none() {
        return Err(args.usage_error(args.column("expose"), "--port must be set when exposing a service"));
    }
    let container = Container {
        name,
        image,
        pull,
        port,
        words: words.chain(args.passthrough_args.clone().unwrap_or_default()).collect(),
    };
    let container = container.to_value(args)?;
    let mut labels = parse_flag_pairs(args, "labels", "label")?;
    if labels.is_empty() {
        labels.insert("run".to_owned(), Value::from(name));
    }
    let mut object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "restartPolicy": restart}});
    let annotations = parse_annotations(args)?;
    if !annotations.is_empty() {
        object["metadata"]["annotations"] = Value::Object(annotations);
    }
    if let Some((patch_type, overrides)) = parse_overrides(args)? {
        let patch_error = |why| args.error(args.column("overrides"), why);
        object = crate::patched(&object, patch_type, &overrides).map_err(patch_error)?;
    }
    let mut run = generated_object(object, "");
    if expose {
        run.objects.insert(
            0,
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
                "spec": {"ports": [{"port": port, "protocol": "TCP", "targetPort": port}], "selector": labels}}),
        );
    }
    run.empty_fields = vec![
        ("/spec/containers/*/resources", json!({})),
        ("/spec/dnsPolicy", json!("ClusterFirst")),
        ("/status", json!({})),
    ];
    Ok(Action::Create(run))
}
