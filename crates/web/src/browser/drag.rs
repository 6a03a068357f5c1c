//! Hands on the cluster: a pod is dragged to the bin or, in vain, to a node; a stroke across
//! links cuts them. Marks are moved directly, the page hears only of the end. A mouse drags at
//! once; a finger that moves at once scrolls, so it first rests for [`REST`] milliseconds.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Element, Event, HtmlElement, PointerEvent};

/// How far a pointer moves before a click becomes a drag, in pixels.
const SLOP: f64 = 7.0;
/// How long a finger rests before it holds what is under it, in milliseconds.
pub(crate) const REST: u32 = 320;

/// What a hand does, from its going down on.
#[derive(Debug)]
pub(crate) struct Drag {
    what: What,
    from: (f64, f64),
    /// A finger, not a mouse.
    pub(crate) finger: bool,
    /// A finger that has rested, or a mouse: it moves things.
    holds: bool,
}

#[derive(Debug)]
enum What {
    /// A pod is held.
    Pod { id: String, flying: Option<HtmlElement> },
    /// A stroke through the open: links in its way are cut.
    Knife {
        cutting: bool,
        cut: Vec<String>,
        line: Option<HtmlElement>,
    },
}

/// What a movement came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Went {
    /// Nothing to be told.
    On,
    /// A link was met, for the first time in this stroke.
    Across(String),
    /// The finger scrolls: this is no drag.
    Away,
}

/// How a drag ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was a click.
    Click,
    /// A finger rested on a pod and was lifted there.
    Rested { id: String },
    /// Dropped on the bin.
    Bin { id: String },
    /// Dropped on a node.
    Node { id: String, node: String },
    /// Dropped nowhere, or a stroke.
    Nothing,
}

fn body() -> Option<HtmlElement> {
    super::window()?.document()?.body()
}

fn under(x: f64, y: f64) -> Option<Element> {
    super::window()?.document()?.element_from_point(x as f32, y as f32)
}

fn style(element: &HtmlElement, name: &str, value: &str) {
    drop(element.style().set_property(name, value));
}

impl Drag {
    /// A pointer went down: on a pod, on a link, in the open, or on something that is no one's.
    pub(crate) fn begin(event: &PointerEvent) -> Option<Drag> {
        // The second of two runs only plays along.
        let other = super::closest(event.target(), "data-other").is_some();
        if event.button() != 0 || !event.is_primary() || other {
            return None;
        }
        let what = if let Some((_, id)) = super::closest(event.target(), "data-id") {
            What::Pod { id, flying: None }
        } else {
            let target: Element = event.target()?.dyn_into().ok()?;
            let other = target
                .closest("button:not([data-wire]), select, input, a, label")
                .ok()?
                .is_some();
            if other {
                return None;
            }
            What::Knife {
                cutting: false,
                cut: Vec::new(),
                line: None,
            }
        };
        let finger = event.pointer_type() == "touch";
        Some(Drag {
            what,
            from: (f64::from(event.client_x()), f64::from(event.client_y())),
            finger,
            holds: !finger,
        })
    }

    /// The finger has rested: what is under it rises.
    pub(crate) fn rest(&mut self, root: &Element) {
        self.holds = true;
        drop(root.set_attribute(HELD, ""));
        match &mut self.what {
            What::Pod { id, flying } => {
                *flying = pick_up(root, id);
                if let Some(mark) = flying {
                    place(mark, self.from);
                }
            }
            What::Knife { cutting, line, .. } => {
                *cutting = true;
                *line = knife(self.from);
            }
        }
    }

    /// The pointer moved.
    pub(crate) fn go(&mut self, root: &Element, event: &PointerEvent) -> Went {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let far = (at.0 - self.from.0).hypot(at.1 - self.from.1) > SLOP;
        if !self.holds {
            return if far { Went::Away } else { Went::On };
        }
        match &mut self.what {
            What::Pod { id, flying } => {
                if flying.is_none() && far {
                    drop(root.set_pointer_capture(event.pointer_id()));
                    *flying = pick_up(root, id);
                }
                if let Some(mark) = flying {
                    place(mark, at);
                    let over = under(at.0, at.1).and_then(|e| e.closest("[data-drop]").ok().flatten());
                    light(root, over.as_ref());
                    drop(mark.set_attribute("data-force", if event.shift_key() { "yes" } else { "no" }));
                }
                Went::On
            }
            What::Knife { cutting, cut, line } => {
                if !*cutting && far {
                    *cutting = true;
                    drop(root.set_pointer_capture(event.pointer_id()));
                    *line = knife(self.from);
                }
                if !*cutting {
                    return Went::On;
                }
                if let Some(line) = line {
                    let (dx, dy) = (at.0 - self.from.0, at.1 - self.from.1);
                    style(line, "width", &format!("{}px", dx.hypot(dy)));
                    style(line, "rotate", &format!("{}rad", dy.atan2(dx)));
                }
                let wire = under(at.0, at.1)
                    .and_then(|e| e.closest("[data-wire]").ok().flatten())
                    .and_then(|e| e.get_attribute("data-wire"))
                    .filter(|wire| !cut.contains(wire));
                match wire {
                    Some(wire) => {
                        cut.push(wire.clone());
                        Went::Across(wire)
                    }
                    None => Went::On,
                }
            }
        }
    }

