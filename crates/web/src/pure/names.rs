//! Shortens names: without the default namespace, and to the available width.

/// Returns the key of an object, without the namespace if it is `default`.
pub(crate) fn without_default_namespace(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}

/// Shortens a name to at most `letters` characters. The middle is cut out, because the end distinguishes the pods of
/// one owner.
pub(crate) fn shortened(name: &str, letters: usize) -> String {
    let all: Vec<char> = name.chars().collect();
    let letters = letters.max(5);
    if all.len() <= letters {
        return name.to_owned();
    }
    let tail = name.rsplit('-').next().map_or(0, |last| last.chars().count());
    let tail = tail.clamp(2, 5).min(letters - 3);
    let head: String = all[..letters - tail - 1].iter().collect();
    let end: String = all[all.len() - tail..].iter().collect();
    format!("{}…{end}", head.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_keeps_its_beginning_and_end() {
        for (name, letters, expected) in [
            ("web-0", 12, "web-0"),
            ("web-5d8f7c9b-x2k9z", 12, "web-5d…x2k9z"),
            ("web-5d8f7c9b-x2k9z", 10, "web…x2k9z"),
            ("a-very-long-name-0", 8, "a-ver…-0"),
            ("nohyphenatall", 3, "no…ll"),
        ] {
            let shortened = shortened(name, letters);
            assert_eq!(shortened, expected);
            assert!(shortened.chars().count() <= letters.max(5));
        }
    }
}
