//! A List that ends in the middle, as a paste or a full disk leaves it: what is whole of it (P-09).

use podscope_api::SyntaxError;

/// What is whole of a text that ends in the middle.
pub(super) struct Cut {
    /// The text with an end, and without the item that it breaks off in.
    pub(super) text: String,
    /// Items that are whole.
    pub(super) objects: usize,
    /// The line in which the text ends.
    pub(super) line: u32,
}

/// What a text has if it is the beginning of a List; none if it is anything else, or no more than is wrong elsewhere.
pub(super) fn whole_of(text: &str) -> Option<Cut> {
    let (end, objects, rest) = if is_cut_yaml(text) {
        let (end, objects) = whole_of_yaml(text)?;
        (end, objects, "kind: List\n")
    } else {
        let json = Json::read(text)?;
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
    Some(Cut {
        text: format!("{}{rest}", &text[..end]),
        objects,
        line: u32::try_from(line).unwrap_or(u32::MAX),
    })
}

/// Whether a text is the beginning of a List in YAML as kubectl prints it: `kind: List` stands below its items.
pub(super) fn is_cut_yaml(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '-']));
    let begins = lines.next() == Some("apiVersion: v1") && lines.next().is_some_and(|line| line.trim_end() == "items:");
    begins && !text.lines().any(|line| line.starts_with("kind:"))
}

/// Where the last item begins, and how many stand before it. Nobody can say whether the last one is whole.
fn whole_of_yaml(text: &str) -> Option<(usize, usize)> {
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

/// A JSON text that ends before its brackets close.
struct Json {
    /// Where the list of items begins.
    first: usize,
    /// Where the last item that is whole ends.
    end: usize,
    /// How many are whole.
    objects: usize,
}

impl Json {
    fn read(text: &str) -> Option<Json> {
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return None;
        }
        let (mut open, mut is_text, mut is_escaped) = (Vec::new(), false, false);
        let mut found: Option<Json> = None;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ if is_text => {}
                b'[' | b'{' => {
                    let key = || text[..at].trim_end().strip_suffix(':').map(str::trim_end);
                    if byte == b'[' && open == [b'{'] && key().is_some_and(|key| key.ends_with("\"items\"")) {
                        found = Some(Json {
                            first: at,
                            end: at + 1,
                            objects: 0,
                        });
                    }
                    open.push(byte);
                }
                b']' | b'}' => {
                    open.pop()?;
                    if let (Some(found), [b'{', b'['], b'}') = (&mut found, open.as_slice(), byte) {
                        found.end = at + 1;
                        found.objects += 1;
                    }
                }
                _ => {}
            }
        }
        // One that is wrong before its end is told where.
        let is_cut = || podscope_api::read_documents(text).1 == Some(SyntaxError::Json("unexpected EOF".to_owned()));
        found.filter(|_| !open.is_empty() && is_cut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n  spec:\n    \
        containers:\n    - name: c\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    na";
    const JSON: &str = "{\n \"apiVersion\": \"v1\",\n \"items\": [\n  {\"kind\": \"Pod\", \"a\": [\"]}\\\"\", {}]},\n  {\"kind\": \"Po";

    /// Shows: P-09, U-07
    #[test]
    fn a_list_that_ends_in_the_middle_is_what_is_whole_of_it() {
        let cut = whole_of(YAML).expect("it is cut");
        assert_eq!((cut.objects, cut.line), (1, 13));
        assert!(cut.text.ends_with("- name: c\nkind: List\n"), "{}", cut.text);
        let cut = whole_of(JSON).expect("it is cut");
        assert_eq!((cut.objects, cut.line), (1, 5));
        assert!(cut.text.ends_with("{}]}],\"kind\":\"List\"}\n"), "{}", cut.text);
    }

    /// A text that is whole, or wrong elsewhere, is not taken for one that is cut.
    /// Shows: P-04, P-09
    #[test]
    fn what_is_wrong_elsewhere_is_not_taken_for_a_cut() {
        for text in [
            &format!("{YAML}me: b\nkind: List\n"),
            &format!("{JSON}d\"}}], \"kind\": \"List\"}}"),
            "{\"items\": [{\"kind\": \"Pod\"}, {\"kind\": \"Pod\", {}}]}",
            "{\"items\": [{\"kind\": \"Pod\", {\"kind\": \"Pod\"}]",
            "{\"kind\": \"Pod\", \"metadata\": {",
            "apiVersion: v1\nkind: Pod\n",
            "",
        ] {
            assert!(whole_of(text).is_none(), "{text}");
        }
    }
}
