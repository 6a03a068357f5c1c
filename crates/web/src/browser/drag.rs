//! Drag and drop on the stage (the drawing of the cluster). A pod can be dropped on the bin; dropping it on a node is
//! refused with an explanation. A stroke across links cuts them. During a drag only the DOM changes; the page's state
//! learns the outcome. With a mouse a drag begins at once. A finger that moves at once scrolls, so with a finger a drag
//! begins with a long press of [`LONG_PRESS_MS`].

use super::Warn as _;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Element, Event, HtmlElement, PointerEvent};

/// Distance that a pointer moves before a click becomes a drag, in pixels.
const DRAG_THRESHOLD: f64 = 7.0;
/// Duration of a long press, after which a finger picks up the pod under it, in milliseconds.
pub(crate) const LONG_PRESS_MS: u32 = 320;

/// A gesture of one pointer, from pointer down to pointer up.
#[derive(Debug)]
pub(crate) struct Drag {
    target: DragSubject,
    from: (f64, f64),
    /// The pointer is a finger, not a mouse.
    pub(crate) is_finger: bool,
    /// The gesture has become a drag: with a mouse at the first movement, with a finger after a long press.
    is_dragging: bool,
}

#[derive(Debug)]
enum DragSubject {
    /// The user drags a pod.
    Pod { id: String, flying: Option<HtmlElement> },
    /// A stroke over the background of the stage: cuts the network links that it crosses.
    CutLinks {
        cutting: bool,
        cut: Vec<String>,
        line: Option<HtmlElement>,
    },
}

/// What a movement of the pointer means for the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Movement {
    /// The page's state does not change.
    Nothing,
    /// The stroke crossed the link of this node for the first time.
    CrossedLink(String),
    /// The finger moved before the long press ended: the browser scrolls, and there is no drag.
    NotADrag,
}

/// How a gesture ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The pointer did not move, so the gesture was a click.
    Click,
    /// A long press on a pod without a movement: opens the pod's menu.
    LongPress { id: String },
    /// The pod was dropped on the bin.
    Bin { id: String },
    /// The pod was dropped on a node.
    Node { id: String, node: String },
    /// The pod was dropped elsewhere, or the gesture was a stroke.
    Nothing,
}

fn document_body() -> Option<HtmlElement> {
    super::document()?.body()
}

fn element_at(x: f64, y: f64) -> Option<Element> {
    super::document()?.element_from_point(x as f32, y as f32)
}

fn set_style(element: &HtmlElement, name: &str, value: &str) {
    element.style().set_property(name, value).warn();
}

impl Drag {
    /// Starts a gesture on a pod, a link or the background. `None` if the pointer went down on a control.
    pub(crate) fn begin(event: &PointerEvent) -> Option<Drag> {
        // The second run of a comparison cannot be changed, so everything in it counts as a control.
        let is_control = super::closest(event.target(), "data-other").is_some();
        if event.button() != 0 || !event.is_primary() || is_control {
            return None;
        }
        let target = if let Some((_, id)) = super::closest(event.target(), "data-id") {
            DragSubject::Pod { id, flying: None }
        } else {
            let element: Element = event.target()?.dyn_into().ok()?;
            let is_control = element
                .closest("button:not([data-wire]), select, input, a, label")
                .warn()?
                .is_some();
            if is_control {
                return None;
            }
            DragSubject::CutLinks {
                cutting: false,
                cut: Vec::new(),
                line: None,
            }
        };
        let is_finger = event.pointer_type() == "touch";
        Some(Drag {
            target,
            from: (f64::from(event.client_x()), f64::from(event.client_y())),
            is_finger,
            is_dragging: !is_finger,
        })
    }

    /// Called after a long press: picks up the pod under the finger, or starts drawing the line that cuts links.
    pub(crate) fn long_pressed(&mut self, root: &Element) {
        self.is_dragging = true;
        root.set_attribute(HELD_TOUCH_ATTRIBUTE, "").warn();
        match &mut self.target {
            DragSubject::Pod { id, flying } => {
                *flying = lift_copy_of_pod(root, id);
                if let Some(mark) = flying {
                    move_lifted_pod_to(mark, self.from);
                }
            }
            DragSubject::CutLinks { cutting, line, .. } => {
                *cutting = true;
                *line = start_line_that_cuts_links(self.from);
            }
        }
    }

