//! Compiles `locales/LANGUAGE/*.ftl` (Fluent).
//!
//! The English files define the Rust items: one module per file, and one item per message with its arguments as named
//! fields. If another language has a message that English lacks, or a message with an unknown argument, the build
//! fails. A message that another language lacks is shown in English. Each language becomes one text of patterns in the
//! order of the English messages (the form is described in `src/pattern.rs`).
//!
//! The folders define the languages: the name of a folder is the code of a language, and the message `name` in the
//! folder's `language.ftl` is the language's own name.

// A build script does not run in the engine, so it may use the maps of std.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Control characters in compiled patterns: start of an argument, start of a selection, end of a variant's key, end of
/// a variant, end of a selection.
const PATTERN_MARKS: [char; 5] = ['\u{1}', '\u{2}', '\u{3}', '\u{4}', '\u{5}'];

/// Code of the language that the others are translated from.
const SOURCE_LANGUAGE: &str = "en";

/// Code of the pseudo-locale.
const PSEUDO: &str = "en-XA";

/// A parsed Fluent message.
struct Message {
    arguments: BTreeMap<String, bool>,
    /// The text for the documentation of the Rust item.
    documentation: String,
    pattern: Pattern<String>,
}

type MessagesById = BTreeMap<String, Message>;

/// The messages of a language, by file name without extension.
type MessagesByFile = BTreeMap<String, MessagesById>;

fn main() {
    println!("cargo::rerun-if-changed=locales");
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env("OUT_DIR"));
    let mut languages = read_languages(&root.join("locales"));
    let (_, english) = languages.remove(0);
    let mut rust = message_items_source(&english);
    rust.push_str(&language_constants(&english, &languages));
    write(&out.join("messages.rs"), &rust);
    let plain = |text: &str| text.to_owned();
    write(&out.join("en.txt"), &compile_language(&english, &english, plain));
    write(
        &out.join(format!("{PSEUDO}.txt")),
        &compile_language(&english, &english, pseudo_localized),
    );
    for (language, files) in &languages {
        check_against_english(language, files, &english);
        write(
            &out.join(format!("{language}.txt")),
            &compile_language(&english, files, plain),
        );
    }
}

/// Reads the messages of all languages; returns them with language codes, English first, the others sorted by code.
fn read_languages(locales: &Path) -> Vec<(String, MessagesByFile)> {
    let entries = std::fs::read_dir(locales).unwrap_or_else(|error| panic!("{}: {error}", locales.display()));
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut codes: Vec<String> = folders
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .collect();
    codes.sort_by_key(|code| (code != SOURCE_LANGUAGE, code.clone()));
    assert_eq!(
        codes.first().map(String::as_str),
        Some(SOURCE_LANGUAGE),
        "{}",
        locales.display()
    );
    let files = |code: String| {
        let files = read_language(&locales.join(&code));
        (code, files)
    };
    codes.into_iter().map(files).collect()
}

/// Fails the build if a translation has a message or an argument that English does not have.
fn check_against_english(language: &str, files: &MessagesByFile, english: &MessagesByFile) {
    for (file, messages) in files {
        for (id, message) in messages {
            let Some(source) = english.get(file).and_then(|file| file.get(id)) else {
                panic!("locales/{language}/{file}.ftl: there is no English message {id}");
            };
            for (argument, is_number) in &message.arguments {
                let Some(is_number_in_english) = source.arguments.get(argument) else {
                    panic!("locales/{language}/{file}.ftl: {id} has no argument ${argument}");
                };
                assert!(
                    *is_number_in_english || !is_number,
                    "locales/{language}/{file}.ftl: {id} selects by number, but ${argument} is a text in English"
                );
            }
        }
    }
}

