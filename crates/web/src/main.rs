//! The page: state, components, and the browser behind them. It keeps a view model made of the
//! engine's updates; the world itself lives in the engine's worker.

mod address;
mod app;
mod browser;
mod components;
mod ctl;
mod drop;
mod engine;
mod keys;
mod pure;
mod running;
mod saving;
mod state;
mod wire;

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
