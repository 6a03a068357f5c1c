//! Every lesson can be solved, is not solved by doing nothing, and not by its tempting wrong attempt
//! (E-01, E-02); its link with twenty actions stays short (T-03); its run is the golden one.

use std::fmt::Write;

use podscope_cluster::{SimTime, Span};
use podscope_session::lessons;
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

#[test]
fn every_lesson_is_solved_by_its_solution_alone() {
    let mut complaints = Vec::new();
    let mut runs = String::new();
    for name in lessons::names() {
        let loaded = lessons::load(name).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let (solution, wrong) = (&loaded.scenario.solution, &loaded.scenario.wrong);
        for key in ["podscope.dev/group", "podscope.dev/summary", "podscope.dev/topic"] {
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
        let _ = writeln!(
            runs,
            "{name} records={} hash={}",
            solved.trace().len(),
            solved.trace_hash()
        );
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
    golden("lessons.txt", &runs);
}
