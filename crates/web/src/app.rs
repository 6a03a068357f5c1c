//! The root component: it owns the page's state and the connection to the engine, and lays out the regions.

use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::Request;
use yew::prelude::*;

use crate::address::{FirstSource, current_route, use_address};
use crate::browser::{self, Warn as _, store};
use crate::components::{
    Bar, Cluster, ConsoleView, Dialogs, Editor, Find, Guarantees, Inspector, Notes, Presenting, Story, Timeline,
    Toasts, is_brief,
};
use crate::connection::Connection;
use crate::ctl::{Ctl, Now};
use crate::keys;
use crate::pure::clock;
use crate::pure::course::CourseProgress;
use crate::pure::route::{Panels, Theme, View};
use crate::pure::stage::StageSize;
use crate::pure::translation;
use crate::state::{Act, Page, Present, Shared, Sheet};

/// Values that the page takes over from the static document (`index.html`) that it replaces.
#[derive(Debug, PartialEq, Properties)]
pub(crate) struct Props {
    /// Size of the stage in the shell of `index.html`.
    pub(crate) shell_stage: StageSize,
}

#[component]
pub(crate) fn App(props: &Props) -> Html {
    let route = use_memo((), |()| current_route());
    let first = use_mut_ref(|| FirstSource::of(&route));
    let handle = use_reducer(|| {
        let theme = route
            .theme
            .or_else(|| store::theme().and_then(|name| Theme::from_name(&name)))
            .unwrap_or_default();
        let mut page = Page::new(route.embed, theme, route.view);
        if let FirstSource::Welcome { shows_start } = &*first.borrow() {
            // A first visit always begins in the same state. While the engine loads, the page shows a recording of the
            // engine's first updates.
            page = page.with_recording();
            page.shell.first_stage = props.shell_stage;
            page.shell.start = *shows_start;
        }
        page
    });
    let page = Shared::new((*handle).clone());
    let connection = use_mut_ref(Connection::default);
    let act = {
        let dispatcher = handle.dispatcher();
        use_callback((), move |act: Act, ()| dispatcher.dispatch(act))
    };
    let send = {
        let connection = connection.clone();
        use_callback((), move |request: Request, ()| connection.borrow_mut().send(request))
    };
    let ctl = use_memo((), |()| Ctl {
        act: act.clone(),
        send: send.clone(),
    });
    let latest_page = use_mut_ref(|| page.clone());
    *latest_page.borrow_mut() = page.clone();

    let busy = crate::running::use_engine(&connection, &ctl, &route, &first);
    use_engine_subscriptions(&page, &ctl);
    let is_session_stored = crate::saving::use_saving(&page, &ctl, &connection);
    use_stored_course(&page, &ctl);
    crate::studying::use_studying(&page, &ctl);
    crate::posting::use_posting(&page, &ctl, route.post.as_deref());
    use_address(&ctl, &connection);
    {
        let (act, first) = (ctl.act.clone(), use_mut_ref(|| true));
        use_effect_with(page.shell.present.on, move |on| {
            let on = *on;
            if first.replace(false) && store::is_presenting() {
                act.emit(Act::Present(Present {
                    on: true,
                    ..Present::default()
                }));
            } else {
                store::store_presenting(on);
            }
        });
    }
    keys::use_keys(&latest_page, &ctl);
    use_focus_after_start(&page);
    crate::drop::use_drop(&ctl);
    // Set the theme before the first element is drawn.
    use_memo(page.shell.theme, |theme| browser::set_theme(theme.name()));
    let shown_page = use_translated(&page);
    {
        let title = shown_page
            .session
            .opened
            .as_ref()
            .map(|opened| opened.title.clone())
            .unwrap_or_default();
        use_effect_with(title, |title| {
            if let Some(document) = browser::document() {
                document.set_title(&if title.is_empty() {
                    "Podscope".into()
                } else {
                    format!("{} · Podscope", podscope_api::visible(title))
                });
            }
        });
    }
    // While time runs in a big cluster, only every third frame redraws the page. The clock and the timeline's playhead
    // (`Now`) are redrawn in every frame.
    let skips_frames = page.session.model.playing && page.session.draws_fewer_frames();
    let frames_per_render = if skips_frames { 3 } else { 1 };
    let rendered_frame = page.shell.frames / frames_per_render;
    let throttled_page = use_memo((page.shell.acts, rendered_frame), |_| shown_page.clone());
    page_view(&shown_page, &throttled_page, &ctl, busy, is_session_stored)
}

