//! The menu "More": the controls for which the bar has no room, with their shortcuts.

use podscope_protocol::{Request, WhatIf};
use yew::prelude::*;

use super::bar::next_theme;
use super::dialog::Modal;
use crate::ctl::Ctl;
use crate::keys;
use crate::state::{Act, Dialog, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The menu.
#[component]
pub(crate) fn More(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    // The menu closes before its action runs.
    let close_and = |go: Callback<()>| {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Dialog(Dialog::None));
            go.emit(());
        })
    };
    let act = |act: Act| close_and(ctl.act.reform(move |()| act.clone()));
    let ask = |request: Request| close_and(ctl.send.reform(move |()| request.clone()));
    let seek = |at: podscope_protocol::Micros| {
        let ctl = ctl.clone();
        close_and(Callback::from(move |()| ctl.seek(at)))
    };
    let present = ctl.present(crate::state::Present::default());
    let theme = {
        let theme = page.theme;
        ctl.act.reform(move |_: MouseEvent| Act::Theme(next_theme(theme)))
    };
    let row = |words: String, key: &'static str, onclick: Callback<MouseEvent>| {
        html! { <li><button type="button" {onclick}><span>{ words }</span>if !key.is_empty() { <kbd>{ key }</kbd> }</button></li> }
    };
    let n_notices = page
        .opened
        .as_ref()
        .map_or(0, |opened| opened.notices.len() + opened.advice.len());
    html! {
        <Modal title="More" class="menu rest" style="--x:9999px;--y:56px">
            <ul aria-label="Time">
                { row("Next event".into(), ".", ask(Request::Step)) }
                { row("Next decision".into(), "n", ask(Request::NextDecision)) }
                { row("Back to the mark before".into(), ",", seek(keys::mark_before(page))) }
                { row("Back to the start".into(), "Home", seek(0)) }
                { row("Branch: keep this future, go on from here".into(), "f", ask(Request::Fork)) }
            </ul>
            <ul aria-label="Page">
                { row("Find pods and nodes".into(), "/", act(Act::Find(Some(String::new())))) }
                { row("Legend: what the marks mean".into(), "", act(Act::Legend)) }
                if page.panels.console { { row("Console".into(), "`", act(Act::ConsoleOpen(true))) } }
                { row("Editor".into(), "e", act(Act::Dialog(Dialog::Editor))) }
                { row("Files".into(), "", act(Act::Dialog(Dialog::Files))) }
                { row("Which nodes can go?".into(), "", act(Act::Dialog(Dialog::WhatIf(WhatIf::Consolidate)))) }
                // A server's engine is one for all its pages, and no browser's worker.
                if page.opened.as_ref().is_some_and(|opened| !opened.is_joined) { { row("Find a run that breaks a guarantee".into(), "", act(Act::Dialog(Dialog::Search))) } }
                if page.triage.is_some() { { row("What is wrong".into(), "", act(Act::Dialog(Dialog::Triage))) } }
                if n_notices > 0 { { row(format!("About what was opened ({n_notices})"), "", act(Act::Dialog(Dialog::Notices))) } }
                <li><a class="btn quiet" href="#guarantees" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None))}>{ "Guarantees" }</a></li>
                if page.opened.as_ref().is_some_and(|opened| !opened.story.is_empty()) && !page.study.holds_back() { { row("Worksheet: this lesson on paper".into(), "", act(Act::Dialog(Dialog::Worksheet))) } }
                { row("Class: runs that were handed in".into(), "", act(Act::Dialog(Dialog::Class))) }
                { row("Present to a room".into(), "Shift + P", present) }
                { row(format!("Theme: {}", page.theme.name()), "t", theme) }
                { row("Help and shortcuts".into(), "?", act(Act::Dialog(Dialog::Shortcuts))) }
            </ul>
        </Modal>
    }
}
