//! Exports of a session as a file (T-05, T-06): scenario, draft of a lesson, and SVG image of the cluster.

use serde_json::{Value, json};

use crate::host::PickedGoal;
use crate::scenario::{StartTimeSource, Timed};
use crate::timeline::Session;
use crate::view::{Owners, ViewState};
use podscope_api::ConditionStatus;
use podscope_api::well_known::label;
use podscope_kubectl::command::Command;
use podscope_kubectl::duration::print_duration;
use podscope_protocol::{NodeView, PodMark, PodView};

/// Returns the session's Scenario document (an empty one if there is none), and the other documents.
fn scenario_and_other_documents(session: &Session) -> (Value, Vec<Value>) {
    let loaded = session.loaded();
    let mut scenario =
        json!({"apiVersion": "podscope.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "session"}, "spec": {}});
    let mut documents = Vec::new();
    for (_, text) in &loaded.files {
        let parsed = podscope_api::parse(&crate::scenario::extract_manifests(text).text);
        for config in parsed.configs {
            let value = config.value.tree.to_value();
            if &*config.value.kind == "Scenario" {
                scenario = value;
            } else {
                documents.push(value);
            }
        }
        documents.extend(parsed.objects.into_iter().map(|object| object.value.to_value()));
        documents.extend(parsed.others.into_iter().map(|other| (*other.value.raw).clone()));
    }
    (scenario, documents)
}

/// Exports the session as a draft of a lesson. Each command becomes a step, with the command as a hint and the fields
/// that the user picked after it as goals. All commands together become the solution. Commands that printed nothing but
/// errors are left out, and listed in a comment. If there are goals but no commands, the goals form one step. A step's
/// `when` is the goal of the previous step. If the previous step has several goals, there is no `when`, which can hold
/// only one condition; the step waits for all earlier goals anyway. The author writes the texts and questions;
/// [`crate::author`] lists what is missing.
pub(crate) fn lesson_draft(session: &Session, goals: &[PickedGoal]) -> String {
    let (mut scenario, documents) = scenario_and_other_documents(session);
    let given = session.commands_and_failures();
    let (refused, kept): (Vec<_>, Vec<_>) = given.iter().partition(|(_, is_refused)| *is_refused);
    let commands: Vec<&Timed> = kept.into_iter().map(|(timed, _)| timed).collect();
    let kept_before = |after: usize| given.iter().take(after).filter(|(_, is_refused)| !is_refused).count();
    let goals: Vec<(usize, &Value)> = goals
        .iter()
        .map(|picked| (kept_before(picked.after), &picked.goal))
        .collect();
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        for part in ["steps", "solution", "wrong", "bypasses", "expect"] {
            spec.remove(part);
        }
        spec.insert("seed".into(), Value::from(session.loaded().setup.seed));
        spec.insert(
            "solution".into(),
            commands.iter().map(|timed| timeline_entry(timed)).collect(),
        );
        spec.insert("steps".into(), lesson_steps(&commands, &goals));
    }
    let mut text = String::new();
    for (timed, _) in refused {
        let command = timed.command.to_string();
        text.push_str("# Left out, because it was refused: ");
        text.push_str(&podscope_api::visible(command.lines().next().unwrap_or_default()));
        text.push('\n');
    }
    text + &to_yaml(&scenario, &documents)
}

/// Returns the steps of the draft. Each goal is paired with the number of commands that precede it.
fn lesson_steps(commands: &[&Timed], goals: &[(usize, &Value)]) -> Value {
    let mut steps: Vec<Value> = Vec::new();
    let mut before: Vec<Value> = Vec::new();
    // Goals form a step even if there are no commands.
    let count = commands.len().max(usize::from(!goals.is_empty()));
    for index in 0..count {
        // Fields that were picked before the first command are goals of the first step.
        let is_of_step = |(after, _): &&(usize, &Value)| (*after).clamp(1, count) == index + 1;
        let goals_of_step: Vec<Value> = goals
            .iter()
            .filter(is_of_step)
            .map(|(_, goal)| (*goal).clone())
            .collect();
        let mut step = json!({"text": "Say what has happened, and what is to be done now."});
        if let Some(timed) = commands.get(index) {
            step["hints"] = json!([timed.command.to_string()]);
        }
        if let [when] = &*before {
            step["when"] = when.clone();
        }
        if !goals_of_step.is_empty() {
            step["goal"] = Value::Array(goals_of_step.clone());
        }
        before = goals_of_step;
        steps.push(step);
    }
    if !before.is_empty() {
        let mut end = json!({"text": "Say what was reached, and why it came so."});
        if let [when] = &*before {
            end["when"] = when.clone();
        }
        steps.push(end);
    }
    Value::Array(steps)
}

/// Converts a command to an entry of a timeline.
fn timeline_entry(timed: &Timed) -> Value {
    let at = print_duration(timed.at - podscope_cluster::SimTime::ZERO);
    match &timed.command {
        Command::Api(call) => {
            let mut api = json!({"method": call.method.as_str(), "path": call.path});
            if !call.content_type.is_empty() {
                api["contentType"] = call.content_type.as_str().into();
            }
            if !call.body.is_empty() {
                api["body"] = call.body.as_str().into();
            }
            json!({"at": at, "api": api})
        }
        command => json!({"at": at, "run": command.to_string()}),
    }
}

/// Exports the session as one scenario file: the Scenario document with the user's commands in its timeline, then the
/// objects.
pub fn scenario(session: &Session) -> String {
    let (mut scenario, documents) = initial_documents(session);
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        let entries = spec.entry("timeline").or_insert_with(|| json!([]));
        if let Some(list) = entries.as_array_mut() {
            for timed in session.commands() {
                list.push(timeline_entry(&timed));
            }
        }
    }
    to_yaml(&scenario, &documents)
}

