//! The top: identity, scenario, transport, clock, speed, fork, share, theme, help.

use gloo_timers::callback::Timeout;
use podscope_protocol::Request;
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::browser::store;
use crate::ctl::{Ctl, Now};
use crate::pure::clock;
use crate::pure::route::{Panels, Theme};
use crate::state::{Act, Dialog, Page, Shared, Sheet};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) has_story: bool,
}

/// The theme after this one.
pub(crate) fn next_theme(theme: Theme) -> Theme {
    let next = match theme {
        Theme::System => Theme::Light,
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::System,
    };
    store::keep_theme(next.name());
    next
}

/// A link's length: `840`, `1.1 k`.
fn length(n: usize) -> String {
    if n < 1000 {
        n.to_string()
    } else {
        format!("{}.{} k", n / 1000, n % 1000 / 100)
    }
}

/// The bar, and on a phone the dock at the lower edge.
#[component]
pub(crate) fn Bar(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    let open = |dialog: Dialog| ctl.act.reform(move |_: MouseEvent| Act::Dialog(dialog.clone()));
    let title = page.opened.as_ref().map_or("Starting…", |o| o.title.as_str());
    let theme = {
        let theme = page.theme;
        ctl.act.reform(move |_: MouseEvent| Act::Theme(next_theme(theme)))
    };
    let theme_icon = match page.theme {
        Theme::System => "auto",
        Theme::Light => "sun",
        Theme::Dark => "moon",
    };
    let link_length = page.link.as_ref().map(|l| crate::browser::address(&l.fragment).len());
    html! {
        <>
        <header class="bar">
            <h1 class="sr">{ "Podscope: " }{ shown(title) }</h1>
            <button type="button" class="logo quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::AskStart)} aria-label="Podscope: what this is, and the ways in" title="What this is, and the ways in">{ logo() }<span class="word">{ "Podscope" }</span></button>
            <button type="button" class="scenario" onclick={open(Dialog::Lessons)} aria-haspopup="dialog" title="Lessons and scenarios (l)">
                <span>{ shown(title) }</span>{ icon("down") }
            </button>
            if let Some(opened) = &page.opened {
                <span class="chip seed" title="The seed: same seed, same world">{ format!("seed {}", opened.seed) }</span>
            }
            if page.opened.as_ref().is_some_and(|o| !o.notices.is_empty() || !o.advice.is_empty()) {
                <button type="button" class="chip wait" onclick={open(Dialog::Notices)} aria-haspopup="dialog">{ notices(page) }</button>
            }
            { transport(&ctl, &props.page) }
            <span class="tools">
                <button type="button" onclick={ctl.on(Request::Undo)} class="quiet undo" aria-label="Undo the last command" title="Undo the last command (u)">{ icon("undo") }</button>
                <button type="button" class="fork" onclick={ctl.once("fork", Request::Fork)} aria-label="Fork" title="Keep this future as a branch and go on from here (f)">{ icon("fork") }<span class="word">{ "Fork" }</span></button>
                <button type="button" class="finder" onclick={ctl.act.reform(|_: MouseEvent| Act::Find(Some(String::new())))} aria-label="Find pods and nodes" title="Find pods and nodes (/)">{ icon("find") }<span class="word">{ "Find" }</span></button>
                <button type="button" class="primary share" onclick={open(Dialog::Share)} aria-haspopup="dialog" title="A link that holds everything (s)">
                    { "Share" }
                    if let Some(n) = link_length { <span class="mono" aria-label={format!("{n} characters")}>{ length(n) }</span> }
                </button>
                <button type="button" class="quiet unfolded" onclick={open(Dialog::Editor)} aria-label="Editor" title="Editor: manifests and scenarios (e)" aria-haspopup="dialog">{ icon("edit") }</button>
                <button type="button" class="quiet unfolded" onclick={open(Dialog::Files)} aria-label="Files" title="Open and save" aria-haspopup="dialog">{ icon("files") }</button>
                <a class="btn quiet unfolded" href="#guarantees" aria-label="Guarantees" title="What Kubernetes promises, and what breaks it">{ icon("shield") }</a>
                <button type="button" class="quiet unfolded" onclick={theme} aria-label={format!("Theme: {}", page.theme.name())} title={format!("Theme: {} (t)", page.theme.name())}>{ icon(theme_icon) }</button>
                <button type="button" class="quiet help unfolded" onclick={open(Dialog::Shortcuts)} aria-label="Help and shortcuts" title="Help and shortcuts (?)" aria-haspopup="dialog">{ "?" }</button>
                if page.panels.side {
                    <button type="button" class="quiet folded details" onclick={ctl.act.reform(|_: MouseEvent| Act::Sheet(Sheet::Side))} aria-label="Details" title="What is selected, and why" aria-pressed={(page.sheet == Sheet::Side).to_string()}>{ icon("list") }</button>
                }
                <button type="button" class="quiet folded more" onclick={open(Dialog::More)} aria-label="More" title="Editor, files, guarantees, theme, help" aria-haspopup="dialog">{ icon("more") }</button>
            </span>
        </header>
        <nav class="dock" aria-label="Panels">
            { for dock(props.has_story, page.panels).into_iter().map(|(sheet, sign, name)| {
                let on = page.sheet == sheet;
                let go = ctl.act.reform(move |_: MouseEvent| Act::Sheet(sheet));
                html! { <button type="button" class="quiet" onclick={go} aria-pressed={on.to_string()}>{ icon(sign) }<span>{ name }</span></button> }
            }) }
        </nav>
        </>
    }
}

