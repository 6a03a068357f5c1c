//! The left: a lesson's story. A step with its question, the thing to do, its goals; hints; the end.

mod ask;
mod end;
mod goals;
mod help;
mod moments;
mod pins;
mod starter;
mod term;

use super::shown::shown;
use podscope_protocol::{Opened, PodView, QuestionKind, Request, Source, StoryState, SubjectRef};
use web_sys::Element;
use yew::prelude::*;

use self::ask::Ask;
use self::end::End;
use self::help::Hints;
pub(crate) use self::pins::Pins;
use self::starter::Starter;
use self::term::Term;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::actions;
use crate::pure::clock;
use crate::pure::markdown::{self, Block, Span};
use crate::state::{Act, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The panel.
#[component]
pub(crate) fn Story(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    use_finished(page, &ctl);
    use_turn(page, &ctl);
    use_focus(page);
    // Of which step, and how many of its hints.
    let told = use_state(|| (String::new(), 0usize));
    let Some(opened) = &page.opened else {
        return Html::default();
    };
    let state = &*page.model.story;
    let count = opened.story.len();
    let at = state.step;
    let info = opened
        .lesson
        .as_ref()
        .and_then(|name| page.lessons.iter().find(|l| l.name == *name));
    let restart = restart(&ctl, opened);
    let (Some(step), Some(now)) = (opened.story.get(at), state.steps.get(at)) else {
        return not_begun(&ctl, page, opened);
    };
    let blocks = markdown::parse(&step.text);
    let has_heading = blocks.iter().any(|b| matches!(b, Block::Heading(_)));
    let asking = state.question;
    let here = asking == Some(at);
    let key = format!("{} {} {at}", opened.title, opened.seed);
    let n_told = if told.0 == key { told.1.min(step.hints.len()) } else { 0 };
    let more = Callback::from(move |_: MouseEvent| told.set((key.clone(), n_told + 1)));
    // A story that asks for nothing has no end to celebrate.
    let has_goals = opened.story.iter().any(|step| !step.goals.is_empty());
    let is_end = state.finished && at + 1 == count && (has_goals || info.is_some());
    let answered = |open: bool| {
        (step.question.as_ref().filter(|_| open == here)).map(|question| html! {
            <Ask question={question.clone()} state={now.clone()} step={at} {open} pick={pick(page, question.kind)} asked={page.asked().filter(|_| here)} pin={page.pin} why={page.why.clone()} />
        })
    };
    html! {
        <aside class="story" aria-label="Story">
            <div class="scroll" key={at} tabindex="-1">
                if count > 1 {
                    <div class="steps" role="img" aria-label={format!("Step {} of {count}", at + 1)}>
                        { for (0..count).map(|i| html! { <i class={classes!((i <= at).then_some("on"), (i > at && i < state.steps.len()).then_some("reached"))}></i> }) }
                    </div>
                    <p class="eyebrow">{ match info { Some(info) => format!("{} · {} of {count}", info.group, at + 1), None => format!("{} of {count}", at + 1) } }</p>
                }
                if !has_heading { <h2 class="title">{ shown(&opened.title) }</h2> }
                <div class="prose" aria-live="polite">{ for blocks.iter().enumerate().map(|(i, b)| block(b, i == 0)) }</div>
                { for answered(false) }
                if asking.is_none() { { goals::goals(opened, state) } }
                { goals::mistakes(step, now) }
                if asking.is_none() && !state.finished { <Hints told={step.hints[..n_told].to_vec()} /> }
                { halted(&ctl, state, &restart) }
                if is_end { <End info={info.cloned()} lessons={page.lessons.clone()} asked={asked(state)} moments={state.moments.clone()} /> }
            </div>
            // What the step asks is in sight however long its text is.
            if asking.is_some() || step.try_command.is_some() || step.manifest.is_some() {
            <div class="asks" data-asks="" key={format!("asks {at}")}>
                { for answered(true) }
                if let Some(other) = asking.filter(|step| *step != at) {
                    <p class="waits">{ format!("Time waits for the question of step {}. ", other + 1) }<button type="button" class="primary" onclick={ctl.on(Request::StoryStep { step: other })}>{ "To the question" }</button></p>
                }
                if asking.is_none() {
                    { try_it(&ctl, page, step.try_command.as_deref()) }
                    if let Some(text) = &step.manifest {
                        <Starter key={at} text={text.clone()} checked={page.checked.clone()} />
                    }
                }
            </div>
            }
            { foot(&ctl, opened, state, &restart, &help::more(&step.hints, n_told, more), is_end) }
        </aside>
    }
}

/// Turns the page to the next step when it begins to ask: no clock stands still for what is not read. Where another step
/// is not read yet, because it came together with the question or lies before it, the way on stands below.
#[hook]
fn use_turn(page: &Page, ctl: &Ctl) {
    let send = ctl.send.clone();
    let story = &page.model.story;
    let (asks, step, n_shown) = (story.question, story.step, story.steps.len());
    let n_shown_before = use_mut_ref(|| 0);
    let n_before = n_shown_before.replace(n_shown);
    use_effect_with(asks, move |asks| {
        if let Some(asks) = asks.filter(|asks| *asks == step + 1 && n_before > step) {
            send.emit(Request::StoryStep { step: asks });
        }
    });
}

/// Who turns the page by a key, answers or begins goes on from there: the button that was pressed is gone.
#[hook]
fn use_focus(page: &Page) {
    let state = &*page.model.story;
    let is_answered = state.steps.get(state.step).map(|step| step.answer.is_some());
    let opened = page.opened.as_ref().map(|opened| (opened.title.clone(), opened.seed));
    let is_first = use_mut_ref(|| true);
    let deps = (opened, state.step, state.question, is_answered, page.start);
    use_effect_with(deps, move |(opened, ..)| {
        // Nobody has lost the focus of what is only being opened.
        if opened.is_some() && !is_first.replace(false) {
            browser::catch_focus(&[".story .ask", ".story .asked", ".story .scroll"]);
        }
    });
}

/// Opens the same again, on the same seed.
fn restart(ctl: &Ctl, opened: &Shared<Opened>) -> Callback<()> {
    let (ctl, opened) = (ctl.clone(), opened.clone());
    Callback::from(move |()| {
        let source = match &opened.lesson {
            Some(name) => Source::Lesson {
                name: name.clone(),
                seed: Some(opened.seed),
            },
            None => Source::Files {
                files: vec![("scenario.yaml".into(), opened.text.clone())],
            },
        };
        ctl.send.emit(Request::Open { source });
    })
}

/// What the first step waits for.
fn not_begun(ctl: &Ctl, page: &Page, opened: &Opened) -> Html {
    html! {
        <aside class="story" aria-label="Story">
            <div class="scroll" tabindex="-1">
                <h2 class="title">{ shown(&opened.title) }</h2>
                // Nothing is known of it until the first frame has come.
                if page.model.story.waits_for.is_some() {
                <div class="try">
                    <p>{ "The story begins when this has happened:" }</p>
                    <b>{ waits_for(&page.model.story) }</b>
                    <p>{ if page.model.playing { "Time runs." } else { "Time stands still." } }</p>
                    <button type="button" class="primary" onclick={ctl.once("story", Request::SkipToStory)}>{ "Skip to the story" }</button>
                    if !page.model.playing { <button type="button" class="quiet" onclick={ctl.on(Request::Play)}>{ "Let time run" }</button> }
                </div>
                }
            </div>
        </aside>
    }
}

/// What a click on the picture or the timeline means as an answer.
fn pick(page: &Page, kind: QuestionKind) -> Option<String> {
    match kind {
        QuestionKind::Time => Some(page.asked()?.answer(page.pin?)),
        QuestionKind::Place | QuestionKind::Choice => match page.selected.as_ref()? {
            SubjectRef::Node { name } => Some(name.clone()),
            SubjectRef::Pod { key, .. } => key.split_once('/').map(|(_, name)| name.to_owned()),
            SubjectRef::Object { .. } | SubjectRef::Invariant { .. } => None,
        },
    }
}

/// What of the question of the step that is read is seen on pods: by id, for those it is told of.
pub(crate) fn told_on<'a>(
    page: &Page,
    pods: impl IntoIterator<Item = &'a Shared<PodView>>,
) -> Vec<(String, AnswerMark)> {
    let name = |pod: &PodView| pod.key.split_once('/').map(|(_, name)| name.to_owned());
    let told = |pod: &Shared<PodView>| Some((pod.id.clone(), told_of(page, &name(pod)?)?));
    pods.into_iter().filter_map(told).collect()
}