/// Returns a copy of the page in which the story and the lessons are translated into the page's language.
#[hook]
fn use_translated(page: &Shared<Page>) -> Shared<Page> {
    let (opened, lessons, guarantees, task) = (
        page.session.opened.clone(),
        page.shell.lessons.clone(),
        page.shell.guarantees.clone(),
        page.shell.study.task.clone(),
    );
    let texts = (opened, lessons, guarantees, task, page.shell.language.clone());
    let translated = use_memo(texts, |(opened, lessons, guarantees, task, _)| {
        if podscope_messages::is_english() {
            return None;
        }
        let opened = opened
            .as_ref()
            .map(|opened| translation::translate_opened_session(opened, task.as_deref()));
        let lacks_some = opened.as_ref().is_some_and(|(_, lacks_some)| *lacks_some);
        let opened = opened.map(|(opened, _)| Shared::new(opened));
        let lessons = Shared::new(translation::translate_lessons(lessons));
        let guarantees = Shared::new(translation::translate_guarantees(guarantees));
        Some((opened, lessons, guarantees, lacks_some))
    });
    let Some((opened, lessons, guarantees, lacks_some)) = (*translated).clone() else {
        return page.clone();
    };
    // Scenarios that other people wrote are shown in the language of their authors.
    let is_lesson = (page.session.opened.as_ref()).is_some_and(|opened| opened.lesson.is_some());
    let is_partly_translated = lacks_some && (page.shell.study.task.is_some() || is_lesson);
    let mut page = (**page).clone();
    page.session.opened = opened;
    page.session.is_partly_translated = is_partly_translated;
    page.shell.lessons = lessons;
    page.shell.guarantees = guarantees;
    Shared::new(page)
}

/// Tells the engine which object the inspector shows, so that the engine sends its details, and requests the scheduling
/// decision on the selected pod.
#[hook]
fn use_engine_subscriptions(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    {
        let send = ctl.send.clone();
        let opened = page.session.opened.clone();
        use_effect_with((page.session.selected.clone(), opened), move |(subject, opened)| {
            if opened.is_some() {
                send.emit(Request::Inspect {
                    subject: subject.clone(),
                });
            }
        });
    }
    let decision_key = page.session.selected_pod().map(|(key, uid)| {
        let pod = page
            .session
            .selected_pod_view()
            .map(|pod| (**pod).clone())
            .unwrap_or_default();
        let uid = if pod.id.is_empty() { uid } else { pod.uid() }.to_string();
        let message = pod.queue.map(|queue| queue.message).unwrap_or_default();
        (
            key.to_string(),
            uid,
            pod.node,
            pod.nominated,
            message,
            page.shell.language.clone(),
        )
    });
    {
        let send = ctl.send.clone();
        use_effect_with(decision_key, move |decision_key| {
            if let Some((pod, uid, ..)) = decision_key {
                send.emit(Request::Explain {
                    pod: pod.clone(),
                    uid: uid.clone(),
                    attempt: None,
                });
            }
        });
    }
    let send = ctl.send.clone();
    use_effect_with(page.session.group.clone(), move |key| {
        send.emit(Request::GroupBy { key: key.clone() })
    });
}

/// After an entry point of the introduction was chosen by keyboard, moves the focus into the story that it opened,
/// because the pressed button is gone. The story's panel cannot do this itself: it appears together with the story.
#[hook]
fn use_focus_after_start(page: &Page) {
    let was_start = use_mut_ref(|| false);
    let has_left_start = use_mut_ref(|| false);
    let has_story = page.session.opened.as_ref().is_some_and(|opened| !is_brief(opened));
    use_effect_with((page.shell.start, has_story), move |(start, has_story)| {
        if was_start.replace(*start) && !*start {
            has_left_start.replace(true);
        }
        if *has_story && has_left_start.replace(false) {
            browser::recover_focus(&[".story .ask", ".story .scroll"]);
        }
    });
}