/// Returns the state in which the session began: the Scenario document without the user's commands, and the other
/// documents.
fn initial_documents(session: &Session) -> (Value, Vec<Value>) {
    let loaded = session.loaded();
    let (mut scenario, documents) = scenario_and_other_documents(session);
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("seed".into(), Value::from(loaded.setup.seed));
        if loaded.start == StartTimeSource::Chosen {
            let start = podscope_api::print_rfc3339(loaded.setup.start.0, 0);
            spec.insert("start".into(), start.into());
        }
        // Without the field `cluster`, nodes would be generated when the dump is opened as a scenario.
        if loaded.setup.nodes.names().next().is_none() && !spec.contains_key("cluster") {
            spec.insert("cluster".into(), json!({"nodesPerZone": 0}));
        }
    }
    (scenario, documents)
}

/// Returns the head of a scenario file. The caller appends one line per command to its timeline ([`timeline_line`]).
/// The file is a complete scenario after each line.
pub fn recording_head(session: &Session) -> String {
    let (mut scenario, documents) = initial_documents(session);
    let mut text = String::new();
    for document in documents {
        text.push_str(&podscope_api::print_yaml(&document));
        text.push_str("---\n");
    }
    // The caller appends entries, so the file must end with the timeline: `spec` is the last field of the last
    // document, and `timeline` is the last field of `spec`.
    let mut timeline = Value::Null;
    if let Some(map) = scenario.as_object_mut() {
        let mut spec = map.shift_remove("spec").unwrap_or_else(|| json!({}));
        if let Some(fields) = spec.as_object_mut() {
            timeline = fields.shift_remove("timeline").unwrap_or_default();
        }
        map.insert("spec".into(), spec);
    }
    text.push_str(&podscope_api::print_yaml(&scenario));
    text.push_str("  timeline:\n");
    for entry in timeline.as_array().into_iter().flatten() {
        text.push_str(&flow_style_line(entry));
    }
    text
}

/// Formats a command as a line of the timeline in a file that begins with [`recording_head`].
pub fn timeline_line(timed: &Timed) -> String {
    flow_style_line(&timeline_entry(timed))
}

/// Formats an entry of a timeline in YAML's flow style, on a line of its own.
fn flow_style_line(entry: &Value) -> String {
    format!("  - {entry}\n")
}

fn to_yaml(scenario: &Value, documents: &[Value]) -> String {
    let mut text = podscope_api::print_yaml(scenario);
    for document in documents {
        text.push_str("---\n");
        text.push_str(&podscope_api::print_yaml(document));
    }
    text
}

