//! Runs child processes: passes their output on, and counts their test results.

use crate::host;
use crate::tools::ToolPaths;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Success, or an error message for the user.
pub(crate) type Fallible<T = ()> = Result<T, String>;

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Number of passed tests that failed first and passed when they were run again.
    pub(crate) flaky: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.flaky += other.flaky;
    }

    /// Parses a summary line: cargo's `test result: ok. 3 passed; 0 failed; …`, or just `3 passed, 0 failed`, which
    /// `, 1 flaky` may follow.
    pub(crate) fn parse(line: &str) -> Option<Counts> {
        let rest = line.split_once("test result: ").map_or(line, |(_, rest)| {
            rest.split_once(". ").map_or(rest, |(_, counts)| counts)
        });
        let is_cargo_summary = line.contains("test result: ");
        let mut words = rest.split_whitespace();
        let passed = words.next()?.parse().ok()?;
        if !matches!(words.next()?, "passed;" | "passed,") {
            return None;
        }
        let failed = words.next()?.parse().ok()?;
        let last = words.next()?;
        let flaky = match (last, is_cargo_summary) {
            ("failed;", true) | ("failed", false) => 0,
            ("failed,", false) => words.next()?.parse().ok().filter(|_| words.next() == Some("flaky"))?,
            _ => return None,
        };
        (is_cargo_summary || words.next().is_none()).then_some(Counts { passed, failed, flaky })
    }
}

/// A command that runs in the root of the repository with the tools on its PATH.
pub(crate) struct Run(Command);

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Run {
        let mut command = Command::new(program);
        command.current_dir(host::root()).stdin(Stdio::null());
        // `cargo xtask` describes its own package in these variables. Build scripts that read them (ring's) would run
        // again after each `cargo test` without xtask.
        for (name, _) in std::env::vars_os() {
            let is_of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
            if name.to_str().is_some_and(is_of_package) {
                command.env_remove(name);
            }
        }
        Run(command)
    }

    /// Returns a run of cargo.
    pub(crate) fn cargo() -> Run {
        Run::new(host::cargo())
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.0.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Run {
        self.0.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Run {
        self.0.env_remove(name);
        self
    }

    /// Writes the output of the process to a file instead of the terminal.
    pub(crate) fn output_to(mut self, file: File) -> Fallible<Run> {
        let errors = file.try_clone().map_err(|e| format!("the file for the output: {e}"))?;
        self.0.stdout(file).stderr(errors);
        Ok(self)
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Run {
        self.0.current_dir(dir);
        self
    }

    /// Sets PATH and the other environment variables so that the process finds the tools.
    pub(crate) fn tools(mut self, paths: &ToolPaths) -> Run {
        for (name, value) in paths.environment() {
            self.0.env(name, value);
        }
        self
    }

    /// Returns the command as text, for messages.
    fn command_line(&self) -> String {
        let mut line = Path::new(self.0.get_program())
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for arg in self.0.get_args() {
            line.push(' ');
            line.push_str(&arg.to_string_lossy());
        }
        line
    }

    /// Runs the process to its end; its output goes to the terminal.
    pub(crate) fn status(mut self) -> Fallible {
        eprintln!("$ {}", self.command_line());
        let status = self.0.status().map_err(|e| format!("{}: {e}", self.command_line()))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}`: {status}", self.command_line()))
        }
    }

    /// Starts the process and does not wait for it.
    pub(crate) fn start(mut self) -> Fallible<Child> {
        eprintln!("$ {}", self.command_line());
        self.0.spawn().map_err(|e| format!("{}: {e}", self.command_line()))
    }

    /// Runs the process to its end and returns its stdout; an error if the process fails.
    pub(crate) fn output(mut self) -> Fallible<String> {
        let out = self.0.output().map_err(|e| format!("{}: {e}", self.command_line()))?;
        if out.status.success() {
            Ok(String::from_utf8_lossy(&out.stdout).into_owned())
        } else {
            let stderr = String::from_utf8_lossy(&out.stderr);
            Err(format!(
                "`{}`: {}\n{}",
                self.command_line(),
                out.status,
                stderr.trim_end()
            ))
        }
    }

    /// Runs the process to its end, passes its stdout on, and counts the tests that it reports. The error lists those
    /// that failed.
    pub(crate) fn count_tests(mut self) -> (Fallible, Counts) {
        eprintln!("$ {}", self.command_line());
        let mut counts = Counts::default();
        let mut failed = String::new();
        let child = self.0.stdout(Stdio::piped()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(e) => return (Err(format!("{}: {e}", self.command_line())), counts),
        };
        if let Some(stdout) = child.stdout.take() {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let _ = std::io::stdout().write_all(&line);
                let text = String::from_utf8_lossy(&line);
                if let Some(found) = Counts::parse(text.trim()) {
                    counts.add(found);
                }
                if let Some(name) = failed_test(text.trim()) {
                    failed.push_str("\n       failed: ");
                    failed.push_str(name);
                }
                line.clear();
            }
        }
        let result = match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{}`: {status}{failed}", self.command_line())),
            Err(e) => Err(format!("{}: {e}", self.command_line())),
        };
        (result, counts)
    }
}

/// Returns the test name in a line that reports a failed test: `test NAME ... FAILED` of cargo, `failed: NAME: REASON`
/// of the stories.
fn failed_test(line: &str) -> Option<&str> {
    line.strip_prefix("failed: ").or_else(|| {
        let rest = line.strip_prefix("test ")?;
        rest.strip_suffix(" ... FAILED")
    })
}

#[cfg(test)]
mod tests {
    use super::{Counts, failed_test};

    #[test]
    fn failed_test_name_is_parsed_from_line() {
        for (line, want) in [
            ("test run::tests::a ... FAILED", Some("run::tests::a")),
            (
                "failed: boot.mjs › it opens: Timeout",
                Some("boot.mjs › it opens: Timeout"),
            ),
            ("test run::tests::a ... ok", None),
            ("3 passed, 1 failed", None),
        ] {
            assert_eq!(failed_test(line), want, "{line}");
        }
    }

    #[test]
    fn flaky_tests_are_counted_separately() {
        let got = Counts::parse("7 passed, 1 failed, 2 flaky");
        let want = Counts {
            passed: 7,
            failed: 1,
            flaky: 2,
        };
        assert_eq!(got, Some(want));
    }

    #[test]
    fn only_summary_lines_are_counted() {
        for (line, want) in [
            (
                "test result: ok. 12 passed; 1 failed; 0 ignored; 0 measured",
                Some((12, 1)),
            ),
            ("test result: FAILED. 2 passed; 3 failed; 0 ignored", Some((2, 3))),
            ("1500 passed, 0 failed", Some((1500, 0))),
            ("7 passed, 0 failed, and then some", None),
            ("7 passed, 0 failed, 2 flaky and more", None),
            ("seven passed, 0 failed", None),
            ("running 3 tests", None),
            ("", None),
        ] {
            let got = Counts::parse(line).map(|c| (c.passed, c.failed));
            assert_eq!(got, want, "{line}");
        }
    }
}
