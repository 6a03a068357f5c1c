//! Compiles the translations of messages, lessons and the glossary into the command line, as a table of language codes
//! and file contents. The page loads the same files.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    for source in podscope_translate::compiled_paths() {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let languages = podscope_translate::compiled_languages().unwrap_or_else(|why| panic!("{why}"));
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let out = Path::new(&out);
    let mut table =
        String::from("/// Code and file of each language but English.\nconst FILES: &[(&str, &str)] = &[\n");
    for (code, text) in languages {
        write(&out.join(format!("{code}.txt")), &text);
        let _ = writeln!(
            table,
            "    ({code:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/{code}.txt\"))),"
        );
    }
    write(&out.join("languages.rs"), &format!("{table}];\n"));
}

fn write(path: &Path, text: &str) {
    if let Err(error) = std::fs::write(path, text) {
        panic!("{}: {error}", path.display());
    }
}
