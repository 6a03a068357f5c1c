//! Admission by LimitRanges: what containers leave out is filled in, and what pods, their containers and claims ask
//! for must lie between the bounds of their namespace (VA-289, CT-191).

use std::sync::Arc;

use podscope_api::{
    Container, LimitRange, LimitRangeItem, Object, Pod, Quantity, ResourceList, ResourceRequirements, Str,
};

use super::ApiServer;
use podscope_sim::ApiError;

/// Says on a pod what was filled in.
const FILLED: &str = "kubernetes.io/limit-ranger";

impl ApiServer {
    /// Gives the containers of a new pod the defaults of its namespace.
    pub(super) fn fill_from_limit_ranges(&self, pod: &mut Pod) {
        for range in self.objects().list_in::<LimitRange>(&pod.metadata.namespace) {
            let mut said = Vec::new();
            let (requests, limits) = defaults(range);
            if requests.is_empty() && limits.is_empty() {
                continue;
            }
            for containers in [&mut pod.spec.containers, &mut pod.spec.init_containers] {
                for container in Arc::make_mut(containers) {
                    fill(container, &requests, &limits, &mut said);
                }
            }
            if !said.is_empty() {
                let text = format!("LimitRanger plugin set: {}", said.join("; "));
                Arc::make_mut(&mut pod.metadata.annotations).insert(FILLED.into(), text.into());
            }
        }
    }

    /// Refuses what lies outside of the bounds of its namespace.
    pub(super) fn check_limit_ranges(&self, object: &Object) -> Result<(), ApiError> {
        for range in self.objects().list_in::<LimitRange>(&object.metadata().namespace) {
            let mut problems = Vec::new();
            for item in &range.spec.limits {
                match (object, &*item.kind) {
                    (Object::Pod(pod), "Container") => {
                        for container in pod.spec.all_containers() {
                            check(item, &container.resources, &mut problems);
                        }
                    }
                    (Object::Pod(pod), "Pod") => {
                        let mut spec = pod.spec.clone();
                        spec.overhead.clear();
                        let total = ResourceRequirements {
                            requests: spec.total_requests(),
                            limits: spec.total_limits(),
                            ..ResourceRequirements::default()
                        };
                        check(item, &total, &mut problems);
                    }
                    (Object::PersistentVolumeClaim(claim), "PersistentVolumeClaim") => {
                        check_claim(item, &claim.spec.resources.requests, &mut problems);
                    }
                    _ => {}
                }
            }
            let why = match problems.as_slice() {
                [] => continue,
                [one] => one.clone(),
                several => format!("[{}]", several.join(", ")),
            };
            return Err(ApiError::forbidden(object.kind(), &object.metadata().name, &why));
        }
        Ok(())
    }
}

fn defaults(range: &LimitRange) -> (ResourceList, ResourceList) {
    let (mut requests, mut limits) = (ResourceList::new(), ResourceList::new());
    for item in range.spec.limits.iter().filter(|item| &*item.kind == "Container") {
        requests.extend(
            item.default_request
                .iter()
                .map(|(name, amount)| (name.clone(), *amount)),
        );
        limits.extend(item.default.iter().map(|(name, amount)| (name.clone(), *amount)));
    }
    (requests, limits)
}

/// Fills in what a container leaves out, and says so.
fn fill(container: &mut Container, requests: &ResourceList, limits: &ResourceList, said: &mut Vec<String>) {
    let set = |into: &mut ResourceList, from: &ResourceList| -> Vec<Str> {
        let missing: Vec<Str> = from.keys().filter(|name| !into.contains_key(*name)).cloned().collect();
        for name in &missing {
            if let Some(amount) = from.get(name) {
                into.insert(name.clone(), *amount);
            }
        }
        missing
    };
    let own = Arc::make_mut(&mut container.resources);
    let lists = [
        (set(&mut own.requests, requests), "request"),
        (set(&mut own.limits, limits), "limit"),
    ];
    for (names, what) in lists {
        if !names.is_empty() {
            said.push(format!("{} {what} for container {}", names.join(", "), container.name));
        }
    }
}

fn check(item: &LimitRangeItem, own: &ResourceRequirements, problems: &mut Vec<String>) {
    let kind = &item.kind;
    check_least(item, &own.requests, &own.limits, problems);
    for (resource, bound) in &item.max {
        let head = format!("maximum {resource} usage per {kind} is {bound}");
        match (own.limits.get(resource), own.requests.get(resource)) {
            (None, _) => problems.push(format!("{head}.  No limit is specified")),
            (Some(limit), _) if limit > bound => problems.push(format!("{head}, but limit is {limit}")),
            (_, Some(request)) if request > bound => problems.push(format!("{head}, but request is {request}")),
            _ => {}
        }
    }
    for (resource, bound) in &item.max_limit_request_ratio {
        let head = format!("{resource} max limit to request ratio per {kind} is {bound}, but");
        let of = |list: &ResourceList| list.get(resource).copied().filter(|amount| !amount.is_zero());
        match (of(&own.requests), of(&own.limits)) {
            (None, _) => problems.push(format!("{head} no request is specified or request is 0")),
            (_, None) => problems.push(format!("{head} no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = ratio(limit, request);
                if ratio * 1000.0 > bound.milli_value() as f64 {
                    problems.push(format!("{head} provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}

fn check_least(item: &LimitRangeItem, requests: &ResourceList, limits: &ResourceList, problems: &mut Vec<String>) {
    for (resource, bound) in &item.min {
        let head = format!("minimum {resource} usage per {} is {bound}", item.kind);
        match (requests.get(resource), limits.get(resource)) {
            (None, _) => problems.push(format!("{head}.  No request is specified")),
            (Some(request), _) if request < bound => problems.push(format!("{head}, but request is {request}")),
            (_, Some(limit)) if limit < bound => problems.push(format!("{head}, but limit is {limit}")),
            _ => {}
        }
    }
}

fn ratio(limit: Quantity, request: Quantity) -> f64 {
    limit.milli_value() as f64 / request.milli_value() as f64
}

/// A claim has requests only.
fn check_claim(item: &LimitRangeItem, requests: &ResourceList, problems: &mut Vec<String>) {
    check_least(item, requests, &ResourceList::new(), problems);
    for (resource, bound) in &item.max {
        let head = format!("maximum {resource} usage per {} is {bound}", item.kind);
        match requests.get(resource) {
            Some(request) if request > bound => problems.push(format!("{head}, but request is {request}")),
            Some(_) => {}
            None => problems.push(format!("{head}.  No request is specified")),
        }
    }
}
