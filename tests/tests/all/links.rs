//! Old links open forever, with the same content (T-03). The files in `tests/fixtures/links` are never rewritten: a
//! change that breaks one of them is wrong. The example `links` creates new ones.

use std::fs;

use podscope_session::link::{self, MAX_DOCUMENT_BYTES};
use podscope_session::timeline::MAX_COMMANDS;
use podscope_tests::{files, links::link_content};

/// Shows: T-03
#[test]
fn every_old_link_opens_with_its_content() {
    let links = files("tests/fixtures/links", ".link");
    assert!(links.len() >= 6, "links are missing: {links:?}");
    for path in links {
        let text = fs::read_to_string(&path).expect("a link");
        let expected = fs::read_to_string(path.with_extension("txt")).expect("the expected content");
        assert_eq!(link_content(&text).as_ref(), Ok(&expected), "{}", path.display());
    }
}

/// The fixture has exactly the maximum size and number of commands; one more of either is refused.
/// Shows: Q-03
#[test]
fn largest_link_opens_and_larger_link_is_refused() {
    let path = podscope_tests::root().join("tests/fixtures/links/largest.link");
    let mut link = link::decode(&fs::read_to_string(path).expect("a link")).expect("the link is decoded");
    assert_eq!(link.commands.len(), MAX_COMMANDS);
    assert_eq!(serde_json::to_vec(&link).expect("a document").len(), MAX_DOCUMENT_BYTES);
    link.screen.push('x');
    let error = link::decode(&link.encode()).expect_err("one byte more");
    assert_eq!(
        error.english(),
        format!("this link unfolds to more than {MAX_DOCUMENT_BYTES} bytes")
    );
    link.screen.clear();
    link.commands.push((0, "help".into()));
    let error = link::decode(&link.encode()).expect_err("one command more");
    assert_eq!(
        error.english(),
        format!("this link holds more than {MAX_COMMANDS} commands")
    );
}
