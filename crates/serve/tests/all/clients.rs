//! Client libraries and tools of other projects against the server. `cargo xtask test clients` fetches the libraries
//! and passes their paths in environment variables; without these the tests are skipped. The test programs are in
//! `tests/clients`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;

mod helm;

/// A cluster that runs twenty times as fast as real time, and a folder with its kubeconfig.
struct ClientFixture {
    folder: PathBuf,
    server: Server,
}

/// Returns the value of an environment variable with the path of a tool; None if the tool is not available.
fn tool_path_from_env(variable: &str) -> Option<OsString> {
    let found = std::env::var_os(variable).filter(|value| !value.is_empty());
    if found.is_none() {
        eprintln!("{variable} is not set: nothing is run");
    }
    found
}

/// Returns the folder with the test programs.
fn test_programs_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients")
}

fn start_fixture(name: &str) -> ClientFixture {
    let folder = std::env::temp_dir().join(format!("podscope-clients-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let options = Options {
        speed: Speed::Times(20.0),
        kubeconfig: Some(folder.join("config")),
        ..Options::default()
    };
    let session = Session::new(scenario::load(&[]).expect("the cluster of no file")).expect("it starts");
    let server = Server::start(session, &options).expect("a port is free");
    ClientFixture { folder, server }
}

impl ClientFixture {
    /// Runs a program that must succeed. Returns its stdout.
    fn run_ok(&self, command: &mut Command) -> String {
        let (is_fine, stdout, stderr) = self.run(command);
        assert!(is_fine, "{command:?}:\n{stdout}{stderr}");
        stdout
    }

    /// Runs a program that must fail. Returns its stderr.
    fn run_failing(&self, command: &mut Command) -> String {
        let (is_fine, stdout, stderr) = self.run(command);
        assert!(!is_fine, "{command:?} succeeded:\n{stdout}{stderr}");
        stderr
    }

    /// Runs a program. Returns whether it succeeded, its stdout and its stderr.
    fn run(&self, command: &mut Command) -> (bool, String, String) {
        let out = command
            .env("KUBECONFIG", self.folder.join("config"))
            .env("PODSCOPE_URL", self.server.url())
            .env("HOME", &self.folder)
            .output()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.success(), text(&out.stdout), text(&out.stderr))
    }
}

/// Runs a Python program against a new cluster, if the Python clients are available.
fn run_python(name: &str, program: &str) {
    let Some(packages) = tool_path_from_env("PODSCOPE_PYTHON_CLIENTS") else {
        return;
    };
    let mut python = Command::new("python3");
    // `-B` prevents Python from writing bytecode into the folder of the programs.
    python
        .arg("-B")
        .arg(test_programs_dir().join(program))
        .env("PYTHONPATH", packages);
    start_fixture(name).run_ok(&mut python);
}

impl Drop for ClientFixture {
    fn drop(&mut self) {
        // Failure to remove the folder is ignored.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Shows: HT-079, HT-191
#[test]
fn python_watch_resumes_after_api_server_restart() {
    run_python("python", "watch_restart.py");
}

#[test]
fn python_typed_client_reads_every_kind() {
    run_python("typed", "typed_lists.py");
}

/// Shows: HT-184
#[test]
fn kopf_operator_reconciles_across_api_server_restart() {
    run_python("kopf", "kopf_operator.py");
}

#[test]
fn node_informer_lists_again_after_api_server_restart() {
    let Some(modules) = tool_path_from_env("PODSCOPE_NODE_CLIENTS") else {
        return;
    };
    let mut node = Command::new("node");
    node.arg(test_programs_dir().join("informer.mjs"))
        .env("PODSCOPE_NODE_CLIENTS", modules);
    start_fixture("node").run_ok(&mut node);
}