/// Escapes a text for XML 1.0. Most control characters are not allowed there; they are replaced by visible symbols.
fn escape_xml(text: &str) -> String {
    podscope_api::visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Colours of pod owners, as in the page's light theme.
const OWNER_COLOURS: [&str; 8] = [
    "#026fd7", "#0c6149", "#a46827", "#762682", "#5229aa", "#237293", "#70280a", "#516000",
];
const NO_OWNER_COLOUR: &str = "#5d646f";
const PROBLEM_COLOUR: &str = "#9e001f";
/// Colour of containers and settings of a machine that differ from the objects in the API.
const DIFFERS_FROM_API_COLOUR: &str = "#8f2e8a";
/// Layout of the drawing: zones per row, pods per row of a node, width of a node's card (its rectangle), distance
/// between pods. Lengths are in SVG units.
const ZONES_PER_ROW: usize = 3;
const PODS_PER_ROW: usize = 7;
const NODE_CARD_WIDTH: usize = 290;
const POD_DISTANCE: usize = 38;

/// A drawing of the cluster under construction: SVG elements by layer, the lowest layer first.
#[derive(Debug, Default)]
pub(crate) struct ClusterDrawing {
    pub(crate) layers: [Vec<String>; LAYER_COUNT],
    pub(crate) height: usize,
}

/// Number of layers of a drawing: zones, nodes, pods, texts.
pub(crate) const LAYER_COUNT: usize = 4;
const ZONE_LAYER: usize = 0;
const NODE_CARD_LAYER: usize = 1;
const POD_LAYER: usize = 2;
const TEXT_LAYER: usize = 3;

/// Width of a drawing, in SVG units.
pub(crate) const DRAWING_WIDTH: usize = MARGIN + ZONES_PER_ROW * (NODE_CARD_WIDTH + 30) - 10 + MARGIN;
const MARGIN: usize = 16;
/// Maximum number of characters in a line of text on a node's card (its rectangle in the drawing), and maximum number
/// of lines.
const MAX_NODE_CARD_LINE_CHARS: usize = 46;
const MAX_NODE_CARD_LINES: usize = 2;

impl ClusterDrawing {
    fn add_element(&mut self, layer: usize, element: String) {
        self.layers[layer].push(element);
    }

    pub(crate) fn add_text(&mut self, x: usize, y: usize, words: &str, attributes: &str) {
        self.add_element(TEXT_LAYER, text_element(x, y, words, attributes));
    }
}

/// Draws the cluster at the cursor as an SVG document: zones side by side, with nodes and pods as on the page.
pub fn picture(session: &Session) -> String {
    let drawing = draw_cluster(session, "");
    let body: Vec<String> = drawing.layers.into_iter().flatten().collect();
    svg_document(drawing.height, &body.join("\n"))
}

/// Wraps elements in an SVG document of the given height.
pub(crate) fn svg_document(height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{DRAWING_WIDTH}\" height=\"{height}\" viewBox=\"0 0 {DRAWING_WIDTH} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1c2433\">\n<rect width=\"{DRAWING_WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}\n</svg>\n"
    )
}

