//! Random commands: the official kubectl and the console of Podscope print the same about the same cluster.
//!
//! The commands only read, so that the state stays the same. They are generated from a seed: `PODSCOPE_DRAWS` sets
//! their number, and `PODSCOPE_SEED` another seed.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::SystemTime;

use podscope_api::Time;
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use regex::Regex;
use serde_json::{Value, json};

use super::KubectlFixture;
use crate::client::post;

const DEFAULT_COMMANDS: u64 = 100;
const DEFAULT_SEED: u64 = 1;
/// Age of the cluster at the start of the test. kubectl computes some ages by the clock of its machine; at this age
/// they are printed in hours and do not change during the test.
const CLUSTER_AGE_SECONDS: i64 = 20 * 3600 + 1800;

const CLUSTER: &str = include_str!("draws.yaml");

/// Names of resources as a user types them, each with names of objects of the cluster.
const RESOURCES_WITH_OBJECT_NAMES: [(&str, &[&str]); 29] = [
    ("pods", &["alone", "huge", "lost"]),
    ("po", &["alone", "nope"]),
    ("pod", &["huge"]),
    ("deployments", &["web"]),
    ("deploy", &["web", "nope"]),
    ("deployments.apps", &["web"]),
    ("replicasets", &[]),
    ("statefulsets", &["db"]),
    ("sts", &["db"]),
    ("daemonsets", &["agent"]),
    ("ds", &["agent"]),
    ("jobs", &["sum"]),
    ("cronjobs", &["nightly"]),
    ("services", &["web", "db", "kubernetes"]),
    ("svc", &["web"]),
    ("endpointslices", &[]),
    ("configmaps", &["settings", "kube-root-ca.crt"]),
    ("secrets", &["password"]),
    ("serviceaccounts", &["default", "robot"]),
    ("nodes", &["a-1", "b-2", "nope"]),
    ("namespaces", &["default", "kube-system", "shop"]),
    ("poddisruptionbudgets", &["web"]),
    ("priorityclasses", &["important"]),
    ("nosuchkind", &["x"]),
    ("widgets", &["a", "nope"]),
    ("wd", &["a"]),
    ("widgets.v1beta1.example.com", &["b"]),
    ("gadgets.toys.example.com", &["g"]),
    ("toys", &["a"]),
];

/// Output formats of `get`.
const OUTPUT_FORMATS: [&str; 10] = [
    "wide",
    "name",
    "yaml",
    "json",
    "jsonpath={.items[*].metadata.name}",
    "jsonpath={.metadata.name}",
    "jsonpath={range .items[*]}{.metadata.name}{\"\\t\"}{.kind}{\"\\n\"}{end}",
    "custom-columns=NAME:.metadata.name,KIND:.kind,NO:.spec.none",
    "go-template={{range .items}}{{.metadata.name}},{{end}}",
    "kyaml",
];

/// A generator of random commands (SplitMix64).
struct CommandGenerator(u64);

