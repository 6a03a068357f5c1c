//! Hints for beginners about the messages of the API server.

use podscope_api::ProblemKind;
use podscope_protocol::Problem;

/// Parts of the YAML parser's messages, which have no problem kind, and the hint for each.
const SYNTAX: &[(&str, &str)] = &[
    (
        "mapping values are not allowed",
        "This colon makes a second map on the line: put the text in quotes, or indent the line like the one above.",
    ),
    (
        "did not find expected key",
        "A key is needed here: begin the line at the column of the other keys of its map.",
    ),
    (
        "did not find expected '-' indicator",
        "An item is needed here: begin the line with a - at the column of the other items of its list.",
    ),
    (
        "expected ',' or '}'",
        "A comma or a } is needed before this: a map in braces is still open.",
    ),
    (
        "expected ',' or ']'",
        "A comma or a ] is needed before this: a list in brackets is still open.",
    ),
    ("did not find expected node content", "A value is needed here."),
    (
        "could not find expected ':'",
        "A colon and a space are needed after this key.",
    ),
    (
        "found unexpected end of stream",
        "The quote that opens here is needed once more, at the end of the text.",
    ),
    (
        "found a tab character",
        "Spaces are needed here: YAML is never indented with tabs.",
    ),
    (
        "found character that cannot start any token",
        "Spaces or quotes are needed here: a line is not indented with tabs, and no plain text begins with @ or `.",
    ),
];

/// The hint for a problem, if there is one.
pub(crate) fn hint(problem: &Problem) -> Option<&'static str> {
    Some(match &problem.kind {
        ProblemKind::Other | ProblemKind::Lacking => return None,
        ProblemKind::Syntax => {
            let known = SYNTAX.iter().find(|(part, _)| problem.message.contains(part));
            return known.map(|(_, words)| *words);
        }
        ProblemKind::UnknownField => "No such field here: look at its spelling, and at how far its line is indented.",
        ProblemKind::Required => "This field has to be there.",
        ProblemKind::NoQuantity => "A quantity is a number with a unit: 500m, 2, 128Mi, 1Gi.",
        ProblemKind::Selector => "The selector finds its pods by their labels: the template needs the same ones.",
        ProblemKind::NoName => "Small letters, digits and -, with a letter or digit at both ends.",
        ProblemKind::Unsupported => "Only the values listed there are known; capitals count.",
        ProblemKind::Unserved { .. } => "kind and apiVersion belong together: look at both.",
        ProblemKind::NoText => "This field wants text: put the value in quotes.",
        ProblemKind::OtherType => {
            "This field wants a value of another kind: a number without quotes, true or false, a list or a map."
        }
        ProblemKind::Duplicate => "Something of this name is there already: names in one list differ.",
    })
}

/// The marker of a gap that the reader is to fill.
pub(crate) const GAP: &str = "___";

/// Positions of the remaining gaps: line and column, both from 1.
pub(crate) fn gaps(text: &str) -> Vec<(u32, u32)> {
    let lines = text.lines().zip(1u32..);
    let found = lines.flat_map(|(line, number)| {
        let columns = line.match_indices(GAP);
        columns.map(move |(at, _)| (number, line.get(..at).map_or(0, |head| head.chars().count()) as u32 + 1))
    });
    found.collect()
}

/// The number of remaining gaps as a text; empty if there are none.
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
    fn gaps_have_positions_and_problems_have_hints() {
        assert_eq!(gaps("kind: ___\nspec: {a: ___, ü: ___}\n"), [(1, 7), (2, 11), (2, 19)]);
        assert_eq!(gaps_left(0), "");
        let problem = |kind, message: &str| Problem {
            kind,
            ..Problem::of("", message)
        };
        let unknown = problem(ProblemKind::UnknownField, "unknown field \"spec.replica\"");
        assert!(hint(&unknown).is_some_and(|hint| hint.contains("spelling")));
        for (message, needed) in [
            ("mapping values are not allowed in this context", "quotes"),
            ("while parsing a block mapping, did not find expected key", "A key"),
            ("while parsing a flow mapping, did not find expected ',' or '}'", "a }"),
            (
                "while scanning a quoted scalar, found unexpected end of stream",
                "quote",
            ),
        ] {
            let problem = problem(ProblemKind::Syntax, message);
            assert!(hint(&problem).is_some_and(|hint| hint.contains(needed)), "{message}");
        }
        assert_eq!(
            hint(&problem(ProblemKind::Other, "Required value")),
            None,
            "the hint depends on the kind, not on the message"
        );
    }
}
