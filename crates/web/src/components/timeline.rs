//! The timeline at the bottom: lanes (rows) of events, the draggable playhead, and the points where branches begin.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_messages::{Message, t, timeline};
use podscope_protocol::{
    BranchView, Director, Lane, Mark, MarkKind, Micros, Request, UpcomingEvent, UpcomingEventKind,
};
use web_sys::{Element, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::icon;
use super::spread::SpreadView;
use super::story::Pins;
use super::thread::CauseArcs;
use crate::browser::Warn as _;
use crate::ctl::{Ctl, Now};
use crate::pure::find::Filter;
use crate::pure::pin::TimeQuestion;
use crate::pure::scale::{Shape, Span, lane_shapes};
use crate::pure::{clock, director};
use crate::state::{Act, Dialog, Model, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The lanes (rows) of the timeline from top to bottom, with their names.
pub(crate) const LANES: [(Lane, Message); 6] = [
    (Lane::Faults, timeline::faults),
    (Lane::Commands, timeline::commands),
    (Lane::Decisions, timeline::decisions),
    (Lane::Terminations, timeline::terminations),
    (Lane::Requests, timeline::requests),
    (Lane::Invariants, timeline::guarantees),
];

/// Returns the value of the attributes `data-lane` and `data-lane-name`.
fn lane_attribute(lane: Lane) -> &'static str {
    match lane {
        Lane::Faults => "faults",
        Lane::Commands => "commands",
        Lane::Decisions => "decisions",
        Lane::Terminations => "terminations",
        Lane::Requests => "requests",
        Lane::Invariants => "guarantees",
    }
}

/// Moves the playhead to an event on the timeline and selects the event's object. For a period of failed requests the
/// playhead moves to the end of the period.
pub(super) fn show_event(ctl: &Ctl, mark: &Mark) {
    let at = mark.to.filter(|_| mark.kind == MarkKind::RequestsFailed);
    ctl.send.emit(Request::Seek {
        at: at.unwrap_or(mark.from),
    });
    if mark.subject.is_some() {
        ctl.act.emit(Act::Select(mark.subject.clone()));
    }
}

/// Returns the name of an event's type on the timeline; also its CSS class.
pub(crate) fn mark_kind_class(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Cut => "cut",
        MarkKind::Fault => "fault",
        MarkKind::Healed => "healed",
        MarkKind::Fenced => "fenced",
        MarkKind::Corrupted => "corrupted",
        MarkKind::Command => "command",
        MarkKind::Refused => "refused",
        MarkKind::Bound => "bound",
        MarkKind::Failed => "failed",
        MarkKind::Nominated => "nominated",
        MarkKind::Preempted => "preempted",
        MarkKind::PreStop => "preStop",
        MarkKind::Sigterm => "sigterm",
        MarkKind::Killed => "killed",
        MarkKind::Broken => "broken",
        MarkKind::Expected => "expected",
        MarkKind::Unexpected => "unexpected",
        MarkKind::NotReady => "notready",
        MarkKind::Evicted => "evicted",
        MarkKind::Exited => "exited",
        MarkKind::Restarted => "restarted",
        MarkKind::Requests => "requests",
        MarkKind::RequestsFailing => "failing",
        MarkKind::RequestsFailed => "lost",
    }
}

#[component]
pub(crate) fn Timeline(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    let model = &*page.session.model;
    let span = page.session.visible_span();
    let question = page.session.time_question();
    // Which lanes to show now: none while the introduction is open (the timeline then shows only its axis), otherwise
    // every lane that is not empty.
    let held = *use_memo((model.marks_rev, model.director.clone(), page.shell.start), |_| {
        if page.shell.start {
            [false; LANES.len()]
        } else {
            non_empty_lanes(model)
        }
    });
    let shown = use_shown_lanes(page, held);
    let spreads = !page.shell.start && !model.spread.domains.is_empty();
    let asks = question.is_some();
    let lanes_ref = use_node_ref();
    let scrub = TimelineDrag {
        lanes: lanes_ref.clone(),
        span,
        question: question.clone(),
        ctl: ctl.clone(),
        is_down: use_mut_ref(|| false),
    };
    let (onpointerdown, onpointermove) = (scrub.on_pointer_down(&props.page), scrub.on_pointer_move());
    let (onpointerup, onwheel) = (scrub.on_pointer_up(), scrub.on_wheel());
    html! {
        <section class={classes!("time", spreads.then_some("spreads"), asks.then_some("asking"), (!shown.contains(&true)).then_some("bare"))} ~style={format!("--lanes:{}", shown.iter().filter(|is| **is).count())} aria-label={t!(timeline::name)}>
            { lane_names_button(&ctl, model, &shown, spreads) }
            <div class="lanes" ref={lanes_ref} {onpointerdown} {onpointermove} {onpointerup} {onwheel}>
                { for (0..LANES.len()).filter(|index| shown[*index]).map(|index| html! { <LaneView key={index} page={props.page.clone()} {span} {index} /> }) }
                if spreads { <SpreadView page={props.page.clone()} {span} /> }
                <div class="axis mono" aria-hidden="true">
                    { for span.ticks().into_iter().filter(|instant| span.percent(*instant) < 98.0).map(|instant| html! { <span ~style={format!("left:{:.3}%", span.percent(instant))}>{ clock::axis_label(instant) }</span> }) }
                </div>
                { for branch_marks(&model.branches, span) }
                <CauseArcs page={props.page.clone()} {span} />
                <Pins page={props.page.clone()} {span} />
                <Playhead page={props.page.clone()} {span} />
            </div>
            { axis_buttons(&ctl, page, span) }
        </section>
    }
}

