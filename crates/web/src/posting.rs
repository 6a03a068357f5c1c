//! Messages between an embedded page and the page around it (`&post=ORIGIN`; the format is in `docs/embedding.md`).
//! Messages are sent to no other origin, and messages of other origins are ignored (E-14).

use std::rc::Rc;

use podscope_protocol::{Request, SessionSource, TaskId};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;
use yew::prelude::*;

use crate::browser::listen::listen;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::attempts::{how_answered, story_score};
use crate::pure::route::Theme;
use crate::state::{Act, Page, Shared};
use crate::studying::practise_request;

/// Version of the message format.
const FORMAT_VERSION: u32 = 1;

/// Posts messages about the page's events to the surrounding page, and executes the requests that it sends.
#[hook]
pub(crate) fn use_posting(page: &Shared<Page>, ctl: &Rc<Ctl>, origin: Option<&str>) {
    let origin = use_memo(origin.map(str::to_owned), |origin| origin.clone());
    {
        let (origin, ctl) = (origin.clone(), ctl.clone());
        use_effect_with((), move |()| {
            let on_message = origin.as_ref().clone().map(|origin| {
                listen("message", move |event| {
                    if let Some(request) = event
                        .dyn_ref::<MessageEvent>()
                        .and_then(|event| parse_request(event, &origin))
                    {
                        execute_request(&request, &ctl);
                    }
                })
            });
            move || drop(on_message)
        });
    }
    let story = &page.session.model.story;
    let post = |messages: Vec<Value>| {
        let origin = origin.clone();
        move |_: &_| {
            if let Some(origin) = origin.as_ref() {
                messages.iter().for_each(|message| post(message, origin));
            }
        }
    };
    let version = page.shell.version.clone();
    let is_ready = version.is_some() && page.session.opened.is_some() && !page.session.recorded;
    use_effect_with(is_ready, {
        let origin = origin.clone();
        move |is_ready: &bool| {
            if let Some(origin) = origin.as_ref().as_ref().filter(|_| *is_ready) {
                post_page_height(origin);
                self::post(&json!({"type": "ready", "version": version}), origin);
            }
        }
    });
    let name = page
        .session
        .opened
        .as_ref()
        .map(|opened| opened.lesson.clone().unwrap_or_else(|| opened.title.clone()));
    let of = page.session.opened.as_ref().map_or(0, |opened| opened.story.len());
    let has_step = is_ready && !story.steps.is_empty();
    let step = has_step.then(|| json!({"type": "step", "lesson": name, "step": story.step + 1, "of": of}));
    use_effect_with(
        step.clone().map(|step| step.to_string()),
        post(step.into_iter().collect()),
    );
    let shown = || story.steps.iter().enumerate();
    let answers: Vec<Value> = shown()
        .filter_map(|(index, step)| {
            let truth = step.truth.as_ref()?;
            let answer = step.answer.as_ref()?;
            Some(json!({
                "type": "answer", "lesson": name, "step": index + 1, "answer": answer, "truth": truth.value, "right": truth.is_right,
            }))
        })
        .collect();
    let goals: Vec<Value> = shown()
        .flat_map(|(index, step)| {
            let reached = step
                .goals
                .iter()
                .enumerate()
                .filter(|(_, goal)| **goal == podscope_protocol::GoalState::Reached);
            reached.map(move |(goal, _)| (index, goal))
        })
        .map(|(index, goal)| json!({"type": "goal", "lesson": name, "step": index + 1, "goal": goal + 1}))
        .collect();
    let finished = page.session.opened.as_ref().filter(|_| story.finished).map(|opened| {
        let way = page.shell.study.help.max(how_answered(story));
        let score = f64::from(story_score(opened, story)) / 1000.0;
        // All tasks of a family have the same name, so the message also contains the item's number in the course.
        let item = page.shell.study.item.map(|item| item + 1);
        json!({"type": "finished", "lesson": name, "item": item, "score": score, "way": way.name()})
    });
    let problems: Vec<Value> = page
        .shell
        .problems
        .iter()
        .map(|problem| json!({"type": "error", "message": problem.message.english()}))
        .collect();
    let outcomes: Vec<Value> = answers
        .into_iter()
        .chain(goals)
        .chain(finished)
        .chain(problems)
        .collect();
    use_post_new_outcomes(&outcomes, &origin);
}

