//! What the browser keeps between visits: the theme, the session, whether single keys act.

use super::window;

const SESSION: &str = "podscope.session";
const THEME: &str = "podscope.theme";
const KEYS: &str = "podscope.keys";
const COURSE: &str = "podscope.course";

fn get(key: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(key).ok()?
}

/// Storage may be full or forbidden: then nothing is kept, and the answer is false.
fn set(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = window().and_then(|w| w.local_storage().ok().flatten()) else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    }
    .is_ok()
}

/// The last session, as a link's fragment (T-05).
pub(crate) fn session() -> Option<String> {
    get(SESSION).filter(|s| s.starts_with('s'))
}

/// Keeps the session; false if the browser does not.
pub(crate) fn keep_session(fragment: &str) -> bool {
    set(SESSION, Some(fragment))
}

pub(crate) fn forget_session() {
    set(SESSION, None);
}

/// What was done of the course.
pub(crate) fn course() -> String {
    get(COURSE).unwrap_or_default()
}

/// Keeps it on this device; a private window forgets it with the visit.
pub(crate) fn keep_course(text: &str) {
    set(COURSE, (!text.is_empty()).then_some(text));
}

pub(crate) fn theme() -> Option<String> {
    get(THEME)
}

pub(crate) fn keep_theme(name: &str) {
    set(THEME, (name != "system").then_some(name));
}

/// Whether shortcuts of a single character act (WCAG 2.1.4 wants a switch).
pub(crate) fn single_keys() -> bool {
    get(KEYS).as_deref() != Some("off")
}

pub(crate) fn keep_single_keys(on: bool) {
    set(KEYS, (!on).then_some("off"));
}
