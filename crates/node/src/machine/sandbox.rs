//! Sandboxes: the network of a pod, and its address.

use podscope_api::{NodeName, Pod, Str, Uid};

use super::Machine;

/// The sandbox of a pod: its network and pause process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// How many there were before.
    pub attempt: u32,
    /// Whether it is usable.
    pub is_ready: bool,
    /// The pod's address in it.
    pub ip: Str,
}

impl Machine {
    /// Makes a sandbox for a pod; false if that fails (`fault sandbox`).
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
        self.entry(pod).sandbox = Some(sandbox);
        self.address_changes += 1;
        true
    }

    /// Stops a pod's sandbox (the pause process).
    pub fn stop_sandbox(&mut self, uid: &Uid) {
        if let Some(sandbox) = self.pods.get_mut(uid).and_then(|pod| pod.sandbox.as_mut()) {
            sandbox.is_ready = false;
            self.address_changes += 1;
        }
    }

    /// The pod's network: the node's own for hostNetwork pods, else the next address of the node's range.
    pub(super) fn new_sandbox(&mut self, attempt: u32, given: Option<Str>, cidr: Option<&str>) -> Sandbox {
        let ip = given.unwrap_or_else(|| {
            let offset = self.next_address;
            self.next_address = self.next_address % 65_000 + 1;
            address(cidr, &self.node, offset)
        });
        Sandbox {
            attempt,
            is_ready: true,
            ip,
        }
    }
}

/// The `offset`th address of the node's pod range; a node without one gets a range made from its name.
fn address(cidr: Option<&str>, node: &NodeName, offset: u32) -> Str {
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
