//! `podscope explain --cases`: reads decision cases and prints the decisions, or compares them with the expected ones.

use std::io::{Read, Write as _};
use std::process::ExitCode;

use podscope_scheduler::cases::{compare, run_case};
use serde_json::Value;

use crate::{args, interrupt};

/// Maximum size of a file of cases in bytes, both compressed and decompressed.
const MAX_CASES_BYTES: u64 = 512 << 20;

/// Reads at most [`MAX_CASES_BYTES`], otherwise fails: a file may be a device that never ends, and a compressed file
/// may expand a thousandfold.
fn read_bounded(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_CASES_BYTES + 1).read_to_end(&mut bytes);
    match read.map_err(|error| error.to_string())? as u64 {
        ..=MAX_CASES_BYTES => Ok(bytes),
        _ => Err(format!("more than {MAX_CASES_BYTES} bytes of cases: split the file")),
    }
}

fn read_cases(file: &str) -> Result<String, String> {
    let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut bytes = read_bounded(opened)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes = read_bounded(flate2::read::MultiGzDecoder::new(bytes.as_slice()))?;
    }
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Prints one decision per line, or with `check` the differences and `N passed, N failed`.
pub(crate) fn run(file: &str, check: bool) -> ExitCode {
    let text = match read_cases(file) {
        Ok(text) => text,
        Err(error) => {
            args::print_error(format_args!("{file}: {error}"));
            return ExitCode::from(2);
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut passed, mut failed, mut has_bad_case) = (0_usize, 0_usize, false);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case: Result<Value, String> = serde_json::from_str(line).map_err(|error| error.to_string());
        let result = case.and_then(|case| run_case(&case).map(|got| (case, got)));
        let written = match result {
            Err(error) => {
                args::print_error(format_args!("{file}:{}: {error}", index + 1));
                failed += 1;
                has_bad_case = true;
                // Every input line yields one output line, even if it is not a valid case.
                if check {
                    Ok(())
                } else {
                    writeln!(out, "{}", serde_json::json!({ "error": error }))
                }
            }
            Ok((case, got)) if check => {
                let differences = compare(&got, case.get("expect").unwrap_or(&Value::Null));
                if differences.is_empty() {
                    passed += 1;
                    Ok(())
                } else {
                    failed += 1;
                    let name = case.get("name").and_then(Value::as_str).unwrap_or("");
                    writeln!(out, "{name}: {}", differences.join("; "))
                }
            }
            Ok((_, got)) => writeln!(out, "{got}"),
        };
        args::exit_on_write_error(written);
        if interrupt::is_interrupted() {
            args::exit_on_write_error(out.flush());
            return interrupt::interrupted_status();
        }
    }
    if check {
        args::exit_on_write_error(writeln!(out, "{passed} passed, {failed} failed"));
    }
    args::exit_on_write_error(out.flush());
    match (check, failed, has_bad_case) {
        (_, 0, _) => ExitCode::SUCCESS,
        (true, _, _) => ExitCode::from(1),
        (false, _, _) => ExitCode::from(2),
    }
}
