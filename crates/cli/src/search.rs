//! `podscope search`: seeds tried one after the other, the shortest violating run printed.

use std::process::ExitCode;

use podscope_session::link::Link;
use podscope_session::search::{Found, search};
use podscope_session::{export, scenario};

use crate::args;

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut seeds, mut invariant) = (Vec::new(), None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("seeds") => {
                let text = parser.value()?.to_string_lossy().into_owned();
                seeds = Some(
                    text.parse::<u64>()
                        .map_err(|_| format!("--seeds takes a number, not {text:?}"))?,
                );
            }
            lexopt::Arg::Long("invariant") => {
                let name = parser.value()?.to_string_lossy().into_owned();
                if !podscope_cluster::INVARIANTS.iter().any(|known| known.name == name) {
                    return Err(format!("there is no invariant {name:?}").into());
                }
                invariant = Some(name);
            }
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    let (false, Some(seeds)) = (names.is_empty(), seeds) else {
        return Err("search needs a file and --seeds N".into());
    };
    Ok(try_seeds(&names, seeds, invariant.as_deref()).unwrap_or_else(|status| status))
}

fn try_seeds(names: &[String], seeds: u64, invariant: Option<&str>) -> Result<ExitCode, ExitCode> {
    let files = args::files(names)?;
    let loaded = scenario::load(&files).map_err(|problems| args::complain(&problems))?;
    let first = loaded.setup.seed;
    let mut best: Option<Found> = None;
    for seed in (0..seeds).map(|offset| first.wrapping_add(offset)) {
        let found = search(&loaded, seed, invariant).map_err(|problems| args::complain(&problems))?;
        if let Some(found) = found {
            let size = |found: &Found| (found.schedule.len(), found.at);
            if best.as_ref().is_none_or(|best| size(&found) < size(best)) {
                best = Some(found);
            }
        }
    }
    let Some(found) = best else {
        eprintln!("no violation in {seeds} seeds");
        return Ok(ExitCode::SUCCESS);
    };
    eprintln!(
        "invariant {} broken at {} with seed {} (cause: {})",
        found.invariant, found.at, found.seed, found.cause
    );
    let link = Link::of(&found.session, None, String::new()).encode();
    args::out(&format!("{}# link: #{link}\n", export::scenario(&found.session)));
    Ok(ExitCode::from(u8::from(found.cause == "bug")))
}
