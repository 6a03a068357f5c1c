//! Finds the Rust paths in the names of functions.
//!
//! A name is demangled Rust, such as `<podscope_web::app::App as yew::BaseComponent>::view`. Its paths are
//! `podscope_web::app::App` and `yew::BaseComponent`.

use std::collections::BTreeSet;

/// Removes the hashes of crates, such as `[1f6e3a9e067186a1]`, which change with the compiler.
pub(crate) fn without_hashes(name: &str) -> String {
    let mut parts = name.split('[');
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, after)) if !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                clean.push_str(after);
            }
            _ => {
                clean.push('[');
                clean.push_str(part);
            }
        }
    }
    clean
}

/// Returns the paths in a name that begin with a crate, and all their prefixes of at least two segments: for `a::b::c`,
/// `a::b` and `a::b::c`. A path ends before a closure, because closures are numbered.
pub(crate) fn paths_in(name: &str) -> BTreeSet<&str> {
    let mut paths = BTreeSet::new();
    for path in name.split(|c: char| !(c.is_alphanumeric() || "_:{}#".contains(c))) {
        // In `<T>::method`, the path of the method begins with a type, not with a crate.
        if path.starts_with("::") {
            continue;
        }
        let path = path.find("::{").map_or(path, |end| &path[..end]).trim_matches(':');
        let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
        paths.extend(ends.skip(1).map(|end| &path[..end]));
    }
    paths
}

/// Returns the path without its last segment, if at least two segments are left.
pub(crate) fn parent_path(path: &str) -> Option<&str> {
    let (parent, _) = path.rsplit_once("::")?;
    parent.contains("::").then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::{parent_path, paths_in, without_hashes};

    #[test]
    fn paths_in_name_include_prefixes_and_exclude_hashes() {
        let name = without_hashes("<web[7220a5]::app::App as yew[1f]::Component>::view::{closure#1}::<[u8]>");
        assert_eq!(name, "<web::app::App as yew::Component>::view::{closure#1}::<[u8]>");
        let paths: Vec<&str> = paths_in(&name).into_iter().collect();
        assert_eq!(paths, ["web::app", "web::app::App", "yew::Component"]);
    }

    #[test]
    fn parent_path_has_at_least_two_segments() {
        assert_eq!(parent_path("a::b::c"), Some("a::b"));
        assert_eq!(parent_path("a::b"), None);
    }
}
