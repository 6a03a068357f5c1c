//! Sandboxes: the network of a pod, and its address.

use podscope_api::{NodeName, Pod, Str, Uid};

use super::Machine;

/// Sandbox of a pod: its network namespace and pause process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Number of earlier sandboxes of the pod.
    pub attempt: u32,
    pub is_ready: bool,
    /// IP address of the pod.
    pub ip: Str,
}

impl Machine {
    /// Creates a sandbox for a pod. Returns false if the command `fault sandbox` prevents that.
    pub fn create_sandbox(&mut self, pod: &Pod, cidr: Option<&str>, host_ip: Option<Str>) -> bool {
        if self.refused_sandboxes.remove(&pod.metadata.uid) {
            return false;
        }
        let attempt = self
            .pods
            .get(&pod.metadata.uid)
            .and_then(|held| held.sandbox.as_ref())
            .map(|old| old.attempt + 1);
        let sandbox = self.new_sandbox(attempt.unwrap_or(0), host_ip, cidr);
        self.pod_entry(pod).sandbox = Some(sandbox);
        self.address_changes += 1;
        true
    }

    /// Stops the sandbox (the pause process) of a pod.
    pub fn stop_sandbox(&mut self, uid: &Uid) {
        if let Some(sandbox) = self.pods.get_mut(uid).and_then(|pod| pod.sandbox.as_mut()) {
            sandbox.is_ready = false;
            self.address_changes += 1;
        }
    }

    /// Returns a sandbox with the given address (the node's own, for hostNetwork pods), or else with the next address
    /// of the node's pod CIDR.
    pub(super) fn new_sandbox(&mut self, attempt: u32, given_ip: Option<Str>, cidr: Option<&str>) -> Sandbox {
        let ip = given_ip.unwrap_or_else(|| {
            let offset = self.next_address;
            self.next_address = self.next_address % 65_000 + 1;
            pod_address(cidr, &self.node, offset)
        });
        Sandbox {
            attempt,
            is_ready: true,
            ip,
        }
    }
}

/// Returns the address at `offset` in the node's pod CIDR. Without a CIDR, the range is computed from the node's name.
fn pod_address(cidr: Option<&str>, node: &NodeName, offset: u32) -> Str {
    let base = cidr
        .and_then(|cidr| cidr.split('/').next())
        .and_then(|base| base.parse::<std::net::Ipv4Addr>().ok())
        .map_or_else(
            || {
                let hash = node.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
                    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
                });
                (10 << 24) | ((hash ^ (hash >> 16)) & 0xffff) << 8
            },
            u32::from,
        );
    std::net::Ipv4Addr::from(base.wrapping_add(offset)).to_string().into()
}
