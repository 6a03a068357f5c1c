//! Requests of clients: a plate for each Service with its rate and its failures, and dots on the way to its pods.

use std::rc::Rc;

use podscope_protocol::{ServiceRequests, SubjectRef, Thousandths};
use yew::prelude::*;

use super::scene::{Spots, at};
use super::shown::shown;
use crate::ctl::Ctl;
use crate::pure::overview::Rect;
use crate::pure::stage::requests::{dots, plates, sender, way};
use crate::pure::stage::{Plan, shape};
use crate::state::{Model, Shared};

/// How long a dot takes from a plate to a pod, in milliseconds.
const TRAVEL: usize = 1_900;

/// A way of requests on the stage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    /// Index of the plate that it leaves.
    plate: usize,
    mark: Rect,
    per_second: i64,
    fails: bool,
}

/// The ways of all requests to pods that the stage shows.
pub(super) fn ways(model: &Model, spots: &Spots) -> Vec<Way> {
    let mut ways = Vec::new();
    for (plate, service) in model.requests.iter().enumerate() {
        for route in &service.routes {
            let Some((pod, node)) = &route.endpoint else { continue };
            let on_node = model.nodes.get(node);
            let pod = on_node.and_then(|state| state.pods.iter().find(|one| one.key == *pod));
            let mark = pod.and_then(|pod| spots.pods(std::slice::from_ref(&pod.id)).first().copied());
            if let Some(mark) = mark {
                ways.push(Way {
                    plate,
                    mark,
                    per_second: route.per_second,
                    fails: route.fails,
                });
            }
        }
    }
    ways
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plan: Rc<Plan>,
    pub(crate) requests: Shared<Vec<ServiceRequests>>,
    pub(super) ways: Vec<Way>,
    /// Whether time runs: dots move only then.
    pub(crate) playing: bool,
}

/// Plates, ways and dots.
#[component]
pub(crate) fn Requests(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let plan = &*props.plan;
    let plates = plates(plan, props.requests.len());
    let u = plan.measures.unit;
    let drawn: Vec<(&Way, String)> = (props.ways.iter().enumerate())
        .filter_map(|(nth, one)| {
            let wire = way(plan, plates.get(one.plate)?, &one.mark, nth, props.ways.len());
            Some((one, shape::rounded(&wire.points, 7.0 * u)))
        })
        .collect();
    let more = props.requests.len().saturating_sub(plates.len());
    html! {
        <div class={classes!("requests", props.playing.then_some("moving"))}>
            <svg class="wires routes" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
                { for drawn.iter().map(|(one, path)| html! { <path class={classes!("way", one.fails.then_some("bad"))} d={path.clone()} /> }) }
                { for drawn.iter().filter(|(one, _)| one.fails).map(|(one, _)| lost(&one.mark, u)) }
            </svg>
            { for drawn.iter().flat_map(|(one, path)| {
                let n = dots(one.per_second);
                (0..n).map(move |nth| html! {
                    <i class={classes!("request", one.fails.then_some("bad"))} aria-hidden="true"
                        ~style={format!("offset-path:path('{path}');--travel:{TRAVEL}ms;animation-delay:-{}ms", TRAVEL * nth / n)}></i>
                })
            }) }
            { for plates.iter().zip(props.requests.iter()).enumerate().map(|(nth, (rect, service))| {
                plate(&ctl, *rect, service, if nth + 1 == plates.len() { more } else { 0 })
            }) }
        </div>
    }
}

/// The mark of requests that fail: a cross in a circle on the pod's lower edge.
fn lost(mark: &Rect, u: f64) -> Html {
    let (x, y, r, s) = (mark.x + mark.w / 2.0, mark.y + mark.h, 6.5 * u, 2.6 * u);
    html! {
        <g class="lost" transform={format!("translate({x:.1} {y:.1})")}>
            <circle r={format!("{r:.1}")} />
            <path d={format!("M{s:.1} {s:.1}L-{s:.1} -{s:.1}M{s:.1} -{s:.1}L-{s:.1} {s:.1}")} />
        </g>
    }
}

/// A Service with who calls it, how often, and how many requests failed; `more` Services have no plate.
fn plate(ctl: &Ctl, rect: Rect, requests: &ServiceRequests, more: usize) -> Html {
    let name = requests.service.strip_prefix("default/").unwrap_or(&requests.service);
    let rate = Thousandths(requests.per_second).to_string();
    let subject = SubjectRef::Object {
        kind: "Service".to_owned(),
        key: requests.service.clone(),
    };
    let failing = requests.failing.as_ref().map(ToString::to_string);
    html! {
        <button type="button" class="plate" data-requests={requests.service.clone()} ~style={at(rect)} onclick={ctl.select(subject)}>
            <span class="whom">
                if let Some(sender) = sender(&requests.clients) { <>{ shown(&sender) }<span aria-label="calls">{ " → " }</span></> }
                <b>{ "Service " }{ shown(name) }</b>
            </span>
            if requests.per_second > 0 { <span class="whole mono">{ format!("{rate}/s") }</span> } else { <span class="whole">{ "no requests" }</span> }
            if requests.failed > 0 { <span class="whole bad mono">{ format!("{} failed", requests.failed) }</span> }
            if let Some(failing) = failing { <small>{ shown(&failing) }</small> }
            if more > 0 { <span class="whole">{ format!("+{more} more") }</span> }
        </button>
    }
}
