//! Commands in a scenario: entries of timelines, and commands of steps. The machines that a command mentions are
//! checked when the file is read, so that a misspelt name is reported with its position.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{Kind, NodeName, ProblemKind, Tree};
use podscope_cluster::SimTime;
use podscope_cluster::fault::{Fault, joined_node_names};

use super::document::{ApiDocument, EntryDocument};
use super::{FilePosition, MAX_ENTRIES, ScenarioReader, Timed};
use podscope_kubectl::command::{self, Command};
use podscope_kubectl::rest::{ApiCall, Method};
use podscope_protocol::Problem;
use serde_json::Value;

/// Machines that the faults of a scenario mention.
#[derive(Default)]
pub(super) struct FaultMachines {
    /// Machines to which faults apply, with the positions of the faults.
    named: Vec<(FilePosition, NodeName)>,
    /// Machines that `fault join` adds to the cluster.
    joined: ordered::Set<NodeName>,
}

/// What is known about resource types that are not built in and occur in the commands of a scenario: the errors of
/// these commands, and whether the scenario may define such types.
#[derive(Default)]
pub(super) struct CustomTypes {
    /// One error for each such command. The errors are reported only if the scenario defines no custom kinds.
    errors: Vec<Problem>,
    /// Whether a command of the scenario creates a CustomResourceDefinition.
    are_defined: bool,
}

impl ScenarioReader {
    /// Parses the command line in the field at `path`.
    pub(super) fn read_run_line(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Option<Command> {
        match command::parse_unresolved(text) {
            Ok(command) => {
                if let Command::Kubectl { action: kubectl, .. } = &command
                    && kubectl.is_unresolved()
                    && let Err(error) = command::parse(text)
                {
                    let place = self.place(file, tree, path);
                    self.custom_types.errors.push(place.problem(error.message));
                }
                self.custom_types.are_defined |= text.contains(Kind::CustomResourceDefinition.name());
                if let Command::Fault { fault, .. } = &command {
                    let place = self.place(file, tree, path);
                    self.add_machines(fault, &place);
                }
                Some(command)
            }
            Err(error) => {
                self.problem(file, tree, path, &error.message);
                None
            }
        }
    }

    fn add_machines(&mut self, fault: &Fault, place: &FilePosition) {
        if let Fault::Join { node, count, .. } = fault {
            self.machines.joined.extend(joined_node_names(node, *count));
        }
        for node in fault.machines() {
            self.machines.named.push((place.clone(), node.clone()));
        }
    }

    /// Reports faults on machines that never exist: they are not generated, no file contains their Node, and no `fault
    /// join` adds them.
    pub(super) fn report_unknown_machines(&mut self) {
        let setup = &self.loaded.setup;
        let mut known = std::mem::take(&mut self.machines.joined);
        known.extend(setup.nodes.names().map(|name| NodeName(name.into())));
        let nodes = setup.objects.iter().filter(|object| object.kind() == Kind::Node);
        known.extend(nodes.map(|node| NodeName(node.metadata().name.clone())));
        for (place, node) in std::mem::take(&mut self.machines.named) {
            if !known.contains(&node) {
                let message = format!("there is no machine called {:?}", node.as_str());
                self.problems.push(place.problem(message));
            }
        }
    }

    /// Reports commands with resource types that never exist. If a command of the scenario creates a
    /// CustomResourceDefinition, the types are known only when a command runs, so nothing is reported.
    pub(super) fn report_unknown_types(&mut self) {
        let CustomTypes { errors, are_defined } = std::mem::take(&mut self.custom_types);
        let mut kinds = self.loaded.setup.objects.iter().map(podscope_api::Object::kind);
        let are_defined = are_defined || kinds.any(|kind| kind == Kind::CustomResourceDefinition);
        if !are_defined {
            self.problems.extend(errors);
        }
    }

    /// Reads the entries of a timeline, and orders them by time. Entries at equal times keep the order of the file.
    pub(super) fn read_entries(
        &mut self,
        file: &str,
        tree: &Tree<'_>,
        path: &str,
        entries: &[EntryDocument],
    ) -> Vec<Timed> {
        let mut timed = Vec::new();
        if entries.len() > MAX_ENTRIES {
            self.problem(
                file,
                tree,
                path,
                format!("Too many: {}: must have at most {MAX_ENTRIES} items", entries.len()),
            );
            return timed;
        }
        for (at, entry) in entries.iter().enumerate() {
            let path = format!("{path}[{at}]");
            let instant = match &entry.at.0 {
                Some(text) => Some(self.read_duration(file, tree, &format!("{path}.at"), text)),
                None => {
                    self.problem_of(
                        ProblemKind::Required,
                        file,
                        tree,
                        &format!("{path}.at"),
                        "Required value",
                    );
                    None
                }
            };
            let command = match (&entry.run, &entry.apply, &entry.api) {
                (Some(line), None, None) => self.read_run_line(file, tree, &format!("{path}.run"), line),
                (None, Some(text), None) => self.read_applied_manifest(file, tree, &format!("{path}.apply"), text),
                (None, None, Some(call)) => self.read_api_call(file, tree, &format!("{path}.api"), call),
                _ => {
                    self.problem(file, tree, &path, "exactly one of run, apply and api must be given");
                    None
                }
            };
            if let (Some(instant), Some(command)) = (instant, command) {
                timed.push(Timed {
                    at: SimTime::ZERO + instant,
                    command,
                });
            }
        }
        timed.stable_sort_by_key(|timed| timed.at);
        timed
    }

    /// Reads the field `api` of a timeline entry: an API call that a program sends.
    fn read_api_call(&mut self, file: &str, tree: &Tree<'_>, path: &str, call: &ApiDocument) -> Option<Command> {
        let method = Method::named(&call.method);
        if method.is_none() {
            let known: Vec<String> = Method::ALL
                .iter()
                .map(|known| format!("{:?}", known.as_str()))
                .collect();
            let why = format!(
                "Unsupported value: {:?}: supported values: {}",
                call.method,
                known.join(", ")
            );
            self.problem_of(ProblemKind::Unsupported, file, tree, &format!("{path}.method"), &why);
        }
        if !call.path.starts_with('/') {
            let why = format!("Invalid value: {:?}: a path begins with /", call.path);
            self.problem(file, tree, &format!("{path}.path"), why);
            return None;
        }
        let body = match &call.body {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.custom_types.are_defined |= call.path.contains(Kind::CustomResourceDefinition.plural());
        let call = ApiCall::new(method?, call.path.as_str(), call.content_type.as_str(), &body);
        Some(Command::Api(call))
    }

    /// Reads the field `apply` of a timeline entry: the input of `kubectl apply -f -`. Line numbers of problems are
    /// relative to this text.
    fn read_applied_manifest(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Option<Command> {
        self.custom_types.are_defined |= text.contains(Kind::CustomResourceDefinition.name());
        let problems = podscope_api::parse(text).problems;
        if problems.is_empty() {
            return Some(Command::apply(text.to_owned()));
        }
        for problem in problems {
            self.problem(file, tree, path, problem.to_string());
        }
        None
    }
}
