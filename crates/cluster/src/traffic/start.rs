//! Starts and ends traffic: by a command, or with a pod that sends requests itself.

use std::sync::Arc;

use podscope_api::{NodeName, Object, ObjectKey, Pod, Rate, ServiceCalls, Uid, calls_of, ordered};
use podscope_node::proxy::service_by_dns_name;
use podscope_sim::{RequestClient, Rng, Span};

use super::count::RequestPace;
use super::fate::ClientOptions;
use super::flow::{Flow, FlowOrigin};
use super::{StartTraffic, Traffic, TrafficCommand, TrafficTouch};
use crate::World;

/// Maximum number of flows in a world.
const MAX_FLOWS: usize = 1_000;

/// Properties of the requests of a flow.
struct RequestOptions {
    rate: Rate,
    client: ClientOptions,
    retries: u32,
}

impl World {
    /// Performs `app traffic …`.
    pub(crate) fn change_traffic(&mut self, command: &TrafficCommand) -> Result<(), String> {
        match command {
            TrafficCommand::Start(start) => {
                self.check_start_command(start)?;
                self.start_proxies();
                let options = RequestOptions {
                    rate: start.rate,
                    client: ClientOptions {
                        timeout: start.timeout.unwrap_or(Span::seconds(1)),
                        keep_alive: start.keep_alive,
                    },
                    retries: start.retries,
                };
                let flow = self.new_flow(&start.service, &start.client, FlowOrigin::Command, &options);
                let is_same = |one: &Flow| {
                    one.origin == FlowOrigin::Command && (&one.service, &one.client) == (&flow.service, &flow.client)
                };
                self.end_flows(&is_same);
                Arc::make_mut(&mut self.traffic).flows.push(flow);
            }
            TrafficCommand::Stop(service) => {
                let is_match = |one: &Flow| one.origin == FlowOrigin::Command && one.service == *service;
                if !self.traffic.flows.iter().any(is_match) {
                    return Err(format!("nothing was started that sends to service {service}"));
                }
                self.end_flows(&is_match);
            }
        }
        self.touch_traffic(TrafficTouch::All);
        Ok(())
    }

    fn check_start_command(&self, start: &StartTraffic) -> Result<(), String> {
        let service = &start.service;
        let Some((found, hostname)) = service_by_dns_name(self.objects(), service) else {
            return Err(format!("there is no service {service}"));
        };
        if self.traffic.flows.len() >= MAX_FLOWS {
            return Err(format!(
                "there are {MAX_FLOWS} senders already: app traffic stop ends some"
            ));
        }
        if &*found.spec.kind == "ExternalName" {
            return Err(format!(
                "service {service} is only a name for {}",
                found.spec.external_name
            ));
        }
        match &start.client {
            RequestClient::Outside if hostname.is_some() => Err(format!(
                "{service} is the name of a pod inside the cluster: nothing reaches it from outside"
            )),
            RequestClient::Outside if !matches!(&*found.spec.kind, "NodePort" | "LoadBalancer") => Err(format!(
                "service {service} is of type {}: nothing reaches it from outside",
                found.spec.kind
            )),
            RequestClient::Node(node) if !self.nodes.contains_key(&NodeName(node.clone())) => {
                Err(format!("there is no machine called {:?}", &**node))
            }
            RequestClient::Zone(zone) if !self.nodes.values().any(|state| state.zone.as_ref() == Some(zone)) => {
                Err(format!("there is no machine in zone {:?}", &**zone))
            }
            RequestClient::Pod(key) if self.objects().get::<Pod>(key).is_none() => {
                Err(format!("there is no pod {key}"))
            }
            _ => Ok(()),
        }
    }

    fn new_flow(
        &self,
        service: &ObjectKey,
        client: &RequestClient,
        origin: FlowOrigin,
        options: &RequestOptions,
    ) -> Flow {
        Flow {
            service: service.clone(),
            client: client.clone(),
            origin,
            pace: RequestPace {
                start: self.now,
                rate: options.rate,
            },
            options: options.client,
            retries: options.retries,
            streams: Vec::new(),
            is_ended: false,
            health: ordered::Map::new(),
            reported_rate: None,
            rng: Rng::split(self.seed, &Flow::rng_name(service, client)),
        }
    }

    /// Marks flows as ended; the next [`World::settle_traffic`] removes them.
    fn end_flows(&mut self, which: &dyn Fn(&Flow) -> bool) {
        let traffic: &mut Traffic = Arc::make_mut(&mut self.traffic);
        let ending = traffic.flows.iter_mut().filter(|flow| which(flow));
        ending.for_each(|flow| flow.is_ended = true);
    }

    /// Starts the flows that the annotation of a running pod declares. Their requests begin when its process has
    /// started up.
    pub(super) fn start_pod_calls(&mut self, uid: &Uid) {
        let Some(Object::Pod(pod)) = self.objects().by_uid(uid) else {
            return;
        };
        let Some(node) = pod.spec.node_name.clone() else { return };
        let is_known = self.traffic.flows.iter().any(|flow| flow.is_of_pod(uid));
        if is_known {
            return;
        }
        for calls in calls_of(&pod.metadata.annotations) {
            if self.traffic.flows.len() >= MAX_FLOWS {
                return;
            }
            self.start_proxies();
            let flow = self.new_pod_flow(&pod, &node, &calls);
            Arc::make_mut(&mut self.traffic).flows.push(flow);
        }
    }

    fn new_pod_flow(&self, pod: &Pod, node: &NodeName, calls: &ServiceCalls) -> Flow {
        let options = RequestOptions {
            rate: calls.rate,
            client: ClientOptions {
                timeout: Span(calls.timeout_micros()),
                keep_alive: calls.keep_alive,
            },
            retries: calls.retries,
        };
        let namespace = match calls.service.namespace.is_empty() {
            true => pod.metadata.namespace.clone(),
            false => calls.service.namespace.clone(),
        };
        let service = ObjectKey::new(namespace, calls.service.name.clone());
        let client = RequestClient::Pod(pod.metadata.key());
        let origin = FlowOrigin::Pod(pod.metadata.uid.clone(), node.clone());
        self.new_flow(&service, &client, origin, &options)
    }
}
