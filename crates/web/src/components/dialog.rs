//! A modal dialog, built on the browser's `<dialog>`: it traps the focus and restores it.

use podscope_messages::t;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::browser::Warn as _;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) title: AttrValue,
    #[prop_or_default]
    pub(crate) class: Classes,
    #[prop_or_default]
    pub(crate) style: Option<AttrValue>,
    /// Whether the dialog stands beside the stage, which stays usable, instead of being modal. The page's own key
    /// handler closes such a dialog.
    #[prop_or_default]
    pub(crate) beside: bool,
    /// Called on closing; by default the page's state is set to "no dialog".
    #[prop_or_default]
    pub(crate) on_close: Option<Callback<()>>,
    pub(crate) children: Children,
}

/// A modal dialog. Closing it changes the page's state.
#[component]
pub(crate) fn Modal(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let node = use_node_ref();
    let beside = props.beside;
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            let dialog = node.cast::<HtmlDialogElement>();
            if let Some(dialog) = dialog.as_ref().filter(|dialog| !dialog.open()) {
                if beside {
                    dialog.show();
                } else {
                    dialog.show_modal().warn();
                }
                // In a menu the first action is focused; Escape closes the menu without an action. In other dialogs
                // `autofocus` marks the field to focus.
                if let Some(Some(first)) = dialog
                    .query_selector(".menu > .inner > ul > li > *, [autofocus]")
                    .warn()
                {
                    first.unchecked_into::<web_sys::HtmlElement>().focus().warn();
                }
            }
            move || {
                if let Some(dialog) = dialog {
                    dialog.close();
                }
            }
        });
    }
    let on_close = props.on_close.clone();
    let on_close = on_close.unwrap_or_else(|| ctl.act.reform(|()| Act::Dialog(Dialog::None)));
    let onclose = on_close.reform(|_: Event| ());
    let oncancel = {
        let on_close = on_close.clone();
        Callback::from(move |event: Event| {
            event.prevent_default();
            on_close.emit(());
        })
    };
    let close = on_close.reform(|_: MouseEvent| ());
    let onclick = {
        // A click on the backdrop has the dialog itself as its target.
        Callback::from(move |event: MouseEvent| {
            if !beside
                && event
                    .target()
                    .and_then(|target| target.dyn_into::<HtmlDialogElement>().ok())
                    .is_some()
            {
                on_close.emit(());
            }
        })
    };
    html! {
        <dialog ref={node} class={classes!(props.class.clone(), beside.then_some("beside-stage"))} ~style={props.style.as_deref().unwrap_or_default()} aria-label={podscope_api::visible(&props.title).into_owned()} {onclose} {oncancel} {onclick}>
            <div class="inner">
                // Assistive technology would count the header of a non-modal dialog as a second banner of the page.
                <header role={beside.then_some("presentation")}><h2>{ shown(&props.title) }</h2><button type="button" class="quiet" onclick={close} aria-label={t!(dialog::close)}>{ icon("cross") }</button></header>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
