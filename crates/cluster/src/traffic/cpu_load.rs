//! The CPU load of the requests that containers answer now.
//!
//! Deviation: metrics-server reports the average of a window, half a minute late; here the load is that of the present
//! rates. Requests that time out at a slow server cost nothing.

use std::sync::Arc;

use podscope_api::{Str, Uid, ordered};
use podscope_node::machine::ContainerId;
use podscope_node::proxy::Backend;
use podscope_sim::RequestLoad;

use super::fate::{ClusterView, RequestFate};
use super::flow::{Flow, Stream};
use crate::World;

/// One millicore in the unit of the loads summed here: (millionths of a request per second) × (microseconds of CPU time
/// per request).
const LOAD_PER_MILLICORE: i128 = 1_000_000_000;

impl World {
    /// Returns the CPU load of requests.
    pub fn request_load(&self) -> &Arc<RequestLoad> {
        self.traffic.load()
    }
}

/// Returns the load of all flows.
pub(super) fn load_of_flows(flows: &[Flow], cluster: &ClusterView<'_>) -> RequestLoad {
    let mut found: ordered::Map<(Uid, Str), i128> = ordered::Map::new();
    for flow in flows {
        for stream in &flow.streams {
            for lane in &stream.lanes {
                let RequestFate::Answered {
                    cpu_per_request,
                    process,
                    ..
                } = lane.fate
                else {
                    continue;
                };
                if cpu_per_request.0 == 0 {
                    continue;
                }
                if let Some(container) = answering_container(stream, lane.backend.as_ref(), process, cluster) {
                    *found.entry(container).or_default() += flow.lane_rate(stream) * i128::from(cpu_per_request.0);
                }
            }
        }
    }
    let millicores = |load: i128| {
        let rounded = (load + LOAD_PER_MILLICORE / 2) / LOAD_PER_MILLICORE;
        i64::try_from(rounded).unwrap_or(i64::MAX)
    };
    found
        .into_iter()
        .map(|(container, load)| (container, millicores(load)))
        .collect()
}

/// Returns the container with a process that answers the requests to an endpoint. Retried requests are answered by
/// another endpoint of the stream.
fn answering_container(
    stream: &Stream,
    first: Option<&Backend>,
    process: ContainerId,
    cluster: &ClusterView<'_>,
) -> Option<(Uid, Str)> {
    let others = stream.lanes.iter().filter_map(|lane| lane.backend.as_ref());
    first.into_iter().chain(others).find_map(|backend| {
        let machine = &cluster.nodes.get(&backend.node)?.machine;
        let container = machine.pod(&backend.uid)?.container(process)?;
        Some((backend.uid.clone(), container.name.clone()))
    })
}