/// A drag with the pointer on the lanes. It moves the pin if the open question asks for a time, otherwise the playhead.
#[derive(Clone)]
struct TimelineDrag {
    lanes: NodeRef,
    span: Span,
    question: Option<TimeQuestion>,
    ctl: Ctl,
    /// True while the pointer is pressed, so that the playhead follows it.
    is_down: Rc<RefCell<bool>>,
}

impl TimelineDrag {
    fn instant_at(&self, x: i32) -> Micros {
        let Some(lanes) = self.lanes.cast::<Element>() else {
            return 0;
        };
        let rect = lanes.get_bounding_client_rect();
        self.span
            .instant_at((f64::from(x) - rect.left()) / rect.width().max(1.0))
    }

    fn seek(&self, x: i32) {
        let at = self.instant_at(x);
        // If the open question asks for a time, a click places its pin.
        match &self.question {
            Some(asked) => self.ctl.act.emit(Act::Pin(Some(asked.snap(at)))),
            None => self.ctl.send.emit(Request::Seek { at }),
        }
    }

    fn on_pointer_down(&self, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (scrub, page) = (self.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            let mark = crate::browser::closest(event.target(), "data-mark").filter(|_| scrub.question.is_none());
            if let Some((_, id)) = mark {
                let mark = id.parse().ok().and_then(|id: u64| page.session.model.marks.get(&id));
                if let Some(mark) = mark {
                    show_event(&scrub.ctl, mark);
                }
                return;
            }
            *scrub.is_down.borrow_mut() = true;
            if let Some(lanes) = scrub.lanes.cast::<Element>() {
                lanes.set_pointer_capture(event.pointer_id()).warn();
            }
            scrub.seek(event.client_x());
        })
    }

    fn on_pointer_move(&self) -> Callback<PointerEvent> {
        let scrub = self.clone();
        Callback::from(move |event: PointerEvent| {
            if *scrub.is_down.borrow() {
                scrub.seek(event.client_x());
            }
        })
    }

    fn on_pointer_up(&self) -> Callback<PointerEvent> {
        let is_down = self.is_down.clone();
        Callback::from(move |_: PointerEvent| *is_down.borrow_mut() = false)
    }

    fn on_wheel(&self) -> Callback<WheelEvent> {
        let scrub = self.clone();
        Callback::from(move |event: WheelEvent| {
            event.prevent_default();
            let next = if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
                let by = (event.delta_x() + event.delta_y()).clamp(-200.0, 200.0);
                scrub.span.pan(by / 1000.0)
            } else {
                let by = if event.delta_y() > 0.0 { 1.25 } else { 0.8 };
                scrub.span.zoom(scrub.instant_at(event.client_x()), by)
            };
            scrub.ctl.act.emit(Act::Span(Some(next)));
        })
    }
}

/// Returns which lanes to draw: those that are not empty now, and while time runs forward also those that were drawn
/// before. So a lane does not disappear under the pointer when its only deadline is cancelled.
#[hook]
fn use_shown_lanes(page: &Page, non_empty: [bool; LANES.len()]) -> [bool; LANES.len()] {
    let before = use_mut_ref(|| (None, 0, [false; LANES.len()]));
    let (opened, now) = (page.session.opened.clone(), page.session.model.now);
    let mut before = before.borrow_mut();
    let goes_on = !page.shell.start && before.0 == opened && before.1 <= now;
    let shown = std::array::from_fn(|index| non_empty[index] || (goes_on && before.2[index]));
    *before = (opened, now, shown);
    shown
}

