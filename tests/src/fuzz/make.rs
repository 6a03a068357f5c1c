//! Generates inputs with a structure that random mutations rarely produce: settings with boundary values, queries with
//! JSONPath and selectors, links that can be decoded, and lessons combined from complete parts of other lessons.

use std::fmt::Write;

use podscope_cluster::Rng;
use podscope_session::link::Link;

/// Durations with boundary values.
const DURATION_VALUES: &[&str] = &[
    "0s",
    "1us",
    "1ms",
    "99ms",
    "100ms",
    "1s",
    "7s",
    "1m30s",
    "876000h",
    "876001h",
    "2562047h47m16s",
    "-1s",
    "1ns",
];
/// Integers with boundary values.
const INTEGER_VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "50",
    "100",
    "101",
    "1000",
    "65535",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
];
/// Rates and fractions with boundary values.
const RATE_VALUES: &[&str] = &[
    "0",
    "0.001",
    "0.55",
    "1",
    "1000",
    "9223372036854775",
    "9223372036854775.807",
    "1e3",
    "-0.1",
];
/// Eviction thresholds.
const THRESHOLD_VALUES: &[&str] = &[
    "0",
    "1",
    "100Mi",
    "10%",
    "100%",
    "101%",
    "0.001%",
    "9223372036854775807",
    "8Ei",
    "-1",
];
const BOOLEAN_VALUES: &[&str] = &["true", "false"];

/// Kind of a component in a scenario, and the names of its settings with values to try.
type ComponentSettings = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const COMPONENT_SETTINGS: &[ComponentSettings] = &[
    (
        "controllerManager",
        &[
            ("nodeMonitorPeriod", DURATION_VALUES),
            ("nodeMonitorGracePeriod", DURATION_VALUES),
            ("nodeStartupGracePeriod", DURATION_VALUES),
            ("nodeEvictionRate", RATE_VALUES),
            ("secondaryNodeEvictionRate", RATE_VALUES),
            ("largeClusterSizeThreshold", INTEGER_VALUES),
            ("unhealthyZoneThreshold", RATE_VALUES),
            ("terminatedPodGCThreshold", INTEGER_VALUES),
            ("disableForceDetachOnTimeout", BOOLEAN_VALUES),
            ("deschedulingInterval", DURATION_VALUES),
            ("leaseDuration", DURATION_VALUES),
            ("renewDeadline", DURATION_VALUES),
            ("retryPeriod", DURATION_VALUES),
        ],
    ),
    (
        "fencing",
        &[
            ("enabled", BOOLEAN_VALUES),
            ("mechanism", &["power", "storage", "network"]),
            ("detectAfter", DURATION_VALUES),
            ("patience", DURATION_VALUES),
            ("minPriority", INTEGER_VALUES),
            ("confirmation", DURATION_VALUES),
        ],
    ),
    ("network", &[("latency", DURATION_VALUES), ("jitter", DURATION_VALUES)]),
    (
        "kubelet",
        &[
            ("evictionPressureTransitionPeriod", DURATION_VALUES),
            ("evictionMaxPodGracePeriod", INTEGER_VALUES),
            ("shutdownGracePeriod", DURATION_VALUES),
            ("shutdownGracePeriodCriticalPods", DURATION_VALUES),
            ("imageMinimumGCAge", DURATION_VALUES),
            ("imageMaximumGCAge", DURATION_VALUES),
            ("imageGCHighThresholdPercent", INTEGER_VALUES),
            ("imageGCLowThresholdPercent", INTEGER_VALUES),
            ("serializeImagePulls", BOOLEAN_VALUES),
            ("maxParallelImagePulls", INTEGER_VALUES),
            ("maxPods", INTEGER_VALUES),
            ("registerNode", BOOLEAN_VALUES),
        ],
    ),
    (
        "kubeScheduler",
        &[
            ("podInitialBackoffSeconds", INTEGER_VALUES),
            ("podMaxBackoffSeconds", INTEGER_VALUES),
            ("percentageOfNodesToScore", INTEGER_VALUES),
            ("parallelism", INTEGER_VALUES),
        ],
    ),
];

/// The cluster of the fuzz target `settings`: it has partitions that heal, and objects of most kinds whose behaviour
/// depends on a configured period.
pub(super) const SETTINGS_CLUSTER: &str = include_str!("../../fuzz/settings.yaml");

