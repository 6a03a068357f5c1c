//! Image names, parsed like the kubelet does: the reference grammar of container registries with its error messages
//! (LC-238).

/// Maximum length of a repository path, in characters.
const MAX_REPOSITORY_PATH_LEN: usize = 255;

/// Checks the syntax of an image name, as the kubelet does before it looks for the image.
///
/// Deviation: a first path component that has upper-case letters but neither a dot nor a port is refused, as an invalid
/// user name. The real grammar accepts it as a host name, but no image can be pulled from such a host.
///
/// # Errors
/// The kubelet's message: `couldn't parse image name "A": invalid reference format: …`.
pub fn check_image_name(image: &str) -> Result<(), String> {
    check_image_reference(image).map_err(|why| format!("couldn't parse image name {image:?}: {why}"))
}

fn check_image_reference(image: &str) -> Result<(), String> {
    let is_identifier = |c: char| matches!(c, 'a'..='f' | '0'..='9');
    if image.len() == 64 && image.chars().all(is_identifier) {
        return Err(format!(
            "invalid repository name ({image}), cannot specify 64-byte hexadecimal strings"
        ));
    }
    let (domain, remainder) = match image.split_once('/') {
        Some((host, rest)) if host == "localhost" || host.contains(['.', ':']) => (host, rest),
        _ => ("docker.io", image),
    };
    let remote = remainder.split_once(':').map_or(remainder, |(remote, _)| remote);
    if remote.chars().any(char::is_uppercase) {
        return Err(format!(
            "invalid reference format: repository name ({remote}) must be lowercase"
        ));
    }
    if !is_image_reference(&format!("{domain}/{remainder}")) {
        return Err("invalid reference format".to_owned());
    }
    let (named, digest) = split_digest(remainder);
    let path = split_tag(named).0;
    let prefix = if domain == "docker.io" && !path.contains('/') {
        "library/".len()
    } else {
        0
    };
    if path.len() + prefix > MAX_REPOSITORY_PATH_LEN {
        return Err(format!(
            "repository name must not be more than {MAX_REPOSITORY_PATH_LEN} characters"
        ));
    }
    digest.map_or(Ok(()), check_digest)
}

/// Checks that the algorithm of a digest is known and that the digest's value has the length that the algorithm
/// requires.
fn check_digest(digest: &str) -> Result<(), String> {
    let (algorithm, hex) = digest.split_once(':').unwrap_or((digest, ""));
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err("unsupported digest algorithm".to_owned()),
    };
    if hex.len() != length {
        return Err("invalid checksum digest length".to_owned());
    }
    if !hex.chars().all(|c| matches!(c, 'a'..='f' | '0'..='9')) {
        return Err("invalid checksum digest format".to_owned());
    }
    Ok(())
}

fn split_digest(text: &str) -> (&str, Option<&str>) {
    text.split_once('@')
        .map_or((text, None), |(named, digest)| (named, Some(digest)))
}

fn split_tag(named: &str) -> (&str, Option<&str>) {
    match named.rsplit_once(':') {
        Some((name, tag)) if !tag.contains(['/', ']']) => (name, Some(tag)),
        _ => (named, None),
    }
}

/// Returns whether the text is an image reference: `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`.
pub fn is_image_reference(text: &str) -> bool {
    let (named, digest) = split_digest(text);
    let (name, tag) = split_tag(named);
    is_repository_name(name) && tag.is_none_or(is_image_tag) && digest.is_none_or(is_image_digest)
}

fn is_repository_name(name: &str) -> bool {
    let is_path = |path: &str| path.split('/').all(is_path_component);
    is_path(name)
        || name
            .split_once('/')
            .is_some_and(|(host, path)| is_registry_host(host) && is_path(path))
}

/// Returns whether a path component is valid: lower-case letters and digits, separated by a dot, one or two
/// underscores, or hyphens.
fn is_path_component(part: &str) -> bool {
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

fn is_registry_host(host: &str) -> bool {
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
    let is_address = |name: &str| {
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(|c| c.is_ascii_hexdigit() || c == ':'))
    };
    // The colons of an IPv6 address in brackets do not separate a port.
    if is_address(host) {
        return true;
    }
    (is_address(name) || name.split('.').all(is_label)) && port.is_none_or(is_number)
}

fn is_image_tag(tag: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    tag.len() <= 128
        && tag.chars().next().is_some_and(is_word)
        && tag.chars().all(|c| is_word(c) || matches!(c, '.' | '-'))
}

fn is_image_digest(digest: &str) -> bool {
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
    fn image_references_are_recognized() {
        for text in [
            "nginx",
            "nginx:1.27",
            "a/b_c/d--e:T.1",
            "localhost:5000/x",
            "Reg.io/x/y:1",
            "x@sha256:0123456789abcdef0123456789abcdef",
        ] {
            assert!(is_image_reference(text), "{text}");
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
            assert!(!is_image_reference(text), "{text}");
        }
    }

    /// Invalid image names are reported with the kubelet's messages (LC-238).
    #[test]
    fn invalid_image_names_get_the_kubelets_message() {
        let long = "a/".repeat(130) + "b";
        let hex = "0123456789abcdef".repeat(4);
        let digest = format!("x@sha256:{hex}");
        for image in [
            "app",
            "app:1",
            "a/b/c:T",
            "localhost/x",
            "reg:5000/x",
            "Reg.io/x",
            "[::1]:5000/x",
            &digest,
        ] {
            assert_eq!(check_image_name(image), Ok(()), "{image}");
        }
        for (image, why) in [
            (
                "MyRepo/app:1.0",
                "invalid reference format: repository name (MyRepo/app) must be lowercase",
            ),
            (
                "reg:5000/MyApp",
                "invalid reference format: repository name (MyApp) must be lowercase",
            ),
            ("repo/app:${TAG}", "invalid reference format"),
            ("https://reg.io/app:1", "invalid reference format"),
            ("app:", "invalid reference format"),
            ("app@sha256:abc", "invalid reference format"),
            (
                "app@sha256:0123456789abcdef0123456789abcdef",
                "invalid checksum digest length",
            ),
            (
                "app@md5:0123456789abcdef0123456789abcdef",
                "unsupported digest algorithm",
            ),
            (&long, "repository name must not be more than 255 characters"),
            (
                &hex,
                &format!("invalid repository name ({hex}), cannot specify 64-byte hexadecimal strings"),
            ),
        ] {
            let message = format!("couldn't parse image name {image:?}: {why}");
            assert_eq!(check_image_name(image), Err(message));
        }
    }
}
