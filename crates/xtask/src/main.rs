//! `cargo xtask`: sets up the tools, serves, builds, tests and measures Podscope.
//!
//! It works with commands and files, and does not depend on the simulator. Each job has its own file; the list of test
//! steps is in [`steps`].
// Unlike the simulator, a build tool may use real time and the maps and sorts of `std`.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod background;
mod bench;
mod browser;
mod changed;
mod clients;
mod decisions;
mod editor;
mod flags;
mod golden;
mod host;
mod hosts;
mod package;
mod parts;
mod run;
mod site;
mod size;
mod spec;
mod steps;
mod stories;
mod tools;
mod translate;

use run::Fallible;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask <command>

  serve [ARG…]       build, serve with live reload, print the address (ARGs go to Trunk)
  build              the deployable site in dist/
  picture            take the README's pictures of the page again
  profile            run a first visit in Chromium again, which decides how the page's wasm is cut
  package            the npm package @podscope/engine, packed in target/package/
  test [STEP…]       everything, or the named steps; `test --list` lists them
  test --changed     formatting, clippy and tests of the changes since main
  e2e WORD… [--FLAG] the browser stories whose file or name contains a word, on dist/ (flags go to Playwright)
  bless [NAME…]      rewrite golden files with the current results
  fuzz [ARG…]        random inputs for some minutes (--minutes 60 --log FILE), or one input again (TARGET FILE)
  bench [NAME…]      benchmarks; also writes target/bench.json
  spec [--missing]   rows of the specification and facts, with the tests that show them
  size               bytes of a first visit, compared with the budget
  translate [LANG]   compare all translations with English; with a language, add the files and texts that it lacks
  notices            rewrite www/THIRD-PARTY.md from the dependencies
  doctor [--install] tools: where each is found, what is missing
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let result = match command.as_str() {
        "serve" => site::serve(&rest),
        "build" => site::build(),
        "picture" => site::picture(),
        "package" => package::package(),
        "profile" => parts::profile(),
        "finish" => site::finish(),
        "editor" => editor::bundle(),
        "translate" => translate::translate(&rest),
        "test" => steps::test(&rest),
        "step" => steps::run_one(&rest),
        "e2e" => stories::run_matching(&rest),
        "bless" => golden::bless(&rest),
        "fuzz" => fuzz(&rest),
        "bench" => bench::bench(&rest),
        "spec" => spec::report(&rest),
        "size" => size::report(),
        "notices" => golden::notices(),
        "doctor" => tools::doctor(&rest),
        "" | "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n\n{USAGE}")),
    };
    exit_code(result)
}

/// Runs the whole fuzzer, optimised but with overflow checks and assertions.
fn fuzz(args: &[String]) -> Fallible {
    let run = run::Run::cargo().args(["run", "--quiet", "--profile", "fuzz", "--package", "podscope-tests"]);
    run.args(["--example", "fuzz", "--"]).args(args).status()
}

/// Prints the error, if there is one, and returns the exit code.
fn exit_code(result: Fallible) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            if !message.is_empty() {
                eprintln!("error: {message}");
            }
            ExitCode::FAILURE
        }
    }
}
