//! Sends requests that were recorded against a real control plane (`tests/conformance/wire`) to Podscope, and compares
//! the responses.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;

use crate::access;
use crate::client::{Answer, OpenWatch, get, parse_response, post, send, serve};

mod placeholders;

use placeholders::PlaceholderValues;

/// The four nodes of the recorded cluster, all of whose components ran on one machine.
const SCENARIO: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: wire}
spec:
  components: {network: {latency: 1ms, jitter: 500us}}
  cluster: {zones: [a, b], nodesPerZone: 2, node: {cpu: '1', memory: 3840Mi, pods: '110'}}
";
const EXCUSED_DIFFERENCES: &str = include_str!("wire-excused.txt");
/// Minimum percentage of the compared exchanges that must agree.
const MIN_AGREEMENT_PERCENT: usize = 97;
/// Response headers that are compared.
const COMPARED_HEADERS: [&str; 4] = ["Content-Type", "Warning", "Retry-After", "Allow"];

fn recorded_exchanges() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/conformance/wire/wire.jsonl.gz"
    );
    let file = std::fs::File::open(path).expect("the corpus is there");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("it is text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// Formats a body as the recording client did, with a space after each comma and colon.
fn format_with_spaces(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(format_with_spaces).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), format_with_spaces(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the sorted names of an object's fields.
fn sorted_field_names(object: &Value) -> Value {
    let mut names: Vec<&String> = object
        .as_object()
        .into_iter()
        .flat_map(|object| object.keys())
        .collect();
    names.sort();
    serde_json::json!(names)
}

/// Reduces a response to the part that was recorded, if the recording contains only a part.
fn reduce_to_recorded_part(note: &str, expected: &Value, found: &Value) -> Option<Value> {
    let schemas = found["components"]["schemas"].as_object();
    let without_descriptions = |schema: &Value| {
        let mut schema = schema.clone();
        fn strip_descriptions(value: &mut Value) {
            match value {
                Value::Object(map) => {
                    map.retain(|key, value| key != "description" || !value.is_string());
                    map.values_mut().for_each(strip_descriptions);
                }
                Value::Array(items) => items.iter_mut().for_each(strip_descriptions),
                _ => {}
            }
        }
        strip_descriptions(&mut schema);
        schema
    };
    Some(match note {
        "this group only" => {
            let name = &expected[0]["metadata"]["name"];
            let groups = found["items"].as_array()?;
            groups
                .iter()
                .filter(|group| group["metadata"]["name"] == *name)
                .cloned()
                .collect()
        }
        "paths with methods, names of schemas" => {
            let paths = found["paths"].as_object()?;
            let paths: serde_json::Map<String, Value> = paths
                .iter()
                .map(|(path, item)| (path.clone(), sorted_field_names(item)))
                .collect();
            let schemas = sorted_field_names(found.pointer("/components/schemas")?);
            serde_json::json!({"openapi": found["openapi"], "paths": paths, "schemas": schemas})
        }
        "keys only" => serde_json::json!({
            "swagger": found["swagger"],
            "info": {"title": found["info"]["title"]},
            "keys": sorted_field_names(found),
        }),
        "one schema" => schemas?.get("com.example.v1.Widget")?.clone(),
        "two schemas, no descriptions" => ["ConfigMap", "Container"]
            .iter()
            .filter_map(|name| {
                let schema = schemas?.get(&format!("io.k8s.api.core.v1.{name}"))?;
                Some((format!("schema of {name}"), without_descriptions(schema)))
            })
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        _ => return None,
    })
}

fn truncated_text(value: &Value) -> String {
    let width = std::env::var("PODSCOPE_WIRE_WIDTH")
        .ok()
        .and_then(|width| width.parse().ok());
    value.to_string().chars().take(width.unwrap_or(160)).collect()
}

struct ComparisonOptions<'a> {
    varies: Vec<&'a str>,
    numbers_vary: bool,
    compares_managed_fields: bool,
    /// Whether the recording contains only a part of the response.
    is_partial: bool,
}

impl<'a> ComparisonOptions<'a> {
    fn of(exchange: &'a Value, compares_managed_fields: bool) -> ComparisonOptions<'a> {
        let varies = exchange["varies"].as_array();
        ComparisonOptions {
            varies: varies.into_iter().flatten().filter_map(Value::as_str).collect(),
            numbers_vary: exchange["varies"] == "numbers" || varies.is_some(),
            compares_managed_fields,
            is_partial: !text_field(exchange, "note").is_empty(),
        }
    }
}

fn text_field<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// An open watch of the replay, and the recorded exchange of the same watch.
struct ReplayedWatch {
    exchange: Value,
    watch: OpenWatch,
}

/// A group of exchanges, replayed on a new cluster.
struct GroupReplay {
    server: SocketAddr,
    names: PlaceholderValues,
    /// Simulated time of the start of the group, in seconds.
    began: f64,
    open: Vec<ReplayedWatch>,
    /// The latest token that the server has issued.
    token: String,
    compares_managed_fields: bool,
    /// The first difference of each exchange, if any, by the name of the exchange.
    found: BTreeMap<String, Option<String>>,
}

impl GroupReplay {
    fn advance_to(&mut self, at: f64) {
        self.close_watches_until(at);
        // Earlier requests have already advanced the simulated time.
        let left = self.began + at - simulated_seconds(self.server);
        if left > 0.0 {
            let body = serde_json::json!({"seconds": left}).to_string();
            post(self.server, "/podscope/v1/advance", &body);
        }
    }

    /// Closes the watches that the recorded client had closed by this time.
    fn close_watches_until(&mut self, at: f64) {
        let (over, open) = std::mem::take(&mut self.open).into_iter().partition(|open| {
            text_field(&open.exchange, "closed_by") == "client" && open.exchange["end"].as_f64() <= Some(at)
        });
        self.open = open;
        for open in Vec::<ReplayedWatch>::from_iter(over) {
            self.compare_watch(open);
        }
    }

    fn compare_watch(&mut self, open: ReplayedWatch) {
        let empty = Vec::new();
        let expected = open.exchange["response_lines"].as_array().unwrap_or(&empty);
        let lines = match text_field(&open.exchange, "closed_by") {
            "server" => open.watch.wait_for_lines(usize::MAX, Duration::from_secs(4)),
            _ => open.watch.wait_for_lines(expected.len(), Duration::from_secs(2)),
        };
        open.watch.close();
        let name = text_field(&open.exchange, "name").to_owned();
        let comparison = ComparisonOptions::of(&open.exchange, self.compares_managed_fields);
        let mut why = status_difference(&open.exchange, &open.watch.answer, &comparison);
        // The exchange was recorded twice, with different numbers of lines, so the lines are not compared.
        if comparison.varies.contains(&"/response_lines") {
            self.found.insert(name, why);
            return;
        }
        for (number, line) in expected.iter().enumerate() {
            let found = lines
                .get(number)
                .map(|line| serde_json::from_str(line).unwrap_or_default());
            let path = format!("/response_lines/{number}/line");
            let expected = match &line["line"] {
                Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
                other => other.clone(),
            };
            let differs = match &found {
                Some(found) => self.names.first_difference(&path, &expected, found, &comparison),
                None => Some(format!("{path}: wanted {}", truncated_text(&expected))),
            };
            why = why.or(differs);
        }
        let more = lines
            .get(expected.len())
            .map(|line| format!("a line more: {}", line.chars().take(160).collect::<String>()));
        self.found.insert(name, why.or(more));
    }

    fn replay_exchange(&mut self, exchange: &Value) {
        let name = text_field(exchange, "name").to_owned();
        let is_held = exchange["held"] == true;
        let Some(path) = self.fill_path(text_field(exchange, "path")) else {
            // The path contains a placeholder whose value occurs only in a response that is not compared.
            return;
        };
        let headers: Vec<(String, String)> = exchange["request_headers"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                (
                    name.clone(),
                    value.as_str().unwrap_or_default().replace("<token>", &self.token),
                )
            })
            .collect();
        let body = match &exchange["request_body"] {
            Value::Null => String::new(),
            Value::String(text) => match self.names.fill_placeholders(text) {
                Some(text) => text,
                None => return,
            },
            value => match self
                .names
                .fill_placeholders_in_value(value)
                .or_else(|| self.fill_in_current_values(&path, value))
            {
                Some(value) => format_with_spaces(&value),
                None => return,
            },
        };
        let is_get = text_field(exchange, "method") == "GET";
        let is_watch = exchange.get("response_lines").is_some();
        if is_watch || is_held && is_get && (path.contains("watch=") || path.contains("/v1/watch/")) {
            let watch = OpenWatch::open(self.server, &path, &headers);
            let open = ReplayedWatch {
                exchange: exchange.clone(),
                watch,
            };
            match is_watch {
                true => self.open.push(open),
                false => open.watch.close(),
            }
            return;
        }
        let answer = match text_field(exchange, "note") {
            // The recorded server used TLS and required credentials, as a Podscope server for other machines does.
            "no credentials" => get_without_credentials(&path, &headers),
            _ => send(
                self.server,
                text_field(exchange, "method"),
                &path,
                &headers,
                body.as_bytes(),
            ),
        };
        if let Some(token) = serde_json::from_str::<Value>(&answer.body)
            .ok()
            .and_then(|body| Some(body.pointer("/status/token")?.as_str()?.to_owned()))
        {
            self.token = token;
        }
        if is_held {
            if std::env::var_os("PODSCOPE_WIRE_HELD").is_some() {
                let text = truncated_text(&Value::from(answer.body.as_str()));
                eprintln!("  {name}\t{} {:?} {text}", answer.status, answer.header("Warning"));
            }
            return;
        }
        let answer = self.with_recorded_port(answer);
        let why = {
            let comparison = ComparisonOptions::of(exchange, self.compares_managed_fields);
            status_difference(exchange, &answer, &comparison).or_else(|| self.body_difference(exchange, &answer))
        };
        self.found.insert(name, why);
    }

    /// Replaces the port of this server in a response with the recorded port.
    fn with_recorded_port(&self, answer: Answer) -> Answer {
        let port = format!("127.0.0.1:{}", self.server.port());
        let body = answer.body.replace(&port, "127.0.0.1:6443");
        Answer { body, ..answer }
    }

    /// Replaces the placeholders in a path. An unknown resource version becomes the newest one.
    fn fill_path(&mut self, path: &str) -> Option<String> {
        if let Some(known) = self.names.fill_placeholders(path) {
            return Some(known);
        }
        let collection = path.split('?').next().unwrap_or_default();
        let list: Value = serde_json::from_str(&get(self.server, collection).body).ok()?;
        let version = list["metadata"]["resourceVersion"].as_str()?.to_owned();
        for name in PlaceholderValues::placeholder_regex()
            .find_iter(path)
            .filter(|name| name.as_str().starts_with("<rv#"))
        {
            self.names
                .0
                .entry(name.as_str().to_owned())
                .or_insert_with(|| version.clone());
        }
        self.names.fill_placeholders(path)
    }

    /// Fills in values of the current object that the recorded client took from a response that is not compared.
    fn fill_in_current_values(&mut self, path: &str, body: &Value) -> Option<Value> {
        let path = path.split('?').next().unwrap_or_default();
        let mut answer = get(self.server, path);
        // A subresource that cannot be read is answered with 405: read its object instead.
        if let (405, Some((parent, _))) = (answer.status, path.rsplit_once('/')) {
            answer = get(self.server, parent);
        }
        let object: Value = serde_json::from_str(&answer.body).ok()?;
        let body = PlaceholderValues::with_live_values(body, &object);
        for name in PlaceholderValues::placeholder_regex().find_iter(&body.to_string()) {
            let name = name.as_str();
            if !name.contains('#') {
                continue;
            }
            let field = if name.starts_with("<uid#") {
                "uid"
            } else if name.starts_with("<rv#") {
                "resourceVersion"
            } else {
                "creationTimestamp"
            };
            let value = object["metadata"][field].as_str()?.to_owned();
            self.names.0.entry(name.to_owned()).or_insert(value);
        }
        self.names.fill_placeholders_in_value(&body)
    }

    fn body_difference(&mut self, exchange: &Value, answer: &Answer) -> Option<String> {
        let comparison = ComparisonOptions::of(exchange, self.compares_managed_fields);
        for header in COMPARED_HEADERS {
            let expected = exchange["response_headers"][header].as_str();
            let found = answer.header(header);
            let pointer = format!("/response_headers/{header}");
            let matches = match (expected, &found) {
                (Some(expected), Some(found)) => self.names.matches(expected, found, true),
                (None, None) => true,
                _ => false,
            };
            if !matches && !comparison.varies.contains(&pointer.as_str()) {
                return Some(format!("{header}: wanted {expected:?}, found {found:?}"));
            }
        }
        let expected = &exchange["response_body"];
        if *expected == "<bytes>" || *expected == "<not kept>" {
            return None;
        }
        let yaml = |text: &str| {
            podscope_api::read_yaml(text)
                .map(|tree| tree.to_value())
                .unwrap_or_default()
        };
        if answer.header("Content-Type").as_deref() == Some("application/yaml")
            && let Value::String(text) = expected
        {
            return self
                .names
                .first_difference("/response_body", &yaml(text), &yaml(&answer.body), &comparison);
        }
        let json: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        if let Some(found) = reduce_to_recorded_part(text_field(exchange, "note"), expected, &json) {
            return self
                .names
                .first_difference("/response_body", expected, &found, &comparison);
        }
        let found = match expected {
            Value::String(_) => Value::from(answer.body.as_str()),
            Value::Array(_) if json.pointer("/status/conditions").is_some() => {
                let conditions = json["status"]["conditions"].as_array().cloned().unwrap_or_default();
                conditions
                    .into_iter()
                    .filter(|one| one["type"] == expected[0]["type"])
                    .collect()
            }
            // Only the names of the fields were recorded.
            Value::Array(names) if json.is_object() && names.iter().all(Value::is_string) => sorted_field_names(&json),
            Value::Object(_) if comparison.is_partial && expected.get("cpu").is_some() => {
                json["status"]["capacity"].clone()
            }
            Value::Object(_) if comparison.is_partial && text_field(exchange, "note") == "groups trimmed" => {
                keep_recorded_groups(expected, json.clone())
            }
            Value::Null if answer.body.is_empty() => Value::Null,
            _ => serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::from(answer.body.as_str())),
        };
        self.names
            .first_difference("/response_body", expected, &found, &comparison)
    }
}

