//! Finds commands that need confirmation, because their damage cannot be undone.

use podscope_api::well_known::taint::OUT_OF_SERVICE;
use podscope_api::{Danger, Kind};
use podscope_cluster::fault::Fault;

use crate::command::{Action, Command, Delete, DryRun, Kubectl};
use crate::rest::{self, ApiCall};
use crate::write::{deleted_kinds, manifest_kinds};

impl Command {
    /// Returns why the command is dangerous; `None` if it is harmless. A command that names custom kinds must be
    /// resolved first ([`Kubectl::resolved_in`]).
    #[must_use]
    pub fn danger(&self) -> Option<Danger> {
        let kubectl = match self {
            Command::Fault {
                fault: Fault::Detach(_),
                ..
            } => return Some(Danger::Detach),
            Command::Kubectl { action, .. } => action,
            Command::Api(call) => return danger_of_api_call(call),
            _ => return None,
        };
        let dry_run = kubectl.dry_run();
        if dry_run == DryRun::Server || dry_run.is_client_side() {
            return None;
        }
        match kubectl {
            Kubectl::Delete(delete) => danger_of_delete(delete),
            Kubectl::Drain(drain) => drain.options.force.then_some(Danger::ForceDrain),
            Kubectl::Taint { changes, .. } => changes
                .iter()
                .any(|change| change.key == OUT_OF_SERVICE && !change.remove)
                .then_some(Danger::OutOfService),
            // `replace --force` deletes the objects before it creates them again.
            Kubectl::Verbatim(verbatim) => match &verbatim.action {
                Action::Replace { text, options } if options.force.is_some() => {
                    danger_of_deleting(&manifest_kinds(text, verbatim.namespace.as_deref()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn danger_of_delete(delete: &Delete) -> Option<Danger> {
    if delete.force {
        return Some(Danger::ForceDelete);
    }
    danger_of_deleting(&deleted_kinds(delete))
}

/// Returns why a DELETE of the HTTP API is dangerous. A grace period of 0 corresponds to `kubectl delete --force`.
fn danger_of_api_call(call: &ApiCall) -> Option<Danger> {
    let (kind, options) = rest::deleted_kind_and_options(call)?;
    match options.grace_seconds {
        Some(0) => Some(Danger::ForceDelete),
        _ => danger_of_deleting(kind.as_slice()),
    }
}

/// Returns why it is dangerous to delete objects of these kinds, even gracefully.
fn danger_of_deleting(kinds: &[Kind]) -> Option<Danger> {
    let dangers = [
        (Kind::Node, Danger::DeleteNode),
        (Kind::Namespace, Danger::DeleteNamespace),
    ];
    let found = dangers.into_iter().find(|(kind, _)| kinds.contains(kind));
    found.map(|(_, danger)| danger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::parse_unresolved;

    /// A dangerous command is recognised in every spelling.
    /// Shows: K-02
    #[test]
    fn dangerous_command_is_recognized_in_every_spelling() {
        let pod = "<<EOF\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nEOF";
        let namespace = "<<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\nEOF";
        let node = r#"<<EOF
{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind":"Node", "metadata": {"name": "a-1"}}]}
EOF"#;
        for (command, danger) in [
            ("delete pod web-0 --grace-period=0 --force", Danger::ForceDelete),
            ("delete --force pod web-0", Danger::ForceDelete),
            ("delete pod web-0 --force=true", Danger::ForceDelete),
            ("delete pod web-0 --force=false --force", Danger::ForceDelete),
            ("delete pod/web-0 --force=T", Danger::ForceDelete),
            ("delete \"pod\" web-0 '--force'", Danger::ForceDelete),
            ("delete pods --all --force", Danger::ForceDelete),
            (&format!("delete -f - --force {pod}"), Danger::ForceDelete),
            ("delete \\\n  pod web-0 \\\n  --force", Danger::ForceDelete),
            ("delete node a-1", Danger::DeleteNode),
            ("delete --wait=false nodes a-1", Danger::DeleteNode),
            ("delete -l zone=a no", Danger::DeleteNode),
            ("delete Node/a-1", Danger::DeleteNode),
            ("delete nodes.v1. a-1", Danger::DeleteNode),
            ("delete pod/web-0 node/a-1", Danger::DeleteNode),
            ("delete --all nodes", Danger::DeleteNode),
            ("delete pods,nodes --all", Danger::DeleteNode),
            (&format!("delete -f - {node}"), Danger::DeleteNode),
            ("delete ns/shop", Danger::DeleteNamespace),
            ("delete --grace-period 3 namespace shop", Danger::DeleteNamespace),
            (&format!("delete -f - {namespace}"), Danger::DeleteNamespace),
            (&format!("replace --force -f - {node}"), Danger::DeleteNode),
            (
                &format!("replace -f - --grace-period=5 --force {namespace}"),
                Danger::DeleteNamespace,
            ),
            ("drain a-1 --force", Danger::ForceDrain),
            ("drain --force a-1", Danger::ForceDrain),
            (
                "taint nodes a-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
                Danger::OutOfService,
            ),
            (
                "taint node a-1 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute' a:NoSchedule-",
                Danger::OutOfService,
            ),
        ] {
            for program in [
                "kubectl",
                "k",
                "  kubectl",
                "'kubectl'",
                "kubectl -n shop",
                "kubectl --namespace=shop",
            ] {
                let line = format!("{program} {command}");
                assert_eq!(danger_of(&line), Some(danger), "{line}");
            }
        }
        let query = "DELETE /api/v1/namespaces/shop/pods/a?gracePeriodSeconds=0";
        let body = "DELETE /api/v1/namespaces/shop/pods/a <<EOF\n{\"gracePeriodSeconds\": 0}\nEOF";
        for (line, danger) in [
            ("fault 'detach' data-0", Danger::Detach),
            ("api DELETE /api/v1/nodes/a-1", Danger::DeleteNode),
            ("api DELETE '/api/v1/nodes?labelSelector=zone=a'", Danger::DeleteNode),
            ("api DELETE /api/v1/namespaces/shop", Danger::DeleteNamespace),
            (&format!("api {query}"), Danger::ForceDelete),
            (&format!("api {body}"), Danger::ForceDelete),
        ] {
            assert_eq!(danger_of(line), Some(danger), "{line}");
        }
    }

    #[test]
    fn harmless_command_has_no_danger() {
        for line in [
            "kubectl delete pod web-0",
            "kubectl delete pod web-0 --force=false",
            "kubectl delete pod node",
            "kubectl -n shop delete pod web-0 --force --force=0",
            "kubectl delete node a-1 --dry-run=server",
            "kubectl delete pod web-0 --force --dry-run=client",
            "kubectl drain a-1",
            "kubectl drain a-1 --force=false",
            "kubectl taint nodes a-1 node.kubernetes.io/out-of-service-",
            "kubectl get nodes",
            "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\nEOF",
            "kubectl replace -f - <<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\nEOF",
            "kubectl replace --force -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nEOF",
            "api DELETE /api/v1/nodes/a-1?dryRun=All",
            "api DELETE /api/v1/namespaces/shop/pods/a",
            "api PUT /api/v1/nodes/a-1/status <<EOF\n{}\nEOF",
            "fault partition a-1",
            "stop --all",
        ] {
            assert_eq!(danger_of(line), None, "{line}");
        }
    }

    fn danger_of(line: &str) -> Option<Danger> {
        let command = parse_unresolved(line);
        command.unwrap_or_else(|error| panic!("{line}: {error}")).danger()
    }
}
