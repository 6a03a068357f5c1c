//! KubeletConfiguration as a separate document and as part of a Scenario document: its effect and its errors (P-05).

use podscope_cluster::kubelet::{EvictionSignal, ThresholdValue};
use podscope_session::scenario;

fn load(text: &str) -> Result<scenario::Loaded, Vec<String>> {
    let file = ("a.yaml".to_owned(), text.to_owned());
    let loaded = scenario::load(&[file]);
    loaded.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// Shows: P-05
#[test]
fn kubelet_configuration_applies_as_document_and_in_scenario() {
    let settings = "serializeImagePulls: false\nmaxParallelImagePulls: 3\nevictionHard: {memory.available: 5%}\n\
                    crashLoopBackOff: {maxContainerRestartPeriod: 60s}\nshutdownGracePeriod: 30s\n\
                    shutdownGracePeriodCriticalPods: 10s\nclusterDomain: x\n";
    let document = format!("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n{settings}");
    let indented: String = settings.lines().map(|line| format!("      {line}\n")).collect();
    let part = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: a}}\nspec:\n  components:\n    kubelet:\n{indented}"
    );
    let generated_cluster = "No file has an object: the cluster of 6 nodes is made up";
    let without_effect = "KubeletConfiguration: clusterDomain has no effect here";
    // The notices about missing objects come before the others.
    for (text, notices_wanted) in [
        (document, vec![generated_cluster, without_effect]),
        (part, vec![without_effect]),
    ] {
        let loaded = load(&text).unwrap();
        let kubelet = &loaded.setup.settings.kubelet;
        assert_eq!(kubelet.parallel_pulls(), 3);
        assert_eq!(kubelet.eviction.len(), 1);
        assert_eq!(kubelet.eviction[0].signal, EvictionSignal::MemoryAvailable);
        assert_eq!(kubelet.eviction[0].value, ThresholdValue::PerTenThousand(500));
        assert_eq!(kubelet.max_container_restart_period.whole_seconds(), 60);
        let shutdown: Vec<(i32, i64)> = kubelet
            .shutdown
            .iter()
            .map(|one| (one.priority, one.grace_seconds))
            .collect();
        assert_eq!(shutdown, [(0, 20), (2_000_000_000, 10)]);
        let notices: Vec<String> = loaded.notices.iter().map(ToString::to_string).collect();
        assert_eq!(notices, notices_wanted);
    }
}

/// Shows: P-04
#[test]
fn kubelet_configuration_errors_have_positions() {
    let part = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: a}\nspec:\n  components:\n    kubelet:\n      evictionHrad: {}\n";
    assert_eq!(
        load(part).unwrap_err(),
        ["a.yaml:7:21: spec.components.kubelet.evictionHrad: unknown field \"evictionHrad\""]
    );
    let document = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionHard: {memory.available: much}\n";
    let problems = load(document).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("a.yaml:3:"), "{problems:?}");
}
