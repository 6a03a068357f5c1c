//! Keeping the session: what was done is kept as soon as the engine has told its link, the rest soon after.
//!
//! ```text
//! what is to be kept changes ─► revision ─► (a moment) ─► Share{revision} ─► Link{revision} ─► storage, address
//! ```
//! The page's `data-kept` says whether the last revision is there.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::{Interval, Timeout};
use podscope_protocol::{Micros, Request};
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, store};
use crate::ctl::Ctl;
use crate::pure::route::View;
use crate::state::{Act, Page, Screen, Shared};
use crate::wire::Wire;

/// Said once, when the browser's storage is full or forbidden.
const NOT_KEPT: &str = "This browser keeps no more for this site: a reload would lose what came since. Save the session as a file, or share it as a link.";

/// The same where the address holds all of it.
const NOT_LISTED: &str = "This browser keeps no more for this site: the address keeps this run, so a reload finds it, but no list of sessions does. Save it as a file, or bookmark it.";

/// Milliseconds after which a command is kept, of a session whose links are short.
const SOON: u32 = 20;
/// Milliseconds after which everything else is.
const LATER: u32 = 900;
/// Milliseconds between saves while time runs.
const EVERY: u32 = 8_000;
/// How long the first visit's cluster has to run to be worth keeping, when somebody has looked at something: what is kept
/// reopens standing still, and before its first pods are placed that is an empty cluster.
const BEGUN: Micros = 1_000_000;

/// What is to be kept: whatever of it changes is kept anew.
#[derive(Clone, PartialEq)]
struct Seen {
    opened: Option<Shared<podscope_protocol::Opened>>,
    /// How many lines the console has, and of what command and instant the last one is: it forgets old lines.
    said: (usize, Option<(Option<u32>, Micros)>),
    screen: String,
    playing: bool,
    branches: Shared<Vec<podscope_protocol::BranchView>>,
    view: View,
    /// The step that is read, and the question that waits.
    reading: (usize, Option<usize>),
    /// Where time stands, if it does.
    now: Option<Micros>,
}

impl Seen {
    fn of(page: &Page) -> Seen {
        let lines = &page.console.lines;
        Seen {
            opened: page.opened.clone(),
            said: (lines.len(), lines.last().map(|line| (line.command, line.at))),
            screen: Screen::write(page),
            playing: page.model.playing,
            branches: page.model.branches.clone(),
            view: page.view,
            reading: (page.model.story.step, page.model.story.question),
            now: (!page.model.playing).then_some(page.model.now),
        }
    }
}

/// How far saving has come.
#[derive(Default)]
struct Saving {
    seen: Option<Seen>,
    /// Counts what was seen.
    revision: u64,
    /// A command was given that nobody has asked the link of.
    is_urgent: bool,
    /// There is something to come back to.
    has_begun: bool,
    /// The request that waits for its moment.
    waiting: Option<Timeout>,
    /// The storage was full.
    is_full: bool,
}

impl Saving {
    /// Takes up what is to be kept now; its number.
    fn see(&mut self, now: Seen) -> u64 {
        if self.seen.as_ref() != Some(&now) {
            let before = self.seen.as_ref().map(|seen| seen.said);
            self.is_urgent |= before.is_some_and(|said| said != now.said);
            self.seen = Some(now);
            self.revision += 1;
        }
        self.revision
    }
}

/// Asks for the link of what is seen, once there is something to keep and it is sure under which number it is kept.
fn ask(saving: &Rc<RefCell<Saving>>, ctl: &Rc<Ctl>) {
    let has_begun = saving.borrow().has_begun;
    if !has_begun || store::is_unsure() {
        let wait = if has_begun { SOON } else { LATER };
        let (again, ctl) = (saving.clone(), ctl.clone());
        saving.borrow_mut().waiting = Some(Timeout::new(wait, move || ask(&again, &ctl)));
        return;
    }
    let (screen, revision) = {
        let mut saving = saving.borrow_mut();
        (saving.waiting, saving.is_urgent) = (None, false);
        let Some(seen) = saving.seen.as_ref().filter(|seen| seen.opened.is_some()) else {
            return;
        };
        (seen.screen.clone(), saving.revision)
    };
    ctl.send.emit(Request::Share {
        screen,
        anonymise: false,
        revision,
    });
}

