//! The official kubectl against the server. `PODSCOPE_KUBECTL` names the program (`cargo xtask test kubectl` fetches it);
//! without it nothing is run.

use std::path::PathBuf;
use std::process::Command;

use podscope_serve::{Listen, Options, Server, Speed, Token};
use podscope_session::scenario;
use podscope_session::timeline::Session;

mod draws;

/// A cluster that runs ten times as fast as real time, and a kubectl that works with it.
struct Desk {
    program: PathBuf,
    folder: PathBuf,
    server: Server,
}

/// A cluster on loopback; None if kubectl is not available.
fn desk(name: &str) -> Option<Desk> {
    desk_listening(name, None)
}

fn desk_listening(name: &str, listen: Option<Listen>) -> Option<Desk> {
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
    Some(Desk {
        program: program.into(),
        folder,
        server,
    })
}

impl Desk {
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
    fn fine(&self, line: &str) -> String {
        let (out, err, is_fine) = self.run(line);
        assert!(is_fine, "kubectl {line}: {out}{err}");
        out
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // Failure to remove the directory is ignored.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Shows: HT-001, HT-002, HT-100, HT-180
#[test]
fn kubectl_creates_scales_rolls_out_and_deletes() {
    let Some(desk) = desk("rollout") else { return };
    assert!(desk.fine("version").contains("Server Version: v1.36.3"));
    // kubectl sends this body as protobuf.
    assert_eq!(
        desk.fine("create deployment web --image=nginx --replicas=2"),
        "deployment.apps/web created\n"
    );
    assert!(
        desk.fine("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    let pods = desk.fine("get pods");
    assert_eq!(
        pods.lines().filter(|line| line.contains("Running")).count(),
        2,
        "{pods}"
    );
    assert_eq!(
        desk.fine("scale deployment/web --replicas=3"),
        "deployment.apps/web scaled\n"
    );
    assert_eq!(
        desk.fine("set image deployment/web nginx=nginx:2"),
        "deployment.apps/web image updated\n"
    );
    assert!(
        desk.fine("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    assert!(desk.fine("describe deployment web").contains("Image:         nginx:2"));
    assert!(desk.fine("logs deployment/web").contains("process started"));
    let deleted = desk.fine("delete deployment web");
    assert_eq!(deleted, "deployment.apps \"web\" deleted from default namespace\n");
    assert!(
        desk.run("get deployment web")
            .1
            .contains("deployments.apps \"web\" not found")
    );
}

/// Shows: HT-112, HT-116, HT-117, HT-143, HT-188
#[test]
fn kubectl_auth_drain_and_unsupported_commands_answer() {
    let Some(desk) = desk("asks") else { return };
    assert_eq!(desk.fine("auth can-i create pods"), "yes\n");
    assert!(desk.fine("auth whoami").contains("kubernetes-admin"));
    desk.fine("run a --image=nginx");
    desk.fine("wait --for=condition=Ready pod/a --timeout=60s");
    assert!(desk.fine("top pods").contains('a'));
    assert!(desk.fine("top nodes").contains("a-1"));
    let (_, err, is_fine) = desk.run("exec a -- ls");
    assert!(!is_fine && err.contains("exec is not simulated"), "{err}");
    let (_, err, is_fine) = desk.run("port-forward pod/a 8080:80");
    assert!(!is_fine && err.contains("port-forward is not simulated"), "{err}");
    let node = desk.fine("get pod a -o jsonpath={.spec.nodeName}");
    assert!(desk.fine(&format!("drain {node} --force")).contains("drained"));
    assert!(desk.fine("get events").contains("Scheduled"));
    for line in [
        "label node a-1 k=v",
        "taint node a-1 k=v:NoSchedule",
        "annotate node a-1 k=v",
        "uncordon a-1",
    ] {
        desk.fine(line);
    }
    assert!(desk.server.is_running());
}

/// Shows: HT-005, HT-026
#[test]
fn kubectl_works_over_tls_with_the_token_only() {
    let listen = Listen {
        address: std::net::Ipv4Addr::UNSPECIFIED.into(),
        token: Token::new("a-token").expect("a token"),
    };
    let Some(desk) = desk_listening("tls", Some(listen)) else {
        return;
    };
    assert!(desk.fine("version").contains("Server Version: v1.36.3"));
    assert!(desk.fine("auth whoami").contains("kubernetes-admin"));
    desk.fine("create deployment web --image=nginx --replicas=2");
    assert!(
        desk.fine("rollout status deployment/web --timeout=60s")
            .contains("successfully rolled out")
    );
    assert!(desk.fine("logs deployment/web").contains("process started"));
    desk.fine("config set users.podscope.token another");
    let (_, err, is_fine) = desk.run("get pods");
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
fn kubectl_client_and_server_side_apply_work() {
    let Some(desk) = desk("apply") else { return };
    let file = desk.folder.join("web.yaml");
    let write = |text: &str| std::fs::write(&file, text).expect("it is written");
    let apply = |more: &str| desk.run(&format!("apply -f {}{more}", file.display()));
    let succeeds = |more: &str| desk.fine(&format!("apply -f {}{more}", file.display()));
    write(MANIFEST);
    assert_eq!(succeeds(""), "deployment.apps/web created\n");
    assert_eq!(succeeds(""), "deployment.apps/web unchanged\n");
    // A list is merged by its key: the other container stays as it is.
    write(&MANIFEST.replace("image: nginx}, {", "image: nginx:2}, {"));
    assert_eq!(succeeds(""), "deployment.apps/web configured\n");
    let images = "get deployment web -o jsonpath={.spec.template.spec.containers[*].image}";
    assert_eq!(desk.fine(images), "nginx:2 nginx");
    write(&MANIFEST.replace("replicas: 1", "replicaz: 1"));
    assert!(apply("").1.contains("unknown field \"spec.replicaz\""));
    write(&MANIFEST.replace("replicas: 1", "replicas: 4"));
    assert_eq!(succeeds(" --server-side"), "deployment.apps/web serverside-applied\n");
    assert_eq!(desk.fine("get deployment web -o jsonpath={.spec.replicas}"), "4");
    assert_eq!(desk.fine(&format!("delete -f {}", file.display())).lines().count(), 1);
}