/// What of the question of the step that is read is seen on a node or pod of that name: the reader's mark, and the run's.
pub(crate) fn told_of(page: &Page, name: &str) -> Option<AnswerMark> {
    let story = &page.model.story;
    let step = page.opened.as_ref()?.story.get(story.step)?;
    let question = step
        .question
        .as_ref()
        .filter(|question| question.kind != QuestionKind::Time)?;
    let state = story.steps.get(story.step)?;
    let is_open = story.question == Some(story.step);
    let mine = if is_open {
        let pick = pick(page, question.kind);
        pick.is_some_and(|pick| pick == name && (question.options.is_empty() || question.options.contains(&pick)))
    } else {
        state.answer.as_deref() == Some(name)
    };
    let real = !is_open && state.truth.as_ref().is_some_and(|truth| truth.value == name);
    match (mine, real) {
        (false, false) => None,
        (true, false) if is_open || state.truth.is_none() => Some(AnswerMark::Mine),
        (true, false) => Some(AnswerMark::Wrong),
        (false, true) => Some(AnswerMark::Real),
        (true, true) => Some(AnswerMark::Right),
    }
}

/// What is told of an answer on a node or pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerMark {
    /// The reader's, and nobody knows yet.
    Mine,
    /// The reader's, and it came otherwise.
    Wrong,
    /// The run's.
    Real,
    /// Both.
    Right,
}

