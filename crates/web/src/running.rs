//! Runs the engine: starts it, handles its messages, and stops it when it does not respond.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Interval;
use podscope_messages::t;
use podscope_protocol::{Request, SessionSource};
use yew::prelude::*;

use crate::address::{FirstSource, last_or_welcome, open_first};
use crate::browser::{self, Warn as _, store};
use crate::components::Busy;
use crate::connection::{Connection, handle_update};
use crate::ctl::Ctl;
use crate::engine::{Engine, WorkerMessage};
use crate::pure::route::Route;
use crate::pure::watch::WatchAction;
use crate::state::{Act, Dialog};

/// Starts the engine, handles its messages, and shows a dialog when it does not answer.
#[hook]
pub(crate) fn use_engine(
    connection: &Rc<RefCell<Connection>>,
    ctl: &Rc<Ctl>,
    route: &Rc<Route>,
    first_source: &Rc<RefCell<FirstSource>>,
) -> Html {
    let busy = use_state(|| false);
    {
        let (connection, ctl, route) = (connection.clone(), ctl.clone(), route.clone());
        let (first_source, busy) = (first_source.clone(), busy.setter());
        use_effect_with((), move |()| {
            if start_engine(&connection, &ctl, &busy) {
                open_first(&route, first_source.take(), &ctl.send, &ctl.act);
            }
            let is_named =
                route.link.is_some() || route.lesson.is_some() || route.scenario.is_some() || route.new_session;
            if route.embed.is_none() && is_named {
                // Without the link in the address, a reload resumes the tab's session instead of opening the link
                // again.
                browser::forget_link();
            }
            Interval::new(1_000, move || {
                let mut connection = connection.borrow_mut();
                match (connection.watch.tick(), &connection.engine) {
                    (WatchAction::Ping, Some(engine)) => {
                        engine.ping().warn();
                    }
                    (WatchAction::Busy, Some(_)) => busy.set(true),
                    _ => {}
                }
            })
            .forget();
        });
    }
    if !*busy {
        return Html::default();
    }
    let wait = {
        let (connection, busy) = (connection.clone(), busy.setter());
        Callback::from(move |()| {
            connection.borrow_mut().watch.restart_silence_count();
            busy.set(false);
        })
    };
    let stop = {
        let (connection, ctl, route, busy) = (connection.clone(), ctl.clone(), route.clone(), busy.setter());
        Callback::from(move |()| {
            busy.set(false);
            stop_engine(&connection, &ctl, &route, &busy);
        })
    };
    let is_loading = connection.borrow().watch.is_loading();
    html! { <Busy {is_loading} {stop} {wait} /> }
}

/// Starts an engine and ends the running one, if any. Returns false if no engine can be started.
fn start_engine(connection: &Rc<RefCell<Connection>>, ctl: &Rc<Ctl>, busy: &UseStateSetter<bool>) -> bool {
    let on_message = {
        let (ctl, connection, busy) = (ctl.clone(), connection.clone(), busy.clone());
        Callback::from(move |on_message| match on_message {
            WorkerMessage::Alive => {
                connection.borrow_mut().watch.ping_answered();
                busy.set(false);
            }
            WorkerMessage::Loading => connection.borrow_mut().watch.loading_began(),
            WorkerMessage::Update(update) => {
                connection.borrow_mut().watch.update_received();
                handle_update(*update, &ctl, &connection);
            }
            WorkerMessage::Trapped(message) => ctl.act.emit(Act::Trapped(message)),
        })
    };
    // The previous engine ends before the new one starts.
    connection.borrow_mut().engine = None;
    match Engine::start(on_message) {
        Ok(engine) => {
            connection.borrow_mut().engine = Some(engine);
            true
        }
        Err(error) => {
            ctl.act.emit(Act::Trapped(format!("{error:?}")));
            false
        }
    }
}

/// Ends an engine that does not respond, and resumes the session that this tab stored last.
fn stop_engine(connection: &Rc<RefCell<Connection>>, ctl: &Rc<Ctl>, route: &Route, busy: &UseStateSetter<bool>) {
    let opened = {
        let mut connection = connection.borrow_mut();
        connection.reset();
        connection.has_session
    };
    if !start_engine(connection, ctl, busy) {
        return;
    }
    ctl.act.emit(Act::Dialog(Dialog::None));
    let id = store::current_session();
    match store::link_of_session(id).filter(|_| opened) {
        Some(fragment) => {
            store::resume_on_next_open(id);
            ctl.act.emit(Act::Toast(t!(running::stopped)));
            ctl.send.emit(Request::Open {
                source: SessionSource::Link { fragment },
            });
        }
        // A page in a frame stores no sessions, so the source that its address names is opened again. If no session had
        // opened, this source may be what made the engine hang, so another one is opened.
        None if opened && store::is_framed() => open_first(route, FirstSource::of(route), &ctl.send, &ctl.act),
        None => ctl.send.emit(Request::Open {
            source: last_or_welcome(&ctl.act),
        }),
    }
}
