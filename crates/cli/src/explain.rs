//! `podscope explain --cluster FILE --pod NS/NAME`: explains the decision about one pod in the cluster of a file, and
//! which restart rule or policy started its containers again after they ended.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use podscope_api::well_known::condition;
use podscope_api::{Kind, Object, Pod};
use podscope_cluster::Objects;
use podscope_messages::{Sentence, t};
use podscope_scheduler::explain::explain;
use podscope_scheduler::{cases, decide};
use podscope_session::explained::{ExplanationJson, explanation_json};
use podscope_session::scenario::Loaded;
use podscope_session::timeline::Session;
use podscope_session::triage::pod_state_notes;
use podscope_session::whatif::{self, PodGroupAnswers};

use crate::args::TextOrJson;
use crate::explain_text::ExplanationText;
use crate::{args, explain_cases};

/// Explain the scheduler's decision about a pod: every node, every score, preemption
///
/// Says first how the pod stands (gated, placed, terminating, finished).
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["cluster", "cases"]))]
pub(crate) struct ExplainArgs {
    /// Files or folders with the objects of the cluster
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "pod")]
    cluster: Vec<String>,
    /// The pod whose decision is explained
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "cluster")]
    pod: Option<String>,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text", conflicts_with = "cases")]
    output: TextOrJson,
    /// Decide recorded cases instead, one a line, and print each decision in the form of its `expect`
    #[arg(long, value_name = "FILE.jsonl[.gz]")]
    cases: Option<String>,
    /// Compare with the recorded decisions, and count
    #[arg(long, requires = "cases")]
    check: bool,
}

impl ExplainArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.output == TextOrJson::Json || self.cases.is_some()
    }
}

/// Loads the files, decides the pod as of t = 0, prints text or JSON.
pub(crate) fn run(given: &ExplainArgs) -> ExitCode {
    if let Some(file) = &given.cases {
        return explain_cases::run(file, given.check);
    }
    let pod = given.pod.as_deref().unwrap_or_default();
    match explanation_text(&given.cluster, pod, given.output == TextOrJson::Json) {
        Ok(text) => {
            args::print_text(&format!("{}\n", text.trim_end()));
            ExitCode::SUCCESS
        }
        Err(status) => status,
    }
}

/// Returns the explanation of the decision about a pod (`namespace/name`) in the cluster of the files, as text or JSON.
///
/// # Errors
/// The exit code; the error is already printed.
fn explanation_text(names: &[String], pod: &str, json: bool) -> Result<String, ExitCode> {
    let bad_input = |message: String| {
        args::print_error(format_args!("{}: {message}", names.join(", ")));
        ExitCode::from(args::BAD_INPUT_STATUS)
    };
    let loaded = load_cluster(names)?;
    let config = loaded.setup.settings.scheduler.clone();
    let session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    args::print_notices(session.loaded(), session.world().objects());
    let store = session.world().objects();
    let (found, others) = pod_and_other_objects(store, pod);
    let found = found.ok_or_else(|| bad_input(format!("no pod {pod}")))?;
    let state_notes = pod_state_notes(store, &found);
    if store.missing_objects(&found).is_some() && found.spec.node_name.is_none() {
        return Ok(text_without_decision(&found, &state_notes, json));
    }
    let (mut cache, nominator) = cases::load(&others, &config);
    // A running pod is decided as if it were pending.
    let mut pending = (*found).clone();
    pending.spec.node_name = None;
    let Some(decision) = decide(&mut cache, &config, &nominator, &Arc::new(pending), &mut 0) else {
        let name = &found.spec.scheduler_name;
        return Err(bad_input(format!("no profile of the scheduler is named {name}")));
    };
    let explained = explain(&cache, &decision);
    let output = ExplainOutput {
        state_notes: &state_notes,
        explanation: explanation_json(&explained),
        restarted: restart_reasons(&found),
        groups: match found.spec.node_name {
            None => whatif::group_answers_for_pod(&session, &found),
            Some(_) => None,
        },
    };
    match json {
        true => output.to_json().map_err(|error| bad_input(error.to_string())),
        false => Ok(output.to_text()),
    }
}