impl AnswerMark {
    /// Its class, and its words.
    pub(crate) fn said(self) -> (&'static str, &'static str) {
        match self {
            AnswerMark::Mine => ("mine", "your answer"),
            AnswerMark::Wrong => ("mine wrong", "your answer"),
            AnswerMark::Real => ("real", "so it is"),
            AnswerMark::Right => ("real", "your answer, and so it is"),
        }
    }

    /// What of a list is told of the one of that id.
    pub(crate) fn on(all: &[(String, AnswerMark)], id: &str) -> Option<AnswerMark> {
        all.iter().find(|(of, _)| of == id).map(|(_, told)| *told)
    }

    /// The class of what it lies on.
    pub(crate) fn outline(self) -> &'static str {
        match self {
            AnswerMark::Mine => "told-mine",
            AnswerMark::Wrong => "told-mine told-wrong",
            AnswerMark::Real | AnswerMark::Right => "told-real",
        }
    }
}

/// Questions that were answered, and how many rightly.
fn asked(state: &StoryState) -> (usize, usize) {
    let told = state.steps.iter().filter_map(|step| {
        let is_answered = step.answer.as_ref().is_some_and(|answer| !answer.is_empty());
        step.truth.as_ref().filter(|_| is_answered)
    });
    told.fold((0, 0), |(all, right), truth| {
        (all + 1, right + usize::from(truth.is_right))
    })
}

/// Keeps on this device that a lesson has been finished.
#[hook]
fn use_finished(page: &Page, ctl: &Ctl) {
    let lesson = page.opened.as_ref().and_then(|opened| opened.lesson.clone());
    let finished = page.model.story.finished;
    let act = ctl.act.clone();
    use_effect_with((lesson, finished), move |(lesson, finished)| {
        if let (Some(lesson), true) = (lesson, finished) {
            act.emit(Act::Finished(lesson.clone()));
        }
    });
}

