//! What the command line does about outputs that cannot be written, Ctrl-C, and control sequences in data (P-07, Q-03,
//!
#![cfg(unix)]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

fn podscope(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_podscope"));
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a writable directory");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// A pod that crashes for ever: there is always something to do. Its settings make a notice.
const BUSY: &str = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: busy}\n\
    spec: {cluster: {zones: [a], nodesPerZone: 1}, components: {kubelet: {evictionHard: {pid.available: '1', \
    allocatableMemory.available: 1Mi}}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: crashes, annotations: \
    {behavior.podscope.dev/c: 'run=1s, exit=1'}}\nspec: {containers: [{name: c, image: i}]}\n";

/// Shows: P-07
#[test]
fn what_cannot_be_written_is_an_error() {
    let busy = file("full.yaml", BUSY);
    for args in [
        &["run", &busy, "--until", "5s"][..],
        &["run", &busy, "--until", "5s", "-o", "trace"],
        &["run", &busy, "--until", "5s", "-o", "objects"],
        &["check", &busy, "--help"],
        &["--help"],
        &["--version"],
        &["link", "encode", &busy],
    ] {
        let full = OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("the device that is always full");
        let output = podscope(args).stdout(full).output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains("podscope: standard output: "), "{args:?}: {said}");
    }
}

/// `podscope run … | head -1` is no error.
/// Shows: P-07
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let busy = file("pipe.yaml", BUSY);
    let mut child = podscope(&["run", &busy, "--until", "5m", "-o", "trace"])
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut said = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut said)
        .expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{said}");
    assert!(!said.contains("standard output"), "{said}");
}

fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(done.expect("kill is there").success());
}

/// A run of a hundred years ends when it is told to, with what there is.
/// Shows: Q-03
#[test]
fn ctrl_c_ends_a_run_with_what_there_is() {
    let busy = file("interrupt.yaml", BUSY);
    let mut child = podscope(&["run", &busy, "--until", "876000h", "-o", "events"])
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    stderr.read_line(&mut said).expect("a notice: it runs now");
    interrupt(&child);
    stderr.read_to_string(&mut said).expect("UTF-8");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted at "), "{said}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("Scheduled"), "{told}");
}

/// Shows: Q-03
#[test]
fn ctrl_c_ends_a_wait_of_the_shell() {
    let busy = file("wait.yaml", BUSY);
    let mut child = podscope(&["shell", &busy]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(b"kubectl get nodes\nwait 876000h\nkubectl get pods\n")
        .expect("it reads");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("the nodes: it runs now");
    interrupt(&child);
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("UTF-8");
    assert!(!rest.contains("crashes"), "the line after it is not run: {rest}");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// A name, a title, a message of somebody else's moves no cursor and turns no writing.
/// Shows: Q-04
#[test]
fn control_sequences_in_data_are_written_out() {
    let evil = file(
        "evil.yaml",
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: evil}\n\
         spec: {title: \"\\e[2J\\e]0;owned\\a \\u202Egnp.exe\", cluster: {zones: [a], nodesPerZone: 1}}\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {name: web, annotations: {note: \"\\e[31mred\"}}\n\
         spec: {containers: [{name: c, image: \"a\\e[1mb\"}]}\n",
    );
    for args in [
        &["run", &evil, "--until", "5s"][..],
        &["run", &evil, "--until", "5s", "-o", "events"],
        &["run", &evil, "--until", "5s", "-o", "trace"],
        &["shell", &evil],
    ] {
        let mut child = podscope(args).spawn().expect("it starts");
        let asked = b"kubectl describe pod web\nkubectl get pods -o jsonpath='{..image}'\nkubectl get '\x1b[5m'\n";
        let _ = child.stdin.take().expect("a pipe").write_all(asked);
        let output = child.wait_with_output().expect("it ends");
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            // A trace is JSON for programs: it may hold the letters, never the controls.
            let hidden = text.contains(|c: char| c.is_control() && c != '\n' && c != '\t');
            assert!(!hidden, "{args:?}, {stream}: {text:?}");
        }
    }
}

/// Every seed of 64 bits is printed and read back, in a scenario, on the command line, in a link.
/// Shows: Q-01
#[test]
fn the_largest_seeds_come_back() {
    let run = |args: &[&str]| {
        let output = podscope(args).output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for seed in ["9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        let text = format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\nspec: {{seed: {seed}, cluster: {{zones: [a]}}}}\n"
        );
        let named = file(&format!("seed-{seed}.yaml"), &text);
        let summary = run(&["run", &named, "--until", "1s"]);
        assert!(summary.contains(&format!("seed {seed},")), "{summary}");
        let plain = file(
            &format!("plain-{seed}.yaml"),
            &text.replace(&format!("seed: {seed}, "), ""),
        );
        for link in [
            run(&["link", "encode", &named]),
            run(&["link", "encode", &plain, "--seed", seed]),
        ] {
            let opened = run(&["link", "decode", link.trim()]);
            assert!(opened.contains(&format!("seed: {seed}\n")), "{opened}");
            let again = file(&format!("again-{seed}.yaml"), &opened);
            assert_eq!(
                run(&["run", &again, "--until", "1s", "-o", "trace"]),
                run(&["run", &named, "--until", "1s", "-o", "trace"])
            );
        }
    }
}

/// A selector of a hundred thousand terms is refused before it is tried on every object.
/// Shows: Q-03
#[test]
fn a_selector_costs_no_more_than_a_command_may() {
    let nodes = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: {cluster: {zones: [a], nodesPerZone: 250}}\n";
    let mut child = podscope(&["shell", &file("selector.yaml", nodes)])
        .spawn()
        .expect("it starts");
    let values: Vec<String> = (0..100_000).map(|value| format!("b{value}")).collect();
    for selector in [vec!["!a"; 100_000].join(","), format!("a notin ({})", values.join(","))] {
        let asked = format!("kubectl get nodes -l '{selector}'\n");
        child
            .stdin
            .as_mut()
            .expect("a pipe")
            .write_all(asked.as_bytes())
            .expect("it reads");
    }
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("would look at more than").count(), 2, "{said:.500}");
    assert_eq!(output.stdout.len(), 0);
}
