//! Hands on the cluster: a pod is dragged to the bin or, in vain, to a node; a stroke across
//! links cuts them. Marks are moved directly, the page hears only of the end.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, PointerEvent};

/// How far a pointer moves before a click becomes a drag, in pixels.
const SLOP: f64 = 7.0;

/// What the hand does.
#[derive(Debug)]
pub(crate) enum Drag {
    /// A pod is held.
    Pod {
        id: String,
        from: (f64, f64),
        flying: Option<HtmlElement>,
    },
    /// A stroke through the open: links in its way are cut.
    Knife {
        from: (f64, f64),
        cutting: bool,
        cut: Vec<String>,
        line: Option<HtmlElement>,
    },
}

/// How a drag ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was a click.
    Click,
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
        if event.button() != 0 {
            return None;
        }
        let from = (f64::from(event.client_x()), f64::from(event.client_y()));
        if let Some((_, id)) = super::closest(event.target(), "data-id") {
            // Fingers scroll; with them, a pod's actions are in its menu and its panel.
            return (event.pointer_type() != "touch").then_some(Drag::Pod { id, from, flying: None });
        }
        let target: Element = event.target()?.dyn_into().ok()?;
        let other = target
            .closest("button:not([data-wire]), select, input, a, label")
            .ok()?
            .is_some();
        (!other && event.pointer_type() != "touch").then(|| Drag::Knife {
            from,
            cutting: false,
            cut: Vec::new(),
            line: None,
        })
    }

    /// The pointer moved. Links under a stroke are returned once each, to be cut.
    pub(crate) fn go(&mut self, root: &Element, event: &PointerEvent) -> Option<String> {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let far = |from: (f64, f64)| (at.0 - from.0).hypot(at.1 - from.1) > SLOP;
        match self {
            Drag::Pod { id, from, flying } => {
                if flying.is_none() && far(*from) {
                    drop(root.set_pointer_capture(event.pointer_id()));
                    *flying = pick_up(root, id);
                }
                if let Some(mark) = flying {
                    style(mark, "left", &format!("{}px", at.0 - 19.0));
                    style(mark, "top", &format!("{}px", at.1 - 19.0));
                    let over = under(at.0, at.1).and_then(|e| e.closest("[data-drop]").ok().flatten());
                    light(root, over.as_ref());
                    drop(mark.set_attribute("data-force", if event.shift_key() { "yes" } else { "no" }));
                }
                None
            }
            Drag::Knife {
                from,
                cutting,
                cut,
                line,
            } => {
                if !*cutting && far(*from) {
                    *cutting = true;
                    drop(root.set_pointer_capture(event.pointer_id()));
                    *line = knife();
                }
                if !*cutting {
                    return None;
                }
                if let Some(line) = line {
                    let (dx, dy) = (at.0 - from.0, at.1 - from.1);
                    style(line, "left", &format!("{}px", from.0));
                    style(line, "top", &format!("{}px", from.1));
                    style(line, "width", &format!("{}px", dx.hypot(dy)));
                    style(line, "rotate", &format!("{}rad", dy.atan2(dx)));
                }
                let wire = under(at.0, at.1)?
                    .closest("[data-wire]")
                    .ok()??
                    .get_attribute("data-wire")?;
                if cut.contains(&wire) {
                    return None;
                }
                cut.push(wire.clone());
                Some(wire)
            }
        }
    }

    /// The pointer was lifted.
    pub(crate) fn end(self, root: &Element, event: &PointerEvent) -> End {
        let over = under(f64::from(event.client_x()), f64::from(event.client_y()));
        light(root, None);
        match self {
            Drag::Pod { id, flying, .. } => {
                let Some(mark) = flying else { return End::Click };
                put_down(&mark);
                match over
                    .and_then(|e| e.closest("[data-drop]").ok().flatten())
                    .and_then(|e| e.get_attribute("data-drop"))
                {
                    Some(name) if name == BIN => End::Bin { id },
                    Some(node) if !node.is_empty() => End::Node { id, node },
                    _ => End::Nothing,
                }
            }
            Drag::Knife { cutting, line, .. } => {
                if let Some(line) = line {
                    line.remove();
                }
                if cutting { End::Nothing } else { End::Click }
            }
        }
    }

    /// The browser took the pointer away.
    pub(crate) fn cancel(self, root: &Element) {
        light(root, None);
        match self {
            Drag::Pod { flying: Some(mark), .. } => put_down(&mark),
            Drag::Knife { line: Some(line), .. } => line.remove(),
            _ => {}
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

fn put_down(mark: &HtmlElement) {
    mark.remove();
    if let Some(body) = body() {
        drop(body.class_list().remove_1("dragging"));
    }
}

fn knife() -> Option<HtmlElement> {
    let line: HtmlElement = super::window()?
        .document()?
        .create_element("div")
        .ok()?
        .dyn_into()
        .ok()?;
    line.set_class_name("knife");
    body()?.append_child(&line).ok()?;
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