/// Draws the cluster at the cursor, with a caption above it.
pub(crate) fn draw_cluster(session: &Session, caption: &str) -> ClusterDrawing {
    let frame = ViewState::default().update(session, label::ZONE, &mut Owners::default(), Default::default());
    let owners = frame.owners.unwrap_or_default();
    let hue = |owner: &str| {
        let known = owners.iter().find(|known| known.id == owner);
        known.map_or(NO_OWNER_COLOUR, |known| {
            OWNER_COLOURS[usize::from(known.hue) % OWNER_COLOURS.len()]
        })
    };
    let (mut drawing, mut top) = (ClusterDrawing::default(), 64);
    drawing.add_text(
        16,
        26,
        &session.loaded().title(),
        "font-size=\"17\" font-weight=\"bold\"",
    );
    let now = format!(
        "at {}, seed {}",
        podscope_protocol::clock::instant(session.now().0),
        session.loaded().setup.seed
    );
    drawing.add_text(16, 47, &now, "fill=\"#4a5362\"");
    if !caption.is_empty() {
        let short: String = caption.chars().take(100).collect();
        drawing.add_text(190, 47, &short, "font-weight=\"bold\"");
    }
    for row in frame.groups.unwrap_or_default().chunks(ZONES_PER_ROW) {
        let mut bottom = top;
        for (column, group) in row.iter().enumerate() {
            let (x, mut y) = (16 + column * (NODE_CARD_WIDTH + 30), top + 28);
            let name = if group.name.is_empty() {
                "without a zone".into()
            } else {
                format!("zone {}", group.name)
            };
            drawing.add_text(x + 10, top + 19, &name, "font-weight=\"bold\"");
            for node in group
                .nodes
                .iter()
                .filter_map(|name| frame.nodes.iter().find(|node| node.name == *name))
            {
                let all = frame.pods.iter().map(AsRef::as_ref);
                let pods: Vec<&PodView> = all.filter(|pod| pod.node == node.name).collect();
                y += draw_node(&mut drawing, x + 10, y, node, &pods, &hue) + 10;
            }
            drawing.add_element(
                ZONE_LAYER,
                format!(
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"14\" fill=\"#eceff5\"/>",
                    NODE_CARD_WIDTH + 20,
                    y - top
                ),
            );
            bottom = bottom.max(y);
        }
        top = bottom + 12;
    }
    let all = frame.pods.iter().map(AsRef::as_ref);
    let pending: Vec<&PodView> = all.filter(|pod: &&PodView| pod.node.is_empty()).collect();
    if !pending.is_empty() {
        drawing.add_text(26, top + 22, "pending", "font-weight=\"bold\"");
        for (index, pod) in pending.iter().enumerate() {
            let (x, y) = (100 + index % 20 * POD_DISTANCE, top + index / 20 * POD_DISTANCE);
            draw_pod(&mut drawing, x, y, pod, hue(&pod.owner));
        }
        top += pending.len().div_ceil(20) * POD_DISTANCE + 8;
    }
    drawing.height = top;
    drawing
}

fn text_element(x: usize, y: usize, text: &str, attributes: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" {attributes}>{}</text>", escape_xml(text))
}

/// Draws a node with its pods. Returns the height of the drawn node, in SVG units.
fn draw_node(
    drawing: &mut ClusterDrawing,
    x: usize,
    y: usize,
    node: &NodeView,
    pods: &[&PodView],
    colour_of_owner: &dyn Fn(&str) -> &'static str,
) -> usize {
    let lines: Vec<String> = node
        .machine
        .differs
        .iter()
        .flat_map(|line| wrap_node_card_text(&line.to_string()))
        .collect();
    let rows = pods.len().div_ceil(PODS_PER_ROW);
    let height = 34 + rows * POD_DISTANCE + lines.len() * 17;
    let (stroke, dash) = match (node.machine.cuts.is_empty(), node.ready == ConditionStatus::True) {
        (false, _) => (PROBLEM_COLOUR, " stroke-dasharray=\"5 3\""),
        (true, false) => (PROBLEM_COLOUR, ""),
        (true, true) => ("#d7dbe2", ""),
    };
    drawing.add_element(
        NODE_CARD_LAYER,
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{NODE_CARD_WIDTH}\" height=\"{height}\" rx=\"10\" fill=\"#ffffff\" stroke=\"{stroke}\"{dash}/>"
        ),
    );
    drawing.add_text(x + 12, y + 21, &node.name, "font-weight=\"bold\"");
    if let Some(trouble) = node.trouble() {
        let end = format!("text-anchor=\"end\" fill=\"{PROBLEM_COLOUR}\"");
        drawing.add_text(x + NODE_CARD_WIDTH - 12, y + 21, &trouble.text(), &end);
    }
    for (index, pod) in pods.iter().enumerate() {
        let (x, y) = (
            x + 12 + index % PODS_PER_ROW * POD_DISTANCE,
            y + 32 + index / PODS_PER_ROW * POD_DISTANCE,
        );
        draw_pod(drawing, x, y, pod, colour_of_owner(&pod.owner));
    }
    for (index, line) in lines.iter().enumerate() {
        let attributes = format!("font-size=\"11\" fill=\"{DIFFERS_FROM_API_COLOUR}\"");
        drawing.add_text(x + 12, y + 40 + rows * POD_DISTANCE + index * 17, line, &attributes);
    }
    height
}

