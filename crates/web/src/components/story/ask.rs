//! A question of a lesson: time is paused until the user answers with an option, a click on the stage or a pin on the
//! timeline. Then the panel shows the user's answer, the run's outcome, and the criterion that separates the two.

use podscope_api::parse_duration;
use podscope_messages::{ask, localized, t};
use podscope_protocol::{Micros, Question, QuestionKind, Request, StepState, SubjectRef};
use yew::prelude::*;

use super::inline_markdown;
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::explain::DecisionView;
use crate::pure::pin::TimeQuestion;
use crate::state::{Act, Shared};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) question: Question,
    pub(super) state: StepState,
    pub(super) step: usize,
    /// The question is the current one and waits for the user's answer.
    pub(super) open: bool,
    /// The scheduler's decision on the pod in question, if the engine has sent it.
    pub(super) why: Option<Shared<DecisionView>>,
    /// The answer that the user has picked but not given yet: the node or pod clicked last, or the time of the pin.
    pub(super) pick: Option<String>,
    /// The question as the timeline shows it, if its answer is a time; `None` for other questions.
    pub(super) time_question: Option<TimeQuestion>,
    pub(super) pin: Option<Micros>,
}

#[component]
pub(super) fn LessonQuestion(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    use_decision_after_wrong_answer(props, &ctl);
    let question = &props.question;
    let step = props.step;
    let answer = |answer: Option<String>| ctl.on(Request::Predict { step, answer });
    if !props.open {
        return html! {
            <section class="asked" tabindex="-1" aria-label={t!(ask::prediction)} aria-live="polite">
                <b>{ inline_markdown(&question.ask) }</b>
                { revealed_answers(question, &props.state) }
                { separating_criterion(&ctl, props) }
            </section>
        };
    }
    let is_valid = |pick: &&String| {
        props.time_question.is_some() || question.options.is_empty() || question.options.contains(pick)
    };
    let picked = props.pick.as_ref().filter(is_valid);
    let how = match question.kind {
        QuestionKind::Place => ask::place_hint,
        QuestionKind::Choice => ask::choice_hint,
        QuestionKind::Time if question.options.is_empty() => ask::time_hint,
        QuestionKind::Time => ask::time_choice_hint,
    };
    html! {
        <section class="ask" tabindex="-1" aria-label={t!(ask::question)}>
            <b>{ inline_markdown(&question.ask) }</b>
            <span>{ how.text() }</span>
            <div class="opts">
                { for question.options.iter().map(|option| {
                    let is_picked = picked == Some(option);
                    html! { <button type="button" class={classes!(is_picked.then_some("mine"))} onclick={answer(Some(option.clone()))}>{ localized(option) }</button> }
                }) }
                if let Some(pick) = picked.filter(|pick| props.time_question.is_some() || !question.options.contains(pick)) {
                    <button type="button" class="primary" onclick={answer(Some(pick.clone()))}>{ t!(ask::my_answer, answer = localized(pick)) }</button>
                }
                <button type="button" class="quiet" onclick={answer(None)}>{ t!(ask::do_not_know) }</button>
            </div>
            if let Some(question) = &props.time_question { { pin_slider(&ctl, question, props.pin) } }
        </section>
    }
}

/// After a wrong answer, requests the decision on the pod in question.
#[hook]
fn use_decision_after_wrong_answer(props: &Props, ctl: &Ctl) {
    let is_wrong = props.state.truth.as_ref().is_some_and(|truth| !truth.is_right);
    let pod = props.question.pod.clone().filter(|_| is_wrong && !props.open);
    let send = ctl.send.clone();
    use_effect_with(pod, move |pod| {
        if let Some(pod) = pod.clone() {
            send.emit(Request::Explain {
                pod,
                uid: String::new(),
                attempt: None,
            });
        }
    });
}

