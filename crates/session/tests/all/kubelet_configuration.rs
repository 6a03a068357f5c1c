//! P-05: KubeletConfiguration, as a document of its own and as a part of a Scenario, with its effect and its errors.

use podscope_cluster::kubelet::{EvictionSignal, ThresholdValue};
use podscope_session::scenario;

fn load(text: &str) -> Result<scenario::Loaded, Vec<String>> {
    let file = ("a.yaml".to_owned(), text.to_owned());
    let loaded = scenario::load(&[file]);
    loaded.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// Shows: P-05
#[test]
fn a_kubelet_configuration_has_its_effect_wherever_it_stands() {
    let settings = "serializeImagePulls: false\nmaxParallelImagePulls: 3\nevictionHard: {memory.available: 5%}\n\
                    crashLoopBackOff: {maxContainerRestartPeriod: 60s}\nshutdownGracePeriod: 30s\n\
                    shutdownGracePeriodCriticalPods: 10s\nclusterDomain: x\n";
    let document = format!("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n{settings}");
    let indented: String = settings.lines().map(|line| format!("      {line}\n")).collect();
    let part = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: a}}\nspec:\n  components:\n    kubelet:\n{indented}"
    );
    let made_up = "No file has an object: the cluster of 6 nodes is made up";
    let without_effect = "KubeletConfiguration: clusterDomain has no effect here";
    // What answers rest on comes first.
    for (text, said) in [(document, vec![made_up, without_effect]), (part, vec![without_effect])] {
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
        assert_eq!(notices, said);
    }
}

/// Shows: P-04
#[test]
fn what_is_wrong_in_it_is_named_with_its_place() {
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
