//! The page as a whole: one state, one engine, the regions.

use std::rc::Rc;

use podscope_protocol::Request;
use yew::prelude::*;

use crate::address::{First, address, use_address};
use crate::browser::{self, store};
use crate::components::{
    Bar, Cluster, ConsoleLineView, Dialogs, Editor, Find, Guarantees, Inspector, Notes, Presenting, Story, Timeline,
    Toasts, is_brief,
};
use crate::ctl::{Ctl, Now};
use crate::keys;
use crate::pure::clock;
use crate::pure::course::Course;
use crate::pure::route::{Panels, Theme, View};
use crate::state::{Act, Page, Present, Shared, Sheet};
use crate::wire::Wire;

/// The page.
#[component]
pub(crate) fn App() -> Html {
    let route = use_memo((), |()| address());
    let first = use_mut_ref(|| First::of(&route));
    let handle = use_reducer(|| {
        let theme = route
            .theme
            .or_else(|| store::theme().and_then(|t| Theme::named(&t)))
            .unwrap_or_default();
        let mut page = Page::new(route.embed, theme, route.view);
        if let First::Welcome { is_told } = &*first.borrow() {
            // How it begins is known: it is shown while the engine is on the way.
            page = page.with_recording();
            page.start = *is_told;
        }
        page
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

    let busy = crate::running::use_engine(&wire, &ctl, &route, &first);
    use_follow(&page, &ctl);
    let is_kept = crate::saving::use_saving(&page, &ctl, &wire);
    use_course(&page, &ctl);
    use_address(&ctl, &wire);
    {
        let (act, first) = (ctl.act.clone(), use_mut_ref(|| true));
        use_effect_with(page.present.on, move |on| {
            let on = *on;
            if first.replace(false) && store::presents() {
                act.emit(Act::Present(Present {
                    on: true,
                    ..Present::default()
                }));
            } else {
                store::keep_presents(on);
            }
        });
    }
    keys::use_keys(&latest, &ctl);
    use_way_in(&page);
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
        let uid = if pod.id.is_empty() { uid } else { pod.uid() }.to_string();
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

/// Whoever takes a way in by a key goes on in the story that it opens: the button that was pressed is gone. The story's
/// panel cannot do this itself, because it appears together with the story.
#[hook]
fn use_way_in(page: &Page) {
    let was_start = use_mut_ref(|| false);
    let is_going_in = use_mut_ref(|| false);
    let has_story = page.opened.as_ref().is_some_and(|opened| !is_brief(opened));
    use_effect_with((page.start, has_story), move |(start, has_story)| {
        if was_start.replace(*start) && !*start {
            is_going_in.replace(true);
        }
        if *has_story && is_going_in.replace(false) {
            browser::catch_focus(&[".story .ask", ".story .scroll"]);
        }
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
    let story = panels.story
        && page
            .opened
            .as_ref()
            .is_some_and(|o| !o.story.is_empty() && !is_brief(o));
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
        page.start.then_some("starts"),
    );
    let now = Now {
        at: page.model.now,
        horizon: page.model.horizon.max(page.model.now),
    };
    html! {
        <ContextProvider<Ctl> context={(**ctl).clone()}>
        <ContextProvider<Now> context={now}>
            <div {class} data-question={page.asked().map(|_| "time")} data-playing={page.model.playing.to_string()} data-kept={is_kept.to_string()} data-now={clock::instant(page.model.now)}>
                if panels.cluster && !page.embedded { <a class="skip" href="#stage" onclick={skip()}>{ "To the cluster" }</a> }
                <Bar page={calm.clone()} />
                if story { <Story page={calm.clone()} /> }
                if panels.cluster {
                    <Cluster page={calm.clone()} />
                    if page.find.is_some() { <Find page={calm.clone()} /> }
                }
                if let Some(text) = page.code.as_ref().filter(|_| !page.present.on) {
                    <Editor beside=true text={text.clone()} fields={page.fields.clone()} answer={page.console.answer()} still={!page.model.playing} checked={page.checked.clone()} refused={page.problems.clone()} />
                }
                if panels.side && (page.sheet == Sheet::Side || !panels.cluster) { <Inspector page={calm.clone()} /> }
                // A room of one height: what comes and goes in it moves nothing above it.
                <div class="room">
                    if panels.cluster { <Notes page={calm.clone()} /> }
                    if panels.timeline { <Timeline page={calm.clone()} /> }
                    if panels.console { <ConsoleLineView console={page.console.clone()} open={page.console_open} /> }
                </div>
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
            .and_then(|d| d.get_element_by_id("stage"));
        if let Some(target) = target.and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok()) {
            drop(target.focus());
        }
    })
}
