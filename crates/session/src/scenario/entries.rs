//! Commands in a scenario: the entries of its timelines and what its steps
//! offer. What they name is looked at while reading, so that a misspelt
//! machine is found where it stands and not at its instant.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_api::{Kind, NodeName, ProblemKind, Tree};
use podscope_cluster::SimTime;
use podscope_cluster::fault::{Fault, joining};

use super::document::{ApiDocument, EntryDocument};
use super::{MAX_ENTRIES, Place, Reader, Timed};
use podscope_kubectl::command::{self, Command};
use podscope_kubectl::rest::{ApiCall, Method};
use serde_json::Value;

/// Machines that the faults of a scenario are about.
#[derive(Default)]
pub(super) struct Machines {
    /// Named by a fault, and where.
    named: Vec<(Place, NodeName)>,
    /// Brought by `fault join`.
    joined: ordered::Set<NodeName>,
}

impl Reader {
    /// A command line that stands at a path.
    pub(super) fn line(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Option<Command> {
        match command::parse(text) {
            Ok(command) => {
                if let Command::Fault(fault) = &command {
                    let place = self.place(file, tree, path);
                    self.mention(fault, &place);
                }
                Some(command)
            }
            Err(error) => {
                self.problem(file, tree, path, error.message);
                None
            }
        }
    }

    fn mention(&mut self, fault: &Fault, place: &Place) {
        if let Fault::Join { node, count, .. } = fault {
            self.machines.joined.extend(joining(node, *count));
        }
        for node in fault.machines() {
            self.machines.named.push((place.clone(), node.clone()));
        }
    }

    /// Faults on machines that are never there: neither generated, nor in a file, nor joined.
    pub(super) fn unknown_machines(&mut self) {
        let setup = &self.loaded.setup;
        let mut known = std::mem::take(&mut self.machines.joined);
        known.extend(setup.nodes.names().map(|(name, _)| NodeName(name.into())));
        let nodes = setup.objects.iter().filter(|object| object.kind() == Kind::Node);
        known.extend(nodes.map(|node| NodeName(node.metadata().name.clone())));
        for (place, node) in std::mem::take(&mut self.machines.named) {
            if !known.contains(&node) {
                let message = format!("there is no machine called {:?}", node.as_str());
                self.problems.push(place.problem(message));
            }
        }
    }

    /// The entries of a timeline, by time; equal times in file order.
    pub(super) fn entries(&mut self, file: &str, tree: &Tree<'_>, path: &str, entries: &[EntryDocument]) -> Vec<Timed> {
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
                Some(text) => Some(self.duration(file, tree, &format!("{path}.at"), text)),
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
                (Some(line), None, None) => self.line(file, tree, &format!("{path}.run"), line),
                (None, Some(text), None) => self.manifest(file, tree, &format!("{path}.apply"), text),
                (None, None, Some(call)) => self.call(file, tree, &format!("{path}.api"), call),
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

    /// An entry's `api`: a request that a program sent.
    fn call(&mut self, file: &str, tree: &Tree<'_>, path: &str, call: &ApiDocument) -> Option<Command> {
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
        let call = ApiCall::new(method?, call.path.as_str(), call.content_type.as_str(), &body);
        Some(Command::Api(call))
    }

    /// An entry's `apply`: what `kubectl apply -f -` would read. Lines count within the text.
    fn manifest(&mut self, file: &str, tree: &Tree<'_>, path: &str, text: &str) -> Option<Command> {
        let problems = podscope_api::parse(text).problems;
        if problems.is_empty() {
            return Some(Command::Kubectl(command::Kubectl::Apply(command::Apply {
                manifest: text.to_owned(),
                ..command::Apply::default()
            })));
        }
        for problem in problems {
            self.problem(file, tree, path, problem.to_string());
        }
        None
    }
}
