//! The filter field: everything that does not match is dimmed, and the number of matches is shown beside the field.

use podscope_messages::t;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::icon;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::find::{Filter, MatchCounts};
use crate::state::{Act, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Find(props: &Props) -> Html {
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            let before = browser::focused();
            if let Some(field) = field.cast::<HtmlInputElement>() {
                field.focus().warn();
            }
            // When the filter closes, moves the focus to the selected match, once the list of pending pods is in its
            // usual order again; without a match, back to the element that had the focus before.
            move || {
                browser::after_drawing(move || {
                    if !browser::focus_selected() {
                        before.iter().for_each(|before| {
                            before.focus().warn();
                        });
                    }
                });
            }
        });
    }
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let text = props.page.session.find.clone().unwrap_or_default();
    let oninput = ctl
        .act
        .reform(|event: InputEvent| Act::Find(Some(browser::field_value_of(&event))));
    let onkeydown = {
        let (ctl, page) = (ctl.clone(), props.page.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                event.stop_propagation();
                ctl.act.emit(Act::Find(None));
            } else if event.key() == "Enter" {
                let next = (page.session.filter.as_ref()).and_then(|filter| {
                    filter.next(&page.session.model, page.session.selected.as_ref(), event.shift_key())
                });
                if let Some(next) = next {
                    ctl.act.emit(Act::SelectFound(next));
                    browser::after_drawing(browser::scroll_to_selected);
                }
            }
        })
    };
    let close = ctl.act.reform(|_: MouseEvent| Act::Find(None));
    // While time runs the matches are counted only a few times a second.
    let frames_per_count = if props.page.session.model.playing { 8 } else { 1 };
    let count_key = (
        props.page.session.filter.clone(),
        props.page.shell.frames / frames_per_count,
        props.page.session.model.playing,
    );
    let counts = use_memo(count_key, |(filter, ..)| {
        filter.as_ref().map(|filter| match_count(filter, &props.page))
    });
    html! {
        <div class="find" role="search">
            { icon("find") }
            <input ref={field} type="text" value={text} {oninput} {onkeydown} aria-label={t!(find::find)}
                placeholder={t!(find::placeholder)} spellcheck="false" autocomplete="off" autocapitalize="off" enterkeyhint="search" title={t!(find::hint)} />
            <span class="mono found" role="status">{ (*counts).clone().unwrap_or_default() }</span>
            <button type="button" class="quiet" onclick={close} aria-label={t!(find::close)}>{ icon("cross") }</button>
        </div>
    }
}

fn match_count(filter: &Filter, page: &Page) -> String {
    let MatchCounts { pods, nodes } = filter.count(&page.session.model);
    t!(find::found, pods = pods, nodes = nodes)
}
