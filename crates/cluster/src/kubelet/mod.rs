//! The kubelet: one small state machine per pod over the machine it runs on.

/// A timer of a kubelet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeletTimer {}
