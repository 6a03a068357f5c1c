//! `podscope link encode` and `podscope link decode`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use podscope_session::export;
use podscope_session::link;
use podscope_session::scenario::{self, File};
use podscope_session::timeline::Session;

use crate::args;

/// Make share links, and read them
#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    #[command(subcommand)]
    action: LinkAction,
}

#[derive(Debug, Subcommand)]
enum LinkAction {
    /// Print the fragment of a share link that opens the files
    Encode {
        /// Files or folders; `-` is standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
        /// Seed of the run, instead of the scenario's
        #[arg(long, value_parser = args::parse_seed)]
        seed: Option<u64>,
        /// Replace private names first
        #[arg(long)]
        rename: bool,
    },
    /// Print the scenario that a link holds, its commands in the timeline
    Decode {
        /// The link, or its part from # on
        url: String,
    },
}

pub(crate) fn run(given: LinkArgs) -> ExitCode {
    let result = match given.action {
        LinkAction::Encode { files, seed, rename } => encode(&files, seed, rename),
        LinkAction::Decode { url } => decode(&url),
    };
    result.unwrap_or_else(|status| status)
}

fn encode(names: &[String], seed: Option<u64>, replaces_names: bool) -> Result<ExitCode, ExitCode> {
    let fragment = fragment_with_files(args::read_files(names)?, seed, replaces_names)?;
    args::print_text(&format!("{fragment}\n"));
    Ok(ExitCode::SUCCESS)
}

/// Returns a link with the files, as the fragment of a URL, including `#`.
pub(crate) fn fragment_with_files(
    files: Vec<File>,
    seed: Option<u64>,
    replaces_names: bool,
) -> Result<String, ExitCode> {
    let loaded = scenario::load(&files).map_err(|problems| args::print_problems(&problems))?;
    let seed = seed.unwrap_or(loaded.setup.seed);
    Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    let link = link::Link::of_files(files, seed);
    let link = if replaces_names { link.anonymised() } else { link };
    let text = link.encode();
    if text.len() > podscope_protocol::MAX_LINK_LENGTH {
        args::print_error(format_args!(
            "a link of these files would have {} characters; every browser opens one of {}: pass the files on",
            text.len(),
            podscope_protocol::MAX_LINK_LENGTH
        ));
        return Err(ExitCode::from(args::BAD_INPUT_STATUS));
    }
    if let Some(warning) = link::length_warning(&text) {
        args::print_error(format_args!("{warning}"));
    }
    Ok(format!("#{text}"))
}

fn decode(text: &str) -> Result<ExitCode, ExitCode> {
    let bad = |message: String| {
        args::print_error(format_args!("link: {message}"));
        ExitCode::from(args::BAD_INPUT_STATUS)
    };
    let link = link::decode(text).map_err(|why| bad(why.english()))?;
    let loaded = link.load().map_err(|problems| args::print_problems(&problems))?;
    let mut session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    session.schedule(
        link.parse_commands()
            .map_err(|unreadable| bad(unreadable.to_string()))?,
    );
    args::print_data(&export::scenario(&session));
    Ok(ExitCode::SUCCESS)
}
