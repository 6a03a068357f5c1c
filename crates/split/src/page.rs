//! Cuts the page's wasm by a list of the functions that a first visit does not need.
//!
//! The page cannot run without a browser, so a build does not find out which functions a first visit runs. Instead the
//! repository contains a list of what a first visit does not need (`crates/web/unneeded-at-first.txt`), which `cargo
//! xtask profile` writes. A line is the *path* of a module, type or function of which nothing ran in a recorded visit:
//! every function whose name contains the path belongs to the rest. A line that begins with `= ` has the whole name of
//! one function that did not run. Functions that the list does not mention, such as new code, stay in the first part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fmt, fs};

use crate::module::Module;
use crate::names::{parent_path, paths_in};
use crate::{Fallible, cut, read, with_short_callees, write};

/// Minimum number of bytes of function bodies that a line of the list removes from the first part. A smaller minimum
/// would make the list longer and the first part hardly smaller.
const MIN_BYTES_PER_LINE: usize = 300;

/// Replaces the page's wasm by its first part, and writes the rest. `list` is the file of the paths that a first visit
/// does not need.
///
/// # Errors
/// A file cannot be read or written, or the wasm cannot be cut.
pub(crate) fn cut(wasm: &Path, list: &Path, rest: &Path) -> Fallible {
    let bytes = read(wasm)?;
    let module = Module::parse(&bytes)?;
    let lines = fs::read_to_string(list).map_err(|e| format!("{}: {e}", list.display()))?;
    let unneeded = UnneededPaths::parse(&lines);
    let unmatched = unneeded.unmatched_lines(module.defined_functions().map(|function| module.name(function)));
    if !unmatched.is_empty() {
        eprintln!(
            "{}: {} of {} lines match no function, such as `{}`; `cargo xtask profile` writes the list again",
            list.display(),
            unmatched.len(),
            lines.lines().count(),
            unmatched[0],
        );
    }
    let kept = functions_of_first_part(&module, &unneeded);
    if kept.len() == module.bodies.len() {
        return Err(format!("{} excludes nothing: has the module no names?", wasm.display()));
    }
    let (first_part, rest_part) = cut::cut(&module, &kept)?;
    write(wasm, &first_part)?;
    write(rest, &rest_part)
}

/// Prefix of a line of the list that has the whole name of a function.
const WHOLE_NAME_PREFIX: &str = "= ";

/// The list of the functions that a first visit does not need.
#[derive(Debug, Default)]
struct UnneededPaths<'a> {
    paths: BTreeSet<&'a str>,
    /// Whole names of functions.
    names: BTreeSet<&'a str>,
}

impl<'a> UnneededPaths<'a> {
    fn parse(list: &'a str) -> Self {
        let mut unneeded = Self::default();
        for line in list.lines() {
            match line.strip_prefix(WHOLE_NAME_PREFIX) {
                Some(name) => unneeded.names.insert(name),
                None => unneeded.paths.insert(line),
            };
        }
        unneeded
    }

    fn contains(&self, name: &str) -> bool {
        self.names.contains(name) || !paths_in(name).is_disjoint(&self.paths)
    }

    /// Returns the paths and names of the list that match none of these functions, because the functions were renamed or
    /// removed since the list was written.
    fn unmatched_lines<'f>(&'f self, functions: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
        let names: BTreeSet<&str> = functions.collect();
        let paths: BTreeSet<&str> = names.iter().flat_map(|name| paths_in(name)).collect();
        let unmatched = self.paths.difference(&paths).chain(self.names.difference(&names));
        unmatched.copied().collect()
    }
}

impl fmt::Display for UnneededPaths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.paths.iter().try_for_each(|path| writeln!(f, "{path}"))?;
        self.names
            .iter()
            .try_for_each(|name| writeln!(f, "{WHOLE_NAME_PREFIX}{name}"))
    }
}

/// Returns the functions of the first part: those that the list does not mention, except functions that only the rest
/// calls.
fn functions_of_first_part(module: &Module<'_>, unneeded: &UnneededPaths<'_>) -> BTreeSet<u32> {
    let is_needed = |function: &u32| !unneeded.contains(module.name(*function));
    let mut needed: BTreeSet<u32> = module.defined_functions().filter(is_needed).collect();
    let roots = module.functions_exported_or_in_table();
    loop {
        let callees = needed.iter().flat_map(|function| module.callees(*function));
        let called: BTreeSet<u32> = callees.copied().collect();
        let n_before = needed.len();
        needed.retain(|function| roots.contains(function) || called.contains(function));
        if needed.len() == n_before {
            return with_short_callees(module, needed);
        }
    }
}

