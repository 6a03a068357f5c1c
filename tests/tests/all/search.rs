//! The invariant checks find real violations and report no false ones (F-03, F-04, F-20).
//!
//! A random run is generated from a seed: cluster, workloads, commands and faults. Each history switch that restores an
//! old bug of Kubernetes is found within [`MAX_SEEDS`] seeds by the expected invariant, and the run is shrunk. With default
//! settings no violation is a bug. These tests try a part of the seeds; the complete search is
//! `podscope search --seeds 2000`, and for a switch `podscope search --history SWITCH --seeds 1000`.

use podscope_session::link::{self, Link};
use podscope_session::report::field;
use podscope_session::search::{Run, RunSource, SearchGoal, shrink};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{export, scenario};

/// For each history switch, the search finds a violation within this number of seeds, starting with seed 0.
const MAX_SEEDS: u64 = 1000;
/// Number of seeds that the test tries for each history switch.
const SEEDS_PER_SWITCH: u64 = 60;
/// Maximum number of objects, faults and commands in a run after shrinking.
const MAX_SHRUNK_PARTS: usize = 4;
/// Number of seeds that the test tries with default settings.
const DEFAULT_SEEDS: u64 = 40;

/// Each switch that restores an old bug of Kubernetes, and the invariant that the bug violates.
const BUG_SWITCHES: &[(&str, &str)] = &[
    ("node-controller-force-deletes", "force-authority"),
    ("namespace-controller-force-deletes", "force-authority"),
    ("podgc-absent", "converge"),
    ("kubelet-without-two-second-floor", "grace-honoured"),
    ("grace-rules-v1.23", "grace-honoured"),
    ("statefulset-replaces-unreachable", "at-most-one"),
    ("lost-node-pods-failed", "at-most-one"),
];

fn goal_of_finding_violation_by_bug(invariant: Option<&str>) -> SearchGoal {
    SearchGoal {
        invariant: invariant.map(str::to_owned),
        only_bugs: true,
    }
}

/// Runs a scenario and returns the instant at which a bug first violates the invariant.
fn first_violation_by_bug(text: &str, invariant: &str) -> Option<podscope_cluster::SimTime> {
    let loaded = scenario::load(&[("found.yaml".to_owned(), text.to_owned())]).expect("a scenario that was printed");
    let until = loaded.default_until() + podscope_cluster::Span::seconds(1500);
    let mut session = Session::new(loaded).expect("its objects are admitted");
    assert_eq!(session.advance(until, u64::MAX), Slice::Done);
    let is_bug =
        |record: &podscope_cluster::Record| field(record, "invariant") == invariant && field(record, "cause") == "bug";
    session
        .violations()
        .find(|record| is_bug(record))
        .map(|record| record.at)
}

/// With each history switch on, the search finds a violation of the expected invariant. The shrunk run is short,
/// reproduces the violation as a scenario and as a link, and does not violate the invariant with the switch off.
/// Shows: F-20
#[test]
fn search_finds_violation_caused_by_each_history_switch() {
    const { assert!(SEEDS_PER_SWITCH <= MAX_SEEDS) };
    for (switch, invariant) in BUG_SWITCHES {
        let source = RunSource::Generated {
            history: vec![(*switch).to_owned()],
        };
        let goal = goal_of_finding_violation_by_bug(Some(invariant));
        let found = (0..SEEDS_PER_SWITCH).find_map(|seed| {
            let run = Run::generate(&source, seed).expect("drawn runs are well-formed");
            run.play(&goal).expect("their objects are admitted").found
        });
        let Some(found) = found else {
            panic!("{switch}: podscope search --history {switch} --invariant {invariant} --seeds {MAX_SEEDS}");
        };
        let before = found.ordering_key();
        let shrunk = shrink(found);
        assert!(shrunk.ordering_key() <= before);
        assert!(
            shrunk.run.parts.len() <= MAX_SHRUNK_PARTS,
            "{switch}: {:?}",
            shrunk.run.parts
        );

        let text = export::scenario(&shrunk.session);
        assert_eq!(
            first_violation_by_bug(&text, invariant),
            Some(shrunk.record.at),
            "{switch}:\n{text}"
        );
        let without_switch = text.replace(&format!("history:\n    - {switch}\n"), "history: []\n");
        assert_ne!(without_switch, text);
        assert_eq!(
            first_violation_by_bug(&without_switch, invariant),
            None,
            "{switch} is off:\n{without_switch}"
        );

        let text = Link::of(&shrunk.session, None, String::new()).encode();
        let link = link::decode(&text).expect("a link that was printed");
        assert_eq!(link.cursor, shrunk.session.now().0);
    }
}

/// With default settings, every violation is attributed to a command or a fault, and its record cites the fact that
/// documents this exception (`CT-…` or `LC-…`).
/// Shows: F-03, F-04
#[test]
fn violations_with_default_settings_cite_a_known_exception() {
    let source = RunSource::Generated { history: Vec::new() };
    let mut n_violations = 0;
    for seed in 0..DEFAULT_SEEDS {
        let run = Run::generate(&source, seed).expect("drawn runs are well-formed");
        let played = run
            .play(&goal_of_finding_violation_by_bug(None))
            .expect("their objects are admitted");
        if let Some(found) = played.found {
            let found = shrink(found);
            panic!(
                "seed {seed}: {}\n{}",
                found.record.to_json_line(),
                export::scenario(&found.session)
            );
        }
        for record in &played.broken {
            let violation = record.violation().expect("a violation");
            let exception = violation.by.exception.as_deref().unwrap_or_default();
            let cites = exception.starts_with("CT-") || exception.starts_with("LC-");
            assert!(cites, "seed {seed}: {}", record.to_json_line());
            n_violations += 1;
        }
    }
    assert!(n_violations > 0, "without any violation this test checks nothing");
}
