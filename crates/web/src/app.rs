//! The page as a whole: one state, one engine, the regions.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_protocol::{Micros, Request, Source, Update};
use yew::prelude::*;

use crate::browser::{self, files, store};
use crate::components::{
    Bar, Cluster, ConsoleLineView, Dialogs, Editor, Guarantees, Inspector, Presenting, Story, Timeline, Toasts,
};
use crate::engine::Engine;
use crate::keys;
use crate::pure::actions::{self, Action};
use crate::pure::clock;
use crate::pure::course::Course;
use crate::pure::paste;
use crate::pure::route::{self, Panels, Route, Theme, View};
use crate::pure::watch::Watch;
use crate::state::{Act, Dialog, Page, Present, Shared, Sheet};

/// What components act with: changes of the page, requests to the engine.
#[derive(Clone, PartialEq)]
pub(crate) struct Ctl {
    pub(crate) act: Callback<Act>,
    pub(crate) send: Callback<Request>,
}

impl Ctl {
    /// Gives a command, or several lines of them; a dangerous one after it has said what it means.
    pub(crate) fn run(&self, line: &str) {
        if is_pressed_twice(line) {
            return;
        }
        let commands = paste::commands(line);
        match commands.iter().find_map(|command| actions::consequence(command)) {
            Some(warning) => {
                let label = line.to_string();
                self.act.emit(Act::Dialog(Dialog::Confirm(Action {
                    label,
                    command: line.to_string(),
                    warning,
                })));
            }
            None => self.run_now(line),
        }
    }

    /// Begins to present, in the place of the dialog that offered it.
    pub(crate) fn present(&self) -> Callback<MouseEvent> {
        let act = self.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Dialog(Dialog::None));
            act.emit(Act::Present(Present {
                on: true,
                ..Present::default()
            }));
        })
    }

    /// Gives a command that has been confirmed.
    pub(crate) fn run_now(&self, line: &str) {
        for line in paste::commands(line) {
            if line == "clear" {
                self.act.emit(Act::ClearConsole);
                continue;
            }
            self.act.emit(Act::Typed(line.clone()));
            self.send.emit(Request::Command { line });
        }
    }

    /// Goes to an instant.
    pub(crate) fn seek(&self, at: Micros) {
        self.act.emit(Act::Aim(at));
        self.send.emit(Request::Seek { at });
    }

    /// Lets time run at another speed, in thousandths.
    pub(crate) fn speed(&self, per_mille: u64) {
        self.act.emit(Act::Speed(per_mille));
        self.send.emit(Request::Speed { per_mille });
    }

    /// A request as a click's answer.
    pub(crate) fn on(&self, request: Request) -> Callback<MouseEvent> {
        self.send.reform(move |_| request.clone())
    }
}

/// Milliseconds in which the same command again is one press that shook.
const SHAKE: f64 = 350.0;

/// Whether the same command has just been given: a button that is pressed twice gives it once.
fn is_pressed_twice(line: &str) -> bool {
    thread_local! {
        static LAST: RefCell<(String, f64)> = const { RefCell::new((String::new(), 0.0)) };
    }
    let now = js_sys::Date::now();
    LAST.with_borrow_mut(|(last, at)| {
        let again = last == line && (0.0..SHAKE).contains(&(now - *at));
        *at = now;
        line.clone_into(last);
        again
    })
}

/// The clock, and how far time has been computed: for the few that move with every frame.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Now {
    pub(crate) at: Micros,
    pub(crate) horizon: Micros,
}

fn address() -> Route {
    let Some(location) = browser::window().map(|w| w.location()) else {
        return Route::default();
    };
    route::parse(
        &location.search().unwrap_or_default(),
        &location.hash().unwrap_or_default(),
    )
}