/// Generates a scenario whose components have settings with boundary values.
pub(super) fn generate_settings(rng: &mut Rng) -> String {
    let mut text = String::from("apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: fuzz}\nspec:\n");
    let _ = writeln!(text, "  seed: {}", pick_str(rng, INTEGER_VALUES));
    text.push_str("  components:\n");
    // Use few settings at a time, because one rejected setting hides the effect of the others.
    for _ in 0..=rng.below(3) {
        let (component, settings) = pick_random(rng, COMPONENT_SETTINGS);
        if text.contains(&format!("    {component}:")) {
            continue;
        }
        let _ = write!(text, "    {component}: {{");
        let first = rng.below(settings.len() as u64) as usize;
        let n_settings = 1 + rng.below(3) as usize;
        for (name, values) in settings.iter().cycle().skip(first).take(n_settings.min(settings.len())) {
            let _ = write!(text, "{name}: {}, ", pick_str(rng, values));
        }
        if *component == "kubelet" && rng.below(2) == 0 {
            for (list, values) in [
                ("evictionHard", THRESHOLD_VALUES),
                ("evictionSoft", THRESHOLD_VALUES),
                ("evictionSoftGracePeriod", DURATION_VALUES),
                ("evictionMinimumReclaim", THRESHOLD_VALUES),
            ] {
                let signal = pick_str(
                    rng,
                    &[
                        "memory.available",
                        "nodefs.available",
                        "imagefs.available",
                        "pid.available",
                    ],
                );
                let _ = write!(text, "{list}: {{{signal}: \"{}\"}}, ", pick_str(rng, values));
            }
        }
        if *component == "kubelet" && rng.below(4) == 0 {
            let _ = write!(
                text,
                "crashLoopBackOff: {{maxContainerRestartPeriod: {}}}, ",
                pick_str(rng, DURATION_VALUES)
            );
        }
        text.push_str("}\n");
    }
    text.push_str(SETTINGS_CLUSTER);
    text
}

const QUERIED_RESOURCES: &[&str] = &[
    "pods",
    "po,deploy",
    "all",
    "nodes",
    "deploy/web",
    "pod/web-0",
    "sts,rs,pods -A",
    "events",
    "pv",
    "pvc",
    "pdb",
    "svc,endpointslices",
    "leases -A",
    "priorityclasses",
];
const QUERIED_FIELDS: &[&str] = &[
    ".metadata.name",
    ".metadata",
    ".metadata.labels",
    ".metadata.labels.app",
    ".status.phase",
    ".spec",
    ".spec.containers[0].image",
    ".spec.containers",
    ".status.conditions",
    ".items",
    ".items[0]",
    ".items[*]",
    "..name",
    "..",
    "..*",
    "[*]",
    ".*",
    ".spec.replicas",
    ".metadata.creationTimestamp",
    "['metadata']['name']",
    ".spec.containers[0:3:2]",
    ".items[-1:]",
    ".items[9999999]",
    ".spec.containers[-9223372036854775808]",
    ".metadata.annotations.a\\.b/c",
    "",
];
const FILTER_OPERANDS: &[&str] = &[
    "web",
    "\"web\"",
    "'Running'",
    "0",
    "-1",
    "1e308",
    "true",
    "null",
    "@.name",
    "@",
    "$.kind",
    "9223372036854775807",
];

fn random_jsonpath(rng: &mut Rng, depth: u64) -> String {
    let mut text = String::new();
    for _ in 0..=rng.below(4) {
        text.push_str(pick_str(rng, QUERIED_FIELDS));
        if depth < 4 && rng.below(4) == 0 {
            let compared = pick_str(rng, &["==", "!=", "<", ">=", " in ", ""]);
            let value = pick_str(rng, FILTER_OPERANDS);
            let inner = random_jsonpath(rng, depth + 1);
            let _ = write!(text, "[?(@{inner}{compared}{value})]");
        }
    }
    text
}

fn random_jsonpath_template(rng: &mut Rng, depth: u64) -> String {
    let mut text = String::new();
    for _ in 0..=rng.below(3) {
        match rng.below(5) {
            0 if depth < 4 => {
                let _ = write!(
                    text,
                    "{{range {}}}{}{{end}}",
                    random_jsonpath(rng, 1),
                    random_jsonpath_template(rng, depth + 1)
                );
            }
            1 => text.push_str(pick_str(
                rng,
                &["{\"\\t\"}", "{'\\n'}", "{end}", "{range", "{\"", "{@}", "{$}", " x "],
            )),
            _ => {
                let _ = write!(text, "{{{}}}", random_jsonpath(rng, 0));
            }
        }
    }
    text
}

