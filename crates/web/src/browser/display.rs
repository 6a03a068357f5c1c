//! Observers of how the page is displayed: the size of an element, and whether the system's theme is dark. Observers
//! are used because a query in each frame would force a layout in each frame.

use super::Warn as _;
use js_sys::Function;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, MediaQueryList, ResizeObserver};

enum ObservedSource {
    Size(ResizeObserver),
    Scheme(MediaQueryList),
}

/// Calls its callback on each change, until the observation is dropped.
pub(crate) struct Observation {
    source: ObservedSource,
    closure: Closure<dyn FnMut()>,
}

fn as_function(closure: &Closure<dyn FnMut()>) -> &Function {
    closure.as_ref().unchecked_ref()
}

impl Observation {
    /// Reports an element's inner width and height in CSS pixels, now and on each change.
    pub(crate) fn observe_element_size(element: &Element, report: impl Fn(f64, f64) + 'static) -> Option<Observation> {
        let seen = element.clone();
        let closure = Closure::new(move || report(f64::from(seen.client_width()), f64::from(seen.client_height())));
        let observer = ResizeObserver::new(as_function(&closure)).warn()?;
        observer.observe(element);
        let source = ObservedSource::Size(observer);
        Some(Observation { source, closure })
    }

    /// Reports whether the system's theme is dark, on each change.
    pub(crate) fn observe_dark_scheme(report: impl Fn(bool) + 'static) -> Option<Observation> {
        let scheme = dark_scheme_query()?;
        let closure = Closure::new(move || report(is_dark()));
        let added = scheme.add_event_listener_with_callback("change", as_function(&closure));
        added.warn()?;
        let source = ObservedSource::Scheme(scheme);
        Some(Observation { source, closure })
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        match &self.source {
            ObservedSource::Size(observer) => observer.disconnect(),
            ObservedSource::Scheme(scheme) => {
                scheme
                    .remove_event_listener_with_callback("change", as_function(&self.closure))
                    .warn();
            }
        }
    }
}

fn dark_scheme_query() -> Option<MediaQueryList> {
    super::window()?.match_media("(prefers-color-scheme: dark)").warn()?
}

/// Returns the current inner width and height of the stage, in CSS pixels; `None` if the document has no stage.
pub(crate) fn measure_stage() -> Option<(f64, f64)> {
    let stage = super::document()?.get_element_by_id("stage")?;
    Some((f64::from(stage.client_width()), f64::from(stage.client_height())))
}

/// Font size of the root element, in CSS pixels.
pub(crate) fn root_font_size() -> f64 {
    let size = || {
        let window = super::window()?;
        let root = window.document()?.document_element()?;
        let style = window.get_computed_style(&root).warn()??;
        let size = style.get_property_value("font-size").warn()?;
        size.strip_suffix("px")?.parse().ok()
    };
    size().unwrap_or(14.0)
}

/// Returns whether the system's theme is dark.
pub(crate) fn is_dark() -> bool {
    dark_scheme_query().is_some_and(|scheme| scheme.matches())
}