/// The thing to try, or what came of it and the way back.
fn try_it(ctl: &Ctl, page: &Page, command: Option<&str>) -> Html {
    let Some(command) = command else {
        return Html::default();
    };
    let node = command
        .split_whitespace()
        .last()
        .and_then(|name| page.model.nodes.get(name));
    let undone = node.and_then(|node| actions::undone(command, &node.view));
    let (command, is_done) = match undone {
        Some(back) => (back, true),
        None => (command.to_owned(), false),
    };
    let run = {
        let (ctl, command, name) = (ctl.clone(), command.clone(), node.map(|node| node.view.name.clone()));
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Start(false));
            ctl.run(&command);
            if let Some(name) = &name {
                browser::show_node(name);
            }
        })
    };
    html! {
        <div class="try">
            if let Some(node) = node.filter(|_| is_done) {
                <b role="status">{ actions::done(&node.view) }</b>
            } else {
                <b>{ "Try it" }</b>
            }
            <button type="button" class={classes!((!is_done).then_some("primary"))} onclick={run}>
                if let Some(words) = actions::words(&command) { <span>{ words }</span> }<span class="mono">{ shown(&command) }</span>
            </button>
        </div>
    }
}

/// A promise was broken: what, and the ways back.
fn halted(ctl: &Ctl, state: &StoryState, restart: &Callback<()>) -> Html {
    let Some(halted) = &state.halted else {
        return Html::default();
    };
    let back = {
        let (ctl, from) = (ctl.clone(), halted.from);
        Callback::from(move |_: MouseEvent| ctl.seek(from))
    };
    html! {
        <div class="halted" role="alert">
            <p><b>{ format!("Broken at {}: ", clock::instant(halted.at)) }</b>{ words(&halted.promise.to_string()) }{ ". What is reached after that does not count." }</p>
            <div class="row">
                <button type="button" onclick={back}>{ format!("Back to {}", clock::instant(halted.from)) }</button>
                <button type="button" class="quiet" onclick={restart.reform(|_: MouseEvent| ())}>{ "Start over" }</button>
            </div>
        </div>
    }
}

/// Hints, Show me, Start over; back and on.
fn foot(
    ctl: &Ctl,
    opened: &Shared<Opened>,
    state: &StoryState,
    restart: &Callback<()>,
    hint: &Html,
    is_end: bool,
) -> Html {
    let at = state.step;
    let count = opened.story.len();
    let go = |to: usize| ctl.on(Request::StoryStep { step: to });
    let can_go = at + 1 < state.steps.len();
    let is_busy = state.question.is_some();
    html! {
        <footer class="story-foot">
            if at + 1 < count && !can_go {
                <p class={classes!("waits", is_busy.then_some("sr"))} id="story-waits">
                    if is_busy { { "Next waits for your answer." } }
                    else if state.halted.is_some() { { "Next is closed: go back, or start over." } }
                    else { { "Next waits for: " }{ waits_for(state) } }
                </p>
            }
            <div class="foot">
                if !state.finished && !is_busy {
                    { hint.clone() }
                    <button type="button" class="quiet" onclick={ctl.once("show me", Request::ShowMe)} title="Goes to the solution's next command and gives it; what you did stays as a branch">{ "Show me" }</button>
                }
                <button type="button" class="quiet" onclick={restart.reform(|_: MouseEvent| ())}>{ "Start over" }</button>
                <span class="gap"></span>
                if at > 0 { <button type="button" class="quiet" onclick={go(at - 1)} aria-label="The step before" title="The step before">{ "‹" }</button> }
                if at + 1 < count {
                    <button type="button" class={classes!("next", can_go.then_some("primary"))} disabled={!can_go} aria-describedby={(!can_go).then_some("story-waits")} onclick={go(at + 1)}>{ "Next ›" }</button>
                } else if is_end {
                    <button type="button" class="next primary" onclick={to(".end")}>{ "The end ›" }</button>
                }
            </div>
        </footer>
    }
}

