//! Hints for beginners about the messages of the API server.

use podscope_api::ProblemKind;
use podscope_messages::{Message, hints as messages, t};
use podscope_protocol::Problem;

/// Hints for messages of the YAML parser. These messages have no problem kind, so each hint has a part of its message
/// as key.
const SYNTAX_HINTS: &[(&str, Message)] = &[
    ("mapping values are not allowed", messages::second_map),
    ("did not find expected key", messages::key_needed),
    ("did not find expected '-' indicator", messages::item_needed),
    ("expected ',' or '}'", messages::map_open),
    ("expected ',' or ']'", messages::list_open),
    ("did not find expected node content", messages::value_needed),
    ("could not find expected ':'", messages::colon_needed),
    ("found unexpected end of stream", messages::quote_needed),
    ("found a tab character", messages::no_tabs),
    ("found character that cannot start any token", messages::wrong_start),
];

/// Returns the hint for a problem, if there is one.
pub(crate) fn hint(problem: &Problem) -> Option<String> {
    let hint = match &problem.kind {
        ProblemKind::Other => return None,
        ProblemKind::Syntax => {
            let message = problem.message.english();
            let known = SYNTAX_HINTS.iter().find(|(part, _)| message.contains(part));
            return known.map(|(_, words)| words.text());
        }
        ProblemKind::UnknownField => messages::unknown_field,
        ProblemKind::Required => messages::required,
        ProblemKind::NoQuantity => messages::no_quantity,
        ProblemKind::Selector => messages::selector,
        ProblemKind::NoName => messages::no_name,
        ProblemKind::Unsupported => messages::unsupported,
        ProblemKind::Unserved { .. } => messages::unserved,
        ProblemKind::NoText => messages::no_text,
        ProblemKind::OtherType => messages::other_type,
        ProblemKind::Duplicate => messages::duplicate,
    };
    Some(hint.text())
}

/// The marker of a gap in a text, which the reader is expected to fill.
pub(crate) const GAP: &str = "___";

/// Returns the positions of the remaining gaps: line and column, both from 1.
pub(crate) fn remaining_gaps(text: &str) -> Vec<(u32, u32)> {
    let lines = text.lines().zip(1u32..);
    let found = lines.flat_map(|(line, number)| {
        let columns = line.match_indices(GAP);
        columns.map(move |(at, _)| (number, line.get(..at).map_or(0, |head| head.chars().count()) as u32 + 1))
    });
    found.collect()
}

/// Describes the number of remaining gaps; empty if there are none.
pub(crate) fn remaining_gaps_text(count: usize) -> String {
    match count {
        0 => String::new(),
        count => t!(hints::gaps_left, count = count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_positions_and_problems_have_hints() {
        assert_eq!(
            remaining_gaps("kind: ___\nspec: {a: ___, ü: ___}\n"),
            [(1, 7), (2, 11), (2, 19)]
        );
        assert_eq!(remaining_gaps_text(0), "");
        let problem = |kind, message: &str| Problem {
            kind,
            ..Problem::of_file("", message)
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
