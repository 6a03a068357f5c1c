//! `cargo xtask spec`: each row of the specification with the tests that name it.
//!
//! A row counts as named by a test function (its name, the comments above it, its body), by an
//! end-to-end story and by a scenario or lesson file. Ordinary code and docs do not count.

use crate::host;
use crate::run::Fallible;
use crate::site::{files_under, read};
use std::collections::{BTreeMap, BTreeSet};

/// Prints the rows; with `--missing` only those that nothing names, and the figure.
pub(crate) fn report(args: &[String]) -> Fallible {
    let rows = rows(&read(&host::root().join("tests/spec.md"))?);
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, text) in sources()? {
        for (place, ids) in places(&file, &text) {
            for id in ids {
                named.entry(id).or_default().insert(place.clone());
            }
        }
    }
    let missing_only = args.iter().any(|a| a == "--missing");
    let mut shown = 0;
    for (id, title) in &rows {
        let places = named.get(id);
        shown += usize::from(places.is_some());
        if missing_only && places.is_some() {
            continue;
        }
        println!("{id}  {}", cut(title, 100));
        for place in places.into_iter().flatten() {
            println!("      {place}");
        }
        if places.is_none() && !missing_only {
            println!("      (no test names it)");
        }
    }
    println!(
        "{shown} of {} rows are named by a test, a story or a scenario",
        rows.len()
    );
    Ok(())
}

fn cut(text: &str, length: usize) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(length).collect();
    if chars.next().is_some() {
        format!("{start}…")
    } else {
        start
    }
}

/// `| S-01 | requirement |` rows, in order.
fn rows(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix('|')?.splitn(2, '|');
            let id = cells.next()?.trim();
            let title = cells.next()?.trim().trim_end_matches('|').trim();
            (ids_in(id).len() == 1 && id.len() == 4).then(|| (id.to_string(), title.to_string()))
        })
        .collect()
}

/// Files that may name rows, with their text.
fn sources() -> Fallible<Vec<(String, String)>> {
    let root = host::root();
    let mut all = Vec::new();
    for dir in ["crates", "tests"] {
        for file in files_under(&root, dir)? {
            let wanted = [".rs", ".mjs", ".yaml", ".yml"].iter().any(|ext| file.ends_with(ext));
            let skipped = file.contains("/node_modules/") || file.contains("/target/") || file.contains("/pkg/");
            if wanted && !skipped {
                let text = read(&root.join(&file))?;
                all.push((file, text));
            }
        }
    }
    Ok(all)
}

/// The tests of a file with the IDs they name.
fn places(file: &str, text: &str) -> Vec<(String, BTreeSet<String>)> {
    if file.ends_with(".rs") {
        return test_functions(text)
            .into_iter()
            .map(|(name, body)| {
                let mut ids = ids_in(&body);
                ids.extend(ids_in_name(&name));
                (format!("{file} {name}"), ids)
            })
            .collect();
    }
    vec![(file.to_string(), ids_in(text))]
}

/// Each function marked as a test: its name, and its text with the comments above.
fn test_functions(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let above = |line: &str| line.starts_with("//") || line.starts_with("#[");
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if !(trimmed.starts_with("#[test]") || trimmed.starts_with("#[wasm_bindgen_test")) {
            continue;
        }
        let start = (0..i).rev().take_while(|&j| above(lines[j].trim())).last().unwrap_or(i);
        let Some(head) = (i + 1..lines.len()).find(|&j| lines[j].contains("fn ")) else {
            continue;
        };
        let indent = &lines[head][..lines[head].len() - lines[head].trim_start().len()];
        let close = format!("{indent}}}");
        let end = if lines[head].trim_end().ends_with('}') {
            head
        } else {
            (head..lines.len())
                .find(|&j| lines[j] == close)
                .unwrap_or(lines.len() - 1)
        };
        let name = lines[head].split_once("fn ").map_or("", |(_, rest)| rest);
        let name = name.split(['(', '<']).next().unwrap_or_default();
        found.push((name.to_string(), lines[start..=end].join("\n")));
    }
    found
}

/// `S-01`-like words of a text.
fn ids_in(text: &str) -> BTreeSet<String> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(3))
        .filter(|&i| {
            bytes[i].is_ascii_uppercase()
                && bytes[i + 1] == b'-'
                && bytes[i + 2].is_ascii_digit()
                && bytes[i + 3].is_ascii_digit()
                && !bytes.get(i + 4).is_some_and(u8::is_ascii_alphanumeric)
                && (i == 0 || !(bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'-'))
        })
        .map(|i| text[i..i + 4].to_string())
        .collect()
}

/// IDs in a function's name: `s_01_…`, `s01_…`.
fn ids_in_name(name: &str) -> BTreeSet<String> {
    let words: Vec<&str> = name.split('_').collect();
    let number = |w: &str| w.len() == 2 && w.bytes().all(|b| b.is_ascii_digit());
    let letter = |w: &str| w.len() == 1 && w.bytes().all(|b| b.is_ascii_lowercase());
    let mut ids = BTreeSet::new();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        if letter(word) && number(next) {
            ids.insert(format!("{}-{next}", word.to_ascii_uppercase()));
        } else if word.is_char_boundary(1) && word.len() == 3 && letter(&word[..1]) && number(&word[1..]) {
            ids.insert(format!("{}-{}", word[..1].to_ascii_uppercase(), &word[1..]));
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::{ids_in, ids_in_name, rows, test_functions};

    #[test]
    fn only_whole_ids_count() {
        let found: Vec<String> = ids_in("S-01, SCH-104 and F-020; (P-02) LC-138 E-01.")
            .into_iter()
            .collect();
        assert_eq!(found, ["E-01", "P-02", "S-01"]);
        let found: Vec<String> = ids_in_name("s_10_two_constraints_u08").into_iter().collect();
        assert_eq!(found, ["S-10", "U-08"]);
    }

    #[test]
    fn a_test_ends_where_its_brace_does() {
        let text = "/// Q-01.\n#[test]\nfn a() {\n    if x {\n    }\n}\n\n// K-01 elsewhere\nfn b() {}\n";
        let found = test_functions(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "a");
        assert!(found[0].1.contains("Q-01") && !found[0].1.contains("K-01"));
    }

    #[test]
    fn rows_are_table_lines_with_an_id() {
        let text = "| ID | requirement |\n|---|---|\n| P-01 | A static site. |\ntext S-01\n";
        assert_eq!(rows(text), [("P-01".to_string(), "A static site.".to_string())]);
    }
}
