//! Generates two tables of the lessons from `lessons/*.yaml`: `LISTED` holds what the list of lessons shows; `LESSONS`
//! holds the texts, and is empty without the feature `lessons`. A file without a Scenario stops the build.

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
    let mut listed = String::from("/// Entry of each lesson in the list.\nconst LISTED: &[ListEntry] = &[\n");
    for name in names {
        let file = lessons.join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let includes_texts = std::env::var_os("CARGO_FEATURE_LESSONS").is_some();
        if includes_texts {
            let _ = writeln!(
                texts,
                "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/lessons/{name}.yaml\"))),"
            );
        }
        match list_entry_source(&name, &text) {
            Ok(entry) => listed.push_str(&entry),
            Err(why) => panic!("{}: {why}", file.display()),
        }
    }
    let out = Path::new(&std::env::var("OUT_DIR").unwrap_or_default()).join("lessons.rs");
    if let Err(error) = std::fs::write(&out, format!("{texts}];\n{listed}];\n")) {
        panic!("{}: {error}", out.display());
    }
}

/// Returns the entry of a lesson in `LISTED`, as Rust source.
fn list_entry_source(name: &str, text: &str) -> Result<String, String> {
    let parsed = podscope_api::parse(text);
    let mut scenarios = parsed.configs.iter().filter(|config| &*config.value.kind == "Scenario");
    let tree = &scenarios.next().ok_or("there is no Scenario in it")?.value.tree;
    let annotations = tree.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let annotation = |key: &str| {
        let value = annotations.and_then(|annotations| annotations.get(&format!("podscope.dev/{key}")));
        value.and_then(Tree::as_str).unwrap_or_default().to_owned()
    };
    let spec = tree.get("spec").ok_or("it has no spec")?;
    let items = |key: &str| match spec.get(key).map(|value| &value.data) {
        Some(Data::Seq(items)) => items.as_slice(),
        _ => &[],
    };
    let recap: Vec<&str> = items("recap").iter().filter_map(Tree::as_str).collect();
    let needs = annotation("needs");
    let needs: Vec<&str> = needs
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let number = |key: &str| {
        annotation(key)
            .parse::<u32>()
            .map_err(|_| format!("podscope.dev/{key} is no number"))
    };
    Ok(format!(
        "    ListEntry {{ name: {name:?}, order: {}, title: {:?}, group: {:?}, summary: {:?}, minutes: {}, needs: &{needs:?}, \
         recap: &{recap:?}, topic: {:?}, rule: {:?}, own: {:?}, variation: {:?}, asks: {} }},\n",
        number("order")?,
        spec.get("title").and_then(Tree::as_str).unwrap_or_default(),
        annotation("group"),
        annotation("summary"),
        number("minutes")?,
        annotation("topic"),
        annotation("rule"),
        annotation("own"),
        annotation("variation"),
        items("steps").iter().any(|step| step.get("predict").is_some()),
    ))
}
