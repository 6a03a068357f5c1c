//! The resize subresource of pods: what may change in place, and whether the pod's node can do it.

use podscope_api::{Container, Kind, Node, Object, Pod, features};

use super::{ApiServer, admission};
use podscope_sim::ApiError;

impl ApiServer {
    /// Refuses a resize that is invalid, or that needs of the pod's node what its kubelet does not declare.
    pub(super) fn admit_resize(&self, old: &Object, new: &Object) -> Result<(), ApiError> {
        let (Object::Pod(old), Object::Pod(new)) = (old, new) else {
            return Err(ApiError::not_found(old.kind(), &old.metadata().name));
        };
        let name = &new.metadata.name;
        let problems = podscope_api::validate_resize(old, new, &admission::qos_class(&new.spec));
        if !problems.is_empty() {
            return Err(ApiError::invalid(Kind::Pod, name, problems));
        }
        let node = new
            .spec
            .node_name
            .as_ref()
            .and_then(|node| self.objects().named::<Node>(node));
        let Some(node) = node else { return Ok(()) };
        let declared = &node.status.declared_features;
        let missing: Vec<&str> = needed(old, new)
            .filter(|needed| !declared.iter().any(|known| &**known == *needed))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let why = format!(
            "pod update requires features {} which are not available on node {:?}",
            missing.join(", "),
            &*node.metadata.name
        );
        Err(ApiError::forbidden(Kind::Pod, name, &why))
    }
}

/// The features of kubelets that a resize needs.
fn needed(old: &Pod, new: &Pod) -> impl Iterator<Item = &'static str> {
    let is_of_pod = old.spec.resources != new.spec.resources;
    let plain = |pod: &Pod| -> Vec<Container> {
        let inits = pod.spec.init_containers.iter();
        inits.filter(|init| !init.is_sidecar()).cloned().collect()
    };
    let is_of_init = plain(old) != plain(new);
    [
        (is_of_pod, features::POD_LEVEL_RESIZE),
        (is_of_init, features::INIT_CONTAINER_RESIZE),
    ]
    .into_iter()
    .filter_map(|(is_needed, name)| is_needed.then_some(name))
}
