//! The engine while it runs: started, heard, watched, and stopped when it does not answer.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Interval;
use podscope_protocol::{Request, Source};
use yew::prelude::*;

use crate::address::{First, last_or_welcome, open_first};
use crate::browser::{self, store};
use crate::components::Busy;
use crate::ctl::Ctl;
use crate::engine::{Engine, Heard};
use crate::pure::route::Route;
use crate::pure::watch::Tick;
use crate::state::{Act, Dialog};
use crate::wire::{Wire, hear};

/// Starts the engine, hears it, and says when it does not answer.
#[hook]
pub(crate) fn use_engine(
    wire: &Rc<RefCell<Wire>>,
    ctl: &Rc<Ctl>,
    route: &Rc<Route>,
    first: &Rc<RefCell<First>>,
) -> Html {
    let busy = use_state(|| false);
    {
        let (wire, ctl, route) = (wire.clone(), ctl.clone(), route.clone());
        let (first, busy) = (first.clone(), busy.setter());
        use_effect_with((), move |()| {
            if start(&wire, &ctl, &busy) {
                open_first(&route, first.take(), &ctl.send, &ctl.act);
            }
            let named = route.link.is_some() || route.lesson.is_some() || route.scenario.is_some() || route.fresh;
            if route.embed.is_none() && named {
                // A reload goes on with the session instead of starting anew.
                browser::forget_link();
            }
            Interval::new(1_000, move || {
                let mut wire = wire.borrow_mut();
                match (wire.watch.tick(), &wire.engine) {
                    (Tick::Ask, Some(engine)) => drop(engine.ask()),
                    (Tick::Busy, Some(_)) => busy.set(true),
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
        let (wire, busy) = (wire.clone(), busy.setter());
        Callback::from(move |()| {
            wire.borrow_mut().watch.wait_on();
            busy.set(false);
        })
    };
    let stop = {
        let (wire, ctl, route, busy) = (wire.clone(), ctl.clone(), route.clone(), busy.setter());
        Callback::from(move |()| {
            busy.set(false);
            stop(&wire, &ctl, &route, &busy);
        })
    };
    html! { <Busy {stop} {wait} /> }
}

/// Starts an engine in the place of the one that may be there; false if there is none.
fn start(wire: &Rc<RefCell<Wire>>, ctl: &Rc<Ctl>, busy: &UseStateSetter<bool>) -> bool {
    let heard = {
        let (ctl, wire, busy) = (ctl.clone(), wire.clone(), busy.clone());
        Callback::from(move |heard| match heard {
            Heard::Alive => {
                wire.borrow_mut().watch.answered();
                busy.set(false);
            }
            Heard::Update(update) => {
                wire.borrow_mut().watch.spoke();
                hear(*update, &ctl, &wire);
            }
            Heard::Trapped(message) => ctl.act.emit(Act::Trapped(message)),
        })
    };
    // The one before ends first.
    wire.borrow_mut().engine = None;
    match Engine::start(heard) {
        Ok(engine) => {
            wire.borrow_mut().engine = Some(engine);
            true
        }
        Err(error) => {
            ctl.act.emit(Act::Trapped(format!("{error:?}")));
            false
        }
    }
}

/// Ends an engine that does not answer, and goes on with what this tab kept last.
fn stop(wire: &Rc<RefCell<Wire>>, ctl: &Rc<Ctl>, route: &Route, busy: &UseStateSetter<bool>) {
    let opened = {
        let mut wire = wire.borrow_mut();
        wire.begin_anew();
        wire.opened
    };
    if !start(wire, ctl, busy) {
        return;
    }
    ctl.act.emit(Act::Dialog(Dialog::None));
    let id = store::here();
    match store::session(id).filter(|_| opened) {
        Some(fragment) => {
            store::resume(id);
            ctl.act.emit(Act::Toast(STOPPED.into()));
            ctl.send.emit(Request::Open {
                source: Source::Link { fragment },
            });
        }
        // A frame keeps nothing: it shows what its address says. What hung while it opened is not tried again.
        None if opened && store::is_framed() => open_first(route, First::of(route), &ctl.send, &ctl.act),
        None => ctl.send.emit(Request::Open {
            source: last_or_welcome(&ctl.act),
        }),
    }
}

/// Said when the engine was stopped.
const STOPPED: &str = "The engine was stopped. This is the session as it was last kept.";
