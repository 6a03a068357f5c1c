//! Replaces everything in an answer that is random or depends on the test environment. Both sides of every comparison
//! are normalised; section "Normalisation" of `tests/conformance/live/README.md` lists the rules.

use std::borrow::Cow;
use std::sync::LazyLock;

use fancy_regex::{Captures, Regex};
use serde_json::{Map, Value};

/// Characters that the API server uses in random name suffixes. `SAFE` in a pattern stands for them.
const RANDOM_LETTERS: &str = "bcdfghjklmnpqrstvwxz2456789";

/// A pattern whose every match is replaced.
struct ReplacementRule {
    pattern: Regex,
    replacement: &'static str,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(&pattern.replace("SAFE", RANDOM_LETTERS)).expect("the pattern is valid")
}

fn compile_rules(table: &[(&str, &'static str)]) -> Vec<ReplacementRule> {
    let rule = |(pattern, replacement): &(&str, &'static str)| ReplacementRule {
        pattern: regex(pattern),
        replacement,
    };
    table.iter().map(rule).collect()
}

fn apply_rules(rules: &[ReplacementRule], text: String) -> String {
    rules.iter().fold(text, |text, rule| {
        match rule.pattern.replace_all(&text, rule.replacement) {
            Cow::Borrowed(_) => text,
            Cow::Owned(changed) => changed,
        }
    })
}

fn replace(pattern: &Regex, text: &str, replacement: impl Fn(&Captures<'_, str>) -> String) -> String {
    pattern
        .replace_all(text, |found: &Captures<'_, str>| replacement(found))
        .into_owned()
}

fn captured_text<'a>(found: &'a Captures<'_, str>, n: usize) -> &'a str {
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

/// Rules that remove the service account token volume (`kube-api-access-…`), which every pod of a real cluster has, from
/// each output format.
static TOKEN_VOLUME_RULES: LazyLock<Vec<ReplacementRule>> = LazyLock::new(|| {
    compile_rules(&[
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

/// Rules that replace times, UIDs, hashes and data of the environment. They are applied before the rules for random
/// suffixes.
static GENERAL_RULES: LazyLock<Vec<ReplacementRule>> = LazyLock::new(|| {
    compile_rules(&[
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
    MILLI_QUANTITY = r"^\d{3,}m$";
    WHOLE_MINUTES = r"^\d+m$";
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
    LISTS_LABELS = r"kubectl (label|annotate)\b.* --list";
    REPEATED_PROGRESS = r"^(?:Waiting for |error when evicting pods?)";
    HASH_END = r"[SAFE]{6,10}$";
}

const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// Normalises the output of a command. `user_input` is the command line and its stdin, or a manifest: names that occur
/// in it are never replaced.
/// `replace_ages` is false for answers to create and apply, in which a duration is never an age.
///
/// # Panics
/// If a pattern exceeds the backtracking limit, which means that the pattern is wrong.
#[must_use]
pub fn text(text: &str, user_input: &str, replace_ages: bool) -> String {
    if text.is_empty() {
        return String::new();
    }
    let command = user_input.split('\n').next().unwrap_or_default();
    let text = remove_unstable_fields_of_json_text(text).unwrap_or_else(|| text.to_owned());
    // YAML folds a long message over several lines.
    let text = replace(&MESSAGE, &text, join_multiline_message);
    let text = NOT_FOUND.replace_all(&text, "not found").into_owned();
    let mut text = replace_unstable_parts(apply_rules(&TOKEN_VOLUME_RULES, text), user_input);
    if replace_ages {
        text = join_lines(text.split('\n').map(without_ages));
    }
    if !matches(&ABOUT_NODES, command) {
        text = replace(&NODE, &text, |found| {
            let node = captured_text(found, 0);
            let named = Regex::new(&NODE_NAMED.as_str().replace("NODE", node)).expect("a node's name is no pattern");
            let replacement = if matches(&named, user_input) { node } else { "<node>" };
            replacement.to_owned()
        });
        if !user_input.contains(ZONE_LABEL) {
            text = ZONE.replace_all(&text, "$1<zone>").into_owned();
            text = ZONE_LINE.replace_all(&text, "$1<zone>").into_owned();
        }
    }
    join_lines(normalise_lines(&text, user_input, command))
        .trim_matches('\n')
        .trim_end()
        .to_owned()
}

fn join_lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    let lines: Vec<T> = lines.into_iter().collect();
    lines.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n")
}

/// Applies the normalisation rules that change, drop or sort whole lines.
fn normalise_lines(text: &str, user_input: &str, command: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.split('\n').map(collapse_blanks).collect();
    if command.contains("describe") {
        // The width of a column depends on the longest name in the section.
        for line in &mut lines {
            *line = INDENTED.replace(line, "          ").into_owned();
        }
    }
    for line in &mut lines {
        // The status of a container that restarts, or whose image is missing, changes from second to second.
        *line = RESTARTING
            .replace_all(line, "  <ready>  <restarting>  <n> (<age> ago)")
            .into_owned();
        *line = NO_IMAGE.replace_all(line, "  <no image>  ").into_owned();
    }
    lines.retain(|line| !matches(&ALWAYS_THERE, line));
    for line in &mut lines {
        *line = RULER.replace_all(line, "----").into_owned();
    }
    if matches(&LISTS_EVENTS, user_input) && !user_input.contains("--sort-by") {
        let is_racy = |line: &str| line.contains("TaintManagerEviction") && line.contains("Cancelling deletion");
        lines.retain(|line| !line.is_empty() && !is_racy(line));
        let head = usize::from(!user_input.contains("--no-headers")).min(lines.len());
        lines[head..].sort_unstable();
    }
    if matches(&LISTS_LABELS, command) {
        lines.retain(|line| !line.is_empty());
        lines.sort_unstable();
    }
    // How often a rollout or a drain repeats a message depends on timing in milliseconds.
    lines.dedup_by(|line, before| line == before && matches(&REPEATED_PROGRESS, line));
    sort_random_names(&mut lines);
    lines
}

/// Sorts consecutive lines whose names have random suffixes, because their order is random.
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

/// Normalises one API object. Names that occur in `user_input` are not replaced.
#[must_use]
pub fn object(mut value: Value, user_input: &str) -> Value {
    remove_unstable_fields(&mut value);
    normalise_value(value, "", user_input)
}

fn normalise_value(value: Value, key: &str, user_input: &str) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, value)| {
                    (
                        replace_unstable_parts(key.clone(), user_input),
                        normalise_value(value, &key, user_input),
                    )
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| normalise_value(item, key, user_input))
                .collect(),
        ),
        Value::String(text) => Value::String(normalise_string(text, key, user_input)),
        other => match key {
            "nodePort" | "healthCheckNodePort" if !user_input.contains(&other.to_string()) => "<nodeport>".into(),
            "sizeBytes" => "<n>".into(),
            _ => other,
        },
    }
}

fn normalise_string(text: String, key: &str, user_input: &str) -> String {
    let is_in_user_input = user_input.contains(&text);
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
        ZONE_LABEL | "zone" if !user_input.contains(ZONE_LABEL) => "<zone>".to_owned(),
        "nodeName" | "nominatedNodeName" | "kubernetes.io/hostname" if !is_in_user_input => "<node>".to_owned(),
        "pod-template-hash" | "controller-revision-hash" | "controller.kubernetes.io/hash" if !is_in_user_input => {
            HASH_END.replace(&text, "<hash>").into_owned()
        }
        _ => replace_unstable_parts(text, user_input),
    }
}

/// Removes the token volume and `managedFields` from a text that is one JSON value. Returns `None` for any other text.
fn remove_unstable_fields_of_json_text(text: &str) -> Option<String> {
    let stripped = text.trim();
    if !stripped.starts_with(['{', '[']) {
        return None;
    }
    let mut value: Value = serde_json::from_str(stripped).ok()?;
    remove_unstable_fields(&mut value);
    if !stripped.contains('\n') {
        return Some(value.to_string());
    }
    let mut out = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut out, indent);
    serde::Serialize::serialize(&value, &mut writer).expect("a value prints");
    Some(String::from_utf8(out).expect("JSON is UTF-8"))
}

/// Removes the token volume, its mounts and `managedFields` at any depth.
fn remove_unstable_fields(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("managedFields");
            for key in ["volumes", "volumeMounts"] {
                strip_token_volume(map, key);
            }
            map.values_mut().for_each(remove_unstable_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_unstable_fields),
        _ => {}
    }
}

fn strip_token_volume(map: &mut Map<String, Value>, key: &str) {
    let Some(Value::Array(items)) = map.get_mut(key) else {
        return;
    };
    let had_items = !items.is_empty();
    items.retain(|item| {
        !item
            .get("name")
            .and_then(Value::as_str)
            .is_some_and(|name| name.starts_with("kube-api-access-"))
    });
    if had_items && items.is_empty() {
        map.shift_remove(key);
    }
}

/// Joins a YAML message that spans several lines into one line.
fn join_multiline_message(found: &Captures<'_, str>) -> String {
    let key = captured_text(found, 1).len() + captured_text(found, 2).len();
    let mut message = captured_text(found, 3).to_owned();
    let mut rest = captured_text(found, 4).split_inclusive('\n').peekable();
    while let Some(line) = rest.next_if(|line| line.len() - line.trim_start().len() > key) {
        message.push(' ');
        message.push_str(line.trim());
    }
    let rest: String = rest.collect();
    format!(
        "{}{}{message}\n{rest}",
        captured_text(found, 1),
        captured_text(found, 2)
    )
}

/// Replaces random names, addresses, ports, times and hashes in `text`, except those that occur in `user_input`.
fn replace_unstable_parts(text: String, user_input: &str) -> String {
    let text = apply_rules(&GENERAL_RULES, text);
    let mut text = replace(&SUFFIX, &text, |found| {
        let whole = captured_text(found, 0);
        if user_input.contains(whole) {
            whole.to_owned()
        } else {
            format!("{}<suffix>", captured_text(found, 1))
        }
    });
    for found in GENERATE_NAME.captures_iter(user_input).flatten() {
        let start = fancy_regex::escape(captured_text(&found, 1)).into_owned();
        let named = regex(&format!("{start}[SAFE]{{5}}(?![A-Za-z0-9-])"));
        text = replace(&named, &text, |_| format!("{}<suffix>", captured_text(&found, 1)));
    }
    let text = EVENT_NAME.replace_all(&text, "$1.<id>").into_owned();
    let text = replace(&IP, &text, |found| {
        let address = captured_text(found, 0);
        if user_input.contains(address) || address == "10.9.8.7" {
            address.to_owned()
        } else {
            "<ip>".to_owned()
        }
    });
    replace(&NODE_PORT, &text, |found| {
        if user_input.contains(captured_text(found, 2)) {
            captured_text(found, 0).to_owned()
        } else {
            format!("{}<nodeport>", captured_text(found, 1))
        }
    })
}

fn without_ages(line: &str) -> String {
    let is_about_cpu = line.to_ascii_lowercase().contains("cpu");
    replace(&AGE, line, |found| {
        let age = captured_text(found, 0);
        let is_quantity = matches(&MILLI_QUANTITY, age) || (is_about_cpu && matches(&WHOLE_MINUTES, age));
        (if age.is_empty() || is_quantity { age } else { "<age>" }).to_owned()
    })
}

/// Replaces each run of blanks inside a line by two blanks and removes trailing blanks; keeps the indentation.
fn collapse_blanks(line: &str) -> String {
    let content = line.trim_start_matches([' ', '\t']);
    let indentation = &line[..line.len() - content.len()];
    format!("{indentation}{}", BLANKS.replace_all(content, "  ").trim_end())
}
