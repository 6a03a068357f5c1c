//! Browser effects. Only this module touches the DOM, storage, the address and the clipboard.

pub(crate) mod display;
pub(crate) mod drag;
pub(crate) mod files;
pub(crate) mod focus;
pub(crate) mod listen;
pub(crate) mod pod_moves;
pub(crate) mod store;

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use podscope_messages::t;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Document, Element, EventTarget, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, MouseEvent, Window,
};

pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<Document> {
    window()?.document()
}

/// Handles the error of a call into the browser: writes it to the browser's console.
pub(crate) trait Warn<T> {
    /// Returns the value of the call; writes an error to the browser's console.
    fn warn(self) -> Option<T>;
}

impl<T> Warn<T> for Result<T, JsValue> {
    fn warn(self) -> Option<T> {
        self.map_err(|error| web_sys::console::warn_1(&error)).ok()
    }
}

/// Returns the value of the form field that fired an event.
pub(crate) fn field_value_of(event: &web_sys::Event) -> String {
    let Some(target) = event.target() else {
        return String::new();
    };
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        input.value()
    } else if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
        select.value()
    } else if let Some(area) = target.dyn_ref::<HtmlTextAreaElement>() {
        area.value()
    } else {
        String::new()
    }
}

/// Returns where a menu opens for a click, in CSS pixels: at the pointer, or below the element if the click was made by
/// keyboard and so has no position.
pub(crate) fn menu_position(event: &MouseEvent) -> (i32, i32) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    match (event.client_x(), event.client_y(), target) {
        (0, 0, Some(target)) => lower_left_corner(&target),
        (x, y, _) => (x, y),
    }
}

/// Returns the lower left corner of an element, in CSS pixels.
pub(crate) fn lower_left_corner(element: &Element) -> (i32, i32) {
    let rect = element.get_bounding_client_rect();
    (rect.left() as i32, rect.bottom() as i32)
}

/// Returns the nearest element at or above an event's target that has the attribute, with the attribute's value.
pub(crate) fn closest(target: Option<EventTarget>, attribute: &str) -> Option<(Element, String)> {
    let element: Element = target?.dyn_into().ok()?;
    let found = element.closest(&format!("[{attribute}]")).warn()??;
    let value = found.get_attribute(attribute)?;
    Some((found, value))
}

/// Runs a function in the next animation frame, in which the browser draws the present state.
pub(crate) fn after_drawing(run: impl FnOnce() + 'static) {
    let Some(window) = window() else { return };
    let hidden = window.document().is_some_and(|document| document.hidden());
    let run = Closure::once_into_js(run);
    let function = run.unchecked_ref();
    // A hidden page gets no animation frames, so a slower timer is used.
    let asked = if hidden {
        window
            .set_timeout_with_callback_and_timeout_and_arguments_0(function, 250)
            .map(|_| ())
    } else {
        window.request_animation_frame(function).map(|_| ())
    };
    asked.warn();
}

