//! A pod's mark (its icon on the stage). Shape and texture show the pod's state, the colour its owner. The accessible
//! name contains both for screen readers.

use podscope_messages::{Message, pod as sentences, t};
use podscope_protocol::{ContainerStage, Micros, PodMark, PodView, TerminationStage};
use yew::prelude::*;

use super::emphasis::PodEmphasis;
use super::icon;
use super::shown::{key_of_text_width, shown};
use super::story::AnswerMark;
use crate::pure::clock;
use crate::pure::names;
use crate::pure::overview::Rect;
use crate::pure::stage::fit::DetailLevel;
use crate::pure::stage::halves::MarkContent;
use crate::pure::stage::shape;
use crate::state::Shared;

/// Position of a mark (pod icon) on its node, its level of detail and its texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) rect: Rect,
    pub(crate) detail: DetailLevel,
    /// One pixel at the default font size of 14 pixels: the root's font size / 14.
    pub(crate) unit: f64,
    pub(crate) content: MarkContent,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) pod: Shared<PodView>,
    pub(crate) hue: u8,
    pub(crate) now: Micros,
    /// The state to draw, if it is not `pod.mark`.
    #[prop_or_default]
    pub(crate) drawn: Option<PodMark>,
    /// Position on a node; `None` for a pending pod, and for a mark (pod icon) that is drawn outside the stage.
    #[prop_or_default]
    pub(crate) place: Option<Place>,
    #[prop_or_default]
    pub(crate) emphasis: PodEmphasis,
}

/// Returns the CSS class for a pod's state.
pub(crate) fn class(mark: PodMark) -> &'static str {
    match mark {
        PodMark::Pending => "m-pending",
        PodMark::Starting => "m-starting",
        PodMark::Ready => "m-ready",
        PodMark::NotReady => "m-notready",
        PodMark::Terminating => "m-term",
        PodMark::CrashLoop => "m-crash",
        PodMark::Succeeded => "m-done",
        PodMark::Failed => "m-failed",
        PodMark::Ghost => "m-ghost",
        PodMark::Unconfirmed => "m-unsure",
    }
}

/// Describes the pod's state.
pub(crate) fn state_text(pod: &PodView) -> String {
    match pod.mark {
        PodMark::Pending => t!(pod::pending),
        PodMark::Starting => t!(pod::starting, status = pod.status),
        PodMark::Ready => t!(pod::running_ready),
        PodMark::NotReady => t!(pod::running_not_ready),
        PodMark::Terminating => match &pod.termination {
            Some(termination) => termination_message(termination.stage).text(),
            None => t!(pod::terminating),
        },
        PodMark::CrashLoop => t!(pod::crashing),
        PodMark::Succeeded => t!(pod::succeeded),
        PodMark::Failed => t!(pod::failed, status = pod.status),
        PodMark::Ghost => t!(pod::ghost),
        PodMark::Unconfirmed => t!(pod::unconfirmed),
    }
}

/// Describes the phase of a pod's termination and its next step.
fn termination_message(stage: TerminationStage) -> Message {
    match stage {
        TerminationStage::NotObserved => sentences::terminating_unobserved,
        TerminationStage::Unreachable => sentences::terminating_unreachable,
        TerminationStage::PreStop => sentences::terminating_prestop,
        TerminationStage::Turn => sentences::terminating_turn,
        TerminationStage::Sigterm => sentences::terminating_sigterm,
        TerminationStage::Killed => sentences::terminating_killed,
    }
}

/// Returns the value of the attribute `data-stage`: the phase of the pod's termination.
fn stage_attribute(stage: TerminationStage) -> &'static str {
    match stage {
        TerminationStage::NotObserved | TerminationStage::Unreachable => "waiting",
        TerminationStage::PreStop | TerminationStage::Turn => "preStop",
        TerminationStage::Sigterm => "sigterm",
        TerminationStage::Killed => "killed",
    }
}

