//! `cargo xtask spec`: lists each row of the specification and each numbered fact with the tests that verify it.
//!
//! A test verifies a row if a comment such as `Shows: S-01, SCH-041` contains its ID. The comment is above a Rust test
//! or in its body, above a browser story, or in a scenario or lesson file. Other mentions do not count. Every ID that
//! is mentioned anywhere must be defined in the book (`docs/`); unknown IDs are errors. IDs in names of tests are
//! errors too, because a name must describe the behaviour.

use crate::host;
use crate::run::Fallible;
use crate::site::{files_under, read};
use std::collections::{BTreeMap, BTreeSet};

/// Files of the book (`docs/`) that define IDs. A line that begins with an ID defines it.
const BOOK_FILES: &[&str] = &[
    "docs/specification.md",
    "docs/facts/scheduler.md",
    "docs/facts/lifecycle.md",
    "docs/facts/controllers.md",
    "docs/facts/kubectl.md",
    "docs/facts/validation.md",
    "docs/facts/traffic.md",
    "docs/facts/http-api.md",
    "docs/facts/dra.md",
    "docs/facts/cluster-autoscaler.md",
];

/// Prefix of the IDs of each family, and the number of digits that follow.
const ID_FAMILIES: &[(&str, usize)] = &[
    ("P", 2),
    ("S", 2),
    ("L", 2),
    ("C", 2),
    ("V", 2),
    ("R", 2),
    ("F", 2),
    ("K", 2),
    ("T", 2),
    ("U", 2),
    ("E", 2),
    ("Q", 2),
    ("SCH", 3),
    ("LC", 3),
    ("CT", 3),
    ("KC", 3),
    ("VA", 3),
    ("TR", 3),
    ("HT", 3),
    ("DRA", 3),
    ("CA", 3),
];

/// Text in a comment before the IDs that its test verifies.
const SHOWS_PREFIX: &str = "Shows:";

/// Prints all rows with their tests; with `--missing` only the rows of the specification without a test, and the
/// counts.
pub(crate) fn report(args: &[String]) -> Fallible {
    let missing_only = args.iter().any(|a| a == "--missing");
    let sources = files_with_ids()?;
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut errors = Vec::new();
    for (file, text) in &sources {
        for (place, ids) in tests_with_ids(file, text) {
            for id in ids {
                shown.entry(id).or_default().insert(place.clone());
            }
        }
        errors.extend(test_name_errors(file, text));
        errors.extend(empty_list_errors(file, text));
    }

    let mut known = BTreeSet::new();
    for file in BOOK_FILES {
        let rows = id_rows(&read(&host::root().join(file))?);
        let n_shown = rows.iter().filter(|(id, _)| shown.contains_key(id)).count();
        for (id, title) in &rows {
            print_row(id, title, shown.get(id), missing_only, *file == BOOK_FILES[0]);
        }
        println!(
            "{file}: {n_shown} of {} rows are shown by a test, a story or a scenario",
            rows.len()
        );
        known.extend(rows.into_iter().map(|(id, _)| id));
    }

    for (file, text) in &sources {
        for (number, line) in text.lines().enumerate() {
            let unknown = ids_in(line).into_iter().filter(|id| !known.contains(id));
            errors.extend(unknown.map(|id| format!("{file}:{}: the book has no {id}", number + 1)));
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join("\n"))
    }
}

/// Prints a row of the specification, or a fact, and the tests that verify it.
fn print_row(id: &str, title: &str, places: Option<&BTreeSet<String>>, missing_only: bool, is_specification: bool) {
    if missing_only {
        if places.is_none() && is_specification {
            println!("{id}  {}", truncate(title, 100));
        }
        return;
    }
    println!("{id}  {}", truncate(title, 100));
    for place in places.into_iter().flatten() {
        println!("      {place}");
    }
    if places.is_none() && is_specification {
        println!("      (no test shows it)");
    }
}

/// Returns at most `length` characters of a text, with an ellipsis if more follow.
fn truncate(text: &str, length: usize) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(length).collect();
    if chars.next().is_some() {
        format!("{start}…")
    } else {
        start
    }
}

