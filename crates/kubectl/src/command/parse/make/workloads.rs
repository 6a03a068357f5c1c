//! `create deployment|job|cronjob`: what has a pod template.

use super::*;

/// The image's name without registry, tag and digest, as kubectl names the container.
pub(super) fn container_of(image: &str) -> String {
    let name = image.rsplit('/').next().unwrap_or(image);
    let name = name.split(['@', ':']).next().unwrap_or(name);
    name.to_ascii_lowercase()
        .chars()
        .map(|c| if c == '_' { '-' } else { c })
        .collect()
}

pub(super) fn deployment(args: &Args) -> Parsed<Made> {
    required(args, &["image"])?;
    let (name, images) = (name(args)?, args.values("image"));
    let images = images.iter().filter(|list| !list.is_empty());
    let images: Vec<&str> = images.flat_map(|list| list.split(',')).collect();
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

pub(super) fn job(args: &Args) -> Parsed<Action> {
    let (name, image, from) = (name(args)?, args.value("image"), args.value("from"));
    let command = args.handed_on.clone().unwrap_or_default();
    match (image, from) {
        (Some(image), None) => Ok(Action::Make(job_of(&name, &image, &command))),
        (None, Some(_)) if !command.is_empty() => Err(args.plain(args.end, "cannot specify --from and command")),
        (None, Some(from)) => {
            let column = args.column("from");
            let (kind, source) = from.split_once('/').unwrap_or((&from, ""));
            let kind = kinds_of(kind, column)?.first().copied().unwrap_or(Kind::Job);
            let source = source.to_owned();
            Ok(Action::JobFrom { name, kind, source })
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

pub(super) fn cron_job(args: &Args) -> Parsed<Made> {
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