fn pod_label(pod: &PodView) -> String {
    let name = names::without_default_namespace(&pod.key);
    // Begin the label with the short name that is printed on the pod, because users of speech input say what they see.
    let mut text = if pod.short.is_empty() || name == pod.short {
        String::new()
    } else {
        format!("{}: ", pod.short)
    };
    text.push_str(&t!(pod::name, pod = name, state = state_text(pod)));
    if !pod.owner.is_empty() {
        text.push_str(&format!(", {}", t!(pod::of_owner, owner = pod.owner)));
    }
    if pod.priority != 0 {
        text.push_str(&format!(", {}", t!(pod::priority, priority = pod.priority)));
    }
    podscope_api::visible(&text).into_owned()
}

/// A pod as a button: a click selects it, and it can be dragged.
#[component]
pub(crate) fn Pod(props: &Props) -> Html {
    let pod = &*props.pod;
    let left = pod.termination.as_ref().map(|termination| match termination.until {
        Some(until) if until > termination.since => {
            (until - props.now).clamp(0, until - termination.since) * 1000 / (until - termination.since)
        }
        // Without a known deadline the countdown ring stays full.
        None => 1000,
        Some(_) => 0,
    });
    let detail = props.place.as_ref().map_or(DetailLevel::Square, |place| place.detail);
    let mut style = left.map_or_else(String::new, |per_mille| {
        format!("--left:{}.{}%;", per_mille / 10, per_mille % 10)
    });
    if let Some(place) = &props.place {
        let rect = place.rect;
        style.push_str(&format!(
            "translate:{:.1}px {:.1}px;width:{:.1}px;height:{:.1}px;--pod:{:.1}px",
            rect.x,
            rect.y,
            rect.w,
            rect.h,
            rect.w.min(rect.h)
        ));
    }
    let stage = pod
        .termination
        .as_ref()
        .map(|termination| stage_attribute(termination.stage));
    let mark = props.drawn.unwrap_or(pod.mark);
    let ghost = pod.mark == PodMark::Ghost;
    let is_torn = matches!(
        &props.place,
        Some(Place {
            content: MarkContent::Torn { .. },
            ..
        })
    );
    let label = full_label(props);
    html! {
        <button
            type="button"
            class={classes!("pod", class(mark), detail.class(), format!("h{}", props.hue), props.place.is_some().then_some("placed"), props.place.as_ref().filter(|place| is_slim(place)).map(|_| "slim"), is_torn.then_some("torn"), props.emphasis.selected.then_some("sel"), props.emphasis.victim.then_some("victim"), props.emphasis.is_filtered_out.then_some("out"), props.emphasis.differs.then_some("differs"), props.emphasis.breaks.then_some("breaks"), props.emphasis.answer_mark.map(AnswerMark::outline))}
            ~style={style}
            data-id={pod.id.clone()}
            data-pod={pod.key.clone()}
            data-uid={pod.uid().to_owned()}
            data-phase={pod.phase.clone()}
            data-ghost={if ghost { "true" } else { "false" }}
            data-stage={stage}
            data-nav="pod"
            tabindex="-1"
            aria-pressed={if props.emphasis.selected { "true" } else { "false" }}
            // The title is also the accessible name: the printed texts are shortened, and hidden from screen readers.
            title={label}
        >
            { match &props.place {
                Some(place) => html! { <>{ mark_surface(place, left, mark) }{ mark_texts(props, place, mark) }</> },
                None => html! { <span class="face" aria-hidden="true"><span class="t">{ shown(&pod.short) }</span></span> },
            } }
            if detail == DetailLevel::Square || detail.is_card() && !is_torn { { corner_symbol(mark) } }
            if pod.ticks > 0 && detail >= DetailLevel::Square && !detail.is_large() {
                <span class="ticks">{ for (0..pod.ticks.min(3)).map(|_| html! { <i></i> }) }</span>
            }
            if pod.containers.len() > 1 && !ghost && detail >= DetailLevel::Square {
                <span class="dots">{ for pod.containers.iter().take(6).map(|container| html! { <i class={classes!(container_class(*container))}></i> }) }</span>
            }
        </button>
    }
}

