//! Checks before a container is created (otherwise `CreateContainerConfigError`): the ConfigMaps, Secrets and env files
//! that its environment needs, its mounts and its user.

use podscope_api::{ConfigMap, Container, FileKeySelector, ObjectKey, Pod, Secret};

use podscope_sim::Objects;

use super::security;
use crate::machine::{MachinePod, containers_of};

/// Checks that everything a container refers to exists. `held` is the machine's state of the pod.
///
/// # Errors
/// The kubelet's message about the first missing thing.
pub(super) fn check_container_config(
    pod: &Pod,
    container: &Container,
    cache: &Objects,
    held: Option<&MachinePod>,
) -> Result<(), String> {
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
        if let Some(selector) = &source.file_key_ref {
            check_env_file(pod, selector, held)?;
        }
        if let Some(selector) = &source.resource_field_ref
            && !selector.container_name.is_empty()
            && !containers_of(pod).any(|(_, one)| one.name == selector.container_name)
        {
            return Err(format!("container {} not found", selector.container_name));
        }
    }
    security::check_sub_path_variables(container)?;
    security::verify_non_root(pod, container)
}

/// Checks an env file in an emptyDir (LC-231). The volume is empty until a container that can write to it has run.
/// `optional` applies only to the key.
///
/// Deviation: file contents are not simulated. Once such a container has run, the file exists and has the key.
fn check_env_file(pod: &Pod, selector: &FileKeySelector, held: Option<&MachinePod>) -> Result<(), String> {
    const MAX_KEY_LENGTH: usize = 128;
    if selector.key.len() > MAX_KEY_LENGTH {
        return Err(format!(
            "environment variable key {:?} exceeds maximum length of {MAX_KEY_LENGTH} characters",
            &*selector.key
        ));
    }
    let can_write = |container: &Container| {
        let mut mounts = container.volume_mounts.iter();
        mounts.any(|mount| mount.name == selector.volume_name && mount.read_only != Some(true))
    };
    let has_run = |container: &Container| held.is_some_and(|held| held.latest(&container.name).is_some());
    let is_written = containers_of(pod).any(|(_, container)| can_write(container) && has_run(container));
    if is_written {
        Ok(())
    } else {
        Err("couldn't parse env file".to_owned())
    }
}
