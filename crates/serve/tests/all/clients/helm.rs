//! helm with three charts: `chart-shop` (a Deployment, with a hook that runs before each installation and upgrade),
//! `chart-store` (a StatefulSet with volumes) and `chart-backup` (a custom kind, hooks and tests). Each chart is
//! installed, upgraded, rolled back and uninstalled with `--wait`.

use std::ffi::OsString;
use std::process::Command;

use serde_json::{Value, json};

use super::{ClientFixture, start_fixture, test_programs_dir, tool_path_from_env};
use crate::client::{Answer, get};

/// The helm program, a cluster, and a chart. In commands, the path of the chart replaces the word CHART.
struct Helm {
    program: OsString,
    chart: std::path::PathBuf,
    fixture: ClientFixture,
}

impl Helm {
    /// None if helm is not available.
    fn new(chart: &str) -> Option<Helm> {
        let program = tool_path_from_env("PODSCOPE_HELM")?;
        Some(Helm {
            program,
            chart: test_programs_dir().join(chart),
            fixture: start_fixture(chart),
        })
    }

    fn command(&self, line: &str) -> Command {
        let mut helm = Command::new(&self.program);
        helm.args(line.split(' ').map(|word| match word {
            "CHART" => self.chart.as_os_str().to_owned(),
            word => word.into(),
        }));
        helm
    }

    /// Runs a command that must succeed. Returns its stdout.
    fn run(&self, line: &str) -> String {
        self.fixture.run_ok(&mut self.command(line))
    }

    /// Runs a command that must fail. Returns its stderr.
    fn run_failing(&self, line: &str) -> String {
        self.fixture.run_failing(&mut self.command(line))
    }

    fn get(&self, path: &str) -> Answer {
        get(self.fixture.server.address(), path)
    }

    fn list_items(&self, path: &str) -> Vec<Value> {
        self.get(path).json()["items"].as_array().cloned().unwrap_or_default()
    }

    /// Returns the statuses of the revisions of a release.
    fn revision_statuses(&self, release: &str) -> Vec<String> {
        let history: Value = serde_json::from_str(&self.run(&format!("history {release} -o json"))).expect("JSON");
        let revisions = history.as_array().into_iter().flatten();
        revisions
            .filter_map(|one| one["status"].as_str().map(str::to_owned))
            .collect()
    }

    /// Checks that no release is left, nor the Secrets in which helm stores its revisions.
    fn assert_no_release_left(&self) {
        let secrets = self.list_items("/api/v1/namespaces/default/secrets?labelSelector=owner%3Dhelm");
        assert_eq!(secrets, [] as [Value; 0]);
        assert_eq!(self.run("list -A -q"), "");
    }
}

/// Shows: HT-050, HT-136, HT-185
#[test]
fn helm_installs_upgrades_rolls_back_and_uninstalls() {
    let Some(helm) = Helm::new("chart-shop") else { return };
    let deployment = "/apis/apps/v1/namespaces/default/deployments/shop";
    let image_and_replicas = || {
        let deployment = helm.get(deployment).json();
        let image = deployment["spec"]["template"]["spec"]["containers"][0]["image"].clone();
        (image, deployment["status"]["readyReplicas"].clone())
    };

    let installed = helm.run("install shop CHART --wait --wait-for-jobs --timeout 60s");
    assert!(installed.contains("STATUS: deployed"), "{installed}");
    // `--wait` returns when all replicas are ready. The hook has run before anything else was created.
    assert_eq!(image_and_replicas(), (json!("nginx:1"), json!(2)));
    let migrated = helm.get("/apis/batch/v1/namespaces/default/jobs/shop-migrate-1").json();
    assert_eq!(migrated["status"]["succeeded"], 1, "{migrated}");
    let created = |value: &Value| value["metadata"]["creationTimestamp"].as_str().map(str::to_owned);
    assert!(migrated["status"]["completionTime"].as_str().map(str::to_owned) <= created(&helm.get(deployment).json()));

    helm.run("upgrade shop CHART --set image.tag=2,replicas=3,greeting=hi --wait --timeout 60s");
    assert_eq!(image_and_replicas(), (json!("nginx:2"), json!(3)));
    let settings = "/api/v1/namespaces/default/configmaps/shop-settings";
    assert_eq!(helm.get(settings).json()["data"]["greeting"], "hi");
    let values = helm.run("get values shop -o json");
    assert_eq!(values, "{\"greeting\":\"hi\",\"image\":{\"tag\":2},\"replicas\":3}\n");

    helm.run("rollback shop 1 --wait --timeout 60s");
    assert_eq!(image_and_replicas(), (json!("nginx:1"), json!(2)));
    assert_eq!(helm.get(settings).json()["data"]["greeting"], "hello");
    assert_eq!(helm.revision_statuses("shop"), ["superseded", "superseded", "deployed"]);

    assert_eq!(
        helm.run("uninstall shop --wait --timeout 60s"),
        "release \"shop\" uninstalled\n"
    );
    assert_eq!(helm.get(deployment).status, 404);
    assert_eq!(helm.get(settings).status, 404);
    helm.assert_no_release_left();
}

