//! The rest of the engine: the part of its wasm that is loaded later. The site's build cuts the engine's wasm in two
//! (`crates/split`): a first visit loads the functions that it runs, and the worker loads the rest when one of its
//! functions is first called.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The function of the worker's script that loads the rest of the engine and returns when it is loaded. It throws
    /// if the rest cannot be loaded.
    #[wasm_bindgen(js_name = podscopeLoadRest)]
    fn load_now();
}

/// Loads the rest of the engine. Only the code that the cut inserts calls this function.
#[wasm_bindgen]
pub fn load_rest() {
    load_now();
}
