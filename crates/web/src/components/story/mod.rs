//! The story panel at the left: a step of a lesson with its question, its task and goals; hints; the end.

mod ask;
mod end;
mod goals;
mod help;
mod moments;
mod pins;
mod starter;
mod term;

use super::practise;
use super::shown::{code, shown, with_unbroken_names};
use super::syllabus;
use podscope_messages::{Message, story, t};
use podscope_protocol::{OpenedSession, PodView, QuestionKind, Request, SessionSource, StoryState, SubjectRef};
use web_sys::Element;
use yew::prelude::*;

use self::ask::LessonQuestion;
use self::end::LessonEndCard;
pub(crate) use self::end::next_item_button;
use self::help::Hints;
pub(crate) use self::moments::picture;
pub(crate) use self::pins::Pins;
use self::starter::ManifestWithGaps;
use self::term::Term;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::actions;
use crate::pure::attempts::{HowSolved, how_answered, is_story_finished};
use crate::pure::clock;
use crate::pure::markdown::{self, Block, Span};
use crate::state::{Act, Page, Shared, StudyAct};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Story(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    use_record_finished(page, &ctl);
    use_turn_to_question(page, &ctl);
    use_focus_in_story(page);
    // Key of the step, and number of the step's revealed hints.
    let revealed = use_state(|| (String::new(), 0usize));
    let Some(opened) = &page.session.opened else {
        return Html::default();
    };
    let state = &*page.session.model.story;
    let count = opened.story.len();
    let at = state.step;
    let info = opened
        .lesson
        .as_ref()
        .and_then(|name| page.shell.lessons.iter().find(|lesson| lesson.name == *name));
    let restart = restart_callback(&ctl, page, opened);
    let hides_solutions = page.shell.study.hides_solutions();
    let (Some(step), Some(now)) = (opened.story.get(at), state.steps.get(at)) else {
        return panel_before_first_step(&ctl, page, opened);
    };
    let told = goals::mistakes_with_reply(now, &page.shell.study);
    let blocks = markdown::parse(&step.text);
    let has_heading = blocks.iter().any(|block| matches!(block, Block::Heading(_)));
    let asking = state.question;
    let is_asking_here = asking == Some(at);
    let key = format!("{} {} {at}", opened.title, opened.seed);
    let n_revealed = if revealed.0 == key {
        revealed.1.min(step.hints.len())
    } else {
        0
    };
    let more = {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Study(StudyAct::Helped(HowSolved::Hinted)));
            revealed.set((key.clone(), n_revealed + 1));
        })
    };
    // The last step ends with a card only in a lesson, or in a story with goals.
    let has_goals = opened.story.iter().any(|step| !step.goals.is_empty());
    let is_end = state.finished && at + 1 == count && (has_goals || info.is_some());
    // The end card of a practice task reveals its answer, so it is shown only when the task is over.
    let is_over = is_story_finished(opened, state);
    let task = page.shell.study.task.as_ref().filter(|_| is_over && !hides_solutions);
    // In an exam the page shows that an answer was given, but not whether it is right.
    let mut answer_state = now.clone();
    answer_state.truth.take_if(|_| hides_solutions);
    let hint = if page.shell.study.allows_hints() {
        help::next_hint_button(&step.hints, n_revealed, more)
    } else {
        Html::default()
    };
    let answered = |open: bool| {
        (step.question.as_ref().filter(|_| open == is_asking_here)).map(|question| html! {
            <LessonQuestion question={question.clone()} state={answer_state.clone()} step={at} {open} pick={picked_answer(page, question.kind)} time_question={page.session.time_question().filter(|_| is_asking_here)} pin={page.session.pin} why={page.session.why.clone()} />
        })
    };
    html! {
        <aside class="story" aria-label={t!(story::story)}>
            <div class="scroll" key={at} tabindex="-1">
                { syllabus::course_position(&ctl, &page.shell.study) }
                if count > 1 {
                    <div class="steps" role="img" aria-label={t!(story::step_of, step = at + 1, count = count)}>
                        { for (0..count).map(|index| html! { <i class={classes!((index <= at).then_some("on"), (index > at && index < state.steps.len()).then_some("reached"))}></i> }) }
                    </div>
                    <p class="eyebrow">{ match info { Some(info) => t!(story::place_in_group, group = info.group, step = at + 1, count = count), None => t!(story::place, step = at + 1, count = count) } }</p>
                }
                if !has_heading { <h2 class="title">{ shown(&opened.title) }</h2> }
                if page.session.is_partly_translated { <p class="notice">{ t!(language::lesson_is_partly_english) }</p> }
                <div class="prose" aria-live="polite">{ for blocks.iter().enumerate().map(|(index, part)| block_html(part, index == 0)) }</div>
                { for answered(false) }
                if asking.is_none() { { goals::goals(opened, state) } }
                if asking.is_none() && !state.finished { <Hints revealed={step.hints[..n_revealed].to_vec()} /> }
                { halted_message(&ctl, state, &restart) }
                if let Some(task) = task { { practise::end_card(&ctl, task, &page.shell.study) } }
                if hides_solutions && is_over { { end::exam_task_card(&ctl, &page.shell.study) } }
                if is_end && task.is_none() && !hides_solutions { <LessonEndCard info={info.cloned()} lessons={page.shell.lessons.clone()} answers={count_given_and_right_answers(state)} moments={state.moments.clone()} study={page.shell.study.clone()} /> }
            </div>
            // The task and the reply to a mistake are below the scrolling text, so that they are visible however long
            // the text is.
            if asking.is_some() || step.try_command.is_some() || step.manifest.is_some() || !told.is_empty() {
            <div class="asks" data-asks="" key={format!("asks {at}")}>
                { goals::mistake_replies(step, told, hides_solutions) }
                { for answered(true) }
                if let Some(other) = asking.filter(|step| *step != at) {
                    <p class="waits">{ t!(story::waits_for_question, step = other + 1) }{ " " }<button type="button" class="primary" onclick={ctl.on(Request::StoryStep { step: other })}>{ t!(story::to_question) }</button></p>
                }
                if asking.is_none() {
                    { suggested_command_button(&ctl, page, step.try_command.as_deref()) }
                    if let Some(text) = &step.manifest {
                        <ManifestWithGaps key={at} text={text.clone()} checked={page.session.checked.clone()} answer={page.shell.console.apply_answer()} />
                    }
                }
            </div>
            }
            { story_footer(&ctl, page, opened, &restart, &hint, is_end) }
        </aside>
    }
}

