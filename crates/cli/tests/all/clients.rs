//! The examples in the documentation that use clients of other projects. `cargo xtask test clients` fetches these and
//! passes their path in an environment variable; without it the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A seed whose faults make the controller's cache stale while it should create a pod.
const FIRST_SEARCHED_SEED: &str = "1";

/// Returns the code blocks of a language in a Markdown text.
fn code_blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let parts = text.split(opening.as_str()).skip(1);
    parts
        .filter_map(|part| part.split_once("\n```"))
        .map(|(block, _)| block.to_owned())
        .collect()
}

fn read_operators_page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators.md");
    std::fs::read_to_string(page).expect("the page")
}

/// Creates an empty folder for a test.
pub(crate) fn create_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The folder exists only if the test has run before.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder is made");
    folder
}

/// Runs a program in a folder, with `podscope` on its PATH. The program must succeed.
fn succeed(command: &mut Command, folder: &Path) {
    let program = Path::new(env!("CARGO_BIN_EXE_podscope"))
        .parent()
        .expect("a folder")
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&path))).expect("a PATH");
    let out = command
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("PODSCOPE_LANG")
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        out.status.success(),
        "{}\n{}{}",
        out.status,
        text(&out.stdout),
        text(&out.stderr)
    );
}

/// Shows: HT-137
#[test]
fn operators_page_python_example_runs_as_printed() {
    let Some(packages) = std::env::var_os("PODSCOPE_PYTHON_CLIENTS").filter(|value| !value.is_empty()) else {
        eprintln!("PODSCOPE_PYTHON_CLIENTS is not set: nothing is run");
        return;
    };
    let [example] = code_blocks(&read_operators_page(), "python")
        .try_into()
        .expect("one example");
    let folder = create_folder("operators-python");
    succeed(
        Command::new("python3")
            .args(["-c", &example])
            .env("PYTHONPATH", packages),
        &folder,
    );
}

/// Runs the workflow step that starts the server in a shell.
#[cfg(target_os = "linux")]
#[test]
fn operators_page_workflow_starts_a_responding_server() {
    let mut workflows = code_blocks(&read_operators_page(), "yaml");
    workflows.retain(|block| block.starts_with("jobs:"));
    let [workflow] = workflows.try_into().expect("one workflow");
    let (_, steps) = workflow
        .split_once("- name: Start a cluster\n        run: |\n")
        .expect("the step");
    let lines = steps.lines().map_while(|line| line.strip_prefix("          "));
    let script: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(script.lines().count(), 4, "{script}");
    let folder = create_folder("operators-workflow");
    // `$!` is the PID of the server. The test kills the server; in a workflow, the runner does.
    let script = script
        + r#"
trap "kill $!" EXIT
server=${url#http://}
exec 4<>"/dev/tcp/${server%:*}/${server#*:}"
"#;
    let mut bash = Command::new("bash");
    bash.args(["-e", "-c", &script])
        .env("RUNNER_TEMP", &folder)
        .env("GITHUB_ENV", folder.join("env"));
    succeed(&mut bash, &folder);
    let environment = std::fs::read_to_string(folder.join("env")).expect("it is written");
    let kubeconfig = std::fs::read_to_string(folder.join("kubeconfig")).expect("it is written");
    let url = environment
        .lines()
        .find_map(|line| line.strip_prefix("PODSCOPE_URL="))
        .expect("an address");
    assert!(
        kubeconfig.contains(&format!("server: {url}\n")),
        "{environment}{kubeconfig}"
    );
    assert!(
        environment.contains(&format!("KUBECONFIG={}\n", folder.join("kubeconfig").display())),
        "{environment}"
    );
}

/// Asserts that a run fails in the same way when it is replayed without the client.
pub(crate) fn assert_replays(scenario: &str, folder: &Path, message: &str) {
    let path = folder.join("found.yaml");
    std::fs::write(&path, scenario).expect("it is written");
    let run = crate::podscope_command().arg("run").arg(&path).output();
    let run = run.expect("it runs");
    let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.code() == Some(1) && stderr.contains(message), "{stderr}");
}

/// With a stale cache, the controller creates pods again that it does not see. The search finds faults with which it
/// creates too many, but none if it asks the API server first.
#[test]
fn search_finds_stale_cache_of_python_controller() {
    let Some(packages) = std::env::var_os("PODSCOPE_PYTHON_CLIENTS").filter(|value| !value.is_empty()) else {
        eprintln!("PODSCOPE_PYTHON_CLIENTS is not set: nothing is run");
        return;
    };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients");
    let search = |more: &[&str]| {
        let mut search = crate::podscope_command();
        search.arg("search").arg(programs.join("stale_cache.yaml"));
        // `--repetitions 0` disables shrinking, which takes minutes here; `search_command.rs` tests it.
        search.args([
            "--seeds",
            "1",
            "--from",
            FIRST_SEARCHED_SEED,
            "--speed",
            "20",
            "--repetitions",
            "0",
        ]);
        search.args(["--", "python3", "-B"]);
        let search = search.arg(programs.join("stale_cache.py")).args(more);
        search.env("PYTHONPATH", &packages).output().expect("it runs")
    };
    let found = search(&[]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&found.stdout), text(&found.stderr));
    assert_eq!(found.status.code(), Some(1), "{stdout}{stderr}");
    assert!(
        stderr.contains("expectation failed") && stderr.contains("with seed"),
        "{stderr}"
    );
    assert!(
        stdout.lines().last().is_some_and(|line| line.starts_with("# link: #")),
        "{stdout}"
    );
    assert_replays(&stdout, &create_folder("search-client"), "expectation failed");

    let careful = search(&["--careful"]);
    assert_eq!(
        careful.status.code(),
        Some(0),
        "{}{}",
        text(&careful.stdout),
        text(&careful.stderr)
    );
}
