//! The same scenario and seed always give the same trace (P-02, Q-01).

use podscope_tests::traces::hashes;

/// The test also checks that different seeds give different traces, because otherwise equal traces would prove nothing.
#[test]
fn equal_seeds_give_equal_traces() {
    let first = hashes();
    assert_eq!(first, hashes());
    for rows in first.chunks(3) {
        let hash = |row: &String| row.rsplit(' ').next().map(str::to_string);
        assert_ne!(hash(&rows[0]), hash(&rows[1]), "{rows:?}");
    }
}
