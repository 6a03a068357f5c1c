//! Saves the session as a link, which the engine sends on request. After a command the link is requested almost at once
//! (unless links of this session are long), after other changes a little later; also every few seconds while time runs,
//! and when the user leaves the page.
//!
//! ```text
//! saved content changes ─► revision ─► delay ─► Share{revision} ─► Link{revision} ─► storage, address
//! ```
//! The attribute `data-kept` of the page is true when the last revision is saved.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::{Interval, Timeout};
use podscope_messages::t;
use podscope_protocol::{Micros, Request};
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, store};
use crate::connection::Connection;
use crate::ctl::Ctl;
use crate::pure::route::View;
use crate::state::{Act, Page, Screen, Shared};

/// Delay before a command is saved, in milliseconds, if the session's links are short.
const SAVE_COMMAND_DELAY_MS: u32 = 20;
/// Delay before any other change is saved, in milliseconds.
const SAVE_CHANGE_DELAY_MS: u32 = 900;
/// Interval between saves while time runs, in milliseconds.
const SAVE_INTERVAL_MS: u32 = 8_000;
/// Minimum simulated time after which an untouched first visit is stored, if the user has looked at something. A stored
/// session reopens paused, and before the first pods are placed it would show an empty cluster.
const MIN_TIME_TO_SAVE: Micros = 1_000_000;

/// The part of the page's state that a saved link contains: each change of it triggers another save.
#[derive(Clone, PartialEq)]
struct SavedContent {
    opened: Option<Shared<podscope_protocol::OpenedSession>>,
    /// Number of lines in the console, and command and instant of the last line. The number alone is not enough,
    /// because a full console drops old lines.
    last_line: (usize, Option<(Option<u32>, Micros)>),
    screen: String,
    playing: bool,
    branches: Shared<Vec<podscope_protocol::BranchView>>,
    /// In a comparison, the branches of the other run, including which one is current.
    compared: Option<Shared<Vec<podscope_protocol::BranchView>>>,
    view: View,
    /// Index of the step that is shown, and of the step whose question is open.
    reading: (usize, Option<usize>),
    /// The instant at which time is paused; `None` while it runs.
    now: Option<Micros>,
}

impl SavedContent {
    fn of(page: &Page) -> SavedContent {
        let lines = &page.shell.console.lines;
        SavedContent {
            opened: page.session.opened.clone(),
            last_line: (lines.len(), lines.last().map(|line| (line.command, line.at))),
            screen: Screen::write(page),
            playing: page.session.model.playing,
            branches: page.session.model.branches.clone(),
            compared: page.session.other.as_ref().map(|other| other.branches.clone()),
            view: page.shell.view,
            reading: (page.session.model.story.step, page.session.model.story.question),
            now: (!page.session.model.playing).then_some(page.session.model.now),
        }
    }
}

/// Progress of saving.
#[derive(Default)]
struct Saving {
    content: Option<SavedContent>,
    /// Number of changes of `content`.
    revision: u64,
    /// A command was given for which no link has been requested yet.
    is_urgent: bool,
    /// There is something to save: the session is not an untouched first visit.
    has_begun: bool,
    /// The timer that requests the link after a delay.
    waiting: Option<Timeout>,
    /// The browser's storage was full at the last save.
    is_full: bool,
}

impl Saving {
    /// Records the content to be saved and returns its revision.
    fn record(&mut self, content: SavedContent) -> u64 {
        if self.content.as_ref() != Some(&content) {
            let before = self.content.as_ref().map(|content| content.last_line);
            self.is_urgent |= before.is_some_and(|last_line| last_line != content.last_line);
            self.content = Some(content);
            self.revision += 1;
        }
        self.revision
    }
}

/// Requests the link of the current content, if there is something to save and this tab's session number is final.
fn request_link(saving: &Rc<RefCell<Saving>>, ctl: &Rc<Ctl>) {
    let has_begun = saving.borrow().has_begun;
    if !has_begun || store::is_lock_pending() {
        let wait = if has_begun {
            SAVE_COMMAND_DELAY_MS
        } else {
            SAVE_CHANGE_DELAY_MS
        };
        let (again, ctl) = (saving.clone(), ctl.clone());
        saving.borrow_mut().waiting = Some(Timeout::new(wait, move || request_link(&again, &ctl)));
        return;
    }
    let (screen, revision) = {
        let mut saving = saving.borrow_mut();
        (saving.waiting, saving.is_urgent) = (None, false);
        let Some(content) = saving.content.as_ref().filter(|content| content.opened.is_some()) else {
            return;
        };
        (content.screen.clone(), saving.revision)
    };
    ctl.send.emit(Request::Share {
        screen,
        anonymise: false,
        revision,
    });
}

