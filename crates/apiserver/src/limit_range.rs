//! Admission by LimitRanges: defaults for the resources of containers, and bounds for the resources of pods, containers
//! and claims of the namespace (VA-289, CT-191).

use std::sync::Arc;

use podscope_api::{
    Container, LimitRange, LimitRangeItem, Object, Pod, Quantity, ResourceList, ResourceRequirements, Str,
};

use super::ApiServer;
use podscope_sim::ApiError;

/// Annotation of a pod that lists the defaults set by LimitRanges.
const LIMIT_RANGER_ANNOTATION: &str = "kubernetes.io/limit-ranger";

impl ApiServer {
    /// Sets the default resources of the namespace on the containers of a new pod.
    pub(super) fn default_from_limit_ranges(&self, pod: &mut Pod) {
        for range in self.objects().list_in::<LimitRange>(&pod.metadata.namespace) {
            let mut defaulted = Vec::new();
            let (requests, limits) = container_defaults(range);
            if requests.is_empty() && limits.is_empty() {
                continue;
            }
            for containers in [&mut pod.spec.containers, &mut pod.spec.init_containers] {
                for container in Arc::make_mut(containers) {
                    set_container_defaults(container, &requests, &limits, &mut defaulted);
                }
            }
            if !defaulted.is_empty() {
                let text = format!("LimitRanger plugin set: {}", defaulted.join("; "));
                Arc::make_mut(&mut pod.metadata.annotations).insert(LIMIT_RANGER_ANNOTATION.into(), text.into());
            }
        }
    }

    /// Refuses an object whose resources exceed the bounds of its namespace.
    pub(super) fn check_limit_ranges(&self, object: &Object) -> Result<(), ApiError> {
        for range in self.objects().list_in::<LimitRange>(&object.metadata().namespace) {
            let mut problems = Vec::new();
            for item in &range.spec.limits {
                match (object, &*item.kind) {
                    (Object::Pod(pod), "Container") => {
                        for container in pod.spec.all_containers() {
                            check_limit_range_item(item, &container.resources, &mut problems);
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
                        check_limit_range_item(item, &total, &mut problems);
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

/// Returns the default requests and limits of containers.
fn container_defaults(range: &LimitRange) -> (ResourceList, ResourceList) {
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

/// Sets missing resources of a container to their defaults, and adds their descriptions to `defaulted`.
fn set_container_defaults(
    container: &mut Container,
    requests: &ResourceList,
    limits: &ResourceList,
    defaulted: &mut Vec<String>,
) {
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
            defaulted.push(format!("{} {what} for container {}", names.join(", "), container.name));
        }
    }
}

fn check_limit_range_item(item: &LimitRangeItem, own: &ResourceRequirements, problems: &mut Vec<String>) {
    let kind = &item.kind;
    check_minimum(item, &own.requests, &own.limits, problems);
    for (resource, bound) in &item.max {
        let message = format!("maximum {resource} usage per {kind} is {bound}");
        match (own.limits.get(resource), own.requests.get(resource)) {
            (None, _) => problems.push(format!("{message}.  No limit is specified")),
            (Some(limit), _) if limit > bound => problems.push(format!("{message}, but limit is {limit}")),
            (_, Some(request)) if request > bound => problems.push(format!("{message}, but request is {request}")),
            _ => {}
        }
    }
    for (resource, bound) in &item.max_limit_request_ratio {
        let message = format!("{resource} max limit to request ratio per {kind} is {bound}, but");
        let of = |list: &ResourceList| list.get(resource).copied().filter(|amount| !amount.is_zero());
        match (of(&own.requests), of(&own.limits)) {
            (None, _) => problems.push(format!("{message} no request is specified or request is 0")),
            (_, None) => problems.push(format!("{message} no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit_to_request_ratio(limit, request);
                if ratio * 1000.0 > bound.milli_value() as f64 {
                    problems.push(format!("{message} provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}

fn check_minimum(item: &LimitRangeItem, requests: &ResourceList, limits: &ResourceList, problems: &mut Vec<String>) {
    for (resource, bound) in &item.min {
        let message = format!("minimum {resource} usage per {} is {bound}", item.kind);
        match (requests.get(resource), limits.get(resource)) {
            (None, _) => problems.push(format!("{message}.  No request is specified")),
            (Some(request), _) if request < bound => problems.push(format!("{message}, but request is {request}")),
            (_, Some(limit)) if limit < bound => problems.push(format!("{message}, but limit is {limit}")),
            _ => {}
        }
    }
}

fn limit_to_request_ratio(limit: Quantity, request: Quantity) -> f64 {
    limit.milli_value() as f64 / request.milli_value() as f64
}

/// Checks a claim, which has only requests and no limits.
fn check_claim(item: &LimitRangeItem, requests: &ResourceList, problems: &mut Vec<String>) {
    check_minimum(item, requests, &ResourceList::new(), problems);
    for (resource, bound) in &item.max {
        let message = format!("maximum {resource} usage per {} is {bound}", item.kind);
        match requests.get(resource) {
            Some(request) if request > bound => problems.push(format!("{message}, but request is {request}")),
            Some(_) => {}
            None => problems.push(format!("{message}.  No request is specified")),
        }
    }
}
