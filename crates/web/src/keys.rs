//! Keyboard shortcuts: the listener, and the table that the shortcuts dialog (`?`) shows.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_messages::{Message, keys as messages};
use podscope_protocol::{Micros, PodMark, Request, SubjectRef};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, Warn as _, store};
use crate::ctl::Ctl;
use crate::pure::{actions, clock, waits};
use crate::state::{Act, Dialog, MenuSubject, Page, Present, Session, Shared};

/// The shortcuts by group: each key as printed, with its effect.
const SHORTCUTS: &[(Message, &[(&str, Message)])] = &[
    (
        messages::time,
        &[
            ("Space", messages::play_or_pause),
            (".", messages::next_event),
            ("n", messages::next_decision),
            (",", messages::mark_before),
            ("[  ]", messages::speed),
            ("Home", messages::to_start),
            ("f", messages::branch),
            ("u", messages::undo),
        ],
    ),
    (
        messages::cluster,
        &[
            ("↑ ↓ ← →", messages::nearest),
            ("Enter", messages::select),
            ("m", messages::menu),
            ("Delete", messages::delete_pod),
            ("Shift + Delete", messages::force_delete_pod),
            ("c", messages::cut_or_heal),
            ("o", messages::cordon),
            ("d", messages::drain),
            ("p", messages::power),
            ("w", messages::help_pending),
        ],
    ),
    (
        messages::page,
        &[
            ("/", messages::find),
            ("`", messages::console),
            ("l", messages::lessons),
            ("e", messages::editor),
            ("s", messages::share),
            ("t", messages::theme),
            ("Shift + P", messages::present),
            ("Esc", messages::close),
            ("?", messages::this_sheet),
        ],
    ),
    (messages::presenting, crate::components::PRESENT_KEYS),
];

/// The gestures by group: a description of each gesture, with its effect.
const GESTURES: &[(Message, &[(Message, Message)])] = &[
    (
        messages::with_mouse,
        &[
            (messages::drag_across_links, messages::drag_across_links_does),
            (messages::drag_to_bin, messages::drag_to_bin_does),
            (messages::right_click, messages::right_click_does),
            (messages::wheel, messages::wheel_does),
        ],
    ),
    (
        messages::with_finger,
        &[
            (messages::rest, messages::rest_does),
            (messages::rest_and_drag, messages::rest_and_drag_does),
            (messages::rest_and_stroke, messages::rest_and_stroke_does),
        ],
    ),
];

/// A group of the shortcuts dialog: its heading, and rows of a key or gesture with its effect.
pub(crate) type ShortcutGroup = (String, Vec<(String, String)>);

/// All groups of the shortcuts dialog, in the current language.
pub(crate) fn shortcut_groups() -> Vec<ShortcutGroup> {
    let keys = SHORTCUTS.iter().map(|(heading, rows)| {
        let rows = rows.iter().map(|(key, what)| (key_name(key), what.text()));
        (heading.text(), rows.collect())
    });
    let gestures = GESTURES.iter().map(|(heading, rows)| {
        let rows = rows.iter().map(|(gesture, what)| (gesture.text(), what.text()));
        (heading.text(), rows.collect())
    });
    keys.chain(gestures).collect()
}

/// Returns the name of a key in the current language. Only the space bar needs a translated name.
fn key_name(key: &str) -> String {
    match key {
        "Space" => messages::space.text(),
        key => key.to_owned(),
    }
}

/// Listens to keys while the page exists.
#[hook]
pub(crate) fn use_keys(latest: &Rc<RefCell<Shared<Page>>>, ctl: &Rc<Ctl>) {
    let (latest, ctl) = (latest.clone(), ctl.clone());
    use_effect_with((), move |()| {
        let listener = listen("keydown", move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                return;
            };
            let page = latest.borrow().clone();
            if handle_key(event, &page, &ctl) {
                event.prevent_default();
            }
        });
        move || drop(listener)
    });
}

/// Returns whether the focused element uses the keys itself, such as a text field.
fn is_typing(event: &KeyboardEvent) -> bool {
    // The composed path crosses shadow roots: its first element is the real target.
    let Some(target) = event.composed_path().get(0).dyn_into::<web_sys::Element>().ok() else {
        return false;
    };
    target
        .closest("input, textarea, select, [contenteditable], dialog")
        .warn()
        .flatten()
        .is_some()
}

