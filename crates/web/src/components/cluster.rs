//! The stage (the drawing of the cluster): control plane, pending pods, zones with nodes. It has one listener per type
//! of event; the handlers find the clicked object in the `data-` attributes of its element.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use podscope_messages::t;
use podscope_protocol::Request;
use web_sys::Element;
use yew::prelude::*;

use super::icon;
use super::scene::Scene;
use super::shown::shown;
use super::stage_input::{click, drop_pod, menu_subject};
use super::timeline::branch_name;
use super::versus::ComparisonLine;
use crate::browser::drag::{self, Drag, End, Movement};
use crate::browser::{self, closest, focus, pod_moves};
use crate::ctl::Ctl;
use crate::state::{Act, Model, Page, Shared};

/// Maximum number of nodes of a cluster in which the moves of pods are animated.
const MAX_ANIMATED_NODES: usize = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Cluster(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let root = use_node_ref();
    use_pod_move_animation(page, &root);
    let gesture = use_pointer_gesture(&root);
    let (onclick, oncontextmenu) = (gesture.on_click(&ctl, page), gesture.on_context_menu(&ctl, page));
    let (onpointerdown, onpointermove) = (gesture.on_pointer_down(), gesture.on_pointer_move(&ctl, page));
    let (onpointerup, onpointercancel) = (gesture.on_pointer_up(&ctl, page), gesture.on_pointer_cancel());
    let onkeydown = on_arrow_key(&root);
    let onfocusin = on_focus_move_tab_stop(&root);
    html! {
        <main id="stage" class="cluster" ref={root} tabindex="-1" aria-label={t!(cluster::name)}
            {onclick} {oncontextmenu} {onkeydown} {onfocusin} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel}>
            if page.session.opened.is_none() {
                <div class="hollow" role="status">
                    { match &page.session.progress {
                        Some((task, part)) => html! { <>{ task.label() }<progress max="1000" value={part.to_string()} aria-label={task.label()}></progress></> },
                        None => html! { t!(cluster::starting) },
                    } }
                </div>
            } else if let Some(other) = &page.session.other {
                <ComparisonLine page={page.clone()} other={other.clone()} />
                <div class="runs">
                    <div class="side-a">
                        <h2 class="versus"><span class="eyebrow" title={t!(cluster::this_run_hint)}>{ t!(cluster::this_run) }</span>{ shown(&run_titles(&page.session.model, other).0) }</h2>
                        <Scene page={page.clone()} model={page.session.model.clone()} compared={Some(other.clone())} other=false />
                    </div>
                    <div class="side-b" data-other="">
                        <h2 class="versus"><span class="eyebrow">{ t!(cluster::same_seed) }</span>{ shown(&run_titles(&page.session.model, other).1) }
                            <button type="button" class="chip" data-end="" onclick={ctl.on(Request::Compare { other: None })} aria-label={t!(cluster::end_comparison)}>{ t!(cluster::end) }</button></h2>
                        <Scene page={page.clone()} model={other.clone()} compared={Some(page.session.model.clone())} other=true />
                    </div>
                </div>
            } else {
                <Scene page={page.clone()} model={page.session.model.clone()} compared={None::<Shared<Model>>} other=false />
            }
            <div class="bin" data-drop={drag::BIN} aria-hidden="true">
                { icon("bin") }<span class="soft">{ t!(cluster::delete) }</span><span class="hard">{ t!(cluster::force_delete) }</span>
            </div>
        </main>
    }
}

/// Animates pods that moved to another node since the last render.
#[hook]
fn use_pod_move_animation(page: &Shared<Page>, root: &NodeRef) {
    // Positions of the pods before this render; the DOM still shows the previous state.
    let places = use_mut_ref(pod_moves::MarkPositions::new);
    let last_moved = use_mut_ref(|| page.session.model.moved.clone());
    if *last_moved.borrow() != page.session.model.moved {
        *last_moved.borrow_mut() = page.session.model.moved.clone();
        // A big cluster is not animated: no single move could be followed, and reading positions forces a layout.
        let few = page.session.model.nodes.size() <= MAX_ANIMATED_NODES && !browser::prefers_reduced_motion();
        if let Some(root) = root.cast::<Element>().filter(|_| few) {
            *places.borrow_mut() = pod_moves::mark_positions(&root, &page.session.model.moved);
        }
    }
    let has_story = page
        .session
        .opened
        .as_ref()
        .is_some_and(|opened| !opened.story.is_empty());
    let root = root.clone();
    use_effect_with(page.session.model.moved.clone(), move |moved| {
        // On a phone with an open story only a few lines of the cluster are visible: scroll to the pod that moved.
        if let ([only], true, Some(root)) = (&***moved, has_story && browser::is_phone(), root.cast::<Element>()) {
            pod_moves::scroll_to_pod(&root, only);
        }
        let from = std::mem::take(&mut *places.borrow_mut());
        if let (false, Some(root)) = (from.is_empty(), root.cast::<Element>()) {
            pod_moves::animate_moves(&root, &from);
        }
    });
}

/// Arrow keys move the focus between nodes and pods, except while a text field has the focus.
fn on_arrow_key(root: &NodeRef) -> Callback<KeyboardEvent> {
    let root = root.clone();
    Callback::from(move |event: KeyboardEvent| {
        let arrow = event.key().starts_with("Arrow") && !event.alt_key() && !event.ctrl_key() && !event.meta_key();
        let field = closest(event.target(), "role").is_some_and(|(_, role)| role == "slider")
            || event.target_dyn_into::<web_sys::HtmlSelectElement>().is_some();
        if arrow
            && !field
            && root
                .cast::<Element>()
                .is_some_and(|root| focus::move_focus(&root, &event.key()))
        {
            event.prevent_default();
        }
    })
}