/// Returns the clock of animations: milliseconds since the page was loaded.
pub(crate) fn clock() -> f64 {
    window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

/// Scrolls only as far as needed to show an element.
pub(crate) fn scroll_into_view(element: &Element) {
    scroll_to(element, web_sys::ScrollLogicalPosition::Nearest);
}

/// Scrolls to each element that a selector matches, only as far as needed to show it.
pub(crate) fn scroll_all_into_view(selector: &str) {
    let all = || document()?.query_selector_all(selector).warn();
    let Some(all) = all() else { return };
    let elements = (0..all.length()).filter_map(|nth| all.item(nth)?.dyn_into::<Element>().ok());
    elements.for_each(|element| scroll_into_view(&element));
}

fn scroll_to(element: &Element, block: web_sys::ScrollLogicalPosition) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(block);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Returns the first element that a selector matches.
fn first_matching_element(selector: &str) -> Option<Element> {
    document()?.query_selector(selector).warn()?
}

/// Scrolls to the nth element that a selector matches and gives it the focus; `nth` starts over after the last element.
/// Returns false if no element matches.
pub(crate) fn focus_nth(selector: &str, nth: usize) -> bool {
    let found = document().and_then(|document| document.query_selector_all(selector).warn());
    let Some(found) = found.filter(|found| found.length() > 0) else {
        return false;
    };
    let node = found.item(nth as u32 % found.length());
    let Some(element) = node.and_then(|node| node.dyn_into::<web_sys::HtmlElement>().ok()) else {
        return false;
    };
    // Scroll first: `focus()` alone would scroll the element only to the edge of the window.
    let is_focused = element.focus().warn().is_some();
    scroll_to(&element, web_sys::ScrollLogicalPosition::Center);
    is_focused
}

/// Scrolls to the selected pod or node on the stage.
pub(crate) fn scroll_to_selected() {
    if let Some(element) = first_matching_element("#stage .pod.sel, #stage .node.sel") {
        scroll_into_view(&element);
    }
}

/// Time for which the page follows a shown node while its card grows, in milliseconds.
const FOLLOW_GROWING_NODE_MS: u32 = 2_000;

/// Scrolls to a node after the next drawing, and again whenever the node's card grows.
pub(crate) fn scroll_to_node(name: &str) {
    let selector = format!("#stage [data-node=\"{}\"]", name.replace(['"', '\\'], ""));
    after_drawing(move || {
        let Some(element) = first_matching_element(&selector) else {
            return;
        };
        let shown = element.clone();
        // A `ResizeObserver` calls this at once, and again when the engine's answer makes the card larger.
        let resized = Closure::<dyn FnMut()>::new(move || {
            scroll_to(&shown, web_sys::ScrollLogicalPosition::Center);
        });
        if let Some(observer) = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).warn() {
            observer.observe(&element);
            Timeout::new(FOLLOW_GROWING_NODE_MS, move || {
                observer.disconnect();
                drop(resized);
            })
            .forget();
        }
    });
}

/// Returns the focused element.
pub(crate) fn focused() -> Option<web_sys::HtmlElement> {
    document()?.active_element()?.dyn_into().ok()
}

/// Moves the focus to the selected pod or node. Returns false if it has no element, because a canvas draws the cluster.
pub(crate) fn focus_selected() -> bool {
    let element = first_matching_element("#stage .pod.sel, #stage .node.sel .name");
    let element = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    element.is_some_and(|element| element.focus().warn().is_some())
}

/// After a press removed or disabled the focused element, moves the focus to the first of these selectors that matches,
/// without scrolling.
pub(crate) fn recover_focus(selectors: &'static [&'static str]) {
    after_drawing(move || {
        // A disabled button keeps the focus but receives no keys.
        if focused().is_some_and(|element| !element.matches("body, :disabled").unwrap_or(false)) {
            return;
        }
        let there = selectors.iter().find_map(|selector| first_matching_element(selector));
        if let Some(element) = there.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            let still = web_sys::FocusOptions::new();
            still.set_prevent_scroll(true);
            element.focus_with_options(&still).warn();
        }
    });
}

/// Moves the focus to a field after the next drawing.
pub(crate) fn focus_after_drawing(selector: &'static str) {
    after_drawing(move || {
        if let Some(field) =
            first_matching_element(selector).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
        {
            field.focus().warn();
        }
    });
}

/// Returns whether the middle of the matched element is in the right half of the stage.
pub(crate) fn is_in_right_half_of_stage(selector: &str) -> bool {
    let (Some(element), Some(stage)) = (
        first_matching_element(selector).filter(|_| !selector.is_empty()),
        first_matching_element("#stage"),
    ) else {
        return false;
    };
    let (element, stage) = (element.get_bounding_client_rect(), stage.get_bounding_client_rect());
    element.left() + element.right() > stage.left() + stage.right()
}

fn matches_media(media: &str) -> bool {
    window()
        .and_then(|window| window.match_media(media).warn().flatten())
        .is_some_and(|list| list.matches())
}

/// Returns the number of processors that the browser reports.
pub(crate) fn processor_count() -> usize {
    window().map_or(1, |window| window.navigator().hardware_concurrency() as usize)
}

/// Returns whether the user prefers reduced motion.
pub(crate) fn prefers_reduced_motion() -> bool {
    matches_media("(prefers-reduced-motion: reduce)")
}

