//! Files in and out.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, FileList, HtmlAnchorElement, Url};

use super::window;

/// Largest file that is read, in bytes.
pub(crate) const LARGEST: f64 = 64.0 * 1024.0 * 1024.0;

/// Offers a text as a download.
pub(crate) fn save(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let document = window().and_then(|w| w.document()).ok_or("no document")?;
    let anchor: HtmlAnchorElement = document.create_element("a")?.dyn_into().map_err(|_| "not an anchor")?;
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&url)
}

/// Name and text of each file.
pub(crate) async fn read(list: FileList) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for i in 0..list.length() {
        let Some(file) = list.get(i) else { continue };
        if file.size() > LARGEST {
            return Err(format!("{} is larger than 64 MiB", file.name()));
        }
        let text = wasm_bindgen_futures::JsFuture::from(file.text())
            .await
            .map_err(|_| format!("{} cannot be read", file.name()))?;
        all.push((file.name(), text.as_string().unwrap_or_default()));
    }
    Ok(all)
}
