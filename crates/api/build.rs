//! Generates the tables of hidden characters for `src/visible.rs` from Unicode's character properties.

use std::fmt::Write;
use std::path::Path;

use regex_syntax::hir::{Class, HirKind};

/// The name of each table, and its characters as a regular-expression class. `PICTURES` contains emoji and other
/// pictographs.
///
/// Hidden characters (`HIDDEN`) are: controls, line and paragraph separators, format characters, characters that
/// renderers ignore by default (fillers, joiners, variation selectors, tags), blanks other than the space, the no-break
/// space and the ideographic space, the empty Braille pattern, and noncharacters.
const CHARACTER_TABLES: [(&str, &str); 2] = [
    (
        "HIDDEN",
        r"[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\x{2800}]--[\n\t \x{A0}\x{3000}]]",
    ),
    ("PICTURES", r"[\p{Extended_Pictographic}\p{Emoji_Modifier}]"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut text = String::new();
    for (name, class) in CHARACTER_TABLES {
        let parsed = regex_syntax::Parser::new()
            .parse(class)
            .unwrap_or_else(|error| panic!("{class}: {error}"));
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
            panic!("{name} is not a character class");
        };
        let _ = writeln!(text, "const {name}: &[(char, char)] = &[");
        for range in class.ranges() {
            let _ = writeln!(text, "    ({:?}, {:?}),", range.start(), range.end());
        }
        text.push_str("];\n");
    }
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let file = Path::new(&out).join("hidden.rs");
    std::fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}