/// A slider in the panel that sets the pin of a question about time, for layouts that hide the timeline.
fn pin_slider(ctl: &Ctl, question: &TimeQuestion, pin: Option<Micros>) -> Html {
    let from = question.from;
    let oninput = {
        let (act, question) = (ctl.act.clone(), question.clone());
        Callback::from(move |event: InputEvent| {
            let seconds: Option<Micros> = crate::browser::field_value_of(&event).parse().ok();
            act.emit(Act::Pin(
                seconds.map(|seconds| question.snap(from + seconds * 1_000_000)),
            ));
        })
    };
    let seconds = |at: Micros| ((at - from) / 1_000_000).to_string();
    let words = pin.map_or_else(|| t!(ask::not_set), |pin| question.answer_at_pin(pin));
    let part = (pin.unwrap_or(from) - from) * 100 / (question.until() - from).max(1);
    html! {
        <label class="pin-field"><span>{ t!(ask::pin) }</span>
            <input type="range" min="0" max={seconds(question.until())} step="1" value={seconds(pin.unwrap_or(from))} {oninput} aria-valuetext={words.clone()} ~style={format!("--v:{part}%")} />
            <output class="mono">{ words }</output>
        </label>
    }
}

/// The criterion for which the scheduler preferred the outcome to the user's answer; if it is not known, a button that
/// opens the decision.
fn separating_criterion(ctl: &Ctl, props: &Props) -> Html {
    let (Some(pod), Some(truth)) = (&props.question.pod, &props.state.truth) else {
        return Html::default();
    };
    let answer = props.state.answer.as_deref().unwrap_or_default();
    let why = props.why.as_ref().filter(|why| why.pod == *pod && !truth.is_right);
    if let Some(line) = why.and_then(|why| why.separating_criterion(answer, &truth.value)) {
        return html! { <p class="separates">{ line }</p> };
    }
    let subject = SubjectRef::Pod {
        key: pod.clone(),
        uid: String::new(),
    };
    let look = ctl.select(subject);
    html! { <button type="button" class="quiet" onclick={look}>{ t!(ask::why_here) }</button> }
}

fn revealed_answers(question: &Question, state: &StepState) -> Html {
    let answer = state.answer.as_deref().unwrap_or_default();
    let Some(truth) = &state.truth else {
        return html! {
            <p class="told">{ if answer.is_empty() { t!(ask::skipped) } else { t!(ask::said_watch, answer = localized(answer)) } }</p>
        };
    };
    let (answered, value) = (localized(answer), localized(&truth.value));
    let exact = truth
        .exact
        .as_ref()
        .map(|exact| parse_duration(exact).map_or_else(|_| exact.clone(), clock::scenario_duration));
    let why = |key: &str| question.why.get(key);
    // If the event happened before the question was shown, a text says that it has already happened.
    let late = (answer.is_empty() && truth.at <= state.at).then(|| format!("{} ", t!(ask::happened_already)));
    let wrong = (!answer.is_empty() && !truth.is_right)
        .then(|| why(answer).or_else(|| why("else")))
        .flatten();
    let said_right = match &exact {
        Some(exact) => t!(ask::said_right_exactly, answer = answered, exact = exact),
        None => t!(ask::said_right, answer = answered),
    };
    let answer_was = match &exact {
        Some(exact) => t!(ask::answer_was_exactly, answer = value, exact = exact),
        None => t!(ask::answer_was, answer = value),
    };
    html! {
        <>
            if truth.is_right {
                <p class="yes"><b>{ said_right }{ " " }</b>{ inline_markdown(why(&truth.value).map_or("", String::as_str)) }</p>
            } else {
                if !answer.is_empty() {
                    <p class="no"><b>{ t!(ask::said_wrong, answer = answered) }{ " " }</b>{ inline_markdown(wrong.map_or("", String::as_str)) }</p>
                }
                <p class="yes">{ late.unwrap_or_default() }<b>{ answer_was }{ " " }</b>{ inline_markdown(why(&truth.value).map_or("", String::as_str)) }</p>
            }
        </>
    }
}
