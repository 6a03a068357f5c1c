//! The dialog that appears when the engine does not answer, with the button that ends the engine.

use podscope_messages::t;
use yew::prelude::*;

use super::dialog::Modal;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Whether the engine loads the rest of its wasm.
    pub(crate) is_loading: bool,
    /// Ends the engine.
    pub(crate) stop: Callback<()>,
    /// Continues to wait for the engine's answer.
    pub(crate) wait: Callback<()>,
}

#[component]
pub(crate) fn Busy(props: &Props) -> Html {
    let (title, explanation) = match props.is_loading {
        true => (t!(busy::loading_title), t!(busy::loading)),
        false => (t!(busy::title), t!(busy::explanation)),
    };
    html! {
        <Modal {title} class="confirm" on_close={props.wait.clone()}>
            <p>{ explanation }</p>
            <div class="buttons">
                <button type="button" onclick={props.wait.reform(|_| ())}>{ t!(busy::wait) }</button>
                <button type="button" class="primary" onclick={props.stop.reform(|_| ())} autofocus=true>{ t!(busy::stop) }</button>
            </div>
        </Modal>
    }
}
