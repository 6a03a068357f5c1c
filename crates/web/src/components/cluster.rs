//! The stage: control plane, pending pods, zones with nodes. One listener of each
//! kind for all of it; what was touched is read from the marks' `data-` attributes.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use podscope_protocol::Request;
use web_sys::Element;
use yew::prelude::*;

use super::hands::{click, drop_pod, menu_of};
use super::icon;
use super::scene::Scene;
use super::shown::shown;
use super::timeline::branch_name;
use super::versus::Versus;
use crate::browser::drag::{self, Drag, End, Went};
use crate::browser::{self, closest, flight, focus};
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Model, Page, Shared};

/// From so many nodes on, cards are small.
const FULL_CARDS: usize = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The region.
#[component]
pub(crate) fn Cluster(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let root = use_node_ref();
    use_flight(page, &root);
    let hand = use_hand(&root);
    let (onclick, oncontextmenu) = (hand.click(&ctl, page), hand.menu(&ctl, page));
    let (onpointerdown, onpointermove) = (hand.down(), hand.go(&ctl, page));
    let (onpointerup, onpointercancel) = (hand.up(&ctl, page), hand.cancel());
    let onkeydown = arrows(&root);
    let onfocusin = roves(&root);
    {
        let root = root.clone();
        use_effect(move || root.cast::<Element>().iter().for_each(focus::ensure_stop));
    }
    html! {
        <main id="stage" class="cluster" ref={root} tabindex="-1" aria-label="Cluster"
            {onclick} {oncontextmenu} {onkeydown} {onfocusin} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel}>
            if page.opened.is_none() {
                <div class="hollow" role="status">
                    { match &page.progress {
                        Some((task, part)) => html! { <>{ task.word() }<progress max="1000" value={part.to_string()} aria-label={task.word()}></progress></> },
                        None => html! { "Starting the cluster…" },
                    } }
                </div>
            } else if let Some(other) = &page.other {
                <Versus page={page.clone()} other={other.clone()} />
                <div class="runs">
                    <div class="side-a">
                        <h2 class="versus"><span class="eyebrow" title="The timeline below, its lanes and the story are this run's">{ "This run, and its lanes" }</span>{ shown(&titles(&page.model, other).0) }</h2>
                        <Scene page={page.clone()} model={page.model.clone()} versus={Some(other.clone())} other=false />
                    </div>
                    <div class="side-b" data-other="">
                        <h2 class="versus"><span class="eyebrow">{ "Same seed" }</span>{ shown(&titles(&page.model, other).1) }
                            <button type="button" class="chip" data-end="" onclick={ctl.on(Request::Compare { other: None })} aria-label="End the comparison">{ "End" }</button></h2>
                        <Scene page={page.clone()} model={other.clone()} versus={Some(page.model.clone())} other=true />
                    </div>
                </div>
            } else {
                <Scene page={page.clone()} model={page.model.clone()} versus={None::<Shared<Model>>} other=false />
            }
            <div class="bin" data-drop={drag::BIN} aria-hidden="true">
                { icon("bin") }<span class="soft">{ "Delete: it gets its grace period" }</span><span class="hard">{ "Force delete: the name is free at once" }</span>
            </div>
        </main>
    }
}

/// Pods that have come to another node are seen to go there.
#[hook]
fn use_flight(page: &Shared<Page>, root: &NodeRef) {
    // Where marks were before this render: the document still shows the last one.
    let places = use_mut_ref(flight::Places::new);
    let last_moved = use_mut_ref(|| page.model.moved.clone());
    if *last_moved.borrow() != page.model.moved {
        *last_moved.borrow_mut() = page.model.moved.clone();
        // In a big cluster motion explains nothing, and looking for places costs a layout.
        let few = page.model.nodes.size() <= FULL_CARDS && !browser::calm();
        if let Some(root) = root.cast::<Element>().filter(|_| few) {
            *places.borrow_mut() = flight::places(&root, &page.model.moved);
        }
    }
    let reads = page.opened.as_ref().is_some_and(|opened| !opened.story.is_empty());
    let root = root.clone();
    use_effect_with(page.model.moved.clone(), move |moved| {
        // Who reads a story on a phone sees a few lines of the cluster: those in which it happens.
        if let ([only], true, Some(root)) = (&***moved, reads && browser::is_phone(), root.cast::<Element>()) {
            flight::show(&root, only);
        }
        let from = std::mem::take(&mut *places.borrow_mut());
        if let (false, Some(root)) = (from.is_empty(), root.cast::<Element>()) {
            flight::fly(&root, &from);
        }
    });
}

/// Arrows go from mark to mark, except in a field that has its own use for them.
fn arrows(root: &NodeRef) -> Callback<KeyboardEvent> {
    let root = root.clone();
    Callback::from(move |event: KeyboardEvent| {
        let arrow = event.key().starts_with("Arrow") && !event.alt_key() && !event.ctrl_key() && !event.meta_key();
        let field = closest(event.target(), "role").is_some_and(|(_, r)| r == "slider")
            || event.target_dyn_into::<web_sys::HtmlSelectElement>().is_some();
        if arrow
            && !field
            && root
                .cast::<Element>()
                .is_some_and(|root| focus::go(&root, &event.key()))
        {
            event.prevent_default();
        }
    })
}

