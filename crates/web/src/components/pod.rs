//! A pod's mark. Shape and texture carry its state, colour its owner; words carry both for
//! those who do not see the mark.

use podscope_protocol::{ContainerStage, Micros, PodMark, PodView, TerminationStage};
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use super::story::AnswerMark;
use crate::pure::clock;
use crate::state::Shared;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) pod: Shared<PodView>,
    pub(crate) hue: u8,
    pub(crate) now: Micros,
    #[prop_or_default]
    pub(crate) selected: bool,
    /// The scheduler's answer while a decision is shown: a victim.
    #[prop_or_default]
    pub(crate) victim: bool,
    #[prop_or_default]
    pub(crate) tab_stop: bool,
    /// How it is drawn, where that is not how the pod is taken together.
    #[prop_or_default]
    pub(crate) drawn: Option<PodMark>,
    /// Another run beside this one does not have it so.
    #[prop_or_default]
    pub(crate) differs: bool,
    /// The filter leaves it out.
    #[prop_or_default]
    pub(crate) out: bool,
    /// What is told on it of an answer to a question.
    #[prop_or_default]
    pub(crate) told: Option<AnswerMark>,
}

/// The class of a mark.
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

/// The state in words.
pub(crate) fn words(pod: &PodView) -> String {
    match pod.mark {
        PodMark::Pending => "pending".into(),
        PodMark::Starting => format!("starting, {}", pod.status),
        PodMark::Ready => "running and ready".into(),
        PodMark::NotReady => "running, not ready".into(),
        PodMark::Terminating => match &pod.termination {
            Some(t) => format!("terminating, {}; {}", stage(t.stage), next(t.stage)),
            None => "terminating".into(),
        },
        PodMark::CrashLoop => "crashing, waits before the next start".into(),
        PodMark::Succeeded => "succeeded".into(),
        PodMark::Failed => format!("failed, {}", pod.status),
        PodMark::Ghost => "a process that the API has forgotten".into(),
        PodMark::Unconfirmed => "running as far as the API knows; nobody can confirm it".into(),
    }
}

fn stage(stage: TerminationStage) -> &'static str {
    match stage {
        TerminationStage::Unheard | TerminationStage::Unreachable => "the kubelet does not know yet",
        TerminationStage::PreStop | TerminationStage::Turn => "its preStop hook runs",
        TerminationStage::Sigterm => "SIGTERM was sent",
        TerminationStage::Killed => "SIGKILL was sent",
    }
}

/// What happens next in a termination.
fn next(stage: TerminationStage) -> &'static str {
    match stage {
        TerminationStage::Unheard => "The kubelet has not heard of it yet.",
        TerminationStage::Unreachable => "The kubelet cannot hear of it: nobody knows when it ends.",
        TerminationStage::PreStop => "SIGTERM when the preStop hook ends, or when the grace period is over.",
        TerminationStage::Turn => "Its turn comes when other containers have ended.",
        TerminationStage::Sigterm => "SIGKILL when the grace period is over, unless it exits before.",
        TerminationStage::Killed => "The process ends; then the kubelet removes the pod.",
    }
}

/// The value of `data-stage`.
fn stage_attribute(stage: TerminationStage) -> &'static str {
    match stage {
        TerminationStage::Unheard | TerminationStage::Unreachable => "waiting",
        TerminationStage::PreStop | TerminationStage::Turn => "preStop",
        TerminationStage::Sigterm => "sigterm",
        TerminationStage::Killed => "killed",
    }
}

fn label(pod: &PodView) -> String {
    let name = pod.key.strip_prefix("default/").unwrap_or(&pod.key);
    // What is seen on it comes first: speech input names marks so.
    let mut text = if pod.short.is_empty() || name == pod.short {
        String::new()
    } else {
        format!("{}: ", pod.short)
    };
    text.push_str(&format!("pod {name}, {}", words(pod)));
    if !pod.owner.is_empty() {
        text.push_str(", of ");
        text.push_str(&pod.owner);
    }
    if pod.priority != 0 {
        text.push_str(&format!(", priority {}", pod.priority));
    }
    podscope_api::visible(&text).into_owned()
}

/// The mark as a button: selects the pod, can be dragged.
#[component]
pub(crate) fn Pod(props: &Props) -> Html {
    let pod = &*props.pod;
    let countdown = pod.termination.as_ref().and_then(|t| t.until).or(pod.countdown);
    let left = pod.termination.as_ref().map(|t| match t.until {
        Some(until) if until > t.since => (until - props.now).clamp(0, until - t.since) * 1000 / (until - t.since),
        // Nobody can say when: the ring stays whole.
        None => 1000,
        Some(_) => 0,
    });
    let style = left.map_or_else(String::new, |l| format!("--left:{}.{}%", l / 10, l % 10));
    let stage = pod.termination.as_ref().map(|t| stage_attribute(t.stage));
    let mark = props.drawn.unwrap_or(pod.mark);
    let ghost = pod.mark == PodMark::Ghost;
    let mut label = label(pod);
    if props.differs {
        label.push_str("; not so in the other run");
    }
    if let Some((_, words)) = props.told.map(AnswerMark::said) {
        label.push_str("; ");
        label.push_str(words);
    }
    html! {
        <button
            type="button"
            class={classes!("pod", class(mark), format!("h{}", props.hue), props.selected.then_some("sel"), props.victim.then_some("victim"), props.out.then_some("out"), props.differs.then_some("differs"), props.told.map(AnswerMark::outline))}
            ~style={style}
            data-id={pod.id.clone()}
            data-pod={pod.key.clone()}
            data-uid={pod.uid().to_owned()}
            data-phase={pod.phase.clone()}
            data-ghost={if ghost { "true" } else { "false" }}
            data-stage={stage}
            data-nav="pod"
            tabindex={if props.tab_stop { "0" } else { "-1" }}
            aria-label={label.clone()}
            aria-pressed={if props.selected { "true" } else { "false" }}
            title={label}
        >
            <span class="face"><span class="t">{ shown(&pod.short) }</span></span>
            { glyph(mark) }
            if pod.ticks > 0 {
                <span class="ticks">{ for (0..pod.ticks.min(3)).map(|_| html! { <i></i> }) }</span>
            }
            if pod.containers.len() > 1 && !ghost {
                <span class="dots">{ for pod.containers.iter().take(6).map(|c| html! { <i class={classes!(container_class(*c))}></i> }) }</span>
            }
            if let Some(until) = countdown {
                <small data-left={clock::left(until, props.now)}></small>
            } else if pod.termination.is_some() {
                <small data-left="?"></small>
            }
        </button>
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

/// The sign at a mark's corner.
pub(crate) fn glyph(mark: PodMark) -> Html {
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

    /// State, owner and priority are said in words, not by colour and shape alone.
    /// Shows: U-08
    #[test]
    fn a_mark_says_in_words_what_it_shows() {
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
            label(&pod),
            "w0: pod web-0, terminating, its preStop hook runs; SIGTERM when the preStop hook ends, or when the grace period is over., of StatefulSet default/web, priority 100"
        );
    }
}
