//! Validation of ConfigMaps and Secrets.

use base64::Engine as _;

use crate::json::JsonReader;
use crate::{ConfigMap, Secret, Str, ordered};

use super::error_list::IMMUTABLE;
use super::{ErrorList, Path, names};

/// Maximum total size of all values in a ConfigMap or Secret, in bytes.
const MAX_DATA_BYTES: usize = 1 << 20;
const MARKED_IMMUTABLE: &str = "field is immutable when `immutable` is set";

fn decode_base64(text: &str) -> Vec<u8> {
    // Malformed base64 was refused when the object was decoded.
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap_or_default()
}

fn check_data_keys(data: &ordered::Map<Str, Str>, path: &Path<'_>, errors: &mut ErrorList) {
    for key in data.keys() {
        errors.invalid_name(&path.key(key), key, &names::config_key_faults(key));
    }
}

pub(super) fn validate_config_map(object: &ConfigMap, errors: &mut ErrorList) {
    let data = Path::root("data");
    for key in object.data.keys() {
        let path = data.key(key);
        errors.invalid_name(&path, key, &names::config_key_faults(key));
        if object.binary_data.contains_key(key) {
            errors.invalid_text(&path, key, "duplicate of key present in binaryData");
        }
    }
    check_data_keys(&object.binary_data, &Path::root("binaryData"), errors);
    let binary = object.binary_data.values().map(|value| decode_base64(value).len());
    let size: usize = object.data.values().map(|value| value.len()).chain(binary).sum();
    if size > MAX_DATA_BYTES {
        // The server reports the error for the whole object, whose path is empty.
        errors.too_long(&Path::root("[]"), MAX_DATA_BYTES);
    }
}

pub(super) fn validate_config_map_update(old: &ConfigMap, new: &ConfigMap, errors: &mut ErrorList) {
    if old.immutable == Some(true) {
        for (name, changed) in [
            ("immutable", new.immutable != Some(true)),
            ("data", old.data != new.data),
            ("binaryData", old.binary_data != new.binary_data),
        ] {
            if changed {
                errors.forbidden(&Path::root(name), MARKED_IMMUTABLE);
            }
        }
    }
    validate_config_map(new, errors);
}

pub(super) fn validate_secret(object: &Secret, errors: &mut ErrorList) {
    let data = Path::root("data");
    check_data_keys(&object.data, &data, errors);
    let size: usize = object.data.values().map(|value| decode_base64(value).len()).sum();
    if size > MAX_DATA_BYTES {
        errors.too_long(&data, MAX_DATA_BYTES);
    }
    let has = |key: &str| object.data.contains_key(key);
    match &*object.kind {
        "kubernetes.io/service-account-token" => {
            const SERVICE_ACCOUNT_ANNOTATION: &str = "kubernetes.io/service-account.name";
            if object
                .metadata
                .annotation(SERVICE_ACCOUNT_ANNOTATION)
                .is_none_or(str::is_empty)
            {
                let metadata = Path::root("metadata");
                errors.required(&metadata.child("annotations").key(SERVICE_ACCOUNT_ANNOTATION), "");
            }
        }
        "kubernetes.io/dockercfg" => check_docker_config(object, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => check_docker_config(object, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            errors.required(&data.key("username"), "");
            errors.required(&data.key("password"), "");
        }
        "kubernetes.io/ssh-auth" if object.data.get("ssh-privatekey").is_none_or(|key| key.is_empty()) => {
            errors.required(&data.key("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if !has(key) {
                    errors.required(&data.key(key), "");
                }
            }
        }
        _ => {}
    }
}

/// Checks that registry credentials are JSON; the error message does not contain the credentials.
fn check_docker_config(object: &Secret, key: &str, errors: &mut ErrorList) {
    let data = Path::root("data");
    let Some(value) = object.data.get(key) else {
        return errors.required(&data.key(key), "");
    };
    let bytes = decode_base64(value);
    let text = String::from_utf8_lossy(&bytes);
    if let Err(error) = JsonReader::new(&text, 1).read_value() {
        errors.invalid_text(&data.key(key), "<secret contents redacted>", &error.message);
    }
}

pub(super) fn validate_secret_update(old: &Secret, new: &Secret, errors: &mut ErrorList) {
    if old.kind != new.kind {
        errors.invalid_text(&Path::root("type"), &new.kind, IMMUTABLE);
    }
    if old.immutable == Some(true) {
        for (name, changed) in [
            ("immutable", new.immutable != Some(true)),
            ("data", old.data != new.data),
        ] {
            if changed {
                errors.forbidden(&Path::root(name), MARKED_IMMUTABLE);
            }
        }
    }
    validate_secret(new, errors);
}
