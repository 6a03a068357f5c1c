//! Names of images, as the reference grammar of container registries has them.

/// Whether a text is a reference: `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`.
pub(super) fn is_reference(text: &str) -> bool {
    let (named, digest) = text
        .split_once('@')
        .map_or((text, None), |(named, digest)| (named, Some(digest)));
    let (name, tag) = match named.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (named, None),
    };
    is_name(name) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest)
}

fn is_name(name: &str) -> bool {
    let is_path = |path: &str| path.split('/').all(is_component);
    is_path(name)
        || name
            .split_once('/')
            .is_some_and(|(host, path)| is_host(host) && is_path(path))
}

/// Lower-case letters and digits; a dot, one or two low lines or hyphens in between.
fn is_component(part: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_separator = |text: &str| matches!(text, "." | "_" | "__") || text.chars().all(|c| c == '-');
    let mut rest = part;
    loop {
        let after = rest.trim_start_matches(is_plain);
        if after.len() == rest.len() {
            return false;
        }
        if after.is_empty() {
            return true;
        }
        let next = after.trim_start_matches(['.', '_', '-']);
        let separator = after.strip_suffix(next).unwrap_or_default();
        if separator.is_empty() || !is_separator(separator) {
            return false;
        }
        rest = next;
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = host
        .rsplit_once(':')
        .map_or((host, None), |(name, port)| (name, Some(port)));
    let is_label = |label: &str| {
        let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        is_edge(label.chars().next())
            && is_edge(label.chars().next_back())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let is_number = |port: &str| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    name.split('.').all(is_label) && port.is_none_or(is_number)
}

fn is_tag(tag: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    tag.len() <= 128
        && tag.chars().next().is_some_and(is_word)
        && tag.chars().all(|c| is_word(c) || matches!(c, '.' | '-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return false;
    };
    let is_word = |word: &str| {
        word.chars().next().is_some_and(|c| c.is_ascii_alphabetic()) && word.chars().all(|c| c.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(is_word) && hex.len() >= 32 && hex.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_from_other_texts() {
        for text in [
            "nginx",
            "nginx:1.27",
            "a/b_c/d--e:T.1",
            "localhost:5000/x",
            "Reg.io/x/y:1",
            "x@sha256:0123456789abcdef0123456789abcdef",
        ] {
            assert!(is_reference(text), "{text}");
        }
        for text in [
            "",
            "a b",
            "A",
            "a:",
            "a//b",
            "a..b",
            "-a",
            "a-",
            "x@sha256:abc",
            "a:b:c",
            "/a",
        ] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
