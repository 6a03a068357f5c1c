//! Files made of a session (T-05, T-06): a scenario with the user's commands, and a picture.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::duration::print_duration;
use crate::protocol::PodMark;
use crate::timeline::Session;
use crate::view::{Owners, Picture, ZONE};

/// The session as one scenario file: the Scenario document with the user's commands in its timeline, then the objects.
pub fn scenario(session: &Session) -> String {
    let loaded = session.loaded();
    let mut scenario =
        json!({"apiVersion": "podscope.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "session"}, "spec": {}});
    let mut documents = Vec::new();
    for (_, text) in &loaded.files {
        let parsed = podscope_api::parse(text);
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
    if let Some(spec) = scenario.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("seed".into(), Value::from(loaded.setup.seed));
        let entries = spec.entry("timeline").or_insert_with(|| json!([]));
        if let Some(list) = entries.as_array_mut() {
            for timed in session.commands() {
                let at = print_duration(timed.at - podscope_cluster::SimTime::ZERO);
                list.push(json!({"at": at, "run": timed.command.to_string()}));
            }
        }
    }
    let mut text = podscope_api::print_yaml(&scenario);
    for document in documents {
        text.push_str("---\n");
        text.push_str(&podscope_api::print_yaml(&document));
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The cluster at the cursor as SVG: groups, nodes, pods with their marks.
pub fn picture(session: &Session) -> String {
    let picture = Picture::of(session, ZONE, &mut Owners::default(), None);
    let frame = picture.delta(None);
    const PALETTE: [&str; 12] = [
        "#3b6fb6", "#b3541e", "#3f8f5f", "#8a4fa3", "#b0892f", "#2f8f9d", "#a33b52", "#5b6b2f", "#6d5bd0", "#c2527a",
        "#4d7f8f", "#7a5c3b",
    ];
    let owners = frame.owners.unwrap_or_default();
    let hue = |owner: &str| {
        owners
            .iter()
            .find(|known| known.id == owner)
            .and_then(|known| PALETTE.get(usize::from(known.hue)))
            .copied()
            .unwrap_or("#666666")
    };
    let mut body = String::new();
    let (mut y, width, per_row) = (40, 900, 26);
    for group in frame.groups.unwrap_or_default() {
        let name = if group.name.is_empty() { "(none)" } else { &group.name };
        let _ = writeln!(
            body,
            "<text x=\"16\" y=\"{}\" font-weight=\"bold\">zone {}</text>",
            y,
            escape(name)
        );
        y += 12;
        for node_name in &group.nodes {
            let Some(node) = frame.nodes.iter().find(|node| node.name == *node_name) else {
                continue;
            };
            let pods: Vec<_> = frame.pods.iter().filter(|pod| pod.node == *node_name).collect();
            let rows = pods.len().div_ceil(per_row).max(1);
            let height = 30 + 30 * rows;
            let stroke = if node.machine.differs.is_empty() {
                "#9aa3ad"
            } else {
                "#c0392b"
            };
            let _ = writeln!(
                body,
                "<rect x=\"16\" y=\"{y}\" width=\"{}\" height=\"{height}\" rx=\"6\" fill=\"none\" stroke=\"{stroke}\"/><text x=\"26\" y=\"{}\">{} {}</text>",
                width - 32,
                y + 18,
                escape(node_name),
                if node.ready == "True" { "" } else { "NotReady" }
            );
            for (at, pod) in pods.iter().enumerate() {
                let (px, py) = (26 + 32 * (at % per_row), y + 26 + 30 * (at / per_row));
                let color = hue(&pod.owner);
                let (fill, dash) = match pod.mark {
                    PodMark::Ready => (color, ""),
                    PodMark::Ghost => ("none", " stroke-dasharray=\"2 2\""),
                    PodMark::Starting => ("none", " stroke-dasharray=\"5 3\""),
                    _ => ("#e3e6ea", ""),
                };
                let text = if fill == color { "#ffffff" } else { "#20262c" };
                let _ = writeln!(
                    body,
                    "<rect x=\"{px}\" y=\"{py}\" width=\"28\" height=\"24\" rx=\"3\" fill=\"{fill}\" stroke=\"{color}\"{dash}><title>{} {}</title></rect><text x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"middle\" fill=\"{text}\">{}</text>",
                    escape(&pod.key),
                    escape(&pod.status),
                    px + 14,
                    py + 16,
                    escape(&pod.short)
                );
            }
            y += height + 8;
        }
        y += 20;
    }
    let pending: Vec<String> = frame
        .pods
        .iter()
        .filter(|pod| pod.node.is_empty())
        .map(|pod| pod.key.clone())
        .collect();
    if !pending.is_empty() {
        let _ = writeln!(
            body,
            "<text x=\"16\" y=\"{y}\">pending: {}</text>",
            escape(&pending.join(", "))
        );
        y += 24;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#20262c\">\n<rect width=\"{width}\" height=\"{y}\" fill=\"#ffffff\"/>\n<text x=\"16\" y=\"20\">Podscope at {}</text>\n{body}</svg>\n",
        crate::view::clock(session.now())
    )
}
