//! kubectl's writing commands as clients of the simulated world.

use podscope_cluster::client::ClientCommand;
use podscope_cluster::{Objects, Request};

use crate::command::{DryRun, Kubectl};
use crate::scenario::with_namespace;

/// The client that carries out a command.
///
/// # Errors
/// What kubectl prints when it refuses before it asks the server.
pub fn client(command: &Kubectl, _objects: &Objects) -> Result<ClientCommand, String> {
    match command {
        Kubectl::Apply {
            manifest,
            dry_run: DryRun::None,
            ..
        } => {
            let parsed = podscope_api::parse(manifest);
            Ok(ClientCommand::Requests(
                parsed
                    .objects
                    .into_iter()
                    .map(|located| Request::Create(with_namespace(located.value)))
                    .collect(),
            ))
        }
        _ => Err("error: this command is not simulated".into()),
    }
}