/// When a question opens, time is paused until the user answers it, so the story turns to the question's step. If steps
/// before it are unread, a button leads to the question instead.
#[hook]
fn use_turn_to_question(page: &Page, ctl: &Ctl) {
    let send = ctl.send.clone();
    let story = &page.session.model.story;
    let (asks, step, n_shown) = (story.question, story.step, story.steps.len());
    let n_shown_before = use_mut_ref(|| 0);
    let n_before = n_shown_before.replace(n_shown);
    use_effect_with(asks, move |asks| {
        if let Some(asks) = asks.filter(|asks| *asks == step + 1 && n_before > step) {
            send.emit(Request::StoryStep { step: asks });
        }
    });
}

/// Moves the focus into the story after a keyboard user turned the page, answered a question or began a lesson, because
/// the pressed button has disappeared.
#[hook]
fn use_focus_in_story(page: &Page) {
    let state = &*page.session.model.story;
    let is_answered = state.steps.get(state.step).map(|step| step.answer.is_some());
    let opened = page
        .session
        .opened
        .as_ref()
        .map(|opened| (opened.title.clone(), opened.seed));
    let is_first = use_mut_ref(|| true);
    let deps = (opened, state.step, state.question, is_answered, page.shell.start);
    use_effect_with(deps, move |(opened, ..)| {
        // The focus does not move when a session opens.
        if opened.is_some() && !is_first.replace(false) {
            browser::recover_focus(&[".story .ask", ".story .asked", ".story .scroll"]);
        }
    });
}

