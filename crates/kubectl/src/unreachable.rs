//! Output of commands that only read while the control plane is not reachable.

use podscope_cluster::ApiError;

use crate::Printed;
use crate::command::{Action, Kubectl, RolloutAction, Selection, Target};

/// Parts of the control plane that are reachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControlPlaneReach {
    /// The API server does not run.
    Nothing,
    /// The API server runs but cannot reach etcd: it answers only requests that need no stored objects.
    ApiServer,
    /// The API server and etcd are reachable: everything works.
    ApiServerAndEtcd,
}

/// Returns the error output of a command that needs unreachable parts of the control plane; `None` if the command can
/// be executed.
pub fn unreachable_error(command: &Kubectl, reach: ControlPlaneReach) -> Option<Printed> {
    if required_reach(command) <= reach {
        return None;
    }
    let mut printed = Printed::default();
    if reach == ControlPlaneReach::Nothing {
        printed.fail(ApiError::refused_connection().message);
    } else {
        // Deviation: the real server gives this answer after a minute; commands that only read take no time here.
        let resource = requested_resource(command);
        printed.fail(format!(
            "Error from server (Timeout): the server was unable to return a response in the time allotted, but may still be processing the request (get {resource})"
        ));
    }
    Some(printed)
}

/// Returns the parts of the control plane that a command needs.
fn required_reach(command: &Kubectl) -> ControlPlaneReach {
    match command {
        Kubectl::Explain { .. } => ControlPlaneReach::ApiServer,
        Kubectl::Verbatim(verbatim) => match &verbatim.action {
            Action::Config(_) | Action::Version { client: true, .. } => ControlPlaneReach::Nothing,
            Action::CanI { .. }
            | Action::WhoAmI
            | Action::ApiResources { .. }
            | Action::ApiVersions
            | Action::Version { client: false, .. } => ControlPlaneReach::ApiServer,
            _ => ControlPlaneReach::ApiServerAndEtcd,
        },
        _ => ControlPlaneReach::ApiServerAndEtcd,
    }
}

/// Returns the plural name of the first resource that a command requests.
fn requested_resource(command: &Kubectl) -> String {
    let first_kind = |target: &Target| match &target.selection {
        Selection::Kinds { kinds, .. } => kinds.first().copied(),
        Selection::Items(items) => items.first().map(|(kind, _)| *kind),
    };
    let kind = match command {
        Kubectl::Get(get) => first_kind(&get.target),
        Kubectl::Describe(describe) => first_kind(&describe.target),
        Kubectl::Events(_) => Some(podscope_api::Kind::Event),
        Kubectl::Rollout {
            action: RolloutAction::History { .. },
            target,
            ..
        } => first_kind(target),
        Kubectl::Label(mark) | Kubectl::Annotate(mark) => first_kind(&mark.target),
        _ => None,
    };
    kind.map_or_else(|| "pods".to_owned(), podscope_api::Kind::qualified_plural)
}