/// Generates the Rust constants that list the languages.
fn language_constants(english: &MessagesByFile, languages: &[(String, MessagesByFile)]) -> String {
    let (mut names, mut texts) = (String::new(), String::new());
    for (code, files) in
        std::iter::once((SOURCE_LANGUAGE, english)).chain(languages.iter().map(|(code, files)| (&**code, files)))
    {
        let name = files.get("language").and_then(|file| file.get("name"));
        let Some(name) = name else {
            panic!("locales/{code}/language.ftl: the message `name` is missing");
        };
        let _ = writeln!(names, "    ({code:?}, {:?}),", name.documentation);
    }
    for code in languages.iter().map(|(code, _)| &**code).chain([PSEUDO]) {
        let _ = writeln!(
            texts,
            "    ({code:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/{code}.txt\"))),"
        );
    }
    format!(
        "/// The languages: code in links, options and files, and the language's own name. English is the first.\n\
         pub const LANGUAGES: &[(&str, &str)] = &[\n{names}];\n\
         /// The pseudo-locale: English with accents, a third longer. Text that is not a message is unchanged.\n\
         pub const PSEUDO: &str = {PSEUDO:?};\n\
         /// Compiled messages of the languages other than English, and of the pseudo-locale, by code.\n\
         #[cfg(feature = \"all\")]\n\
         pub const COMPILED: &[(&str, &str)] = &[\n{texts}];\n"
    )
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn write(path: &Path, text: &str) {
    if let Err(error) = std::fs::write(path, text) {
        panic!("{}: {error}", path.display());
    }
}

/// Reads the files of a language, by file name without extension.
fn read_language(folder: &Path) -> MessagesByFile {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".ftl").map(str::to_owned))
        else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        files.insert(name, parse_resource(&path, text));
    }
    files
}

/// Parses the messages of a Fluent file.
fn parse_resource(path: &Path, text: String) -> MessagesById {
    let parsed = match fluent_syntax::parser::parse(text) {
        Ok(parsed) => parsed,
        Err((_, errors)) => panic!("{}: {errors:?}", path.display()),
    };
    let mut messages = MessagesById::new();
    for entry in parsed.body {
        let message = match entry {
            Entry::Message(message) => message,
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => continue,
            other => panic!(
                "{}: only messages and comments are supported: {other:?}",
                path.display()
            ),
        };
        let id = message.id.name;
        let Some(pattern) = message.value.filter(|_| message.attributes.is_empty()) else {
            panic!("{}: {id}: a message has a value and no attributes", path.display());
        };
        let mut arguments = BTreeMap::new();
        collect_arguments(&pattern, &mut arguments).unwrap_or_else(|what| panic!("{}: {id}: {what}", path.display()));
        let message = Message {
            arguments,
            documentation: documentation_text(&pattern),
            pattern,
        };
        assert!(
            messages.insert(id.clone(), message).is_none(),
            "{}: {id} stands twice",
            path.display()
        );
    }
    messages
}

/// Collects the names of a pattern's arguments; the value is true if the argument selects a plural form. Fluent syntax
/// that this project does not use is an error.
fn collect_arguments(pattern: &Pattern<String>, into: &mut BTreeMap<String, bool>) -> Result<(), String> {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        match expression {
            Expression::Inline(InlineExpression::VariableReference { id }) => {
                into.entry(id.name.clone()).or_default();
            }
            Expression::Inline(InlineExpression::StringLiteral { .. }) => {}
            Expression::Select { selector, variants } => {
                let by_number = variants.iter().any(|variant| match &variant.key {
                    VariantKey::NumberLiteral { .. } => true,
                    VariantKey::Identifier { name } => ["zero", "one", "two", "few", "many"].contains(&name.as_str()),
                });
                let only_other = variants.len() == 1;
                let InlineExpression::VariableReference { id } = selector else {
                    return Err(format!("a selector is an argument, not {selector:?}"));
                };
                *into.entry(id.name.clone()).or_default() |= by_number || only_other;
                for variant in variants {
                    collect_arguments(&variant.value, into)?;
                }
            }
            Expression::Inline(other) => return Err(format!("not supported: {other:?}")),
        }
    }
    Ok(())
}

