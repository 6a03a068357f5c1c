//! What the browser keeps between visits: the theme, whether single keys act, the sessions.
//!
//! Names carry the path of the site, so that two of them on one origin live side by side. Each tab works on a session
//! of its own (its number is in the tab's own storage, and the tab holds a lock by that number, which ends with the tab
//! however that ends); what is opened beside it, or in a second tab, gets another number. A page in a frame keeps nothing
//! and reads no session.

use std::cell::Cell;

use js_sys::Function;
use podscope_api::ordered::StableSort as _;
use wasm_bindgen::prelude::*;

use super::window;

/// Sessions beyond which the oldest untouched and unnamed one is dropped. A session that somebody named or worked on is
/// never dropped: another page can open any number of links here, and must not push it out.
const MAX_SESSIONS: usize = 10;
/// Stands behind the time of a session that nobody has worked on.
const UNTOUCHED: char = '?';
/// What every key began with when the site's path was not in it.
const OLD: &str = "podscope.";

/// A session that the browser keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Its number.
    pub(crate) id: u64,
    /// When it was last kept, in milliseconds since 1970.
    pub(crate) at: i64,
    /// What somebody called it; else the title of what it began with.
    pub(crate) title: String,
    /// Whether somebody gave a command in it, opened it from a file, or named it.
    pub(crate) is_touched: bool,
}

/// `podscope:/path/name`.
fn name(key: &str) -> String {
    let path = window().and_then(|w| w.location().pathname().ok()).unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("podscope:{folder}/{key}")
}

fn local() -> Option<web_sys::Storage> {
    window()?.local_storage().ok()?
}

fn of_tab() -> Option<web_sys::Storage> {
    window()?.session_storage().ok()?
}

/// Whether the page is in a frame of another.
pub(crate) fn is_framed() -> bool {
    let Some(window) = window() else { return false };
    window.parent().ok().flatten().is_none_or(|parent| parent != window)
}

fn get(key: &str) -> Option<String> {
    let storage = local()?;
    let found = storage.get_item(&name(key)).ok()?;
    // What a version before this one kept.
    found.or_else(|| storage.get_item(&format!("{OLD}{key}")).ok()?)
}

/// Storage may be full or forbidden: then nothing is kept, and the answer is false.
fn set(key: &str, value: Option<&str>) -> bool {
    let Some(storage) = local().filter(|_| !is_framed()) else {
        return false;
    };
    match value {
        Some(value) => storage.set_item(&name(key), value),
        None => storage.remove_item(&name(key)),
    }
    .is_ok()
}

/// The sessions that are kept, newest first.
pub(crate) fn sessions() -> Vec<Kept> {
    let list = get("sessions").unwrap_or_default();
    let mut all: Vec<Kept> = list.lines().filter_map(read).collect();
    // The list stands newest first already, also of two that were kept in one millisecond; a clock that was set back
    // is what the sort is for.
    all.stable_sort_by_key(|kept| std::cmp::Reverse(kept.at));
    all
}

fn read(line: &str) -> Option<Kept> {
    let mut parts = line.splitn(3, ' ');
    let (id, at) = (parts.next()?.parse().ok()?, parts.next()?);
    let title = parts.next().unwrap_or_default().to_owned();
    let called = get(&called(id));
    Some(Kept {
        id,
        at: at.trim_end_matches(UNTOUCHED).parse().ok()?,
        is_touched: called.is_some() || !at.ends_with(UNTOUCHED),
        title: called.unwrap_or(title),
    })
}

/// Where the name stands that somebody gave a session.
fn called(id: u64) -> String {
    format!("name.{id}")
}

/// Calls a session so from now on; an empty name is none.
pub(crate) fn rename(id: u64, name: &str) {
    let name = name.trim();
    set(&called(id), (!name.is_empty()).then_some(name));
}

/// Takes a session away, with what belongs to it.
fn remove(id: u64) {
    set(&format!("session.{id}"), None);
    set(&called(id), None);
}

fn write(all: &[Kept]) -> bool {
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
    set("sessions", Some(&lines.join("\n")))
}

/// The number of this tab's session; a new one if the tab has none yet.
pub(crate) fn here() -> u64 {
    HERE.get().or_else(own).unwrap_or_else(begin)
}

/// This tab works on another session from now on; what it worked on stays where it is.
pub(crate) fn begin() -> u64 {
    let id = unused();
    settle(id, true);
    id
}

/// A number of no session.
fn unused() -> u64 {
    let now = js_sys::Date::now() as u64;
    // Two tabs that begin in the same millisecond.
    let number = now * 1_000 + (js_sys::Math::random() * 1_000.0) as u64;
    let is_taken = |id: u64| HERE.get() == Some(id) || get(&format!("session.{id}")).is_some();
    let mut free = (number..).skip_while(|id| is_taken(*id));
    free.next().unwrap_or(number)
}

