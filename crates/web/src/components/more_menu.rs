//! The menu "More": the controls for which the bar has no room, with their shortcuts.

use podscope_messages::{LANGUAGES, t};
use podscope_protocol::{Request, WhatIf};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::bar::next_theme;
use super::dialog::Modal;
use crate::browser;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Page, Shared};
use crate::{keys, language};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn MoreMenu(props: &Props) -> Html {
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
    let act = |make: fn() -> Act| close_and(ctl.act.reform(move |()| make()));
    let ask = |request: Request| close_and(ctl.send.reform(move |()| request.clone()));
    let seek = |at: podscope_protocol::Micros| {
        let ctl = ctl.clone();
        close_and(Callback::from(move |()| ctl.seek(at)))
    };
    let present = ctl.start_presenting(crate::state::Present::default());
    let theme = {
        let theme = page.shell.theme;
        ctl.act.reform(move |_: MouseEvent| Act::Theme(next_theme(theme)))
    };
    let row = |words: String, key: &'static str, onclick: Callback<MouseEvent>| {
        html! { <li><button type="button" {onclick}><span>{ words }</span>if !key.is_empty() { <kbd>{ key }</kbd> }</button></li> }
    };
    let n_notices = page
        .session
        .opened
        .as_ref()
        .map_or(0, |opened| opened.notices.len() + opened.advice.len());
    html! {
        <Modal title={t!(more::title)} class="menu rest" style="--x:9999px;--y:56px">
            <Languages page={page.clone()} />
            <ul aria-label={t!(more::time)}>
                { row(t!(more::next_event), ".", ask(Request::Step)) }
                { row(t!(more::next_decision), "n", ask(Request::NextDecision)) }
                { row(t!(more::back_to_mark), ",", seek(keys::event_time_before_clock(&page.session))) }
                { row(t!(more::back_to_start), "Home", seek(0)) }
                { row(t!(more::branch), "f", ask(Request::Fork)) }
            </ul>
            <ul aria-label={t!(more::page)}>
                { row(t!(more::find), "/", act(|| Act::Find(Some(String::new())))) }
                { row(t!(more::legend), "", act(|| Act::Legend)) }
                if page.shell.panels.console { { row(t!(more::console), "`", act(|| Act::ConsoleOpen(true))) } }
                { row(t!(more::editor), "e", act(|| Act::Dialog(Dialog::Editor))) }
                { row(t!(more::files), "", act(|| Act::Dialog(Dialog::Files))) }
                { row(t!(more::consolidate), "", act(|| Act::Dialog(Dialog::WhatIf(WhatIf::Consolidate)))) }
                // On a server all pages share one engine, so the page has no worker of its own that could be ended.
                if page.session.opened.as_ref().is_some_and(|opened| !opened.is_joined) { { row(t!(more::search), "", act(|| Act::Dialog(Dialog::Search))) } }
                if page.session.triage.is_some() { { row(t!(more::triage), "", act(|| Act::Dialog(Dialog::Triage))) } }
                if n_notices > 0 { { row(t!(more::notices, count = n_notices), "", act(|| Act::Dialog(Dialog::Notices))) } }
                <li><a class="btn quiet" href="#guarantees" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None))}>{ t!(more::guarantees) }</a></li>
                if page.session.opened.as_ref().is_some_and(|opened| !opened.story.is_empty()) && !page.shell.study.hides_solutions() { { row(t!(more::worksheet), "", act(|| Act::Dialog(Dialog::Worksheet))) } }
                { row(t!(more::class), "", act(|| Act::Dialog(Dialog::Class))) }
                { row(t!(more::present), "Shift + P", present) }
                { row(t!(more::theme, theme = page.shell.theme.name()), "t", theme) }
                { row(t!(more::help), "?", act(|| Act::Dialog(Dialog::Shortcuts))) }
            </ul>
        </Modal>
    }
}

/// The choice of the page's language. Each language has its name in that language.
#[component]
fn Languages(props: &Props) -> Html {
    let select = use_node_ref();
    {
        // The field shows the page's language, even if the chosen language could not be loaded.
        let (select, current) = (select.clone(), props.page.shell.language.clone());
        use_effect(move || {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(&current);
            }
        });
    }
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let choose = {
        let act = ctl.act.clone();
        Callback::from(move |event: Event| language::change_and_keep(&browser::field_value_of(&event), act.clone()))
    };
    html! {
        <label class="languages"><span>{ t!(language::language) }</span>
            <select ref={select} onchange={choose}>{ for LANGUAGES.iter().map(|(code, name)| html! { <option value={*code} lang={*code}>{ *name }</option> }) }</select>
        </label>
    }
}