/// Reduces a discovery document to the recorded groups.
fn keep_recorded_groups(expected: &Value, mut found: Value) -> Value {
    for (list, name) in [("groups", "/name"), ("items", "/metadata/name")] {
        let names: Vec<&Value> = expected[list]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one.pointer(name))
            .collect();
        if let Some(groups) = found.get_mut(list).and_then(Value::as_array_mut) {
            groups.retain(|group| names.contains(&group.pointer(name).unwrap_or(&Value::Null)));
        }
    }
    found
}

fn status_difference(exchange: &Value, answer: &Answer, comparison: &ComparisonOptions<'_>) -> Option<String> {
    let expected = exchange["status"].as_u64().unwrap_or(0);
    let found = answer.status;
    (expected != u64::from(found) && !comparison.varies.contains(&"/status")).then(|| {
        let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        format!("status: wanted {expected}, found {found}: {}", body["message"])
    })
}

/// Sends a GET without credentials and returns the response.
fn get_without_credentials(path: &str, headers: &[(String, String)]) -> Answer {
    let server = access::serve_with_listen_address("anonymous", std::net::Ipv4Addr::LOCALHOST);
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    parse_response(&server.get(path, &headers))
}

/// Returns the simulated time of a server in seconds.
fn simulated_seconds(server: SocketAddr) -> f64 {
    get(server, "/podscope/v1/time").json()["t"].as_f64().expect("seconds")
}

