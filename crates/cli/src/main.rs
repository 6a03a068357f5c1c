//! The `podscope` command line.

mod explain_cases;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["explain", "--cases", file] => explain_cases::run(file, false),
        ["explain", "--cases", file, "--check"] | ["explain", "--check", "--cases", file] => {
            explain_cases::run(file, true)
        }
        _ => {
            eprintln!("usage: podscope explain --cases FILE.jsonl[.gz] [--check]");
            ExitCode::from(2)
        }
    }
}
