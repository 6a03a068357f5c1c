//! The dialog that appears when the engine does not answer, with the button that ends the engine.

use yew::prelude::*;

use super::dialog::Modal;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Ends the engine.
    pub(crate) stop: Callback<()>,
    /// Waits for another period.
    pub(crate) wait: Callback<()>,
}

/// The dialog.
#[component]
pub(crate) fn Busy(props: &Props) -> Html {
    html! {
        <Modal title="The engine is busy" class="confirm" on_close={props.wait.clone()}>
            <p>{ "It has not answered for five seconds. You can wait on, or stop it: then the session goes on as it was last kept, without what keeps it busy." }</p>
            <div class="buttons">
                <button type="button" onclick={props.wait.reform(|_| ())}>{ "Wait" }</button>
                <button type="button" class="primary" onclick={props.stop.reform(|_| ())} autofocus=true>{ "Stop it" }</button>
            </div>
        </Modal>
    }
}
