//! Tests of the module `browser` in a real browser: storage, files, dragging, focus (T-05, T-06, U-03, Q-05). The
//! module is included as source: it does not depend on the rest of the page.
#![cfg(target_arch = "wasm32")]
#![allow(dead_code, unused_imports, unreachable_pub)]

#[path = "../src/browser/mod.rs"]
mod browser;

use browser::drag::{BIN, Drag, End, Movement};
use browser::{files, focus, store};
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Document, Element, HtmlElement, PointerEvent};

wasm_bindgen_test_configure!(run_in_browser);

fn document() -> Document {
    browser::window().and_then(|w| w.document()).expect("a document")
}

/// Creates an element with the given HTML as content, at a known position.
fn positioned_region(inner: &str) -> HtmlElement {
    let region: HtmlElement = document().create_element("div").expect("div").dyn_into().expect("html");
    drop(region.set_attribute(
        "style",
        "position:fixed;left:0;top:0;width:400px;height:300px;z-index:9",
    ));
    region.set_inner_html(inner);
    document()
        .body()
        .expect("body")
        .append_child(&region)
        .expect("appended");
    region
}

fn find_element(region: &HtmlElement, selector: &str) -> Element {
    region.query_selector(selector).ok().flatten().expect(selector)
}

/// Dispatches a pointer event on a target and returns the event.
fn dispatch_pointer(target: &Element, kind: &str, is_finger: bool, x: i32, y: i32) -> PointerEvent {
    let make = Function::new_with_args(
        "target, kind, type, x, y",
        "const event = new PointerEvent(kind, {bubbles: true, isPrimary: true, button: 0, pointerId: 1, pointerType: type, clientX: x, clientY: y});
         target.dispatchEvent(event); return event;",
    );
    let arguments = Array::of5(
        target,
        &kind.into(),
        &if is_finger { "touch" } else { "mouse" }.into(),
        &x.into(),
        &y.into(),
    );
    Reflect::apply(&make, &JsValue::NULL, &arguments)
        .expect("an event")
        .unchecked_into()
}

const STAGE_HTML: &str = r#"<button class="pod" data-id="u1" data-pod="default/web" style="position:absolute;left:20px;top:20px;width:40px;height:40px"></button>
<div data-node="a-1" data-drop="a-1" style="position:absolute;left:120px;top:20px;width:80px;height:80px"></div>
<div data-drop="/bin" style="position:absolute;left:220px;top:20px;width:80px;height:80px"></div>
<button data-wire="b-1" style="position:absolute;left:120px;top:150px;width:30px;height:30px"></button>
<select style="position:absolute;left:20px;top:220px"></select>"#;

/// Defines the lock function of `www/boot.js` for a single tab: every request gets the lock.
fn install_lock_function() {
    let hold = Function::new_with_args("name, answer", "answer(true); return () => {};");
    let window = browser::window().expect("a window");
    Reflect::set(&window, &"podscopeHold".into(), &hold).expect("set");
}

/// Shows: T-05
#[wasm_bindgen_test]
fn session_is_kept_until_forgotten() {
    install_lock_function();
    let first = store::begin_session();
    assert_eq!(store::link_of_session(first), None);
    assert!(store::store_session("s1:abc", "one", true));
    assert_eq!(store::link_of_session(first).as_deref(), Some("s1:abc"));
    // The second session is stored beside the first.
    let second = store::begin_session();
    assert!(store::store_session("s1:def", "two", true));
    assert_eq!(store::link_of_session(first).as_deref(), Some("s1:abc"));
    let titles: Vec<String> = store::sessions().into_iter().map(|kept| kept.title).collect();
    assert_eq!(titles, ["two", "one"]);
    // A stored text that is not a link is not returned as a session.
    assert!(store::store_session("<script>", "two", true));
    assert_eq!(store::link_of_session(second), None);
    store::forget_session(first);
    store::forget_session(second);
    assert!(store::sessions().is_empty());
}

/// Opening any number of links does not remove a session that the user worked on or named.
/// Shows: T-05, Q-03
#[wasm_bindgen_test]
fn touched_and_named_sessions_are_never_displaced() {
    install_lock_function();
    let worked_on = store::begin_session();
    assert!(store::store_session("s1:mine", "mine", true));
    let named = store::begin_session();
    assert!(store::store_session("s1:named", "a link", false));
    store::rename_session(named, "kept");
    let mut others = Vec::new();
    for _ in 0..20 {
        others.push(store::begin_session());
        assert!(store::store_session("s1:theirs", "theirs", false));
    }
    assert_eq!(store::link_of_session(worked_on).as_deref(), Some("s1:mine"));
    assert_eq!(store::link_of_session(named).as_deref(), Some("s1:named"));
    assert_eq!(store::sessions().len(), 10);
    for id in others.into_iter().chain([worked_on, named]) {
        store::forget_session(id);
    }
    assert!(store::sessions().is_empty());
}