/// Returns for each of [`LANES`] whether it is not empty.
fn non_empty_lanes(model: &Model) -> [bool; LANES.len()] {
    let mut held = [false; LANES.len()];
    let due = model.director.next.iter().map(director::lane);
    for lane in model.marks.values().map(|mark| mark.lane).chain(due) {
        if let Some(index) = LANES.iter().position(|(which, _)| *which == lane) {
            held[index] = true;
        }
    }
    held
}

/// The names of the lanes, as one button. It opens the list of one lane's events, from which the user can switch to the
/// other lanes.
fn lane_names_button(ctl: &Ctl, model: &Model, shown: &[bool; LANES.len()], has_spread_lane: bool) -> Html {
    let first = LANES.iter().zip(shown).find(|(_, is)| **is).map(|((lane, _), _)| *lane);
    let open = ctl
        .act
        .reform(move |_: MouseEvent| Act::Dialog(first.map_or(Dialog::Spread, Dialog::Lane)));
    html! {
        <div class="names">
            if first.is_some() || has_spread_lane {
                <button type="button" class="quiet all" onclick={open} title={t!(timeline::as_lists)} aria-haspopup="dialog">
                    <span class="sr">{ t!(timeline::as_lists_sr) }{ " " }</span>
                    { for LANES.iter().zip(shown).filter(|(_, is)| **is).map(|((lane, name), _)| html! { <span data-lane-name={lane_attribute(*lane)}>{ name.text() }</span> }) }
                    if has_spread_lane { <span data-lane-name="spread" title={t!(timeline::spread_of, owner = model.spread.of)}>{ t!(timeline::spread) }</span> }
                </button>
            }
        </div>
    }
}

/// The buttons at the right end of the axis: zoom and legend.
fn axis_buttons(ctl: &Ctl, page: &Page, span: Span) -> Html {
    let now = page.session.model.now;
    let zoom = |name: Message, sign: &'static str, next: Option<Span>| {
        let go = ctl.act.reform(move |_: MouseEvent| Act::Span(next));
        html! { <button type="button" class="quiet" onclick={go} aria-label={name.text()} title={name.text()}>{ icon(sign) }</button> }
    };
    let is_open = page.session.is_legend_open();
    let open = ctl.act.reform(|_: MouseEvent| Act::Legend);
    html! {
        <span class="ends">
            { zoom(timeline::zoom_in, "zoom-in", Some(span.zoom(now, 0.6))) }
            { zoom(timeline::zoom_out, "zoom-out", Some(span.zoom(now, 1.7))) }
            { zoom(timeline::see_all, "fit", None) }
            <button type="button" class="quiet legend-open" onclick={open} aria-expanded={is_open.to_string()} title={t!(timeline::legend_hint)}>{ t!(timeline::legend) }</button>
        </span>
    }
}

/// Buttons that switch to the list of another lane.
pub(super) fn lane_list_buttons(ctl: &Ctl, page: &Page) -> Html {
    let chip = |name: Message, dialog: Dialog| {
        let is = page.shell.dialog == dialog;
        let go = ctl.act.reform(move |_: MouseEvent| Act::Dialog(dialog.clone()));
        html! { <button type="button" class={classes!("chip", is.then_some("on"))} aria-pressed={is.to_string()} onclick={go}>{ name.text() }</button> }
    };
    html! {
        <div class="row whats" role="group" aria-label={t!(timeline::lanes)}>
            { for LANES.iter().map(|(lane, name)| chip(*name, Dialog::Lane(*lane))) }
            if !page.session.model.spread.domains.is_empty() { { chip(timeline::spread, Dialog::Spread) } }
        </div>
    }
}

/// Number of frames between updates of the slider's value for screen readers: about one second while time runs.
const FRAMES_PER_SLIDER_UPDATE: u64 = 24;

#[derive(Properties, PartialEq)]
struct PlayheadProps {
    page: Shared<Page>,
    span: Span,
}

