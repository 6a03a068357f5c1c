//! Reads the lessons: every `lessons/*.yaml` becomes an entry of `LISTED`, what the chooser shows of it, and
//! with the feature `lessons` of `LESSONS`, its text. A file that is no Scenario stops the build.

use std::fmt::Write;
use std::path::Path;

use podscope_api::{Data, Tree};

fn main() {
    println!("cargo::rerun-if-changed=lessons");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let lessons = Path::new(&root).join("lessons");
    let mut names: Vec<String> = std::fs::read_dir(&lessons)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort_unstable();
    let mut texts = String::from("/// Name and text of each lesson.\nconst LESSONS: &[(&str, &str)] = &[\n");
    let mut listed = String::from("/// What is listed of each lesson.\nconst LISTED: &[Listed] = &[\n");
    for name in names {
        let file = lessons.join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let is_held = std::env::var_os("CARGO_FEATURE_LESSONS").is_some();
        if is_held {
            let _ = writeln!(
                texts,
                "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/lessons/{name}.yaml\"))),"
            );
        }
        match entry(&name, &text) {
            Ok(entry) => listed.push_str(&entry),
            Err(why) => panic!("{}: {why}", file.display()),
        }
    }
    let out = Path::new(&std::env::var("OUT_DIR").unwrap_or_default()).join("lessons.rs");
    if let Err(error) = std::fs::write(&out, format!("{texts}];\n{listed}];\n")) {
        panic!("{}: {error}", out.display());
    }
}

/// What is listed of a lesson, as Rust.
fn entry(name: &str, text: &str) -> Result<String, String> {
    let parsed = podscope_api::parse(text);
    let mut scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
    let tree = &scenarios.next().ok_or("there is no Scenario in it")?.value.tree;
    let notes = tree.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let note = |key: &str| {
        let value = notes.and_then(|notes| notes.get(&format!("podscope.dev/{key}")));
        value.and_then(Tree::as_str).unwrap_or_default().to_owned()
    };
    let spec = tree.get("spec").ok_or("it has no spec")?;
    let items = |key: &str| match spec.get(key).map(|value| &value.data) {
        Some(Data::Seq(items)) => items.as_slice(),
        _ => &[],
    };
    let recap: Vec<&str> = items("recap").iter().filter_map(Tree::as_str).collect();
    let needs = note("needs");
    let needs: Vec<&str> = needs
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let number = |key: &str| {
        note(key)
            .parse::<u32>()
            .map_err(|_| format!("podscope.dev/{key} is no number"))
    };
    Ok(format!(
        "    Listed {{ name: {name:?}, order: {}, title: {:?}, group: {:?}, summary: {:?}, minutes: {}, needs: &{needs:?}, \
         recap: &{recap:?}, topic: {:?}, rule: {:?}, own: {:?}, variation: {:?}, asks: {} }},\n",
        number("order")?,
        spec.get("title").and_then(Tree::as_str).unwrap_or_default(),
        note("group"),
        note("summary"),
        number("minutes")?,
        note("topic"),
        note("rule"),
        note("own"),
        note("variation"),
        items("steps").iter().any(|step| step.get("predict").is_some()),
    ))
}