/// A session that does not fit into the storage is not stored, and the result says so.
/// Shows: T-05
#[wasm_bindgen_test]
fn full_storage_is_reported() {
    install_lock_function();
    let id = store::begin_session();
    let huge = format!("s1:{}", "x".repeat(12 * 1024 * 1024));
    assert!(
        !store::store_session(&huge, "", true),
        "no browser gives a site twelve million characters"
    );
    assert_eq!(store::link_of_session(id), None);
}

#[wasm_bindgen_test]
fn theme_and_single_keys_are_stored() {
    store::store_theme("dark");
    assert_eq!(store::theme().as_deref(), Some("dark"));
    store::store_theme("system");
    assert_eq!(store::theme(), None);
    assert!(store::has_single_key_shortcuts());
    store::store_single_key_shortcuts(false);
    assert!(!store::has_single_key_shortcuts());
    store::store_single_key_shortcuts(true);
}

/// Saves a file and returns its name and bytes, which are intercepted at the click on its link (T-06).
async fn save_and_intercept(name: &str, media_type: &str, text: &str) -> (String, Vec<u8>) {
    let catch = Function::new_no_args(
        "const make = URL.createObjectURL; const last = {};
         URL.createObjectURL = (blob) => { last.blob = blob; return make(blob); };
         const click = HTMLAnchorElement.prototype.click;
         HTMLAnchorElement.prototype.click = function () { last.name = this.download; };
         last.end = async () => { URL.createObjectURL = make; HTMLAnchorElement.prototype.click = click;
           return [last.name, new Uint8Array(await last.blob.arrayBuffer())]; };
         return last;",
    );
    let last = catch.call0(&JsValue::NULL).expect("caught");
    files::save_file(name, media_type, text).await.expect("saved");
    let end: Function = Reflect::get(&last, &"end".into()).expect("end").unchecked_into();
    let promise: Promise = end.call0(&JsValue::NULL).expect("promise").unchecked_into();
    let pair: Array = JsFuture::from(promise).await.expect("bytes").unchecked_into();
    (
        pair.get(0).as_string().unwrap_or_default(),
        js_sys::Uint8Array::new(&pair.get(1)).to_vec(),
    )
}

/// Shows: T-06
#[wasm_bindgen_test]
async fn text_file_is_saved_unchanged() {
    let (name, bytes) = save_and_intercept("objects.yaml", "application/yaml", "kind: List # ü\n").await;
    assert_eq!(
        (name.as_str(), bytes.as_slice()),
        ("objects.yaml", "kind: List # ü\n".as_bytes())
    );
}

