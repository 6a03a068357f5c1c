//! Requests of clients: for each Service a plate (a labelled box below the zones) with rate and failures, and dots on
//! the paths from the plate to the Service's pods.

use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{ServiceRequests, SubjectRef, Thousandths};
use yew::prelude::*;

use super::icon;
use super::scene::{StagePositions, position_style};
use super::shown::shown;
use crate::ctl::Ctl;
use crate::pure::names;
use crate::pure::overview::Rect;
use crate::pure::stage::requests::{dots_per_path, request_path, sender_name, service_plates};
use crate::pure::stage::{Plan, shape};
use crate::state::{Model, Shared};

/// Time that a dot takes from a Service's plate (box) to a pod, in milliseconds.
const DOT_TRAVEL_MS: usize = 1_900;

/// A path on the stage, along which dots show a Service's requests to one pod.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestPath {
    /// Index of the plate (box of a Service) at which the path begins.
    plate: usize,
    mark: Rect,
    per_second: i64,
    /// The Service and the pod, if the requests on this path fail.
    failing: Option<(String, String)>,
}

/// Returns the paths of all requests to pods that the stage shows.
pub(super) fn request_paths(model: &Model, spots: &StagePositions) -> Vec<RequestPath> {
    let mut paths = Vec::new();
    for (plate, service) in model.requests.iter().enumerate() {
        for route in &service.routes {
            let Some((key, node)) = &route.endpoint else { continue };
            let on_node = model.nodes.get(node);
            let pod = on_node.and_then(|state| state.pods.iter().find(|one| one.key == *key));
            let mark = pod.and_then(|pod| spots.pods(std::slice::from_ref(&pod.id)).first().copied());
            if let Some(mark) = mark {
                paths.push(RequestPath {
                    plate,
                    mark,
                    per_second: route.per_second,
                    failing: route.fails.then(|| (service.service.clone(), key.clone())),
                });
            }
        }
    }
    paths
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plan: Rc<Plan>,
    pub(crate) requests: Shared<Vec<ServiceRequests>>,
    pub(super) paths: Vec<RequestPath>,
    /// True while time runs: only then the dots move.
    pub(crate) playing: bool,
}

#[component]
pub(crate) fn Requests(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let plan = &*props.plan;
    let plates = service_plates(plan, props.requests.len());
    let unit = plan.measures.unit;
    let drawn: Vec<(&RequestPath, String)> = (props.paths.iter().enumerate())
        .filter_map(|(nth, one)| {
            let wire = request_path(plan, plates.get(one.plate)?, &one.mark, nth, props.paths.len());
            Some((one, shape::rounded_polyline(&wire.points, 7.0 * unit)))
        })
        .collect();
    let more = props.requests.len().saturating_sub(plates.len());
    html! {
        <div class={classes!("requests", props.playing.then_some("moving"))}>
            <svg class="wires routes" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
                { for drawn.iter().map(|(one, path)| html! { <path class={classes!("way", one.failing.as_ref().map(|_| "bad"))} d={path.clone()} /> }) }
            </svg>
            { for drawn.iter().filter_map(|(one, _)| Some(failure_button(&one.mark, one.failing.as_ref()?, unit))) }
            { for drawn.iter().flat_map(|(one, path)| {
                let n_dots = dots_per_path(one.per_second);
                (0..n_dots).map(move |nth| html! {
                    <i class={classes!("request", one.failing.as_ref().map(|_| "bad"))} aria-hidden="true"
                        ~style={format!("offset-path:path('{path}');--travel:{DOT_TRAVEL_MS}ms;animation-delay:-{}ms", DOT_TRAVEL_MS * nth / n_dots)}></i>
                })
            }) }
            { for plates.iter().zip(props.requests.iter()).enumerate().map(|(nth, (rect, service))| {
                service_plate(&ctl, *rect, service, if nth + 1 == plates.len() { more } else { 0 })
            }) }
        </div>
    }
}

/// The button for failed requests at a pod, below the pod's lower edge. A press selects the newest failures at this
/// pod.
fn failure_button(mark: &Rect, (service, pod): &(String, String), unit: f64) -> Html {
    let (left, top) = (mark.x + mark.w / 2.0, mark.y + mark.h + 3.0 * unit);
    let name = names::without_default_namespace(pod);
    let words = t!(requests::why_fail, pod = podscope_api::visible(name));
    html! {
        <button type="button" class="lost" data-failures={format!("{service} {pod}")} aria-label={words.clone()} title={words}
            ~style={format!("left:{left:.1}px;top:{top:.1}px")}>{ icon("cross") }</button>
    }
}

/// The plate (box) of a Service: its clients, the request rate, and the number of failed requests. `more`: number of
/// Services for which there is no plate.
fn service_plate(ctl: &Ctl, rect: Rect, requests: &ServiceRequests, more: usize) -> Html {
    let name = names::without_default_namespace(&requests.service);
    let rate = Thousandths(requests.per_second).to_string();
    let subject = SubjectRef::Object {
        kind: "Service".to_owned(),
        key: requests.service.clone(),
    };
    let failing = requests.failing.as_ref().map(ToString::to_string);
    html! {
        <div class="plate" data-requests={requests.service.clone()} ~style={position_style(rect)}>
            <button type="button" class="quiet" onclick={ctl.select(subject)}>
                <span class="whom">
                    if let Some(sender) = sender_name(&requests.clients) { <>{ shown(&sender) }<span aria-label={t!(requests::calls)}>{ " → " }</span></> }
                    <b>{ "Service " }{ shown(name) }</b>
                </span>
                <span class="whole mono">{ if requests.per_second > 0 { format!("{rate}/s") } else { t!(requests::no_requests) } }</span>
            </button>
            if requests.failed > 0 {
                <button type="button" class="quiet" data-failures={requests.service.clone()} title={t!(requests::why_they_failed)}>
                    <span class="whole bad mono">{ t!(requests::failed, count = requests.failed) }</span>
                    if let Some(failing) = failing { <small>{ shown(&failing) }</small> }
                </button>
            }
            if more > 0 { <span class="whole">{ t!(requests::more, count = more) }</span> }
        </div>
    }
}