/// Returns whether the page has the layout for phones (`www/style/phone.css`).
pub(crate) fn is_phone() -> bool {
    matches_media("(max-width: 760px), (max-width: 999px) and (max-height: 520px)")
}

/// Returns the root element of the document.
pub(crate) fn root_element() -> Option<web_sys::Element> {
    document()?.document_element()
}

/// Fetches a text file of the site.
///
/// # Errors
/// The browser's error, or the status of the answer.
pub(crate) async fn fetch_site_file(path: &str) -> Result<String, JsValue> {
    let window = window().ok_or("no window")?;
    let answer: web_sys::Response = JsFuture::from(window.fetch_with_str(path)).await?.dyn_into()?;
    if !answer.ok() {
        return Err(JsValue::from_str(&format!("{path}: {}", answer.status())));
    }
    let text = JsFuture::from(answer.text()?).await?;
    text.as_string().ok_or_else(|| JsValue::from_str("not text"))
}

/// Sets the theme on the root element.
pub(crate) fn set_theme(name: &str) {
    if let Some(root) = root_element() {
        let done = if name == "system" {
            root.remove_attribute("data-theme")
        } else {
            root.set_attribute("data-theme", name)
        };
        done.warn();
    }
}

/// Sets `data-settled` on the root element: whether the page shows the outcome of every request that it sent. Programs
/// that drive the page wait for it.
pub(crate) fn set_settled_attribute(is_settled: bool) {
    if let Some(root) = root_element() {
        let done = root.set_attribute("data-settled", if is_settled { "true" } else { "false" });
        done.warn();
    }
}

/// Removes the link from the address, because the page now has a session of its own.
pub(crate) fn forget_link() {
    let Some(window) = window() else { return };
    let (Ok(path), Ok(search), Ok(hash)) = (
        window.location().pathname(),
        window.location().search(),
        window.location().hash(),
    ) else {
        return;
    };
    let kept: Vec<&str> = hash
        .trim_start_matches('#')
        .split('&')
        .filter(|part| {
            ["embed=", "theme=", "lang=", "post="]
                .iter()
                .any(|kept| part.starts_with(kept))
        })
        .collect();
    let hash = if kept.is_empty() {
        String::new()
    } else {
        format!("#{}", kept.join("&"))
    };
    if let Some(history) = window.history().warn() {
        let search = if search.contains("scenario=") || search.contains("lesson=") {
            String::new()
        } else {
            search
        };
        let done = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}{search}{hash}")));
        done.warn();
        mark_address_as_handled();
    }
}

/// Maximum length of a fragment that is written to the address bar, in bytes. Browsers accept longer ones, but
/// they are unreadable.
const MAX_FRAGMENT_BYTES: usize = 32_768;

/// Returns whether a fragment is short enough for the address bar.
pub(crate) fn fits_address(fragment: &str) -> bool {
    fragment.len() <= MAX_FRAGMENT_BYTES
}