/// Prints the list for the functions that ran in a first visit. `ran` is a file with the indexes of their bodies.
///
/// # Errors
/// A file cannot be read, or the wasm is not valid.
pub(crate) fn print_unneeded(wasm: &Path, ran: &Path) -> Fallible {
    let bytes = read(wasm)?;
    let module = Module::parse(&bytes)?;
    let ran: Vec<usize> = serde_json::from_slice(&read(ran)?).map_err(|e| format!("{}: {e}", ran.display()))?;
    let ran: BTreeSet<u32> = ran.into_iter().map(|body| module.function_of_body(body)).collect();
    let list = list_unneeded(&module, &ran);
    if let Some(lost) = ran.difference(&functions_of_first_part(&module, &list)).next() {
        return Err(format!("the list excludes `{}`, which ran", module.name(*lost)));
    }
    print!("{list}");
    Ok(())
}

/// Paths of functions that report a panic. They stay in the first part, because a panic can occur before the rest is
/// loaded.
const PANIC_REPORTING_PATHS: [&str; 3] = ["core::panicking", "std::panicking", "console_error_panic_hook"];

/// Prefixes of paths that the list must not contain, because new code may use any part of the standard library.
const STANDARD_LIBRARY_PREFIXES: [&str; 3] = ["core::", "alloc::", "std::"];

/// Returns the list of the functions that did not run, by their shortest paths: if no function of a module or of a type
/// ran, the list has the path of the module or the type instead of longer ones.
fn list_unneeded<'a>(module: &'a Module<'_>, ran: &BTreeSet<u32>) -> UnneededPaths<'a> {
    // Compare names, because several functions may have the same name, such as the visitors of two variants of an enum.
    let ran_names: BTreeSet<&str> = ran.iter().map(|function| module.name(*function)).collect();
    let ran_paths: BTreeSet<&str> = ran_names.iter().flat_map(|name| paths_in(name)).collect();
    let mut bytes_of_paths: BTreeMap<&str, usize> = BTreeMap::new();
    let mut bytes_of_names: BTreeMap<&str, usize> = BTreeMap::new();
    for function in module.defined_functions().filter(|function| !ran.contains(function)) {
        let (name, bytes) = (module.name(function), module.body_bytes(function));
        if PANIC_REPORTING_PATHS.iter().any(|path| name.contains(path)) {
            continue;
        }
        let mut unneeded: BTreeSet<&str> = paths_in(name).difference(&ran_paths).copied().collect();
        unneeded.retain(|path| {
            !STANDARD_LIBRARY_PREFIXES
                .iter()
                .any(|library| path.starts_with(library))
        });
        // If the list contains `a::b`, a line `a::b::c` would be redundant.
        let is_shortest = |path: &&&str| parent_path(path).is_none_or(|parent| !unneeded.contains(parent));
        for path in unneeded.iter().filter(is_shortest) {
            *bytes_of_paths.entry(path).or_default() += bytes;
        }
        if unneeded.is_empty() && !ran_names.contains(name) {
            *bytes_of_names.entry(name).or_default() += bytes;
        }
    }
    let large = |lines: BTreeMap<&'a str, usize>| {
        let large = lines.into_iter().filter(|(_, bytes)| *bytes >= MIN_BYTES_PER_LINE);
        large.map(|(line, _)| line).collect()
    };
    UnneededPaths {
        paths: large(bytes_of_paths),
        names: large(bytes_of_names),
    }
}

#[cfg(test)]
mod tests {
    use super::UnneededPaths;

    #[test]
    fn lines_without_a_function_are_reported() {
        let list = UnneededPaths::parse("web::share::film\nweb::gone\n= web::start\n= web::renamed\n");
        let functions = ["<web::share::film::Film as Drop>::drop", "web::start", "web::new_name"];
        assert_eq!(
            list.unmatched_lines(functions.into_iter()),
            ["web::gone", "web::renamed"]
        );
        assert!(list.contains("web::share::film::record"));
    }
}
