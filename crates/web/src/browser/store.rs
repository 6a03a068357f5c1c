//! The browser's storage: theme, whether single-key shortcuts are on, progress in the course, and the sessions.
//!
//! Keys contain the path of the site, so that two sites on one origin do not share data. Each tab works on a session of
//! its own. The session's number is in the tab's `sessionStorage`, and the tab holds a lock named after it, which the
//! browser releases when the tab ends in whatever way. A session that is opened in a second tab gets another number. A
//! page in a frame stores nothing and reads no session.

use std::cell::Cell;

use js_sys::Function;
use podscope_api::ordered::StableSort as _;
use wasm_bindgen::prelude::*;

use super::Warn as _;
use super::window;

/// Number of sessions above which the oldest untouched and unnamed one is deleted. A session that the user named or
/// worked on is never deleted: another page can open any number of links here, and must not displace it.
const MAX_SESSIONS: usize = 10;
/// Suffix of the stored time of a session that the user has not worked on.
const UNTOUCHED_SESSION_SUFFIX: char = '?';
/// Prefix of keys in versions whose keys did not contain the site's path.
const OLD_KEY_PREFIX: &str = "podscope.";

/// A session in the browser's storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredSession {
    /// Unique number of the session.
    pub(crate) id: u64,
    /// Time of the last save, in milliseconds since 1970.
    pub(crate) at: i64,
    /// The user's name for the session, otherwise the title of the scenario or lesson.
    pub(crate) title: String,
    /// The user ran a command in the session, opened it from a file, or named it.
    pub(crate) is_touched: bool,
}

/// The full name of a key: `podscope:/path/key`.
fn full_key(key: &str) -> String {
    let path = window()
        .and_then(|window| window.location().pathname().ok())
        .unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("podscope:{folder}/{key}")
}

fn local_storage() -> Option<web_sys::Storage> {
    window()?.local_storage().ok()?
}

fn tab_storage() -> Option<web_sys::Storage> {
    window()?.session_storage().ok()?
}

/// Returns whether the page is in a frame of another page.
pub(crate) fn is_framed() -> bool {
    let Some(window) = window() else { return false };
    window.parent().ok().flatten().is_none_or(|parent| parent != window)
}

fn read_value(key: &str) -> Option<String> {
    let storage = local_storage()?;
    let found = storage.get_item(&full_key(key)).ok()?;
    // Fall back to the key of older versions.
    found.or_else(|| storage.get_item(&format!("{OLD_KEY_PREFIX}{key}")).ok()?)
}

/// Stores or removes a value. Returns false if the storage is full or forbidden.
fn write_value(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = local_storage().filter(|_| !is_framed()) else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(&full_key(key), value),
        None => storage.remove_item(&full_key(key)),
    }
    .is_ok()
}

/// Returns the stored sessions, newest first.
pub(crate) fn sessions() -> Vec<StoredSession> {
    let list = read_value("sessions").unwrap_or_default();
    let mut all: Vec<StoredSession> = list.lines().filter_map(parse_session).collect();
    // The list is stored newest first, which also orders sessions of one millisecond; sorting repairs the order after
    // the system clock was set back.
    all.stable_sort_by_key(|kept| std::cmp::Reverse(kept.at));
    all
}

fn parse_session(line: &str) -> Option<StoredSession> {
    let mut parts = line.splitn(3, ' ');
    let (id, at) = (parts.next()?.parse().ok()?, parts.next()?);
    let title = parts.next().unwrap_or_default().to_owned();
    let given_name = read_value(&name_key(id));
    Some(StoredSession {
        id,
        at: at.trim_end_matches(UNTOUCHED_SESSION_SUFFIX).parse().ok()?,
        is_touched: given_name.is_some() || !at.ends_with(UNTOUCHED_SESSION_SUFFIX),
        title: given_name.unwrap_or(title),
    })
}

/// Key of the name that the user gave a session.
fn name_key(id: u64) -> String {
    format!("name.{id}")
}

/// Names a session; an empty name removes the name.
pub(crate) fn rename_session(id: u64, name: &str) {
    let name = name.trim();
    write_value(&name_key(id), (!name.is_empty()).then_some(name));
}

/// Removes a session and its name.
fn remove_session(id: u64) {
    write_value(&format!("session.{id}"), None);
    write_value(&name_key(id), None);
}

fn write_sessions(all: &[StoredSession]) -> bool {
    let lines: Vec<String> = all
        .iter()
        .map(|kept| {
            let mark = if kept.is_touched { "" } else { "?" };
            format!(
                "{} {}{mark} {}",
                kept.id,
                kept.at,
                kept.title.replace(['\n', '\r'], " ")
            )
        })
        .collect();
    write_value("sessions", Some(&lines.join("\n")))
}