/// Replays a group and returns the difference of each compared exchange, by name; None if there is none.
fn replay_and_compare(exchanges: &[Value], compares_managed_fields: bool) -> BTreeMap<String, Option<String>> {
    let server = serve(SCENARIO);
    let at = server.address();
    post(at, "/podscope/v1/advance", r#"{"seconds": 60}"#);
    let mut group = GroupReplay {
        server: at,
        names: PlaceholderValues::default(),
        began: simulated_seconds(at),
        open: Vec::new(),
        token: String::new(),
        compares_managed_fields,
        found: BTreeMap::new(),
    };
    let mut is_first = true;
    for exchange in exchanges {
        group.advance_to(exchange["at"].as_f64().unwrap_or(0.0));
        group.replay_exchange(exchange);
        if std::mem::take(&mut is_first) {
            // Continue right after a renewal of the leases (every 2 s), so that none changes during the next exchanges.
            post(at, "/podscope/v1/advance", r#"{"seconds": 2.5}"#);
            group.began += 2.5;
        }
    }
    group.close_watches_until(f64::MAX);
    for open in std::mem::take(&mut group.open) {
        group.compare_watch(open);
    }
    // The server still runs after all requests.
    assert_eq!(get(at, "/readyz").status, 200);
    group.found
}

/// `PODSCOPE_WIRE=GROUP` prints every difference of a group (`all`: of all), each value up to `PODSCOPE_WIRE_WIDTH`
/// characters; with `PODSCOPE_WIRE_MANAGERS` set, `managedFields` are compared too, and `PODSCOPE_WIRE_HELD` prints the
/// responses that are held out of the comparison.
///
/// Shows: HT-006, HT-013, HT-022, HT-024, HT-028, HT-031, HT-032, HT-043, HT-044, HT-045, HT-056, HT-057, HT-060, HT-061
#[test]
fn responses_equal_recorded_exchanges() {
    let expected = std::env::var("PODSCOPE_WIRE").unwrap_or_default();
    let compares_managed_fields = std::env::var_os("PODSCOPE_WIRE_MANAGERS").is_some();
    let mut groups: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for exchange in recorded_exchanges() {
        groups
            .entry(text_field(&exchange, "group").to_owned())
            .or_default()
            .push(exchange);
    }
    let excused: BTreeMap<&str, &str> = EXCUSED_DIFFERENCES
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let (mut wrong, mut all, mut fine) = (Vec::new(), 0, 0);
    let chosen = groups
        .iter()
        .filter(|(name, _)| expected.is_empty() || expected == "all" || expected == **name);
    // Replays run in parallel, because most of their time is spent waiting.
    let results: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = chosen
            .map(|(name, exchanges)| {
                (
                    name,
                    scope.spawn(|| replay_and_compare(exchanges, compares_managed_fields)),
                )
            })
            .collect();
        running
            .into_iter()
            .map(|(name, one)| (name, one.join().expect("a group is replayed")))
            .collect()
    });
    for (name, found) in results {
        let agree = found.values().filter(|why| why.is_none()).count();
        eprintln!("{name}: {agree} of {}", found.len());
        (all, fine) = (all + found.len(), fine + agree);
        for (name, why) in &found {
            match (why, excused.contains_key(name.as_str())) {
                (Some(why), _) if !expected.is_empty() => eprintln!("  {name}\t{why}"),
                (Some(why), false) => wrong.push(format!("{name}: {why}")),
                (None, true) => wrong.push(format!("{name} agrees now: take it out of wire-excused.txt")),
                _ => {}
            }
        }
    }
    eprintln!("{fine} of {all} agree");
    let is_whole = expected.is_empty() || expected == "all";
    assert!(!is_whole || fine * 100 >= all * MIN_AGREEMENT_PERCENT, "fewer agree");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
