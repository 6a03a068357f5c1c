//! Files made of a session (T-05, T-06): a scenario with the user's commands, and a picture.

use serde_json::{Value, json};

use crate::host::Picked;
use crate::scenario::Start;
use crate::timeline::Session;
use crate::view::{Owners, Picture, ZONE};
use podscope_api::ConditionStatus;
use podscope_kubectl::command::Command;
use podscope_kubectl::duration::print_duration;
use podscope_protocol::{NodeView, PodMark, PodView};

/// The Scenario document of a session, or an empty one, and its other documents.
fn documents(session: &Session) -> (Value, Vec<Value>) {
    let loaded = session.loaded();
    let mut scenario =
        json!({"apiVersion": "podscope.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "session"}, "spec": {}});
    let mut documents = Vec::new();
    for (_, text) in &loaded.files {
        let parsed = podscope_api::parse(&crate::scenario::readable(text).text);
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

/// What was done as a lesson to be written on: a step for each command, with the command as its last hint and what was
/// picked after it as its goals, and all commands as the solution. Every goal is in some step, be there a command or none.
/// A step waits for the goal of the one before; for several by having no `when`, as all that was to be reached is waited
/// for anyway, and a `when` has room for one.
/// What has to be said and asked is its author's to fill in; [`crate::author`] says what is missing.
pub(crate) fn lesson(session: &Session, goals: &[Picked]) -> String {
    let (mut scenario, documents) = documents(session);
    let commands = session.commands();
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        for part in ["steps", "solution", "wrong", "bypasses", "expect"] {
            spec.remove(part);
        }
        spec.insert("seed".into(), Value::from(session.loaded().setup.seed));
        spec.insert("solution".into(), commands.iter().map(entry).collect());
        spec.insert("steps".into(), steps(&commands, goals));
    }
    print(&scenario, &documents)
}

fn steps(commands: &[crate::scenario::Timed], goals: &[Picked]) -> Value {
    let mut steps: Vec<Value> = Vec::new();
    let mut before: Vec<Value> = Vec::new();
    // Goals without any command are a step's too.
    let count = commands.len().max(usize::from(!goals.is_empty()));
    for index in 0..count {
        // What was picked before the first command is its step's too.
        let is_here = |picked: &&Picked| picked.after.clamp(1, count) == index + 1;
        let here: Vec<Value> = goals.iter().filter(is_here).map(|picked| picked.goal.clone()).collect();
        let mut step = json!({"text": "Say what has happened, and what is to be done now."});
        if let Some(timed) = commands.get(index) {
            step["hints"] = json!([timed.command.to_string()]);
        }
        if let [when] = &*before {
            step["when"] = when.clone();
        }
        if !here.is_empty() {
            step["goal"] = Value::Array(here.clone());
        }
        before = here;
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

/// A command as an entry of a timeline.
fn entry(timed: &crate::scenario::Timed) -> Value {
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

/// The session as one scenario file: the Scenario document with the user's commands in its timeline, then the objects.
pub fn scenario(session: &Session) -> String {
    let loaded = session.loaded();
    let (mut scenario, documents) = documents(session);
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("seed".into(), Value::from(loaded.setup.seed));
        if loaded.start == Start::Chosen {
            let start = podscope_api::print_rfc3339(loaded.setup.start.0, 0);
            spec.insert("start".into(), start.into());
        }
        // A dump has no nodes but its own, wherever it is opened again.
        if loaded.setup.nodes.names().next().is_none() && !spec.contains_key("cluster") {
            spec.insert("cluster".into(), json!({"nodesPerZone": 0}));
        }
        let entries = spec.entry("timeline").or_insert_with(|| json!([]));
        if let Some(list) = entries.as_array_mut() {
            for timed in session.commands() {
                list.push(entry(&timed));
            }
        }
    }
    print(&scenario, &documents)
}

fn print(scenario: &Value, documents: &[Value]) -> String {
    let mut text = podscope_api::print_yaml(scenario);
    for document in documents {
        text.push_str("---\n");
        text.push_str(&podscope_api::print_yaml(document));
    }
    text
}

/// Text as XML 1.0 takes it: most controls are forbidden there however they are written, so they are shown.
fn escape(text: &str) -> String {
    podscope_api::visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Owner colours: the page's, light.
const HUES: [&str; 8] = [
    "#026fd7", "#0c6149", "#a46827", "#762682", "#5229aa", "#237293", "#70280a", "#516000",
];
const BARE: &str = "#5d646f";
const BAD: &str = "#9e001f";
const GHOST: &str = "#8f2e8a";
/// Zones beside each other, pods in a row of a node, and sizes, in units of the drawing.
const COLUMNS: usize = 3;
const ROW: usize = 7;
const CARD: usize = 290;
const STEP: usize = 38;

/// A drawing in the making: what lies lowest first, an element of SVG each.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) layers: [Vec<String>; LAYERS],
    pub(crate) height: usize,
}

/// Zones, cards, marks, and what is written.
pub(crate) const LAYERS: usize = 4;
const ZONES: usize = 0;
const CARDS: usize = 1;
const MARKS: usize = 2;
const WORDS: usize = 3;

/// How wide a drawing is.
pub(crate) const WIDTH: usize = MARGIN + COLUMNS * (CARD + 30) - 10 + MARGIN;
const MARGIN: usize = 16;
/// Letters in a line of a card, and how many such lines a sentence may take.
const LINE: usize = 46;
const LINES: usize = 2;

impl Sheet {
    fn put(&mut self, layer: usize, element: String) {
        self.layers[layer].push(element);
    }

    pub(crate) fn write(&mut self, x: usize, y: usize, words: &str, how: &str) {
        self.put(WORDS, text(x, y, words, how));
    }
}

/// The cluster at the cursor as SVG: zones beside each other, their nodes with what they hold, as on the page.
pub fn picture(session: &Session) -> String {
    let sheet = sheet(session, "");
    let body: Vec<String> = sheet.layers.into_iter().flatten().collect();
    document(sheet.height, &body.join("\n"))
}

/// An SVG document of that height.
pub(crate) fn document(height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1c2433\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}\n</svg>\n"
    )
}

/// The drawing at the cursor; `caption` says what has just happened.
pub(crate) fn sheet(session: &Session, caption: &str) -> Sheet {
    let frame = Picture::default().follow(session, ZONE, &mut Owners::default(), Default::default());
    let owners = frame.owners.unwrap_or_default();
    let hue = |owner: &str| {
        let known = owners.iter().find(|known| known.id == owner);
        known.map_or(BARE, |known| HUES[usize::from(known.hue) % HUES.len()])
    };
    let (mut sheet, mut top) = (Sheet::default(), 64);
    sheet.write(
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
    sheet.write(16, 47, &now, "fill=\"#4a5362\"");
    if !caption.is_empty() {
        let short: String = caption.chars().take(100).collect();
        sheet.write(190, 47, &short, "font-weight=\"bold\"");
    }
    for row in frame.groups.unwrap_or_default().chunks(COLUMNS) {
        let mut bottom = top;
        for (column, group) in row.iter().enumerate() {
            let (x, mut y) = (16 + column * (CARD + 30), top + 28);
            let name = if group.name.is_empty() {
                "without a zone".into()
            } else {
                format!("zone {}", group.name)
            };
            sheet.write(x + 10, top + 19, &name, "font-weight=\"bold\"");
            for node in group
                .nodes
                .iter()
                .filter_map(|name| frame.nodes.iter().find(|n| n.name == *name))
            {
                let all = frame.pods.iter().map(AsRef::as_ref);
                let pods: Vec<&PodView> = all.filter(|pod| pod.node == node.name).collect();
                y += card(&mut sheet, x + 10, y, node, &pods, &hue) + 10;
            }
            sheet.put(
                ZONES,
                format!(
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"14\" fill=\"#eceff5\"/>",
                    CARD + 20,
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
        sheet.write(26, top + 22, "pending", "font-weight=\"bold\"");
        for (at, pod) in pending.iter().enumerate() {
            let (x, y) = (100 + at % 20 * STEP, top + at / 20 * STEP);
            mark(&mut sheet, x, y, pod, hue(&pod.owner));
        }
        top += pending.len().div_ceil(20) * STEP + 8;
    }
    sheet.height = top;
    sheet
}

fn text(x: usize, y: usize, text: &str, how: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" {how}>{}</text>", escape(text))
}

/// A node with its pods; its height.
fn card(
    sheet: &mut Sheet,
    x: usize,
    y: usize,
    node: &NodeView,
    pods: &[&PodView],
    hue: &dyn Fn(&str) -> &'static str,
) -> usize {
    let lines: Vec<String> = node
        .machine
        .differs
        .iter()
        .flat_map(|line| wrap(&line.to_string()))
        .collect();
    let rows = pods.len().div_ceil(ROW);
    let height = 34 + rows * STEP + lines.len() * 17;
    let (stroke, dash) = match (node.machine.cuts.is_empty(), node.ready == ConditionStatus::True) {
        (false, _) => (BAD, " stroke-dasharray=\"5 3\""),
        (true, false) => (BAD, ""),
        (true, true) => ("#d7dbe2", ""),
    };
    sheet.put(
        CARDS,
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CARD}\" height=\"{height}\" rx=\"10\" fill=\"#ffffff\" stroke=\"{stroke}\"{dash}/>"
        ),
    );
    sheet.write(x + 12, y + 21, &node.name, "font-weight=\"bold\"");
    if let Some(trouble) = node.trouble() {
        let end = format!("text-anchor=\"end\" fill=\"{BAD}\"");
        sheet.write(x + CARD - 12, y + 21, trouble.words(), &end);
    }
    for (at, pod) in pods.iter().enumerate() {
        let (x, y) = (x + 12 + at % ROW * STEP, y + 32 + at / ROW * STEP);
        mark(sheet, x, y, pod, hue(&pod.owner));
    }
    for (at, line) in lines.iter().enumerate() {
        let how = format!("font-size=\"11\" fill=\"{GHOST}\"");
        sheet.write(x + 12, y + 40 + rows * STEP + at * 17, line, &how);
    }
    height
}

/// A sentence in lines of a card, broken between words; what has no room is left out, and said to be.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = lines.len() == LINES;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) if is_full => {
                line.push('…');
                break;
            }
            _ => lines.push(word.chars().take(LINE).collect()),
        }
    }
    lines
}