/// Returns the pod's label for screen readers: its name and state, any difference between API server and machine or
/// between the compared runs, and its answer mark.
fn full_label(props: &Props) -> String {
    let mut label = pod_label(&props.pod);
    if let Some(Place {
        content: content @ MarkContent::Torn { .. },
        ..
    }) = &props.place
    {
        label.push_str("; ");
        label.push_str(&content.single_line_text());
    }
    if props.emphasis.differs {
        label.push_str(&format!("; {}", t!(pod::differs)));
    }
    if let Some((_, words)) = props.emphasis.answer_mark.map(AnswerMark::label) {
        label.push_str("; ");
        label.push_str(&words.text());
    }
    label
}

/// Returns whether a pod with a large mark (icon) is too narrow for text in large type.
fn is_slim(place: &Place) -> bool {
    place.detail == DetailLevel::Large && place.rect.w < 166.0 * place.unit
}

/// Draws the background of a mark (pod icon), in one piece or torn into two halves, with the ring that counts down its
/// termination.
fn mark_surface(place: &Place, remaining_permille: Option<i64>, mark: PodMark) -> Html {
    let (w, h) = (place.rect.w, place.rect.h);
    let torn = match &place.content {
        MarkContent::Torn { api, process, .. } if place.detail >= DetailLevel::Square => {
            Some((api.surface, process.surface))
        }
        _ => None,
    };
    let radius = shape::mark_corner_radius(h, place.unit);
    let ring = remaining_permille.filter(|_| mark == PodMark::Terminating).map(|left| {
        let out = (3.5 * place.unit).min(w * 0.09);
        let size = |side: f64| format!("{:.1}", side + 2.0 * out);
        let ring = |class: &'static str, dash: Option<String>| html! {
            <rect {class} x={format!("{:.1}", -out)} y={format!("{:.1}", -out)} width={size(w)} height={size(h)} rx={format!("{:.1}", radius + out)} pathLength="100" stroke-dasharray={dash} />
        };
        html! { <>{ ring("ring rest", None) }{ ring("ring", Some(format!("{}.{} 100", left / 10, left % 10))) }</> }
    });
    if torn.is_none() && ring.is_none() {
        return html! { <span class="face"></span> };
    }
    html! {
        <>
            if torn.is_none() { <span class="face"></span> }
            <svg class="halves" viewBox={format!("0 0 {w:.1} {h:.1}")} aria-hidden="true">
                if let Some((api, process)) = torn {
                    { torn_mark_surface(w, h, place.unit, api.class(), process.class()) }
                }
                { ring }
            </svg>
        </>
    }
}

fn torn_mark_surface(w: f64, h: f64, unit: f64, api_class: &'static str, process_class: &'static str) -> Html {
    let (upper, lower) = shape::torn_mark_halves(w, h, unit);
    html! { <><path class={api_class} d={upper} /><path class={process_class} d={lower} /></> }
}

