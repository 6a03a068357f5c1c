//! Files dropped anywhere, and a cluster pasted anywhere.

use std::rc::Rc;

use podscope_protocol::{Request, Source};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent};
use yew::prelude::*;

use crate::browser;
use crate::browser::listen::listen;
use crate::components::open_files;
use crate::ctl::Ctl;

fn mark(on: bool) {
    if let Some(body) = browser::window().and_then(|w| w.document()).and_then(|d| d.body()) {
        let list = body.class_list();
        drop(if on {
            list.add_1("dropping")
        } else {
            list.remove_1("dropping")
        });
    }
}

/// Whether a drag carries files (a marked text may be dragged too).
fn has_files(event: &DragEvent) -> bool {
    event
        .data_transfer()
        .is_some_and(|d| d.types().iter().any(|t| t.as_string().as_deref() == Some("Files")))
}

/// Whether a pasted text looks like manifests: then it opens; anything else is left alone.
fn looks_like_manifests(text: &str) -> bool {
    let mut lines = text.lines();
    text.trim_start().starts_with('{') && text.contains("\"apiVersion\"") || lines.any(|l| l.starts_with("apiVersion:"))
}

/// Listens while the page lives.
#[hook]
pub(crate) fn use_drop(ctl: &Rc<Ctl>) {
    let ctl = ctl.clone();
    use_effect_with((), move |()| {
        let over = listen("dragover", |event| {
            if let Some(event) = event.dyn_ref::<DragEvent>().filter(|e| has_files(e)) {
                event.prevent_default();
                mark(true);
            }
        });
        let leave = listen("dragleave", |event| {
            if event
                .dyn_ref::<DragEvent>()
                .is_some_and(|e| e.related_target().is_none())
            {
                mark(false);
            }
        });
        let dropped = {
            let ctl = ctl.clone();
            listen("drop", move |event| {
                mark(false);
                let Some(event) = event.dyn_ref::<DragEvent>().filter(|e| has_files(e)) else {
                    return;
                };
                event.prevent_default();
                if let Some(list) = event.data_transfer().and_then(|d| d.files()) {
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
                .is_some_and(|e| {
                    e.closest("input, textarea, [contenteditable], dialog")
                        .ok()
                        .flatten()
                        .is_some()
                });
            let text = event
                .clipboard_data()
                .and_then(|d| d.get_data("text/plain").ok())
                .unwrap_or_default();
            if !in_field && looks_like_manifests(&text) {
                event.prevent_default();
                ctl.send.emit(Request::Open {
                    source: Source::Files {
                        files: vec![("pasted.yaml".into(), text)],
                    },
                });
            }
        });
        move || drop((over, leave, dropped, pasted))
    });
}

#[cfg(test)]
mod tests {
    use super::looks_like_manifests;

    /// U-07: what `kubectl get -o yaml` or `-o json` printed opens when it is pasted.
    #[test]
    fn manifests_are_told_from_other_texts() {
        assert!(looks_like_manifests("apiVersion: v1\nkind: List\n"));
        assert!(looks_like_manifests("---\n# x\nkind: Pod\napiVersion: v1\n"));
        assert!(looks_like_manifests(" {\n  \"apiVersion\": \"v1\"}"));
        assert!(!looks_like_manifests("what is apiVersion: v1?"));
    }
}