/// Returns the node that a shortcut acts on: the focused node, otherwise the selected one.
fn target_node(page: &Page) -> Option<String> {
    let focused = browser::document().and_then(|document| document.active_element());
    let focused = focused
        .and_then(|element| element.closest("[data-node]").warn().flatten())
        .and_then(|element| element.get_attribute("data-node"));
    focused.or_else(|| match &page.session.selected {
        Some(SubjectRef::Node { name }) => Some(name.clone()),
        _ => None,
    })
}

/// Returns the id of the pod that a shortcut acts on: the focused pod, otherwise the selected one.
fn target_pod(page: &Page) -> Option<String> {
    let focused = browser::document().and_then(|document| document.active_element());
    let focused = focused.and_then(|element| element.get_attribute("data-id"));
    focused.or_else(|| match &page.session.selected {
        Some(SubjectRef::Pod { key, uid }) => page.session.model.pod(key, uid).map(|pod| pod.id.clone()),
        _ => None,
    })
}

/// Returns the instant of the latest event on the timeline before the clock.
pub(crate) fn event_time_before_clock(session: &Session) -> Micros {
    session
        .model
        .marks
        .values()
        .flat_map(|mark| [Some(mark.from), mark.to])
        .flatten()
        .filter(|at| *at < session.seek_target_or_now())
        .max()
        .unwrap_or(0)
}

/// Runs the shortcut of a pressed key. Returns whether the key is a shortcut here; if so, the browser does not act on
/// it.
fn handle_key(event: &KeyboardEvent, page: &Page, ctl: &Ctl) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let key = event.key();
    if key == "Escape" {
        return handle_escape(page, ctl);
    }
    if is_typing(event)
        || page.shell.dialog.is_modal()
        || (key.chars().count() == 1 && !store::has_single_key_shortcuts())
    {
        return false;
    }
    // Space presses the focused button. On a pod or node Space plays or pauses instead; Enter selects it.
    let on_button = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        .is_some_and(|target| {
            target
                .closest("button:not([data-nav]), a, [role=slider], [role=tab]")
                .warn()
                .flatten()
                .is_some()
        });
    if page.shell.present.on && handle_presenting_key(&key, page, ctl) {
        return true;
    }
    match key.as_str() {
        "P" => ctl.act.emit(Act::Present(Present {
            on: !page.shell.present.on,
            ..Present::default()
        })),
        " " if !on_button => ctl.send.emit(if page.session.model.playing {
            Request::Pause
        } else {
            Request::Play
        }),
        "." => ctl.send.emit(Request::Step),
        "n" => ctl.send.emit(Request::NextDecision),
        "," => ctl.seek(event_time_before_clock(&page.session)),
        "Home" if !on_button => ctl.seek(0),
        "[" | "]" => {
            let index = clock::speed_index(page.session.model.speed);
            let next = if key == "[" {
                index.saturating_sub(1)
            } else {
                (index + 1).min(clock::SPEEDS.len() - 1)
            };
            ctl.set_speed(clock::SPEEDS[next]);
        }
        "f" => ctl.send.emit(Request::Fork),
        "u" => ctl.send.emit(Request::Undo),
        "/" => {
            ctl.act
                .emit(Act::Find(Some(page.session.find.clone().unwrap_or_default())));
            browser::focus_after_drawing(".find input");
        }
        "`" => ctl.act.emit(Act::ConsoleOpen(!page.shell.console_open)),
        "l" => ctl.act.emit(Act::Dialog(Dialog::Lessons)),
        "e" => ctl.act.emit(Act::Dialog(Dialog::Editor)),
        "s" => ctl.act.emit(Act::Dialog(Dialog::Share)),
        "?" => ctl.act.emit(Act::Dialog(Dialog::Shortcuts)),
        "t" => ctl
            .act
            .emit(Act::Theme(crate::components::next_theme(page.shell.theme))),
        "m" => return open_menu(page, ctl),
        "w" => return request_remedies(page, ctl),
        key => {
            return command_of_key(key, event.shift_key(), page)
                .map(|line| ctl.run(&line))
                .is_some();
        }
    }
    true
}