/// Returns the IDs at the beginning of lines (after Markdown markers) with the rest of their lines, in order.
fn id_rows(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start_matches(['|', '-', '*', '#', ' ']);
            let id = ids_in(line).into_iter().find(|id| line.starts_with(id.as_str()))?;
            let title = line[id.len()..].trim_start_matches(['*', ':', ' ', '|']);
            Some((id, title.trim_end_matches(['|', ' ']).to_string()))
        })
        .collect()
}

/// Returns the files that may mention IDs, with their text.
fn files_with_ids() -> Fallible<Vec<(String, String)>> {
    let root = host::root();
    let mut files: Vec<String> = ["README.md", "ARCHITECTURE.md", "index.html"].map(String::from).into();
    for dir in ["crates", "tests", "docs", "www", ".github"] {
        files.extend(files_under(&root, dir)?);
    }
    let is_source = |file: &String| {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_generated = ["/node_modules/", "/target/", "/pkg/"]
            .iter()
            .any(|dir| file.contains(dir));
        ["rs", "mjs", "js", "yaml", "yml", "md", "html", "css", "toml"].contains(&ending) && !is_generated
    };
    let files = files.into_iter().filter(is_source);
    files
        .map(|file| read(&root.join(&file)).map(|text| (file, text)))
        .collect()
}

/// Returns the tests of a file with the IDs that they verify. A test is a Rust test function, or the whole file of a
/// story, scenario or lesson.
fn tests_with_ids(file: &str, text: &str) -> Vec<(String, BTreeSet<String>)> {
    if file.ends_with("spec.rs") {
        return Vec::new(); // the tests of this file contain such comments as text
    }
    if file.ends_with(".rs") {
        let tests = test_functions(text).into_iter();
        return tests
            .map(|(name, body)| (format!("{file} {name}"), ids_in_shows_comments(&body)))
            .collect();
    }
    let is_test = [".mjs", ".yaml", ".yml"].iter().any(|ending| file.ends_with(ending));
    if is_test {
        vec![(file.to_string(), ids_in_shows_comments(text))]
    } else {
        Vec::new()
    }
}

/// Returns the IDs in the `Shows:` comments of a text.
fn ids_in_shows_comments(text: &str) -> BTreeSet<String> {
    shows_lists(text)
        .into_iter()
        .flat_map(|(_, list)| ids_in(&list))
        .collect()
}

/// Returns the text after `Shows:` in comments, with its line number. A list that ends with a comma continues in the
/// next line.
fn shows_lists(text: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| {
        let (_, comment) = line.split_once("//").or_else(|| line.split_once('#'))?;
        Some(comment.trim_start_matches(['/', '!', ' ']).to_string())
    };
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(comment_text) = comment(line) else { continue };
        let Some((_, list)) = comment_text.split_once(SHOWS_PREFIX) else {
            continue;
        };
        let mut list = list.to_string();
        while list.trim_end().ends_with(',') {
            let Some(more) = lines.next().and_then(|(_, line)| comment(line)) else {
                break;
            };
            list.push_str(&more);
        }
        found.push((number + 1, list));
    }
    found
}

/// Returns errors about `Shows:` comments without an ID.
fn empty_list_errors(file: &str, text: &str) -> Vec<String> {
    if file.ends_with(".md") || file.ends_with("spec.rs") {
        return Vec::new(); // Markdown files and this file describe such comments
    }
    let lists = shows_lists(text)
        .into_iter()
        .filter(|(_, list)| ids_in(list).is_empty());
    lists
        .map(|(number, _)| format!("{file}:{number}: `{SHOWS_PREFIX}` names no row"))
        .collect()
}

/// Returns errors about tests whose names contain an ID, which does not tell a reader what failed.
fn test_name_errors(file: &str, text: &str) -> Vec<String> {
    if !file.ends_with(".rs") {
        return Vec::new();
    }
    let tests = test_functions(text).into_iter().map(|(name, _)| name);
    tests
        .filter(|name| has_id(name))
        .map(|name| format!("{file}: {name} contains an ID in its name: move it into a comment"))
        .collect()
}

