//! Reasons why a command is dangerous, as data: the engine determines the reason, the page words the warning.

use serde::{Deserialize, Serialize};

/// The reason why a command needs confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Danger {
    /// `fault detach`: the volume is taken from a node that may still write to it.
    Detach,
    /// `kubectl delete --force`, or a DELETE with grace period 0: the object is deleted without waiting until its
    /// processes have ended.
    ForceDelete,
    /// `kubectl delete node`, or another command that deletes a Node: the pods of the node are force-deleted.
    DeleteNode,
    /// `kubectl delete namespace`, or another command that deletes a Namespace: all objects in the namespace are
    /// deleted.
    DeleteNamespace,
    /// `kubectl drain --force`: pods without a controller are deleted.
    ForceDrain,
    /// `kubectl taint` with `node.kubernetes.io/out-of-service`: the taint declares that the node's machine is down.
    OutOfService,
}