/// Renders as many lines of text as fit on a mark (pod icon).
fn mark_texts(props: &Props, place: &Place, mark: PodMark) -> Html {
    let pod = &*props.pod;
    // The keys contain state and size. When these change the texts are new elements, which browsers do not count as a
    // layout shift.
    let is_torn = matches!(place.content, MarkContent::Torn { .. });
    let (w, h) = (place.rect.w, place.rect.h);
    let key = |of: &str| {
        format!(
            "{of} {}{} {w:.1} {h:.1}",
            class(mark),
            if is_torn { " torn" } else { "" }
        )
    };
    let detail = place.detail;
    if detail == DetailLevel::Dot {
        return Html::default();
    }
    let countdown = pod
        .termination
        .as_ref()
        .and_then(|termination| termination.until)
        .or(pod.countdown);
    let left = countdown.map(|until| clock::countdown(until, props.now));
    if !detail.is_card() {
        // In the smallest type a short name needs 27 units, and a short name above the remaining seconds needs 38.
        let side = w.min(h) / place.unit;
        let seconds = left.or_else(|| pod.termination.is_some().then(|| "?".into()));
        let seconds = seconds.filter(|_| side >= 38.0);
        return html! {
            <>
                if side >= 27.0 { <span class="t" key={key("t")} aria-hidden="true">{ shown(&pod.short) }</span> }
                if let Some(seconds) = seconds { <small data-left={seconds} aria-hidden="true"></small> }
            </>
        };
    }
    let (margin, letter) = match detail {
        DetailLevel::Huge => (36.0, 16.4),
        DetailLevel::Large if !is_slim(place) => (28.0, 13.4),
        _ => (22.0, 10.8),
    };
    let letters = (place.rect.w / place.unit - margin) / letter;
    let name = names::shortened(names::without_default_namespace(&pod.key), letters as usize);
    match &place.content {
        MarkContent::Torn { api, process, next } => html! {
            <>
                <span class="up" key={key("up")} aria-hidden="true"><b>{ shown(&name) }</b><span class="api-word">{ &api.words }</span></span>
                <span class={classes!("lo", process.surface.class())} key={key("lo")} aria-hidden="true"><b>{ &process.words }</b>
                    { if next.is_empty() { html! { <span>{ shown(&pod.image) }</span> } } else { html! { <span class="left">{ next }</span> } } }
                </span>
            </>
        },
        MarkContent::Whole(words) => {
            let age = pod
                .running_since
                .filter(|_| detail.is_large())
                .map(|since| clock::age(since, props.now))
                .unwrap_or_default();
            let priority = (pod.priority != 0).then(|| {
                t!(
                    pod::priority,
                    priority = clock::number_in_digit_groups(i64::from(pod.priority))
                )
            });
            let end = if words.is_empty() {
                html! { <span key={key_of_text_width(&age)}>{ age }</span> }
            } else {
                html! { <span key={key_of_text_width(words)}><b>{ shown(words) }</b></span> }
            };
            html! {
                <>
                    <span class="up" key={key("up")} aria-hidden="true"><b>{ shown(&name) }</b>
                        { if words.is_empty() || detail.is_large() { html! { <span>{ shown(&pod.image) }</span> } } else { html! { <span class="word">{ shown(words) }</span> } } }
                    </span>
                    if detail.is_large() {
                        <span class="feet" key={key("feet")} aria-hidden="true"><span>{ priority }</span>{ end }</span>
                    }
                </>
            }
        }
    }
}

fn container_class(stage: ContainerStage) -> &'static str {
    match stage {
        ContainerStage::Waiting => "c-waiting",
        ContainerStage::Running => "c-running",
        ContainerStage::Done => "c-done",
        ContainerStage::Failed => "c-failed",
    }
}

/// Returns the symbol in the corner of a mark (pod icon).
pub(crate) fn corner_symbol(mark: PodMark) -> Html {
    let sign = match mark {
        PodMark::Succeeded => "check",
        PodMark::Failed => "cross",
        PodMark::Ghost => "ghost",
        PodMark::Unconfirmed => return html! { <span class="g q" aria-hidden="true">{ "?" }</span> },
        _ => return Html::default(),
    };
    html! { <span class="g">{ icon(sign) }</span> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::TerminationView;

    /// State, owner and priority are in the accessible name, not only in colour and shape.
    /// Shows: U-08
    #[test]
    fn label_names_state_owner_and_priority() {
        let pod = PodView {
            key: "default/web-0".into(),
            short: "w0".into(),
            owner: "StatefulSet default/web".into(),
            priority: 100,
            mark: PodMark::Terminating,
            termination: Some(Box::new(TerminationView {
                stage: TerminationStage::PreStop,
                ..TerminationView::default()
            })),
            ..PodView::default()
        };
        assert_eq!(
            pod_label(&pod),
            "w0: pod web-0, terminating, its preStop hook runs; SIGTERM when the preStop hook ends, or when the grace period is over, of StatefulSet default/web, priority 100"
        );
    }
}
