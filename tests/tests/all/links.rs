//! T-03: links of the past open for ever and hold what they held. The files of `tests/fixtures/links` are
//! never rewritten: a change that breaks one is wrong. New ones are made by the example `links`.

use std::fs;

use podscope_session::link::{self, MAX_DOCUMENT};
use podscope_session::timeline::MAX_COMMANDS;
use podscope_tests::{files, links::held};

/// Shows: T-03
#[test]
fn every_link_that_was_ever_made_opens_as_it_was() {
    let links = files("tests/fixtures/links", ".link");
    assert!(links.len() >= 6, "links are missing: {links:?}");
    for path in links {
        let text = fs::read_to_string(&path).expect("a link");
        let want = fs::read_to_string(path.with_extension("txt")).expect("what it holds");
        assert_eq!(held(&text).as_ref(), Ok(&want), "{}", path.display());
    }
}

/// The largest link is as large as one may be, and the next one is refused.
/// Shows: Q-03
#[test]
fn the_largest_link_is_read_and_a_larger_one_refused() {
    let path = podscope_tests::root().join("tests/fixtures/links/largest.link");
    let mut link = link::decode(&fs::read_to_string(path).expect("a link")).expect("it is read");
    assert_eq!(link.commands.len(), MAX_COMMANDS);
    assert_eq!(serde_json::to_vec(&link).expect("a document").len(), MAX_DOCUMENT);
    link.screen.push('x');
    let error = link::decode(&link.encode()).expect_err("one byte more");
    assert_eq!(error, format!("this link unfolds to more than {MAX_DOCUMENT} bytes"));
    link.screen.clear();
    link.commands.push((0, "help".into()));
    let error = link::decode(&link.encode()).expect_err("one command more");
    assert_eq!(error, format!("this link holds more than {MAX_COMMANDS} commands"));
}
