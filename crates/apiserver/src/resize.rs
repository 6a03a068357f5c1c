//! The resize subresource of pods: checks that in-place changes are allowed, and that the pod's node can satisfy them.

use podscope_api::well_known::label;
use podscope_api::{Container, Kind, Node, Object, Pod, Quantity, ResourceList, features};

use super::{ApiServer, admission};
use podscope_sim::ApiError;

impl ApiServer {
    /// Returns an error for a resize that is invalid, or that the pod's node could never satisfy.
    pub(super) fn admit_resize(&self, old: &Object, new: &Object) -> Result<(), ApiError> {
        let (Object::Pod(old), Object::Pod(new)) = (old, new) else {
            return Err(ApiError::not_found(old.kind(), &old.metadata().name));
        };
        let name = &new.metadata.name;
        let problems = podscope_api::validate_resize(old, new, &admission::qos_class(&new.spec));
        if !problems.is_empty() {
            return Err(ApiError::invalid(Kind::Pod, name, problems));
        }
        let Some(node_name) = new.spec.node_name.as_ref().filter(|node| !node.is_empty()) else {
            return Ok(());
        };
        let node = self.objects().named::<Node>(node_name);
        if let Some(node) = node {
            check_declared_features(node, old, new)?;
        }
        // An unchanged spec needs no further resources on the node.
        if old.spec == new.spec {
            return Ok(());
        }
        match node {
            Some(node) => check_capacity(node, new),
            None => {
                let why = format!("node {:?} not found", node_name.as_str());
                Err(ApiError::forbidden(Kind::Pod, name, &why))
            }
        }
    }
}

/// NodeDeclaredFeatureValidator: checks that the node declares the features that the resize needs.
fn check_declared_features(node: &Node, old: &Pod, new: &Pod) -> Result<(), ApiError> {
    let declared = &node.status.declared_features;
    let missing: Vec<&str> = needed_features(old, new)
        .filter(|needed_features| !declared.iter().any(|known| &**known == *needed_features))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let why = format!(
        "pod update requires features {} which are not available on node {:?}",
        missing.join(", "),
        &*node.metadata.name
    );
    Err(ApiError::forbidden(Kind::Pod, &new.metadata.name, &why))
}

/// PodResizeValidator (LC-230): checks that the node, if empty, could hold the pod, and that it runs Linux.
fn check_capacity(node: &Node, pod: &Pod) -> Result<(), ApiError> {
    let requests = pod.spec.total_requests();
    let exceeded: Vec<String> = [
        ("cpu", Quantity::milli_value as fn(&Quantity) -> i64),
        ("memory", Quantity::value),
    ]
    .into_iter()
    .filter_map(|(name, amount)| {
        let of = |list: &ResourceList| list.get(name).map_or(0, amount);
        let (requested, allocatable) = (of(&requests), of(&node.status.allocatable));
        (requested > allocatable).then(|| format!("{name}, requested: {requested}, allocatable: {allocatable}"))
    })
    .collect();
    let refuse = |why: &str, cause: &str| {
        let error = ApiError::forbidden(Kind::Pod, &pod.metadata.name, why);
        Err(error.with_cause(cause, ""))
    };
    if !exceeded.is_empty() {
        let why = format!("Node didn't have enough allocatable resources: {}", exceeded.join("; "));
        return refuse(&why, "NodeCapacity");
    }
    let os = node.metadata.labels.get(label::OS).map_or("", |os| &**os);
    if os != "linux" {
        let name = &*node.metadata.name;
        let why = format!("pod resize is only supported on linux nodes, node {name:?} is {os:?}");
        return refuse(&why, "UnsupportedPlatform");
    }
    Ok(())
}

/// Returns the kubelet features that a resize needs.
fn needed_features(old: &Pod, new: &Pod) -> impl Iterator<Item = &'static str> {
    let changes_pod_level = old.spec.resources != new.spec.resources;
    let regular_inits = |pod: &Pod| -> Vec<Container> {
        let inits = pod.spec.init_containers.iter();
        inits.filter(|init| !init.is_sidecar()).cloned().collect()
    };
    let changes_init = regular_inits(old) != regular_inits(new);
    [
        (changes_pod_level, features::POD_LEVEL_RESIZE),
        (changes_init, features::INIT_CONTAINER_RESIZE),
    ]
    .into_iter()
    .filter_map(|(is_needed, name)| is_needed.then_some(name))
}