#[test]
fn helm_stateful_chart_keeps_volumes_and_password() {
    let Some(helm) = Helm::new("chart-store") else { return };
    let set = "/apis/apps/v1/namespaces/default/statefulsets/store";
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let ready = || helm.get(set).json()["status"]["readyReplicas"].clone();
    let password = || helm.get("/api/v1/namespaces/default/secrets/store").json()["data"]["password"].clone();
    let expect_image = |image: &str| {
        let pods = helm.list_items("/api/v1/namespaces/default/pods");
        let has_image = |pod: &Value| pod["spec"]["containers"][0]["image"] == image;
        assert!(pods.iter().all(has_image), "{image}: {pods:?}");
    };
    // Returns name, phase and volume of each claim.
    let volumes = || {
        let of = |claim: &Value| {
            [
                &claim["metadata"]["name"],
                &claim["status"]["phase"],
                &claim["spec"]["volumeName"],
            ]
            .map(|value| value.as_str().unwrap_or_default().to_owned())
        };
        helm.list_items(claims).iter().map(of).collect::<Vec<_>>()
    };

    let installed = helm.run("install store CHART --wait --timeout 60s");
    let note = "3 replicas of store listen at store.default.svc:5432 (Kubernetes v1.36.3).";
    assert!(
        installed.contains("STATUS: deployed") && installed.contains(note),
        "{installed}"
    );
    assert_eq!(ready(), 3);
    let (first_volumes, first_password) = (volumes(), password());
    assert_eq!(first_volumes.len(), 3);
    for (number, [name, phase, volume]) in first_volumes.iter().enumerate() {
        assert_eq!(
            (name.as_str(), phase.as_str()),
            (&*format!("data-store-{number}"), "Bound")
        );
        let volume = helm.get(&format!("/api/v1/persistentvolumes/{volume}")).json();
        assert_eq!(volume["spec"]["claimRef"]["name"], name.as_str());
    }
    let budget = helm
        .get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/store")
        .json();
    assert_eq!(budget["status"]["disruptionsAllowed"], 1, "{budget}");
    let headless = helm.get("/api/v1/namespaces/default/services/store-headless").json();
    assert_eq!(headless["spec"]["clusterIP"], "None");
    // When helm upgrades, it patches the list of ports, and the server merges the items by key.
    let stateful_set = helm.get(set).json();
    assert_eq!(
        stateful_set["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"],
        "TCP"
    );

    helm.run("upgrade store CHART --set maxConnections=200,image.tag=17 --wait --timeout 60s");
    assert_eq!(ready(), 3);
    expect_image("postgres:17");
    assert_eq!((volumes(), password()), (first_volumes.clone(), first_password.clone()));

    // A volumeClaimTemplate is immutable: the upgrade fails, and the release stays as it is.
    let refused = helm.run_failing("upgrade store CHART --set storage.size=2Gi --wait --timeout 60s");
    assert!(
        refused.contains("updates to statefulset spec for fields other than"),
        "{refused}"
    );
    assert_eq!(
        helm.revision_statuses("store").last().map(String::as_str),
        Some("failed")
    );

    helm.run("rollback store 1 --wait --timeout 60s");
    expect_image("postgres:16");
    assert_eq!(
        (ready(), volumes(), password()),
        (json!(3), first_volumes.clone(), first_password)
    );

    // Claims of removed replicas are deleted; the others are kept after the release is uninstalled.
    helm.run("upgrade store CHART --set replicas=2 --wait --timeout 60s");
    helm.run("uninstall store --wait --timeout 60s");
    assert_eq!(volumes(), first_volumes[..2]);
    assert_eq!(helm.get(set).status, 404);
    helm.assert_no_release_left();
}

#[test]
fn helm_chart_with_custom_kind_hooks_and_tests_works() {
    let Some(helm) = Helm::new("chart-backup") else { return };
    let backup = "/apis/charts.podscope.dev/v1/namespaces/default/backups/nightly";
    let definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/backups.charts.podscope.dev";
    let jobs = || {
        let jobs = helm.list_items("/apis/batch/v1/namespaces/default/jobs");
        let named = jobs
            .iter()
            .map(|job| (job["metadata"]["name"].clone(), job["status"]["succeeded"].clone()));
        named.collect::<Vec<_>>()
    };

    let installed = helm.run("install nightly CHART --wait --wait-for-jobs --timeout 60s");
    assert!(installed.contains("nightly keeps 7 backups of store"), "{installed}");
    let found = helm.get(backup).json();
    // The schema's default is set.
    assert_eq!(
        found["spec"],
        json!({"target": "store", "retention": 7, "compress": true})
    );
    // The Job of the hook has succeeded and was deleted, as its delete policy requires.
    assert_eq!(jobs(), []);

    let tested = helm.run("test nightly --timeout 60s");
    assert!(tested.contains("Phase:          Succeeded"), "{tested}");

    helm.run("upgrade nightly CHART --set retention=14 --wait --timeout 60s");
    assert_eq!(helm.get(backup).json()["spec"]["retention"], 14);
    assert_eq!(jobs(), [(json!("nightly-rotate-2"), json!(1))]);
    let refused = helm.run_failing("upgrade nightly CHART --set retention=1000 --wait --timeout 60s");
    assert!(
        refused.contains("spec.retention in body should be less than or equal to 365"),
        "{refused}"
    );

    helm.run("rollback nightly 1 --wait --timeout 60s");
    assert_eq!(helm.get(backup).json()["spec"]["retention"], 7);
    assert_eq!(
        helm.revision_statuses("nightly"),
        ["superseded", "superseded", "failed", "deployed"]
    );

    helm.run("upgrade nightly CHART --set broken=true --wait --timeout 60s");
    let failed = helm.run_failing("test nightly --timeout 60s");
    assert!(failed.contains("nightly-test failed"), "{failed}");

    helm.run("uninstall nightly --wait --timeout 60s");
    assert_eq!(helm.get(backup).status, 404);
    // helm never deletes the definitions of a chart.
    assert_eq!(helm.get(definition).status, 200);
    helm.assert_no_release_left();
}