fn random_selector(rng: &mut Rng, terms: u64) -> String {
    let terms: Vec<String> = (0..=rng.below(terms))
        .map(|_| {
            let key = pick_str(
                rng,
                &[
                    "app",
                    "tier",
                    "a.b/c",
                    "kubernetes.io/hostname",
                    "status.phase",
                    "metadata.name",
                    "é",
                ],
            );
            let value = pick_str(rng, &["web", "db", "", "a-1", "Running", "-", "x y"]);
            match rng.below(6) {
                0 => format!("{key} in ({value},b,{})", pick_str(rng, FILTER_OPERANDS)),
                1 => format!("{key} notin ({value})"),
                2 => format!("!{key}"),
                3 => key.to_owned(),
                4 => format!("{key}!={value}"),
                _ => format!("{key}={value}"),
            }
        })
        .collect();
    terms.join(",")
}

/// Generates a `kubectl get` command: with a JSONPath, template, columns, selector or sort order.
pub(super) fn generate_query(rng: &mut Rng) -> String {
    let mut text = format!("kubectl get {}", pick_str(rng, QUERIED_RESOURCES));
    let quoted = |text: String| format!("'{}'", text.replace('\'', "\""));
    let go = |rng: &mut Rng| {
        let field = pick_str(rng, QUERIED_FIELDS);
        match rng.below(4) {
            0 => format!("{{{{range .items}}}}{{{{{field}}}}}{{{{end}}}}"),
            1 => format!("{{{{with {field}}}}}{{{{len .}}}}{{{{else}}}}{{{{printf \"%v\" .}}}}{{{{end}}}}"),
            2 => format!(
                "{{{{range $k, $v := .metadata}}}}{{{{$k}}}}={{{{$v}}}}{{{{end}}}}{{{{index .items {}}}}}",
                pick_str(rng, INTEGER_VALUES)
            ),
            _ => format!("{{{{if eq {field} {}}}}}a{{{{end}}}}", pick_str(rng, FILTER_OPERANDS)),
        }
    };
    match rng.below(6) {
        0 | 1 => drop(write!(
            text,
            " -o jsonpath={}",
            quoted(random_jsonpath_template(rng, 0))
        )),
        2 => {
            let columns: Vec<String> = (0..=rng.below(4))
                .map(|at| format!("C{at}:{}", random_jsonpath(rng, 1)))
                .collect();
            let _ = write!(text, " -o custom-columns={}", quoted(columns.join(",")));
        }
        3 => drop(write!(text, " -o go-template={}", quoted(go(rng)))),
        4 => drop(write!(
            text,
            " -o {}",
            pick_str(rng, &["yaml", "json", "name", "wide", "jsonpath-as-json={.items}"])
        )),
        _ => {}
    }
    if rng.below(4) == 0 {
        let sort = random_jsonpath(rng, 2);
        let _ = write!(text, " --sort-by={}", quoted(sort));
    }
    if rng.below(3) == 0 {
        let terms = if rng.below(40) == 0 { 2000 } else { 5 };
        let _ = write!(text, " -l {}", quoted(random_selector(rng, terms)));
    }
    if rng.below(5) == 0 {
        let _ = write!(text, " --field-selector={}", quoted(random_selector(rng, 4)));
    }
    text
}

/// Generates the content of a share link as JSON, in the form that decoding a valid link gives.
pub(super) fn generate_link(rng: &mut Rng, lessons: &[String], commands: &[String]) -> String {
    let instant = |rng: &mut Rng| match rng.below(6) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => -1,
        3 => 0,
        _ => rng.below(200_000_000).cast_signed(),
    };
    let seed = [0, 1, 1 << 53, 1 << 63, u64::MAX][rng.below(5) as usize];
    let mut link = match rng.below(3) {
        0 => Link {
            lesson: podscope_session::lessons::names()
                .nth(rng.below(80) as usize)
                .map(str::to_owned),
            seed,
            ..Link::default()
        },
        1 => Link::of_files(vec![("settings.yaml".into(), generate_settings(rng))], seed),
        _ => Link::of_files(vec![("lesson.yaml".into(), generate_lesson(rng, lessons))], seed),
    };
    link.cursor = instant(rng);
    link.engine = pick_str(rng, &["", "0.1.0", "9.9.9+v1.99", "+", "0.1.0+"]).to_owned();
    link.trace_hash = pick_str(rng, &["", "0123456789abcdef", "x"]).to_owned();
    link.screen = pick_str(rng, &["", "pod=default/web-0", "{", "\u{202e}", "embed=cluster&x=%zz"]).to_owned();
    for _ in 0..rng.below(6) {
        let command = if rng.below(4) == 0 {
            generate_query(rng)
        } else {
            pick_random(rng, commands).clone()
        };
        link.commands.push((instant(rng), command));
    }
    serde_json::to_string(&link).unwrap_or_default()
}

