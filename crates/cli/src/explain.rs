//! `podscope explain --cluster FILE --pod NS/NAME`: one decision on the objects of a file, told to a person.

use std::process::ExitCode;
use std::sync::Arc;

use podscope_api::{Object, default_object, parse};
use podscope_scheduler::explain::explain;
use podscope_scheduler::{SchedulerConfiguration, cases, decide};

/// Reads the file, decides the pod, prints text or JSON.
pub(crate) fn run(file: &str, pod: &str, json: bool) -> ExitCode {
    match explanation(file, pod, json) {
        Ok(text) => {
            println!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        Err(problems) => {
            for problem in problems {
                eprintln!("{problem}");
            }
            ExitCode::from(2)
        }
    }
}

fn explanation(file: &str, pod: &str, json: bool) -> Result<String, Vec<String>> {
    let text = std::fs::read_to_string(file).map_err(|error| vec![format!("{file}: {error}")])?;
    let parsed = parse(&text);
    if !parsed.problems.is_empty() {
        return Err(parsed
            .problems
            .iter()
            .map(|problem| format!("{file}:{problem}"))
            .collect());
    }
    let mut objects: Vec<Object> = parsed.objects.into_iter().map(|located| located.value).collect();
    for object in &mut objects {
        default_object(object);
    }
    let config = parsed
        .configs
        .iter()
        .find(|config| &*config.value.kind == "KubeSchedulerConfiguration")
        .map(|config| SchedulerConfiguration::from_value(&config.value.tree.to_value()));
    let config = match config {
        None => SchedulerConfiguration::default(),
        Some(config) => config.map_err(|errors| {
            errors
                .iter()
                .map(|error| format!("{file}: {error}"))
                .collect::<Vec<_>>()
        })?,
    };
    let wanted = |object: &Object| match object {
        Object::Pod(candidate) if candidate.metadata.key().to_string() == pod => Some(candidate.clone()),
        _ => None,
    };
    let Some(pod) = objects.iter().find_map(wanted) else {
        return Err(vec![format!("{file}: no pod {pod}")]);
    };
    let objects: Vec<Object> = objects
        .into_iter()
        .filter(|object| !matches!(object, Object::Pod(other) if Arc::ptr_eq(other, &pod)))
        .collect();
    let (mut cache, nominator) = cases::load(&objects);
    let mut bare = (*pod).clone();
    bare.spec.node_name = None;
    let Some(decision) = decide(&mut cache, &config, &nominator, &Arc::new(bare), &mut 0) else {
        let name = &pod.spec.scheduler_name;
        return Err(vec![format!("{file}: no profile is named {name}")]);
    };
    let explanation = explain(&cache, &decision);
    if json {
        serde_json::to_string_pretty(&explanation).map_err(|error| vec![error.to_string()])
    } else {
        Ok(explanation.to_string())
    }
}