/// Posts a message for each event since the last render.
#[hook]
fn use_post_new_outcomes(outcomes: &[Value], origin: &Rc<Option<String>>) {
    let last = use_mut_ref(Vec::<Value>::new);
    let (all, origin) = (outcomes.to_vec(), origin.clone());
    let key: Vec<String> = all.iter().map(Value::to_string).collect();
    use_effect_with(key, move |_| {
        let known = last.replace(all.clone());
        if let Some(origin) = origin.as_ref() {
            all.iter()
                .filter(|one| !known.contains(one))
                .for_each(|one| post(one, origin));
        }
    });
}

/// Sends a message to the surrounding page.
fn post(message: &Value, origin: &str) {
    let Some(parent) = browser::window().and_then(|window| window.parent().ok().flatten()) else {
        return;
    };
    let mut message = message.clone();
    message["podscope"] = json!(FORMAT_VERSION);
    if let Some(value) = js_sys::JSON::parse(&message.to_string()).warn() {
        // The browser rejects an invalid origin.
        parent.post_message(&value, origin).warn();
    }
}

/// Reports the height that the page needs, in CSS pixels.
fn post_page_height(origin: &str) {
    if let Some(root) = browser::root_element() {
        let size = json!({"type": "size", "width": root.scroll_width(), "height": root.scroll_height()});
        post(&size, origin);
    }
}

/// Parses a request of the surrounding page; `None` for messages of other pages or formats.
fn parse_request(event: &MessageEvent, origin: &str) -> Option<Value> {
    let parent = browser::window()?.parent().ok()??;
    let is_of_parent = event
        .source()
        .is_some_and(|source| JsValue::from(source) == JsValue::from(parent));
    if event.origin() != origin || !is_of_parent {
        return None;
    }
    let text = js_sys::JSON::stringify(&event.data()).ok()?;
    let message: Value = serde_json::from_str(&String::from(text)).ok()?;
    (message["podscope"] == json!(FORMAT_VERSION)).then_some(message)
}

/// Executes a request of the surrounding page: opens a source, runs a command, plays, pauses or sets the theme.
fn execute_request(request: &Value, ctl: &Ctl) {
    let text = |key: &str| request[key].as_str().map(str::to_owned);
    match request["do"].as_str() {
        Some("open") => {
            let source = if let Some(name) = text("lesson") {
                SessionSource::Lesson { name, seed: None }
            } else if let Some(fragment) = text("link") {
                let fragment = fragment.rsplit('#').next().unwrap_or_default().to_owned();
                SessionSource::Link { fragment }
            } else if let Some(scenario) = text("scenario") {
                SessionSource::Files {
                    files: vec![("scenario.yaml".to_owned(), scenario)],
                }
            } else if let Some(family) = text("practice") {
                let number = |key: &str| request[key].as_u64().unwrap_or(1);
                let task = TaskId {
                    family,
                    seed: number("seed"),
                    level: u32::try_from(number("level")).unwrap_or(1),
                };
                return ctl.send.emit(practise_request(Some(task), None));
            } else {
                return;
            };
            ctl.send.emit(Request::Open { source });
        }
        Some("run") => text("line").iter().for_each(|line| ctl.run_without_confirmation(line)),
        Some("play") => ctl.send.emit(Request::Play),
        Some("pause") => ctl.send.emit(Request::Pause),
        Some("theme") => {
            if let Some(theme) = text("name").and_then(|name| Theme::from_name(&name)) {
                ctl.act.emit(Act::Theme(theme));
            }
        }
        _ => {}
    }
}
