//! `podscope search --shard` and `podscope merge`: the merged results of all shards equal the result of one search.

use super::{fail, podscope, write_file};

/// Shows: P-07
#[test]
fn merged_shards_equal_unsharded_search() {
    let search = |more: &[&str]| {
        let mut all = vec!["search", "--seeds", "9", "--from", "40", "--invariant", "at-most-one"];
        all.extend(more);
        podscope(&all)
    };
    let whole = search(&[]);
    let parts: Vec<String> = (1..=3)
        .map(|index| {
            let run = search(&["--shard", &format!("{index}/3"), "-o", "json"]);
            assert!(run.status <= 1, "{}", run.err);
            write_file(&format!("shard-{index}.json"), &run.out)
        })
        .collect();
    let mut all = vec!["merge"];
    all.extend(parts.iter().map(String::as_str));
    let merged = podscope(&all);
    assert_eq!(
        (merged.status, merged.out, merged.err),
        (whole.status, whole.out, whole.err)
    );
}

/// Shows: P-04
#[test]
fn invalid_shard_and_invalid_result_file_are_rejected() {
    for shard in ["0/3", "4/3", "3", "a/b"] {
        let error = fail(&["search", "--seeds", "1", "--shard", shard]);
        assert!(error.contains("not I/N, with I from 1 to N"), "{shard}: {error}");
    }
    let other = write_file("no-shard.json", "{\"seeds\": 1}");
    let error = fail(&["merge", &other]);
    assert!(error.contains("no-shard.json:1:12: this is not what"), "{error}");
}
