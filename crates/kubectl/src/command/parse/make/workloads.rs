//! Generates the objects of `create deployment|job|cronjob`.

use super::*;

/// Returns kubectl's name for the container of an image: the image name without registry, tag and digest.
pub(super) fn container_name(image: &str) -> String {
    let name = image.rsplit('/').next().unwrap_or(image);
    let name = name.split(['@', ':']).next().unwrap_or(name);
    name.to_ascii_lowercase()
        .chars()
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

/// `create deployment`.
pub(super) fn generate_deployment(args: &Args) -> Parsed<GeneratedObjects> {
    check_required_flags(args, &["image"])?;
    let (name, images) = (object_name_argument(args)?, args.values("image"));
    let images = images.iter().filter(|list| !list.is_empty());
    let images: Vec<&str> = images.flat_map(|list| list.split(',')).collect();
    let command = args.passthrough_args.clone().unwrap_or_default();
    if images.len() > 1 && !command.is_empty() {
        return Err(args.error(args.end, "cannot specify multiple --image options and command"));
    }
    let mut containers: Vec<Value> = images
        .iter()
        .map(|image| json!({"name": container_name(image), "image": image}))
        .collect();
    if let Some(container) = containers.first_mut() {
        if !command.is_empty() {
            container["command"] = json!(command);
        }
        if let Some(port) = parse_int32_flag(args, "port")?.filter(|port| *port >= 0) {
            container["ports"] = json!([{"containerPort": port}]);
        }
    }
    let replicas = parse_int32_flag(args, "replicas")?.unwrap_or(1);
    let labels = json!({"app": name});
    let mut generated = generated_object(
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}}}}),
        "deployment",
    );
    generated.empty_fields = vec![
        ("/spec/strategy", json!({})),
        ("/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    Ok(generated)
}

/// `create job`.
pub(super) fn generate_job(args: &Args) -> Parsed<Action> {
    let (name, image, from) = (object_name_argument(args)?, args.value("image"), args.value("from"));
    let command = args.passthrough_args.clone().unwrap_or_default();
    match (image, from) {
        (Some(image), None) => Ok(Action::Create(job_from_image(&name, &image, &command))),
        (None, Some(_)) if !command.is_empty() => Err(args.error(args.end, "cannot specify --from and command")),
        (None, Some(from)) => {
            let column = args.column("from");
            let (kind, source) = from.split_once('/').unwrap_or((&from, ""));
            let kind = parse_kinds(args, kind, column)?.first().copied().unwrap_or(Kind::Job);
            let source = source.to_owned();
            Ok(Action::JobFrom { name, kind, source })
        }
        _ => Err(args.error(args.end, "either --image or --from must be specified")),
    }
}

fn job_from_image(name: &str, image: &str, command: &[String]) -> GeneratedObjects {
    let mut container = json!({"name": name, "image": image});
    if !command.is_empty() {
        container["command"] = json!(command);
    }
    let mut generated = generated_object(
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}}),
        "job",
    );
    generated.empty_fields = vec![
        ("/spec/template/metadata", json!({})),
        ("/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    generated
}

/// `create cronjob`.
pub(super) fn generate_cron_job(args: &Args) -> Parsed<GeneratedObjects> {
    check_required_flags(args, &["image", "schedule"])?;
    let (name, image) = (object_name_argument(args)?, args.value("image").unwrap_or_default());
    let mut container = json!({"name": name, "image": image});
    if let Some(command) = args.passthrough_args.as_ref().filter(|command| !command.is_empty()) {
        container["command"] = json!(command);
    }
    let restart = args.value("restart").unwrap_or_else(|| "OnFailure".to_owned());
    let mut generated = generated_object(
        json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
            "spec": {"schedule": args.value("schedule"), "jobTemplate": {"metadata": {"name": name},
                "spec": {"template": {"spec": {"containers": [container], "restartPolicy": restart}}}}}}),
        "cronjob",
    );
    generated.empty_fields = vec![
        ("/spec/jobTemplate/spec/template/metadata", json!({})),
        ("/spec/jobTemplate/spec/template/spec/containers/*/resources", json!({})),
        ("/status", json!({})),
    ];
    Ok(generated)
}