/// The parts of the timeline that change with every frame: the draggable playhead, and the shade over the future.
#[component]
fn Playhead(props: &PlayheadProps) -> Html {
    let (Some(ctl), Some(now)) = (use_context::<Ctl>(), use_context::<Now>()) else {
        return Html::default();
    };
    let (page, span) = (&*props.page, props.span);
    let every = if page.session.model.playing {
        FRAMES_PER_SLIDER_UPDATE
    } else {
        1
    };
    let said = use_memo(
        (page.shell.acts, page.shell.frames / every, page.session.model.playing),
        |_| now,
    );
    let onkeydown = {
        let (ctl, now) = (ctl.clone(), page.session.pending_seek.map_or(now.at, |(at, _)| at));
        Callback::from(move |event: KeyboardEvent| {
            let by = if event.shift_key() { 10_000_000 } else { 1_000_000 };
            let at = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => (now - by).max(0),
                "ArrowRight" | "ArrowUp" => now + by,
                "PageUp" => now + 60_000_000,
                "PageDown" => (now - 60_000_000).max(0),
                "Home" => 0,
                "+" | "=" => return ctl.act.emit(Act::Span(Some(span.zoom(now, 0.8)))),
                "-" => return ctl.act.emit(Act::Span(Some(span.zoom(now, 1.25)))),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            ctl.seek(at);
        })
    };
    let (at, horizon) = (span.percent(now.at), span.percent(now.horizon));
    html! {
        <>
            if at < 100.0 { <i class="future" ~style={format!("transform:scaleX({:.5})", 1.0 - at.max(0.0) / 100.0)}></i> }
            if horizon < 100.0 && horizon > at { <i class="unknown" ~style={format!("left:{horizon:.3}%")}></i> }
            <div class="head" ~style={format!("transform:translateX({at:.3}%)")}>
                <div class="now" role="slider" tabindex="0" aria-label={t!(timeline::time)} aria-valuemin="0" aria-valuemax={(said.horizon / 1_000_000).to_string()}
                    aria-valuenow={(said.at / 1_000_000).to_string()} aria-valuetext={clock::instant(said.at)} {onkeydown}
                    hidden={!(0.0..=100.0).contains(&at)}></div>
            </div>
        </>
    }
}

#[derive(Properties)]
struct LaneProps {
    page: Shared<Page>,
    span: Span,
    /// Index in [`LANES`].
    index: usize,
}

impl LaneProps {
    /// Returns a key that changes when the lane has to be redrawn. While time runs it changes a few times a second, in
    /// other frames than the keys of the other lanes.
    fn render_key(&self) -> (bool, u64, Micros, Option<usize>, &Shared<Director>) {
        let model = &self.page.session.model;
        let asks = model.story.question;
        if model.playing {
            let frames = (self.page.shell.frames + 3 * self.index as u64) / 8;
            (true, frames, 0, asks, &model.director)
        } else {
            (false, model.marks_rev, model.now, asks, &model.director)
        }
    }
}

impl PartialEq for LaneProps {
    fn eq(&self, other: &Self) -> bool {
        (self.render_key(), self.span, self.index, &self.page.session.filter)
            == (other.render_key(), other.span, other.index, &other.page.session.filter)
    }
}

/// Draws the content of a lane (row of the timeline).
#[component]
fn LaneView(props: &LaneProps) -> Html {
    let (model, (which, _)) = (&props.page.session.model, LANES[props.index]);
    // Before the answer to a question the lane must not show a future that an earlier run has computed.
    let is_hidden = |at: Micros| model.story.question.is_some() && at > model.now;
    let marks = model
        .marks
        .values()
        .filter(|mark| mark.lane == which && !is_hidden(mark.from));
    let drawn = lane_shapes(marks, props.span, model.now);
    let filter = props.page.session.filter.as_deref();
    html! { <div class="lane" data-lane={lane_attribute(which)} aria-hidden="true">{ for drawn.iter().map(|shape| shape_html(shape, filter, model)) }{ for deadline_marks(model, which, props.span) }</div> }
}

/// Pending deadlines as outlined marks in the future of their lane.
fn deadline_marks(model: &Model, which: Lane, span: Span) -> Vec<Html> {
    let seen = |due: &&UpcomingEvent| director::lane(due) == which && (0.0..=98.0).contains(&span.percent(due.at));
    let mut last = f64::MIN;
    let mut marks = Vec::new();
    for due in model.director.next.iter().filter(|due| due.at > model.now).filter(seen) {
        let left = span.percent(due.at);
        let title = t!(
            timeline::event_at,
            event = director::sentence_of(due),
            instant = clock::instant(due.at)
        );
        // A deadline gets no text if it would touch the text of the previous deadline.
        let word = if left - last > 9.0 {
            director::mark_text(due)
        } else {
            String::new()
        };
        marks.push(html! { <i class={classes!("due-mark", word.is_empty().then_some("tick"))} ~style={format!("left:{left:.3}%")} {title} data-due={due_attribute(due.what)}>{ &word }</i> });
        if !word.is_empty() {
            last = left;
        }
    }
    marks
}