/// Wraps a sentence into lines that fit on a node's card. An ellipsis replaces the text beyond the maximum number of
/// lines.
fn wrap_node_card_text(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = lines.len() == MAX_NODE_CARD_LINES;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= MAX_NODE_CARD_LINE_CHARS => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) if is_full => {
                line.push('…');
                break;
            }
            _ => lines.push(word.chars().take(MAX_NODE_CARD_LINE_CHARS).collect()),
        }
    }
    lines
}

/// Draws a pod: its shape and texture show its state, its colour shows its owner, and its title names both.
fn draw_pod(drawing: &mut ClusterDrawing, x: usize, y: usize, pod: &PodView, colour: &str) {
    let (fill, stroke, extra, ink, sign) = match pod.mark {
        PodMark::Ready => (colour, colour, "", "#ffffff", ""),
        PodMark::NotReady => (colour, colour, " fill-opacity=\"0.55\"", "#1c2433", "!"),
        PodMark::Terminating => ("#ffffff", colour, " stroke-width=\"3\"", "#1c2433", "↓"),
        PodMark::CrashLoop => (colour, PROBLEM_COLOUR, " stroke-width=\"2\"", "#ffffff", "↻"),
        PodMark::Succeeded => ("#eceff5", colour, "", "#4a5362", "✓"),
        PodMark::Failed => ("#eceff5", colour, "", "#4a5362", "✗"),
        PodMark::Ghost => (
            "none",
            DIFFERS_FROM_API_COLOUR,
            " stroke-width=\"2\" stroke-dasharray=\"2 3\"",
            DIFFERS_FROM_API_COLOUR,
            "",
        ),
        PodMark::Unconfirmed => ("#d7dbe2", colour, "", "#1c2433", "?"),
        PodMark::Starting | PodMark::Pending => (
            "none",
            colour,
            " stroke-width=\"2\" stroke-dasharray=\"5 3\"",
            "#1c2433",
            "",
        ),
    };
    drawing.add_element(
        POD_LAYER,
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"32\" height=\"32\" rx=\"8\" fill=\"{fill}\" stroke=\"{stroke}\"{extra}><title>{} {}</title></rect>",
            escape_xml(&pod.key),
            escape_xml(&pod.status)
        ),
    );
    let attributes = format!("font-size=\"10\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"{ink}\"");
    drawing.add_text(x + 16, y + 20, &pod.short, &attributes);
    if !sign.is_empty() {
        let attributes = "font-size=\"11\" font-weight=\"bold\" text-anchor=\"middle\"";
        drawing.add_text(x + 29, y + 8, sign, attributes);
    }
}

#[cfg(test)]
mod tests {
    use super::{escape_xml, wrap_node_card_text};

    /// Sentences on a node's card in the SVG image are wrapped between words.
    /// Shows: T-06
    #[test]
    fn long_sentence_is_cut_to_two_lines_with_ellipsis() {
        let text = "c-2: cut off, no heartbeat for 77 s. The API server cannot know whether its pods still run, or what they do.";
        let lines = wrap_node_card_text(text);
        assert_eq!(
            lines,
            [
                "c-2: cut off, no heartbeat for 77 s. The API",
                "server cannot know whether its pods still run,…"
            ]
        );
        assert_eq!(wrap_node_card_text("a-1: off"), ["a-1: off"]);
    }

    /// XML 1.0 cannot represent most control characters, so the SVG image shows them as visible symbols.
    /// Shows: T-06, Q-04
    #[test]
    fn escaped_text_is_valid_xml() {
        let every: String = (0..=0x1_ffff).filter_map(char::from_u32).collect();
        let is_xml = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        let written = escape_xml(&every);
        assert_eq!(written.chars().find(|c| !is_xml(*c)), None);
        assert!(!written.contains(['<', '>', '"']));
        assert_eq!(escape_xml("a\u{1b}<b>&\u{ffff}"), "a\\u001b&lt;b&gt;&amp;\\uffff");
    }
}
