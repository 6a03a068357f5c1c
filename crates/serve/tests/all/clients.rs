//! Client libraries and tools of other projects against the server. `cargo xtask test clients` fetches them and says in
//! environment variables where they are; without these nothing is run. The programs are in `tests/clients`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use serde_json::{Value, json};

use crate::client::get;

/// A cluster that runs twenty times as fast as real time, and a folder with its kubeconfig.
struct Desk {
    folder: PathBuf,
    server: Server,
}

/// The value of an environment variable that names a tool; None if it is not available.
fn tool(variable: &str) -> Option<OsString> {
    let found = std::env::var_os(variable).filter(|value| !value.is_empty());
    if found.is_none() {
        eprintln!("{variable} is not set: nothing is run");
    }
    found
}

/// The folder with the programs.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients")
}

fn desk(name: &str) -> Desk {
    let folder = std::env::temp_dir().join(format!("podscope-clients-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let options = Options {
        speed: Speed::Times(20.0),
        kubeconfig: Some(folder.join("config")),
        ..Options::default()
    };
    let session = Session::new(scenario::load(&[]).expect("the cluster of no file")).expect("it starts");
    let server = Server::start(session, &options).expect("a port is free");
    Desk { folder, server }
}

impl Desk {
    /// Runs a program that must succeed. Returns its stdout; what it printed is shown if it fails.
    fn fine(&self, command: &mut Command) -> String {
        let out = command
            .env("KUBECONFIG", self.folder.join("config"))
            .env("PODSCOPE_URL", self.server.url())
            .env("HOME", &self.folder)
            .output()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let stdout = text(&out.stdout);
        assert!(
            out.status.success(),
            "{command:?}: {}\n{stdout}{}",
            out.status,
            text(&out.stderr)
        );
        stdout
    }
}

/// Runs a Python program against a cluster of its own, if the Python clients are available.
fn python(name: &str, program: &str) {
    let Some(packages) = tool("PODSCOPE_PYTHON_CLIENTS") else {
        return;
    };
    let mut python = Command::new("python3");
    // Without `-B` the folder of the programs would be written to.
    python
        .arg("-B")
        .arg(programs().join(program))
        .env("PYTHONPATH", packages);
    desk(name).fine(&mut python);
}

impl Drop for Desk {
    fn drop(&mut self) {
        // Failure to remove the folder is ignored.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Shows: HT-079, HT-191
#[test]
fn python_watch_resumes_after_api_server_restart() {
    python("python", "watch_restart.py");
}

#[test]
fn python_typed_client_reads_every_kind() {
    python("typed", "typed_lists.py");
}

/// Shows: HT-184
#[test]
fn kopf_operator_reconciles_across_api_server_restart() {
    python("kopf", "kopf_operator.py");
}

#[test]
fn node_informer_lists_again_after_api_server_restart() {
    let Some(modules) = tool("PODSCOPE_NODE_CLIENTS") else {
        return;
    };
    let mut node = Command::new("node");
    node.arg(programs().join("informer.mjs"))
        .env("PODSCOPE_NODE_CLIENTS", modules);
    desk("node").fine(&mut node);
}

/// Shows: HT-050, HT-136, HT-185
#[test]
fn helm_installs_upgrades_rolls_back_and_uninstalls() {
    let Some(program) = tool("PODSCOPE_HELM") else { return };
    let desk = desk("helm");
    let chart = programs().join("chart");
    let run = |line: &str| -> String {
        let mut helm = Command::new(&program);
        helm.args(line.split(' ').map(|word| match word {
            "CHART" => chart.as_os_str().to_owned(),
            word => word.into(),
        }));
        desk.fine(&mut helm)
    };
    let get = |path: &str| get(desk.server.address(), path);
    let deployment = "/apis/apps/v1/namespaces/default/deployments/shop";
    let image_and_replicas = || {
        let deployment = get(deployment).json();
        let image = deployment["spec"]["template"]["spec"]["containers"][0]["image"].clone();
        (image, deployment["status"]["readyReplicas"].clone())
    };

    let installed = run("install shop CHART --wait --wait-for-jobs --timeout 60s");
    assert!(installed.contains("STATUS: deployed"), "{installed}");
    // `--wait` returns when all replicas are ready, and the hook has run before anything else was created.
    assert_eq!(image_and_replicas(), (json!("nginx:1"), json!(2)));
    let migrated = get("/apis/batch/v1/namespaces/default/jobs/shop-migrate-1").json();
    assert_eq!(migrated["status"]["succeeded"], 1, "{migrated}");
    let created = |value: &Value| value["metadata"]["creationTimestamp"].as_str().map(str::to_owned);
    assert!(migrated["status"]["completionTime"].as_str().map(str::to_owned) <= created(&get(deployment).json()));

    run("upgrade shop CHART --set image.tag=2,replicas=3,greeting=hi --wait --timeout 60s");
    assert_eq!(image_and_replicas(), (json!("nginx:2"), json!(3)));
    let settings = "/api/v1/namespaces/default/configmaps/shop-settings";
    assert_eq!(get(settings).json()["data"]["greeting"], "hi");
    let values = run("get values shop -o json");
    assert_eq!(values, "{\"greeting\":\"hi\",\"image\":{\"tag\":2},\"replicas\":3}\n");

    run("rollback shop 1 --wait --timeout 60s");
    assert_eq!(image_and_replicas(), (json!("nginx:1"), json!(2)));
    assert_eq!(get(settings).json()["data"]["greeting"], "hello");
    let history: Value = serde_json::from_str(&run("history shop -o json")).expect("JSON");
    let statuses: Vec<&str> = history
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["status"].as_str())
        .collect();
    assert_eq!(statuses, ["superseded", "superseded", "deployed"]);

    assert_eq!(
        run("uninstall shop --wait --timeout 60s"),
        "release \"shop\" uninstalled\n"
    );
    assert_eq!(get(deployment).status, 404);
    assert_eq!(get(settings).status, 404);
    let secrets = get("/api/v1/namespaces/default/secrets?labelSelector=owner%3Dhelm").json();
    assert_eq!(secrets["items"], json!([]));
    assert_eq!(run("list -A -q"), "");
}
