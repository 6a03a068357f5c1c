//! The alarm for a broken guarantee: an arc joins the processes that break the guarantee, and a large text names it.
//! The alarm stays until the user closes it.

use podscope_api::ordered::Set;
use podscope_messages::t;
use podscope_protocol::{BrokenInvariant, Micros, PodMark, SubjectRef};
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::overview::Rect;
use crate::pure::stage::StageSize;
use crate::pure::stage::arc::arc;
use crate::state::Model;

/// Guarantees whose alarm was closed, with the instant of the violation: a later violation of the same guarantee shows
/// an alarm again.
pub(crate) type ClosedAlarms = Set<(String, Micros)>;

/// Guarantees whose alarms have priority: violations of other guarantees result from these or lead to them.
const PRIORITY_GUARANTEES: [&str; 2] = ["at-most-one", "single-writer"];

/// Returns the violation whose alarm is shown: the most important one that was not closed.
pub(crate) fn violation_to_show<'a>(model: &'a Model, closed: &ClosedAlarms) -> Option<&'a BrokenInvariant> {
    let all = || (model.plane.broken.iter()).filter(|broken| !closed.contains(&(broken.name.clone(), broken.at)));
    let named = PRIORITY_GUARANTEES
        .iter()
        .find_map(|name| all().find(|broken| broken.name == *name));
    named.or_else(|| all().next())
}

/// Returns ids of the pods that break a guarantee: those that the violation's text names and that have a running
/// process.
pub(crate) fn breaking_pods(model: &Model, broken: &BrokenInvariant) -> Vec<String> {
    let seen = broken.seen.to_string();
    let is_word = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || c == '/';
        seen.split(|c: char| !is_part(c))
            .any(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()) == name)
    };
    let names = |key: &str| is_word(key) || key.split_once('/').is_some_and(|(_, name)| is_word(name));
    let runs = |id: &str, node: &str, uid: &str, mark: PodMark| {
        let state = model.nodes.get(node);
        !id.is_empty()
            && (mark == PodMark::Ghost
                || state.is_some_and(|node| node.view.machine.running.iter().any(|one| one == uid)))
    };
    (model.pods.values())
        .filter(|pod| !pod.node.is_empty() && names(&pod.key) && runs(&pod.id, &pod.node, pod.uid(), pod.mark))
        .map(|pod| pod.id.clone())
        .collect()
}

/// The title of an invariant: `At most one` for `at-most-one`.
pub(super) fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    (letters.next()).map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_uppercase()).chain(letters).collect()
    })
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) broken: BrokenInvariant,
    /// The instant from which the guarantee holds again.
    pub(crate) restored_at: Option<Micros>,
    /// Positions of the pods whose processes break the guarantee.
    pub(crate) marks: Vec<Rect>,
    pub(crate) room: StageSize,
    /// The lower edge of the control plane, in CSS pixels.
    pub(crate) top: f64,
    pub(crate) height: f64,
    pub(crate) read: Callback<MouseEvent>,
}

