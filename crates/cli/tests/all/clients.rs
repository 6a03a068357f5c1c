//! The examples of the documentation that use clients of other projects. `cargo xtask test clients` fetches these and says
//! in an environment variable where they are; without it nothing is run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The blocks of a language in a Markdown text.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let parts = text.split(opening.as_str()).skip(1);
    parts
        .filter_map(|part| part.split_once("\n```"))
        .map(|(block, _)| block.to_owned())
        .collect()
}

fn operators_page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators.md");
    std::fs::read_to_string(page).expect("the page")
}

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It exists only if the test has run before.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder is made");
    folder
}

/// Runs a program in a folder with `podscope` on its PATH; it must succeed.
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
    let [example] = blocks(&operators_page(), "python").try_into().expect("one example");
    let folder = folder("operators-python");
    succeed(
        Command::new("python3")
            .args(["-c", &example])
            .env("PYTHONPATH", packages),
        &folder,
    );
}

/// The step of the workflow that starts the server, as a shell runs it.
#[cfg(target_os = "linux")]
#[test]
fn operators_page_workflow_starts_a_server_that_answers() {
    let [workflow] = blocks(&operators_page(), "yaml").try_into().expect("one workflow");
    let (_, steps) = workflow
        .split_once("- name: Start a cluster\n        run: |\n")
        .expect("the step");
    let lines = steps.lines().map_while(|line| line.strip_prefix("          "));
    let script: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(script.lines().count(), 4, "{script}");
    let folder = folder("operators-workflow");
    // `$!` is the server. It is ended here, and by the runner in a workflow.
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
