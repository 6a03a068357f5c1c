//! Generates the list of practice families from `crates/session/practice/*.yaml`.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("../session/practice");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort_unstable();
    let mut text = String::from("/// Name and text of each family.\nconst FAMILIES: &[(&str, &str)] = &[\n");
    for name in names {
        let _ = writeln!(
            text,
            "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../session/practice/{name}.yaml\"))),"
        );
    }
    let out = Path::new(&std::env::var("OUT_DIR").unwrap_or_default()).join("families.rs");
    if let Err(error) = std::fs::write(&out, format!("{text}];\n")) {
        panic!("{}: {error}", out.display());
    }
}