fn shape_html(shape: &Shape, filter: Option<&Filter>, model: &Model) -> Html {
    let out = filter.is_some_and(|filter| !filter.finds_mark(&shape.mark, model));
    let class = classes!(format!("k-{}", mark_kind_class(shape.mark.kind)), out.then_some("out"));
    let id = shape.mark.id.to_string();
    let title = match shape.mark.to {
        Some(to) if to > shape.mark.from => t!(
            timeline::event_from_to,
            event = shape.mark.label,
            from = clock::instant(shape.mark.from),
            to = clock::instant(to)
        ),
        _ => t!(
            timeline::event_at,
            event = shape.mark.label,
            instant = clock::instant(shape.mark.from)
        ),
    };
    let title = podscope_api::visible(&title);
    let title = match shape.count {
        1 => title.into_owned(),
        count => t!(timeline::several_here, count = count, last = title),
    };
    match shape.width {
        Some(width) => {
            let style = format!(
                "left:{:.3}%;width:{width:.3}%;--row:{};--rows:{}",
                shape.left, shape.row, shape.rows
            );
            let open = shape.mark.to.is_none();
            html! { <i class={classes!("span", class, format!("of-{}", shape.rows), open.then_some("open"))} ~style={style} data-mark={id} {title}>if width > 3.0 { { shape.mark.label.to_string() } }</i> }
        }
        None if shape.count > 1 => {
            html! { <i class={classes!("ev", "many", class)} ~style={format!("left:{:.3}%", shape.left)} data-mark={id} {title}></i> }
        }
        None => {
            html! { <i class={classes!("ev", class)} ~style={format!("left:{:.3}%", shape.left)} data-mark={id} {title}></i> }
        }
    }
}

fn branch_marks(all: &[BranchView], span: Span) -> Vec<Html> {
    all.iter()
        .filter(|branch| branch.parent.is_some())
        .filter(|branch| (0.0..=100.0).contains(&span.percent(branch.from)))
        .map(|branch| html! { <i class={classes!("branch", branch.current.then_some("on"))} ~style={format!("left:{:.3}%", span.percent(branch.from))} title={t!(timeline::branch_hint, number = branch.id, label = branch.label)}></i> })
        .collect()
}

/// Returns the first line of a branch's label, `main`, or `branch` with its number.
pub(crate) fn branch_name(branch: &BranchView) -> String {
    match (branch.label.is_empty(), branch.parent) {
        (false, _) => branch.label.lines().next().unwrap_or_default().to_string(),
        (true, None) => t!(timeline::main),
        (true, Some(_)) => t!(timeline::branch, number = branch.id),
    }
}

/// A list of the session's branches. The current branch can be compared with each other branch, and with a run without
/// the user's commands.
pub(super) fn branch_chooser(ctl: &Ctl, page: &Page) -> Html {
    let all = &page.session.model.branches;
    let is_touched = all.iter().any(|branch| branch.current && branch.is_touched);
    if all.len() < 2 && (!is_touched || page.session.other.is_some()) || page.session.opened.is_none() {
        return Html::default();
    }
    let untouched = page.session.opened.as_ref().map(|opened| Request::Compare {
        other: Some(opened.text.clone()),
    });
    let untouched = untouched.map(|request| ctl.on(request));
    html! {
        <div class="branches" role="group" aria-label={t!(timeline::branches)}>
            // Not shown during a comparison, which has its own button above the second run that ends it.
            if page.session.other.is_none() && is_touched {
                <button type="button" class="chip" onclick={untouched} title={t!(timeline::compare_no_commands_hint)}>{ t!(timeline::compare_no_commands) }</button>
            }
            { for all.iter().filter(|_| all.len() > 1).map(|branch| {
                let name = branch_name(branch);
                let beside = t!(timeline::compare_hint, branch = name);
                html! {
                    <span class="pair">
                        <button type="button" class={classes!("chip", branch.current.then_some("on"))} aria-pressed={branch.current.to_string()}
                            onclick={ctl.on(Request::Branch { branch: branch.id })} title={t!(timeline::leaves_at, instant = clock::instant(branch.from))}>{ icon("fork") }{ name }</button>
                        if !branch.current {
                            <button type="button" class="chip" onclick={ctl.on(Request::CompareBranch { branch: branch.id })}
                                aria-label={beside.clone()} title={beside}>{ t!(timeline::compare) }</button>
                        }
                    </span>
                }
            }) }
        </div>
    }
}

/// Returns the value of the attribute `data-due` for a type of upcoming events: `NotReady`, `Script`.
fn due_attribute(what: UpcomingEventKind) -> String {
    match what {
        UpcomingEventKind::Pending(kind) => format!("{kind:?}"),
        own => format!("{own:?}"),
    }
}