/// Formats a message for the documentation of its Rust item.
fn documentation_text(pattern: &Pattern<String>) -> String {
    let mut text = String::new();
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => text.push_str(value),
            PatternElement::Placeable { expression } => match expression {
                Expression::Inline(InlineExpression::VariableReference { id }) => {
                    let _ = write!(text, "{{{}}}", id.name);
                }
                Expression::Inline(InlineExpression::StringLiteral { value }) => text.push_str(value),
                Expression::Select { variants, .. } => {
                    let last = variants.iter().find(|variant| variant.default);
                    text.push_str(
                        &last
                            .map(|variant| documentation_text(&variant.value))
                            .unwrap_or_default(),
                    );
                }
                Expression::Inline(_) => {}
            },
        }
    }
    text
}

fn rust_name(id: &str) -> String {
    id.replace('-', "_")
}

/// Generates the Rust items of all messages.
fn message_items_source(english: &MessagesByFile) -> String {
    let mut rust = String::new();
    let mut first = 0;
    for (file, messages) in english {
        let module = rust_name(file);
        let patterns = messages
            .values()
            .map(|message| compile_message(message, message, |text| text.to_owned()));
        let text: String = patterns.collect();
        let _ = writeln!(
            rust,
            "/// Messages of `locales/en/{file}.ftl`.\npub mod {module} {{\n    \
             static FILE: crate::File = crate::File {{ first: {first}, english: {text:?} }};"
        );
        let mut sentences = String::new();
        for (index, (id, message)) in messages.iter().enumerate() {
            let name = rust_name(id);
            if !message.arguments.is_empty() {
                sentences.push_str(&message_struct_source(&name, index, message));
            }
            for line in message.documentation.lines().filter(|line| !line.trim().is_empty()) {
                let _ = writeln!(rust, "    /// {}", line.replace('[', "\\[").replace('<', "\\<"));
            }
            if message.arguments.is_empty() {
                let _ = writeln!(
                    rust,
                    "    pub const {name}: crate::Message = crate::Message(&FILE, {index});"
                );
            } else {
                let _ = writeln!(rust, "    pub struct {name}<'a> {{");
                let mut list = String::new();
                for (argument, is_number) in &message.arguments {
                    let argument = rust_name(argument);
                    let kind = if *is_number {
                        "crate::Number"
                    } else {
                        "std::fmt::Display"
                    };
                    let _ = writeln!(rust, "        pub {argument}: &'a dyn {kind},");
                    let variant = if *is_number { "Number" } else { "Text" };
                    let _ = write!(list, "crate::Argument::{variant}(self.{argument}), ");
                }
                let _ = writeln!(rust, "    }}\n    impl {name}<'_> {{");
                let _ = writeln!(
                    rust,
                    "        pub fn text(&self) -> String {{ crate::format(&FILE, {index}, &[{list}]) }}\n    }}"
                );
            }
        }
        first += messages.len();
        if !sentences.is_empty() {
            let _ = writeln!(
                rust,
                "    /// The messages with arguments, to be sent.\n    pub mod sentences {{\n{sentences}    }}"
            );
        }
        rust.push_str("}\n");
    }
    let _ = writeln!(rust, "/// Number of messages.\npub const N_MESSAGES: usize = {first};");
    let ids: String = english
        .iter()
        .flat_map(|(file, messages)| messages.keys().map(move |id| format!("    (\"{file}\", \"{id}\"),\n")))
        .collect();
    let _ = writeln!(
        rust,
        "/// File and identifier of each message.\n#[cfg(feature = \"all\")]\npub const IDS: &[(&str, &str)] = &[\n{ids}];"
    );
    rust
}