/// Opens the same lesson or file again, with the same seed. An item of a course is opened as an item of the course
/// again.
fn restart_callback(ctl: &Ctl, page: &Page, opened: &Shared<OpenedSession>) -> Callback<()> {
    let (ctl, opened) = (ctl.clone(), opened.clone());
    let item = page.shell.study.course.as_ref().zip(page.shell.study.item);
    if let Some((course, index)) = item {
        let open = syllabus::begin_item(&ctl, course, index);
        return Callback::from(move |()| open());
    }
    Callback::from(move |()| {
        let source = match &opened.lesson {
            Some(name) => SessionSource::Lesson {
                name: name.clone(),
                seed: Some(opened.seed),
            },
            None => SessionSource::Files {
                files: vec![("scenario.yaml".into(), opened.text.clone())],
            },
        };
        ctl.send.emit(Request::Open { source });
    })
}

/// The panel of a lesson that waits for a condition before its first step.
fn panel_before_first_step(ctl: &Ctl, page: &Page, opened: &OpenedSession) -> Html {
    html! {
        <aside class="story" aria-label={t!(story::story)}>
            <div class="scroll" tabindex="-1">
                { syllabus::course_position(ctl, &page.shell.study) }
                <h2 class="title">{ shown(&opened.title) }</h2>
                // The condition is unknown until the first frame.
                if page.session.model.story.waits_for.is_some() {
                <div class="try">
                    <p>{ t!(story::begins_when) }</p>
                    <b>{ awaited_condition(&page.session.model.story) }</b>
                    <p>{ if page.session.model.playing { t!(story::time_runs) } else { t!(story::time_stands) } }</p>
                    <button type="button" class="primary" onclick={ctl.send_debounced("story", Request::SkipToStory)}>{ t!(story::skip_to_story) }</button>
                    if !page.session.model.playing { <button type="button" class="quiet" onclick={ctl.on(Request::Play)}>{ t!(story::let_time_run) }</button> }
                </div>
                }
            </div>
        </aside>
    }
}

/// Converts a click on a node or pod, or a pin on the timeline, into an answer to the question.
fn picked_answer(page: &Page, kind: QuestionKind) -> Option<String> {
    match kind {
        QuestionKind::Time => Some(page.session.time_question()?.answer_at_pin(page.session.pin?)),
        QuestionKind::Place | QuestionKind::Choice => match page.session.selected.as_ref()? {
            SubjectRef::Node { name } => Some(name.clone()),
            SubjectRef::Pod { key, .. } => key.split_once('/').map(|(_, name)| name.to_owned()),
            _ => None,
        },
    }
}

/// For the question of the shown step, returns which of these pods are the user's answer or the outcome, by pod id.
pub(crate) fn answer_marks_on_pods<'a>(
    page: &Page,
    pods: impl IntoIterator<Item = &'a Shared<PodView>>,
) -> Vec<(String, AnswerMark)> {
    let name = |pod: &PodView| pod.key.split_once('/').map(|(_, name)| name.to_owned());
    let with_mark = |pod: &Shared<PodView>| Some((pod.id.clone(), answer_mark_on_node(page, &name(pod)?)?));
    pods.into_iter().filter_map(with_mark).collect()
}

/// For the question of the shown step, returns whether the node or pod of this name is the user's answer or the
/// outcome.
pub(crate) fn answer_mark_on_node(page: &Page, name: &str) -> Option<AnswerMark> {
    let story = &page.session.model.story;
    let step = page.session.opened.as_ref()?.story.get(story.step)?;
    let question = step
        .question
        .as_ref()
        .filter(|question| question.kind != QuestionKind::Time)?;
    let state = story.steps.get(story.step)?;
    let is_open = story.question == Some(story.step);
    let mine = if is_open {
        let pick = picked_answer(page, question.kind);
        pick.is_some_and(|pick| pick == name && (question.options.is_empty() || question.options.contains(&pick)))
    } else {
        state.answer.as_deref() == Some(name)
    };
    let truth = state.truth.as_ref().filter(|_| !page.shell.study.hides_solutions());
    let real = !is_open && truth.is_some_and(|truth| truth.value == name);
    match (mine, real) {
        (false, false) => None,
        (true, false) if is_open || truth.is_none() => Some(AnswerMark::Mine),
        (true, false) => Some(AnswerMark::Wrong),
        (false, true) => Some(AnswerMark::Real),
        (true, true) => Some(AnswerMark::Right),
    }
}