    /// Handles a movement of the pointer.
    pub(crate) fn pointer_moved(&mut self, root: &Element, event: &PointerEvent) -> Movement {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let has_moved = (at.0 - self.from.0).hypot(at.1 - self.from.1) > DRAG_THRESHOLD;
        if !self.is_dragging {
            return if has_moved {
                Movement::NotADrag
            } else {
                Movement::Nothing
            };
        }
        match &mut self.target {
            DragSubject::Pod { id, flying } => {
                if flying.is_none() && has_moved {
                    root.set_pointer_capture(event.pointer_id()).warn();
                    *flying = lift_copy_of_pod(root, id);
                }
                if let Some(mark) = flying {
                    move_lifted_pod_to(mark, at);
                    let over =
                        element_at(at.0, at.1).and_then(|element| element.closest("[data-drop]").warn().flatten());
                    highlight_drop_target(root, over.as_ref());
                    mark.set_attribute("data-force", if event.shift_key() { "yes" } else { "no" })
                        .warn();
                }
                Movement::Nothing
            }
            DragSubject::CutLinks { cutting, cut, line } => {
                if !*cutting && has_moved {
                    *cutting = true;
                    root.set_pointer_capture(event.pointer_id()).warn();
                    *line = start_line_that_cuts_links(self.from);
                }
                if !*cutting {
                    return Movement::Nothing;
                }
                if let Some(line) = line {
                    let (dx, dy) = (at.0 - self.from.0, at.1 - self.from.1);
                    set_style(line, "width", &format!("{}px", dx.hypot(dy)));
                    set_style(line, "rotate", &format!("{}rad", dy.atan2(dx)));
                }
                let wire = element_at(at.0, at.1)
                    .and_then(|element| element.closest("[data-wire]").warn().flatten())
                    .and_then(|element| element.get_attribute("data-wire"))
                    .filter(|wire| !cut.contains(wire));
                match wire {
                    Some(wire) => {
                        cut.push(wire.clone());
                        Movement::CrossedLink(wire)
                    }
                    None => Movement::Nothing,
                }
            }
        }
    }

    /// Ends the gesture when the pointer is lifted.
    pub(crate) fn end(self, root: &Element, event: &PointerEvent) -> End {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let has_moved = (at.0 - self.from.0).hypot(at.1 - self.from.1) > DRAG_THRESHOLD;
        // Removing the pod's copy also hides the bin, so look up the drop target first.
        let over = element_at(at.0, at.1);
        highlight_drop_target(root, None);
        match self.target {
            DragSubject::Pod { id, flying } => {
                let Some(mark) = flying else { return End::Click };
                remove_dragged_element(&mark);
                if self.is_finger && !has_moved {
                    return End::LongPress { id };
                }
                match over
                    .and_then(|element| element.closest("[data-drop]").warn().flatten())
                    .and_then(|element| element.get_attribute("data-drop"))
                {
                    Some(name) if name == BIN => End::Bin { id },
                    Some(node) if !node.is_empty() => End::Node { id, node },
                    _ => End::Nothing,
                }
            }
            DragSubject::CutLinks { cutting, line, .. } => {
                if let Some(line) = line {
                    remove_dragged_element(&line);
                }
                if cutting { End::Nothing } else { End::Click }
            }
        }
    }

    /// Ends the gesture when the browser cancels the pointer.
    pub(crate) fn cancel(self, root: &Element) {
        root.remove_attribute(HELD_TOUCH_ATTRIBUTE).warn();
        highlight_drop_target(root, None);
        match self.target {
            DragSubject::Pod { flying: Some(mark), .. } => remove_dragged_element(&mark),
            DragSubject::CutLinks { line: Some(line), .. } => remove_dragged_element(&line),
            _ => {}
        }
    }
}

