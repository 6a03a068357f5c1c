//! `podscope explain --cluster FILE --pod NS/NAME`: one decision on the cluster of a file, told to a person; and which
//! rule or policy of their own started its containers again, if they have ended.

use std::process::ExitCode;
use std::sync::Arc;

use podscope_api::{Kind, Object};
use podscope_scheduler::explain::explain;
use podscope_scheduler::{cases, decide};
use podscope_session::explained::told;
use podscope_session::scenario;
use podscope_session::timeline::Session;

use crate::args;
use crate::explain_text::Text;

/// Reads and admits the file, decides the pod as of t = 0, prints text or JSON.
pub(crate) fn run(file: &str, pod: &str, json: bool) -> ExitCode {
    match explanation(file, pod, json) {
        Ok(text) => {
            args::out(&format!("{}\n", text.trim_end()));
            ExitCode::SUCCESS
        }
        Err(status) => status,
    }
}

fn explanation(file: &str, pod: &str, json: bool) -> Result<String, ExitCode> {
    let complaint = |message: String| {
        args::say(format_args!("{file}: {message}"));
        ExitCode::from(args::BAD)
    };
    let files = args::files(&[file.to_owned()])?;
    let mut loaded = scenario::load(&files).map_err(|problems| args::complain(&problems))?;
    // A file with nodes and no scenario is a whole cluster: no others are added to it.
    let has_nodes = loaded.setup.objects.iter().any(|object| object.kind() == Kind::Node);
    if has_nodes && !loaded.has_scenario {
        loaded.setup.nodes.nodes_per_zone = 0;
    }
    let config = loaded.setup.settings.scheduler.clone();
    let session = Session::new(loaded).map_err(|problems| args::complain(&problems))?;
    let store = session.world().objects();
    let mut wanted = None;
    let mut objects = Vec::new();
    for object in Kind::ALL.iter().flat_map(|kind| store.list_kind(*kind)) {
        match object {
            Object::Pod(found) if found.metadata.key().to_string() == pod => wanted = Some(found),
            other => objects.push(other),
        }
    }
    let Some(found) = wanted else {
        return Err(complaint(format!("no pod {pod}")));
    };
    let (mut cache, nominator) = cases::load(&objects, &config);
    // A pod that runs is decided as if it were pending.
    let mut pending = (*found).clone();
    pending.spec.node_name = None;
    let Some(decision) = decide(&mut cache, &config, &nominator, &Arc::new(pending), &mut 0) else {
        let name = &found.spec.scheduler_name;
        return Err(complaint(format!("no profile of the scheduler is named {name}")));
    };
    let explanation = explain(&cache, &decision);
    let told = told(&explanation);
    let containers = found.spec.all_containers();
    let restarted: Vec<(&str, String)> = containers
        .filter_map(|container| Some((&*container.name, found.restarted(container)?.phrase().to_string())))
        .collect();
    if json {
        let mut value = serde_json::to_value(&told).map_err(|error| complaint(error.to_string()))?;
        if !restarted.is_empty() {
            let restarted = restarted
                .into_iter()
                .map(|(container, words)| (container.to_owned(), words.into()));
            value["restarted"] = serde_json::Value::Object(restarted.collect());
        }
        serde_json::to_string_pretty(&value).map_err(|error| complaint(error.to_string()))
    } else {
        let mut text = Text(&told).to_string();
        if !restarted.is_empty() {
            text.push_str("\nContainers that ended\n");
        }
        for (container, words) in restarted {
            text.push_str(&format!("  {container}  {words}\n"));
        }
        Ok(text)
    }
}
