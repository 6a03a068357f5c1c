//! Clients: commands that live through time (drain, delete that waits,
//! rollout status), as actors that meet partitions like real ones.

/// A timer of a client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientTimer {}
