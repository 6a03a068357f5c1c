//! Devices in the session of a page.

use super::*;

/// The claim of the fixture gets the only device that its selector accepts.
/// Shows: S-01
#[test]
fn device_claim_is_allocated_by_selector() {
    let text = include_str!("../../../../../tests/fixtures/device-claim.yaml");
    let mut clock = 0.0;
    let mut host = Host::new();
    host.handle(
        Request::Open {
            source: SessionSource::Free,
        },
        clock,
    );
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let line = format!("kubectl apply -f - <<'EOF'\n{text}EOF");
    host.handle(Request::Command { line }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 40_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let device = "{.status.allocation.devices.results[0].device}";
    let line = format!("kubectl get resourceclaim big-gpu -o jsonpath='{device}'");
    let mut updates = host.handle(Request::Command { line }, clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    let lines = updates.iter().filter_map(|update| match update {
        Update::Console { lines } => Some(lines),
        _ => None,
    });
    let printed: Vec<String> = lines.flatten().map(|line| line.text.to_string()).collect();
    assert_eq!(printed.get(1).map(String::as_str), Some("gpu-1"), "{printed:?}");
}
