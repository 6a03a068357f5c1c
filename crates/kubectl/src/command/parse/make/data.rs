//! Generates the objects of `create configmap|secret`: their data from literals, and names with a hash of the data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;

/// Parses the data of `--from-literal`. `--from-file` and `--from-env-file` are errors, because the console has no
/// files.
fn parse_literals(args: &Args, kind: &str, name: &str) -> Parsed<Map<String, Value>> {
    let is_given = |flag: &str| args.value(flag).is_some();
    if is_given("from-env-file") && (is_given("from-file") || is_given("from-literal")) {
        let why = "from-env-file cannot be combined with from-file or from-literal";
        return Err(args.error(args.column("from-env-file"), why));
    }
    for flag in ["from-file", "from-env-file"] {
        if let Some(path) = args.value(flag) {
            if flag == "from-file" && path.matches('=').count() > 1 {
                return Err(args.error(args.column(flag), "key names or file paths cannot contain '='"));
            }
            let path = path.rsplit('=').next().unwrap_or_default().to_owned();
            return Err(args.error(
                args.column(flag),
                format!("error reading {path}: no such file or directory"),
            ));
        }
    }
    let mut data = Map::new();
    for literal in args.values("from-literal") {
        let column = args.column("from-literal");
        let (key, value) = split_key_value(&literal)
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| args.error(column, format!("invalid literal source {literal}, expected key=value")))?;
        let is_key = key.len() <= 253
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if !is_key {
            return Err(args.error(
                column,
                format!("{key:?} is not a valid key name for a {kind}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"),
            ));
        }
        if data.insert(key.clone(), Value::from(value)).is_some() {
            return Err(args.error(
                column,
                match kind {
                    "ConfigMap" => format!(
                        "cannot add key {key:?}, another key by that name already exists in Data for ConfigMap {name:?}"
                    ),
                    _ => format!("cannot add key {key}, another key by that name already exists"),
                },
            ));
        }
    }
    Ok(data)
}

/// Appends a hash of the data to the name if `--append-hash` is given. The hash function differs from kubectl's.
pub(super) fn name_with_hash(args: &Args, name: &str, data: &Map<String, Value>) -> Parsed<String> {
    if !args.bool("append-hash", false)? {
        return Ok(name.to_owned());
    }

    const HASH_ALPHABET: &[u8; 16] = b"bcdfghjklmnpqrst";
    let text = Value::Object(data.clone()).to_string();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let suffix: String = (0..10)
        .map(|digit| char::from(HASH_ALPHABET[(hash >> (digit * 4)) as usize & 15]))
        .collect();
    Ok(format!("{name}-{suffix}"))
}

/// `create configmap`.
pub(super) fn generate_config_map(args: &Args) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let data = parse_literals(args, "ConfigMap", &name)?;
    let name = name_with_hash(args, &name, &data)?;
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if !data.is_empty() {
        object["data"] = Value::Object(data);
    }
    Ok(generated_object(object, "configmap"))
}

/// `create secret`.
pub(super) fn generate_secret(args: &Args, kind: &str) -> Parsed<GeneratedObjects> {
    let name = object_name_argument(args)?;
    let encoded = |text: &str| Value::from(STANDARD.encode(text));
    let mut data = parse_literals(args, "Secret", &name)?;
    data.values_mut()
        .for_each(|value| *value = encoded(value.as_str().unwrap_or_default()));
    let mut secret_type = args.value("type").filter(|text| !text.is_empty());
    match kind {
        "tls" => {
            let given = |flag: &str| args.value(flag).filter(|path| !path.is_empty());
            let Some((path, _)) = given("cert").zip(given("key")) else {
                return Err(args.error(args.end, "key and cert must be specified"));
            };
            let why = format!("Cannot read file {path}, open {path}: no such file or directory");
            return Err(args.error(args.column("cert"), why));
        }
        "docker-registry" => {
            let given = |flag: &str| args.value(flag).unwrap_or_default();
            let (user, password) = (given("docker-username"), given("docker-password"));
            let server = args
                .value("docker-server")
                .unwrap_or_else(|| "https://index.docker.io/v1/".to_owned());
            if user.is_empty() || password.is_empty() || server.is_empty() {
                let why = "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required";
                return Err(args.error(args.end, why));
            }
            let mut entry = json!({"username": user, "password": password});
            if let Some(email) = args.value("docker-email") {
                entry["email"] = Value::from(email);
            }
            entry["auth"] = encoded(&format!("{user}:{password}"));
            data.insert(
                ".dockerconfigjson".to_owned(),
                encoded(&json!({"auths": {server: entry}}).to_string()),
            );
            secret_type = Some("kubernetes.io/dockerconfigjson".to_owned());
        }
        _ => {}
    }
    let name = name_with_hash(args, &name, &data)?;
    let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    if !data.is_empty() {
        object["data"] = Value::Object(data);
    }
    if let Some(secret_type) = secret_type {
        object["type"] = Value::from(secret_type);
    }
    let mut generated = generated_object(object, "");
    generated.context = podscope_cluster::client::ErrorContext::Own("failed to create secret ".to_owned());
    Ok(generated)
}
