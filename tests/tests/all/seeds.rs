//! Claims of the five seed documents, each as a small scenario with expectations (`tests/seeds`, listed in
//! `docs/seeds.md`), and runs that a search has found. They are run as by `podscope run`.

use std::fs;

use podscope_cluster::{SimTime, Span};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{report, scenario};
use podscope_tests::files;

use super::scenarios::unmet_expectations_and_bugs;

/// Each file names the facts that it shows.
#[test]
fn claims_of_the_seed_documents_hold() {
    let mut complaints = Vec::new();
    for path in files("tests/seeds", ".yaml") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a scenario");
        match scenario::load(&[(format!("{name}.yaml"), text)]) {
            Ok(loaded) => {
                let until = loaded.default_until();
                let mut session = Session::new(loaded).expect("a session");
                assert_eq!(session.advance(until, u64::MAX), Slice::Done, "{name}");
                complaints.extend(unmet_expectations_and_bugs(&name, &session));
            }
            Err(problems) => complaints.push(format!("{name}: {problems:?}")),
        }
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

const SITE_POD: &str = r#"{apiVersion: v1, kind: Pod, metadata: {name: site, annotations: {
  behavior.podscope.dev/fetch: "run=3s, disk=20Mi", behavior.podscope.dev/web: "disk=8Mi"}}, spec: {
  initContainers: [{name: fetch, image: a, volumeMounts: [{name: content, mountPath: /c}]}],
  containers: [{name: web, image: a, volumeMounts: [{name: content, mountPath: /c}]}],
  volumes: [{name: content, emptyDir: {}}]}}"#;

/// Name of a container, number of bytes that it wrote, and simulated second at which it began to write.
type ContainerBytes = (String, i64, f64);

/// Returns what each container wrote to the emptyDir of the pod. Exactly one process must run.
fn bytes_written(session: &Session) -> Vec<ContainerBytes> {
    let [process] = &report::process_values(session)[..] else {
        panic!("one process runs");
    };
    let all = process["emptyDirs"].as_array().cloned().unwrap_or_default();
    let row = |entry: &serde_json::Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        assert_eq!(text("volume"), "content");
        let number = entry["bytes"].as_i64().unwrap_or_default();
        (text("container"), number, entry["since"].as_f64().unwrap_or_default())
    };
    all.iter().map(row).collect()
}

/// Returns a session in which the pod `site` is created after one second; `extra_timeline` is appended to the
/// scenario's timeline.
fn site_session(extra_timeline: &str) -> Session {
    let pod = SITE_POD.replace('\n', "");
    let scenario = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: site}}\nspec:\n  cluster: {{zones: [a], nodesPerZone: 1}}\n  \
         timeline:\n  - {{at: 1s, apply: '{pod}'}}\n{}",
        extra_timeline.replace("SITE", &pod)
    );
    let loaded = scenario::load(&[("site.yaml".to_owned(), scenario)]).expect("the scenario loads");
    Session::new(loaded).expect("a session")
}

fn bytes_written_at(session: &mut Session, seconds: i64) -> Vec<ContainerBytes> {
    let instant = SimTime::ZERO + Span::seconds(seconds);
    assert_eq!(session.advance(instant, u64::MAX), Slice::Done);
    bytes_written(session)
}

/// Shows: LC-003. Document 002, figure 1: an emptyDir survives a new sandbox and a reboot of its node.
#[test]
fn empty_dir_survives_new_sandbox_and_reboot() {
    let mut session = site_session(
        "  - {at: 20s, run: fault sandbox site}\n  - {at: 60s, run: fault poweroff a-1}\n  - {at: 80s, run: fault boot a-1}\n",
    );
    let first = bytes_written_at(&mut session, 15);
    assert_eq!(first.len(), 2);
    assert_eq!(bytes_written_at(&mut session, 40), first);
    assert_eq!(bytes_written_at(&mut session, 140), first);
}

/// Shows: LC-003. Document 002, figure 1: an emptyDir survives restarts of containers and is deleted with its pod.
#[test]
fn empty_dir_survives_restarts_but_not_its_pod() {
    let mut session = site_session(
        "  - {at: 20s, run: fault exit site web 1}\n  - {at: 40s, run: fault exit site web 1}\n  \
         - {at: 80s, run: fault exit site web 1}\n  - {at: 250s, run: kubectl delete pod site}\n  - {at: 300s, apply: 'SITE'}\n",
    );
    let mut bytes_at = |seconds| bytes_written_at(&mut session, seconds);
    let first = bytes_at(15);
    let sizes: Vec<_> = first.iter().map(|(name, bytes, _)| (&**name, *bytes >> 20)).collect();
    assert_eq!(sizes, [("fetch", 20), ("web", 8)]);
    // After three restarts the runtime has removed the first container of `web`.
    assert_eq!(bytes_at(200), first);
    let second = bytes_at(320);
    let is_new_volume = second.iter().all(|(_, _, since)| *since >= 300.0);
    assert!(second.len() == 2 && is_new_volume, "{second:?}");
}
