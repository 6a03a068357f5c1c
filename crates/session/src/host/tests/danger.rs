//! Dangerous command lines run only after confirmation.

use podscope_api::Danger;
use podscope_protocol::{Request, Update};

use super::super::{director, lines};
use super::{Host, open_first_visit, work_until_idle};

/// Returns the page's request that runs lines only if they are not dangerous.
fn run_unless_dangerous(lines: &[&str]) -> Request {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Request::RunUnlessDangerous { lines }
}

fn given_commands(host: &Host) -> Vec<String> {
    let session = &host.active.as_ref().expect("a session").session;
    let commands = session.commands().into_iter();
    commands.map(|timed| timed.command.to_string()).collect()
}

/// Sends a line to a host and returns the danger that the host reports; None if it runs the line.
fn reported_danger(host: &mut Host, line: &str) -> Option<Danger> {
    let updates = host.handle(run_unless_dangerous(&[line]), 0.0);
    updates.into_iter().find_map(|update| match update {
        Update::Dangerous { danger, .. } => Some(danger),
        _ => None,
    })
}

/// Shows: K-02
#[test]
fn dangerous_lines_run_only_after_confirmation() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    let lines = ["kubectl cordon c-1", "kubectl delete node c-2"];
    let updates = host.handle(run_unless_dangerous(&lines), clock);
    let [Update::Dangerous { lines, danger }] = updates.as_slice() else {
        panic!("{updates:?}")
    };
    assert_eq!(*danger, Danger::DeleteNode);
    assert!(given_commands(&host).is_empty());
    host.handle(Request::run_lines(lines.clone()), clock);
    work_until_idle(&mut host, &mut clock);
    assert_eq!(given_commands(&host), *lines);
}

#[test]
fn harmless_line_runs_without_confirmation() {
    let mut host = open_first_visit().0;
    let line = "kubectl delete pod node";
    assert_eq!(reported_danger(&mut host, line), None);
    assert_eq!(given_commands(&host), [line]);
}

/// A command behind a pipe can be dangerous or not, depending on the objects that the pipe passes to it.
#[test]
fn danger_of_piped_command_depends_on_its_input() {
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
        (
            "kubectl get node a-1 -o yaml | kubectl replace --force -f -",
            Some(Danger::DeleteNode),
        ),
        ("kubectl get node a-1 -o yaml | kubectl replace -f -", None),
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
        assert_eq!(reported_danger(&mut open_first_visit().0, line), found, "{line}");
    }
}

/// Whether a forced deletion concerns a custom kind depends on the kinds in the cluster.
#[test]
fn forced_deletion_of_custom_object_is_dangerous() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    let line = "kubectl delete widgets a --force";
    assert_eq!(reported_danger(&mut host, line), None, "there is no such type");
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
    host.handle(Request::run_lines(vec![define]), clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    assert_eq!(reported_danger(&mut host, line), Some(Danger::ForceDelete));
}

/// An earlier line of the same request can create the pods that a later forced deletion reads.
#[test]
fn danger_check_of_later_line_assumes_matching_objects() {
    let mut host = open_first_visit().0;
    let delete = "kubectl get pods -n shop -o name | xargs kubectl delete --force";
    assert_eq!(reported_danger(&mut host, delete), None, "there are none");
    let lines = ["kubectl run a -n shop --image=nginx", delete];
    let updates = host.handle(run_unless_dangerous(&lines), 0.0);
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

/// A line that is sent during a seek waits for its end, and is checked against the cluster in which it then runs.
#[test]
fn danger_check_during_seek_uses_state_at_its_target() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(
        Request::run_lines(vec!["kubectl run late --image=nginx".to_owned()]),
        clock,
    );
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 0 }, clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    let line = "kubectl get pods -o name | grep late | xargs kubectl delete --force";
    let mut updates = host.handle(run_unless_dangerous(&[line]), clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    let asked = updates
        .iter()
        .filter(|update| matches!(update, Update::Dangerous { .. }));
    assert_eq!(asked.count(), 1, "{updates:?}");
}

/// Lines that wait for the end of a seek are not checked for danger yet. They already count as an action of the user.
#[test]
fn lines_waiting_for_danger_check_count_as_user_action() {
    let request = run_unless_dangerous(&["kubectl get pods"]);
    assert!(director::clears_caption(&request) && director::is_user_action(&request));
    let host = open_first_visit().0;
    let active = host.active.as_ref().expect("a session");
    assert!(lines::drops_waiting_lines(&run_unless_dangerous(&["stop"]), active));
    assert!(!lines::drops_waiting_lines(&request, active));
}