/// The stage is one tab stop: what had the focus last.
fn roves(root: &NodeRef) -> Callback<FocusEvent> {
    let root = root.clone();
    Callback::from(move |event: FocusEvent| {
        if let (Some((to, _)), Some(root)) = (closest(event.target(), "data-nav"), root.cast::<Element>()) {
            focus::rove(&root, &to);
        }
    })
}

/// The pointer over the region, and what it holds.
#[derive(Clone)]
struct Hand {
    root: NodeRef,
    drag: Rc<RefCell<Option<Drag>>>,
    /// Until a finger has rested.
    resting: Rc<RefCell<Option<Timeout>>>,
    /// The next click is the end of a drag.
    suppress: Rc<RefCell<bool>>,
}

#[hook]
fn use_hand(root: &NodeRef) -> Hand {
    let hand = Hand {
        root: root.clone(),
        drag: use_mut_ref(|| None),
        resting: use_mut_ref(|| None),
        suppress: use_mut_ref(|| false),
    };
    let root = root.clone();
    use_effect_with((), move |()| {
        let still = root.cast::<Element>().map(|root| drag::Still::new(&root));
        move || drop(still)
    });
    hand
}

impl Hand {
    fn click(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, suppress) = (ctl.clone(), page.clone(), self.suppress.clone());
        Callback::from(move |event: MouseEvent| {
            if std::mem::take(&mut *suppress.borrow_mut()) {
                return;
            }
            click(&ctl, &page, &event);
        })
    }

    fn menu(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, drag) = (ctl.clone(), page.clone(), self.drag.clone());
        Callback::from(move |event: MouseEvent| {
            // A finger that rests holds the pod; its menu comes when it is lifted.
            if drag.borrow().as_ref().is_some_and(|d| d.finger) {
                event.prevent_default();
            } else if let Some(menu) = menu_of(&page, &event) {
                event.prevent_default();
                ctl.act.emit(Act::Dialog(Dialog::Menu(menu)));
            }
        })
    }

    fn down(&self) -> Callback<PointerEvent> {
        let hand = self.clone();
        Callback::from(move |event: PointerEvent| {
            let begun = Drag::begin(&event);
            let finger = begun.as_ref().is_some_and(|d| d.finger);
            *hand.drag.borrow_mut() = begun;
            let (drag, root) = (hand.drag.clone(), hand.root.clone());
            *hand.resting.borrow_mut() = finger.then(|| {
                Timeout::new(drag::REST, move || {
                    if let (Some(drag), Some(root)) = (&mut *drag.borrow_mut(), root.cast::<Element>()) {
                        drag.rest(&root);
                    }
                })
            });
        })
    }

    fn go(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (hand, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let went = match (&mut *hand.drag.borrow_mut(), hand.root.cast::<Element>()) {
                (Some(drag), Some(root)) => drag.go(&root, &event),
                _ => return,
            };
            if went == Went::Away {
                *hand.drag.borrow_mut() = None;
            } else if let Went::Across(wire) = went {
                let uncut = page
                    .model
                    .nodes
                    .get(&wire)
                    .is_some_and(|n| n.view.machine.cuts.is_empty());
                if uncut {
                    ctl.run(&format!("fault partition {wire}"));
                }
            }
        })
    }

    fn up(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (hand, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let (Some(drag), Some(root)) = (hand.drag.borrow_mut().take(), hand.root.cast::<Element>()) else {
                return;
            };
            *hand.resting.borrow_mut() = None;
            let end = drag.end(&root, &event);
            *hand.suppress.borrow_mut() = end != End::Click;
            if end != End::Click {
                // The click that follows a drag comes now or never.
                let suppress = hand.suppress.clone();
                browser::after_drawing(move || *suppress.borrow_mut() = false);
            }
            drop_pod(&ctl, &page, end, &event);
        })
    }

    fn cancel(&self) -> Callback<PointerEvent> {
        let hand = self.clone();
        Callback::from(move |_: PointerEvent| {
            if let (Some(drag), Some(root)) = (hand.drag.borrow_mut().take(), hand.root.cast::<Element>()) {
                drag.cancel(&root);
            }
        })
    }
}

/// What two runs are called beside each other.
fn titles(ours: &Model, other: &Model) -> (String, String) {
    match (title(ours), title(other)) {
        (ours, other) if ours == other => ("with your commands".into(), "without your commands".into()),
        both => both,
    }
}

/// What a run is called beside another: its branch, where there are several.
fn title(model: &Model) -> String {
    let several = model.branches.len() > 1;
    let branch = model.branches.iter().find(|b| several && b.current);
    branch.map_or_else(|| model.title.clone(), branch_name)
}
