//! The rest of the page. The site's build cuts the page's wasm in two (`crates/split`): a first visit starts with the
//! functions that it runs, and `www/boot.js` loads the rest when the engine has answered, or earlier if it is needed. Other
//! visits, and those in another language, in a frame or with an offline copy, load both parts before anything is drawn.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::browser::Warn as _;

// Both functions are in `www/boot.js`, and do nothing if the wasm is not cut. `exports` are those of the first part.
#[wasm_bindgen]
extern "C" {
    /// Loads the rest, and returns when it is there. If it cannot be loaded, says so on the page and throws.
    #[wasm_bindgen(js_name = podscopeLoadRest)]
    fn load_now(exports: &JsValue);

    /// Loads the rest before anything is drawn, if it `is_needed` or this is not a first visit. Fulfilled with whether the
    /// rest is there or not needed yet.
    #[wasm_bindgen(js_name = podscopePrepare)]
    fn prepare(exports: &JsValue, is_needed: bool) -> Promise;
}

/// Loads the rest of the page. Only the code that the cut inserts calls this function.
#[expect(unreachable_pub, reason = "`wasm_bindgen` exports only public functions")]
#[wasm_bindgen]
pub fn load_rest() {
    load_now(&wasm_bindgen::exports());
}

/// Waits until the rest of the page is there or cannot be loaded, unless a first visit can begin without it. Returns
/// false if the rest cannot be loaded. `is_needed`: a first visit needs the rest too.
pub(crate) async fn wait(is_needed: bool) -> bool {
    let outcome = JsFuture::from(prepare(&wasm_bindgen::exports(), is_needed)).await;
    outcome.warn().is_some_and(|is_there| is_there.is_truthy())
}