impl CommandGenerator {
    fn next_random(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn choose<'o, T>(&mut self, of: &'o [T]) -> &'o T {
        &of[(self.next_random() % of.len() as u64) as usize]
    }

    /// Returns true with a probability of 1 in `of`.
    fn one_in(&mut self, of: u64) -> bool {
        self.next_random().is_multiple_of(of)
    }

    /// Generates the words of a command after `kubectl`.
    fn random_command(&mut self) -> Vec<String> {
        let mut words = match self.next_random() % 13 {
            0..=5 => self.get_command(),
            6..=8 => self.describe_command(),
            9 => self.other_command(),
            10 => self.logs_command(),
            11 => self.api_command(),
            _ => self.top_or_auth_command(),
        };
        let is_fixed = words[0] == "top" || words.iter().any(|word| word == "-A" || word == "-n");
        if self.one_in(8) && !is_fixed {
            let namespace = *self.choose(&["shop", "default", "kube-system", "nope"]);
            words.extend(["-n".to_owned(), namespace.to_owned()]);
        }
        words
    }

    /// Generates one or two resources, with or without a name.
    fn random_objects(&mut self) -> Vec<String> {
        let (resource, names) = *self.choose(&RESOURCES_WITH_OBJECT_NAMES);
        if names.is_empty() || self.one_in(2) {
            let other = self.choose(&RESOURCES_WITH_OBJECT_NAMES).0;
            let list = if self.one_in(5) {
                format!("{resource},{other}")
            } else {
                resource.to_owned()
            };
            return vec![list];
        }
        let name = *self.choose(names);
        if self.one_in(3) {
            return vec![format!("{resource}/{name}")];
        }
        vec![resource.to_owned(), name.to_owned()]
    }

    /// Adds a selector or a namespace option. Returns whether the server may refuse it.
    fn add_selection(&mut self, words: &mut Vec<String>) -> bool {
        let has_name = words.len() > 2 || words.last().is_some_and(|word| word.contains('/'));
        if has_name && !self.one_in(10) {
            return false;
        }
        match self.next_random() % 6 {
            0 => words.push("-A".to_owned()),
            1 => {
                let selector = *self.choose(&["app=web", "app!=web", "app in (web,db)", "app", "!app"]);
                words.extend(["-l".to_owned(), selector.to_owned()]);
            }
            2 => {
                let selector = *self.choose(&["metadata.name=web", "metadata.namespace!=default"]);
                words.push(format!("--field-selector={selector}"));
            }
            3 => {
                let selection = *self.choose(&["--selector=x=y=z", "--field-selector=status.phase=Running"]);
                words.push(selection.to_owned());
                return true;
            }
            _ => {}
        }
        false
    }

    fn get_command(&mut self) -> Vec<String> {
        let mut words = vec!["get".to_owned()];
        words.extend(self.random_objects());
        let may_be_refused = self.add_selection(&mut words);
        // If the list request fails, kubectl still prints an empty list in some formats.
        if !may_be_refused && self.one_in(2) {
            let output = *self.choose(&OUTPUT_FORMATS);
            words.push(format!("-o={output}"));
        }
        let flags = [
            "--show-labels",
            "--no-headers",
            "--show-kind",
            "--ignore-not-found",
            "--sort-by=.metadata.name",
            "--sort-by=.metadata.creationTimestamp",
            "-L=app",
            "--label-columns=app,tier",
            "--chunk-size=2",
            "--show-managed-fields=false",
        ];
        if self.one_in(3) {
            words.push((*self.choose(&flags)).to_owned());
        }
        words
    }

    /// Returns the words of a random one of these command lines.
    fn choose_line(&mut self, lines: &[&str]) -> Vec<String> {
        self.choose(lines).split(' ').map(str::to_owned).collect()
    }

    fn describe_command(&mut self) -> Vec<String> {
        let mut words = vec!["describe".to_owned()];
        words.extend(self.random_objects());
        self.add_selection(&mut words);
        if self.one_in(4) {
            words.push("--show-events=false".to_owned());
        }
        words
    }

    fn other_command(&mut self) -> Vec<String> {
        let commands = [
            "rollout history deployment/web",
            "rollout history deployment/web --revision=1",
            "rollout history sts/db",
            "rollout status deployment/web",
            "rollout status ds/agent",
            "rollout status deployment/nope",
            "explain pod.spec.nope",
            "explain widget.spec",
            "explain wd.spec.nope.deeper",
            "scale widget/a --replicas=4 --dry-run=server",
            "patch wd a --type=merge -p={\"spec\":{\"size\":0}} --dry-run=server",
            "patch wd a -p={} --dry-run=server",
            "get wd/a --subresource=scale",
            "get gadget/g --subresource=status",
            "get widgets --field-selector=spec.colour!=red",
            "get --raw=/healthz",
            "get all",
            "get all -A",
            "get pods,deployments",
            "events --types=Warning",
            "wait --for=condition=Ready pod/alone --timeout=1s",
            "wait --for=condition=Available deployment/web --timeout=1s",
            "create configmap c --from-literal=a=b --dry-run=client -o=yaml",
            "create deployment d --image=nginx --dry-run=client -o=yaml",
            "run r --image=nginx --dry-run=client -o=yaml",
            "scale deployment/web --replicas=2 --dry-run=server",
            "label pod alone k=v --dry-run=server -o=name",
            "delete pod nope",
        ];
        self.choose_line(&commands)
    }

    fn logs_command(&mut self) -> Vec<String> {
        let of = *self.choose(&[
            "pod/alone",
            "alone",
            "huge",
            "nope",
            "deployment/web",
            "job/sum",
            "db-0",
        ]);
        let mut words = vec!["logs".to_owned(), of.to_owned()];
        if self.one_in(2) {
            let flag = *self.choose(&[
                "--tail=1",
                "--timestamps",
                "-c=app",
                "-c=nope",
                "--all-containers",
                "-p",
            ]);
            words.push(flag.to_owned());
        }
        words
    }

    fn top_or_auth_command(&mut self) -> Vec<String> {
        let commands = [
            "top nodes",
            "top pods",
            "top pods -A --no-headers",
            "top pod alone --containers",
            "top node a-1",
            "auth can-i create pods",
            "auth can-i list nodes -A",
            "auth can-i --list",
            "auth can-i --list --no-headers",
            "auth whoami",
            "auth whoami -o=yaml",
            "auth whoami -o=jsonpath={.status.userInfo.groups[*]}",
        ];
        self.choose_line(&commands)
    }

    /// Generates `api-resources`, `api-versions` or a similar command.
    fn api_command(&mut self) -> Vec<String> {
        if self.one_in(6) {
            return vec!["api-versions".to_owned()];
        }
        let mut words = vec!["api-resources".to_owned()];
        let flags = [
            "--api-group=apps",
            "--api-group=",
            "--api-group=networking.k8s.io",
            "--api-group=nope",
            "--namespaced=false",
            "--namespaced",
            "--verbs=list,watch",
            "--verbs=deletecollection",
            "--categories=all",
            "--categories=api-extensions",
            "--categories=toys",
            "--api-group=example.com",
            "--no-headers",
            "--sort-by=name",
            "--sort-by=kind",
            "--sort-by=nope",
            "-o=wide",
            "-o=name",
            "-o=foo",
        ];
        for _ in 0..self.next_random() % 3 {
            words.push((*self.choose(&flags)).to_owned());
        }
        words
    }
}

