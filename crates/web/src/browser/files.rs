//! Reads files that the user opens, and saves files.

use js_sys::{Array, Promise, Uint8Array};
use podscope_messages::t;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, File, FileList, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, ReadableStream, ReadableWritablePair, Response, Url, WritableStream,
};

use super::Warn as _;
use super::document;

/// Largest file that is read, in bytes: the engine's limit of one text.
pub(crate) const MAX_FILE_BYTES: f64 = podscope_api::limits::INPUT_BYTES as f64;

/// Resolution of a saved PNG, in pixels per unit of the SVG drawing.
const PNG_PIXELS_PER_SVG_UNIT: f64 = 2.0;

/// Offers a text as a download. With the media type `image/png` the text is an SVG, which is rendered first.
pub(crate) async fn save_file(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    if media_type == "image/png" {
        download(name, &rendered_png(&new_blob("image/svg+xml", text)?).await?)
    } else {
        download(name, &new_blob(media_type, text)?)
    }
}

fn new_blob(media_type: &str, text: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options)
}

/// Renders an SVG drawing as PNG.
async fn rendered_png(drawing: &Blob) -> Result<Blob, JsValue> {
    let url = Url::create_object_url_with_blob(drawing)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let decoded = JsFuture::from(image.decode()).await;
    Url::revoke_object_url(&url)?;
    decoded?;
    let document = document().ok_or("no document")?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.dyn_into()?;
    let (width, height) = (f64::from(image.natural_width()), f64::from(image.natural_height()));
    canvas.set_width((width * PNG_PIXELS_PER_SVG_UNIT) as u32);
    canvas.set_height((height * PNG_PIXELS_PER_SVG_UNIT) as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or("no canvas")?.dyn_into()?;
    context.scale(PNG_PIXELS_PER_SVG_UNIT, PNG_PIXELS_PER_SVG_UNIT)?;
    context.draw_image_with_html_image_element(&image, 0.0, 0.0)?;
    let encoded = Promise::new(&mut |resolve, reject| {
        if let Err(error) = canvas.to_blob(&resolve) {
            reject.call1(&JsValue::NULL, &error).warn();
        }
    });
    JsFuture::from(encoded).await?.dyn_into()
}

/// Records a film, an animated SVG, as a video, and offers it as a download named `stem` with the ending of its format.
/// Takes as long as the film.
pub(crate) async fn save_video(stem: &str, film: &str) -> Result<(), JsValue> {
    let video: Blob = record(film).await?.dyn_into()?;
    let format = video.type_();
    download(
        &format!("{stem}.{}", format.rsplit('/').next().unwrap_or("webm")),
        &video,
    )
}

fn download(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let document = document().ok_or("no document")?;
    let anchor: HtmlAnchorElement = document.create_element("a")?.dyn_into().map_err(|_| "not an anchor")?;
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&url)
}

#[wasm_bindgen]
extern "C" {
    /// Records a film (an animated SVG) as a video. `www/boot.js` loads the recorder at the first call.
    #[wasm_bindgen(js_name = podscopeRecord, catch)]
    async fn record(film: &str) -> Result<JsValue, JsValue>;

    /// The browser's `DecompressionStream`; web-sys still counts it as unstable.
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;
}

/// A promise of the bytes that a gzip file unpacks to.
fn gunzipped(file: &File) -> Result<Promise, JsValue> {
    let gzip = DecompressionStream::new("gzip")?;
    let pair = ReadableWritablePair::new(&gzip.readable(), &gzip.writable());
    let unpacked = file.stream().pipe_through(&pair);
    Response::new_with_opt_readable_stream(Some(&unpacked))?.array_buffer()
}

/// Reads the files; returns name and text of each. Files that end in `.gz` are unpacked; UTF-16, which PowerShell writes,
/// is read like UTF-8.
pub(crate) async fn read(list: FileList) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for index in 0..list.length() {
        let Some(file) = list.get(index) else { continue };
        let too_large = || t!(files::too_large, name = file.name());
        if file.size() > MAX_FILE_BYTES {
            return Err(too_large());
        }
        let unreadable = |_| t!(files::unreadable, name = file.name());
        let (name, bytes) = match file.name().strip_suffix(".gz") {
            Some(name) => (name.to_owned(), gunzipped(&file).map_err(unreadable)?),
            None => (file.name(), file.array_buffer()),
        };
        // Read bytes instead of a JavaScript string, because converting a large string to UTF-8 takes seconds.
        let bytes = Uint8Array::new(&JsFuture::from(bytes).await.map_err(unreadable)?);
        if f64::from(bytes.length()) > MAX_FILE_BYTES {
            return Err(too_large());
        }
        let text = podscope_api::decode_text(bytes.to_vec()).map_err(|wrong| format!("{name}:{wrong}"))?;
        all.push((name, text));
    }
    match all.as_slice() {
        [(name, text)] if text.trim().is_empty() => Err(t!(files::empty, name = name)),
        _ => Ok(all),
    }
}