/// This tab goes on with a session that is kept; with a copy of it where another tab works on it.
pub(crate) fn take(id: u64) {
    // Where a browser has no locks, on a page that came unencrypted, only a reload is known to be alone.
    settle(id, own() == Some(id));
}

/// This tab works on a session, as soon as it is known that no other does; on a copy otherwise. `alone`: what is taken
/// for known where there are no locks.
fn settle(id: u64, alone: bool) {
    if HERE.get() == Some(id) {
        return;
    }
    leave();
    if let Some(tab) = of_tab() {
        drop(tab.set_item(&name("tab"), &id.to_string()));
    }
    if HAS_LEFT.get() {
        return;
    }
    HERE.set(Some(id));
    if is_framed() {
        return;
    }
    ASKS.set(true);
    let answer = Closure::once_into_js(move |held: Option<bool>| {
        if HERE.get() == Some(id) {
            ASKS.set(false);
            if !held.unwrap_or(alone) {
                settle(copy(id), true);
            }
        }
    });
    LOCK.set(Some(hold(&name(&format!("open.{id}")), &answer)));
}

#[wasm_bindgen]
extern "C" {
    /// Asks for a lock (`www/boot.js`): whether this tab has it now is told once, nothing where there are no locks. What
    /// it returns gives it back.
    #[wasm_bindgen(js_name = podscopeHold)]
    fn hold(name: &str, answer: &JsValue) -> Function;
}

