//! Dangerous command lines run only when they are confirmed.

use podscope_api::Danger;
use podscope_protocol::{Request, Update};

use super::super::{director, lines};
use super::{Host, settle, welcome};

fn unconfirmed(lines: &[&str]) -> Request {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Request::RunUnlessDangerous { lines }
}

fn given(host: &Host) -> Vec<String> {
    let session = &host.active.as_ref().expect("a session").session;
    let commands = session.commands().into_iter();
    commands.map(|timed| timed.command.to_string()).collect()
}

/// The danger that the host reports about a line in the cluster of a first visit.
fn danger(host: &mut Host, line: &str) -> Option<Danger> {
    let updates = host.handle(unconfirmed(&[line]), 0.0);
    updates.into_iter().find_map(|update| match update {
        Update::Dangerous { danger, .. } => Some(danger),
        _ => None,
    })
}

/// Shows: K-02
#[test]
fn dangerous_lines_run_only_when_confirmed() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    let lines = ["kubectl cordon c-1", "kubectl delete node c-2"];
    let updates = host.handle(unconfirmed(&lines), clock);
    let [Update::Dangerous { lines, danger }] = updates.as_slice() else {
        panic!("{updates:?}")
    };
    assert_eq!(*danger, Danger::DeleteNode);
    assert!(given(&host).is_empty());
    host.handle(Request::run(lines.clone()), clock);
    settle(&mut host, &mut clock);
    assert_eq!(given(&host), *lines);
}

#[test]
fn harmless_line_runs_at_once() {
    let mut host = welcome().0;
    let line = "kubectl delete pod node";
    assert_eq!(danger(&mut host, line), None);
    assert_eq!(given(&host), [line]);
}

/// A command behind a pipe is judged by the objects that it gets.
#[test]
fn command_behind_pipe_is_judged_by_its_input() {
    for (line, found) in [
        (
            "kubectl get nodes -o name | xargs kubectl delete",
            Some(Danger::DeleteNode),
        ),
        ("kubectl get nodes -o name | grep none | xargs kubectl delete", None),
        ("kubectl get pods -o name | xargs kubectl delete", None),
        (
            "kubectl get pods -o name | grep web | xargs k delete --force",
            Some(Danger::ForceDelete),
        ),
        (
            "kubectl get ns default -o yaml | kubectl delete -f -",
            Some(Danger::DeleteNamespace),
        ),
        ("kubectl get nodes | grep delete", None),
        ("echo node/a-1 | xargs kubectl delete", Some(Danger::DeleteNode)),
        (
            "cat <<EOF | kubectl -n shop delete --force -f -\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nEOF",
            Some(Danger::ForceDelete),
        ),
        (
            "kubectl run a --image=nginx -o name | xargs kubectl delete --force",
            Some(Danger::ForceDelete),
        ),
        (
            "kubectl label nodes --all x=y -o name | xargs kubectl delete",
            Some(Danger::DeleteNode),
        ),
        (
            "kubectl create ns shop -o yaml | kubectl delete -f -",
            Some(Danger::DeleteNamespace),
        ),
        (
            "kubectl run a --image=nginx -o name | xargs kubectl get -o name | xargs kubectl delete --force",
            Some(Danger::ForceDelete),
        ),
        ("kubectl get pods --force-colour", None),
        ("|", None),
    ] {
        assert_eq!(danger(&mut welcome().0, line), found, "{line}");
    }
}

/// A command for a custom kind is known only in its cluster.
#[test]
fn forced_deletion_of_custom_object_is_dangerous() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    let line = "kubectl delete widgets a --force";
    assert_eq!(danger(&mut host, line), None, "there is no such type");
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.example}
spec:
  group: acme.example
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
";
    let define = format!("kubectl apply -f - <<EOF\n{definition}EOF");
    host.handle(Request::run(vec![define]), clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    assert_eq!(danger(&mut host, line), Some(Danger::ForceDelete));
}

/// A line before it can make the pods that a forced deletion reads.
#[test]
fn later_line_is_judged_as_if_it_found_objects() {
    let mut host = welcome().0;
    let delete = "kubectl get pods -n shop -o name | xargs kubectl delete --force";
    assert_eq!(danger(&mut host, delete), None, "there are none");
    let lines = ["kubectl run a -n shop --image=nginx", delete];
    let updates = host.handle(unconfirmed(&lines), 0.0);
    assert!(
        matches!(
            updates.as_slice(),
            [Update::Dangerous {
                danger: Danger::ForceDelete,
                ..
            }]
        ),
        "{updates:?}"
    );
}

/// The line waits for the end of the seek, and is judged in the cluster in which it runs.
#[test]
fn line_during_a_seek_is_judged_at_its_end() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::run(vec!["kubectl run late --image=nginx".to_owned()]), clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 0 }, clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    let line = "kubectl get pods -o name | grep late | xargs kubectl delete --force";
    let mut updates = host.handle(unconfirmed(&[line]), clock);
    updates.extend(settle(&mut host, &mut clock));
    let asked = updates
        .iter()
        .filter(|update| matches!(update, Update::Dangerous { .. }));
    assert_eq!(asked.count(), 1, "{updates:?}");
}

/// During a seek the lines wait before it is known whether they are dangerous. They are commands already then.
#[test]
fn lines_that_wait_are_a_command_of_the_user() {
    let request = unconfirmed(&["kubectl get pods"]);
    assert!(director::clears_caption(&request) && director::is_user_action(&request));
    let host = welcome().0;
    let active = host.active.as_ref().expect("a session");
    assert!(lines::drops_waiting_lines(&unconfirmed(&["stop"]), active));
    assert!(!lines::drops_waiting_lines(&request, active));
}