/// How a node or pod is marked that is the user's answer to a question, or the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerMark {
    /// The user's answer, while the outcome is unknown.
    Mine,
    /// The user's answer, which was wrong.
    Wrong,
    /// The right answer, which the user did not give.
    Real,
    /// The user's answer, which was right.
    Right,
}

impl AnswerMark {
    /// Returns the CSS class and the text of the mark.
    pub(crate) fn label(self) -> (&'static str, Message) {
        match self {
            AnswerMark::Mine => ("mine", story::your_answer),
            AnswerMark::Wrong => ("mine wrong", story::your_answer),
            AnswerMark::Real => ("real", story::so_it_is),
            AnswerMark::Right => ("real", story::your_answer_right),
        }
    }

    /// Returns how the pod with this id is marked; `None` if it is not marked.
    pub(crate) fn of_pod(marks: &[(String, AnswerMark)], pod_id: &str) -> Option<AnswerMark> {
        marks.iter().find(|(id, _)| id == pod_id).map(|(_, mark)| *mark)
    }

    /// Returns the CSS class that outlines an element marked in this way.
    pub(crate) fn outline(self) -> &'static str {
        match self {
            AnswerMark::Mine => "told-mine",
            AnswerMark::Wrong => "told-mine told-wrong",
            AnswerMark::Real | AnswerMark::Right => "told-real",
        }
    }
}

/// Number of answered questions, and of right answers.
fn count_given_and_right_answers(state: &StoryState) -> (usize, usize) {
    let outcomes = state.steps.iter().filter_map(|step| {
        let is_answered = step.answer.as_ref().is_some_and(|answer| !answer.is_empty());
        step.truth.as_ref().filter(|_| is_answered)
    });
    outcomes.fold((0, 0), |(all, right), truth| {
        (all + 1, right + usize::from(truth.is_right))
    })
}

/// Records on this device that a lesson has been finished.
#[hook]
pub(crate) fn use_record_finished(page: &Page, ctl: &Ctl) {
    let lesson = page.session.opened.as_ref().and_then(|opened| opened.lesson.clone());
    let finished = page.session.model.story.finished;
    let way = page.shell.study.help.max(how_answered(&page.session.model.story));
    let act = ctl.act.clone();
    use_effect_with((lesson, finished), move |(lesson, finished)| {
        if let (Some(lesson), true) = (lesson, finished) {
            act.emit(Act::Finished(lesson.clone(), way));
        }
    });
}

/// The button for the command that a step suggests. When the command has taken effect, a text says so, and a button
/// offers the reverse command.
fn suggested_command_button(ctl: &Ctl, page: &Page, command: Option<&str>) -> Html {
    let Some(command) = command else {
        return Html::default();
    };
    let node = command
        .split_whitespace()
        .last()
        .and_then(|name| page.session.model.nodes.get(name));
    let undone = node.and_then(|node| actions::reverse_command(command, &node.view));
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
                browser::scroll_to_node(name);
            }
        })
    };
    html! {
        <div class="try">
            if let Some(node) = node.filter(|_| is_done) {
                <b role="status">{ actions::present_effect_text(&node.view) }</b>
            } else {
                <b>{ t!(story::try_it) }</b>
            }
            <button type="button" class={classes!((!is_done).then_some("primary"))} onclick={run}>
                if let Some(words) = actions::short_description(&command) { <span>{ words }</span> }<span class="mono">{ shown(&command) }</span>
            </button>
        </div>
    }
}

