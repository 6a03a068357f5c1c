//! Unwritable output, closed pipes, Ctrl-C and control sequences in data (P-07, Q-03, Q-04).
#![cfg(unix)]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

fn podscope_with_pipes(args: &[&str]) -> Command {
    let mut command = crate::podscope_command();
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn write_file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a writable directory");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// A pod that crashes forever, so that the simulation never runs out of events. Its kubelet settings cause a notice at
/// the start.
const CRASH_LOOP: &str = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: busy}\n\
    spec: {cluster: {zones: [a], nodesPerZone: 1}, components: {kubelet: {evictionHard: {pid.available: '1', \
    allocatableMemory.available: 1Mi}}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: crashes, annotations: \
    {behavior.podscope.dev/c: 'run=1s, exit=1'}}\nspec: {containers: [{name: c, image: i}]}\n";

/// Shows: P-07
#[test]
fn unwritable_output_exits_with_status_2() {
    let busy = write_file("full.yaml", CRASH_LOOP);
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
        let output = podscope_with_pipes(args)
            .stdout(full)
            .output()
            .expect("the command exits");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("podscope: standard output: "), "{args:?}: {stderr}");
    }
}

/// It is not an error if the reader closes the pipe early, as in `podscope run … | head -1`.
/// Shows: P-07
#[test]
fn closed_pipe_is_not_an_error() {
    let busy = write_file("pipe.yaml", CRASH_LOOP);
    let mut child = podscope_with_pipes(&["run", &busy, "--until", "5m", "-o", "trace"])
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut stderr)
        .expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{stderr}");
    assert!(!stderr.contains("standard output"), "{stderr}");
}

fn send_ctrl_c(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("the kill command exists").success());
}

/// A run of a hundred simulated years ends early on Ctrl-C, and prints its partial results.
/// Shows: Q-03
#[test]
fn ctrl_c_ends_run_with_partial_output() {
    let busy = write_file("interrupt.yaml", CRASH_LOOP);
    let mut child = podscope_with_pipes(&["run", &busy, "--until", "876000h", "-o", "objects"])
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut messages = String::new();
    stderr.read_line(&mut messages).expect("a notice, so the run has begun");
    send_ctrl_c(&child);
    stderr.read_to_string(&mut messages).expect("UTF-8");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{messages}");
    assert!(messages.contains("interrupted at "), "{messages}");
    // The condition PodScheduled stays, however far the run got. An Event would expire after an hour of simulated time.
    let objects = String::from_utf8_lossy(&output.stdout);
    assert!(objects.contains("Scheduled"), "{objects}");
}

/// A what-if question with many draws ends early on Ctrl-C, reports this, and prints the answer of the finished draws.
/// Shows: P-14, Q-03
#[test]
fn ctrl_c_ends_what_if_with_partial_answer() {
    let mut child = podscope_with_pipes(&["whatif", "drain", "a-1", "--draws", "1000", "--cluster", "-"])
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The padding exceeds the buffer of a pipe: once it is written, the command must have begun to read.
    let padding = "# Nothing.\n".repeat(20_000);
    stdin.write_all(padding.as_bytes()).expect("it reads");
    stdin.write_all(CRASH_LOOP.as_bytes()).expect("it reads");
    drop(stdin);
    send_ctrl_c(&child);
    let output = child.wait_with_output().expect("it ends");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{messages}");
    assert!(messages.contains("podscope: interrupted: "), "{messages}");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert!(answer.contains("crashes") && !answer.contains("1000 draws"), "{answer}");
}

/// Shows: Q-03
#[test]
fn ctrl_c_ends_wait_in_shell() {
    let busy = write_file("wait.yaml", CRASH_LOOP);
    let mut child = podscope_with_pipes(&["shell", &busy]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(b"kubectl get nodes\nwait 876000h\nkubectl get pods\n")
        .expect("it reads");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("the nodes, so the shell has begun");
    send_ctrl_c(&child);
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("UTF-8");
    assert!(
        !rest.contains("crashes"),
        "the command after the interrupted one is not run: {rest}"
    );
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// Control characters in names, titles and messages of files never reach the terminal.
/// Shows: Q-04
#[test]
fn control_sequences_in_data_are_escaped() {
    let evil = write_file(
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
        let mut child = podscope_with_pipes(args).spawn().expect("it starts");
        let commands = b"kubectl describe pod web\nkubectl get pods -o jsonpath='{..image}'\nkubectl get '\x1b[5m'\n";
        let _ = child.stdin.take().expect("a pipe").write_all(commands);
        let output = child.wait_with_output().expect("it ends");
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            // The trace is JSON for programs: it may contain escape sequences as text, but no raw control character.
            let has_control = text.contains(|c: char| c.is_control() && c != '\n' && c != '\t');
            assert!(!has_control, "{args:?}, {stream}: {text:?}");
        }
    }
}

/// A 64-bit seed is printed and parsed unchanged in a scenario, as an argument and in a link.
/// Shows: Q-01
#[test]
fn largest_seeds_round_trip() {
    let run = |args: &[&str]| {
        let output = podscope_with_pipes(args).output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for seed in ["9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        let text = format!(
            "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\nspec: {{seed: {seed}, cluster: {{zones: [a]}}}}\n"
        );
        let named = write_file(&format!("seed-{seed}.yaml"), &text);
        let summary = run(&["run", &named, "--until", "1s"]);
        assert!(summary.contains(&format!("seed {seed},")), "{summary}");
        let plain = write_file(
            &format!("plain-{seed}.yaml"),
            &text.replace(&format!("seed: {seed}, "), ""),
        );
        for link in [
            run(&["link", "encode", &named]),
            run(&["link", "encode", &plain, "--seed", seed]),
        ] {
            let decoded = run(&["link", "decode", link.trim()]);
            assert!(decoded.contains(&format!("seed: {seed}\n")), "{decoded}");
            let decoded_file = write_file(&format!("again-{seed}.yaml"), &decoded);
            assert_eq!(
                run(&["run", &decoded_file, "--until", "1s", "-o", "trace"]),
                run(&["run", &named, "--until", "1s", "-o", "trace"])
            );
        }
    }
}

/// A selector of a hundred thousand terms is rejected before it is matched against all objects.
/// Shows: Q-03
#[test]
fn too_expensive_selector_is_rejected() {
    let nodes = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: {cluster: {zones: [a], nodesPerZone: 250}}\n";
    let mut child = podscope_with_pipes(&["shell", &write_file("selector.yaml", nodes)])
        .spawn()
        .expect("it starts");
    let values: Vec<String> = (0..100_000).map(|value| format!("b{value}")).collect();
    for selector in [vec!["!a"; 100_000].join(","), format!("a notin ({})", values.join(","))] {
        let command = format!("kubectl get nodes -l '{selector}'\n");
        child
            .stdin
            .as_mut()
            .expect("a pipe")
            .write_all(command.as_bytes())
            .expect("it reads");
    }
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.matches("would look at more than").count(), 2, "{stderr:.500}");
    assert_eq!(output.stdout.len(), 0);
}