thread_local! {
    /// The session that this page works on.
    static HERE: Cell<Option<u64>> = const { Cell::new(None) };
    /// Gives back its lock.
    static LOCK: Cell<Option<Function>> = const { Cell::new(None) };
    /// It is not known yet whether another tab works on it.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the number of this tab's session may still become another one: nothing is kept until it is sure.
pub(crate) fn is_unsure() -> bool {
    ASKS.get()
}

/// Nobody works on this page's session any more.
fn leave() {
    HERE.set(None);
    if let Some(free) = LOCK.take() {
        drop(free.call0(&JsValue::NULL));
    }
}

/// The number of a copy, which is named after its original: `NAME (2)`, or the next number that no other has.
fn copy(original: u64) -> u64 {
    let (id, all) = (unused(), sessions());
    if let Some(kept) = all.iter().find(|kept| kept.id == original) {
        let name = (kept.title.rsplit_once(" ("))
            .filter(|(_, n)| n.strip_suffix(')').is_some_and(|n| n.parse::<u32>().is_ok()))
            .map_or(&*kept.title, |(name, _)| name);
        let mut names = (2..).map(|n: u32| format!("{name} ({n})"));
        let free = names.find(|name| all.iter().all(|kept| kept.title != *name));
        rename(id, &free.unwrap_or_default());
    }
    id
}

/// The page is there again, out of the browser's memory of pages.
pub(crate) fn returned() {
    HAS_LEFT.set(false);
    if let (None, Some(id)) = (HERE.get(), own()) {
        take(id);
    }
}

/// The number in this tab's own storage.
fn own() -> Option<u64> {
    of_tab()?.get_item(&name("tab")).ok()??.parse().ok()
}

/// Whether this tab presents to a room: that outlives a reload.
pub(crate) fn presents() -> bool {
    of_tab().is_some_and(|tab| tab.get_item(&name("present")).ok().flatten().is_some())
}

pub(crate) fn keep_presents(on: bool) {
    if let Some(tab) = of_tab() {
        drop(match on {
            true => tab.set_item(&name("present"), "1"),
            false => tab.remove_item(&name("present")),
        });
    }
}

thread_local! {
    static RESUMED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The next session that opens is this kept one: the tab goes on with it.
pub(crate) fn resume(id: u64) {
    RESUMED.set(Some(id));
}

/// The kept session that was to be opened, if it was one; asked once.
pub(crate) fn resumed() -> Option<u64> {
    RESUMED.take()
}

thread_local! {
    static FORGOTTEN: Cell<Option<u64>> = const { Cell::new(None) };
}

/// This session is taken away when the next one opens: until then it is still kept as it was.
pub(crate) fn forgets(id: u64) {
    FORGOTTEN.set(Some(id));
}

/// The session that is to be taken away, if one is; asked once.
pub(crate) fn to_forget() -> Option<u64> {
    FORGOTTEN.take()
}

/// The link's fragment of a session that is kept (T-05).
pub(crate) fn session(id: u64) -> Option<String> {
    get(&format!("session.{id}")).filter(|text| text.starts_with('s'))
}

/// The session that is kept by this very link.
pub(crate) fn kept_as(fragment: &str) -> Option<u64> {
    let all = sessions().into_iter().map(|kept| kept.id);
    all.into_iter().find(|id| session(*id).as_deref() == Some(fragment))
}

/// The time of day when a session was last kept, with its date where that is another day.
pub(crate) fn when(at: i64) -> String {
    let (then, now) = (js_sys::Date::new(&(at as f64).into()), js_sys::Date::new_0());
    let time = format!("{}:{:02}", then.get_hours(), then.get_minutes());
    if then.to_date_string() == now.to_date_string() {
        time
    } else {
        let (year, month, day) = (then.get_full_year(), then.get_month() + 1, then.get_date());
        format!("{year}-{month:02}-{day:02} {time}")
    }
}

/// What this tab goes on with: what it worked on before a reload, else the newest. A version before this one kept a
/// single session without a number.
pub(crate) fn last() -> Option<(u64, String)> {
    if is_framed() {
        return None;
    }
    let kept = own().into_iter().chain(sessions().into_iter().map(|kept| kept.id));
    let found = kept.into_iter().find_map(|id| Some((id, session(id)?)));
    found.or_else(|| {
        let old = get("session").filter(|text| text.starts_with('s'))?;
        Some((0, old))
    })
}

/// Keeps this tab's session; false if the browser does not. `is_touched`: somebody has worked on it, which stays so.
pub(crate) fn keep_session(fragment: &str, title: &str, is_touched: bool) -> bool {
    let id = here();
    if !set(&format!("session.{id}"), Some(fragment)) {
        return false;
    }
    let mut all = sessions();
    let was_touched = all.iter().any(|kept| kept.id == id && kept.is_touched);
    all.retain(|kept| kept.id != id);
    all.insert(
        0,
        Kept {
            id,
            at: js_sys::Date::now() as i64,
            title: title.to_owned(),
            is_touched: is_touched || was_touched,
        },
    );
    while all.len() > MAX_SESSIONS
        && let Some(oldest) = all.iter().rposition(|kept| !kept.is_touched && kept.id != id)
    {
        remove(all.remove(oldest).id);
    }
    write(&all)
}

/// Takes this session away if nobody has worked on it.
pub(crate) fn forget_untouched(id: u64) {
    if sessions().iter().any(|kept| kept.id == id && !kept.is_touched) {
        forget(id);
    }
}

/// A session that nobody wants any more.
pub(crate) fn forget(id: u64) {
    remove(id);
    let mut all = sessions();
    all.retain(|kept| kept.id != id);
    write(&all);
}

/// Notes what is about to be opened by itself, and takes the note away when it has been. What is still noted at the
/// next start did not finish: it is not tried again by itself.
pub(crate) fn trying(what: Option<&str>) {
    // Leaving cuts off what was being fetched, and the page hears of that when it is no more: what it would go on with
    // then is the next page's, which would take the note for an opening that did not finish.
    if what.is_some() && HAS_LEFT.get() {
        return;
    }
    SINCE.set(what.map(|_| js_sys::Date::now()));
    set("trying", what);
}

thread_local! {
    /// When this page began to open what it noted.
    static SINCE: Cell<Option<f64>> = const { Cell::new(None) };
    /// The page has been left.
    static HAS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// Milliseconds after which somebody who leaves has given up waiting.
const PATIENCE: f64 = 5_000.0;

/// The page is left: who goes on at once has not waited in vain for what was being opened.
pub(crate) fn leaving() {
    if SINCE.get().is_some_and(|since| js_sys::Date::now() - since < PATIENCE) {
        trying(None);
    }
    leave();
    HAS_LEFT.set(true);
}

/// What did not finish opening.
pub(crate) fn unfinished() -> Option<String> {
    get("trying")
}

/// What was done of the course.
pub(crate) fn course() -> String {
    get("course").unwrap_or_default()
}

/// Keeps it on this device; a private window forgets it with the visit.
pub(crate) fn keep_course(text: &str) {
    set("course", (!text.is_empty()).then_some(text));
}

pub(crate) fn theme() -> Option<String> {
    get("theme")
}

pub(crate) fn keep_theme(name: &str) {
    set("theme", (name != "system").then_some(name));
}

/// Whether shortcuts of a single character act (WCAG 2.1.4 wants a switch).
pub(crate) fn single_keys() -> bool {
    get("keys").as_deref() != Some("off")
}

pub(crate) fn keep_single_keys(on: bool) {
    set("keys", (!on).then_some("off"));
}
