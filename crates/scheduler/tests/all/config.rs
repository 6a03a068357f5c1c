//! Tests of KubeSchedulerConfiguration: reading, merging, validation (S-16, SCH-130 to SCH-137).

use podscope_scheduler::SchedulerConfiguration;
use podscope_scheduler::plugins::{Plugin, Point};
use serde_json::{Value, json};

fn v1_config(mut rest: Value) -> Value {
    rest["apiVersion"] = "kubescheduler.config.k8s.io/v1".into();
    rest["kind"] = "KubeSchedulerConfiguration".into();
    rest
}

fn config_errors(value: &Value) -> Vec<String> {
    match SchedulerConfiguration::from_value(value) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

fn plugin_names(config: &SchedulerConfiguration, point: Point) -> Vec<&'static str> {
    config.profiles[0]
        .at(point)
        .iter()
        .map(|plugin| plugin.name())
        .collect()
}

/// Shows: SCH-032, SCH-033
#[test]
fn default_profile_has_plugins_and_weights_of_kube_scheduler() {
    let config = SchedulerConfiguration::default();
    assert_eq!(
        plugin_names(&config, Point::PreFilter),
        [
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "VolumeRestrictions",
            "NodeVolumeLimits",
            "VolumeBinding",
            "VolumeZone",
            "PodTopologySpread",
            "InterPodAffinity",
            "DynamicResources",
            "NodeDeclaredFeatures",
        ]
    );
    assert_eq!(
        plugin_names(&config, Point::PostFilter),
        ["DynamicResources", "DefaultPreemption"]
    );
    assert_eq!(plugin_names(&config, Point::Bind), ["DefaultBinder"]);
    let weights: Vec<i64> = [Plugin::TaintToleration, Plugin::NodeAffinity, Plugin::ImageLocality]
        .map(|plugin| config.profiles[0].weight(plugin))
        .to_vec();
    assert_eq!(weights, [3, 2, 1]);
}

/// Shows: SCH-131, SCH-132
#[test]
fn custom_profile_is_merged_with_defaults() {
    let config = SchedulerConfiguration::from_value(&v1_config(json!({"profiles": [{"plugins": {
        "multiPoint": {"enabled": [{"name": "NodeAffinity", "weight": 9}], "disabled": [{"name": "ImageLocality"}]},
        "score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 5}, {"name": "TaintToleration"}]},
        "filter": {"disabled": [{"name": "NodePorts"}]},
        "postFilter": {"disabled": [{"name": "DefaultPreemption"}]},
    }}]}))).expect("a valid configuration");
    assert_eq!(
        plugin_names(&config, Point::Score),
        ["NodeResourcesFit", "TaintToleration"]
    );
    let profile = &config.profiles[0];
    assert_eq!(
        (
            profile.weight(Plugin::NodeResourcesFit),
            profile.weight(Plugin::TaintToleration)
        ),
        (5, 1)
    );
    assert_eq!(profile.weight(Plugin::NodeAffinity), 9);
    assert!(!profile.has(Point::Filter, Plugin::NodePorts) && profile.has(Point::PreFilter, Plugin::NodePorts));
    assert!(!profile.has(Point::PostFilter, Plugin::DefaultPreemption));
    assert_eq!(&*profile.scheduler_name, "default-scheduler");
}

/// Shows: S-16, SCH-133, SCH-134, SCH-135, SCH-136, SCH-137
#[test]
fn invalid_configuration_is_rejected_with_kube_scheduler_text() {
    for (value, wanted) in [
        (
            json!({"parallelism": 0}),
            "parallelism: Invalid value: 0: should be an integer value greater than zero",
        ),
        (
            json!({"percentageOfNodesToScore": 101}),
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        ),
        (
            json!({"podInitialBackoffSeconds": 20}),
            "podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds",
        ),
        (
            json!({"colour": "blue"}),
            "strict decoding error: unknown field \"colour\"",
        ),
        (
            json!({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]}),
            "profiles[1].schedulerName: Duplicate value: \"a\"",
        ),
        (
            json!({"profiles": [{"plugins": {"filter": {"enabled": [{"name": "Nope"}]}}}]}),
            "profiles[0].plugins.filter: filter plugin \"Nope\" does not exist",
        ),
        (
            json!({"profiles": [{"plugins": {"filter": {"enabled": [{"name": "ImageLocality"}]}}}]}),
            "profiles[0].plugins.filter: plugin \"ImageLocality\" does not extend filter plugin",
        ),
        (
            json!({"profiles": [{"plugins": {"bind": {"disabled": [{"name": "*"}]}}}]}),
            "profiles[0].plugins.bind: at least one bind plugin is needed for profile with scheduler name \"default-scheduler\"",
        ),
        (
            json!({"profiles": [{"pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 101}}]}]}),
            "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            json!({"profiles": [{"pluginConfig": [{"name": "InterPodAffinity", "args": {"kind": "NodeAffinityArgs"}}]}]}),
            "profiles[0].pluginConfig[0].args: args for plugin InterPodAffinity were not of type InterPodAffinityArgs, got NodeAffinityArgs",
        ),
        (
            json!({"profiles": [{"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]}}]}]}),
            "profiles[0].pluginConfig[0].args.defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty",
        ),
        (
            json!({"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": [{"utilization": 50, "score": 0}, {"utilization": 50, "score": 10}]}}}}]}]}),
            "profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: utilization values must be sorted in increasing order",
        ),
        (
            json!({"extenders": [{"urlPrefix": "http://x", "prioritizeVerb": "p"}]}),
            "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
        ),
    ] {
        assert_eq!(config_errors(&v1_config(value.clone())), [wanted], "{value}");
    }
}

/// Shows: S-08, S-16
#[test]
fn older_api_versions_are_translated_with_notice() {
    let config = SchedulerConfiguration::from_value(&json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1alpha1", "kind": "KubeSchedulerConfiguration",
        "algorithmSource": {"provider": "DefaultProvider"}, "disablePreemption": true,
    }))
    .expect("the form of the documentation");
    assert!(!config.profiles[0].has(Point::PostFilter, Plugin::DefaultPreemption));
    let notices: Vec<String> = config.notices.iter().map(ToString::to_string).collect();
    assert_eq!(
        notices,
        [
            "kubescheduler.config.k8s.io/v1alpha1 was read as kubescheduler.config.k8s.io/v1",
            "disablePreemption: true became a profile without DefaultPreemption",
            "algorithmSource DefaultProvider became the default plugins",
        ]
    );
    let beta = SchedulerConfiguration::from_value(&json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1beta3", "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "pluginConfig": [{"name": "PodTopologySpread", "args": {
            "defaultConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}],
            "defaultingType": "List"}}]}],
    })).expect("the form of the documentation");
    assert_eq!(beta.notices.len(), 1);
}