/// Stores the progress in the course on this device. The stored progress is read first, so that an empty page does not
/// overwrite what another tab stored.
#[hook]
fn use_stored_course(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let act = ctl.act.clone();
    let has_read = use_mut_ref(|| false);
    use_effect_with(page.shell.course.clone(), move |course| {
        if has_read.replace(true) {
            store::store_course_progress(&course.write());
        } else {
            act.emit(Act::Course(CourseProgress::read(&store::course_progress())));
        }
    });
}

fn page_view(
    page: &Shared<Page>,
    throttled_page: &Shared<Page>,
    ctl: &Rc<Ctl>,
    busy: Html,
    is_session_stored: bool,
) -> Html {
    if page.shell.view == View::Guarantees {
        return html! {
            <ContextProvider<Ctl> context={(**ctl).clone()}><Guarantees lessons={page.shell.lessons.clone()} guarantees={page.shell.guarantees.clone()} /></ContextProvider<Ctl>>
        };
    }
    let panels = if page.shell.present.on {
        Panels::while_presenting(page.shell.present.timeline, page.shell.present.console)
    } else {
        page.shell.panels
    };
    let story = panels.story
        && page
            .session
            .opened
            .as_ref()
            .is_some_and(|opened| !opened.story.is_empty() && !is_brief(opened));
    let class = classes!(
        "page",
        (!story).then_some("no-story"),
        (!panels.cluster).then_some("no-cluster"),
        (!panels.side).then_some("no-side"),
        (!panels.timeline).then_some("no-time"),
        (!panels.console).then_some("no-console"),
        page.shell.embedded.then_some("embedded"),
        page.shell.console_open.then_some("console-open"),
        page.shell.present.on.then_some("present"),
        page.shell.start.then_some("starts"),
    );
    let now = Now {
        at: page.session.model.now,
        horizon: page.session.model.horizon.max(page.session.model.now),
    };
    // A change of the language recreates the large parts (such as the cluster), which otherwise redraw only when their
    // data changes. The other parts are redrawn in place, so that text being typed in them is kept.
    html! {
        <ContextProvider<Ctl> context={(**ctl).clone()}>
        <ContextProvider<Now> context={now}>
            <div {class} data-question={page.session.time_question().map(|_| "time")} data-playing={page.session.model.playing.to_string()} data-kept={is_session_stored.to_string()} data-now={clock::instant(page.session.model.now)}>
                if panels.cluster && !page.shell.embedded { <a class="skip" href="#stage" onclick={skip_to_cluster()}>{ t!(app::to_cluster) }</a> }
                <Bar page={throttled_page.clone()} />
                if story { <Story page={throttled_page.clone()} /> }
                if panels.cluster {
                    <Cluster key={page.shell.language.clone()} page={throttled_page.clone()} />
                    if page.session.find.is_some() { <Find page={throttled_page.clone()} /> }
                }
                if let Some(text) = page.shell.side_editor.as_ref().filter(|_| !page.shell.present.on) {
                    <Editor beside=true text={text.clone()} fields={page.session.fields.clone()} answer={page.shell.console.apply_answer()} still={!page.session.model.playing} checked={page.session.checked.clone()} refused={page.shell.problems.clone()} />
                }
                if panels.side && (page.session.sheet == Sheet::Side || !panels.cluster) { <Inspector key={page.shell.language.clone()} page={throttled_page.clone()} /> }
                // A region of fixed height: elements that appear or disappear inside it move nothing above it.
                <div class="room">
                    if panels.cluster { <Notes key={page.shell.language.clone()} page={throttled_page.clone()} /> }
                    if panels.timeline { <Timeline key={page.shell.language.clone()} page={throttled_page.clone()} /> }
                    if panels.console { <ConsoleView console={page.shell.console.clone()} open={page.shell.console_open} /> }
                </div>
                if page.shell.present.on { <Presenting page={throttled_page.clone()} /> }
                <Dialogs page={throttled_page.clone()} />
                <Toasts page={throttled_page.clone()} />
                { busy }
            </div>
        </ContextProvider<Now>>
        </ContextProvider<Ctl>>
    }
}

/// Moves the focus to the stage without changing the address, whose fragment holds the link.
fn skip_to_cluster() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        use wasm_bindgen::JsCast;
        event.prevent_default();
        let target = browser::document().and_then(|document| document.get_element_by_id("stage"));
        if let Some(target) = target.and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok()) {
            target.focus().warn();
        }
    })
}
