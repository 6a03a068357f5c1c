//! Tests of attach and detach (V-02, V-03, V-04, CT-127 to CT-135).

use podscope_api::{Kind, Node, PersistentVolume, Pod, Taint, TaintEffect, VolumeAttachment};

use super::super::ControllerManagerSettings;
use super::super::attachment::Holder;
use super::super::lab::Lab;
use podscope_sim::{Span, Switches};

const ISCSI: &str = "iscsi: {targetPortal: p, iqn: 'iqn.2026-01.dev.podscope:q', lun: 0}";
const EBS: &str = "awsElasticBlockStore: {volumeID: vol-1}";
const ISCSI_UNIQUE_NAME: &str = "kubernetes.io/iscsi/p:iqn.2026-01.dev.podscope:q:0";
const EBS_UNIQUE_NAME: &str = "kubernetes.io/aws-ebs/vol-1";

/// Returns the manifests of a volume from the given source, a claim, and the pod `one` on the node a-1.
fn volume_claim_and_pod(source: &str, access_modes: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: disk}}, spec: {{capacity: {{storage: 1Gi}}, accessModes: [{access_modes}], {source}}}}}\n---\n\
         {{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: data}}, spec: {{accessModes: [{access_modes}], storageClassName: '', resources: {{requests: {{storage: 1Gi}}}}}}}}\n---\n{}",
        pod_manifest("one", "a-1")
    )
}

/// Returns the manifest of a pod that mounts the claim `data`.
fn pod_manifest(name: &str, node: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{nodeName: {node}, containers: [{{name: c, image: i}}], \
         volumes: [{{name: v, persistentVolumeClaim: {{claimName: data}}}}]}}}}"
    )
}

/// Sets `volumesInUse` of a node, as its kubelet would.
fn set_volumes_in_use(lab: &mut Lab, node: &str, volume: Option<&'static str>) {
    lab.edit::<Node>(node, move |node| {
        node.status.volumes_in_use = volume.into_iter().map(Into::into).collect()
    });
}

fn set_container_running(lab: &mut Lab, pod: &str) {
    lab.edit::<Pod>(pod, |pod| {
        pod.status.container_statuses = vec![podscope_api::ContainerStatus::default()];
    });
}

fn nodes_with_attachment(lab: &Lab) -> Vec<String> {
    let nodes = lab
        .objects()
        .list::<Node>()
        .filter(|node| !node.status.volumes_attached.is_empty());
    nodes.map(|node| node.metadata.name.to_string()).collect()
}

/// Returns the value of the volume's holder annotation.
fn holder_annotation(lab: &Lab) -> Option<String> {
    lab.get::<PersistentVolume>("disk")
        .unwrap()
        .metadata
        .annotation("podscope.dev/attached-to")
        .map(str::to_owned)
}

/// The volume is handed from one node to the other as in steps 6 to 15 of the attach protocol, which changes the
/// volume's holder only by compare-and-swap.
/// Shows: V-04, CT-174
#[test]
fn attach_protocol_hands_volume_over_after_unmount() {
    let mut lab = Lab::new(&["a-1", "b-1"], &volume_claim_and_pod(ISCSI, "ReadWriteOnce"));
    lab.run(Span::seconds(2));
    assert_eq!(
        (holder_annotation(&lab).as_deref(), nodes_with_attachment(&lab)),
        (Some("a-1 default/one"), vec!["a-1".to_owned()]),
        "step 6: attached to a-1"
    );
    set_volumes_in_use(&mut lab, "a-1", Some(ISCSI_UNIQUE_NAME));
    set_container_running(&mut lab, "one");
    lab.partition("a-1");
    lab.delete(Kind::Pod, "one", None);
    lab.apply(&pod_manifest("two", "b-1"));
    lab.run(Span::seconds(30));
    assert_eq!(
        holder_annotation(&lab).as_deref(),
        Some("a-1 default/one"),
        "step 11: b-1 waits"
    );
    let text = "two FailedAttachVolume: Multi-Attach error for volume \"disk\" Volume is already used by pod(s) one";
    assert_eq!(
        lab.events.iter().filter(|event| *event == text).count(),
        1,
        "{:?}",
        lab.events
    );
    set_volumes_in_use(&mut lab, "a-1", None);
    lab.delete(Kind::Pod, "one", Some(0));
    lab.run(Span::seconds(2));
    assert_eq!(
        (holder_annotation(&lab).as_deref(), nodes_with_attachment(&lab)),
        (Some("b-1 default/two"), vec!["b-1".to_owned()]),
        "steps 13 and 14: detached from a-1, attached to b-1"
    );
    assert_eq!(
        lab.records,
        ["VolumeAttached a-1", "VolumeDetached a-1", "VolumeAttached b-1"]
    );
}