/// Makes the element that was focused last the single tab stop of the stage.
fn on_focus_move_tab_stop(root: &NodeRef) -> Callback<FocusEvent> {
    let root = root.clone();
    Callback::from(move |event: FocusEvent| {
        if let (Some((to, _)), Some(root)) = (closest(event.target(), "data-nav"), root.cast::<Element>()) {
            focus::move_tab_stop(&root, &to);
        }
    })
}

/// A pointer gesture on the stage, and what it drags.
#[derive(Clone)]
struct PointerGesture {
    root: NodeRef,
    drag: Rc<RefCell<Option<Drag>>>,
    /// Timer that opens the menu after a long press; `None` while nothing is pressed.
    long_press_timer: Rc<RefCell<Option<Timeout>>>,
    /// True after a drag: the click event that follows it is ignored.
    ignores_click: Rc<RefCell<bool>>,
}

#[hook]
fn use_pointer_gesture(root: &NodeRef) -> PointerGesture {
    let gesture = PointerGesture {
        root: root.clone(),
        drag: use_mut_ref(|| None),
        long_press_timer: use_mut_ref(|| None),
        ignores_click: use_mut_ref(|| false),
    };
    let root = root.clone();
    use_effect_with((), move |()| {
        let touch_guard = root.cast::<Element>().map(|root| drag::HeldTouchGuard::new(&root));
        move || drop(touch_guard)
    });
    gesture
}

impl PointerGesture {
    fn on_click(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, ignores_click) = (ctl.clone(), page.clone(), self.ignores_click.clone());
        Callback::from(move |event: MouseEvent| {
            if std::mem::take(&mut *ignores_click.borrow_mut()) {
                return;
            }
            click(&ctl, &page, &event);
        })
    }

    fn on_context_menu(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, drag) = (ctl.clone(), page.clone(), self.drag.clone());
        Callback::from(move |event: MouseEvent| {
            // While a finger holds a pod, the menu opens only when the finger is lifted.
            if drag.borrow().as_ref().is_some_and(|drag| drag.is_finger) {
                event.prevent_default();
            } else if let Some(subject) = menu_subject(&page, &event) {
                event.prevent_default();
                ctl.act.emit(Act::Menu(subject, browser::menu_position(&event)));
            }
        })
    }

    fn on_pointer_down(&self) -> Callback<PointerEvent> {
        let gesture = self.clone();
        Callback::from(move |event: PointerEvent| {
            let begun = Drag::begin(&event);
            let is_finger = begun.as_ref().is_some_and(|drag| drag.is_finger);
            *gesture.drag.borrow_mut() = begun;
            let (drag, root) = (gesture.drag.clone(), gesture.root.clone());
            *gesture.long_press_timer.borrow_mut() = is_finger.then(|| {
                Timeout::new(drag::LONG_PRESS_MS, move || {
                    if let (Some(drag), Some(root)) = (&mut *drag.borrow_mut(), root.cast::<Element>()) {
                        drag.long_pressed(&root);
                    }
                })
            });
        })
    }

    fn on_pointer_move(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (gesture, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let movement = match (&mut *gesture.drag.borrow_mut(), gesture.root.cast::<Element>()) {
                (Some(drag), Some(root)) => drag.pointer_moved(&root, &event),
                _ => return,
            };
            if movement == Movement::NotADrag {
                *gesture.drag.borrow_mut() = None;
            } else if let Movement::CrossedLink(wire) = movement {
                let uncut = page
                    .session
                    .model
                    .nodes
                    .get(&wire)
                    .is_some_and(|node| node.view.machine.cuts.is_empty());
                if uncut {
                    ctl.run(&format!("fault partition {wire}"));
                }
            }
        })
    }

    fn on_pointer_up(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (gesture, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let (Some(drag), Some(root)) = (gesture.drag.borrow_mut().take(), gesture.root.cast::<Element>()) else {
                return;
            };
            *gesture.long_press_timer.borrow_mut() = None;
            let end = drag.end(&root, &event);
            *gesture.ignores_click.borrow_mut() = end != End::Click;
            if end != End::Click {
                // The click that follows a drag comes before the next drawing, or not at all.
                let ignores_click = gesture.ignores_click.clone();
                browser::after_drawing(move || *ignores_click.borrow_mut() = false);
            }
            drop_pod(&ctl, &page, end, &event);
        })
    }

    fn on_pointer_cancel(&self) -> Callback<PointerEvent> {
        let gesture = self.clone();
        Callback::from(move |_: PointerEvent| {
            if let (Some(drag), Some(root)) = (gesture.drag.borrow_mut().take(), gesture.root.cast::<Element>()) {
                drag.cancel(&root);
            }
        })
    }
}

/// Returns the titles of two compared runs.
fn run_titles(ours: &Model, other: &Model) -> (String, String) {
    match (run_title(ours), run_title(other)) {
        // The titles are equal if the comparison was opened from a link: the user of this page gave no commands in
        // either run.
        (ours, other) if ours == other => (t!(cluster::with_commands), t!(cluster::without_commands)),
        both => both,
    }
}

/// Returns the title of a compared run: the name of its branch if the session has several branches, otherwise the
/// title of the session.
fn run_title(model: &Model) -> String {
    let several = model.branches.len() > 1;
    let branch = model.branches.iter().find(|branch| several && branch.current);
    branch.map_or_else(|| model.title.clone(), branch_name)
}
