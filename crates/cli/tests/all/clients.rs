//! The examples of the documentation that use clients of other projects. `cargo xtask test clients` fetches these and says
//! in an environment variable where they are; without it nothing is run.

use std::path::Path;
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

/// Shows: HT-137
#[test]
fn operators_page_python_example_runs_as_printed() {
    let Some(packages) = std::env::var_os("PODSCOPE_PYTHON_CLIENTS").filter(|value| !value.is_empty()) else {
        eprintln!("PODSCOPE_PYTHON_CLIENTS is not set: nothing is run");
        return;
    };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let [example] = blocks(&page, "python").try_into().expect("one example");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("operators-example");
    std::fs::create_dir_all(&folder).expect("a folder is made");

    let program = Path::new(env!("CARGO_BIN_EXE_podscope"))
        .parent()
        .expect("a folder")
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&path))).expect("a PATH");
    let out = Command::new("python3")
        .args(["-c", &example])
        .current_dir(&folder)
        .env("PYTHONPATH", packages)
        .env("PATH", path)
        .output()
        .expect("Python runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        out.status.success(),
        "{}\n{}{}",
        out.status,
        text(&out.stdout),
        text(&out.stderr)
    );
}
