//! Keyboard navigation on the stage: an arrow key moves the focus to the nearest pod or node in its direction.

use super::Warn as _;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Attribute of a provisional tab stop: while the stage has no node, another element is the tab stop. The attribute is
/// removed when the tab stop moves.
const PROVISIONAL_TAB_STOP_ATTRIBUTE: &str = "data-stands-in";

/// Makes an element the region's single tab stop (roving tabindex).
pub(crate) fn move_tab_stop(root: &Element, to: &Element) {
    let Some(before) = root.query_selector_all("[data-nav][tabindex=\"0\"]").warn() else {
        return;
    };
    for nth in 0..before.length() {
        if let Some(element) = before.item(nth).and_then(|node| node.dyn_into::<Element>().ok()) {
            element.set_attribute("tabindex", "-1").warn();
            element.remove_attribute(PROVISIONAL_TAB_STOP_ATTRIBUTE).warn();
        }
    }
    to.set_attribute("tabindex", "0").warn();
}

/// Ensures that the region has a tab stop: if it was removed, the first node becomes the tab stop, or another element
/// while there is no node.
pub(crate) fn ensure_tab_stop(root: &Element) {
    let find = |selector: &str| root.query_selector(selector).warn().flatten();
    let stop = find("[data-nav][tabindex=\"0\"]");
    if stop
        .as_ref()
        .is_some_and(|stop| !stop.has_attribute(PROVISIONAL_TAB_STOP_ATTRIBUTE))
    {
        return;
    }
    if let Some(first) = find("[data-nav=\"node\"]") {
        move_tab_stop(root, &first);
    } else if stop.is_none()
        && let Some(mark) = find("[data-nav]")
    {
        move_tab_stop(root, &mark);
        mark.set_attribute(PROVISIONAL_TAB_STOP_ATTRIBUTE, "").warn();
    }
}

/// Moves the focus to the next element in the direction of the key; returns whether there is one.
pub(crate) fn move_focus(root: &Element, key: &str) -> bool {
    let Some(document) = super::document() else {
        return false;
    };
    let Some(all) = root.query_selector_all("[data-nav]").warn() else {
        return false;
    };
    let items: Vec<HtmlElement> = (0..all.length())
        .filter_map(|index| all.item(index)?.dyn_into().ok())
        .collect();
    let here = document
        .active_element()
        .filter(|element| element.has_attribute("data-nav"));
    let Some(here) = here else {
        return items.first().is_some_and(|first| first.focus().warn().is_some());
    };
    let node_of = |element: &Element| element.closest("[data-node]").warn().flatten();
    let (from, node) = (ElementEdges::of(&here), node_of(&here));
    let mut best: Option<(f64, &HtmlElement)> = None;
    for item in &items {
        let is_same_node = node.is_some() && node_of(item) == node;
        let Some(far) = from.distance(ElementEdges::of(item), key, is_same_node) else {
            continue;
        };
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, item));
        }
    }
    best.is_some_and(|(_, item)| item.focus().warn().is_some())
}

/// Distance that is added for elements in another row; larger than the width of any stage.
const OTHER_ROW_PENALTY: f64 = 100_000.0;

/// The edges of an element, in CSS pixels.
#[derive(Clone, Copy)]
struct ElementEdges {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl ElementEdges {
    fn of(element: &Element) -> Self {
        let rect = element.get_bounding_client_rect();
        Self {
            left: rect.left(),
            top: rect.top(),
            right: rect.right(),
            bottom: rect.bottom(),
        }
    }

    /// Returns the distance of another element in the direction of an arrow key: the gap between the two, plus the
    /// offset to the side, which counts more if the other element is on another node. `None` if the other element is
    /// not beyond this one's middle in that direction.
    fn distance(self, to: Self, key: &str, is_same_node: bool) -> Option<f64> {
        let (x, y) = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        // Distance between two intervals on an axis; 0 if they overlap.
        let gap = |one: (f64, f64), other: (f64, f64)| (other.0 - one.1).max(one.0 - other.1).max(0.0);
        let horizontal_gap = gap((self.left, self.right), (to.left, to.right));
        let vertical_gap = gap((self.top, self.bottom), (to.top, to.bottom));
        let (is_in_direction, along, across) = match key {
            "ArrowRight" => (to.left > x, horizontal_gap, vertical_gap),
            "ArrowLeft" => (to.right < x, horizontal_gap, vertical_gap),
            "ArrowDown" => (to.top > y, vertical_gap, horizontal_gap),
            "ArrowUp" => (to.bottom < y, vertical_gap, horizontal_gap),
            _ => return None,
        };
        let is_sideways = matches!(key, "ArrowLeft" | "ArrowRight");
        // If the two elements overlap, prefer the one whose middle is closer to the direction of the key.
        let (dx, dy) = ((to.left + to.right) / 2.0 - x, (to.top + to.bottom) / 2.0 - y);
        let off = if is_sideways { dy } else { dx };
        let aside = if is_same_node { 0.5 } else { 2.0 };
        // Left and right reach every element of the same row before elements of other rows.
        let row = if is_sideways && across > 0.0 {
            OTHER_ROW_PENALTY
        } else {
            0.0
        };
        is_in_direction.then(|| along + across * aside + off.abs() * 0.1 + row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Down from a node's name leads to its first pod, however wide the pod is; right leads to the next node.
    /// Shows: U-03
    #[test]
    fn arrow_keys_move_focus_to_nearest_mark_in_direction() {
        let place = |left: f64, top: f64, w: f64, h: f64| ElementEdges {
            left,
            top,
            right: left + w,
            bottom: top + h,
        };
        // In this test, elements whose names have the same first letter are on the same node.
        let all = [
            ("a-1", place(50.0, 160.0, 40.0, 20.0)),
            ("a pod", place(50.0, 200.0, 160.0, 110.0)),
            ("a second", place(230.0, 200.0, 160.0, 110.0)),
            ("c-2", place(50.0, 340.0, 40.0, 20.0)),
            ("b-1", place(500.0, 160.0, 40.0, 20.0)),
            ("b pod", place(500.0, 200.0, 160.0, 110.0)),
        ];
        let move_focus = |from: &str, key: &str| {
            let here = all.iter().find(|(name, _)| *name == from).map(|(_, sides)| *sides)?;
            let far = |(name, sides): &(&'static str, ElementEdges)| {
                let is_same_node = name.as_bytes().first() == from.as_bytes().first();
                Some((here.distance(*sides, key, is_same_node)?, *name))
            };
            let reached = all.iter().filter(|(name, _)| *name != from).filter_map(far);
            reached.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
        };
        for (from, key, expected) in [
            ("a-1", "ArrowDown", Some("a pod")),
            ("a pod", "ArrowDown", Some("c-2")),
            ("a pod", "ArrowRight", Some("a second")),
            ("a second", "ArrowRight", Some("b pod")),
            ("a-1", "ArrowRight", Some("b-1")),
            ("a pod", "ArrowUp", Some("a-1")),
            ("a second", "ArrowUp", Some("a-1")),
            ("c-2", "ArrowUp", Some("a pod")),
            ("a-1", "ArrowUp", None),
            ("a-1", "ArrowLeft", None),
        ] {
            assert_eq!(move_focus(from, key), expected, "{from} {key}");
        }
    }
}