/// Below a long text, and on a phone, the question and the card at the end are out of sight.
fn to(what: &'static str) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        let button = event.target_dyn_into::<Element>();
        let story = button.and_then(|button| button.closest(".story").ok().flatten());
        let there = story.and_then(|story| story.query_selector(what).ok().flatten());
        there.iter().for_each(browser::bring_into_sight);
    })
}

/// What the next step waits for.
fn waits_for(state: &StoryState) -> Html {
    let waits = state.waits_for.as_ref();
    words(&waits.map(ToString::to_string).unwrap_or_default())
}

/// A line of a lesson: code spans and emphasis, no blocks.
pub(crate) fn words(text: &str) -> Html {
    let blocks = markdown::parse(text);
    let spans = blocks.iter().flat_map(|block| match block {
        Block::Paragraph(spans) | Block::Heading(spans) => spans.as_slice(),
        Block::List(..) | Block::Code(_) => &[],
    });
    let spans: Vec<Span> = spans.cloned().collect();
    html! { <bdi>{ line(&spans) }</bdi> }
}

/// Pieces of a line. A term is a button, at which a line may break: what opens before it and what closes the sentence
/// stay beside it.
fn line(spans: &[Span]) -> Html {
    let text_at = |at: Option<usize>| match at.and_then(|at| spans.get(at)) {
        Some(Span::Text(text)) => text.as_str(),
        _ => "",
    };
    let is_term = |at: Option<usize>| matches!(at.and_then(|at| spans.get(at)), Some(Span::Term(..)));
    let drawn = spans.iter().enumerate().map(|(at, one)| {
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        match one {
            Span::Text(text) => {
                let text = if is_term(before) {
                    text.trim_start_matches(CLOSING)
                } else {
                    text
                };
                let text = if is_term(after) {
                    text.trim_end_matches(OPENING)
                } else {
                    text
                };
                html! { { text } }
            }
            Span::Term(..) => {
                let (opens, closes) = (text_at(before), text_at(after));
                let (_, opens) = opens.split_at(opens.trim_end_matches(OPENING).len());
                let (closes, _) = closes.split_at(closes.len() - closes.trim_start_matches(CLOSING).len());
                match opens.is_empty() && closes.is_empty() {
                    true => span(one),
                    false => html! { <span class="kept">{ opens }{ span(one) }{ closes }</span> },
                }
            }
            Span::Emphasis(_) | Span::Strong(_) | Span::Code(_) => span(one),
        }
    });
    html! { { for drawn } }
}

/// What stands directly after a word.
const CLOSING: [char; 8] = ['.', ',', ':', ';', ')', '!', '?', '’'];
/// What stands directly before one.
const OPENING: [char; 3] = ['(', '“', '‘'];

fn block(block: &Block, first: bool) -> Html {
    match block {
        Block::Heading(spans) if first => html! { <h2 class="title">{ line(spans) }</h2> },
        Block::Heading(spans) => html! { <h3>{ line(spans) }</h3> },
        Block::Paragraph(spans) => html! { <p>{ line(spans) }</p> },
        Block::List(true, items) => {
            html! { <ol>{ for items.iter().map(|i| html! { <li>{ line(i) }</li> }) }</ol> }
        }
        Block::List(false, items) => {
            html! { <ul>{ for items.iter().map(|i| html! { <li>{ line(i) }</li> }) }</ul> }
        }
        Block::Code(code) => html! { <pre class="mono">{ code }</pre> },
    }
}

/// Letters of a name that stays on one line: a hyphen in it is no place to break.
const NAME: usize = 20;

fn span(span: &Span) -> Html {
    match span {
        Span::Text(t) => html! { { t } },
        Span::Emphasis(t) => html! { <em>{ t }</em> },
        Span::Strong(t) => html! { <strong>{ t }</strong> },
        Span::Code(t) => html! { <code class={(t.len() <= NAME).then_some("name")}>{ shown(t) }</code> },
        Span::Term(term, words) => html! { <Term {term} words={words.clone()} /> },
    }
}
