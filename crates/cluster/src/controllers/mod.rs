//! kube-controller-manager: every controller in one file of its own, over one
//! shared watch cache.

/// A timer of a controller-manager.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControllerTimer {}
