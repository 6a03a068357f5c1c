//! What the browser tells of how the page is seen: the room that an element has, and whether the
//! system's theme is dark. Whoever asked each frame would make it lay out the page each time.

use js_sys::Function;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, MediaQueryList, ResizeObserver};

enum Teller {
    Size(ResizeObserver),
    Scheme(MediaQueryList),
}

/// Tells of changes until it is dropped.
pub(crate) struct Watch {
    teller: Teller,
    closure: Closure<dyn FnMut()>,
}

fn function(closure: &Closure<dyn FnMut()>) -> &Function {
    closure.as_ref().unchecked_ref()
}

impl Watch {
    /// Tells the width and height inside an element, in CSS pixels: now, and when they are others.
    pub(crate) fn size(element: &Element, tell: impl Fn(f64, f64) + 'static) -> Option<Watch> {
        let seen = element.clone();
        let closure = Closure::new(move || tell(f64::from(seen.client_width()), f64::from(seen.client_height())));
        let observer = ResizeObserver::new(function(&closure)).ok()?;
        observer.observe(element);
        let teller = Teller::Size(observer);
        Some(Watch { teller, closure })
    }

    /// Tells when the system's theme becomes a dark or a light one.
    pub(crate) fn scheme(tell: impl Fn(bool) + 'static) -> Option<Watch> {
        let scheme = dark_scheme()?;
        let closure = Closure::new(move || tell(is_dark()));
        let heard = scheme.add_event_listener_with_callback("change", function(&closure));
        heard.ok()?;
        let teller = Teller::Scheme(scheme);
        Some(Watch { teller, closure })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        match &self.teller {
            Teller::Size(observer) => observer.disconnect(),
            Teller::Scheme(scheme) => {
                drop(scheme.remove_event_listener_with_callback("change", function(&self.closure)));
            }
        }
    }
}

fn dark_scheme() -> Option<MediaQueryList> {
    super::window()?.match_media("(prefers-color-scheme: dark)").ok()?
}

/// The root's font size, in CSS pixels.
pub(crate) fn root_px() -> f64 {
    let size = || {
        let window = super::window()?;
        let root = window.document()?.document_element()?;
        let style = window.get_computed_style(&root).ok()??;
        let size = style.get_property_value("font-size").ok()?;
        size.strip_suffix("px")?.parse().ok()
    };
    size().unwrap_or(14.0)
}

/// Whether the system's theme is dark.
pub(crate) fn is_dark() -> bool {
    dark_scheme().is_some_and(|scheme| scheme.matches())
}