/// Loads the files. Files with nodes but without a scenario describe a whole cluster, so no default nodes are added.
fn load_cluster(names: &[String]) -> Result<Loaded, ExitCode> {
    let mut loaded = args::load(names)?;
    let has_nodes = loaded.setup.objects.iter().any(|object| object.kind() == Kind::Node);
    if has_nodes && !loaded.has_scenario {
        loaded.setup.nodes.generate_no_nodes();
    }
    Ok(loaded)
}

/// Returns the pod (`namespace/name`), and all other objects, without the stand-ins for Nodes that the files do not
/// contain.
fn pod_and_other_objects(store: &Objects, pod: &str) -> (Option<Arc<Pod>>, Vec<Object>) {
    let (mut found, mut others) = (None, Vec::new());
    for object in Kind::ALL.iter().flat_map(|kind| store.list_kind(*kind)) {
        match object {
            Object::Pod(this) if this.metadata.key().to_string() == pod => found = Some(this),
            other if podscope_cluster::is_made_up_node(&other) => {}
            other => others.push(other),
        }
    }
    (found, others)
}

/// What the command prints about a pod: its state, the explanation of the scheduler's decision, the restarts of its
/// containers, and the node groups.
struct ExplainOutput<'a> {
    state_notes: &'a [Sentence],
    explanation: ExplanationJson<'a>,
    /// Names of containers that ended, each with a sentence about the restart rule or policy that decided whether it
    /// was started again. A container that only follows the pod's policy is missing, unless all containers restart.
    restarted: Vec<(&'a str, Sentence)>,
    /// For each node group, whether the pod could run on a new node of it; None if the pod has a node, if it fits on an
    /// existing node, or if there is no node group.
    groups: Option<PodGroupAnswers>,
}

impl ExplainOutput<'_> {
    fn to_json(&self) -> serde_json::Result<String> {
        let mut value = serde_json::to_value(&self.explanation)?;
        if !self.state_notes.is_empty() {
            value["standing"] = english_sentences(self.state_notes);
        }
        if !self.restarted.is_empty() {
            let reasons = self.restarted.iter();
            let reasons = reasons.map(|(container, reason)| ((*container).to_owned(), reason.english().into()));
            value["restarted"] = serde_json::Value::Object(reasons.collect());
        }
        if let Some(groups) = &self.groups {
            value["nodeGroups"] = serde_json::json!(groups.groups);
        }
        serde_json::to_string_pretty(&value)
    }

    fn to_text(&self) -> String {
        let mut text: String = self
            .state_notes
            .iter()
            .map(|sentence| format!("{sentence}\n"))
            .collect();
        text.push_str(&ExplanationText(&self.explanation).to_string());
        if let Some(groups) = &self.groups {
            text.push_str(&format!("\n{}\n", t!(cli_explain::groups)));
            for line in whatif::group_lines(groups) {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.restarted.is_empty() {
            text.push_str(&format!("\n{}\n", t!(cli_explain::ended)));
        }
        for (container, reason) in &self.restarted {
            text.push_str(&format!("  {container}  {reason}\n"));
        }
        text
    }
}

/// Returns, for containers that ended, a sentence about the restart rule or policy that decided whether they were
/// started again.
fn restart_reasons(pod: &Pod) -> Vec<(&str, Sentence)> {
    let containers = pod.spec.all_containers();
    containers
        .filter_map(|container| Some((&*container.name, pod.restart_reason(container)?.sentence())))
        .collect()
}

/// Returns the sentences in English, as a JSON array.
fn english_sentences(sentences: &[Sentence]) -> serde_json::Value {
    sentences.iter().map(Sentence::english).collect()
}

/// Returns the output for a pod that the simulation cannot schedule: its state, and the last message of the real
/// scheduler.
fn text_without_decision(pod: &Pod, state_notes: &[Sentence], is_json: bool) -> String {
    let message = pod
        .condition(condition::POD_SCHEDULED)
        .map_or("", |condition| &*condition.message);
    if is_json {
        let pod = pod.metadata.key().to_string();
        let value = serde_json::json!({
            "pod": pod,
            "standing": english_sentences(state_notes),
            "message": message,
            "nodes": [],
        });
        return format!("{value:#}");
    }
    let state_notes: Vec<String> = state_notes.iter().map(ToString::to_string).collect();
    let mut text = state_notes.join("\n");
    if !message.is_empty() {
        text.push_str(&format!("\n{}", t!(cli_explain::scheduler_said, message = message)));
    }
    text
}