/// Generates a lesson from parts of several lessons: each step, goal, question and attempt is complete.
pub(super) fn generate_lesson(rng: &mut Rng, lessons: &[String]) -> String {
    let mut text = pick_random(rng, lessons).clone();
    for _ in 0..=rng.below(3) {
        let other = pick_random(rng, lessons);
        // A block is a key of the spec (`  steps:` with everything indented below it) or one item of a list.
        let (from, to) = (block_ranges(&text), block_ranges(other));
        let (Some(&(start, end)), Some(&(other_start, other_end))) =
            (pick_optional(rng, &from), pick_optional(rng, &to))
        else {
            continue;
        };
        let piece = other.get(other_start..other_end).unwrap_or_default();
        match rng.below(4) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(end, piece),
            _ => text.replace_range(start..end, piece),
        }
    }
    // Replace an instant, a count or a duration by a boundary value.
    if rng.below(2) == 0 {
        let value_positions: Vec<usize> = [
            "at: ",
            "equals: ",
            "least: ",
            "most: ",
            "seed: ",
            "nodesPerZone: ",
            "replicas: ",
        ]
        .iter()
        .flat_map(|key| {
            text.match_indices(key)
                .map(|(at, key)| at + key.len())
                .collect::<Vec<_>>()
        })
        .collect();
        if let Some(&at) = pick_optional(rng, &value_positions) {
            let rest = text.get(at..).unwrap_or_default();
            let end = at + rest.find([',', '}', '\n']).unwrap_or(rest.len());
            let value = if rng.below(2) == 0 {
                pick_str(rng, DURATION_VALUES)
            } else {
                pick_str(rng, INTEGER_VALUES)
            };
            text.replace_range(at..end, value);
        }
    }
    text
}

/// Byte ranges of the blocks of a lesson's text: keys of the spec, and items of its lists.
fn block_ranges(text: &str) -> Vec<(usize, usize)> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let depth = line.len() - line.trim_start_matches(' ').len();
        if (depth == 2 || depth == 4)
            && line
                .trim_start()
                .starts_with(|c: char| c == '-' || c.is_ascii_alphabetic())
        {
            starts.push((at, depth, line.trim_start().starts_with('-')));
        }
        at += line.len();
    }
    starts
        .iter()
        .enumerate()
        .map(|(index, &(start, depth, is_item))| {
            let next = starts
                .iter()
                .skip(index + 1)
                .find(|&&(_, other, other_item)| other < depth || (other == depth && (is_item || !other_item)));
            (start, next.map_or(text.len(), |&(end, _, _)| end))
        })
        .collect()
}

fn pick_optional<'a, T>(rng: &mut Rng, from: &'a [T]) -> Option<&'a T> {
    from.get(rng.below(from.len().max(1) as u64) as usize)
}

fn pick_random<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    pick_optional(rng, from).expect("the list must not be empty")
}

fn pick_str(rng: &mut Rng, from: &[&'static str]) -> &'static str {
    pick_optional(rng, from).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A misspelled setting would test nothing.
    /// Shows: Q-03
    #[test]
    fn all_generated_settings_are_known() {
        for (component, settings) in COMPONENT_SETTINGS {
            for (name, values) in *settings {
                let text = format!(
                    "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: a}}\nspec: {{components: {{{component}: {{{name}: {}}}}}}}\n",
                    values.last().unwrap_or(&"")
                );
                let problems = podscope_session::scenario::load(&[("a.yaml".into(), text)])
                    .err()
                    .unwrap_or_default();
                let unknown = problems
                    .iter()
                    .find(|problem| problem.message.english().contains("unknown"));
                assert_eq!(unknown, None, "{component}.{name}");
            }
        }
    }
}