/// The volume is attached through a VolumeAttachment, and detached after the kubelet reports the unmount.
/// Shows: V-03, CT-135
#[test]
fn driver_volume_is_detached_after_unmount_is_reported() {
    let mut lab = Lab::new(&["a-1", "b-1"], &volume_claim_and_pod(EBS, "ReadWriteOnce"));
    lab.run(Span::seconds(3));
    assert_eq!(nodes_with_attachment(&lab), ["a-1"]);
    assert_eq!(lab.objects().list::<VolumeAttachment>().count(), 1);
    assert!(
        lab.events
            .contains(&"one SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume \"disk\" ".to_owned()),
        "{:?}",
        lab.events
    );
    set_volumes_in_use(&mut lab, "a-1", Some(EBS_UNIQUE_NAME));
    lab.delete(Kind::Pod, "one", Some(0));
    lab.run(Span::seconds(60));
    assert_eq!(nodes_with_attachment(&lab), ["a-1"], "the volume is still mounted");
    set_volumes_in_use(&mut lab, "a-1", None);
    lab.run(Span::seconds(3));
    assert_eq!(
        (
            nodes_with_attachment(&lab).len(),
            lab.objects().list::<VolumeAttachment>().count()
        ),
        (0, 0)
    );
    assert_eq!(lab.records, ["VolumeAttached a-1", "VolumeDetached a-1"]);
}

/// A volume is detached by force six minutes after it is no longer needed, if its node is not ready. A restart of the
/// controller resets the time; a setting disables the forced detach.
/// Shows: CT-131, CT-133, CT-137
#[test]
fn volume_is_detached_by_force_after_six_minutes() {
    for (restart, disabled, early, late) in [
        (false, false, 400, 480),
        (true, false, 480, 700),
        (false, true, 2000, 2000),
    ] {
        let settings = ControllerManagerSettings {
            disable_force_detach_on_timeout: disabled,
            ..ControllerManagerSettings::default()
        };
        let mut lab = Lab::with_settings(
            &["a-1", "b-1"],
            &volume_claim_and_pod(ISCSI, "ReadWriteOnce"),
            settings,
            Switches::default(),
        );
        lab.run(Span::seconds(2));
        set_volumes_in_use(&mut lab, "a-1", Some(ISCSI_UNIQUE_NAME));
        set_container_running(&mut lab, "one");
        lab.partition("a-1");
        lab.run(Span::seconds(98));
        lab.delete(Kind::Pod, "one", Some(0));
        lab.apply(&pod_manifest("two", "b-1"));
        lab.run(Span::seconds(100));
        if restart {
            lab.restart();
        }
        lab.run(Span::seconds(early - 200));
        assert_eq!(nodes_with_attachment(&lab), ["a-1"], "{restart} {disabled}");
        lab.run(Span::seconds(late - early));
        let expected = if disabled { "a-1" } else { "b-1" };
        assert_eq!(nodes_with_attachment(&lab), [expected], "{restart} {disabled}");
    }
}

/// A controller that starts after the Node was deleted finds the attachment in the volume's annotation.
/// Shows: CT-133, CT-150
#[test]
fn restarted_controller_detaches_volume_from_deleted_node() {
    let mut lab = Lab::new(&["a-1", "b-1"], &volume_claim_and_pod(ISCSI, "ReadWriteOnce"));
    lab.run(Span::seconds(2));
    set_volumes_in_use(&mut lab, "a-1", Some(ISCSI_UNIQUE_NAME));
    lab.delete(Kind::Node, "a-1", None);
    lab.delete(Kind::Pod, "one", Some(0));
    lab.restart();
    lab.run(Span::seconds(340));
    let holder = |lab: &Lab| {
        let volume = lab.objects().named::<PersistentVolume>("disk").cloned();
        volume.and_then(|volume| Some(Holder::of(&volume.metadata)?.to_string()))
    };
    assert_eq!(holder(&lab).as_deref(), Some("a-1 default/one"));
    lab.run(Span::seconds(60));
    assert_eq!(holder(&lab), None);
}

/// With the out-of-service taint the volume is detached at once, whether the node is ready or not (CT-131).
/// Shows: CT-131
#[test]
fn volume_of_out_of_service_node_is_detached_at_once() {
    let mut lab = Lab::new(&["a-1", "b-1"], &volume_claim_and_pod(ISCSI, "ReadWriteOnce"));
    lab.run(Span::seconds(2));
    set_volumes_in_use(&mut lab, "a-1", Some(ISCSI_UNIQUE_NAME));
    lab.delete(Kind::Pod, "one", Some(0));
    lab.apply(&pod_manifest("two", "b-1"));
    lab.run(Span::seconds(5));
    assert_eq!(nodes_with_attachment(&lab), ["a-1"]);
    lab.edit::<Node>("a-1", |node| {
        node.spec.taints.push(Taint {
            key: "node.kubernetes.io/out-of-service".into(),
            effect: TaintEffect::NoExecute,
            ..Taint::default()
        });
    });
    lab.run(Span::seconds(1));
    assert_eq!(nodes_with_attachment(&lab), ["b-1"]);
}

/// A volume with the access mode ReadWriteMany is attached to several nodes.
/// Shows: V-02, CT-129
#[test]
fn shared_volume_is_attached_to_several_nodes() {
    let mut lab = Lab::new(&["a-1", "b-1"], &volume_claim_and_pod(ISCSI, "ReadWriteMany"));
    lab.apply(&pod_manifest("two", "b-1"));
    lab.run(Span::seconds(5));
    assert_eq!(nodes_with_attachment(&lab), ["a-1", "b-1"]);
}
