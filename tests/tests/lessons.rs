//! Every lesson can be solved, is not solved by doing nothing, and not by its tempting wrong attempt
//! (E-01, E-02); its link with twenty actions stays short (T-03); its run is the golden one.

use podscope_cluster::{SimTime, Span};
use podscope_session::lessons;
use podscope_session::report;
use podscope_session::scenario::Timed;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::golden;

/// Runs a lesson with these commands of the learner's, to five minutes after the last instant it names.
fn play(name: &str, commands: &[Timed]) -> Session {
    let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    let scenario = &loaded.scenario;
    let last = scenario
        .timeline
        .iter()
        .chain(&scenario.solution)
        .chain(&scenario.wrong)
        .map(|timed| timed.at)
        .max()
        .unwrap_or(SimTime::ZERO);
    let until = last.max(loaded.default_until()) + Span::seconds(300);
    let mut session = Session::new(loaded).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    session.schedule(commands.to_vec());
    assert_eq!(session.advance(until, u64::MAX), Slice::Done, "{name}");
    session
}

fn is_solved(session: &Session) -> bool {
    session.progress().goals_reached(&session.loaded().scenario)
}

/// The topics that E-01 names, and the lesson of each.
#[test]
fn every_topic_has_its_lesson_and_the_chooser_follows_the_annotations() {
    let listed = lessons::list();
    for (group, names) in [
        ("First steps", "first-pod scheduling-gates"),
        (
            "Spreading",
            "spread-by-zone two-constraints conflicting-constraints min-domains match-label-keys inclusion-policies \
             default-constraints spread-against-affinity scaling-down-unbalances empty-zone",
        ),
        (
            "Priority and preemption",
            "priorities preemption-and-grace non-preempting pdb-best-effort anti-affinity-across-nodes",
        ),
        (
            "Life and death of a pod",
            "graceful-termination prestop-overrun init-containers sidecars startup-liveness-probes \
             readiness-and-endpoints readiness-gates crashloopbackoff",
        ),
        ("Controllers", "rolling-update-bad-image drain-with-pdb"),
        ("Node pressure", "node-pressure-soft node-pressure-hard"),
        (
            "Pod safety",
            "partition-replicaset partition-statefulset force-delete-split-brain out-of-service-taint \
             node-deletion-returning-kubelet podgc namespace-stuck etcd-quorum zone-outage",
        ),
        ("Storage", "attach-protocol-fencing corrupting-nfs"),
    ] {
        let found: Vec<&str> = listed
            .iter()
            .filter(|lesson| lesson.group == group)
            .map(|lesson| lesson.name.as_str())
            .collect();
        assert_eq!(found, names.split_whitespace().collect::<Vec<_>>(), "{group}");
    }
    let mut groups: Vec<&str> = listed.iter().map(|lesson| lesson.group.as_str()).collect();
    groups.dedup();
    assert_eq!(groups.len(), 8, "a group is torn apart or has no test: {groups:?}");
}

/// E-01.
#[test]
fn every_lesson_is_solved_by_its_solution_alone() {
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let (solution, wrong) = (&loaded.scenario.solution, &loaded.scenario.wrong);
        for key in [
            "podscope.dev/group",
            "podscope.dev/order",
            "podscope.dev/summary",
            "podscope.dev/topic",
        ] {
            if !loaded.scenario.annotations.contains_key(key) {
                complaints.push(format!("{name}: no annotation {key}"));
            }
        }
        if solution.is_empty() || wrong.is_empty() || !loaded.scenario.steps.iter().any(|step| step.goal.is_some()) {
            complaints.push(format!("{name}: needs a goal, a solution and a wrong attempt"));
        }
        let solved = play(name, solution);
        if !is_solved(&solved) {
            complaints.push(format!(
                "{name}: the solution reaches step {:?} with goals {:?}",
                solved.progress().shown_step(),
                solved.progress().goals()
            ));
        }
        for (what, commands) in [("doing nothing", &Vec::new()), ("the wrong attempt", wrong)] {
            let session = play(name, commands);
            if is_solved(&session) {
                complaints.push(format!("{name}: {what} reaches every goal"));
            }
            if session.progress().bugs() > 0 {
                complaints.push(format!(
                    "{name}: {what} shows {} bugs of ours",
                    session.progress().bugs()
                ));
            }
        }
        if solved.progress().bugs() > 0 {
            complaints.push(format!(
                "{name}: the solution shows {} bugs of ours",
                solved.progress().bugs()
            ));
        }
        golden(&format!("lessons/{name}.trace"), &report::trace(solved.trace()));
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
