//! The recorded start of a first visit, which the page shows while the engine is still loading.

use podscope_protocol::{Request, SessionSource, Update, pack};
use podscope_session::host::Host;
use podscope_tests::{compare_with_file, root};

/// The recording is equal to what the engine will send, because the simulation is deterministic.
/// Shows: P-01, U-10
#[test]
fn first_visit_equals_recording() {
    let mut host = Host::new();
    let source = SessionSource::Welcome;
    let updates = host.handle(Request::Open { source }, 0.0);
    assert!(
        matches!(&updates[..], [Update::Opened(_), Update::Frame(frame)] if frame.reset),
        "{updates:?}"
    );
    let bytes = pack(&updates).expect("the protocol's own messages");
    let comparison = compare_with_file(&root().join("crates/web/first-visit.bin"), &bytes);
    assert!(
        comparison.is_ok(),
        "the start of a first visit changed; run `cargo xtask bless first_visit`"
    );
}
