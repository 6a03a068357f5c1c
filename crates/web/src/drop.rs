//! Files dropped, and manifests pasted, anywhere on the page.

use std::rc::Rc;

use podscope_protocol::Request;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent};
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, Warn as _};
use crate::components::open_files;
use crate::ctl::{Ctl, PASTED_FILE_NAME};

fn mark_drop_zone(on: bool) {
    if let Some(body) = browser::document().and_then(|document| document.body()) {
        let list = body.class_list();
        let done = if on {
            list.add_1("dropping")
        } else {
            list.remove_1("dropping")
        };
        done.warn();
    }
}

/// Returns whether the drag carries files. It may also carry a selected text.
fn has_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| {
        data.types()
            .iter()
            .any(|kind| kind.as_string().as_deref() == Some("Files"))
    })
}

/// Listens to drag, drop and paste events while the page exists.
#[hook]
pub(crate) fn use_drop(ctl: &Rc<Ctl>) {
    let ctl = ctl.clone();
    use_effect_with((), move |()| {
        let over = listen("dragover", |event| {
            if let Some(event) = event.dyn_ref::<DragEvent>().filter(|event| has_files(event)) {
                event.prevent_default();
                mark_drop_zone(true);
            }
        });
        let leave = listen("dragleave", |event| {
            if event
                .dyn_ref::<DragEvent>()
                .is_some_and(|event| event.related_target().is_none())
            {
                mark_drop_zone(false);
            }
        });
        let dropped = {
            let ctl = ctl.clone();
            listen("drop", move |event| {
                mark_drop_zone(false);
                let Some(event) = event.dyn_ref::<DragEvent>().filter(|event| has_files(event)) else {
                    return;
                };
                event.prevent_default();
                if let Some(list) = event.data_transfer().and_then(|data| data.files()) {
                    open_files(&ctl, list);
                }
            })
        };
        let pasted = listen("paste", move |event| {
            let Some(event) = event.dyn_ref::<ClipboardEvent>() else {
                return;
            };
            let in_field = event
                .composed_path()
                .get(0)
                .dyn_into::<web_sys::Element>()
                .ok()
                .is_some_and(|event| {
                    event
                        .closest("input, textarea, [contenteditable], dialog")
                        .warn()
                        .flatten()
                        .is_some()
                });
            let text = event
                .clipboard_data()
                .and_then(|data| data.get_data("text/plain").ok())
                .unwrap_or_default();
            // The engine ignores a text that is not a manifest.
            if !in_field && !text.trim().is_empty() {
                let name = PASTED_FILE_NAME.into();
                ctl.send.emit(Request::Paste { name, text });
            }
        });
        move || drop((over, leave, dropped, pasted))
    });
}
