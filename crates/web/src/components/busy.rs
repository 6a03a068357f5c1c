//! What is said when the engine does not answer, and the button that ends it.

use yew::prelude::*;

use super::dialog::Modal;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Ends the engine.
    pub(crate) stop: Callback<()>,
    /// Waits as long again.
    pub(crate) wait: Callback<()>,
}

/// The engine has not answered for some seconds.
#[component]
pub(crate) fn Busy(props: &Props) -> Html {
    html! {
        <Modal title="The engine is busy" class="confirm" shut={props.wait.clone()}>
            <p>{ "It has not answered for five seconds. You can wait on, or stop it: then the session goes on as it was last kept, without what keeps it busy." }</p>
            <div class="buttons">
                <button type="button" onclick={props.wait.reform(|_| ())}>{ "Wait" }</button>
                <button type="button" class="primary" onclick={props.stop.reform(|_| ())} autofocus=true>{ "Stop it" }</button>
            </div>
        </Modal>
    }
}
