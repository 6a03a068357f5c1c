//! The bar at the top with nine controls: logo, title of what is open, play, clock, forward, speed, undo, share, and
//! more.

use podscope_messages::t;
use podscope_protocol::Request;
use yew::prelude::*;

use super::forward_button::Forward;
use super::icon;
use super::shown::shown;
use crate::browser::store;
use crate::ctl::{Ctl, Now};
use crate::pure::clock;
use crate::pure::route::Theme;
use crate::state::{Act, Dialog, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// Returns the theme after this one, in the order in which the button cycles.
pub(crate) fn next_theme(theme: Theme) -> Theme {
    let next = match theme {
        Theme::System => Theme::Light,
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::System,
    };
    store::store_theme(next.name());
    next
}

/// Title, time controls and menus at the top of the page.
#[component]
pub(crate) fn Bar(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    let open = |dialog: Dialog| ctl.act.reform(move |_: MouseEvent| Act::Dialog(dialog.clone()));
    let title = page
        .session
        .opened
        .as_ref()
        .map_or_else(|| t!(bar::starting), |opened| opened.title.clone());
    html! {
        <header class="bar">
            <h1 class="sr">{ "Podscope: " }{ shown(&title) }</h1>
            <button type="button" class="logo quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::RequestStart)} aria-label={t!(bar::logo)} title={t!(bar::logo_hint)}>{ logo() }<span class="word">{ "Podscope" }</span></button>
            <button type="button" class="scenario quiet" onclick={open(if page.shell.study.course.is_some() { Dialog::Course } else { Dialog::Lessons })} aria-haspopup="dialog" title={t!(bar::lessons_hint)}>
                <span>{ shown(&title) }</span>{ icon("down") }
            </button>
            { playback_controls(&ctl, &props.page) }
            <span class="tools">
                <button type="button" class="primary share" onclick={open(Dialog::Share)} aria-haspopup="dialog" title={t!(bar::share_hint)}>{ t!(bar::share) }</button>
                <button type="button" class="quiet more" onclick={open(Dialog::More)} aria-label={t!(bar::more)} title={t!(bar::more_hint)} aria-haspopup="dialog">{ icon("more") }</button>
            </span>
        </header>
    }
}

/// The logo: a scope with a pod in it.
pub(crate) fn logo() -> Html {
    html! {
        <svg class="mark" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
            <rect x="1" y="1" width="20" height="20" rx="6" fill="none" stroke="currentColor" stroke-width="2" />
            <circle cx="11" cy="11" r="4" fill="currentColor" />
            <path d="M11 1v5M11 16v5" stroke="currentColor" stroke-width="2" />
        </svg>
    }
}

/// Renders the controls of time: play, clock, forward, speed, undo. Only the clock and the seconds of the forward
/// button change with every frame.
fn playback_controls(ctl: &Ctl, page: &Shared<Page>) -> Html {
    let model = &page.session.model;
    let (request, name, hint, sign) = if model.playing {
        (Request::Pause, t!(bar::pause), t!(bar::pause_hint), "pause")
    } else {
        (Request::Play, t!(bar::play), t!(bar::play_hint), "play")
    };
    let achieved = (model.playing && model.achieved >= 10 && model.achieved * 10 < model.speed * 9)
        .then(|| clock::speed_text(model.achieved));
    html! {
        <div class="transport" role="group" aria-label={t!(bar::time)}>
            <button type="button" class="quiet play" onclick={ctl.on(request)} aria-label={name.clone()} title={hint}>{ icon(sign) }<span class="word">{ name }</span></button>
            <Clock />
            if page.session.opened.is_some() { <Forward page={page.clone()} /> }
            <Speed set={model.speed} {achieved} />
            <button type="button" onclick={ctl.on(Request::Undo)} class="quiet undo" aria-label={t!(bar::undo_command)} title={t!(bar::undo_hint)}>{ icon("undo") }<span class="word">{ t!(bar::undo) }</span></button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct SpeedProps {
    set: u64,
    /// The measured speed of time, if it is lower than the chosen one.
    achieved: Option<String>,
}

/// A list for choosing the speed.
#[component]
fn Speed(props: &SpeedProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let at = clock::speed_index(props.set);
    let onchange = Callback::from(move |event: Event| {
        let index = crate::browser::field_value_of(&event).parse().ok();
        if let Some(speed) = index.and_then(|index: usize| clock::SPEEDS.get(index)) {
            ctl.set_speed(*speed);
        }
    });
    html! {
        <span class="speed mono">
            <select class="mono" aria-label={t!(bar::speed)} title={t!(bar::speed_hint)} {onchange}>
                { for clock::SPEEDS.iter().enumerate().map(|(index, speed)| html! { <option value={index.to_string()} selected={index == at}>{ clock::speed_text(*speed) }</option> }) }
            </select>
            if let Some(achieved) = &props.achieved { <span class="got" title={t!(bar::achieved_hint)}>{ achieved }</span> }
        </span>
    }
}

/// The clock as a text field: typing an instant into it seeks to the instant.
#[component]
fn Clock() -> Html {
    let (Some(ctl), Some(now)) = (use_context::<Ctl>(), use_context::<Now>()) else {
        return Html::default();
    };
    let typed = use_state(|| None::<String>);
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(Some(crate::browser::field_value_of(&event))))
    };
    let onchange = {
        let (typed, ctl) = (typed.clone(), ctl.clone());
        Callback::from(move |event: Event| {
            match clock::parse(&crate::browser::field_value_of(&event)) {
                Some(at) => ctl.seek(at),
                None => ctl.act.emit(Act::Toast(t!(bar::form_of_instant))),
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
            <input class="clock mono" aria-label={t!(bar::clock)} title={t!(bar::clock_hint)} spellcheck="false" autocomplete="off"
                value={(*typed).clone().unwrap_or(shown)} {oninput} {onchange} {onblur} />
        </span>
    }
}
