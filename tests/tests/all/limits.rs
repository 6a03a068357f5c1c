//! Limits on the growth that a manifest or a command can cause.

use std::sync::Arc;

use podscope_api::{Object, Secret, Uid};
use podscope_cluster::{MAX_OBJECTS_OF_KIND, OutputLine, Record, Setup, SimTime, Sink, World};
use podscope_kubectl::command::{self, Command};
use podscope_session::scenario;
use podscope_session::timeline::Session;

struct NullSink;

impl Sink for NullSink {
    fn record(&mut self, _: Record) {}
    fn output(&mut self, _: OutputLine) {}
    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}

/// Shows: Q-03
#[test]
fn object_above_limit_is_refused_as_if_over_quota() {
    let secret_number = |number: usize| {
        let mut secret = Secret::default();
        secret.metadata.name = format!("c-{number}").into();
        secret.metadata.namespace = "default".into();
        secret.metadata.uid = Uid::default();
        Object::Secret(Arc::new(secret))
    };
    let setup = Setup {
        objects: (0..=MAX_OBJECTS_OF_KIND).map(secret_number).collect(),
        ..Setup::default()
    };
    let refused = World::new(setup, &mut NullSink).expect_err("one object exceeds the limit");
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].index, MAX_OBJECTS_OF_KIND);
    assert_eq!(
        refused[0].error.message,
        "secrets \"c-50000\" is forbidden: exceeded quota: podscope, requested: count/secrets=1, \
         used: count/secrets=50000, limited: count/secrets=50000"
    );
}

fn new_session(text: &str) -> Session {
    let loaded = scenario::load(&[("a.yaml".to_owned(), text.to_owned())]).expect("the scenario loads");
    Session::new(loaded).expect("the session starts")
}

/// Runs a read-only kubectl command. Returns whether the last line of its output is on stderr, and the text of the line.
fn last_output_line(session: &Session, line: &str) -> (bool, String) {
    let Ok(Command::Kubectl { action: kubectl, .. }) = command::parse(line) else {
        panic!("{line:.100} is no kubectl command");
    };
    let mut printed = session.read(&kubectl).expect("the command is read-only");
    let last = printed.lines.pop();
    last.map_or_else(Default::default, |(kind, text)| (kind.is_stderr(), text))
}

/// Queries that would need too much work or output (nested unions, growing templates, very wide columns) are refused with
/// a clear message after bounded work.
/// Shows: Q-03
#[test]
fn too_expensive_query_is_refused_with_message() {
    let mut text = String::from(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: many}\nspec:\n  containers:\n  - name: c\n    image: c\n    env:\n",
    );
    for at in 0..300 {
        text.push_str(&format!("    - {{name: V{at}, value: \"{at}\"}}\n"));
    }
    for at in 0..150 {
        let size = if at == 0 { 512 << 10 } else { 1 };
        text.push_str(&format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c-{at}}}\ndata: {{big: \"{}\"}}\n",
            "x".repeat(size)
        ));
    }
    let session = new_session(&text);
    // Four nested unions of 60 parts each: the query visits the `env` list of the pod 60⁴ times.
    let union_of_sixty = |part: &str| format!("[{part}{}]", format!(",{part}").repeat(59));
    let unions = ["'spec'", "'containers'", "0", "'env'"].map(union_of_sixty).concat();
    let too_much_work = "this command would look at more than 20000000 values";
    for (line, expected) in [
        (
            format!("kubectl get pods -o jsonpath=\"{{.items[*]{unions}[*].name}}\""),
            too_much_work,
        ),
        (
            format!(
                "kubectl get cm -o go-template='{{{{$x := \"aaaaaaaa\"}}}}{}'",
                "{{$x := print $x $x}}".repeat(60)
            ),
            "the output is too long",
        ),
        (
            "kubectl get cm -o custom-columns=N:.metadata.name,B:.data.big".to_owned(),
            "the table is larger than 33554432 bytes",
        ),
    ] {
        let (is_error, last) = last_output_line(&session, &line);
        assert!(
            last.contains(expected) && is_error != expected.is_empty(),
            "{line:.100}: {last:.300}"
        );
    }
    // Ordinary queries are answered.
    for line in [
        "kubectl get cm --sort-by=.data.big -o name",
        "kubectl get cm -A --sort-by='{..name}' -o name",
        "kubectl get pods -o jsonpath='{.items[0].spec.containers[0].env[1:9:9223372036854775807].name}'",
    ] {
        assert!(!last_output_line(&session, line).0, "{line}");
    }
}