#[component]
pub(crate) fn ViolationAlarm(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    use_effect_with(props.marks.clone(), |_| {
        // On a small stage that scrolls, both processes are scrolled into view.
        browser::scroll_all_into_view("#stage .pod.breaks");
    });
    let broken = &props.broken;
    let unit = props.room.unit;
    // On a narrow stage the alarm is one line, so that the processes stay visible.
    let is_narrow = props.room.is_narrow();
    let height = if is_narrow { 54.0 } else { 172.0 };
    let size = ((400.0 * unit).min(props.room.w - 16.0), height * unit);
    let drawn = match props.marks.as_slice() {
        [one, other, ..] => Some(arc(*one, *other, props.room, props.top, size)),
        _ => None,
    };
    let centre = drawn.as_ref().map_or(
        (props.room.w / 2.0, props.top + (props.room.h - props.top) / 2.0),
        |arc| arc.text_centre,
    );
    let name = title(&broken.name);
    let count = props.marks.len();
    let (large, small) = if broken.name == "at-most-one" && count > 1 {
        (
            t!(broken::processes_of_one_name, count = count),
            format!("{name}: {}", violation_outcome(props)),
        )
    } else {
        (name, violation_outcome(props))
    };
    let select = ctl.select(SubjectRef::Invariant {
        name: broken.name.clone(),
    });
    html! {
        <>
            if let Some(arc) = &drawn {
                <svg class="wires threads" viewBox={format!("0 0 {:.1} {:.1}", props.room.w, props.height)} aria-hidden="true">
                    <defs><marker id="arc-end" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" markerHeight="6" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" /></marker></defs>
                    <path class="thread ghost" d={arc.path.clone()} marker-start="url(#arc-end)" marker-end="url(#arc-end)" />
                </svg>
            }
            <section class={classes!("verdict-words", is_narrow.then_some("low"))} data-broken={broken.name.clone()} role="status" ~style={format!("--x:{:.1}px;top:{:.1}px;--w:{:.1}px", centre.0, centre.1, size.0)}>
                <button type="button" class="quiet" onclick={props.read.clone()} aria-label={t!(broken::close)}>{ icon("cross") }</button>
                <h2>{ large }</h2>
                <p class="k">{ shown(&small) }</p>
                <p>{ shown(&broken.seen.to_string()) }</p>
                <button type="button" class="chip" onclick={select}>{ t!(broken::ways_back) }</button>
            </section>
        </>
    }
}

/// Describes the end of the violation, or what caused it.
fn violation_outcome(props: &Props) -> String {
    let by = &props.broken.by;
    match props.restored_at {
        Some(at) => t!(
            broken::was_broken_by,
            duration = clock::rounded_duration(at - props.broken.at),
            cause = by
        ),
        None => t!(broken::broken_by, cause = by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{Frame, NodeView, PodView};
    use std::sync::Arc;

    /// A violation's text names two pods. The pods with a running process are returned, on whatever node they run.
    /// Shows: U-02
    #[test]
    fn breaking_pods_are_named_and_have_a_process() {
        let pod = |id: &str, key: &str, node: &str, mark| {
            Arc::new(PodView {
                id: id.into(),
                key: key.into(),
                node: node.into(),
                mark,
                ..PodView::default()
            })
        };
        let node = |name: &str, running: &[&str]| {
            let mut view = NodeView {
                name: name.into(),
                ..NodeView::default()
            };
            view.machine.running = running.iter().map(|uid| (*uid).to_owned()).collect();
            view
        };
        let mut model = Model::default();
        model.apply(Frame {
            reset: true,
            nodes: vec![node("a-1", &["u1"]), node("c-1", &["u2", "u3"])],
            pods: vec![
                pod("u1@a-1", "default/web-0", "a-1", PodMark::Ghost),
                pod("u2", "default/web-0", "c-1", PodMark::Ready),
                pod("u3", "default/web-00", "c-1", PodMark::Ready),
                pod("u4", "default/web-0", "c-1", PodMark::Starting),
            ],
            ..Frame::default()
        });
        let broken = BrokenInvariant {
            name: "at-most-one".into(),
            seen: "processes of two pods StatefulSet default/web-0 run: a-1 and c-1".into(),
            ..BrokenInvariant::default()
        };
        assert_eq!(breaking_pods(&model, &broken), ["u1@a-1", "u2"]);
        let mut read = ClosedAlarms::default();
        assert_eq!(title(&broken.name), "At most one");
        model.plane = crate::state::Shared::new(podscope_protocol::ControlPlaneView {
            broken: vec![broken],
            ..podscope_protocol::ControlPlaneView::default()
        });
        assert!(violation_to_show(&model, &read).is_some());
        read.insert(("at-most-one".into(), 0));
        assert!(violation_to_show(&model, &read).is_none());
    }
}
