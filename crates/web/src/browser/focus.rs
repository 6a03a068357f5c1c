//! The cluster by keyboard: arrows go to the nearest pod or node in their direction.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// One of the things that arrows go among is the region's tab stop: this one from now on.
pub(crate) fn rove(root: &Element, to: &Element) {
    let Ok(before) = root.query_selector_all("[data-nav][tabindex=\"0\"]") else {
        return;
    };
    for nth in 0..before.length() {
        if let Some(element) = before.item(nth).and_then(|node| node.dyn_into::<Element>().ok()) {
            drop(element.set_attribute("tabindex", "-1"));
        }
    }
    drop(to.set_attribute("tabindex", "0"));
}

/// Gives a region a tab stop that has none, because what it was is gone: its first node, or whatever it has.
pub(crate) fn ensure_stop(root: &Element) {
    let find = |selector: &str| root.query_selector(selector).ok().flatten();
    if find("[data-nav][tabindex=\"0\"]").is_none()
        && let Some(first) = find("[data-nav=\"node\"]").or_else(|| find("[data-nav]"))
    {
        drop(first.set_attribute("tabindex", "0"));
    }
}

/// Moves the focus inside `root`; says whether there was somewhere to go.
pub(crate) fn go(root: &Element, key: &str) -> bool {
    let Some(document) = super::window().and_then(|w| w.document()) else {
        return false;
    };
    let Ok(all) = root.query_selector_all("[data-nav]") else {
        return false;
    };
    let items: Vec<HtmlElement> = (0..all.length()).filter_map(|i| all.item(i)?.dyn_into().ok()).collect();
    let here = document.active_element().filter(|e| e.has_attribute("data-nav"));
    let Some(here) = here else {
        return items.first().is_some_and(|first| first.focus().is_ok());
    };
    let centre = |e: &Element| {
        let r = e.get_bounding_client_rect();
        (r.left() + r.width() / 2.0, r.top() + r.height() / 2.0)
    };
    let (x, y) = centre(&here);
    let mut best: Option<(f64, &HtmlElement)> = None;
    for item in &items {
        let (ix, iy) = centre(item);
        let (dx, dy) = (ix - x, iy - y);
        let (along, across) = match key {
            "ArrowRight" => (dx, dy),
            "ArrowLeft" => (-dx, dy),
            "ArrowDown" => (dy, dx),
            "ArrowUp" => (-dy, dx),
            _ => return false,
        };
        if along < 4.0 || along < across.abs() * 0.35 {
            continue;
        }
        let far = along + across.abs() * 2.0;
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, item));
        }
    }
    best.is_some_and(|(_, item)| item.focus().is_ok())
}