/// Returns name and text of each test function, including the comments above it.
fn test_functions(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_attribute_or_comment = |line: &str| line.starts_with("//") || line.starts_with("#[");
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if !(trimmed.starts_with("#[test]") || trimmed.starts_with("#[wasm_bindgen_test")) {
            continue;
        }
        let start = (0..i)
            .rev()
            .take_while(|&j| is_attribute_or_comment(lines[j].trim()))
            .last()
            .unwrap_or(i);
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

/// Returns the IDs in a text, such as `S-01` and `SCH-041`.
fn ids_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| is_id(word)).map(str::to_string).collect()
}

fn is_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(family, number)| {
        ID_FAMILIES.contains(&(family, number.len())) && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns whether the name of a function contains an ID, such as `s_01_…` or `sch041_…`.
fn has_id(name: &str) -> bool {
    let words: Vec<&str> = name.split('_').collect();
    let joined = words.windows(2).map(|pair| format!("{}-{}", pair[0], pair[1]));
    let whole = words.iter().map(|word| {
        let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
        format!("{}-{}", &word[..digits], &word[digits..])
    });
    joined.chain(whole).any(|word| is_id(&word.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::{empty_list_errors, has_id, id_rows, ids_in, ids_in_shows_comments, test_functions};

    #[test]
    fn only_ids_in_shows_comments_count_as_verified() {
        for (text, want) in [
            ("// Shows: S-01", "S-01"),
            ("    /// Shows: S-01, SCH-041.", "S-01 SCH-041"),
            (
                "/// A rule. Shows: TR-002, HT-001,\n/// DRA-003, R-01.\n/// See S-02.",
                "DRA-003 HT-001 R-01 TR-002",
            ),
            ("# Shows: L-03\n# L-04 is elsewhere.", "L-03"),
            ("// S-01: a rule", ""),
            ("let text = \"Shows: S-01\";", ""),
        ] {
            let found: Vec<String> = ids_in_shows_comments(text).into_iter().collect();
            assert_eq!(found.join(" "), want, "{text}");
        }
    }

    #[test]
    fn shows_comment_without_id_is_an_error() {
        assert_eq!(empty_list_errors("a.mjs", "x\n// Shows: nothing\n").len(), 1);
        assert!(empty_list_errors("a.mjs", "// Shows: S-01\n").is_empty());
    }

    #[test]
    fn partial_ids_are_ignored() {
        let found: Vec<String> = ids_in("S-01, SCH-104 and F-020; (P-02) LC-138 E-01. X-01 US-01 SHA-256")
            .into_iter()
            .collect();
        assert_eq!(found, ["E-01", "LC-138", "P-02", "S-01", "SCH-104"]);
    }

    #[test]
    fn ids_in_test_names_are_found() {
        let named = [
            "s_10_two_constraints",
            "a_page_u08",
            "va084_to_va103_containers",
            "sch_036_x",
        ];
        assert!(named.into_iter().all(has_id));
        let plain = ["grace_of_30_seconds", "v1_36_says_so", "a_1", "lc_is_no_number"];
        assert!(!plain.into_iter().any(has_id));
    }

    #[test]
    fn text_of_test_function_ends_at_closing_brace() {
        let text = "/// Q-01.\n#[test]\nfn a() {\n    if x {\n    }\n}\n\n// K-01 elsewhere\nfn b() {}\n";
        let found = test_functions(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "a");
        assert!(found[0].1.contains("Q-01") && !found[0].1.contains("K-01"));
    }

    #[test]
    fn only_lines_that_begin_with_an_id_are_rows() {
        let text =
            "| ID | requirement |\n| P-01 | A static site. |\ntext S-01\n- **LC-001** A pod.\nVA-003|Required|`x`\n";
        let found = id_rows(text);
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["P-01", "LC-001", "VA-003"]);
        assert_eq!((found[0].1.as_str(), found[1].1.as_str()), ("A static site.", "A pod."));
    }
}
