//! Listeners on the window.

use gloo_events::{EventListener, EventListenerOptions};

/// Listens on the window until the result is dropped. The listener may prevent the browser's default action.
#[must_use]
pub(crate) fn listen(name: &'static str, mut run: impl FnMut(&web_sys::Event) + 'static) -> Option<EventListener> {
    let window = super::window()?;
    let options = EventListenerOptions::enable_prevent_default();
    Some(EventListener::new_with_options(&window, name, options, move |event| {
        run(event)
    }))
}