/// The message that the user broke a condition of the step, with buttons that go back in time or start over.
fn halted_message(ctl: &Ctl, state: &StoryState, restart: &Callback<()>) -> Html {
    let Some(halted) = &state.halted else {
        return Html::default();
    };
    let back = {
        let (ctl, from) = (ctl.clone(), halted.from);
        Callback::from(move |_: MouseEvent| ctl.seek(from))
    };
    html! {
        <div class="halted" role="alert">
            <p><b>{ t!(story::broken_at, time = clock::instant(halted.at)) }{ " " }</b>{ inline_markdown(&halted.promise.to_string()) }{ t!(story::broken_after) }</p>
            <div class="row">
                <button type="button" onclick={back}>{ t!(story::back_to, time = clock::instant(halted.from)) }</button>
                <button type="button" class="quiet" onclick={restart.reform(|_: MouseEvent| ())}>{ t!(story::start_over) }</button>
            </div>
        </div>
    }
}

/// The footer: hints, Show me, Start over, and the buttons to the previous and the next step.
fn story_footer(
    ctl: &Ctl,
    page: &Page,
    opened: &OpenedSession,
    restart: &Callback<()>,
    hint: &Html,
    is_end: bool,
) -> Html {
    let state = &*page.session.model.story;
    let at = state.step;
    let count = opened.story.len();
    let go = |to: usize| ctl.on(Request::StoryStep { step: to });
    let can_go = at + 1 < state.steps.len();
    let is_busy = state.question.is_some();
    html! {
        <footer class="story-foot">
            if at + 1 < count && !can_go {
                <p class={classes!("waits", is_busy.then_some("sr"))} id="story-waits">
                    if is_busy { { t!(story::next_waits_for_answer) } }
                    else if state.halted.is_some() { { t!(story::next_is_closed) } }
                    else { { t!(story::next_waits_for) }{ " " }{ awaited_condition(state) } }
                </p>
            }
            <div class="foot">
                if !state.finished && !is_busy {
                    { hint.clone() }
                    if page.shell.study.allows_solution() {
                        <button type="button" class="quiet" onclick={show_solution_step(ctl)} title={t!(story::show_me_hint)}>{ t!(story::show_me) }</button>
                    }
                }
                <button type="button" class="quiet" onclick={restart.reform(|_: MouseEvent| ())}>{ t!(story::start_over) }</button>
                <span class="gap"></span>
                if at > 0 { <button type="button" class="quiet" onclick={go(at - 1)} aria-label={t!(story::step_before)} title={t!(story::step_before)}>{ "‹" }</button> }
                if at + 1 < count {
                    <button type="button" class={classes!("next", can_go.then_some("primary"))} disabled={!can_go} aria-describedby={(!can_go).then_some("story-waits")} onclick={go(at + 1)}>{ t!(story::next) }</button>
                } else if is_end {
                    <button type="button" class="next primary" onclick={scroll_to(".end")}>{ t!(story::to_end) }</button>
                }
            </div>
        </footer>
    }
}

/// Runs the next command of the lesson's solution. The lesson is then recorded as solved with help.
fn show_solution_step(ctl: &Ctl) -> Callback<MouseEvent> {
    let (act, show) = (ctl.act.clone(), ctl.send_debounced("show me", Request::ShowMe));
    Callback::from(move |event: MouseEvent| {
        act.emit(Act::Study(StudyAct::Helped(HowSolved::Shown)));
        show.emit(event);
    })
}

/// Scrolls to an element of the story. On a phone, or below a long text, the question and the end card would otherwise
/// be hidden.
fn scroll_to(selector: &'static str) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        let button = event.target_dyn_into::<Element>();
        let story = button.and_then(|button| button.closest(".story").warn().flatten());
        let there = story.and_then(|story| story.query_selector(selector).warn().flatten());
        there.iter().for_each(browser::scroll_into_view);
    })
}

/// The condition that the next step waits for.
fn awaited_condition(state: &StoryState) -> Html {
    let waits = state.waits_for.as_ref();
    inline_markdown(&waits.map(ToString::to_string).unwrap_or_default())
}