thread_local! {
    /// The fragment that the page last wrote or handled, with its `#`.
    static KNOWN_FRAGMENT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the fragment of the page's address, with its `#`.
pub(crate) fn current_fragment() -> String {
    window()
        .and_then(|window| window.location().hash().ok())
        .unwrap_or_default()
}

/// Records that the page has handled the current address, so that [`write_address`] may overwrite it.
pub(crate) fn mark_address_as_handled() {
    KNOWN_FRAGMENT.set(current_fragment());
}

/// Writes a link to the present state into the address bar, as the current history entry or a new one. `note`
/// identifies session and instant, and is stored with the entry. Returns false if nothing is written: the browser
/// refuses it, or the user has entered an address that is not handled yet and would be lost.
pub(crate) fn write_address(fragment: &str, note: &str, is_new: bool) -> bool {
    let is_entered = KNOWN_FRAGMENT.with_borrow(|known| *known != current_fragment());
    if is_entered && note_of_history_entry().is_none() {
        return false;
    }
    let Some(window) = window() else { return false };
    let (Ok(history), Ok(path), Ok(search)) = (
        window.history(),
        window.location().pathname(),
        window.location().search(),
    ) else {
        return false;
    };
    let hash = match fits_address(fragment) {
        true => format!("#{fragment}"),
        false => String::new(),
    };
    let (note, address) = (JsValue::from_str(note), format!("{path}{search}{hash}"));
    // The browser refuses if the address changes too often within a short time; a later change succeeds.
    let done = if is_new {
        history.push_state_with_url(&note, "", Some(&address))
    } else {
        history.replace_state_with_url(&note, "", Some(&address))
    };
    mark_address_as_handled();
    done.warn().is_some()
}

/// Returns the note that [`write_address`] stored with the current history entry. Returns `None` if the page did not
/// create the entry, for example after a link was pasted.
pub(crate) fn note_of_history_entry() -> Option<String> {
    window()?.history().warn()?.state().warn()?.as_string()
}

/// Returns whether the page was loaded by a reload.
pub(crate) fn is_reload() -> bool {
    let performance = window().and_then(|window| window.performance());
    let entry = performance.map(|performance| performance.get_entries_by_type("navigation").get(0));
    let kind = entry.and_then(|entry| js_sys::Reflect::get(&entry, &"type".into()).warn());
    kind.is_some_and(|kind| kind == "reload")
}

/// Returns the page's address with another fragment.
pub(crate) fn address(fragment: &str) -> String {
    let Some(location) = window().map(|window| window.location()) else {
        return String::new();
    };
    let (origin, path) = (
        location.origin().unwrap_or_default(),
        location.pathname().unwrap_or_default(),
    );
    format!("{origin}{path}#{fragment}")
}

/// Returns the address that opens a scenario file of this site.
pub(crate) fn address_of_scenario(path: &str) -> String {
    let here = address("");
    let path = String::from(js_sys::encode_uri_component(path)).replace("%2F", "/");
    format!("{}?scenario={path}", here.trim_end_matches('#'))
}

/// Copies a text to the clipboard; returns whether that worked.
pub(crate) async fn copy_to_clipboard(text: String) -> bool {
    let Some(window) = window() else { return false };
    let clipboard = window.navigator().clipboard();
    if clipboard.is_undefined() {
        return false;
    }
    JsFuture::from(clipboard.write_text(&text)).await.warn().is_some()
}

/// Maximum size of a file of this site that `?scenario=` opens, in bytes: the engine's limit for one text.
const MAX_FETCHED_BYTES: usize = 64 << 20;

/// Returns the absolute address of a file in or below this page's folder, otherwise `None`. The browser itself resolves
/// the path, so no notation can escape the folder (E-02, Q-04).
fn below_this_page(path: &str) -> Option<String> {
    let base = document()?.base_uri().warn()??;
    let here = web_sys::Url::new_with_base("./", &base).warn()?;
    let there = web_sys::Url::new_with_base(path, &base).warn()?;
    let is_below = there.origin() == here.origin() && there.pathname().starts_with(&here.pathname());
    is_below.then(|| there.href())
}

/// Fetches the text of a file of this site.
pub(crate) async fn fetch_text(path: &str) -> Result<String, String> {
    let failed = |_| t!(browser::not_loaded);
    let address = below_this_page(path).ok_or_else(|| t!(browser::not_of_this_site))?;
    let window = window().ok_or("no window")?;
    let answer = JsFuture::from(window.fetch_with_str(&address)).await.map_err(failed)?;
    let answer: web_sys::Response = answer.dyn_into().map_err(|_| "not an answer")?;
    if !answer.ok() {
        return Err(t!(browser::not_loaded_status, status = answer.status()));
    }
    let Some(body) = answer.body() else {
        return Ok(String::new());
    };
    let reader: web_sys::ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let part = JsFuture::from(reader.read()).await.map_err(failed)?;
        let part: web_sys::ReadableStreamReadResult = part.unchecked_into();
        if part.get_done() == Some(true) {
            break;
        }
        bytes.extend(part.get_value().unchecked_into::<js_sys::Uint8Array>().to_vec());
        if bytes.len() > MAX_FETCHED_BYTES {
            drop(reader.cancel());
            return Err(t!(browser::too_long, bytes = MAX_FETCHED_BYTES));
        }
    }
    String::from_utf8(bytes).map_err(|_| t!(browser::not_text))
}