/// Generates the struct of a message with arguments, with methods that format it.
fn message_struct_source(name: &str, index: usize, message: &Message) -> String {
    let (mut fields, mut list) = (String::new(), String::new());
    for (argument, is_number) in &message.arguments {
        let argument = rust_name(argument);
        let (kind, value) = if *is_number {
            ("Count", ".into()")
        } else {
            ("Value", "")
        };
        let _ = write!(fields, "pub {argument}: crate::{kind}, ");
        let _ = write!(list, "self.{argument}{value}, ");
    }
    format!(
        "        pub struct {name} {{ {fields}}}\n        impl {name} {{\n            \
         pub fn sentence(self) -> crate::Sentence {{ crate::Sentence::of(&super::FILE, {index}, vec![{list}]) }}\n        }}\n"
    )
}

/// Compiles the patterns of a language in the order of the English messages, each with a NUL at its end. A message that
/// the language lacks is an empty pattern.
fn compile_language(english: &MessagesByFile, language: &MessagesByFile, convert_text: fn(&str) -> String) -> String {
    let mut all = String::new();
    for (file, messages) in english {
        for (id, source) in messages {
            match language.get(file).and_then(|file| file.get(id)) {
                Some(message) => all.push_str(&compile_message(source, message, convert_text)),
                None => all.push('\0'),
            }
        }
    }
    all
}

/// Compiles the pattern of a message, with a NUL at its end. `source` is the English message, which defines the order
/// of the arguments.
fn compile_message(source: &Message, message: &Message, convert_text: fn(&str) -> String) -> String {
    let order: Vec<&String> = source.arguments.keys().collect();
    let mut compiled = String::new();
    compile_pattern(&message.pattern, &order, convert_text, &mut compiled);
    compiled.push('\0');
    compiled
}

/// Appends the compiled form of a pattern to `into`; `order` gives the index of each argument.
fn compile_pattern(pattern: &Pattern<String>, order: &[&String], convert_text: fn(&str) -> String, into: &mut String) {
    let index = |name: &str| {
        let at = order.iter().position(|argument| *argument == name).unwrap_or_default();
        char::from(b'0'.saturating_add(u8::try_from(at).unwrap_or(u8::MAX)))
    };
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => into.push_str(&convert_text(value)),
            PatternElement::Placeable { expression } => match expression {
                Expression::Inline(InlineExpression::VariableReference { id }) => {
                    into.extend([PATTERN_MARKS[0], index(&id.name)]);
                }
                Expression::Inline(InlineExpression::StringLiteral { value }) => into.push_str(value),
                Expression::Select { selector, variants } => {
                    if let InlineExpression::VariableReference { id } = selector {
                        into.extend([PATTERN_MARKS[1], index(&id.name)]);
                    }
                    for variant in variants {
                        let key = match &variant.key {
                            VariantKey::Identifier { name } if !variant.default => name.as_str(),
                            VariantKey::NumberLiteral { value } if !variant.default => value.as_str(),
                            _ => "",
                        };
                        into.push_str(key);
                        into.push(PATTERN_MARKS[2]);
                        compile_pattern(&variant.value, order, convert_text, into);
                        into.push(PATTERN_MARKS[3]);
                    }
                    into.push(PATTERN_MARKS[4]);
                }
                Expression::Inline(_) => {}
            },
        }
    }
}

/// Converts English text to the pseudo-locale: adds accents, and makes it a third longer. Code in backticks is
/// unchanged.
fn pseudo_localized(text: &str) -> String {
    let accents: BTreeMap<char, char> = "aáeéiíoóuúyýcçnñsšzžAÁEÉIÍOÓUÚCÇNÑSŠ"
        .chars()
        .collect::<Vec<char>>()
        .chunks(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    let vowels: BTreeSet<char> = "aeou".chars().collect();
    let mut is_code = false;
    let mut out = String::new();
    for letter in text.chars() {
        if letter == '`' {
            is_code = !is_code;
        }
        if is_code {
            out.push(letter);
            continue;
        }
        let accented = accents.get(&letter).copied().unwrap_or(letter);
        out.push(accented);
        if vowels.contains(&letter) {
            out.push(accented);
        }
    }
    out
}