/// Renders a text of several blocks.
pub(crate) fn markdown_blocks(text: &str) -> Html {
    html! { { for markdown::parse(text).iter().map(|one| block_html(one, false)) } }
}

/// Renders a line of a lesson: code spans and emphasis, no blocks.
pub(crate) fn inline_markdown(text: &str) -> Html {
    let blocks = markdown::parse(text);
    let spans = blocks.iter().flat_map(|block| match block {
        Block::Paragraph(spans) | Block::Heading(spans) => spans.as_slice(),
        Block::List(..) | Block::Code(_) => &[],
    });
    let spans: Vec<Span> = spans.cloned().collect();
    html! { <bdi>{ line_html(&spans) }</bdi> }
}

/// Renders the spans of a line. Terms and code are boxes, next to which the browser may break the line, so punctuation
/// before and after a term or short code is kept on its line.
fn line_html(spans: &[Span]) -> Html {
    let text_at = |at: Option<usize>| match at.and_then(|at| spans.get(at)) {
        Some(Span::Text(text)) => text.as_str(),
        _ => "",
    };
    let is_box = |at: Option<usize>| match at.and_then(|at| spans.get(at)) {
        Some(Span::Term(..)) => true,
        Some(Span::Code(text)) => text.len() <= MAX_UNBROKEN_CODE_BYTES,
        _ => false,
    };
    let drawn = spans.iter().enumerate().map(|(at, one)| {
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        match one {
            Span::Text(text) => {
                let text = if is_box(before) {
                    text.trim_start_matches(CLOSING_PUNCTUATION)
                } else {
                    text
                };
                let text = if is_box(after) {
                    text.trim_end_matches(OPENING_PUNCTUATION)
                } else {
                    text
                };
                with_unbroken_names(text)
            }
            Span::Term(..) | Span::Code(_) if is_box(Some(at)) => {
                let (opens, closes) = (text_at(before), text_at(after));
                let (_, opens) = opens.split_at(opens.trim_end_matches(OPENING_PUNCTUATION).len());
                let (closes, _) = closes.split_at(closes.len() - closes.trim_start_matches(CLOSING_PUNCTUATION).len());
                match opens.is_empty() && closes.is_empty() {
                    true => span_html(one),
                    false => html! { <span class="kept">{ opens }{ span_html(one) }{ closes }</span> },
                }
            }
            _ => span_html(one),
        }
    });
    html! { { for drawn } }
}

/// Punctuation that directly follows a word.
const CLOSING_PUNCTUATION: [char; 8] = ['.', ',', ':', ';', ')', '!', '?', '’'];
/// Punctuation that directly precedes a word.
const OPENING_PUNCTUATION: [char; 3] = ['(', '“', '‘'];

fn block_html(block: &Block, first: bool) -> Html {
    match block {
        Block::Heading(spans) if first => html! { <h2 class="title">{ line_html(spans) }</h2> },
        Block::Heading(spans) => html! { <h3>{ line_html(spans) }</h3> },
        Block::Paragraph(spans) => html! { <p>{ line_html(spans) }</p> },
        Block::List(true, items) => {
            html! { <ol>{ for items.iter().map(|item| html! { <li>{ line_html(item) }</li> }) }</ol> }
        }
        Block::List(false, items) => {
            html! { <ul>{ for items.iter().map(|item| html! { <li>{ line_html(item) }</li> }) }</ul> }
        }
        Block::Code(code) => html! { <pre class="mono">{ code }</pre> },
    }
}

/// Maximum length of a code span that is kept on one line in the narrow column of the story, in bytes.
const MAX_UNBROKEN_CODE_BYTES: usize = 20;

fn span_html(span: &Span) -> Html {
    match span {
        Span::Text(text) => html! { { text } },
        Span::Emphasis(text) => html! { <em>{ text }</em> },
        Span::Strong(text) => html! { <strong>{ text }</strong> },
        Span::Code(text) => code(text, MAX_UNBROKEN_CODE_BYTES),
        Span::Term(term, words) => html! { <Term {term} words={words.clone()} /> },
    }
}
