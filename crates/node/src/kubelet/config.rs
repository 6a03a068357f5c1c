//! ConfigMaps and Secrets that a container's environment needs: without them
//! it cannot be created (`CreateContainerConfigError`).

use podscope_api::{ConfigMap, Container, ObjectKey, Pod, Secret};

use podscope_sim::Objects;

/// Whether everything a container refers to exists.
///
/// # Errors
/// The kubelet's text for the first thing that is missing.
pub(super) fn check(pod: &Pod, container: &Container, cache: &Objects) -> Result<(), String> {
    let namespace = &pod.metadata.namespace;
    let key = |name: &str| ObjectKey::new(namespace.clone(), name);
    let config_map = |name: &str| cache.get::<ConfigMap>(&key(name));
    let secret = |name: &str| cache.get::<Secret>(&key(name));
    for source in &container.env_from {
        if let Some(reference) = &source.config_map_ref
            && reference.optional != Some(true)
            && config_map(&reference.name).is_none()
        {
            return Err(format!("configmap \"{}\" not found", reference.name));
        }
        if let Some(reference) = &source.secret_ref
            && reference.optional != Some(true)
            && secret(&reference.name).is_none()
        {
            return Err(format!("secret \"{}\" not found", reference.name));
        }
    }
    for source in container.env.iter().filter_map(|variable| variable.value_from.as_ref()) {
        if let Some(selector) = &source.config_map_key_ref
            && selector.optional != Some(true)
        {
            let Some(found) = config_map(&selector.name) else {
                return Err(format!("configmap \"{}\" not found", selector.name));
            };
            if !found.data.contains_key(&selector.key) {
                return Err(format!(
                    "couldn't find key {} in ConfigMap {namespace}/{}",
                    selector.key, selector.name
                ));
            }
        }
        if let Some(selector) = &source.secret_key_ref
            && selector.optional != Some(true)
        {
            let Some(found) = secret(&selector.name) else {
                return Err(format!("secret \"{}\" not found", selector.name));
            };
            if !found.data.contains_key(&selector.key) && !found.string_data.contains_key(&selector.key) {
                return Err(format!(
                    "couldn't find key {} in Secret {namespace}/{}",
                    selector.key, selector.name
                ));
            }
        }
    }
    Ok(())
}
