//! Lists the lessons: every `lessons/*.yaml` becomes an entry of `LESSONS`.

use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=lessons");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut names: Vec<String> = std::fs::read_dir(Path::new(&root).join("lessons"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort_unstable();
    let mut text = String::from("/// Name and text of each lesson.\nconst LESSONS: &[(&str, &str)] = &[\n");
    for name in names {
        let _ = writeln!(
            text,
            "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/lessons/{name}.yaml\"))),"
        );
    }
    text.push_str("];\n");
    let out = Path::new(&std::env::var("OUT_DIR").unwrap_or_default()).join("lessons.rs");
    if let Err(error) = std::fs::write(&out, text) {
        panic!("{}: {error}", out.display());
    }
}
