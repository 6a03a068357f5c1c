//! Takes out of an answer what is random or belongs to one set-up, on both sides of every comparison: the rules of
//! `tests/conformance/live/README.md`, "Normalisation".

use std::borrow::Cow;
use std::sync::LazyLock;

use fancy_regex::{Captures, Regex};
use serde_json::{Map, Value};

/// Letters of random names, as the API server draws them.
const SAFE: &str = "bcdfghjklmnpqrstvwxz2456789";

/// A pattern that is looked for everywhere, and what stands in its place.
struct Rule {
    pattern: Regex,
    by: &'static str,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(&pattern.replace("SAFE", SAFE)).expect("the pattern is one")
}

fn rules(table: &[(&str, &'static str)]) -> Vec<Rule> {
    let rule = |(pattern, by): &(&str, &'static str)| Rule {
        pattern: regex(pattern),
        by,
    };
    table.iter().map(rule).collect()
}

fn apply(rules: &[Rule], text: String) -> String {
    rules
        .iter()
        .fold(text, |text, rule| match rule.pattern.replace_all(&text, rule.by) {
            Cow::Borrowed(_) => text,
            Cow::Owned(changed) => changed,
        })
}

fn replace(pattern: &Regex, text: &str, by: impl Fn(&Captures<'_, str>) -> String) -> String {
    pattern
        .replace_all(text, |found: &Captures<'_, str>| by(found))
        .into_owned()
}

fn group<'a>(found: &'a Captures<'_, str>, n: usize) -> &'a str {
    found.get(n).map_or("", |part| part.as_str())
}

fn matches(pattern: &Regex, text: &str) -> bool {
    pattern.is_match(text).expect("the pattern needs no deep search")
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

/// The service account token volume (`kube-api-access-…`), which every pod of a real cluster has, in each form that is
/// printed.
static TOKEN: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    rules(&[
        // YAML.
        (
            r"(?m)^( *)- mountPath: /var/run/secrets/kubernetes\.io/serviceaccount\n\1  name: kube-api-access-[a-z0-9]{5}\n\1  readOnly: true\n(\1  recursiveReadOnly: \w+\n)?",
            "",
        ),
        (r"(?m)^( *)- name: kube-api-access-[a-z0-9]{5}\n(\1 +.*\n)+", ""),
        (r"(?m)^( *)(- )volumeMounts:\n(?!\1 *- mountPath|\1 *- name)", "$1$2"),
        (r"(?m)^( *)volumeMounts:\n(?!\1 *- mountPath|\1 *- name)", ""),
        (r"(?m)^( *)volumes:\n(?!\1- )", ""),
        // KYAML.
        (
            r#"(?m)^ *volumeMounts: \[\{\n *mountPath: "/var/run/secrets/kubernetes\.io/serviceaccount",\n.*\n(.*recursive.*\n|.*readOnly.*\n)+ *\}\],\n"#,
            "",
        ),
        (
            r#"(?m)^( *)volumes: \[\{\n *name: "kube-api-access-[a-z0-9]{5}",\n(?:(?!\1\}\],).*\n)*\1\}\],\n"#,
            "",
        ),
        // describe.
        (
            r"Mounts:\n +/var/run/secrets/kubernetes\.io/serviceaccount from kube-api-access-[a-z0-9]{5} \(ro\)",
            "Mounts:         <none>",
        ),
        (
            r"\n +/var/run/secrets/kubernetes\.io/serviceaccount from kube-api-access-[a-z0-9]{5} \(ro\)",
            "",
        ),
        (
            r"Volumes:\n  kube-api-access-[a-z0-9]{5}:\n(    .*\n)+",
            "Volumes:  <none>\n",
        ),
        (r"  kube-api-access-[a-z0-9]{5}:\n(    .*\n)+", ""),
        // JSON in one line.
        (
            r#",?\{"mountPath":"/var/run/secrets/kubernetes\.io/serviceaccount","name":"kube-api-access-[a-z0-9]{5}","readOnly":true(,"recursiveReadOnly":"\w+")?\}"#,
            "",
        ),
        (
            r#",?\{"name":"kube-api-access-[a-z0-9]{5}","projected":\{"defaultMode":420,"sources":\[.*?\]\}\}(?=[\],])"#,
            "",
        ),
        (r#","volumeMounts":\[\]"#, ""),
        (r#","volumes":\[\]"#, ""),
    ])
});

/// Before names with random endings.
static TOKENS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    rules(&[
        (r"docker\.io/library/", ""),
        (r"\b[\w.-]+_[0-9a-f-]{36} became leader", "<id> became leader"),
        (
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            "<uid>",
        ),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
        (r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
        (r#"(resourceVersion\\*"?: ?\\*"?)\d+"#, "$1<rv>"),
        (r"(Resource Version: +)\d+", "$1<rv>"),
        (r"(Expected resource version to be \S+ was )\d+", "$1<rv>"),
        (r"(Image size: )\d+", "$1<n>"),
        (
            r"\bin \d+(\.\d+)?(ms|s) \(\d+(\.\d+)?(ms|s) including waiting\)",
            "in <age> (<age> including waiting)",
        ),
        (r"\(x\d+ over [^)]*\)", "(x<n> over <age>)"),
        (r#"(imageID"?: )\S[^,\n]*"#, "$1<imageid>"),
        (r#"("imageID":)"[^"]*""#, r#"$1"<imageid>""#),
        (r"(Image ID: +)\S.*", "$1<imageid>"),
        (r#"(containerID"?: )\S[^,\n]*"#, "$1<containerid>"),
        (r#"("containerID":)"[^"]*""#, r#"$1"<containerid>""#),
        (r"(Container ID: +)\S.*", "$1<containerid>"),
        (r#"(fakeRuntime|containerd|podscope)://[^\s",)]+"#, "<containerid>"),
        (
            r"((?:Machine ID|System UUID|Boot ID|Kernel Version|OS Image|Container Runtime Version):) +\S.*",
            "$1  <id>",
        ),
        (
            r#"((?:machineID|systemUUID|bootID|kernelVersion|osImage|containerRuntimeVersion)"?: ?)("?)[^",\n]*("?)"#,
            "$1$2<id>$3",
        ),
        (r#"(?m)(ephemeral-storage"?: +)"?\d+(Ki)?"?(?=,?$)"#, "$1<n>"),
        (r#"(?m)^( *ProviderID: +| *"?providerID"?: "?)kubemark://.*\n"#, ""),
        (
            r"Debian GNU/Linux 7 \(wheezy\)|Podscope Linux|3\.16\.0-0\.bpo\.4-amd64|(?<=  )6\.12\.0",
            "<id>",
        ),
        (r"0x[0-9a-f]{6,}", "<addr>"),
        (
            r"(?m)^([WIEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\w+\.go):\d+\]",
            "${1}<time> ${2}]",
        ),
        (r"\bv1\.(\d\d)\.\d+\b", "v1.${1}.<n>"),
        (
            r#"(pod-template-hash|controller-revision-hash|controller\.kubernetes\.io/hash)((?:"?[:=] ?"?|\s+in \()(?:[a-z][a-z0-9]*-)?)[SAFE]{6,10}\b"#,
            "$1$2<hash>",
        ),
        (
            r"\b([a-z][a-z0-9.-]*)-[SAFE]{8,10}-[SAFE]{5}(?![A-Za-z0-9-])",
            "$1-<hash>-<suffix>",
        ),
        (r"\b([a-z][a-z0-9.-]*)-[SAFE]{8,10}(?![\w-])", "$1-<hash>"),
        (r#"\b([a-z][a-z0-9.-]*)-[SAFE]{8,10}-(?=["\s]|$)"#, "$1-<hash>-"),
    ])
});

patterns! {
    SUFFIX = r"\b([a-z][a-z0-9.-]*-(?:<hash>-)?)([SAFE]{5})(?![A-Za-z0-9-])";
    GENERATE_NAME = r#"generateName"?: *"?([^\s"{},]+)"#;
    EVENT_NAME = r"\b([a-z0-9][a-z0-9.<>-]*)\.[0-9a-f]{15,16}\b";
    IP = r"\b(10|127|172|192)\.\d+\.\d+\.\d+\b(?!/\d)";
    NODE_PORT = r#"((?:nodePort|NodePort|healthCheckNodePort)"?: *(?:<unset> +|\S+ +)?|\d:)(3[0-2]\d{3})\b"#;
    AGE = r"(?<!leading )(?<![\w.=:/-])(?:\d+y)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s|\d+(?:\.\d+)?ms|(?<=[ydhm]))(?![\w-])";
    MILLI = r"^\d{3,}m$";
    MINUTES = r"^\d+m$";
    ABOUT_NODES = r"^\s*kubectl(\s+-n\s+\S+)?\s+(cordon|uncordon|drain|taint)\b|\b(nodes?|no|csinodes?)(/|\s|$|,)";
    NODE = r"(?<![\w.-])[abc]-[12](?![\w-]|\.[a-z0-9])";
    NODE_NAMED = r"(?<![\w.-])NODE(?![\w-])";
    MESSAGE = r"(?m)^( *)(- )?(message: .*)\n((?:\1(?:  )?  \S.*\n)+)";
    NOT_FOUND = r#"failed to\s+resolve\s+reference\s+\\?"[^"\s]*":\s+\S+:\s+not\s+found"#;
    ZONE = r#"(topology\.kubernetes\.io/zone\\*"?[:=] ?\\*"?|(?<=[ "])zone"?: ?"?)[abc]\b"#;
    ZONE_LINE = r"(?m)(Zone: +)[abc]$";
    BLANKS = r"[ \t]{2,}";
    INDENTED = r"^ {9,}";
    RESTARTING = r"  \d+/\d+  (?:Init:)?(?:Running|Error|Completed|CrashLoopBackOff|\d+/\d+)  \d+ \(<age> ago\)";
    NO_IMAGE = r"  (?:ErrImagePull|ImagePullBackOff)  ";
    ALWAYS_THERE = r"^(\S+  )?(configmap/)?kube-root-ca\.crt(  |$)|^(default  )?(service/|endpoints/|endpointslice\.discovery\.k8s\.io/)?kubernetes(  |$)";
    RULER = r"-{3,}";
    LISTS_EVENTS = r"^\s*kubectl (-n \S+ )?(get (events?|ev)\b|events\b)";
    LISTS_MARKS = r"kubectl (label|annotate)\b.* --list";
    REPEATS = r"^(?:Waiting for |error when evicting pods?)";
    HASH_END = r"[SAFE]{6,10}$";
}

const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// What a command printed, normalised. `context` is the command line and its standard input: what these name is never
/// replaced. Without `ages` the text is an answer to create or apply, where a duration is never an age.
///
/// # Panics
/// A pattern needs too deep a search, which is a mistake of the pattern.
#[must_use]
pub fn text(text: &str, context: &str, ages: bool) -> String {
    if text.is_empty() {
        return String::new();
    }
    let command = context.split('\n').next().unwrap_or_default();
    let text = whole_json(text).unwrap_or_else(|| text.to_owned());
    // Long messages of YAML go on in the next lines.
    let text = replace(&MESSAGE, &text, unfold);
    let text = NOT_FOUND.replace_all(&text, "not found").into_owned();
    let mut text = tokens(apply(&TOKEN, text), context);
    if ages {
        text = joined(text.split('\n').map(without_ages));
    }
    if !matches(&ABOUT_NODES, command) {
        text = replace(&NODE, &text, |found| {
            let node = group(found, 0);
            let named = Regex::new(&NODE_NAMED.as_str().replace("NODE", node)).expect("a node's name is no pattern");
            let by = if matches(&named, context) { node } else { "<node>" };
            by.to_owned()
        });
        if !context.contains(ZONE_LABEL) {
            text = ZONE.replace_all(&text, "$1<zone>").into_owned();
            text = ZONE_LINE.replace_all(&text, "$1<zone>").into_owned();
        }
    }
    joined(lines(&text, context, command))
        .trim_matches('\n')
        .trim_end()
        .to_owned()
}

fn joined<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    let lines: Vec<T> = lines.into_iter().collect();
    lines.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n")
}

/// The rules for whole lines.
fn lines(text: &str, context: &str, command: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.split('\n').map(collapse).collect();
    if command.contains("describe") {
        // The width of a column follows the longest name of the section.
        for line in &mut lines {
            *line = INDENTED.replace(line, "          ").into_owned();
        }
    }
    for line in &mut lines {
        // A container that ends again and again, an image that is not there: what is seen is a matter of the second.
        *line = RESTARTING
            .replace_all(line, "  <ready>  <restarting>  <n> (<age> ago)")
            .into_owned();
        *line = NO_IMAGE.replace_all(line, "  <no image>  ").into_owned();
    }
    lines.retain(|line| !matches(&ALWAYS_THERE, line));
    for line in &mut lines {
        *line = RULER.replace_all(line, "----").into_owned();
    }
    if matches(&LISTS_EVENTS, context) && !context.contains("--sort-by") {
        let is_racy = |line: &str| line.contains("TaintManagerEviction") && line.contains("Cancelling deletion");
        lines.retain(|line| !line.is_empty() && !is_racy(line));
        let head = usize::from(!context.contains("--no-headers")).min(lines.len());
        lines[head..].sort_unstable();
    }
    if matches(&LISTS_MARKS, command) {
        lines.retain(|line| !line.is_empty());
        lines.sort_unstable();
    }
    // How often a rollout or a drain says the same thing again is a matter of the millisecond.
    lines.dedup_by(|line, before| line == before && matches(&REPEATS, line));
    sort_random_names(&mut lines);
    lines
}

/// Names with random endings sort at random.
fn sort_random_names(lines: &mut [String]) {
    let is_random = |line: &String| {
        let mut cells = line.split("  ");
        let first = cells.next().unwrap_or_default();
        let second = cells.next().unwrap_or(first);
        !line.starts_with(' ') && (first.contains("<suffix>") || second.contains("<suffix>"))
    };
    for run in lines.chunk_by_mut(|a, b| is_random(a) && is_random(b)) {
        run.sort_unstable();
    }
}

/// One API object, normalised.
#[must_use]
pub fn object(mut value: Value, context: &str) -> Value {
    strip(&mut value);
    walk(value, "", context)
}

fn walk(value: Value, key: &str, context: &str) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, value)| (tokens(key.clone(), context), walk(value, &key, context)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| walk(item, key, context)).collect()),
        Value::String(text) => Value::String(word(text, key, context)),
        other => match key {
            "nodePort" | "healthCheckNodePort" if !context.contains(&other.to_string()) => "<nodeport>".into(),
            "sizeBytes" => "<n>".into(),
            _ => other,
        },
    }
}

fn word(text: String, key: &str, context: &str) -> String {
    let named = context.contains(&text);
    match key {
        "resourceVersion" => "<rv>".to_owned(),
        "imageID"
        | "containerID"
        | "machineID"
        | "systemUUID"
        | "bootID"
        | "kernelVersion"
        | "osImage"
        | "containerRuntimeVersion" => (if text.is_empty() { "" } else { "<id>" }).to_owned(),
        ZONE_LABEL | "zone" if !context.contains(ZONE_LABEL) => "<zone>".to_owned(),
        "nodeName" | "nominatedNodeName" | "kubernetes.io/hostname" if !named => "<node>".to_owned(),
        "pod-template-hash" | "controller-revision-hash" | "controller.kubernetes.io/hash" if !named => {
            HASH_END.replace(&text, "<hash>").into_owned()
        }
        _ => tokens(text, context),
    }
}

/// A text that is JSON as a whole, without the token volume and the managed fields.
fn whole_json(text: &str) -> Option<String> {
    let stripped = text.trim();
    if !stripped.starts_with(['{', '[']) {
        return None;
    }
    let mut value: Value = serde_json::from_str(stripped).ok()?;
    strip(&mut value);
    if !stripped.contains('\n') {
        return Some(value.to_string());
    }
    let mut out = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut out, indent);
    serde::Serialize::serialize(&value, &mut writer).expect("a value prints");
    Some(String::from_utf8(out).expect("JSON is UTF-8"))
}

/// Leaves the token volume, its mounts and the managed fields out, at any depth.
fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("managedFields");
            for key in ["volumes", "volumeMounts"] {
                strip_token_volume(map, key);
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn strip_token_volume(map: &mut Map<String, Value>, key: &str) {
    let Some(Value::Array(items)) = map.get_mut(key) else {
        return;
    };
    let had = !items.is_empty();
    items.retain(|item| {
        !item
            .get("name")
            .and_then(Value::as_str)
            .is_some_and(|name| name.starts_with("kube-api-access-"))
    });
    if had && items.is_empty() {
        map.shift_remove(key);
    }
}

/// A YAML message over several lines, in one.
fn unfold(found: &Captures<'_, str>) -> String {
    let key = group(found, 1).len() + group(found, 2).len();
    let mut message = group(found, 3).to_owned();
    let mut rest = group(found, 4).split_inclusive('\n').peekable();
    while let Some(line) = rest.next_if(|line| line.len() - line.trim_start().len() > key) {
        message.push(' ');
        message.push_str(line.trim());
    }
    let rest: String = rest.collect();
    format!("{}{}{message}\n{rest}", group(found, 1), group(found, 2))
}

/// Replacements inside one piece of text.
fn tokens(text: String, context: &str) -> String {
    let text = apply(&TOKENS, text);
    let mut text = replace(&SUFFIX, &text, |found| {
        let whole = group(found, 0);
        if context.contains(whole) {
            whole.to_owned()
        } else {
            format!("{}<suffix>", group(found, 1))
        }
    });
    for found in GENERATE_NAME.captures_iter(context).flatten() {
        let start = fancy_regex::escape(group(&found, 1)).into_owned();
        let named = regex(&format!("{start}[SAFE]{{5}}(?![A-Za-z0-9-])"));
        text = replace(&named, &text, |_| format!("{}<suffix>", group(&found, 1)));
    }
    let text = EVENT_NAME.replace_all(&text, "$1.<id>").into_owned();
    let text = replace(&IP, &text, |found| {
        let address = group(found, 0);
        if context.contains(address) || address == "10.9.8.7" {
            address.to_owned()
        } else {
            "<ip>".to_owned()
        }
    });
    replace(&NODE_PORT, &text, |found| {
        if context.contains(group(found, 2)) {
            group(found, 0).to_owned()
        } else {
            format!("{}<nodeport>", group(found, 1))
        }
    })
}

fn without_ages(line: &str) -> String {
    let cpu = line.to_ascii_lowercase().contains("cpu");
    replace(&AGE, line, |found| {
        let age = group(found, 0);
        let is_quantity = matches(&MILLI, age) || (cpu && matches(&MINUTES, age));
        (if age.is_empty() || is_quantity { age } else { "<age>" }).to_owned()
    })
}

/// Runs of blanks inside a line become two, those at its end go; its indentation stays.
fn collapse(line: &str) -> String {
    let rest = line.trim_start_matches([' ', '\t']);
    let head = &line[..line.len() - rest.len()];
    format!("{head}{}", BLANKS.replace_all(rest, "  ").trim_end())
}
