//! Commands with `--local`: they change the objects of a manifest and print the result, without sending requests.

use super::super::flags::Args;
use super::super::*;
use super::operands::{NO_RESOURCES_ERROR, dry_run};
use super::{parse_arguments, verbatim};

const LOCAL_NEEDS_FILE: &str = "you must specify resources by --filename when --local is set.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'";

/// Parses a command with `--local`.
pub(super) fn parse_local(name: &'static str, args: &Args) -> Result<Kubectl, CommandError> {
    if args.value("filename").is_none() {
        match name {
            // The parsers of `label` and `annotate` report a missing manifest themselves, with other messages.
            "label" | "annotate" => {}
            "set env" => return Err(CommandError::new(args.end, NO_RESOURCES_ERROR)),
            _ => return Err(args.error(args.column("local"), LOCAL_NEEDS_FILE)),
        }
    }
    let mut command = parse_arguments(name, args, &mut Words::of("kubectl", name))?;
    // The namespace is empty if none is given, so that objects of the manifest without a namespace are printed without
    // one.
    let namespace = target_of(&mut command).map(|target| target.namespace.get_or_insert_default().clone());
    let output = super::operands::output_of_write(args)?;
    let action = Action::Local {
        command: Box::new(command),
        namespace: namespace.unwrap_or_default(),
        text: args.stdin.clone().unwrap_or_default(),
    };
    Ok(verbatim::verbatim(args, name, action, dry_run(args)?, output))
}

/// Returns the target of a command that supports `--local`.
fn target_of(command: &mut Kubectl) -> Option<&mut Target> {
    match command {
        Kubectl::Label(mark) | Kubectl::Annotate(mark) => Some(&mut mark.target),
        Kubectl::SetImage { target, .. } | Kubectl::Patch { target, .. } => Some(target),
        Kubectl::Verbatim(verbatim) => match &mut verbatim.action {
            Action::Set { target, .. } => Some(target),
            _ => None,
        },
        _ => None,
    }
}
