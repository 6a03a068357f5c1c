//! How a first visit begins, recorded: the page shows it while its engine is still on the way.

use podscope_protocol::{Request, Source, Update, pack};
use podscope_session::host::Host;
use podscope_tests::{kept, root};

/// What the page has of it is what its engine will say: the world is a function of its scenario, so a recording is no
/// guess.
/// Shows: P-01, U-10
#[test]
fn a_first_visit_begins_as_it_is_recorded() {
    let mut host = Host::new();
    let source = Source::Welcome;
    let said = host.handle(Request::Open { source }, 0.0);
    assert!(
        matches!(&said[..], [Update::Opened(_), Update::Frame(frame)] if frame.reset),
        "{said:?}"
    );
    let bytes = pack(&said).expect("the protocol's own messages");
    let recorded = kept(&root().join("crates/web/first-visit.bin"), &bytes);
    assert!(
        recorded.is_ok(),
        "a first visit begins otherwise now: cargo xtask bless first_visit"
    );
}
