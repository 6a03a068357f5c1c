//! A kube-rs `Controller` with a planted bug under `podscope search`. It keeps one pod for each ConfigMap with the
//! label `wanted`, and looks up pods in the cache of a `reflector`, which is stale while its watch is broken. The watch
//! of ConfigMaps is reopened sooner, so the controller creates pods again that it does not see yet.
//!
//! The scenario is that of the Python controller. The search starts this test program again, as the controller.

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

use crate::clients::{assert_replays, create_folder};

/// Environment variable: if set, the controller lists pods from the API server before it creates one.
const IS_CAREFUL_VARIABLE: &str = "PODSCOPE_TEST_IS_CAREFUL";
/// Interval between two reconciliations of a ConfigMap.
const REQUEUE_INTERVAL: Duration = Duration::from_millis(100);
/// Delay after which the controller reopens a broken watch of ConfigMaps.
const CONFIG_MAP_WATCH_DELAY: Duration = Duration::from_millis(100);
/// Delay after which the controller reopens a broken watch of pods. Until then, its cache of pods is stale.
const POD_WATCH_DELAY: Duration = Duration::from_secs(1);
/// A seed whose faults break the watches while the controller should create a pod.
const FIRST_SEARCHED_SEED: &str = "1";

/// A backoff with a constant delay.
struct ConstantBackoff(Duration);

impl Iterator for ConstantBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(self.0)
    }
}

impl Backoff for ConstantBackoff {
    fn reset(&mut self) {}
}

struct Context {
    pods: Api<Pod>,
    /// The pods in the controller's cache, which may be stale.
    cached_pods: Store<Pod>,
    is_careful: bool,
}

async fn reconcile(wanted: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
    let owner = wanted.name_any();
    let is_owned = |pod: &Pod| pod.labels().get("owner") == Some(&owner);
    let has_pod = !context.cached_pods.state_filter(is_owned).is_empty();
    let params = ListParams::default().labels(&format!("owner={owner}"));
    if has_pod || (context.is_careful && !context.pods.list(&params).await?.items.is_empty()) {
        return Ok(Action::requeue(REQUEUE_INTERVAL));
    }
    let pod = json!({
        "metadata": {"generateName": format!("{owner}-"), "labels": {"owner": owner, "made-by": "controller"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
    });
    let pod = serde_json::from_value(pod).expect("a pod");
    context.pods.create(&PostParams::default(), &pod).await?;
    Ok(Action::requeue(REQUEUE_INTERVAL))
}

async fn run_controller() {
    let client = Client::try_from(Config::infer().await.expect("KUBECONFIG")).expect("a client");
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let config_maps: Api<ConfigMap> = Api::default_namespaced(client);
    let (cached_pods, writer) = reflector::store();
    let reflected = watcher(pods.clone(), watcher::Config::default().labels("made-by=controller"))
        .backoff(ConstantBackoff(POD_WATCH_DELAY))
        .reflect(writer)
        .for_each(|_| std::future::ready(()));
    tokio::spawn(reflected);
    cached_pods.wait_until_ready().await.expect("the pods are listed");
    let context = Context {
        pods,
        cached_pods,
        is_careful: std::env::var_os(IS_CAREFUL_VARIABLE).is_some(),
    };
    Controller::new(config_maps, watcher::Config::default().labels("wanted"))
        .trigger_backoff(ConstantBackoff(CONFIG_MAP_WATCH_DELAY))
        .run(
            reconcile,
            |_, _, _| Action::requeue(REQUEUE_INTERVAL),
            Arc::new(context),
        )
        .for_each(|_| std::future::ready(()))
        .await;
}

#[test]
#[ignore = "it is the controller, which the search starts and kills"]
fn controller_runs_if_a_search_starts_it() {
    if std::env::var_os("PODSCOPE_SEED").is_some() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(run_controller());
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
            .args(["--seeds", "1", "--from", FIRST_SEARCHED_SEED]);
        search.args(["--speed", "20", "--repetitions", "0", "--"]);
        search.arg(std::env::current_exe().expect("this program"));
        search.args([
            "--ignored",
            "--exact",
            "kube_stale_cache::controller_runs_if_a_search_starts_it",
        ]);
        if is_careful {
            search.env(IS_CAREFUL_VARIABLE, "true");
        }
        let output = search.output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, stdout, stderr) = search(false);
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    assert!(stderr.contains("expectation failed: at 1m10s: count pods"), "{stderr}");
    assert_replays(&stdout, &create_folder("search-kube"), "expectation failed");

    let (status, stdout, stderr) = search(true);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
}
