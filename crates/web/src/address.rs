//! The address bar: what a visit opens, and where Back, Forward and a pasted link lead.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_protocol::{Request, Source};
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, store};
use crate::ctl::Ctl;
use crate::pure::route::{self, Route};
use crate::state::{Act, Dialog};
use crate::wire::Wire;

/// What the address says now.
pub(crate) fn address() -> Route {
    let Some(location) = browser::window().map(|w| w.location()) else {
        return Route::default();
    };
    route::parse(
        &location.search().unwrap_or_default(),
        &location.hash().unwrap_or_default(),
    )
}

/// What a visit begins with, as the address and what is kept say.
#[derive(Debug, Default)]
pub(crate) enum First {
    /// What the address names.
    #[default]
    Named,
    /// The first visit's cluster; told how to begin, but in a frame.
    Welcome { is_told: bool },
    /// Free play.
    Free,
    /// A session that is kept: its number and its link.
    Kept(u64, String),
}

impl First {
    pub(crate) fn of(route: &Route) -> Self {
        if route.link.is_some() || route.lesson.is_some() || route.scenario.is_some() || kept_under(route).is_some() {
            Self::Named
        } else if route.fresh || route.embed.is_some() {
            Self::Free
        } else {
            Self::last()
        }
    }

    fn last() -> Self {
        match store::last() {
            Some((id, fragment)) => Self::Kept(id, fragment),
            None => Self::Welcome {
                is_told: !store::is_framed(),
            },
        }
    }

    /// What it opens.
    fn source(self, act: &Callback<Act>) -> Source {
        match self {
            Self::Kept(id, fragment) => go_on_with(id, fragment, act),
            Self::Welcome { is_told: true } => {
                act.emit(Act::Start(true));
                Source::Welcome
            }
            Self::Free => Source::Free,
            Self::Welcome { is_told: false } | Self::Named => Source::Welcome,
        }
    }
}

/// Opens what the address asks for: a link, a lesson, a file of this site; else what the visit begins with.
pub(crate) fn open_first(route: &Route, first: First, send: &Callback<Request>, act: &Callback<Act>) {
    let source = if let Some(fragment) = &route.link {
        match own_session(fragment) {
            // What the address kept is this browser's own session.
            Some((id, kept)) => go_on_with(id, kept, act),
            None => Source::Link {
                fragment: fragment.clone(),
            },
        }
    } else if let Some((id, kept)) = kept_under(route) {
        go_on_with(id, kept, act)
    } else if let Some(name) = &route.lesson {
        Source::Lesson {
            name: name.clone(),
            seed: None,
        }
    } else if let Some(path) = route.scenario.clone() {
        let (send, act) = (send.clone(), act.clone());
        wasm_bindgen_futures::spawn_local(async move {
            match browser::fetch(&path).await {
                Ok(text) => send.emit(Request::Open {
                    source: Source::Files {
                        files: vec![(file_name(&path), text)],
                    },
                }),
                Err(error) => {
                    act.emit(Act::Toast(error));
                    send.emit(Request::Open {
                        source: last_or_welcome(&act),
                    });
                }
            }
        });
        return;
    } else {
        first.source(act)
    };
    send.emit(Request::Open { source });
}

/// The kept session whose number the address has. A page in a frame reads none.
fn kept_under(route: &Route) -> Option<(u64, String)> {
    let id = route.kept.filter(|_| !store::is_framed())?;
    Some((id, store::session(id)?))
}

/// What messages call the file of an address: its last part, where that is a usual name. A sentence in somebody's link
/// must not read as one of ours.
fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_usual) {
        name.to_owned()
    } else {
        "scenario.yaml".to_owned()
    }
}

/// The kept session that an address leads to: kept by this very link, or by one that also tells what came after the
/// instant, which the entry in the browser's history says.
fn own_session(fragment: &str) -> Option<(u64, String)> {
    if store::is_framed() {
        return None;
    }
    let id = store::kept_as(fragment).or_else(|| browser::kept_address()?.split_once(':')?.0.parse().ok())?;
    Some((id, store::session(id)?))
}

/// The last session, or the first visit's cluster.
pub(crate) fn last_or_welcome(act: &Callback<Act>) -> Source {
    First::last().source(act)
}

/// A session that is kept; never by itself what did not finish opening the last time.
fn go_on_with(id: u64, fragment: String, act: &Callback<Act>) -> Source {
    if store::unfinished().is_some_and(|what| what == id.to_string()) {
        act.emit(Act::Toast(UNFINISHED.into()));
        return Source::Welcome;
    }
    store::trying(Some(&id.to_string()));
    store::resume(id);
    Source::Link { fragment }
}

/// Said when a kept session is not opened by itself.
const UNFINISHED: &str =
    "The last session did not finish opening, so it is not tried again by itself. It is kept: Files, Sessions.";

/// Goes where Back and Forward lead: to an instant of this session, or to another session.
fn go_back(ctl: &Ctl, wire: &Rc<RefCell<Wire>>) {
    let Some(what) = browser::kept_address() else { return };
    let Some((id, at)) = what
        .split_once(':')
        .and_then(|(id, at)| Some((id.parse().ok()?, at.parse().ok()?)))
    else {
        return;
    };
    let route = address();
    ctl.act.emit(Act::View(route.view));
    ctl.act.emit(Act::Dialog(Dialog::None));
    if id == store::here() {
        ctl.seek(at);
        wire.borrow_mut().turned = false;
    } else if let Some(fragment) = route.link.or_else(|| store::session(id)) {
        if store::session(id).is_some() {
            store::resume(id);
        }
        wire.borrow_mut().has_entry = true;
        ctl.send.emit(Request::Open {
            source: Source::Link { fragment },
        });
    }
}

/// Follows the address: a pasted link opens without a reload.
#[hook]
pub(crate) fn use_address(ctl: &Rc<Ctl>, wire: &Rc<RefCell<Wire>>) {
    let (ctl, wire) = (ctl.clone(), wire.clone());
    use_effect_with((), move |()| {
        let back = {
            let (ctl, wire) = (ctl.clone(), wire.clone());
            listen("popstate", move |_| go_back(&ctl, &wire))
        };
        let hash = {
            let ctl = ctl.clone();
            listen("hashchange", move |_| {
                if browser::kept_address().is_some() {
                    return; // Back or Forward, see there.
                }
                let route = address();
                ctl.act.emit(Act::View(route.view));
                if let Some(theme) = route.theme {
                    ctl.act.emit(Act::Theme(theme));
                }
                if route.link.is_some() || route.lesson.is_some() || kept_under(&route).is_some() {
                    ctl.act.emit(Act::Dialog(Dialog::None));
                    wire.borrow_mut().has_entry = true;
                    open_first(&route, First::Named, &ctl.send, &ctl.act);
                    if route.embed.is_none() {
                        browser::forget_link();
                    }
                }
            })
        };
        let newer = listen("podscope-update", move |_| ctl.act.emit(Act::Newer));
        let leaving = listen("pagehide", |_| store::leaving());
        let returned = listen("pageshow", |_| store::returned());
        move || drop((back, hash, newer, leaving, returned))
    });
}