/// Attribute of the stage (the drawing of the cluster) while a finger holds a pod.
const HELD_TOUCH_ATTRIBUTE: &str = "data-held";

/// Suppresses touch events while a finger holds a pod: scrolling, and the click when the finger is lifted, which would
/// hit a menu that has just opened there. Dropping the guard removes its listeners.
pub(crate) struct HeldTouchGuard {
    root: Element,
    hold: Closure<dyn FnMut(Event)>,
}

const TOUCH_EVENTS: [&str; 2] = ["touchmove", "touchend"];

impl HeldTouchGuard {
    /// Listens to touch events on the element whose pods can be dragged.
    pub(crate) fn new(root: &Element) -> HeldTouchGuard {
        let region = root.clone();
        let hold = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            if region.has_attribute(HELD_TOUCH_ATTRIBUTE) && event.cancelable() {
                event.prevent_default();
            }
            if event.type_() == "touchend" {
                region.remove_attribute(HELD_TOUCH_ATTRIBUTE).warn();
            }
        });
        let options = AddEventListenerOptions::new();
        // A passive listener cannot call `preventDefault`.
        options.set_passive(false);
        for kind in TOUCH_EVENTS {
            root.add_event_listener_with_callback_and_add_event_listener_options(
                kind,
                hold.as_ref().unchecked_ref(),
                &options,
            )
            .warn();
        }
        HeldTouchGuard {
            root: root.clone(),
            hold,
        }
    }
}

impl Drop for HeldTouchGuard {
    fn drop(&mut self) {
        for kind in TOUCH_EVENTS {
            self.root
                .remove_event_listener_with_callback(kind, self.hold.as_ref().unchecked_ref())
                .warn();
        }
    }
}

/// Name of the bin as a drop target; no node can have this name.
pub(crate) const BIN: &str = "/bin";

fn lift_copy_of_pod(root: &Element, id: &str) -> Option<HtmlElement> {
    let id = id.replace('\\', "\\\\").replace('"', "\\\"");
    let mark = root.query_selector(&format!("[data-id=\"{id}\"].pod")).warn()??;
    let copy: HtmlElement = mark.clone_node_with_deep(true).warn()?.dyn_into().ok()?;
    for attribute in ["data-id", "data-pod", "data-uid", "data-nav"] {
        copy.remove_attribute(attribute).warn();
    }
    copy.set_attribute("aria-hidden", "true").warn();
    copy.class_list().add_1("flying").warn();
    document_body()?.append_child(&copy).warn()?;
    document_body()?.class_list().add_1("dragging").warn();
    Some(copy)
}

fn move_lifted_pod_to(copy: &HtmlElement, at: (f64, f64)) {
    set_style(copy, "left", &format!("{}px", at.0));
    set_style(copy, "top", &format!("{}px", at.1));
}

fn remove_dragged_element(element: &HtmlElement) {
    element.remove();
    if let Some(body) = document_body() {
        body.class_list().remove_2("dragging", "cutting").warn();
    }
}

fn start_line_that_cuts_links(from: (f64, f64)) -> Option<HtmlElement> {
    let line: HtmlElement = super::window()?
        .document()?
        .create_element("div")
        .warn()?
        .dyn_into()
        .ok()?;
    line.set_class_name("knife");
    set_style(&line, "left", &format!("{}px", from.0));
    set_style(&line, "top", &format!("{}px", from.1));
    document_body()?.append_child(&line).warn()?;
    document_body()?.class_list().add_2("dragging", "cutting").warn();
    Some(line)
}

fn highlight_drop_target(root: &Element, target: Option<&Element>) {
    if let Some(highlighted) = root.query_selector_all(".over").warn() {
        for index in 0..highlighted.length() {
            if let Some(element) = highlighted.item(index).and_then(|node| node.dyn_into::<Element>().ok()) {
                element.class_list().remove_1("over").warn();
            }
        }
    }
    if let Some(target) = target {
        target.class_list().add_1("over").warn();
    }
}
