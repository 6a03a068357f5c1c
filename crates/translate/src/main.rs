//! Translations of Podscope's lessons, glossary and messages. `cargo xtask translate` starts it.
//!
//! - `new LANGUAGE` adds the files and texts that a language lacks (empty, with the digests of their originals),
//!   removes what no longer has an original, and lists what is missing.
//! - `check` compares all languages with English; a text that is missing is listed, and a fault ends with status 1.
//! - `site FOLDER` writes the file of each language that the page loads.

use podscope_translate::{add_missing_texts, check, write_site_files};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: podscope-translate new LANGUAGE | check | site FOLDER";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["new", language] => add_missing_texts(language),
        ["check"] => check(),
        ["site", folder] => write_site_files(Path::new(folder)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
