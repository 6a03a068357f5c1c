//! The page: state, components, and the browser behind them. It keeps a view model made of the
//! engine's updates; the world itself lives in the engine's worker.

mod app;
mod browser;
mod components;
mod drop;
mod engine;
mod keys;
mod pure;
mod state;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Loads the part of this page that a first visit does not run (`www/boot.js`).
    #[wasm_bindgen(js_name = loadRest)]
    fn load_rest();
}

/// Makes a page whole whose release build was cut in two (`crates/split`). Nobody must: what is
/// missing is loaded when it is first needed.
#[wasm_bindgen]
#[allow(unreachable_pub)] // JavaScript reaches it
pub fn complete() {
    load_rest();
}

fn main() {
    console_error_panic_hook::set_once();
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        root.set_class_name("");
        yew::Renderer::<app::App>::with_root(root).render();
    }
}