/// Shows: T-06
#[wasm_bindgen_test]
async fn svg_is_saved_as_png() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20"><rect width="30" height="20" fill="#ff0000"/></svg>"##;
    let (name, bytes) = save_and_intercept("cluster.png", "image/png", svg).await;
    assert_eq!(name, "cluster.png");
    assert_eq!(bytes.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
    // The size in the PNG's header is two pixels per unit of the SVG.
    let size = |at: usize| {
        bytes
            .get(at..at + 4)
            .map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    assert_eq!((size(16), size(20)), (Some(60), Some(40)));
    assert!(files::save_file("x.png", "image/png", "no drawing").await.is_err());
}

/// Shows: T-05
#[wasm_bindgen_test]
async fn files_are_read_with_names_and_texts() {
    let list = Function::new_no_args(
        "const data = new DataTransfer();
         data.items.add(new File(['kind: Pod'], 'a.yaml')); data.items.add(new File(['ü'], 'b.yaml'));
         return data.files;",
    );
    let list = list.call0(&JsValue::NULL).expect("files").unchecked_into();
    assert_eq!(
        files::read(list).await,
        Ok(vec![
            ("a.yaml".into(), "kind: Pod".into()),
            ("b.yaml".into(), "ü".into())
        ])
    );
}

/// A mouse drags at once: to the bin, to a node, or elsewhere.
/// Shows: U-03
#[wasm_bindgen_test]
fn mouse_drags_pod_to_bin_or_node() {
    let rows = [
        ((250, 60), End::Bin { id: "u1".into() }),
        (
            (150, 60),
            End::Node {
                id: "u1".into(),
                node: "a-1".into(),
            },
        ),
        ((60, 270), End::Nothing),
        ((42, 41), End::Click),
    ];
    for ((x, y), end) in rows {
        let stage = positioned_region(STAGE_HTML);
        let pod = find_element(&stage, ".pod");
        let mut drag = Drag::begin(&dispatch_pointer(&pod, "pointerdown", false, 40, 40)).expect("a drag");
        assert_eq!(
            drag.pointer_moved(&stage, &dispatch_pointer(&pod, "pointermove", false, x, y)),
            Movement::Nothing
        );
        let flies = document().query_selector(".flying").ok().flatten().is_some();
        assert_eq!(flies, end != End::Click);
        assert_eq!(drag.end(&stage, &dispatch_pointer(&pod, "pointerup", false, x, y)), end);
        assert!(
            document().query_selector(".flying").ok().flatten().is_none(),
            "the dragged copy is removed"
        );
        assert!(!document().body().expect("body").class_list().contains("dragging"));
        stage.remove();
    }
    assert_eq!(BIN, "/bin");
}

/// A finger that moves at once scrolls; after a long press it drags.
/// Shows: U-03
#[wasm_bindgen_test]
fn finger_drags_only_after_a_long_press() {
    let stage = positioned_region(STAGE_HTML);
    let pod = find_element(&stage, ".pod");
    let begin = || Drag::begin(&dispatch_pointer(&pod, "pointerdown", true, 40, 40)).expect("a drag");
    let mut drag = begin();
    assert_eq!(
        drag.pointer_moved(&stage, &dispatch_pointer(&pod, "pointermove", true, 40, 90)),
        Movement::NotADrag
    );

    let mut drag = begin();
    drag.long_pressed(&stage);
    assert!(document().query_selector(".flying").ok().flatten().is_some());
    let end = drag.end(&stage, &dispatch_pointer(&pod, "pointerup", true, 41, 40));
    assert_eq!(end, End::LongPress { id: "u1".into() });

    let mut drag = begin();
    drag.long_pressed(&stage);
    drag.pointer_moved(&stage, &dispatch_pointer(&pod, "pointermove", true, 250, 60));
    let end = drag.end(&stage, &dispatch_pointer(&pod, "pointerup", true, 250, 60));
    assert_eq!(end, End::Bin { id: "u1".into() });
    stage.remove();
}

/// Dragging from the background across links (a stroke) reports each link once. No stroke begins on a control.
/// Shows: U-03
#[wasm_bindgen_test]
fn stroke_reports_each_crossed_link_once() {
    let stage = positioned_region(STAGE_HTML);
    let mut drag = Drag::begin(&dispatch_pointer(&stage, "pointerdown", false, 60, 165)).expect("a stroke");
    let movements: Vec<Movement> = [(80, 165), (130, 165), (140, 165), (300, 165)]
        .map(|(x, y)| drag.pointer_moved(&stage, &dispatch_pointer(&stage, "pointermove", false, x, y)))
        .into();
    assert_eq!(
        movements,
        [
            Movement::Nothing,
            Movement::CrossedLink("b-1".into()),
            Movement::Nothing,
            Movement::Nothing
        ]
    );
    assert_eq!(
        drag.end(&stage, &dispatch_pointer(&stage, "pointerup", false, 300, 165)),
        End::Nothing
    );
    let field = find_element(&stage, "select");
    assert!(Drag::begin(&dispatch_pointer(&field, "pointerdown", false, 25, 225)).is_none());
    stage.set_attribute("data-other", "").expect("set");
    let pod = find_element(&stage, ".pod");
    assert!(
        Drag::begin(&dispatch_pointer(&pod, "pointerdown", false, 40, 40)).is_none(),
        "the second run of a comparison cannot be changed"
    );
    stage.remove();
}

/// Arrow keys move the focus to the nearest pod or node in their direction.
/// Shows: U-03
#[wasm_bindgen_test]
fn arrow_keys_move_focus_to_nearest_mark() {
    let mut inner = String::new();
    for (name, x, y) in [("a", 10, 10), ("b", 110, 14), ("c", 10, 110), ("d", 210, 110)] {
        inner.push_str(&format!(
            "<button data-nav id=\"{name}\" style=\"position:absolute;left:{x}px;top:{y}px;width:30px;height:30px\"></button>"
        ));
    }
    let stage = positioned_region(&inner);
    let at = || {
        document()
            .active_element()
            .map(|element| element.id())
            .unwrap_or_default()
    };
    let mut path = Vec::new();
    for key in [
        "ArrowDown",
        "ArrowRight",
        "ArrowRight",
        "ArrowDown",
        "ArrowLeft",
        "ArrowUp",
    ] {
        focus::move_focus(&stage, key);
        path.push(at());
    }
    assert_eq!(path, ["a", "b", "d", "d", "c", "a"]);
    stage.remove();
}
