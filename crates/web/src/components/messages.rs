//! Messages as dots that move along their wires. Each message is drawn once, when it is sent; at high speeds only a
//! sample.

use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{Message, MessageKind, Peer, Traffic};
use yew::prelude::*;

use crate::browser;
use crate::pure::stage::messages::{motion_start_and_end, name, partner_of_api_server};
use crate::pure::stage::wires::{Wire, Wires, rail, wires};
use crate::pure::stage::{Plan, shape};
use crate::state::Shared;

/// Maximum number of dots at once; further messages are only counted.
const MAX_DOTS: usize = 24;
/// Duration of a dot's motion, in milliseconds.
const DOT_MOTION_MS: f64 = 560.0;

/// A node, as the end of a wire on which messages move.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeEnd {
    pub(crate) name: String,
    pub(crate) is_cut: bool,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plan: Rc<Plan>,
    /// The nodes of each zone.
    pub(crate) nodes: Vec<Vec<NodeEnd>>,
    /// Messages that were sent since the previous frame.
    pub(crate) sent: Shared<Traffic>,
}

/// A dot that stands for a message and moves along a wire.
#[derive(Clone)]
struct Dot {
    id: u64,
    began: f64,
    kind: MessageKind,
    path: String,
    /// Where the dot starts and ends, as fractions of the wire's length.
    from: f64,
    to: f64,
}

#[derive(Default)]
struct DotsState {
    dots: Vec<Dot>,
    next: u64,
    last_traffic: Shared<Traffic>,
    /// Number of messages that were not drawn as dots since the stage was last without dots.
    n_not_drawn: usize,
    /// Number of all messages up to now, drawn or not.
    n_counted: usize,
}

#[component]
pub(crate) fn Messages(props: &Props) -> Html {
    let state = use_mut_ref(DotsState::default);
    let lines = use_memo(props.plan.clone(), |plan| wires(plan));
    let reduces_motion = use_memo((), |()| browser::prefers_reduced_motion());
    let state = &mut *state.borrow_mut();
    let clock = browser::clock();
    state.dots.retain(|dot| clock - dot.began < DOT_MOTION_MS * 1.4);
    if state.dots.is_empty() {
        state.n_not_drawn = 0;
    }
    let mut new_messages: &[Message] = &[];
    if state.last_traffic != props.sent {
        state.last_traffic = props.sent.clone();
        new_messages = &props.sent.messages;
        // For some links the frame holds only the number of messages; these messages are not drawn.
        let uncounted: usize = props.sent.more.iter().map(|link| link.count as usize).sum();
        state.n_counted += new_messages.len() + uncounted;
        state.n_not_drawn += uncounted;
    }
    for message in new_messages {
        if state.dots.len() >= MAX_DOTS {
            state.n_not_drawn += 1;
        } else if let Some((path, from, to)) = message_path(message, props, &lines) {
            state.next += 1;
            let began = clock;
            state.dots.push(Dot {
                id: state.next,
                began,
                kind: message.kind,
                path,
                from,
                to,
            });
        }
    }
    if *reduces_motion {
        // For users who prefer reduced motion, show the number of messages instead of moving dots.
        let measures = props.plan.measures;
        let at = format!(
            "right:{:.1}px;top:{:.1}px",
            measures.pad,
            measures.rail_top + measures.rail
        );
        return html! { <p class="sampled" ~style={at}>if state.n_counted > 0 { { t!(travelling::messages, count = state.n_counted) } }</p> };
    }
    let measures = props.plan.measures;
    html! {
        <>
            { for state.dots.iter().map(|dot| html! {
                <i key={dot.id} class={classes!("message", name(dot.kind))} data-message={name(dot.kind)} aria-hidden="true"
                    ~style={format!("offset-path:path('{}');--from:{:.1}%;--to:{:.1}%;--message-duration:{DOT_MOTION_MS}ms", dot.path, dot.from * 100.0, dot.to * 100.0)}></i>
            }) }
            if state.n_not_drawn > 0 {
                <p class="sampled" ~style={format!("right:{:.1}px;top:{:.1}px", measures.pad, measures.rail_top + measures.rail)}>{ t!(travelling::more_than_dots) }</p>
            }
        </>
    }
}

/// The path of a message, and the fractions of the path where its motion starts and ends.
fn message_path(message: &Message, props: &Props, lines: &Wires) -> Option<(String, f64, f64)> {
    let (stop, is_up) = partner_of_api_server(message)?;
    let measures = &props.plan.measures;
    let rail = rail(measures, props.plan.room.w);
    let y = rail.api.y + rail.api.h / 2.0;
    let along = |from: f64, to: f64| Wire {
        points: vec![(from, y), (to, y)],
    };
    let (wire, is_cut) = match stop {
        Peer::Scheduler => (along(rail.api.x, rail.api.x - 26.0 * measures.unit), false),
        Peer::Controllers => {
            let edge = rail.api.x + rail.api.w;
            (along(edge, edge + 26.0 * measures.unit), false)
        }
        Peer::Node(name) => {
            let (zone, node) = (props.nodes.iter().enumerate()).find_map(|(zone, nodes)| {
                let node = nodes.iter().position(|node| node.name == *name)?;
                Some((zone, node))
            })?;
            let is_cut = props.nodes[zone][node].is_cut;
            match lines {
                Wires::PerNode(all) => (all.get(zone)?.get(node)?.clone(), is_cut),
                Wires::PerZone(all) => (all.get(zone)?.clone(), false),
            }
        }
        Peer::ApiServer | Peer::User => return None,
    };
    let (from, to) = motion_start_and_end(&wire, is_cut.then_some(measures.unit), is_up);
    Some((shape::rounded_polyline(&wire.points, 7.0 * measures.unit), from, to))
}