/// Opens what the address asks for: a link, a lesson, a file of this site, the last session, or
/// the first visit's cluster.
pub(crate) fn open_first(route: &Route, send: &Callback<Request>, act: &Callback<Act>) {
    let source = if let Some(fragment) = &route.link {
        match own_session(fragment) {
            // What the address kept is this browser's own session.
            Some((id, kept)) => go_on_with(id, kept, act),
            None => Source::Link {
                fragment: fragment.clone(),
            },
        }
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
                        files: vec![(path, text)],
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
    } else if route.fresh || route.embed.is_some() {
        Source::Welcome
    } else {
        last_or_welcome(act)
    };
    send.emit(Request::Open { source });
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
    let Some((id, fragment)) = store::last() else {
        act.emit(Act::Start(!store::is_framed()));
        return Source::Welcome;
    };
    go_on_with(id, fragment, act)
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

/// The engine, and seeks that wait for its answer to the last one.
#[derive(Default)]
pub(crate) struct Wire {
    pub(crate) engine: Option<Engine>,
    seeking: bool,
    /// A session is there; before that, what cannot be opened gives way to the first visit.
    pub(crate) opened: bool,
    /// Let time run when the session opens: all but a link, which shows an instant, live at once.
    play: bool,
    /// What was asked for last is somebody's own.
    own: bool,
    /// The session is worth keeping when another opens: a command was given, or it came from a file or a link.
    touched: bool,
    seek_to: Option<i64>,
    /// The next link to what is seen is an entry of its own in the browser's history: Back leads to what was before.
    pub(crate) turned: bool,
    /// The session that opens next has its entry already: the browser went there.
    has_entry: bool,
    pub(crate) watch: Watch,
}

impl Wire {
    fn send(&mut self, request: Request) {
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
            self.play = !matches!(source, Source::Link { .. });
            self.own = matches!(source, Source::Link { .. } | Source::Files { .. });
        }
        self.touched |= matches!(request, Request::Command { .. });
        self.watch.sent();
        if let Some(engine) = &self.engine {
            drop(engine.send(&request));
        }
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
    fn opened(&mut self) -> bool {
        store::trying(None);
        let resumed = store::resumed();
        self.turned = self.opened && !std::mem::take(&mut self.has_entry);
        match resumed {
            Some(id) => store::take(id),
            None => {
                if self.opened && !self.touched {
                    store::forget(store::here());
                }
                store::begin();
            }
        }
        self.touched = self.own;
        self.opened = true;
        self.seeking = false;
        self.seek_to = None;
        if std::mem::take(&mut self.play) {
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

/// The page.
#[component]
pub(crate) fn App() -> Html {
    let route = use_memo((), |()| address());
    let handle = use_reducer(|| {
        let theme = route
            .theme
            .or_else(|| store::theme().and_then(|t| Theme::named(&t)))
            .unwrap_or_default();
        Page::new(route.embed, theme, route.view)
    });
    let page = Shared::new((*handle).clone());
    let wire = use_mut_ref(Wire::default);
    let act = {
        let dispatcher = handle.dispatcher();
        use_callback((), move |act: Act, ()| dispatcher.dispatch(act))
    };
    let send = {
        let wire = wire.clone();
        use_callback((), move |request: Request, ()| wire.borrow_mut().send(request))
    };
    let ctl = use_memo((), |()| Ctl {
        act: act.clone(),
        send: send.clone(),
    });
    let latest = use_mut_ref(|| page.clone());
    *latest.borrow_mut() = page.clone();

    let busy = crate::running::use_engine(&wire, &ctl, &route);
    use_follow(&page, &ctl);
    let is_kept = crate::saving::use_saving(&page, &ctl, &wire);
    use_course(&page, &ctl);
    use_address(&ctl, &wire);
    keys::use_keys(&latest, &ctl);
    crate::drop::use_drop(&ctl);
    // Before anything is drawn in it.
    use_memo(page.theme, |theme| browser::set_theme(theme.name()));
    {
        let title = page.opened.as_ref().map(|o| o.title.clone()).unwrap_or_default();
        use_effect_with(title, |title| {
            if let Some(document) = browser::window().and_then(|w| w.document()) {
                document.set_title(&if title.is_empty() {
                    "Podscope".into()
                } else {
                    format!("{} · Podscope", podscope_api::visible(title))
                });
            }
        });
    }
    // While time runs in a big cluster everything but the clock and the timeline's head (`Now`)
    // follows it at a third of the frames.
    let every = if page.model.playing && page.is_big() { 3 } else { 1 };
    let beat = page.frames / every;
    let calm = use_memo((page.acts, beat), |_| page.clone());
    view(&page, &calm, &ctl, busy, is_kept)
}

pub(crate) fn hear(update: Update, ctl: &Rc<Ctl>, wire: &Rc<RefCell<Wire>>) {
    match &update {
        Update::Frame(_) => {
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
        Update::Opened(_) => {
            let is_beside = {
                let mut wire = wire.borrow_mut();
                let was_first = !wire.opened && wire.own;
                !wire.opened() && was_first
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

/// Tells the engine what the inspector shows; asks for the decision on a selected pod.
#[hook]
fn use_follow(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    {
        let send = ctl.send.clone();
        let opened = page.opened.clone();
        use_effect_with((page.selected.clone(), opened), move |(subject, opened)| {
            if opened.is_some() {
                send.emit(Request::Inspect {
                    subject: subject.clone(),
                });
            }
        });
    }
    let decided = page.selected_pod().map(|(key, uid)| {
        let pod = page.pod().map(|p| (**p).clone()).unwrap_or_default();
        let uid = if pod.uid.is_empty() { uid.to_string() } else { pod.uid };
        let message = pod.queue.map(|q| q.message).unwrap_or_default();
        (key.to_string(), uid, pod.node, pod.nominated, message)
    });
    {
        let send = ctl.send.clone();
        use_effect_with(decided, move |decided| {
            if let Some((pod, uid, ..)) = decided {
                send.emit(Request::Explain {
                    pod: pod.clone(),
                    uid: uid.clone(),
                    attempt: None,
                });
            }
        });
    }
    let send = ctl.send.clone();
    use_effect_with(page.group.clone(), move |key| {
        send.emit(Request::GroupBy { key: key.clone() })
    });
}

/// What was done of the course, kept on this device. What another tab keeps is not overwritten by an empty page.
#[hook]
fn use_course(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let act = ctl.act.clone();
    let read = use_mut_ref(|| false);
    use_effect_with(page.course.clone(), move |course| {
        if read.replace(true) {
            store::keep_course(&course.write());
        } else {
            act.emit(Act::Course(Course::read(&store::course())));
        }
    });
}

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
fn use_address(ctl: &Rc<Ctl>, wire: &Rc<RefCell<Wire>>) {
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
                if route.link.is_some() || route.lesson.is_some() {
                    ctl.act.emit(Act::Dialog(Dialog::None));
                    wire.borrow_mut().has_entry = true;
                    open_first(&route, &ctl.send, &ctl.act);
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

/// A listener on the window, until it is dropped.
pub(crate) fn listen(name: &'static str, run: impl FnMut(web_sys::Event) + 'static) -> impl Sized {
    gloo_events(name, run)
}

fn gloo_events(name: &'static str, run: impl FnMut(web_sys::Event) + 'static) -> Listener {
    use wasm_bindgen::JsCast;
    let closure = wasm_bindgen::closure::Closure::<dyn FnMut(web_sys::Event)>::new(run);
    if let Some(window) = browser::window() {
        drop(window.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref()));
    }
    Listener { name, closure }
}

struct Listener {
    name: &'static str,
    closure: wasm_bindgen::closure::Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        use wasm_bindgen::JsCast;
        if let Some(window) = browser::window() {
            drop(window.remove_event_listener_with_callback(self.name, self.closure.as_ref().unchecked_ref()));
        }
    }
}

fn view(page: &Shared<Page>, calm: &Shared<Page>, ctl: &Rc<Ctl>, busy: Html, is_kept: bool) -> Html {
    if page.view == View::Guarantees {
        return html! {
            <ContextProvider<Ctl> context={(**ctl).clone()}><Guarantees lessons={page.lessons.clone()} guarantees={page.guarantees.clone()} /></ContextProvider<Ctl>>
        };
    }
    let panels = if page.present.on {
        // The cluster, the story and the clock alone.
        Panels::for_a_room()
    } else {
        page.panels
    };
    let story = panels.story && page.opened.as_ref().is_some_and(|o| !o.story.is_empty());
    let sheet = match page.sheet {
        Sheet::None => "none",
        Sheet::Story => "story",
        Sheet::Side => "side",
        Sheet::Timeline => "timeline",
        Sheet::Console => "console",
    };
    let class = classes!(
        "page",
        (!story).then_some("no-story"),
        (!panels.cluster).then_some("no-cluster"),
        (!panels.side).then_some("no-side"),
        (!panels.timeline).then_some("no-time"),
        (!panels.console).then_some("no-console"),
        page.embedded.then_some("embedded"),
        page.console_open.then_some("console-open"),
        page.present.on.then_some("present"),
    );
    let now = Now {
        at: page.model.now,
        horizon: page.model.horizon.max(page.model.now),
    };
    html! {
        <ContextProvider<Ctl> context={(**ctl).clone()}>
        <ContextProvider<Now> context={now}>
            <div {class} data-sheet={sheet} data-asks={page.asked().map(|_| "time")} data-playing={page.model.playing.to_string()} data-kept={is_kept.to_string()} data-now={clock::instant(page.model.now)}>
                if panels.cluster && !page.embedded { <a class="skip" href="#cluster" onclick={skip()}>{ "To the cluster" }</a> }
                <Bar page={calm.clone()} has_story={story} />
                if story { <Story page={calm.clone()} /> }
                if panels.cluster { <Cluster page={calm.clone()} start={page.start} /> }
                if let Some(text) = page.code.as_ref().filter(|_| !page.present.on) {
                    <Editor beside=true text={text.clone()} fields={page.fields.clone()} checked={page.checked.clone()} refused={page.problems.clone()} />
                }
                if panels.side { <Inspector page={calm.clone()} /> }
                if panels.timeline { <Timeline page={calm.clone()} /> }
                if panels.console { <ConsoleLineView console={page.console.clone()} open={page.console_open} sheet={page.sheet == Sheet::Console} /> }
                if page.present.on { <Presenting page={calm.clone()} /> }
                <Dialogs page={calm.clone()} />
                <Toasts page={calm.clone()} />
                { busy }
            </div>
        </ContextProvider<Now>>
        </ContextProvider<Ctl>>
    }
}

/// Moves the focus without touching the address, which is the link's.
fn skip() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        use wasm_bindgen::JsCast;
        event.prevent_default();
        let target = browser::window()
            .and_then(|w| w.document())
            .and_then(|d| d.get_element_by_id("cluster"));
        if let Some(target) = target.and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok()) {
            drop(target.focus());
        }
    })
}
