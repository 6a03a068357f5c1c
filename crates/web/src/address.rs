//! The address bar: what a visit opens, and the effect of Back, Forward and a pasted link.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{CourseRequest, Request, SessionSource};
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, store};
use crate::connection::Connection;
use crate::ctl::Ctl;
use crate::language;
use crate::pure::route::{self, Route};
use crate::state::{Act, Dialog, StudyAct};
use crate::studying::practise_request;

/// Parses the current address.
pub(crate) fn current_route() -> Route {
    let search = browser::window().and_then(|window| window.location().search().ok());
    route::parse(&search.unwrap_or_default(), &browser::current_fragment())
}

/// Parses the current fragment alone.
fn route_of_current_fragment() -> Route {
    route::parse("", &browser::current_fragment())
}

/// The source that a visit opens first (a link, a lesson, a stored session …), chosen by the address and the stored
/// sessions.
#[derive(Debug, Default)]
pub(crate) enum FirstSource {
    /// What the address names: a link, a lesson, a practice task, a scenario file or a stored session.
    #[default]
    Named,
    /// The cluster that a first visit shows. `shows_start`: the introduction with its entry points is shown too; false
    /// if the page is in a frame.
    Welcome { shows_start: bool },
    /// A cluster for free play, without a lesson.
    Free,
    /// A stored session: its number and the fragment of its link.
    Stored(u64, String),
}

impl FirstSource {
    pub(crate) fn of(route: &Route) -> Self {
        let is_named = route.link.is_some()
            || route.lesson.is_some()
            || route.practice.is_some()
            || route.scenario.is_some()
            || session_in_address(route).is_some();
        if is_named {
            Self::Named
        } else if route.new_session || route.embed.is_some() || route.course.is_some() {
            Self::Free
        } else {
            Self::last_stored_or_welcome()
        }
    }

    fn last_stored_or_welcome() -> Self {
        match store::last_session() {
            Some((id, fragment)) => Self::Stored(id, fragment),
            None => Self::Welcome {
                shows_start: !store::is_framed(),
            },
        }
    }

    /// Returns the source that the visit opens first. A stored session is also marked as the session that this tab
    /// resumes.
    fn source(self, act: &Callback<Act>) -> SessionSource {
        match self {
            Self::Stored(id, fragment) => resume_session(id, fragment, act),
            Self::Welcome { shows_start: true } => {
                act.emit(Act::Start(true));
                SessionSource::Welcome
            }
            Self::Free => SessionSource::Free,
            Self::Welcome { shows_start: false } | Self::Named => SessionSource::Welcome,
        }
    }
}