/// Returns the number of this tab's session; begins a new session if the tab has none.
pub(crate) fn current_session() -> u64 {
    THIS_SESSION
        .get()
        .or_else(session_number_of_tab)
        .unwrap_or_else(begin_session)
}

/// Returns the number of this tab's session, if it has one, and the number of the session that it is a copy of, if any.
pub(crate) fn session_and_original() -> Option<(u64, Option<u64>)> {
    let id = THIS_SESSION.get()?;
    let original = LAST_COPY_AND_ORIGINAL.get().filter(|(copy, _)| *copy == id);
    Some((id, original.map(|(_, original)| original)))
}

/// Starts another session in this tab and returns its number. The previous session stays stored.
pub(crate) fn begin_session() -> u64 {
    let id = unused_session_number();
    acquire_lock(id, true);
    id
}

/// Returns a session number that no stored session has.
fn unused_session_number() -> u64 {
    let now = js_sys::Date::now() as u64;
    // The random part separates two tabs that begin in the same millisecond.
    let number = now * 1_000 + (js_sys::Math::random() * 1_000.0) as u64;
    let is_taken = |id: u64| THIS_SESSION.get() == Some(id) || read_value(&format!("session.{id}")).is_some();
    let mut free = (number..).skip_while(|id| is_taken(*id));
    free.next().unwrap_or(number)
}

/// Resumes a stored session in this tab, or a copy of it if another tab works on it.
pub(crate) fn take_over_session(id: u64) {
    // Browsers have no locks on pages served over http. There, only a reload guarantees that no other tab has the
    // session.
    acquire_lock(id, session_number_of_tab() == Some(id));
}

/// Makes a session this tab's own once its lock is acquired; switches to a copy if another tab holds the lock.
/// `is_free_without_locks`: whether to assume that no other tab has the session if the browser has no locks.
fn acquire_lock(id: u64, is_free_without_locks: bool) {
    if THIS_SESSION.get() == Some(id) {
        return;
    }
    release_lock();
    if let Some(tab) = tab_storage() {
        tab.set_item(&full_key("tab"), &id.to_string()).warn();
    }
    if HAS_LEFT_PAGE.get() {
        return;
    }
    THIS_SESSION.set(Some(id));
    if is_framed() {
        return;
    }
    IS_LOCK_PENDING.set(true);
    let answer = Closure::once_into_js(move |held: Option<bool>| {
        if THIS_SESSION.get() == Some(id) {
            IS_LOCK_PENDING.set(false);
            if !held.unwrap_or(is_free_without_locks) {
                acquire_lock(session_number_of_copy(id), true);
            }
        }
    });
    RELEASE_LOCK.set(Some(request_lock(&full_key(&format!("open.{id}")), &answer)));
}

#[wasm_bindgen]
extern "C" {
    /// Requests a lock (`www/boot.js`). Calls `answer` once with whether this tab has the lock, or with nothing if the
    /// browser has no locks. The returned function releases the lock.
    #[wasm_bindgen(js_name = podscopeHold)]
    fn request_lock(name: &str, answer: &JsValue) -> Function;
}

thread_local! {
    /// Number of this page's session.
    static THIS_SESSION: Cell<Option<u64>> = const { Cell::new(None) };
    /// Function that releases the lock of this page's session.
    static RELEASE_LOCK: Cell<Option<Function>> = const { Cell::new(None) };
    /// True between the request for the session's lock and its answer.
    static IS_LOCK_PENDING: Cell<bool> = const { Cell::new(false) };
    /// Session numbers of the last copy that this tab made, and of the session that it copied.
    static LAST_COPY_AND_ORIGINAL: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
}

/// Returns whether this tab's session number may still change. Nothing is saved meanwhile.
pub(crate) fn is_lock_pending() -> bool {
    IS_LOCK_PENDING.get()
}

/// Ends the work on this page's session and releases its lock.
fn release_lock() {
    THIS_SESSION.set(None);
    if let Some(free) = RELEASE_LOCK.take() {
        free.call0(&JsValue::NULL).warn();
    }
}

/// Returns the number of a copy of a session. The copy is named after its original: `NAME (2)`, or with the next free
/// number.
fn session_number_of_copy(original: u64) -> u64 {
    let (id, all) = (unused_session_number(), sessions());
    LAST_COPY_AND_ORIGINAL.set(Some((id, original)));
    if let Some(kept) = all.iter().find(|kept| kept.id == original) {
        let name = (kept.title.rsplit_once(" ("))
            .filter(|(_, number)| {
                number
                    .strip_suffix(')')
                    .is_some_and(|number| number.parse::<u32>().is_ok())
            })
            .map_or(&*kept.title, |(name, _)| name);
        let mut names = (2..).map(|number: u32| format!("{name} ({number})"));
        let free = names.find(|name| all.iter().all(|kept| kept.title != *name));
        rename_session(id, &free.unwrap_or_default());
    }
    id
}

