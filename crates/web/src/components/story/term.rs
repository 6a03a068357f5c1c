//! A glossary term in a story's text: a click opens its definition, a second click closes it.

use podscope_messages::{localized, t};
use podscope_protocol::glossary;
use yew::prelude::*;

use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) term: &'static str,
    pub(super) words: String,
}

#[component]
pub(super) fn Term(props: &Props) -> Html {
    let open = use_state(|| false);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let sentence = glossary::find_term(props.term).map_or("", |(_, sentence)| sentence);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let all = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Glossary));
    html! {
        <>
            <button type="button" class="term" aria-expanded={open.to_string()} onclick={toggle}>{ &props.words }</button>
            if *open {
                <span class="meaning" role="note"><b lang="en" translate="no">{ props.term }</b>{ ": " }{ localized(sentence) }{ " " }<button type="button" class="quiet" onclick={all}>{ t!(term::all_terms) }</button></span>
            }
        </>
    }
}