/// Closes the topmost panel; if none is open, clears the selection.
fn handle_escape(page: &Page, ctl: &Ctl) -> bool {
    if page.shell.dialog.is_modal() {
        return false; // The dialog handles it.
    }
    if page.shell.console_open {
        ctl.act.emit(Act::ConsoleOpen(false));
    } else if page.session.find.is_some() {
        ctl.act.emit(Act::Find(None));
    } else if page.shell.dialog != Dialog::None {
        ctl.act.emit(Act::Dialog(Dialog::None));
    } else if page.shell.present.question {
        ctl.act.emit(Act::Present(Present {
            question: false,
            ..page.shell.present
        }));
    } else if page.shell.present.on {
        ctl.act.emit(Act::Present(Present::default()));
    } else if page.session.is_legend_open() {
        ctl.act.emit(Act::Legend);
    } else {
        // Escape in the details moves the focus back to the selected pod or node.
        if browser::focused().is_some_and(|element| matches!(element.closest(".side"), Ok(Some(_)))) {
            browser::focus_selected();
        }
        ctl.act.emit(Act::Select(None));
    }
    true
}

/// Returns the command that a key runs on the focused node or pod.
fn command_of_key(key: &str, shift: bool, page: &Page) -> Option<String> {
    if let "Delete" | "Backspace" = key {
        let pod = page.session.model.pods.get(&target_pod(page)?)?;
        return (pod.mark != PodMark::Ghost).then(|| {
            if shift {
                actions::force_delete_pod_command(&pod.key)
            } else {
                actions::delete_pod_command(&pod.key)
            }
        });
    }
    if !matches!(key, "c" | "o" | "d" | "p") {
        return None;
    }
    let node = &page.session.model.nodes.get(&target_node(page)?)?.view;
    let name = &node.name;
    Some(match key {
        "c" => actions::toggle_cut_command(node),
        "o" => format!("kubectl {} {name}", if node.cordoned { "uncordon" } else { "cordon" }),
        "d" => format!("kubectl drain {name} --ignore-daemonsets --delete-emptydir-data"),
        _ => format!(
            "fault {} {name}",
            if node.machine.powered { "poweroff" } else { "boot" }
        ),
    })
}

/// Asks the engine for remedies for the pending pod.
fn request_remedies(page: &Page, ctl: &Ctl) -> bool {
    let Some(pod) = target_pod(page)
        .and_then(|id| page.session.model.pods.get(&id).cloned())
        .filter(|pod| pod.node.is_empty() && waits::can_search_remedies(pod))
    else {
        return false;
    };
    ctl.act.emit(Act::Select(Some(SubjectRef::Pod {
        key: pod.key.clone(),
        uid: pod.uid().to_owned(),
    })));
    ctl.send.emit(Request::WhatWouldHelp { pod: pod.key.clone() });
    true
}

/// Handles keys in presentation mode. The keys of a presenter's remote control turn the story's steps.
fn handle_presenting_key(key: &str, page: &Page, ctl: &Ctl) -> bool {
    let story = &page.session.model.story;
    let mut next = page.shell.present;
    if let Some(part) = next.overlay_of_key(key) {
        *part = !*part;
        ctl.act.emit(Act::Present(next));
        if next.console && !page.shell.present.console {
            ctl.act.emit(Act::ConsoleOpen(true));
        }
        return true;
    }
    let step = match key {
        "r" => {
            match story.question {
                Some(step) if page.shell.present.question => ctl.give_up_question(step, page.shell.present),
                Some(_) => ctl.act.emit(Act::Present(Present {
                    question: true,
                    ..page.shell.present
                })),
                None => {}
            }
            return true;
        }
        "ArrowRight" | "PageDown" => story.step + 1,
        "ArrowLeft" | "PageUp" if story.step > 0 => story.step - 1,
        _ => return false,
    };
    if step < story.steps.len() {
        ctl.send.emit(Request::StoryStep { step });
    }
    true
}

/// Opens the menu of the focused pod or node beside it.
fn open_menu(page: &Page, ctl: &Ctl) -> bool {
    let model = &page.session.model;
    let pod = target_pod(page)
        .filter(|id| model.pods.contains_key(id))
        .map(MenuSubject::Pod);
    let node = || target_node(page).filter(|name| model.nodes.contains_key(name));
    let Some(subject) = pod.or_else(|| node().map(MenuSubject::Node)) else {
        return false;
    };
    let active = browser::document().and_then(|document| document.active_element());
    let at = active.map_or((80, 80), |element| browser::lower_left_corner(&element));
    ctl.act.emit(Act::Menu(subject, at));
    true
}
