//! Tests of the actions on objects.

use super::*;
use podscope_protocol::{Cut, CutFrom, MachineView};

/// If the effect of a suggested command is already present, a story offers the reverse command instead.
/// Shows: U-10
#[test]
fn command_with_present_effect_offers_its_reverse() {
    let full_cut = Cut {
        from: CutFrom::ControlPlane,
        is_in: true,
        is_out: true,
    };
    let node = |cuts: &[Cut], powered| NodeView {
        name: "c-2".into(),
        machine: MachineView {
            cuts: cuts.to_vec(),
            powered,
            ..MachineView::default()
        },
        ..NodeView::default()
    };
    let (healthy, cut, off) = (node(&[], true), node(&[full_cut], true), node(&[], false));
    assert_eq!(reverse_command("fault partition c-2", &healthy), None);
    assert_eq!(
        reverse_command("fault partition c-2", &cut).as_deref(),
        Some("fault heal c-2")
    );
    assert_eq!(reverse_command("fault partition c-1", &cut), None);
    assert_eq!(
        reverse_command("fault poweroff c-2", &off).as_deref(),
        Some("fault boot c-2")
    );
    assert!(present_effect_text(&cut).contains("cut off") && present_effect_text(&off).contains("off: nothing"));
}

#[test]
fn node_actions_depend_on_its_state() {
    let mut view = NodeView {
        name: "a-1".into(),
        registered: true,
        machine: MachineView {
            exists: true,
            powered: true,
            kubelet: true,
            runtime: true,
            ..MachineView::default()
        },
        ..NodeView::default()
    };
    let commands = |view: &NodeView| node(view).into_iter().map(|action| action.command).collect::<Vec<_>>();
    assert!(commands(&view).contains(&"fault partition a-1".to_string()));
    assert!(commands(&view).contains(&"fault poweroff a-1".to_string()));
    view.machine.powered = false;
    view.machine.cuts = vec![Cut {
        from: CutFrom::ControlPlane,
        is_in: true,
        is_out: true,
    }];
    view.cordoned = true;
    let now = commands(&view);
    for wanted in ["fault boot a-1", "fault heal a-1", "kubectl uncordon a-1"] {
        assert!(now.contains(&wanted.to_string()), "{wanted}");
    }
    assert_eq!(toggle_cut_command(&view), "fault heal a-1");
}

#[test]
fn commands_name_namespace_unless_default() {
    assert_eq!(
        delete_pod_command("default/web-0"),
        "kubectl delete pod web-0 --wait=false"
    );
    assert_eq!(
        force_delete_pod_command("shop/web-0"),
        "kubectl delete pod web-0 -n shop --grace-period=0 --force"
    );
}

#[test]
fn common_commands_have_a_short_description() {
    for (line, description) in [
        ("fault partition a-1", Some("Cut off a-1")),
        ("fault partition --zone a", Some("Cut off zone a")),
        (
            "kubectl delete pod web-0 --grace-period=0 --force",
            Some("Force delete web-0"),
        ),
        ("kubectl drain b-2 --ignore-daemonsets", Some("Drain b-2")),
        ("kubectl delete pod web-0 --force=false", Some("Delete web-0")),
        ("kubectl delete pod --force web-0", None),
        ("kubectl apply -f -", None),
    ] {
        assert_eq!(short_description(line).as_deref(), description, "{line}");
    }
}

/// Every action's command can be parsed, and an action with a dangerous command is drawn as dangerous. The actions on
/// an object depend on its kind.
/// Shows: K-01
#[test]
fn every_action_is_a_valid_command() {
    let pod_of = |mark| PodView {
        key: "shop/web-0".into(),
        node: "a-1".into(),
        mark,
        ..PodView::default()
    };
    let mut all = [PodMark::Ready, PodMark::Pending, PodMark::Ghost]
        .map(|mark| pod(&pod_of(mark)))
        .concat();
    all.extend(zone("a", true).into_iter().chain(zone("a", false)));
    for (kind, key, replicas, expected) in [
        ("Deployment", "shop/web", Some(1), 4),
        ("ReplicaSet", "default/web-5f", Some(0), 2),
        ("DaemonSet", "default/logs", None, 2),
        ("PersistentVolume", "disk", None, 1),
        ("Namespace", "shop", None, 1),
    ] {
        let list = object(kind, key, replicas);
        assert_eq!(list.len(), expected, "{list:?}");
        all.extend(list);
    }
    all.extend(node(&NodeView {
        name: "a-1".into(),
        registered: true,
        ..NodeView::default()
    }));
    for action in all {
        let parsed = podscope_kubectl::command::parse(&action.command);
        let command = parsed.unwrap_or_else(|error| panic!("{}: {error}", action.command));
        assert_eq!(command.danger().is_some(), action.is_dangerous, "{command}");
    }
    assert_eq!(
        object("StatefulSet", "shop/db", Some(2))[1].command,
        "kubectl scale statefulset/db -n shop --replicas=1"
    );
}

/// A pod dropped on another node stays, and the reason is explained.
/// Shows: U-12
#[test]
fn dropping_a_pod_on_a_node_explains_why_it_stays() {
    let pod = PodView {
        key: "default/web-0".into(),
        node: "a-1".into(),
        mark: PodMark::Ready,
        ..PodView::default()
    };
    assert!(why_pod_cannot_move(&pod, "b-1").contains("no live migration"));
}
