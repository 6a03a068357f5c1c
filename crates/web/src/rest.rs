//! The rest of the page. The site's build cuts the page's wasm in two (`crates/split`): a first visit starts with the
//! functions that it runs, and `www/boot.js` loads the rest when the engine has answered, or earlier if it is needed. Other
//! visits, and those with an offline copy, load both parts before anything is drawn.

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

    /// Loads the rest before anything is drawn, unless this is a first visit without an offline copy. The promise is
    /// fulfilled also if it cannot be loaded: it is tried again when it is needed.
    #[wasm_bindgen(js_name = podscopePrepare)]
    fn prepare(exports: &JsValue) -> Promise;
}

/// Loads the rest of the page. Only the code that the cut inserts calls this function.
#[expect(unreachable_pub, reason = "`wasm_bindgen` exports only public functions")]
#[wasm_bindgen]
pub fn load_rest() {
    load_now(&wasm_bindgen::exports());
}

/// Waits until the rest of the page is there or cannot be loaded. A first visit goes on at once, unless the
/// offline copy has the rest.
pub(crate) async fn wait_unless_first_visit() {
    JsFuture::from(prepare(&wasm_bindgen::exports())).await.warn();
}