fn dock(story: bool, panels: Panels) -> Vec<(Sheet, &'static str, &'static str)> {
    [
        (story, (Sheet::Story, "book", "Story")),
        (panels.side, (Sheet::Side, "list", "Details")),
        (panels.timeline, (Sheet::Timeline, "clock", "Timeline")),
        (panels.console, (Sheet::Console, "terminal", "Console")),
    ]
    .into_iter()
    .filter_map(|(there, row)| there.then_some(row))
    .collect()
}

fn notices(page: &Page) -> String {
    let n = page.opened.as_ref().map_or(0, |o| o.notices.len() + o.advice.len());
    format!("{n} notice{}", if n == 1 { "" } else { "s" })
}

/// Identity: a scope with a pod in it.
pub(crate) fn logo() -> Html {
    html! {
        <svg class="mark" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
            <rect x="1" y="1" width="20" height="20" rx="6" fill="none" stroke="currentColor" stroke-width="2" />
            <circle cx="11" cy="11" r="4" fill="currentColor" />
            <path d="M11 1v5M11 16v5" stroke="currentColor" stroke-width="2" />
        </svg>
    }
}

/// Play, step, clock, speed: only the clock moves with every frame.
fn transport(ctl: &Ctl, page: &Shared<Page>) -> Html {
    let model = &page.model;
    let before = {
        let (page, ctl) = (page.clone(), ctl.clone());
        Callback::from(move |_: MouseEvent| ctl.seek(crate::keys::mark_before(&page)))
    };
    let start = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.seek(0))
    };
    let button = |sign: &'static str, name: &'static str, key: &str, click: Callback<MouseEvent>| {
        html! { <button type="button" class="quiet" onclick={click} aria-label={name} title={format!("{name} ({key})")}>{ icon(sign) }</button> }
    };
    let achieved = (model.playing && model.achieved > 0 && model.achieved * 10 < model.speed * 9)
        .then(|| clock::speed(model.achieved));
    html! {
        <div class="transport" role="group" aria-label="Time">
            { button("start", "Back to the start", "Home", start) }
            { button("back", "Back to the mark before", ",", before) }
            if model.playing {
                <button type="button" class="play" onclick={ctl.on(Request::Pause)} aria-label="Pause" title="Pause (Space)">{ icon("pause") }</button>
            } else {
                <button type="button" class="play" onclick={ctl.on(Request::Play)} aria-label="Play" title="Play (Space)">{ icon("play") }</button>
            }
            { button("step", "Next event", ".", ctl.on(Request::Step)) }
            { button("decision", "Run to the next decision", "n", ctl.on(Request::NextDecision)) }
            <Clock />
            <Speed set={model.speed} {achieved} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct SpeedProps {
    set: u64,
    /// Where it is less than what was set.
    achieved: Option<String>,
}

/// Milliseconds for which the keys rest before the speed that they chose holds.
const RESTS: u32 = 600;

/// The speed. A sweep over it changes nothing until it is let go, or until the keys rest; Escape, and a finger that turns
/// into scrolling, take it back. Frames that come meanwhile leave the thumb where the hand has it.
#[component]
fn Speed(props: &SpeedProps) -> Html {
    let swept = use_state(|| None::<u64>);
    // A key was the last that touched it; what the keys chose, until they rest.
    let keys = use_mut_ref(|| (false, None::<Timeout>));
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let chosen = |value: &str| {
        let index: usize = value.parse().unwrap_or(3);
        clock::SPEEDS[index.min(clock::SPEEDS.len() - 1)]
    };
    let oninput = {
        let swept = swept.clone();
        Callback::from(move |event: InputEvent| swept.set(Some(chosen(&crate::browser::value_of(&event)))))
    };
    let onchange = {
        let (swept, keys) = (swept.clone(), keys.clone());
        Callback::from(move |event: Event| {
            let (ctl, swept, speed) = (ctl.clone(), swept.clone(), chosen(&crate::browser::value_of(&event)));
            let hold = move || {
                ctl.speed(speed);
                swept.set(None);
            };
            let mut keys = keys.borrow_mut();
            if keys.0 {
                keys.1 = Some(Timeout::new(RESTS, hold));
            } else {
                hold();
            }
        })
    };
    let back = {
        let (swept, keys) = (swept.clone(), keys.clone());
        move || {
            keys.borrow_mut().1 = None;
            swept.set(None);
        }
    };
    let onkeydown = {
        let (back, keys) = (back.clone(), keys.clone());
        Callback::from(move |event: KeyboardEvent| {
            keys.borrow_mut().0 = true;
            if event.key() == "Escape" {
                back();
            }
        })
    };
    let onpointerdown = move |_: PointerEvent| keys.borrow_mut().0 = false;
    let shown = swept.unwrap_or(props.set);
    let (at, last) = (clock::speed_index(shown), clock::SPEEDS.len() - 1);
    let said = clock::speed(shown);
    html! {
        <label class="speed mono">
            <input type="range" min="0" max={last.to_string()} step="1" value={at.to_string()} {oninput} {onchange} {onkeydown} {onpointerdown} onpointercancel={move |_: PointerEvent| back()}
                aria-label="Speed" aria-valuetext={said.clone()} ~style={format!("--v:{}%", at * 100 / last)} />
            <span class="set">{ said }</span>
            if let Some(achieved) = &props.achieved { <span class="got" title="What this machine achieves">{ format!("({achieved})") }</span> }
        </label>
    }
}

/// Where time is; what is typed into it is where time goes.
#[component]
fn Clock() -> Html {
    let (Some(ctl), Some(now)) = (use_context::<Ctl>(), use_context::<Now>()) else {
        return Html::default();
    };
    let typed = use_state(|| None::<String>);
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(Some(crate::browser::value_of(&event))))
    };
    let onchange = {
        let (typed, ctl) = (typed.clone(), ctl.clone());
        Callback::from(move |event: Event| {
            match clock::parse(&crate::browser::value_of(&event)) {
                Some(at) => ctl.seek(at),
                None => ctl
                    .act
                    .emit(Act::Toast("An instant looks like 90s, 1:30 or 5m.".into())),
            }
            typed.set(None);
        })
    };
    let onblur = {
        let typed = typed.clone();
        Callback::from(move |_: FocusEvent| typed.set(None))
    };
    let shown = clock::instant(now.at);
    let digits = format!("--digits:{}", shown.len());
    html! {
        <span class="dial" ~style={digits}>
            <input class="clock mono" aria-label="Clock: type an instant to go there" title="Type an instant to go there" spellcheck="false" autocomplete="off"
                value={(*typed).clone().unwrap_or(shown)} {oninput} {onchange} {onblur} />
        </span>
    }
}
