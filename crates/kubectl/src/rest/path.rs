//! URLs of the API server: groups, versions, namespaces, resources, names, subresources, parameters (HT-011 to HT-018).

/// Parsed path of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiPath {
    /// API version: `v1`, `apps/v1`.
    pub api_version: String,
    /// Plural name: `pods`.
    pub resource: String,
    /// Namespace; empty for cluster-scoped objects and for all namespaces.
    pub namespace: String,
    /// Name of the object; empty for a collection.
    pub name: String,
    /// Subresource: `status`, `scale`, `log`; empty for the object itself.
    pub subresource: String,
    /// Rest of the path after the subresource, such as the requested path of `proxy`.
    pub rest: String,
    /// Whether the path has the deprecated form with `/watch/` before the resource.
    pub is_watch: bool,
    pub query: Query,
}

/// Query parameters: names and decoded values, in the order of the URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the text after the question mark.
    #[must_use]
    pub fn of(text: &str) -> Query {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Query(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (percent_decoded(name, true), percent_decoded(value, true))
                })
                .collect(),
        )
    }

    /// Returns the first value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all values of a parameter.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        let found = self.0.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns whether a parameter is present and not false; accepts the spellings of Go and Python.
    #[must_use]
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| !matches!(value, "false" | "False" | "FALSE" | "0" | "f" | "F"))
    }
}

/// Decodes percent-encoding. Invalid UTF-8 becomes replacement characters.
pub(super) fn percent_decoded(text: &str, is_query: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        match (byte, hex(1), hex(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) if is_query => out.push(b' '),
            _ => out.push(*byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl ApiPath {
    /// Parses a path with its query parameters; `None` if it is not the path of a resource.
    #[must_use]
    pub fn of(text: &str) -> Option<ApiPath> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        // The path is decoded after splitting, because a name may contain an encoded slash.
        let parts: Vec<String> = path
            .trim_end_matches('/')
            .split('/')
            .skip(1)
            .map(|part| percent_decoded(part, false))
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (api_version, mut rest) = match parts.as_slice() {
            ["api", version @ "v1", rest @ ..] => ((*version).to_owned(), rest),
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            _ => return None,
        };
        let mut found = ApiPath {
            api_version,
            query: Query::of(query),
            ..ApiPath::default()
        };
        if let ["watch", after @ ..] = rest
            && !after.is_empty()
        {
            (found.is_watch, rest) = (true, after);
        }
        // In `namespaces/NAME/status` and `namespaces/NAME/finalize` the last word is a subresource of the namespace.
        // After any other word, NAME is the namespace of the resource that follows.
        if let ["namespaces", namespace, after @ ..] = rest
            && !matches!(after, [] | ["status" | "finalize"])
        {
            found.namespace = (*namespace).to_owned();
            rest = after;
        }
        let word = |at: usize| rest.get(at).copied().unwrap_or_default().to_owned();
        (found.resource, found.name, found.subresource) = (word(0), word(1), word(2));
        found.rest = rest.get(3..).unwrap_or_default().join("/");
        (!found.resource.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: HT-011, HT-012, HT-018, HT-055
    #[test]
    fn url_paths_parse_to_resource_name_and_subresource() {
        let cases = [
            ("/api/v1/pods", "v1 pods   "),
            ("/api/v1/namespaces/a/pods/b/log?x=1", "v1 pods a b log"),
            ("/api/v1/namespaces/a", "v1 namespaces  a "),
            ("/api/v1/namespaces/a/finalize", "v1 namespaces  a finalize"),
            ("/apis/apps/v1/namespaces/a/deployments/", "apps/v1 deployments a  "),
            ("/api/v1/watch/namespaces/a/pods", "v1 pods a  "),
        ];
        for (text, want) in cases {
            let found = ApiPath::of(text).expect(text);
            let ApiPath {
                api_version,
                resource,
                namespace,
                name,
                subresource,
                ..
            } = &found;
            let found = format!("{api_version} {resource} {namespace} {name} {subresource}");
            assert_eq!(found, want, "{text}");
        }
        assert_eq!(ApiPath::of("/version"), None);
        assert_eq!(ApiPath::of("/api/v1"), None);
        let query = Query::of("labelSelector=a%3Db+c&labelSelector=no&watch");
        assert_eq!(query.get("labelSelector"), Some("a=b c"));
        assert!(query.is_true("watch"));
    }
}