/// Quotes a word for the console.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,=/:".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{word}'"),
    }
}

/// Output of a command: stdout and stderr.
type Output = (String, String);

/// Runs a command in the console.
fn run_in_console(fixture: &KubectlFixture, words: &[String]) -> Output {
    let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let body = json!({"run": format!("kubectl {line}"), "wait": 2}).to_string();
    let answer = post(fixture.server.address(), "/podscope/v1/command", &body).json();
    let lines = answer["lines"].as_array().cloned().unwrap_or_default();
    let of = |is_stderr: bool| -> String {
        let lines = lines.iter().filter(|line| line[0] == is_stderr);
        lines
            .filter_map(|line| Some(format!("{}\n", line[1].as_str()?)))
            .collect()
    };
    let refused = match &answer["refused"] {
        Value::String(refused) => format!("{refused}\n"),
        _ => String::new(),
    };
    (of(false), of(true) + &refused)
}

/// Runs a command with kubectl.
fn run_kubectl(fixture: &KubectlFixture, words: &[String]) -> Output {
    let out = Command::new(&fixture.program)
        .args(words)
        .env("KUBECONFIG", fixture.folder.join("config"))
        .env("HOME", &fixture.folder)
        .output()
        .expect("kubectl runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

/// Removes differences that are expected: the lines of kubectl's logger; ages, which kubectl computes by its own clock
/// in some commands; and the metrics API, which the console does not list because a control plane alone does not serve
/// it.
fn normalised(words: &[String], (stdout, stderr): Output) -> Output {
    let has_own_ages = matches!(words[0].as_str(), "describe" | "events");
    let age = Regex::new(r"\b(\d+[dhms]){1,2}\b|<invalid>").expect("a pattern");
    let blanks = Regex::new(" +").expect("a pattern");
    let ages = |text: String| match has_own_ages {
        true => blanks.replace_all(&age.replace_all(&text, "<age>"), " ").into_owned(),
        false => text,
    };
    let is_logged = |line: &str| line.starts_with(['E', 'I', 'W']) && line.contains(".go:");
    let stderr: Vec<&str> = stderr.lines().filter(|line| !is_logged(line)).collect();
    let is_metrics = |line: &&str| words[0].starts_with("api-") && line.contains("metrics.k8s.io");
    let stdout = stdout.split_inclusive('\n').filter(|line| !is_metrics(line)).collect();
    let trimmed = |text: &str| text.trim_end().to_owned();
    (trimmed(&ages(stdout)), trimmed(&ages(stderr.join("\n"))))
}

/// Describes the first line in which two texts differ.
fn first_differing_line(kubectl: &str, console: &str) -> String {
    let mut lines = kubectl.lines().zip(console.lines()).enumerate();
    match lines.find(|(_, (one, other))| one != other) {
        Some((number, (one, other))) => format!("line {}\n    kubectl {one:?}\n    console {other:?}", number + 1),
        None => {
            let (one, other) = (kubectl.lines().count(), console.lines().count());
            let more = kubectl.lines().nth(other).or_else(|| console.lines().nth(one));
            format!("{one} lines of kubectl, {other} of the console; the next one: {more:?}")
        }
    }
}

fn number_from_environment(variable: &str, default: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.map_or(default, |text| text.parse().expect("a number"))
}

/// Serves a cluster some hours after its start, with manual time.
fn fixture() -> Option<KubectlFixture> {
    let program = std::env::var_os("PODSCOPE_KUBECTL").filter(|program| !program.is_empty())?;
    let folder = std::env::temp_dir().join(format!("podscope-kubectl-{}-draws", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let files = [("cluster.yaml".to_owned(), CLUSTER.to_owned())];
    let mut loaded = scenario::load(&files).expect("the cluster is read");
    let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs() as i64;
    loaded.begin_at(Time::from_seconds(now - CLUSTER_AGE_SECONDS));
    let options = Options {
        speed: Speed::Manual,
        kubeconfig: Some(folder.join("config")),
        ..Options::default()
    };
    let server = Server::start(Session::new(loaded).expect("it starts"), &options).expect("a port is free");
    // Stops one minute before the real time, so that no timestamp is in the future of kubectl's clock.
    let body = json!({"seconds": CLUSTER_AGE_SECONDS - 60}).to_string();
    post(server.address(), "/podscope/v1/advance", &body);
    Some(KubectlFixture {
        program: program.into(),
        folder,
        server,
    })
}

/// Shows: K-06
#[test]
fn kubectl_and_console_print_the_same_for_random_commands() {
    let Some(fixture) = fixture() else {
        eprintln!("PODSCOPE_KUBECTL names no kubectl: nothing is run");
        return;
    };
    let seed = number_from_environment("PODSCOPE_SEED", DEFAULT_SEED);
    let mut generator = CommandGenerator(seed);
    let (mut seen, mut differ) = (BTreeSet::new(), Vec::new());
    for _ in 0..number_from_environment("PODSCOPE_DRAWS", DEFAULT_COMMANDS) {
        let words = generator.random_command();
        if !seen.insert(words.clone()) {
            continue;
        }
        let kubectl = normalised(&words, run_kubectl(&fixture, &words));
        let console = normalised(&words, run_in_console(&fixture, &words));
        let (one, other) = match kubectl.0 == console.0 {
            true => (&kubectl.1, &console.1),
            false => (&kubectl.0, &console.0),
        };
        if one != other {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            differ.push(format!(
                "kubectl {}: {}",
                line.join(" "),
                first_differing_line(one, other)
            ));
        }
    }
    let (all, wrong) = (seen.len(), differ.len());
    assert!(
        differ.is_empty(),
        "{wrong} of {all} commands differ (PODSCOPE_SEED={seed}):\n{}",
        differ.join("\n")
    );
}