/// Kubernetes accepts 2,000,000,000 replicas. The pods are created in steps of bounded work, up to the limit of objects
/// of a kind.
/// Shows: Q-03
#[test]
fn huge_replica_count_creates_pods_in_bounded_steps() {
    let manifest = |replicas: u32| {
        // Scheduling gates keep the scheduler idle.
        format!(
            "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  \
             selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      \
             schedulingGates: [{{name: wait}}]\n      containers: [{{name: c, image: c}}]\n"
        )
    };
    let pods = |session: &Session| session.world().objects().count_kind(podscope_api::Kind::Pod);
    let check_growth = |session: &mut Session, from: i64| {
        let mut counts = Vec::new();
        for step in 1..=6 {
            let slice = session.advance(SimTime(from + step * 50_000), 50_000);
            assert_eq!(slice, podscope_session::timeline::Slice::Done, "{} pods", pods(session));
            counts.push(pods(session));
        }
        let is_growing =
            counts.last() > counts.first() && counts.last().is_some_and(|pods| *pods <= MAX_OBJECTS_OF_KIND);
        assert!(is_growing, "{counts:?}");
    };
    check_growth(&mut new_session(&manifest(2_000_000_000)), 0);
    let mut session = new_session(&manifest(1));
    session.advance(SimTime::from_seconds(5), u64::MAX);
    assert_eq!(pods(&session), 1);
    let command = command::parse("kubectl scale rs/web --replicas=2000000000").expect("a number of 32 bits");
    session.command(command).expect("the command is accepted");
    check_growth(&mut session, 5_000_000);
    let said: String = session.outputs().iter().map(|line| line.text.clone()).collect();
    assert_eq!(said, "replicaset.apps/web scaled");
    // A number of replicas that exceeds 32 bits is refused.
    let loaded = scenario::load(&[("a.yaml".to_owned(), manifest(2_147_483_648))]);
    assert!(loaded.and_then(Session::new).is_err());
}

/// Shows: Q-03. The kubelet rejects within milliseconds a pod whose `nodeName` is set but whose `nodeSelector` does not
/// match. Replacements are created only as fast as the client of the controller-manager sends requests.
#[test]
fn rejected_pods_are_replaced_at_client_request_rate() {
    let mut session = new_session(
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n  replicas: 100\n  selector: {matchLabels: \
         {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      nodeName: a-1\n      nodeSelector: \
         {none: such}\n      containers: [{name: c, image: c}]\n",
    );
    let slice = session.advance(SimTime::from_seconds(10), 1_000_000);
    assert_eq!(slice, podscope_session::timeline::Slice::Done);
    let pods = session.world().objects().count_kind(podscope_api::Kind::Pod);
    assert!((200..=400).contains(&pods), "{pods} pods");
}

/// Shows: Q-03.
#[test]
fn command_above_limit_of_running_commands_is_refused() {
    use podscope_session::timeline::MAX_RUNNING_COMMANDS;
    let mut session = new_session("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
    session.advance(SimTime::from_seconds(1), u64::MAX);
    let watch = command::parse("kubectl get pods -w").expect("a command");
    for _ in 0..=MAX_RUNNING_COMMANDS {
        session.command(watch.clone()).expect("the command is accepted");
    }
    assert_eq!(session.world().client_count(), MAX_RUNNING_COMMANDS);
    let last = session
        .outputs()
        .last()
        .map(|line| line.text.clone())
        .unwrap_or_default();
    assert!(last.starts_with("error: 200 commands are running"), "{last}");
}

/// Shows: Q-03. The server refuses a JSON patch whose copy operations double the object again and again.
#[test]
fn json_patch_with_doubling_copies_is_refused() {
    let mut session = new_session("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, annotations: {a: b}}\n");
    session.advance(SimTime::from_seconds(1), u64::MAX);
    let copies: Vec<String> = (0..40)
        .map(|at| {
            format!("{{\"op\":\"copy\",\"from\":\"/metadata/annotations\",\"path\":\"/metadata/annotations/x{at}\"}}")
        })
        .collect();
    let line = format!("kubectl patch cm c --type=json -p '[{}]'", copies.join(","));
    session
        .command(command::parse(&line).expect("a command"))
        .expect("the command is accepted");
    session.advance(SimTime::from_seconds(2), u64::MAX);
    let said: String = session.outputs().iter().map(|line| line.text.clone()).collect();
    assert!(
        said.contains("the server rejected our request due to an error in our request"),
        "{said:.300}"
    );
}