    /// The pointer was lifted.
    pub(crate) fn end(self, root: &Element, event: &PointerEvent) -> End {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let far = (at.0 - self.from.0).hypot(at.1 - self.from.1) > SLOP;
        // Before anything is put down: the bin is there only while something is held.
        let over = under(at.0, at.1);
        light(root, None);
        match self.what {
            What::Pod { id, flying } => {
                let Some(mark) = flying else { return End::Click };
                put_down(&mark);
                if self.finger && !far {
                    return End::Rested { id };
                }
                match over
                    .and_then(|e| e.closest("[data-drop]").ok().flatten())
                    .and_then(|e| e.get_attribute("data-drop"))
                {
                    Some(name) if name == BIN => End::Bin { id },
                    Some(node) if !node.is_empty() => End::Node { id, node },
                    _ => End::Nothing,
                }
            }
            What::Knife { cutting, line, .. } => {
                if let Some(line) = line {
                    put_down(&line);
                }
                if cutting { End::Nothing } else { End::Click }
            }
        }
    }

    /// The browser took the pointer away.
    pub(crate) fn cancel(self, root: &Element) {
        drop(root.remove_attribute(HELD));
        light(root, None);
        match self.what {
            What::Pod { flying: Some(mark), .. } => put_down(&mark),
            What::Knife { line: Some(line), .. } => put_down(&line),
            _ => {}
        }
    }
}

/// On the region while a finger holds, until it is lifted.
const HELD: &str = "data-held";

/// While a finger holds something, the page under it does not scroll; and where it is lifted
/// nothing is clicked, least of all a menu that has just opened there. Ends when dropped.
pub(crate) struct Still {
    root: Element,
    hold: Closure<dyn FnMut(Event)>,
}

const TOUCHES: [&str; 2] = ["touchmove", "touchend"];

impl Still {
    /// Listens on the region in which things are held.
    pub(crate) fn new(root: &Element) -> Still {
        let region = root.clone();
        let hold = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            if region.has_attribute(HELD) && event.cancelable() {
                event.prevent_default();
            }
            if event.type_() == "touchend" {
                drop(region.remove_attribute(HELD));
            }
        });
        let options = AddEventListenerOptions::new();
        // A passive listener could prevent nothing.
        options.set_passive(false);
        for kind in TOUCHES {
            drop(root.add_event_listener_with_callback_and_add_event_listener_options(
                kind,
                hold.as_ref().unchecked_ref(),
                &options,
            ));
        }
        Still {
            root: root.clone(),
            hold,
        }
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        for kind in TOUCHES {
            drop(
                self.root
                    .remove_event_listener_with_callback(kind, self.hold.as_ref().unchecked_ref()),
            );
        }
    }
}

/// The drop target's name; no node can be called so.
pub(crate) const BIN: &str = "/bin";

fn pick_up(root: &Element, id: &str) -> Option<HtmlElement> {
    let id = id.replace('\\', "\\\\").replace('"', "\\\"");
    let mark = root.query_selector(&format!("[data-id=\"{id}\"].pod")).ok()??;
    let copy: HtmlElement = mark.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
    for attribute in ["data-id", "data-pod", "data-uid", "data-nav"] {
        drop(copy.remove_attribute(attribute));
    }
    drop(copy.set_attribute("aria-hidden", "true"));
    drop(copy.class_list().add_1("flying"));
    body()?.append_child(&copy).ok()?;
    drop(body()?.class_list().add_1("dragging"));
    Some(copy)
}

fn place(mark: &HtmlElement, at: (f64, f64)) {
    style(mark, "left", &format!("{}px", at.0));
    style(mark, "top", &format!("{}px", at.1));
}

fn put_down(mark: &HtmlElement) {
    mark.remove();
    if let Some(body) = body() {
        drop(body.class_list().remove_2("dragging", "cutting"));
    }
}

fn knife(from: (f64, f64)) -> Option<HtmlElement> {
    let line: HtmlElement = super::window()?
        .document()?
        .create_element("div")
        .ok()?
        .dyn_into()
        .ok()?;
    line.set_class_name("knife");
    style(&line, "left", &format!("{}px", from.0));
    style(&line, "top", &format!("{}px", from.1));
    body()?.append_child(&line).ok()?;
    drop(body()?.class_list().add_2("dragging", "cutting"));
    Some(line)
}

fn light(root: &Element, target: Option<&Element>) {
    if let Ok(lit) = root.query_selector_all(".over") {
        for i in 0..lit.length() {
            if let Some(e) = lit.item(i).and_then(|n| n.dyn_into::<Element>().ok()) {
                drop(e.class_list().remove_1("over"));
            }
        }
    }
    if let Some(target) = target {
        drop(target.class_list().add_1("over"));
    }
}
