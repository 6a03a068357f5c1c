//! The page: state, components and browser effects. The page keeps a view model, which it builds from the engine's
//! updates; the simulated world itself lives in the engine's worker.

mod address;
mod app;
mod browser;
mod components;
mod connection;
mod ctl;
mod drop;
mod engine;
mod keys;
mod language;
mod posting;
mod pure;
mod rest_of_page;
mod running;
mod saving;
mod state;
mod studying;

use crate::browser::Warn as _;

fn main() {
    console_error_panic_hook::set_once();
    engine::let_started_worker_load();
    wasm_bindgen_futures::spawn_local(async {
        rest_of_page::wait_until_loaded(false).await;
        // The file of another language is loaded before anything is drawn. If it cannot be loaded, the page is in
        // English.
        let language = language::first_language(address::current_route().lang);
        if language != "en" && rest_of_page::wait_until_loaded(true).await {
            language::load(language).await.warn();
        }
        render();
    });
}

fn render() {
    let root = browser::document().and_then(|document| document.get_element_by_id("app"));
    let Some(root) = root else { return };
    // The shell of `index.html` has the stage of a first visit.
    let props = app::Props {
        shell_stage: browser::display::measure_stage()
            .map_or_else(Default::default, |(w, h)| components::stage_size(w, h)),
    };
    root.set_class_name("");
    yew::Renderer::<app::App>::with_root_and_props(root, props).render();
}
