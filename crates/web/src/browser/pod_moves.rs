//! The animation of a pod's mark (its icon on the stage) from its old position to its new one.

use super::Warn as _;
use podscope_api::ordered;

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

/// Position of each pod's mark (icon) before a change, by pod id.
pub(crate) type MarkPositions = ordered::Map<String, (f64, f64)>;

fn mark_element(root: &Element, id: &str) -> Option<Element> {
    // An id is a UID, and may come from an untrusted file: quotes and backslashes are escaped.
    let id = id.replace('\\', "\\\\").replace('"', "\\\"");
    root.query_selector(&format!("[data-id=\"{id}\"].pod")).warn()?
}

/// Returns where the marks (icons) of these pods are drawn now.
pub(crate) fn mark_positions(root: &Element, ids: &[String]) -> MarkPositions {
    ids.iter()
        .take(40)
        .filter_map(|id| {
            let rect = mark_element(root, id)?.get_bounding_client_rect();
            Some((id.clone(), (rect.left(), rect.top())))
        })
        .collect()
}

/// Scrolls to the mark (icon) of a pod.
pub(crate) fn scroll_to_pod(root: &Element, id: &str) {
    if let Some(mark) = mark_element(root, id) {
        super::scroll_into_view(&mark);
    }
}

/// Moves the marks (icons) of pods from their old positions to their present ones, as an animation.
pub(crate) fn animate_moves(root: &Element, from: &MarkPositions) {
    for (id, (x, y)) in from {
        let Some(element) = mark_element(root, id) else {
            continue;
        };
        let rect = element.get_bounding_client_rect();
        let (dx, dy) = (x - rect.left(), y - rect.top());
        if dx.abs() + dy.abs() < 4.0 {
            continue;
        }
        let begin = Object::new();
        let end = Object::new();
        let options = Object::new();
        let set = |object: &Object, key: &str, value: JsValue| Reflect::set(object, &key.into(), &value).warn();
        set(&begin, "transform", format!("translate({dx}px, {dy}px)").into());
        set(&begin, "zIndex", 9.into());
        set(&end, "transform", "none".into());
        set(&options, "duration", 240.into());
        set(&options, "easing", "cubic-bezier(.2,.7,.2,1)".into());
        if let Some(animate) = Reflect::get(&element, &"animate".into())
            .warn()
            .and_then(|function| function.dyn_into::<Function>().ok())
        {
            animate.call2(&element, &Array::of2(&begin, &end), &options).warn();
        }
    }
}
