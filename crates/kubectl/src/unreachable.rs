//! What a command that only reads prints when the control plane cannot answer it.

use podscope_cluster::ApiError;

use crate::Printed;
use crate::command::{Action, Kubectl, RolloutAction, Selection, Target};

/// How much of the control plane answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The API server does not run.
    Nothing,
    /// It runs, and does not reach etcd: it answers what it needs no object for.
    Server,
    /// Everything.
    Store,
}

/// What a command says for want of what it needs; none if it can be answered.
pub fn unreachable(command: &Kubectl, reach: Reach) -> Option<Printed> {
    if needs(command) <= reach {
        return None;
    }
    let mut printed = Printed::default();
    if reach == Reach::Nothing {
        printed.fail(ApiError::refused_connection().message);
    } else {
        // `~` The real server says so after a minute; what only reads takes no time here.
        let what = resource(command);
        printed.fail(format!(
            "Error from server (Timeout): the server was unable to return a response in the time allotted, but may still be processing the request (get {what})"
        ));
    }
    Some(printed)
}

fn needs(command: &Kubectl) -> Reach {
    match command {
        Kubectl::Explain { .. } => Reach::Server,
        Kubectl::Verbatim(verbatim) => match &verbatim.action {
            Action::Config(_) | Action::Version { client: true } => Reach::Nothing,
            Action::CanI { .. }
            | Action::WhoAmI
            | Action::ApiResources { .. }
            | Action::ApiVersions
            | Action::Version { client: false } => Reach::Server,
            _ => Reach::Store,
        },
        _ => Reach::Store,
    }
}

/// The resource that is asked for first.
fn resource(command: &Kubectl) -> String {
    let of = |target: &Target| match &target.selection {
        Selection::Kinds { kinds, .. } => kinds.first().copied(),
        Selection::Items(items) => items.first().map(|(kind, _)| *kind),
    };
    let kind = match command {
        Kubectl::Get(get) => of(&get.target),
        Kubectl::Describe(describe) => of(&describe.target),
        Kubectl::Events(_) => Some(podscope_api::Kind::Event),
        Kubectl::Rollout {
            action: RolloutAction::History { .. },
            target,
            ..
        } => of(target),
        Kubectl::Label(mark) | Kubectl::Annotate(mark) => of(&mark.target),
        _ => None,
    };
    kind.map_or_else(|| "pods".to_owned(), podscope_api::Kind::qualified_plural)
}