/// Takes this tab's session over again, when the browser restores the page from its back/forward cache.
pub(crate) fn reclaim_session_of_restored_page() {
    HAS_LEFT_PAGE.set(false);
    if let (None, Some(id)) = (THIS_SESSION.get(), session_number_of_tab()) {
        take_over_session(id);
    }
}

/// The session number in the tab's `sessionStorage`, which survives a reload.
pub(crate) fn session_number_of_tab() -> Option<u64> {
    tab_storage()?.get_item(&full_key("tab")).ok()??.parse().ok()
}

/// Returns whether this tab is in presentation mode. A reload keeps the mode.
pub(crate) fn is_presenting() -> bool {
    tab_storage().is_some_and(|tab| tab.get_item(&full_key("present")).ok().flatten().is_some())
}

pub(crate) fn store_presenting(on: bool) {
    if let Some(tab) = tab_storage() {
        let done = match on {
            true => tab.set_item(&full_key("present"), "1"),
            false => tab.remove_item(&full_key("present")),
        };
        done.warn();
    }
}

thread_local! {
    static SESSION_TO_RESUME: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Records that the session that opens next is this stored one, so that this tab resumes it.
pub(crate) fn resume_on_next_open(id: u64) {
    SESSION_TO_RESUME.set(Some(id));
}

/// Returns the session that [`resume_on_next_open`] recorded, and removes the record.
pub(crate) fn take_session_to_resume() -> Option<u64> {
    SESSION_TO_RESUME.take()
}

thread_local! {
    static SESSION_TO_FORGET: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Schedules a session for removal when the next session opens; until then it stays stored.
pub(crate) fn forget_on_next_open(id: u64) {
    SESSION_TO_FORGET.set(Some(id));
}

/// Returns the session that is scheduled for removal, and cancels the schedule.
pub(crate) fn take_session_to_forget() -> Option<u64> {
    SESSION_TO_FORGET.take()
}

/// Returns the fragment of the link of a stored session (T-05).
pub(crate) fn link_of_session(id: u64) -> Option<String> {
    read_value(&format!("session.{id}")).filter(|text| text.starts_with('s'))
}

/// Returns the session that was stored with exactly this fragment.
pub(crate) fn session_with_link(fragment: &str) -> Option<u64> {
    let all = sessions().into_iter().map(|kept| kept.id);
    all.into_iter()
        .find(|id| link_of_session(*id).as_deref() == Some(fragment))
}

/// Formats the local time of a save, with the date if it was on another day.
pub(crate) fn format_time_of_save(at: i64) -> String {
    let (then, now) = (js_sys::Date::new(&(at as f64).into()), js_sys::Date::new_0());
    let time = format!("{}:{:02}", then.get_hours(), then.get_minutes());
    if then.to_date_string() == now.to_date_string() {
        time
    } else {
        let (year, month, day) = (then.get_full_year(), then.get_month() + 1, then.get_date());
        format!("{year}-{month:02}-{day:02} {time}")
    }
}

/// Returns the session that this tab resumes: before a reload the tab's own, otherwise the newest. Old versions stored
/// a single session without a number.
pub(crate) fn last_session() -> Option<(u64, String)> {
    if is_framed() {
        return None;
    }
    let kept = session_number_of_tab()
        .into_iter()
        .chain(sessions().into_iter().map(|kept| kept.id));
    let found = kept.into_iter().find_map(|id| Some((id, link_of_session(id)?)));
    found.or_else(|| {
        let old = read_value("session").filter(|text| text.starts_with('s'))?;
        Some((0, old))
    })
}

/// Stores this tab's session; returns false if the browser refuses. `is_touched`: the user has worked on the session;
/// once set, it stays set.
pub(crate) fn store_session(fragment: &str, title: &str, is_touched: bool) -> bool {
    let id = current_session();
    if !write_value(&format!("session.{id}"), Some(fragment)) {
        return false;
    }
    let mut all = sessions();
    let was_touched = all.iter().any(|kept| kept.id == id && kept.is_touched);
    all.retain(|kept| kept.id != id);
    all.insert(
        0,
        StoredSession {
            id,
            at: js_sys::Date::now() as i64,
            title: title.to_owned(),
            is_touched: is_touched || was_touched,
        },
    );
    while all.len() > MAX_SESSIONS
        && let Some(oldest) = all.iter().rposition(|kept| !kept.is_touched && kept.id != id)
    {
        remove_session(all.remove(oldest).id);
    }
    write_sessions(&all)
}

/// Removes a session if the user has not worked on it.
pub(crate) fn forget_untouched(id: u64) {
    if sessions().iter().any(|kept| kept.id == id && !kept.is_touched) {
        forget_session(id);
    }
}

/// Removes a session.
pub(crate) fn forget_session(id: u64) {
    remove_session(id);
    let mut all = sessions();
    all.retain(|kept| kept.id != id);
    write_sessions(&all);
}

/// Notes which session the page is about to open without a user's request; `None` removes the note. If the note is
/// still there at the next start, the opening did not finish, and the session is not opened automatically again.
pub(crate) fn store_opening_note(session: Option<&str>) {
    // Leaving the page aborts its fetches, and their errors arrive when the next page has already begun. A note written
    // then would look to that page like an opening that did not finish.
    if session.is_some() && HAS_LEFT_PAGE.get() {
        return;
    }
    OPENING_NOTED_AT.set(session.map(|_| js_sys::Date::now()));
    write_value("trying", session);
}

thread_local! {
    /// Instant at which this page stored the note of [`store_opening_note`], in milliseconds since 1970.
    static OPENING_NOTED_AT: Cell<Option<f64>> = const { Cell::new(None) };
    /// True after the user has left the page.
    static HAS_LEFT_PAGE: Cell<bool> = const { Cell::new(false) };
}

/// If the user leaves the page this long or longer after an opening began, the opening is assumed to hang; in
/// milliseconds.
const ASSUMED_HANGING_AFTER_MS: f64 = 5_000.0;

/// Called when the page is left. The note is removed if the user leaves soon, because then the opening did not hang.
pub(crate) fn clear_opening_note_if_left_soon() {
    if OPENING_NOTED_AT
        .get()
        .is_some_and(|since| js_sys::Date::now() - since < ASSUMED_HANGING_AFTER_MS)
    {
        store_opening_note(None);
    }
    release_lock();
    HAS_LEFT_PAGE.set(true);
}

/// Returns the session that the page was opening when it last stopped. [`store_opening_note`] stores it before a
/// session opens and removes it afterwards.
pub(crate) fn session_of_unfinished_opening() -> Option<String> {
    read_value("trying")
}

/// Returns the stored progress in the course, as text.
pub(crate) fn course_progress() -> String {
    read_value("course").unwrap_or_default()
}

/// Stores the progress in the course on this device; in a private window only until the window is closed.
pub(crate) fn store_course_progress(text: &str) {
    write_value("course", (!text.is_empty()).then_some(text));
}

/// Returns the practice schedule, and the number of the present day, counted from 1970.
pub(crate) fn practice_schedule() -> podscope_protocol::Practice {
    const MILLIS_PER_DAY: f64 = 86_400_000.0;
    podscope_protocol::Practice {
        schedule: read_value("practice").unwrap_or_default(),
        today: (js_sys::Date::now() / MILLIS_PER_DAY) as u32,
    }
}

/// Stores the practice schedule.
pub(crate) fn store_schedule(schedule: &str) {
    write_value("practice", Some(schedule));
}

/// Returns the stored attempts at a course, as text.
pub(crate) fn course_attempts(course: &str) -> String {
    read_value(&format!("attempts.{course}")).unwrap_or_default()
}

/// Stores the attempts at a course; an empty text removes them.
pub(crate) fn store_attempts(course: &str, text: &str) {
    write_value(&format!("attempts.{course}"), (!text.is_empty()).then_some(text));
}

pub(crate) fn theme() -> Option<String> {
    read_value("theme")
}

pub(crate) fn store_theme(name: &str) {
    write_value("theme", (name != "system").then_some(name));
}

/// Returns the code of the language that this tab showed last.
pub(crate) fn language_of_tab() -> Option<String> {
    tab_storage()?.get_item(&full_key("lang")).ok()?
}

/// Returns the code of the language that was chosen for later visits.
pub(crate) fn language() -> Option<String> {
    read_value("lang")
}

/// Stores the language of this tab until the tab is closed, so that a reload keeps it.
pub(crate) fn store_language_of_tab(code: &str) {
    if let Some(tab) = tab_storage().filter(|_| !is_framed()) {
        tab.set_item(&full_key("lang"), code).warn();
    }
}

/// Stores the language for later visits.
pub(crate) fn store_language(code: &str) {
    write_value("lang", Some(code));
}

/// Returns whether single-character shortcuts are on (WCAG 2.1.4 requires a switch).
pub(crate) fn has_single_key_shortcuts() -> bool {
    read_value("keys").as_deref() != Some("off")
}

pub(crate) fn store_single_key_shortcuts(on: bool) {
    write_value("keys", (!on).then_some("off"));
}
