//! Handles clicks, the menu key and the end of a drag on the stage (the drawing of the cluster). The `data-` attributes
//! of the element under the pointer identify the pod or node.

use podscope_messages::t;
use podscope_protocol::{PodMark, Request, SubjectRef};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::browser::drag::End;
use crate::browser::{self, Warn as _, closest};
use crate::ctl::Ctl;
use crate::pure::actions;
use crate::state::{Act, MenuSubject, Page, Sheet};

pub(super) fn click(ctl: &Ctl, page: &Page, event: &MouseEvent) {
    let target = || event.target();
    if closest(target(), "data-other").is_some() {
        if closest(target(), "data-end").is_none() && closest(target(), "type").is_some() {
            ctl.act.emit(Act::Toast(t!(hands::second_run_clicked)));
        }
        return;
    }
    if let Some((_, command)) = closest(target(), "data-run") {
        ctl.run(&command);
    } else if let Some((_, pod)) = closest(target(), "data-help") {
        ctl.act.emit(Act::Select(Some(SubjectRef::Pod {
            key: pod.clone(),
            uid: String::new(),
        })));
        ctl.send.emit(Request::WhatWouldHelp { pod });
    } else if let Some((_, id)) = closest(target(), "data-id") {
        if let Some(pod) = page.session.model.pods.get(&id) {
            let subject = SubjectRef::Pod {
                key: pod.key.clone(),
                uid: pod.uid().to_owned(),
            };
            // If the details are in a closed sheet, a second click on the selected pod or node opens the sheet.
            let again = page.session.selected.as_ref() == Some(&subject) && page.session.sheet == Sheet::Side;
            if !focus_details_if_selected(page, &subject, event) {
                ctl.act.emit(Act::Select((!again).then_some(subject)));
            }
        }
    } else if let Some((_, name)) = closest(target(), "data-select-node") {
        let subject = SubjectRef::Node { name };
        if !focus_details_if_selected(page, &subject, event) {
            ctl.act.emit(Act::Select(Some(subject)));
        }
    } else if let Some((_, of)) = closest(target(), "data-failures") {
        let (service, endpoint) = of
            .split_once(' ')
            .map_or((&*of, None), |(service, pod)| (service, Some(pod)));
        let subject = SubjectRef::FailedRequests {
            service: service.to_owned(),
            endpoint: endpoint.map(str::to_owned),
            record: None,
        };
        if !focus_details_if_selected(page, &subject, event) {
            ctl.act.emit(Act::Select(Some(subject)));
        }
    } else if let Some(subject) = closest(target(), "data-menu-zone").and_then(|_| menu_subject(page, event)) {
        ctl.act.emit(Act::Menu(subject, browser::menu_position(event)));
    } else if target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| {
            element
                .closest("button, select, label, a, canvas, details")
                .warn()
                .flatten()
                .is_none()
        })
    {
        // A click on a card selects its node; a click between cards clears the selection.
        let node = closest(target(), "data-node").map(|(_, name)| SubjectRef::Node { name });
        ctl.act.emit(Act::Select(node));
    }
}

/// If Enter was pressed on the selected pod or node, moves the focus to its details. Returns whether it did.
fn focus_details_if_selected(page: &Page, subject: &SubjectRef, event: &MouseEvent) -> bool {
    let is_enter_on_selected = event.detail() == 0 && page.session.selected.as_ref() == Some(subject);
    if is_enter_on_selected {
        browser::focus_after_drawing(".side");
    }
    is_enter_on_selected
}

/// Returns the subject of the menu that an event opens; `None` if the event's target has no menu.
pub(super) fn menu_subject(page: &Page, event: &MouseEvent) -> Option<MenuSubject> {
    if closest(event.target(), "data-other").is_some() {
        return None;
    }
    let model = &page.session.model;
    if let Some((_, id)) = closest(event.target(), "data-id") {
        return model.pods.contains_key(&id).then_some(MenuSubject::Pod(id));
    }
    if let Some((_, name)) = closest(event.target(), "data-menu-zone") {
        let is_there = model.groups.iter().any(|group| group.name == name);
        return is_there.then_some(MenuSubject::Group(name));
    }
    let (_, name) = closest(event.target(), "data-node")?;
    model.nodes.contains_key(&name).then_some(MenuSubject::Node(name))
}

pub(super) fn drop_pod(ctl: &Ctl, page: &Page, end: End, event: &PointerEvent) {
    let force = event.shift_key();
    match end {
        End::LongPress { id } => ctl
            .act
            .emit(Act::Menu(MenuSubject::Pod(id), browser::menu_position(event))),
        End::Bin { id } => {
            let Some(pod) = page.session.model.pods.get(&id) else {
                return;
            };
            if pod.mark == PodMark::Ghost {
                ctl.act.emit(Act::Toast(t!(hands::nothing_to_delete)));
            } else if force {
                ctl.run(&actions::force_delete_pod_command(&pod.key));
            } else {
                ctl.run(&actions::delete_pod_command(&pod.key));
            }
        }
        End::Node { id, node } => {
            let Some(pod) = page.session.model.pods.get(&id).filter(|pod| pod.node != node) else {
                return;
            };
            ctl.act.emit(Act::Toast(actions::why_pod_cannot_move(pod, &node)));
        }
        End::Click | End::Nothing => {}
    }
}