/// Opens what the address names (a link, a lesson, or a file of this site), otherwise `first`.
pub(crate) fn open_first(route: &Route, first: FirstSource, send: &Callback<Request>, act: &Callback<Act>) {
    if let Some(course) = &route.course {
        read_course(course.clone(), send.clone(), act.clone());
    }
    let source = if let Some(fragment) = &route.link {
        match stored_session_of_fragment(fragment) {
            // The browser's storage has a session with this fragment: resume it.
            Some((id, kept)) => resume_session(id, kept, act),
            None => SessionSource::Link {
                fragment: fragment.clone(),
            },
        }
    } else if let Some((id, kept)) = session_in_address(route) {
        resume_session(id, kept, act)
    } else if let Some(name) = &route.lesson {
        SessionSource::Lesson {
            name: name.clone(),
            seed: None,
        }
    } else if let Some(task) = route.practice.clone() {
        return send.emit(practise_request(Some(task), None));
    } else if let Some(path) = route.scenario.clone() {
        let (send, act) = (send.clone(), act.clone());
        wasm_bindgen_futures::spawn_local(async move {
            match browser::fetch_text(&path).await {
                Ok(text) => {
                    let files = vec![(file_name(&path), text)];
                    act.emit(Act::SiteScenario(path));
                    send.emit(Request::Open {
                        source: SessionSource::Files { files },
                    });
                }
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

/// Reads a course: a file of this site, or a built-in one if the name has neither a slash nor an ending.
fn read_course(course: String, send: Callback<Request>, act: Callback<Act>) {
    let read = |name: String, text: Option<String>| Request::Course(CourseRequest::ReadCourse { name, text });
    if !course.contains(['/', '.']) {
        return send.emit(read(course, None));
    }
    wasm_bindgen_futures::spawn_local(async move {
        match browser::fetch_text(&course).await {
            Ok(text) => send.emit(read(file_name(&course), Some(text))),
            Err(error) => act.emit(Act::Toast(error)),
        }
    });
}

/// Returns number and link of the stored session whose number is in the address (`kept=`). Returns `None` in a frame,
/// because a page in a frame reads no stored sessions.
fn session_in_address(route: &Route) -> Option<(u64, String)> {
    let id = route.kept.filter(|_| !store::is_framed())?;
    Some((id, store::link_of_session(id)?))
}

/// Returns the file name that messages show: the last part of the path if it has only letters, digits, `.`, `-` and
/// `_`. Otherwise a link could carry a sentence that reads like one of Podscope's own.
fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_usual) {
        name.to_owned()
    } else {
        "scenario.yaml".to_owned()
    }
}

/// Returns the stored session that a link's fragment belongs to:
/// 1. the session that is stored with exactly this fragment;
/// 2. otherwise the session that `history.state` names; its stored link also contains what happened after the instant;
/// 3. otherwise, after a reload, this tab's session, because Chromium can lose `history.state` during a reload.
fn stored_session_of_fragment(fragment: &str) -> Option<(u64, String)> {
    if store::is_framed() {
        return None;
    }
    let of_entry = || browser::note_of_history_entry()?.split_once(':')?.0.parse().ok();
    let id = store::session_with_link(fragment)
        .or_else(of_entry)
        .or_else(|| store::session_number_of_tab().filter(|_| browser::is_reload()))?;
    Some((id, store::link_of_session(id)?))
}

/// Returns the session that was stored last, or the first visit's cluster if no session is stored.
pub(crate) fn last_or_welcome(act: &Callback<Act>) -> SessionSource {
    FirstSource::last_stored_or_welcome().source(act)
}

/// Resumes a stored session. If the previous attempt to open it did not finish, opens the first visit's cluster
/// instead.
fn resume_session(id: u64, fragment: String, act: &Callback<Act>) -> SessionSource {
    if store::session_of_unfinished_opening().is_some_and(|what| what == id.to_string()) {
        act.emit(Act::Toast(t!(address::unfinished)));
        return SessionSource::Welcome;
    }
    store::store_opening_note(Some(&id.to_string()));
    store::resume_on_next_open(id);
    SessionSource::Link { fragment }
}

/// Follows Back and Forward: seeks in this session, or opens another one.
fn follow_history(ctl: &Ctl, connection: &Rc<RefCell<Connection>>) {
    let Some(what) = browser::note_of_history_entry() else {
        return;
    };
    let Some((id, at)) = what
        .split_once(':')
        .and_then(|(id, at)| Some((id.parse().ok()?, at.parse().ok()?)))
    else {
        return;
    };
    let route = current_route();
    ctl.act.emit(Act::View(route.view));
    ctl.act.emit(Act::Dialog(Dialog::None));
    if id == store::current_session() {
        ctl.seek(at);
        connection.borrow_mut().needs_history_entry = false;
    } else if let Some(fragment) = route.link.or_else(|| store::link_of_session(id)) {
        if store::link_of_session(id).is_some() {
            store::resume_on_next_open(id);
        }
        ctl.act.emit(Act::Study(StudyAct::Return(id)));
        connection.borrow_mut().has_entry = true;
        ctl.send.emit(Request::Open {
            source: SessionSource::Link { fragment },
        });
    }
}

/// Listens to changes of the address: a pasted link opens without a reload.
#[hook]
pub(crate) fn use_address(ctl: &Rc<Ctl>, connection: &Rc<RefCell<Connection>>) {
    let (ctl, connection) = (ctl.clone(), connection.clone());
    use_effect_with((), move |()| {
        browser::mark_address_as_handled();
        let back = {
            let (ctl, connection) = (ctl.clone(), connection.clone());
            listen("popstate", move |_| follow_history(&ctl, &connection))
        };
        let hash = {
            let ctl = ctl.clone();
            listen("hashchange", move |_| {
                if browser::note_of_history_entry().is_some() {
                    return; // Back or Forward: `popstate` handles it.
                }
                browser::mark_address_as_handled();
                let route = current_route();
                ctl.act.emit(Act::View(route.view));
                // The address before the fragment (`?lang=`) has not changed. It set the language when the visit began,
                // so only the fragment is read here.
                if let Some(code) = route_of_current_fragment().lang {
                    language::change_for_this_visit(&code, ctl.act.clone());
                }
                if let Some(theme) = route.theme {
                    ctl.act.emit(Act::Theme(theme));
                }
                let is_named = route.link.is_some() || route.lesson.is_some() || route.practice.is_some();
                if is_named || session_in_address(&route).is_some() {
                    ctl.act.emit(Act::Dialog(Dialog::None));
                    connection.borrow_mut().has_entry = true;
                    open_first(&route, FirstSource::Named, &ctl.send, &ctl.act);
                    if route.embed.is_none() {
                        browser::forget_link();
                    }
                }
            })
        };
        let newer = listen("podscope-update", move |_| ctl.act.emit(Act::NewVersion));
        let leaving = listen("pagehide", |_| store::clear_opening_note_if_left_soon());
        let returned = listen("pageshow", |_| store::reclaim_session_of_restored_page());
        move || drop((back, hash, newer, leaving, returned))
    });
}
