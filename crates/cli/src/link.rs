//! `podscope link encode` and `podscope link decode`.

use std::process::ExitCode;

use podscope_session::export;
use podscope_session::link;
use podscope_session::scenario::{self, File};
use podscope_session::timeline::Session;

use crate::args;

pub(crate) fn link(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut words, mut seed, mut renames) = (Vec::new(), None, false);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => words.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("seed") => {
                let text = parser.value()?.to_string_lossy().into_owned();
                seed = Some(
                    text.parse::<u64>()
                        .map_err(|_| format!("--seed takes a number, not {text:?}"))?,
                );
            }
            lexopt::Arg::Long("rename") => renames = true,
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    match words.split_first() {
        Some((verb, files)) if verb == "encode" && !files.is_empty() => {
            Ok(encode(files, seed, renames).unwrap_or_else(|status| status))
        }
        Some((verb, [text])) if verb == "decode" && !renames => Ok(decode(text).unwrap_or_else(|status| status)),
        _ => Err("use: podscope link encode FILE.yaml… [--seed N] [--rename], or podscope link decode URL".into()),
    }
}

fn encode(names: &[String], seed: Option<u64>, renames: bool) -> Result<ExitCode, ExitCode> {
    let fragment = of_files(args::files(names)?, seed, renames)?;
    args::print_text(&format!("{fragment}\n"));
    Ok(ExitCode::SUCCESS)
}

/// The link of the files, as the fragment of an address, from `#` on.
pub(crate) fn of_files(files: Vec<File>, seed: Option<u64>, renames: bool) -> Result<String, ExitCode> {
    let loaded = scenario::load(&files).map_err(|problems| args::print_problems(&problems))?;
    let seed = seed.unwrap_or(loaded.setup.seed);
    Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    let link = link::Link::of_files(files, seed);
    let link = if renames { link.anonymised() } else { link };
    let text = link.encode();
    if text.len() > podscope_protocol::LONGEST_LINK {
        args::print_error(format_args!(
            "a link of these files would have {} characters; every browser opens one of {}: pass the files on",
            text.len(),
            podscope_protocol::LONGEST_LINK
        ));
        return Err(ExitCode::from(args::BAD_INPUT));
    }
    if let Some(warning) = link::warning(&text) {
        args::print_error(format_args!("{warning}"));
    }
    Ok(format!("#{text}"))
}

fn decode(text: &str) -> Result<ExitCode, ExitCode> {
    let bad = |message: String| {
        args::print_error(format_args!("link: {message}"));
        ExitCode::from(args::BAD_INPUT)
    };
    let link = link::decode(text).map_err(bad)?;
    let loaded = link.load().map_err(|problems| args::print_problems(&problems))?;
    let mut session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    session.schedule(link.timed().map_err(|unreadable| bad(unreadable.to_string()))?);
    args::print_data(&export::scenario(&session));
    Ok(ExitCode::SUCCESS)
}
