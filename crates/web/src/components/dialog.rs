//! A dialog of the browser's own: it keeps the focus inside and gives it back.

use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) title: AttrValue,
    #[prop_or_default]
    pub(crate) class: Classes,
    #[prop_or_default]
    pub(crate) style: Option<AttrValue>,
    /// What closing it says, where that is something else than that no dialog is open.
    #[prop_or_default]
    pub(crate) shut: Option<Callback<()>>,
    pub(crate) children: Children,
}

/// A modal dialog; closing it says so to the page.
#[component]
pub(crate) fn Modal(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            let dialog = node.cast::<HtmlDialogElement>();
            if let Some(dialog) = dialog.as_ref().filter(|d| !d.open()) {
                drop(dialog.show_modal());
                // A menu opens on its first action; whoever wants none of them has Escape. Of other dialogs a field says
                // that it is the first.
                if let Ok(Some(first)) = dialog.query_selector(".menu > .inner > ul > li > *, [autofocus]") {
                    drop(first.unchecked_into::<web_sys::HtmlElement>().focus());
                }
            }
            move || {
                if let Some(dialog) = dialog {
                    dialog.close();
                }
            }
        });
    }
    let shut = props.shut.clone();
    let shut = shut.unwrap_or_else(|| ctl.act.reform(|()| Act::Dialog(Dialog::None)));
    let onclose = shut.reform(|_: Event| ());
    let oncancel = {
        let shut = shut.clone();
        Callback::from(move |event: Event| {
            event.prevent_default();
            shut.emit(());
        })
    };
    let close = shut.reform(|_: MouseEvent| ());
    let onclick = {
        // A click on the backdrop hits the dialog itself.
        Callback::from(move |event: MouseEvent| {
            if event
                .target()
                .and_then(|t| t.dyn_into::<HtmlDialogElement>().ok())
                .is_some()
            {
                shut.emit(());
            }
        })
    };
    html! {
        <dialog ref={node} class={props.class.clone()} ~style={props.style.as_deref().unwrap_or_default()} aria-label={podscope_api::visible(&props.title).into_owned()} {onclose} {oncancel} {onclick}>
            <div class="inner">
                <header><h2>{ shown(&props.title) }</h2><button type="button" class="quiet" onclick={close} aria-label="Close">{ icon("cross") }</button></header>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
