//! Loads the rest of the page's wasm. The site's build cuts the wasm in two (`crates/split`): the first part has the
//! functions that a first visit runs, and `www/boot.js` loads the rest when the engine has answered, or earlier if it
//! is needed. Other visits, and those in another language, in a frame or with an offline copy, load both parts before
//! anything is drawn.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::browser::Warn as _;

// Both functions are in `www/boot.js`, and do nothing if the wasm is not cut. `exports` are the exports of the first
// part.
#[wasm_bindgen]
extern "C" {
    /// Loads the rest of the page's wasm, and returns when it is loaded. If that fails, shows an error on the page and
    /// throws.
    #[wasm_bindgen(js_name = podscopeLoadRest)]
    fn load_now(exports: &JsValue);

    /// Loads the rest of the page's wasm if it `is_needed` or this is not a first visit. The promise is fulfilled with
    /// true if the rest is loaded or not needed yet, otherwise with false.
    #[wasm_bindgen(js_name = podscopePrepare)]
    fn prepare(exports: &JsValue, is_needed: bool) -> Promise;
}

/// Loads the rest of the page's wasm. Only the code that `crates/split` inserts calls this function.
#[expect(unreachable_pub, reason = "`wasm_bindgen` exports only public functions")]
#[wasm_bindgen]
pub fn load_rest() {
    load_now(&wasm_bindgen::exports());
}

/// Waits until the rest of the page's wasm is loaded, unless this is a first visit, which can begin without it. Returns
/// false if the rest cannot be loaded. With `is_needed`, a first visit waits too.
pub(crate) async fn wait_until_loaded(is_needed: bool) -> bool {
    let outcome = JsFuture::from(prepare(&wasm_bindgen::exports(), is_needed)).await;
    outcome.warn().is_some_and(|is_there| is_there.is_truthy())
}