/// Saves the session as a link: after each change, every few seconds while time runs, and when the page is left.
/// Returns whether every change is saved.
#[hook]
pub(crate) fn use_saving(page: &Shared<Page>, ctl: &Rc<Ctl>, connection: &Rc<RefCell<Connection>>) -> bool {
    let embedded = page.shell.embedded || store::is_framed();
    let saving = use_mut_ref(Saving::default);
    let kept = use_state_eq(|| 0);
    let revision = saving.borrow_mut().record(SavedContent::of(page));
    // An untouched first visit is not saved: after a reload a new first visit is shown anyway.
    let has_changed_view = |content: &SavedContent| content.view != View::Playground || !content.screen.is_empty();
    let has_looked =
        page.session.model.now >= MIN_TIME_TO_SAVE && saving.borrow().content.as_ref().is_some_and(has_changed_view);
    let has_begun = !connection.borrow().is_fresh || has_looked;
    saving.borrow_mut().has_begun = has_begun;
    let is_long = page
        .session
        .link
        .as_ref()
        .is_some_and(|link| link.fragment.len() > podscope_protocol::MAX_LINK_LENGTH);
    {
        let (saving, ctl) = (saving.clone(), ctl.clone());
        use_effect_with(revision, move |_| {
            if embedded {
                return;
            }
            let wait = if saving.borrow().is_urgent && !is_long {
                SAVE_COMMAND_DELAY_MS
            } else {
                SAVE_CHANGE_DELAY_MS
            };
            let later = {
                let saving = saving.clone();
                Timeout::new(wait, move || request_link(&saving, &ctl))
            };
            // The assignment drops the previous timer and so cancels it.
            saving.borrow_mut().waiting = Some(later);
        });
    }
    let (is_kept, playing) = (*kept == revision || !has_begun, page.session.model.playing && !embedded);
    {
        let (saving, ctl) = (saving.clone(), ctl.clone());
        use_effect_with((is_kept || embedded, playing), move |(is_kept, playing)| {
            let every = playing.then(|| {
                let (saving, ctl) = (saving.clone(), ctl.clone());
                Interval::new(SAVE_INTERVAL_MS, move || request_link(&saving, &ctl))
            });
            // When the user leaves the page, the link is requested at once, while the next page loads.
            let leaving = (!is_kept || *playing).then(|| {
                let leave = {
                    let (saving, ctl) = (saving.clone(), ctl.clone());
                    move |_: &web_sys::Event| request_link(&saving, &ctl)
                };
                (listen("beforeunload", leave.clone()), listen("visibilitychange", leave))
            });
            move || drop((every, leaving))
        });
    }
    let act = ctl.act.clone();
    let title = page
        .session
        .opened
        .as_ref()
        .map(|opened| opened.title.clone())
        .unwrap_or_default();
    let (now, is_seen, connection) = (
        page.session.model.now,
        page.shell.view == View::Playground,
        connection.clone(),
    );
    let is_dump = page.session.opened.as_ref().is_some_and(|opened| opened.is_dump);
    let saved_revision = kept.setter();
    use_effect_with(page.session.link.clone(), move |link| {
        let Some(link) = link.as_ref().filter(|_| !embedded) else {
            return;
        };
        // After Back or Forward the address already names the session that opens next, so it is not overwritten.
        if is_seen && !connection.borrow().has_entry {
            let is_new = connection.borrow().needs_history_entry;
            let here = store::current_session();
            // The link of a dump contains pasted text, which must not be written to the browser's history.
            let fragment = match is_dump {
                true => format!("kept={here}"),
                false => link.fragment.clone(),
            };
            if browser::write_address(&fragment, &format!("{here}:{now}"), is_new) {
                connection.borrow_mut().needs_history_entry = false;
            }
        }
        let is_touched = connection.borrow().is_touched;
        let is_there = store::store_session(link.whole.as_ref().unwrap_or(&link.fragment), &title, is_touched);
        // Revision 0 means that the link was requested for sharing, not for saving.
        if is_there && link.revision != 0 {
            saved_revision.set(link.revision);
        }
        let was_full = std::mem::replace(&mut saving.borrow_mut().is_full, !is_there);
        if !is_there && !was_full {
            let is_in_address = is_seen && !is_dump && link.whole.is_none() && browser::fits_address(&link.fragment);
            let said = if is_in_address {
                t!(saving::storage_full_address_holds_all)
            } else {
                t!(saving::storage_full)
            };
            act.emit(Act::Toast(said));
        }
    });
    is_kept
}