/// A pod's mark: shape and texture say the state, colour the owner, the title both in words.
fn mark(sheet: &mut Sheet, x: usize, y: usize, pod: &PodView, colour: &str) {
    let (fill, stroke, extra, ink, sign) = match pod.mark {
        PodMark::Ready => (colour, colour, "", "#ffffff", ""),
        PodMark::NotReady => (colour, colour, " fill-opacity=\"0.55\"", "#1c2433", "!"),
        PodMark::Terminating => ("#ffffff", colour, " stroke-width=\"3\"", "#1c2433", "↓"),
        PodMark::CrashLoop => (colour, BAD, " stroke-width=\"2\"", "#ffffff", "↻"),
        PodMark::Succeeded => ("#eceff5", colour, "", "#4a5362", "✓"),
        PodMark::Failed => ("#eceff5", colour, "", "#4a5362", "✗"),
        PodMark::Ghost => ("none", GHOST, " stroke-width=\"2\" stroke-dasharray=\"2 3\"", GHOST, ""),
        PodMark::Unconfirmed => ("#d7dbe2", colour, "", "#1c2433", "?"),
        PodMark::Starting | PodMark::Pending => (
            "none",
            colour,
            " stroke-width=\"2\" stroke-dasharray=\"5 3\"",
            "#1c2433",
            "",
        ),
    };
    sheet.put(
        MARKS,
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"32\" height=\"32\" rx=\"8\" fill=\"{fill}\" stroke=\"{stroke}\"{extra}><title>{} {}</title></rect>",
            escape(&pod.key),
            escape(&pod.status)
        ),
    );
    let how = format!("font-size=\"10\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"{ink}\"");
    sheet.write(x + 16, y + 20, &pod.short, &how);
    if !sign.is_empty() {
        let how = "font-size=\"11\" font-weight=\"bold\" text-anchor=\"middle\"";
        sheet.write(x + 29, y + 8, sign, how);
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, wrap};

    /// What a machine does is told in whole words.
    /// Shows: T-06
    #[test]
    fn a_long_sentence_is_told_in_two_lines_and_says_what_is_left_out() {
        let text = "c-2: cut off, no heartbeat for 77 s. The API server cannot know whether its pods still run, or what they do.";
        let lines = wrap(text);
        assert_eq!(
            lines,
            [
                "c-2: cut off, no heartbeat for 77 s. The API",
                "server cannot know whether its pods still run,…"
            ]
        );
        assert_eq!(wrap("a-1: off"), ["a-1: off"]);
    }

    /// XML 1.0 has no way to write most control characters, so a title that holds some shows them.
    /// Shows: T-06, Q-04
    #[test]
    fn any_text_is_well_formed_in_a_picture() {
        let every: String = (0..=0x1_ffff).filter_map(char::from_u32).collect();
        let is_xml = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        let written = escape(&every);
        assert_eq!(written.chars().find(|c| !is_xml(*c)), None);
        assert!(!written.contains(['<', '>', '"']));
        assert_eq!(escape("a\u{1b}<b>&\u{ffff}"), "a\\u001b&lt;b&gt;&amp;\\uffff");
    }
}