/// Keeps the session as a link: after each change, every few seconds while time runs, and when the page is left.
/// Whether all that was done is kept.
#[hook]
pub(crate) fn use_saving(page: &Shared<Page>, ctl: &Rc<Ctl>, wire: &Rc<RefCell<Wire>>) -> bool {
    let embedded = page.embedded || store::is_framed();
    let saving = use_mut_ref(Saving::default);
    let kept = use_state_eq(|| 0);
    let revision = saving.borrow_mut().see(Seen::of(page));
    // A first visit of which nobody has done anything yet is one again after a reload.
    let looks = |seen: &Seen| seen.view != View::Playground || !seen.screen.is_empty();
    let has_looked = page.model.now >= BEGUN && saving.borrow().seen.as_ref().is_some_and(looks);
    let has_begun = !wire.borrow().is_fresh || has_looked;
    saving.borrow_mut().has_begun = has_begun;
    let is_long = page
        .link
        .as_ref()
        .is_some_and(|link| link.fragment.len() > podscope_protocol::LONGEST_LINK);
    {
        let (saving, ctl) = (saving.clone(), ctl.clone());
        use_effect_with(revision, move |_| {
            if embedded {
                return;
            }
            let wait = if saving.borrow().is_urgent && !is_long {
                SOON
            } else {
                LATER
            };
            let later = {
                let saving = saving.clone();
                Timeout::new(wait, move || ask(&saving, &ctl))
            };
            // Replacing the last one cancels it.
            saving.borrow_mut().waiting = Some(later);
        });
    }
    let (is_kept, playing) = (*kept == revision || !has_begun, page.model.playing && !embedded);
    {
        let (saving, ctl) = (saving.clone(), ctl.clone());
        use_effect_with((is_kept || embedded, playing), move |(is_kept, playing)| {
            let every = playing.then(|| {
                let (saving, ctl) = (saving.clone(), ctl.clone());
                Interval::new(EVERY, move || ask(&saving, &ctl))
            });
            // Who leaves gives the engine the time that the way to the next page takes.
            let leaving = (!is_kept || *playing).then(|| {
                let leave = {
                    let (saving, ctl) = (saving.clone(), ctl.clone());
                    move |_: &web_sys::Event| ask(&saving, &ctl)
                };
                (listen("beforeunload", leave.clone()), listen("visibilitychange", leave))
            });
            move || drop((every, leaving))
        });
    }
    let act = ctl.act.clone();
    let title = page.opened.as_ref().map(|o| o.title.clone()).unwrap_or_default();
    let (now, is_seen, wire) = (page.model.now, page.view == View::Playground, wire.clone());
    let is_dump = page.opened.as_ref().is_some_and(|opened| opened.is_dump);
    let told = kept.setter();
    use_effect_with(page.link.clone(), move |link| {
        let Some(link) = link.as_ref().filter(|_| !embedded) else {
            return;
        };
        if is_seen {
            let is_new = std::mem::take(&mut wire.borrow_mut().turned);
            let here = store::here();
            // What is pasted does not reach the browser's history.
            let fragment = match is_dump {
                true => format!("kept={here}"),
                false => link.fragment.clone(),
            };
            browser::keep_address(&fragment, &format!("{here}:{now}"), is_new);
        }
        let is_touched = wire.borrow().touched;
        let is_there = store::keep_session(link.whole.as_ref().unwrap_or(&link.fragment), &title, is_touched);
        // A link that somebody asked for to share it has no number.
        if is_there && link.revision != 0 {
            told.set(link.revision);
        }
        let was_full = std::mem::replace(&mut saving.borrow_mut().is_full, !is_there);
        if !is_there && !was_full {
            let is_in_address = is_seen && !is_dump && link.whole.is_none() && browser::fits_address(&link.fragment);
            let said = if is_in_address { NOT_LISTED } else { NOT_KEPT };
            act.emit(Act::Toast(said.into()));
        }
    });
    is_kept
}
