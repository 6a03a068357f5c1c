//! The engine as the page speaks to it: what is on its way, and what its answers change besides the page.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_protocol::{Request, Source, Update};

use crate::address::last_or_welcome;
use crate::browser::{self, files, store};
use crate::ctl::Ctl;
use crate::engine::Engine;
use crate::pure::watch::Watch;
use crate::state::Act;

/// The engine, and seeks that wait for its answer to the last one.
#[derive(Default)]
pub(crate) struct Wire {
    pub(crate) engine: Option<Engine>,
    seeking: bool,
    /// A session is there; before that, what cannot be opened gives way to the first visit.
    pub(crate) opened: bool,
    /// Let time run when the session opens: all but a link, which shows an instant, live at once.
    play: bool,
    /// It is a lesson that begins with a question: its time begins with the answer.
    starts: bool,
    /// What was asked for last is somebody's own.
    own: bool,
    /// What was asked for last is somebody's work already, and not what a link brought.
    is_work: bool,
    /// Somebody has worked on the session: a command was given, a question answered, or it came from a file.
    pub(crate) touched: bool,
    /// It is the first visit's cluster, and nobody has given a command or moved time.
    pub(crate) is_fresh: bool,
    seek_to: Option<i64>,
    /// The next link to what is seen is an entry of its own in the browser's history: Back leads to what was before.
    pub(crate) turned: bool,
    /// The session that opens next has its entry already: the browser went there.
    pub(crate) has_entry: bool,
    pub(crate) watch: Watch,
    /// Requests that this engine was sent, without [`Request::FrameDone`].
    n_sent: u64,
}

impl Wire {
    pub(crate) fn send(&mut self, request: Request) {
        if let Request::Seek { at } = request {
            self.turned = true;
            if self.seeking {
                // Only the last place of a scrub matters.
                self.seek_to = Some(at);
                return;
            }
            self.seeking = true;
        }
        if let Request::Open { source } = &request {
            let is_link = matches!(source, Source::Link { .. });
            let is_file = matches!(source, Source::Files { .. });
            self.opens(!is_link, is_link || is_file, is_file);
            self.is_fresh = matches!(source, Source::Welcome | Source::Free);
        }
        // Who has moved time before the session is there finds it where it was moved to.
        let moves = matches!(
            request,
            Request::Pause | Request::Step | Request::NextDecision | Request::Seek { .. } | Request::SkipAhead
        );
        self.play &= self.opened || !moves;
        let commands = matches!(request, Request::Command { .. });
        self.touched |= commands
            || matches!(
                request,
                Request::Predict { .. } | Request::TryRemedy { .. } | Request::RecordGoal { .. } | Request::Undo
            );
        self.is_fresh &= !commands && !moves;
        self.watch.sent();
        if request != Request::FrameDone {
            self.n_sent += 1;
            browser::set_settled(false);
        }
        if let Some(engine) = &self.engine {
            drop(engine.send(&request));
        }
    }

    /// What opens next, if it can be opened, is to run, is somebody's own, and is work that is kept.
    fn opens(&mut self, play: bool, own: bool, is_work: bool) {
        self.play = play;
        self.own = own;
        self.is_work = is_work;
    }

    /// Another engine takes the place of this one: it knows nothing of what was asked before.
    pub(crate) fn begin_anew(&mut self) {
        *self = Wire {
            engine: self.engine.take(),
            opened: self.opened,
            ..Wire::default()
        };
    }

    /// A session is there: it stands beside what was kept, and takes the place only of what nobody touched. Whether it
    /// is one of those that were kept.
    fn opened(&mut self, asks: bool, is_dump: bool) -> bool {
        // A session that cannot be drawn must not open by itself again.
        browser::after_drawing(|| browser::after_drawing(|| store::trying(None)));
        let resumed = store::resumed();
        self.turned = self.opened && !std::mem::take(&mut self.has_entry);
        match resumed {
            Some(id) => store::take(id),
            None => {
                if self.opened {
                    store::forget_untouched(store::here());
                }
                store::begin();
            }
        }
        if let Some(id) = store::to_forget() {
            // Its entry in the browser's history is the next one's.
            self.turned = false;
            store::forget(id);
        }
        self.touched = self.is_work;
        self.opened = true;
        self.seeking = false;
        self.seek_to = None;
        // A dump stands still, with its triage.
        let plays = std::mem::take(&mut self.play) && !is_dump;
        self.starts = plays && asks;
        if plays && !asks {
            self.send(Request::Play);
        }
        resumed.is_some()
    }

    fn answered(&mut self) {
        self.seeking = false;
        if let Some(at) = self.seek_to.take() {
            self.send(Request::Seek { at });
        }
    }
}

/// What the engine says goes to the page; what was asked for last, and what is kept, follow it.
pub(crate) fn hear(update: Update, ctl: &Rc<Ctl>, wire: &Rc<RefCell<Wire>>) {
    match &update {
        Update::Settled { requests } => {
            let (requests, wire) = (*requests, wire.clone());
            // What came before it is on the page by then.
            browser::after_drawing(move || {
                if wire.borrow().n_sent == requests {
                    browser::set_settled(true);
                }
            });
            return;
        }
        Update::Frame(frame) => {
            let is_asked = frame.story.as_ref().is_none_or(|story| story.question.is_some());
            if !is_asked && std::mem::take(&mut wire.borrow_mut().starts) {
                ctl.send.emit(Request::Play);
            }
            // The next frame is asked for when this one has been drawn: a slow page gets fewer.
            let (send, wire) = (ctl.send.clone(), wire.clone());
            browser::after_drawing(move || {
                wire.borrow_mut().answered();
                send.emit(Request::FrameDone);
            });
        }
        Update::File { name, media_type, text } => {
            let (name, media_type, text, act) = (name.clone(), media_type.clone(), text.clone(), ctl.act.clone());
            wasm_bindgen_futures::spawn_local(async move {
                if files::save(&name, &media_type, &text).await.is_err() {
                    act.emit(Act::Toast(format!("{name} could not be saved")));
                }
            });
        }
        Update::Pasted { opens: true } => {
            let mut wire = wire.borrow_mut();
            wire.opens(true, true, true);
            wire.is_fresh = false;
        }
        Update::Opened(opened) => {
            let asks = opened.story.first().is_some_and(|step| step.question.is_some());
            let is_beside = {
                let mut wire = wire.borrow_mut();
                let was_first = !wire.opened && wire.own;
                !wire.opened(asks, opened.is_dump) && was_first
            };
            if let Some(kept) = store::sessions().first().filter(|_| is_beside && !store::is_framed()) {
                let at = store::when(kept.at);
                ctl.act
                    .emit(Act::Toast(format!("Your session of {at} is kept: Files, Sessions.")));
            }
        }
        Update::Refused { .. } => {
            store::trying(None);
            wire.borrow_mut().has_entry = false;
            let was_kept = store::resumed().is_some();
            let is_first = {
                let mut wire = wire.borrow_mut();
                wire.answered();
                !std::mem::replace(&mut wire.opened, true)
            };
            // Nothing that is kept changes: what cannot be opened gives way to what was there.
            if is_first {
                let source = if was_kept {
                    Source::Welcome
                } else {
                    last_or_welcome(&ctl.act)
                };
                wire.borrow_mut().opened = false;
                wire.borrow_mut().send(Request::Open { source });
            }
        }
        _ => {}
    }
    ctl.act.emit(Act::Heard(Box::new(update)));
}
