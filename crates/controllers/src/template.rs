//! Creates pods from templates, and computes the hash that identifies a template's revision (CT-065).

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::wire::Wire as _;
use podscope_api::{Labels, ObjectMeta, OwnerReference, Pod, PodStatus, PodTemplateSpec, Str};
use serde_json::Value;

/// A pod template.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Template(pub(super) Arc<PodTemplateSpec>);

impl Template {
    pub(super) fn of(template: &Arc<PodTemplateSpec>) -> Self {
        Self(template.clone())
    }

    /// Builds a pod from this template for an owner. The caller sets the pod's name, or the server generates one from
    /// `generate_name`.
    pub(super) fn pod(&self, namespace: &Str, generate_name: &str, owner: OwnerReference) -> Pod {
        let template = &self.0.metadata;
        Pod {
            metadata: ObjectMeta {
                generate_name: generate_name.into(),
                namespace: namespace.clone(),
                labels: template.labels.clone(),
                annotations: template.annotations.clone(),
                finalizers: template.finalizers.clone(),
                owner_references: vec![owner],
                ..ObjectMeta::default()
            },
            spec: self.0.spec.clone(),
            status: PodStatus::default(),
            extra: self.0.extra.clone(),
        }
    }

    /// Returns the complete template as JSON.
    pub(super) fn value(&self) -> Value {
        let mut value = self.0.to_json_value();
        self.0.extra.merge_into(&mut value);
        value
    }

    /// Returns the template's hash in Kubernetes' format: FNV-1a of its JSON and the collision count, in letters that
    /// form no words.
    pub(super) fn hash(&self, collision_count: Option<i32>) -> String {
        fnv_hash(&self.value().to_string(), collision_count)
    }
}

/// Returns the hash of a text and the collision count, in the form used in names.
pub(super) fn fnv_hash(text: &str, collision_count: Option<i32>) -> String {
    let mut hash = Fnv32::default();
    hash.write(text.as_bytes());
    if let Some(count) = collision_count {
        hash.write(&count.to_le_bytes());
    }
    safe_encode(&hash.0.to_string())
}

struct Fnv32(u32);

impl Default for Fnv32 {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Fnv32 {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
}

/// Maps each byte to one of 27 characters that form no words.
fn safe_encode(text: &str) -> String {
    const SAFE_CHARACTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    text.bytes()
        .map(|byte| char::from(SAFE_CHARACTERS[usize::from(byte) % SAFE_CHARACTERS.len()]))
        .collect()
}

/// Returns a copy of the labels with an additional label.
pub(super) fn with_label(labels: &ordered::Map<Str, Str>, key: &str, value: &str) -> Labels {
    let mut labels = labels.clone();
    labels.insert(key.into(), value.into());
    Arc::new(labels)
}

/// Sets one entry of a shared map; returns whether the map changed.
pub(super) fn set_entry(map: &mut Labels, key: &str, value: &str) -> bool {
    if map.get(key).is_some_and(|old| &**old == value) {
        return false;
    }
    Arc::make_mut(map).insert(key.into(), value.into());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: CT-065
    #[test]
    fn template_hash_changes_with_template_and_collision_count() {
        let mut template = Template::of(&Arc::new(PodTemplateSpec::default()));
        let first = template.hash(None);
        assert_eq!(first, template.hash(None));
        assert_ne!(first, template.hash(Some(1)));
        assert!(first.len() >= 8 && first.bytes().all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte)));
        Arc::make_mut(&mut template.0).spec.hostname = "other".into();
        assert_ne!(first, template.hash(None));
    }
}
