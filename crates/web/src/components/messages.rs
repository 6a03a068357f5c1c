//! Messages as dots on their wires: each is drawn once, where it was sent. At high speeds they are sampled.

use std::rc::Rc;

use podscope_protocol::{Message, MessageKind, Stop, Traffic};
use yew::prelude::*;

use crate::browser;
use crate::pure::stage::messages::{end, name, run};
use crate::pure::stage::wires::{Wire, Wires, rail, wires};
use crate::pure::stage::{Plan, shape};
use crate::state::Shared;

/// Dots at once; the rest is counted.
const MOST: usize = 24;
/// How long a hop takes, in milliseconds.
const HOP: f64 = 560.0;

/// A node as its messages see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reached {
    pub(crate) name: String,
    pub(crate) is_cut: bool,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plan: Rc<Plan>,
    /// Nodes by zone.
    pub(crate) nodes: Vec<Vec<Reached>>,
    /// What the last frame brought.
    pub(crate) sent: Shared<Traffic>,
}

/// A dot under way.
#[derive(Clone)]
struct Dot {
    id: u64,
    began: f64,
    kind: MessageKind,
    path: String,
    /// Parts of the path.
    from: f64,
    to: f64,
}

#[derive(Default)]
struct Sky {
    dots: Vec<Dot>,
    next: u64,
    told: Shared<Traffic>,
    /// Messages so far that were not drawn, since when, and how many were.
    unseen: usize,
    counted: usize,
}

/// The dots.
#[component]
pub(crate) fn Messages(props: &Props) -> Html {
    let sky = use_mut_ref(Sky::default);
    let lines = use_memo(props.plan.clone(), |plan| wires(plan));
    let calm = use_memo((), |()| browser::calm());
    let sky = &mut *sky.borrow_mut();
    let clock = browser::clock();
    sky.dots.retain(|dot| clock - dot.began < HOP * 1.4);
    if sky.dots.is_empty() {
        sky.unseen = 0;
    }
    let mut fresh: &[Message] = &[];
    if sky.told != props.sent {
        sky.told = props.sent.clone();
        fresh = &props.sent.messages;
        // Messages that are counted by link alone have no dot.
        let uncounted: usize = props.sent.more.iter().map(|link| link.count as usize).sum();
        sky.counted += fresh.len() + uncounted;
        sky.unseen += uncounted;
    }
    for message in fresh {
        if sky.dots.len() >= MOST {
            sky.unseen += 1;
        } else if let Some((path, from, to)) = path(message, props, &lines) {
            sky.next += 1;
            let began = clock;
            sky.dots.push(Dot {
                id: sky.next,
                began,
                kind: message.kind,
                path,
                from,
                to,
            });
        }
    }
    if *calm {
        // Nothing moves: what was sent is counted.
        let m = props.plan.measures;
        let at = format!("right:{:.1}px;top:{:.1}px", m.pad, m.rail_top + m.rail);
        return html! { <p class="sampled" ~style={at}>if sky.counted > 0 { { match sky.counted { 1 => "1 message".to_owned(), n => format!("{n} messages") } } }</p> };
    }
    let m = props.plan.measures;
    html! {
        <>
            { for sky.dots.iter().map(|dot| html! {
                <i key={dot.id} class={classes!("message", name(dot.kind))} data-message={name(dot.kind)} aria-hidden="true"
                    ~style={format!("offset-path:path('{}');--from:{:.1}%;--to:{:.1}%;--hop:{HOP}ms", dot.path, dot.from * 100.0, dot.to * 100.0)}></i>
            }) }
            if sky.unseen > 0 {
                <p class="sampled" ~style={format!("right:{:.1}px;top:{:.1}px", m.pad, m.rail_top + m.rail)}>{ "more messages than dots" }</p>
            }
        </>
    }
}

/// The path of a message, and which part of it is run.
fn path(message: &Message, props: &Props, lines: &Wires) -> Option<(String, f64, f64)> {
    let (stop, is_up) = end(message)?;
    let m = &props.plan.measures;
    let rail = rail(m, props.plan.room.w);
    let y = rail.api.y + rail.api.h / 2.0;
    let along = |from: f64, to: f64| Wire {
        points: vec![(from, y), (to, y)],
    };
    let (wire, is_cut) = match stop {
        Stop::Scheduler => (along(rail.api.x, rail.api.x - 26.0 * m.unit), false),
        Stop::Controllers => {
            let edge = rail.api.x + rail.api.w;
            (along(edge, edge + 26.0 * m.unit), false)
        }
        Stop::Node(name) => {
            let (zone, node) = (props.nodes.iter().enumerate()).find_map(|(zone, nodes)| {
                let node = nodes.iter().position(|node| node.name == *name)?;
                Some((zone, node))
            })?;
            let is_cut = props.nodes[zone][node].is_cut;
            match lines {
                Wires::Nodes(all) => (all.get(zone)?.get(node)?.clone(), is_cut),
                Wires::Zones(all) => (all.get(zone)?.clone(), false),
            }
        }
        Stop::ApiServer | Stop::User => return None,
    };
    let (from, to) = run(&wire, is_cut.then_some(m.unit), is_up);
    Some((shape::rounded(&wire.points, 7.0 * m.unit), from, to))
}
