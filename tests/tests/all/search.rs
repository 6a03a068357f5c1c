//! The checks can see, and see nothing that is not there. F-03, F-04, F-20.
//!
//! Runs are drawn whole from a seed: cluster, workloads, commands, faults. Each history switch that
//! breaks a guarantee is found within [`BOUND`] seeds, by name, and made small; at the default settings
//! no break is a bug of ours. The suite tries a part of it; all of it is
//! `podscope search --seeds 2000`, and for a switch `podscope search --history SWITCH --seeds 1000`.

use podscope_session::link::{self, Link};
use podscope_session::report::field;
use podscope_session::search::{Goal, Run, Source, shrink};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{export, scenario};

/// A switch is found within this many seeds, from 0 on.
const BOUND: u64 = 1000;
/// How many seeds the suite tries for a switch.
const TRIED: u64 = 60;
/// A run that was made small has no more objects, faults and commands than this.
const SMALL: usize = 4;
/// Seeds at the default settings that the suite tries.
const CLEAN: u64 = 40;

/// The switch and the invariant it breaks.
const SWITCHES: &[(&str, &str)] = &[
    ("node-controller-force-deletes", "force-authority"),
    ("namespace-controller-force-deletes", "force-authority"),
    ("podgc-absent", "converge"),
    ("kubelet-without-two-second-floor", "grace-honoured"),
    ("grace-rules-v1.23", "grace-honoured"),
    ("statefulset-replaces-unreachable", "at-most-one"),
    ("lost-node-pods-failed", "at-most-one"),
];

fn bug(invariant: Option<&str>) -> Goal {
    Goal {
        invariant: invariant.map(str::to_owned),
        only_bugs: true,
    }
}

/// The scenario's first break of the invariant that nothing excuses: its instant.
fn first_bug(text: &str, invariant: &str) -> Option<podscope_cluster::SimTime> {
    let loaded = scenario::load(&[("found.yaml".to_owned(), text.to_owned())]).expect("a scenario that was printed");
    let until = loaded.default_until() + podscope_cluster::Span::seconds(1500);
    let mut session = Session::new(loaded).expect("its objects are admitted");
    assert_eq!(session.advance(until, u64::MAX), Slice::Done);
    let is_it =
        |record: &podscope_cluster::Record| field(record, "invariant") == invariant && field(record, "cause") == "bug";
    session
        .violations()
        .find(|record| is_it(record))
        .map(|record| record.at)
}

/// Each switch that breaks a guarantee is seen by the named invariant; the run that shows it is short, is a
/// scenario and a link that show it again, and shows nothing with the switch off.
/// Shows: F-20
#[test]
fn each_switch_that_breaks_a_guarantee_is_found() {
    const { assert!(TRIED <= BOUND) };
    for (switch, invariant) in SWITCHES {
        let source = Source::Drawn {
            history: vec![(*switch).to_owned()],
        };
        let goal = bug(Some(invariant));
        let found = (0..TRIED).find_map(|seed| {
            let run = Run::draw(&source, seed).expect("drawn runs are well-formed");
            run.play(&goal).expect("their objects are admitted").found
        });
        let Some(found) = found else {
            panic!("{switch}: podscope search --history {switch} --invariant {invariant} --seeds {BOUND}");
        };
        let before = found.size();
        let small = shrink(found);
        assert!(small.size() <= before);
        assert!(small.run.parts.len() <= SMALL, "{switch}: {:?}", small.run.parts);

        let text = export::scenario(&small.session);
        assert_eq!(first_bug(&text, invariant), Some(small.record.at), "{switch}:\n{text}");
        let off = text.replace(&format!("history:\n    - {switch}\n"), "history: []\n");
        assert_ne!(off, text);
        assert_eq!(first_bug(&off, invariant), None, "{switch} is off:\n{off}");

        let text = Link::of(&small.session, None, String::new()).encode();
        let link = link::decode(&text).expect("a link that was printed");
        assert_eq!(link.cursor, small.session.now().0);
    }
}

/// At the default settings nothing breaks but what a command or a fault excuses, and every excuse cites
/// the exception of the facts' table.
/// Shows: F-03, F-04
#[test]
fn at_the_default_settings_every_break_is_excused_by_name() {
    let source = Source::Drawn { history: Vec::new() };
    let mut excused = 0;
    for seed in 0..CLEAN {
        let run = Run::draw(&source, seed).expect("drawn runs are well-formed");
        let played = run.play(&bug(None)).expect("their objects are admitted");
        if let Some(found) = played.found {
            let found = shrink(found);
            panic!(
                "seed {seed}: {}\n{}",
                found.record.to_json_line(),
                export::scenario(&found.session)
            );
        }
        for record in &played.broken {
            let violation = record.violation().expect("a break");
            let exception = violation.by.exception.as_deref().unwrap_or_default();
            let cites = exception.starts_with("CT-") || exception.starts_with("LC-");
            assert!(cites, "seed {seed}: {}", record.to_json_line());
            excused += 1;
        }
    }
    assert!(excused > 0, "runs in which nothing breaks show nothing");
}
