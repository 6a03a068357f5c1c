//! A kube-rs `Controller` with a planted bug under `podscope search`. For each ConfigMap with the label `wanted` it keeps
//! one pod, and it decides by a `reflector`, which keeps its objects while its watch is broken. The controller's own watch
//! comes back sooner, so that it creates pods again and again that it does not see yet.
//!
//! The scenario is the one of the Python controller. The search starts this test program once more, as the controller.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::reflector::{self, Store};
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::json;

use crate::clients::{assert_replays, folder};

/// With this variable the controller asks the API server before it creates a pod.
const IS_CAREFUL: &str = "PODSCOPE_TEST_IS_CAREFUL";
/// Pause between two passes over a ConfigMap.
const PERIOD: Duration = Duration::from_millis(100);
/// Pauses until the controller's watches and the one of its pods are opened again.
const SOON: Duration = Duration::from_millis(100);
const LATE: Duration = Duration::from_secs(1);
/// A seed whose faults break the watches while something is wanted.
const SEED: &str = "1";

/// The same pause each time.
struct Pause(Duration);

impl Iterator for Pause {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(self.0)
    }
}

impl Backoff for Pause {
    fn reset(&mut self) {}
}

struct Context {
    pods: Api<Pod>,
    /// What the controller knows of its pods.
    known: Store<Pod>,
    is_careful: bool,
}

async fn reconcile(wanted: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
    let owner = wanted.name_any();
    let is_owned = |pod: &Pod| pod.labels().get("owner") == Some(&owner);
    let has_pod = !context.known.state_filter(is_owned).is_empty();
    let params = ListParams::default().labels(&format!("owner={owner}"));
    if has_pod || (context.is_careful && !context.pods.list(&params).await?.items.is_empty()) {
        return Ok(Action::requeue(PERIOD));
    }
    let pod = json!({
        "metadata": {"generateName": format!("{owner}-"), "labels": {"owner": owner, "made-by": "controller"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
    });
    let pod = serde_json::from_value(pod).expect("a pod");
    context.pods.create(&PostParams::default(), &pod).await?;
    Ok(Action::requeue(PERIOD))
}

async fn control() {
    let client = Client::try_from(Config::infer().await.expect("KUBECONFIG")).expect("a client");
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let config_maps: Api<ConfigMap> = Api::default_namespaced(client);
    let (known, writer) = reflector::store();
    let reflected = watcher(pods.clone(), watcher::Config::default().labels("made-by=controller"))
        .backoff(Pause(LATE))
        .reflect(writer)
        .for_each(|_| std::future::ready(()));
    tokio::spawn(reflected);
    known.wait_until_ready().await.expect("the pods are listed");
    let context = Context {
        pods,
        known,
        is_careful: std::env::var_os(IS_CAREFUL).is_some(),
    };
    Controller::new(config_maps, watcher::Config::default().labels("wanted"))
        .trigger_backoff(Pause(SOON))
        .run(reconcile, |_, _, _| Action::requeue(PERIOD), Arc::new(context))
        .for_each(|_| std::future::ready(()))
        .await;
}

#[test]
#[ignore = "it is the controller, which the search starts and kills"]
fn controller_runs_if_a_search_starts_it() {
    if std::env::var_os("PODSCOPE_SEED").is_some() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(control());
    }
}

#[test]
fn search_finds_stale_cache_of_kube_controller() {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/stale_cache.yaml");
    let search = |is_careful: bool| {
        let mut search = crate::podscope_command();
        search
            .arg("search")
            .arg(&scenario)
            .args(["--seeds", "1", "--from", SEED]);
        search.args(["--speed", "20", "--repetitions", "0", "--"]);
        search.arg(std::env::current_exe().expect("this program"));
        search.args([
            "--ignored",
            "--exact",
            "kube_stale_cache::controller_runs_if_a_search_starts_it",
        ]);
        if is_careful {
            search.env(IS_CAREFUL, "true");
        }
        let output = search.output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, stdout, stderr) = search(false);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    assert!(stderr.contains("expectation failed: at 1m10s: count pods"), "{stderr}");
    assert_replays(&stdout, &folder("search-kube"), "expectation failed");

    let (status, stdout, stderr) = search(true);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
}
