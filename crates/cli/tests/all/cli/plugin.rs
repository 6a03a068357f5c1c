//! Tests of the plugin `kubectl-podscope`, with a fake `kubectl` on PATH that prints a recorded cluster.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Run;

const CLUSTER: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a", "uid": "1", "resourceVersion": "1"},
   "status": {"capacity": {"cpu": "2", "memory": "4Gi", "pods": "10"}, "allocatable": {"cpu": "2", "memory": "4Gi", "pods": "10"},
    "conditions": [{"type": "Ready", "status": "True"}]}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "cart-0", "namespace": "shop", "uid": "2", "resourceVersion": "2"},
   "spec": {"containers": [{"name": "app", "image": "cart:1", "resources": {"requests": {"cpu": "8"}}}]}, "status": {"phase": "Pending"}}]}"#;

/// Returns a folder with the plugin and a fake `kubectl`, which appends its arguments to the file `arguments` and
/// serves nodes, pods and widgets. If `exit` is not 0, `kubectl get` also prints an error.
fn plugin_folder(name: &str, exit: i32) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("cluster.json"), CLUSTER).expect("a file");
    let script = format!(
        "#!/bin/sh\ncd {}\necho \"$@\" >> arguments\ncase \"$1\" in\napi-resources) printf 'nodes\\npods\\nwidgets.example.com\\n';;\n\
         get) cat cluster.json; test {exit} = 0 || echo 'Error from server (Forbidden): events is forbidden' >&2; exit {exit};;\nesac\n",
        folder.display()
    );
    let kubectl = folder.join("kubectl");
    std::fs::write(&kubectl, script).expect("a script");
    std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    symlink(env!("CARGO_BIN_EXE_podscope"), folder.join("kubectl-podscope")).expect("a link");
    folder
}

fn run_plugin(folder: &Path, args: &[&str]) -> Run {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(folder.join("kubectl-podscope"))
        .args(args)
        .env("PATH", path)
        .env_remove("PODSCOPE_LANG")
        .output();
    output.expect("the plugin starts").into()
}

#[test]
fn plugin_reads_served_resources_and_prints_problems() {
    let folder = plugin_folder("plugin-why", 0);
    let run = run_plugin(&folder, &["--context", "prod"]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(
        run.out.contains("shop/cart-0") && run.out.contains("Insufficient cpu"),
        "{}",
        run.out
    );
    let arguments = std::fs::read_to_string(folder.join("arguments")).expect("the arguments");
    assert_eq!(
        arguments,
        "api-resources --verbs=list --output=name --context=prod\n\
         get nodes,pods --all-namespaces --output=json --context=prod\n"
    );
}

#[test]
fn plugin_prints_chosen_language() {
    let folder = plugin_folder("plugin-language", 0);
    let spanish = run_plugin(&folder, &["--lang", "es"]).out;
    assert!(spanish.contains("entonces puede aceptarlo un nodo"), "{spanish}");
    let json = |args: &[&str]| run_plugin(&folder, &[&["-o", "json"], args].concat()).out;
    assert_eq!(json(&["--lang", "es"]), json(&[]));
}

#[test]
fn plugin_saves_renamed_cluster_with_table() {
    let folder = plugin_folder("plugin-save", 0);
    let (saved, table) = (folder.join("saved.yaml"), folder.join("names.tsv"));
    let [saved, table] = [&saved, &table].map(|path| path.to_str().expect("UTF-8"));
    let run = run_plugin(&folder, &["save", saved, "--rename", "--table", table]);
    assert_eq!((run.status, &*run.out), (0, ""), "{}", run.err);
    let text = std::fs::read_to_string(saved).expect("the saved cluster");
    assert!(!text.contains("cart") && !text.contains("node-a"), "{text}");
    assert!(std::fs::read_to_string(table).expect("the table").contains("cart-0"));
    assert!(super::podscope(&["why", saved]).out.contains("Insufficient cpu"));
}

#[test]
fn plugin_without_permission_lists_omitted_resources() {
    let run = run_plugin(
        &plugin_folder("plugin-forbidden", 1),
        &["link", "--site", "https://podscope.example/"],
    );
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(
        run.err
            .contains("left out: Error from server (Forbidden): events is forbidden"),
        "{}",
        run.err
    );
    assert!(run.out.starts_with("https://podscope.example/#"), "{}", run.out);
}

#[test]
fn plugin_refuses_options_of_other_commands() {
    let folder = plugin_folder("plugin-usage", 0);
    for (args, message) in [
        (&["save"][..], "kubectl podscope save <FILE>"),
        (&["link", "--pod", "a/b"], "-n, --pod and -o go with `why`"),
        (&["--table", "t"], "kubectl podscope --rename --table <FILE>"),
        (&["--site", "x"], "unexpected argument '--site' found"),
    ] {
        let run = run_plugin(&folder, args);
        assert!(run.status == 2 && run.err.contains(message), "{args:?}: {}", run.err);
    }
    assert!(!folder.join("arguments").exists(), "kubectl is not called");
}
