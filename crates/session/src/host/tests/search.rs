//! Seed search for a run that violates an invariant, as one of the page's engines performs it.

use podscope_protocol::{Search, SearchUpdate, ShortestRun, TriedSeed};

use super::*;

/// A scenario with a StatefulSet, a force-deleted pod and randomly generated partitions. The end-to-end test of the
/// seed search opens the same file.
const FORCED_DELETION_SCENARIO: &str = include_str!("../../../../../tests/fixtures/forced-deletion.yaml");

/// Searches all seeds. Returns the result of each seed and, if `shrinks_runs` is true, the shortest run with a
/// violation.
fn run_search(seeds: &[u64], shrinks_runs: bool) -> (Vec<TriedSeed>, Option<Box<ShortestRun>>) {
    let mut host = Host::new();
    let search = Search {
        files: vec![("forced.yaml".to_owned(), FORCED_DELETION_SCENARIO.to_owned())],
        seeds: seeds.to_vec(),
        shrinks: shrinks_runs,
    };
    let mut updates = host.handle(Request::Search(Box::new(search)), 0.0);
    while host.next_work() == NextWork::Now {
        updates.extend(host.work(0.0));
    }
    let (mut tried, mut last) = (Vec::new(), None);
    for update in updates {
        match update {
            Update::Search(SearchUpdate::Tried(seed)) => tried.push(seed),
            Update::Search(SearchUpdate::Shortest(shortest)) => last = Some(shortest),
            other => panic!("{other:?}"),
        }
    }
    (tried, last.expect("the search ends"))
}

/// Shows: P-16
#[test]
fn search_reports_each_seed_and_shortest_run() {
    let (tried, shortest) = run_search(&[0, 1, 2, 3, 4, 5], false);
    assert_eq!(shortest, None, "nothing is shrunk");
    let seeds: Vec<u64> = tried.iter().map(|one| one.seed).collect();
    assert_eq!(seeds, [0, 1, 2, 3, 4, 5]);
    for one in &tried {
        assert_eq!(one.size.is_some(), !one.broken.is_empty(), "{one:?}");
    }
    let breaking: Vec<u64> = tried.iter().filter_map(|one| Some(one.size?.seed)).collect();
    assert!((1..6).contains(&breaking.len()), "{breaking:?}");
    let (again, shortest) = run_search(&breaking, true);
    assert!(again.iter().all(|one| one.size.is_some()));
    let shortest = shortest.expect("a run");
    assert!(
        again.iter().any(|one| one.broken.contains(&shortest.broken)),
        "{shortest:?}"
    );
    // Opening the link of the shortest run plays the same run with the same violation.
    let mut host = Host::new();
    let fragment = shortest.link;
    host.handle(
        Request::Open {
            source: SessionSource::Link { fragment },
        },
        0.0,
    );
    while host.next_work() == NextWork::Now {
        host.work(0.0);
    }
    let session = &host.active.as_ref().expect("a session").session;
    assert!(session.violations().next().is_some());
}

/// Shows: P-16
#[test]
fn search_of_invalid_scenario_is_refused() {
    let mut host = Host::new();
    let search = Search {
        files: vec![("wrong.yaml".to_owned(), "kind: Scenario\nspec: 3".to_owned())],
        seeds: vec![1, 2],
        shrinks: false,
    };
    host.handle(Request::Search(Box::new(search)), 0.0);
    let updates = host.work(0.0);
    assert!(matches!(updates.as_slice(), [Update::Refused { .. }]), "{updates:?}");
    assert_eq!(host.next_work(), NextWork::AfterRequest);
}
