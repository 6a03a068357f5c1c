//! Truncated Lists, for example from a partial paste or a full disk: their complete items are kept (P-09).

use podscope_api::SyntaxError;

/// The complete part of a List whose text is truncated.
pub(super) struct TruncatedText {
    /// The text without its incomplete last item, with the missing end of the List added.
    pub(super) text: String,
    /// Number of complete items in the List.
    pub(super) objects: usize,
    /// Line in which the truncated text ends.
    pub(super) line: u32,
}

/// Completes the text of a truncated List. None if the text is not the beginning of a List, or if it has a syntax error
/// before its end.
pub(super) fn complete_truncated_list(text: &str) -> Option<TruncatedText> {
    let (end, objects, rest) = if is_truncated_yaml(text) {
        let (end, objects) = complete_yaml_items(text)?;
        (end, objects, "kind: List\n")
    } else {
        let json = TruncatedJson::read(text)?;
        let is_list = |key: &str| text[..json.first].contains(key);
        let rest = match (is_list("\"apiVersion\""), is_list("\"kind\"")) {
            (true, true) => "]}\n",
            (true, false) => "],\"kind\":\"List\"}\n",
            (false, true) => "],\"apiVersion\":\"v1\"}\n",
            (false, false) => "],\"apiVersion\":\"v1\",\"kind\":\"List\"}\n",
        };
        (json.end, json.objects, rest)
    };
    let line = text.trim_end().matches('\n').count() + 1;
    Some(TruncatedText {
        text: format!("{}{rest}", &text[..end]),
        objects,
        line: u32::try_from(line).unwrap_or(u32::MAX),
    })
}

/// Returns whether a text is the beginning of a YAML List as kubectl prints it. In a complete List, `kind: List`
/// follows the items.
pub(super) fn is_truncated_yaml(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '-']));
    let begins = lines.next() == Some("apiVersion: v1") && lines.next().is_some_and(|line| line.trim_end() == "items:");
    begins && !text.starts_with("kind:") && !text.contains("\nkind:")
}

/// Returns the offset of the last item, and the number of items before it. Whether the last item is complete cannot be
/// determined, so it counts as incomplete.
fn complete_yaml_items(text: &str) -> Option<(usize, usize)> {
    let items = text.find("items:")?;
    let (mut at, mut starts) = (0, Vec::new());
    let mut dash = None;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_item = at > items && line[indent..].starts_with("- ");
        if is_item && *dash.get_or_insert(indent) == indent {
            starts.push(at);
        }
        at += line.len();
    }
    let last = starts.pop().unwrap_or(text.len());
    Some((last, starts.len()))
}

/// A JSON List whose text ends before all brackets are closed.
struct TruncatedJson {
    /// Offset of the first item.
    first: usize,
    /// Offset of the end of the last complete item.
    end: usize,
    /// Number of complete items.
    objects: usize,
}

impl TruncatedJson {
    fn read(text: &str) -> Option<TruncatedJson> {
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return None;
        }
        let (mut open, mut is_text, mut is_escaped) = (Vec::new(), false, false);
        let mut found: Option<TruncatedJson> = None;
        for (index, byte) in text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ if is_text => {}
                b'[' | b'{' => {
                    let key = || text[..index].trim_end().strip_suffix(':').map(str::trim_end);
                    if byte == b'[' && open == [b'{'] && key().is_some_and(|key| key.ends_with("\"items\"")) {
                        found = Some(TruncatedJson {
                            first: index,
                            end: index + 1,
                            objects: 0,
                        });
                    }
                    open.push(byte);
                }
                b']' | b'}' => {
                    open.pop()?;
                    if let (Some(found), [b'{', b'['], b'}') = (&mut found, open.as_slice(), byte) {
                        found.end = index + 1;
                        found.objects += 1;
                    }
                }
                _ => {}
            }
        }
        // A text with a syntax error before its end is not truncated; that error is reported instead.
        let is_cut = || podscope_api::read_documents(text).1 == Some(SyntaxError::Json("unexpected EOF".to_owned()));
        found.filter(|_| !open.is_empty() && is_cut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUNCATED_YAML: &str = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n  spec:\n    \
        containers:\n    - name: c\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    na";
    const TRUNCATED_JSON: &str = "{\n \"apiVersion\": \"v1\",\n \"items\": [\n  {\"kind\": \"Pod\", \"a\": [\"]}\\\"\", {}]},\n  {\"kind\": \"Po";

    /// Shows: P-09, U-07
    #[test]
    fn truncated_list_keeps_its_complete_items() {
        let cut = complete_truncated_list(TRUNCATED_YAML).expect("the text is truncated");
        assert_eq!((cut.objects, cut.line), (1, 13));
        assert!(cut.text.ends_with("- name: c\nkind: List\n"), "{}", cut.text);
        let cut = complete_truncated_list(TRUNCATED_JSON).expect("the text is truncated");
        assert_eq!((cut.objects, cut.line), (1, 5));
        assert!(cut.text.ends_with("{}]}],\"kind\":\"List\"}\n"), "{}", cut.text);
    }

    /// A complete text, or a text with a syntax error before its end, does not count as truncated.
    /// Shows: P-04, P-09
    #[test]
    fn complete_or_invalid_text_is_not_truncated() {
        for text in [
            &format!("{TRUNCATED_YAML}me: b\nkind: List\n"),
            &format!("{TRUNCATED_JSON}d\"}}], \"kind\": \"List\"}}"),
            "{\"items\": [{\"kind\": \"Pod\"}, {\"kind\": \"Pod\", {}}]}",
            "{\"items\": [{\"kind\": \"Pod\", {\"kind\": \"Pod\"}]",
            "{\"kind\": \"Pod\", \"metadata\": {",
            "apiVersion: v1\nkind: Pod\n",
            "",
        ] {
            assert!(complete_truncated_list(text).is_none(), "{text}");
        }
    }
}
