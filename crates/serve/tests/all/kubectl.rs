//! The official kubectl against the server. `PODSCOPE_KUBECTL` is the path of the program (`cargo xtask test kubectl`
//! fetches it); without it the tests are skipped.

use std::path::PathBuf;
use std::process::Command;

use podscope_serve::{ListenOptions, Options, Server, Speed, Token};
use podscope_session::scenario;
use podscope_session::timeline::Session;

mod random_commands;

/// A cluster that runs ten times as fast as real time, and a kubectl with its kubeconfig.
struct KubectlFixture {
    program: PathBuf,
    folder: PathBuf,
    server: Server,
}

/// Serves a cluster on loopback; None if kubectl is not available.
fn fixture(name: &str) -> Option<KubectlFixture> {
    fixture_listening(name, None)
}

fn fixture_listening(name: &str, listen: Option<ListenOptions>) -> Option<KubectlFixture> {
    let Some(program) = std::env::var_os("PODSCOPE_KUBECTL").filter(|program| !program.is_empty()) else {
        eprintln!("PODSCOPE_KUBECTL names no kubectl: nothing is run");
        return None;
    };
    let folder = std::env::temp_dir().join(format!("podscope-kubectl-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let loaded = scenario::load(&[]).expect("the cluster of no file");
    let options = Options {
        speed: Speed::Times(10.0),
        kubeconfig: Some(folder.join("config")),
        listen,
        ..Options::default()
    };
    let server = Server::start(Session::new(loaded).expect("it starts"), &options).expect("a port is free");
    Some(KubectlFixture {
        program: program.into(),
        folder,
        server,
    })
}

impl KubectlFixture {
    /// Runs a command. Returns stdout, stderr, and whether it succeeded.
    fn run(&self, line: &str) -> (String, String, bool) {
        let out = Command::new(&self.program)
            .args(line.split(' '))
            .env("KUBECONFIG", self.folder.join("config"))
            .env("HOME", &self.folder)
            .output()
            .expect("kubectl runs");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(out.stdout), text(out.stderr), out.status.success())
    }

    /// Runs a command that must succeed and returns its output.
    fn run_ok(&self, line: &str) -> String {
        let (out, err, is_fine) = self.run(line);
        assert!(is_fine, "kubectl {line}: {out}{err}");
        out
    }
}

impl Drop for KubectlFixture {
    fn drop(&mut self) {
        // Failure to remove the directory is ignored.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Shows: HT-001, HT-002, HT-100, HT-180
#[test]
fn kubectl_creates_scales_rolls_out_and_deletes() {
    let Some(fixture) = fixture("rollout") else { return };
    assert!(fixture.run_ok("version").contains("Server Version: v1.36.3"));
    // kubectl sends this body as protobuf.
    assert_eq!(
        fixture.run_ok("create deployment web --image=nginx --replicas=2"),
        "deployment.apps/web created\n"
    );
    assert!(
        fixture
            .run_ok("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    let pods = fixture.run_ok("get pods");
    assert_eq!(
        pods.lines().filter(|line| line.contains("Running")).count(),
        2,
        "{pods}"
    );
    assert_eq!(
        fixture.run_ok("scale deployment/web --replicas=3"),
        "deployment.apps/web scaled\n"
    );
    assert_eq!(
        fixture.run_ok("set image deployment/web nginx=nginx:2"),
        "deployment.apps/web image updated\n"
    );
    assert!(
        fixture
            .run_ok("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    assert!(
        fixture
            .run_ok("describe deployment web")
            .contains("Image:         nginx:2")
    );
    assert!(fixture.run_ok("logs deployment/web").contains("process started"));
    let deleted = fixture.run_ok("delete deployment web");
    assert_eq!(deleted, "deployment.apps \"web\" deleted from default namespace\n");
    assert!(
        fixture
            .run("get deployment web")
            .1
            .contains("deployments.apps \"web\" not found")
    );
}

/// Shows: HT-112, HT-116, HT-117, HT-143, HT-188
#[test]
fn kubectl_auth_drain_and_unsupported_commands_respond() {
    let Some(fixture) = fixture("asks") else { return };
    assert_eq!(fixture.run_ok("auth can-i create pods"), "yes\n");
    assert!(fixture.run_ok("auth whoami").contains("kubernetes-admin"));
    fixture.run_ok("run a --image=nginx");
    fixture.run_ok("wait --for=condition=Ready pod/a --timeout=60s");
    assert!(fixture.run_ok("top pods").contains('a'));
    assert!(fixture.run_ok("top nodes").contains("a-1"));
    let (_, err, is_fine) = fixture.run("exec a -- ls");
    assert!(!is_fine && err.contains("exec is not simulated"), "{err}");
    let (_, err, is_fine) = fixture.run("port-forward pod/a 8080:80");
    assert!(!is_fine && err.contains("port-forward is not simulated"), "{err}");
    let node = fixture.run_ok("get pod a -o jsonpath={.spec.nodeName}");
    assert!(fixture.run_ok(&format!("drain {node} --force")).contains("drained"));
    assert!(fixture.run_ok("get events").contains("Scheduled"));
    for line in [
        "label node a-1 k=v",
        "taint node a-1 k=v:NoSchedule",
        "annotate node a-1 k=v",
        "uncordon a-1",
    ] {
        fixture.run_ok(line);
    }
    assert!(fixture.server.is_running());
}

/// Shows: HT-005, HT-026
#[test]
fn kubectl_works_over_tls_only_with_token() {
    let listen = ListenOptions {
        address: std::net::Ipv4Addr::UNSPECIFIED.into(),
        token: Token::new("a-token").expect("a token"),
    };
    let Some(fixture) = fixture_listening("tls", Some(listen)) else {
        return;
    };
    assert!(fixture.run_ok("version").contains("Server Version: v1.36.3"));
    assert!(fixture.run_ok("auth whoami").contains("kubernetes-admin"));
    fixture.run_ok("create deployment web --image=nginx --replicas=2");
    assert!(
        fixture
            .run_ok("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    assert!(fixture.run_ok("logs deployment/web").contains("process started"));
    fixture.run_ok("config set users.podscope.token another");
    let (_, err, is_fine) = fixture.run("get pods");
    assert!(!is_fine && err.contains("You must be logged in to the server"), "{err}");
}

const MANIFEST: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: nginx}, {name: other, image: nginx}]}
";

/// Shows: HT-102, HT-106, HT-107, HT-135
#[test]
fn kubectl_applies_client_side_and_server_side() {
    let Some(fixture) = fixture("apply") else { return };
    let file = fixture.folder.join("web.yaml");
    let write = |text: &str| std::fs::write(&file, text).expect("it is written");
    let apply = |more: &str| fixture.run(&format!("apply -f {}{more}", file.display()));
    let succeeds = |more: &str| fixture.run_ok(&format!("apply -f {}{more}", file.display()));
    write(MANIFEST);
    assert_eq!(succeeds(""), "deployment.apps/web created\n");
    assert_eq!(succeeds(""), "deployment.apps/web unchanged\n");
    // The list of containers is merged by name: the other container stays as it is.
    write(&MANIFEST.replace("image: nginx}, {", "image: nginx:2}, {"));
    assert_eq!(succeeds(""), "deployment.apps/web configured\n");
    let images = "get deployment web -o jsonpath={.spec.template.spec.containers[*].image}";
    assert_eq!(fixture.run_ok(images), "nginx:2 nginx");
    write(&MANIFEST.replace("replicas: 1", "replicaz: 1"));
    assert!(apply("").1.contains("unknown field \"spec.replicaz\""));
    write(&MANIFEST.replace("replicas: 1", "replicas: 4"));
    assert_eq!(succeeds(" --server-side"), "deployment.apps/web serverside-applied\n");
    assert_eq!(fixture.run_ok("get deployment web -o jsonpath={.spec.replicas}"), "4");
    assert_eq!(
        fixture.run_ok(&format!("delete -f {}", file.display())).lines().count(),
        1
    );
}
