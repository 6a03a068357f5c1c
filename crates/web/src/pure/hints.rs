//! What the server's words mean to somebody who reads them for the first time.

/// A part of a message, and what to look at.
const HINTS: &[(&str, &str)] = &[
    (
        "unknown field",
        "No such field here: look at its spelling, and at how far its line is indented.",
    ),
    (
        "mapping values are not allowed",
        "A line above is indented differently, or a text with a colon wants quotes.",
    ),
    (
        "did not find expected",
        "Lines of one list or map begin at the same column; brackets and quotes are closed.",
    ),
    (
        "found character that cannot start any token",
        "YAML is indented with spaces, never with tabs; a text that begins with @ or ` wants quotes.",
    ),
    ("Required value", "This field has to be there."),
    (
        "quantities must match",
        "A quantity is a number with a unit: 500m, 2, 128Mi, 1Gi.",
    ),
    (
        "unable to parse quantity",
        "A quantity is a number with a unit: 500m, 2, 128Mi, 1Gi.",
    ),
    (
        "`selector` does not match template `labels`",
        "The selector finds its pods by their labels: the template needs the same ones.",
    ),
    (
        "RFC 1123",
        "Small letters, digits and -, with a letter or digit at both ends.",
    ),
    (
        "Unsupported value",
        "Only the values listed there are known; capitals count.",
    ),
    (
        "no matches for kind",
        "kind and apiVersion belong together: look at both.",
    ),
    ("of type string", "This field wants text: put the value in quotes."),
    (
        "cannot unmarshal",
        "This field wants a value of another kind: a number without quotes, true or false, a list or a map.",
    ),
    (
        "cannot restore",
        "This field wants a value of another kind: a number without quotes, true or false, a list or a map.",
    ),
    (
        "Duplicate value",
        "Something of this name is there already: names in one list differ.",
    ),
];

/// What to look at, where that is known.
pub(crate) fn hint(message: &str) -> Option<&'static str> {
    let known = HINTS.iter().find(|(part, _)| message.contains(part));
    known.map(|(_, words)| *words)
}

/// The mark of a place that is to be filled.
pub(crate) const GAP: &str = "___";

/// Lines, from 1, with the columns of the gaps that are left.
pub(crate) fn gaps(text: &str) -> Vec<(u32, u32)> {
    let lines = text.lines().zip(1u32..);
    let found = lines.flat_map(|(line, number)| {
        let columns = line.match_indices(GAP);
        columns.map(move |(at, _)| (number, line.get(..at).map_or(0, |head| head.chars().count()) as u32 + 1))
    });
    found.collect()
}

/// How many gaps are left, in words; nothing if none is.
pub(crate) fn gaps_left(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 gap is left: replace the ___".to_owned(),
        count => format!("{count} gaps are left: replace each ___"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_places_and_messages_have_hints() {
        assert_eq!(gaps("kind: ___\nspec: {a: ___, ü: ___}\n"), [(1, 7), (2, 11), (2, 19)]);
        assert_eq!(gaps_left(0), "");
        assert!(hint("spec.replica: unknown field \"spec.replica\"").is_some_and(|hint| hint.contains("spelling")));
        let label = "cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string";
        assert!(hint(label).is_some_and(|hint| hint.contains("quotes")));
        assert_eq!(hint("something nobody has seen"), None);
    }
}
