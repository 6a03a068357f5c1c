//! The common subset of `grep`'s regular expressions: characters, `.`, `[…]`, anchors, the repetitions `*` `+` `?`, and
//! alternatives, but no groups. Matching does not backtrack: it reads the line at most once for each alternative.

/// Maximum length of a pattern, in characters.
const MAX_PATTERN_CHARS: usize = 1_000;

/// A parsed pattern. A line matches if one of the alternatives does.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    alternatives: Vec<Alternative>,
    pub(super) any_case: bool,
    pub(super) whole_words: bool,
}

/// One of the parts of a pattern that `|` separates.
#[derive(Debug, Clone, PartialEq, Default)]
struct Alternative {
    /// `^`: the match begins at the start of the line.
    at_start: bool,
    /// `$`: the match ends at the end of the line.
    at_end: bool,
    atoms: Vec<Atom>,
}

/// A matcher for one character, with its repetition.
#[derive(Debug, Clone, PartialEq)]
struct Atom {
    matcher: CharMatcher,
    /// Whether the atom may be missing (`?`, `*`).
    is_optional: bool,
    /// Whether the atom may repeat (`+`, `*`).
    is_repeated: bool,
}

/// The characters that an atom matches.
#[derive(Debug, Clone, PartialEq)]
enum CharMatcher {
    Any,
    One(char),
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl CharMatcher {
    fn matches(&self, c: char) -> bool {
        match self {
            CharMatcher::Any => true,
            CharMatcher::One(one) => *one == c,
            CharMatcher::Class { is_negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *is_negated
            }
        }
    }
}

impl Pattern {
    /// Parses a basic regular expression, an extended one (`-E`), or a fixed string (`-F`).
    pub(super) fn parse(text: &str, extended: bool, fixed: bool) -> Result<Pattern, String> {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() > MAX_PATTERN_CHARS {
            return Err(format!(
                "a pattern may not be longer than {MAX_PATTERN_CHARS} characters"
            ));
        }
        let mut pattern = Pattern {
            alternatives: vec![Alternative::default()],
            any_case: false,
            whole_words: false,
        };
        let mut at = 0;
        while let Some(c) = chars.get(at).copied() {
            at += 1;
            let escaped = !fixed && c == '\\';
            let c = match (escaped, chars.get(at)) {
                (true, None) => return Err("Trailing backslash".to_owned()),
                (true, Some(next)) => {
                    at += 1;
                    *next
                }
                (false, _) => c,
            };
            // In a basic expression an operator needs a backslash, in an extended one it does not.
            let is_operator = !fixed && (extended != escaped) && "|+?(){}".contains(c);
            let is_special = !fixed && !escaped;
            let current = pattern.last_alternative();
            match c {
                '|' if is_operator => pattern.alternatives.push(Alternative::default()),
                '+' | '?' if is_operator && !current.atoms.is_empty() => current.set_repetition(c == '?', c == '+'),
                '*' if is_special && !current.atoms.is_empty() => current.set_repetition(true, true),
                '(' | ')' | '{' | '}' if is_operator => {
                    return Err(format!("{c} has no meaning here: groups and counts are not known"));
                }
                '^' if is_special && current.atoms.is_empty() && !current.at_start => current.at_start = true,
                '$' if is_special && is_end_anchor(&chars, at, extended) => current.at_end = true,
                '[' if is_special => {
                    let (class, after) = parse_bracket_expression(&chars, at)?;
                    at = after;
                    current.push(class);
                }
                '.' if is_special => current.push(CharMatcher::Any),
                one => current.push(CharMatcher::One(one)),
            }
        }
        Ok(pattern)
    }

    /// Returns the alternative that is being parsed; adds one if there is none.
    fn last_alternative(&mut self) -> &mut Alternative {
        if self.alternatives.is_empty() {
            self.alternatives.push(Alternative::default());
        }
        let last = self.alternatives.len() - 1;
        &mut self.alternatives[last]
    }

    /// Returns whether the pattern occurs in a line.
    pub(super) fn is_found_in(&self, line: &str) -> bool {
        let chars: Vec<char> = line.chars().collect();
        self.alternatives
            .iter()
            .any(|alternative| self.alternative_matches(alternative, &chars))
    }

    /// Returns whether an alternative matches anywhere in a line.
    fn alternative_matches(&self, alternative: &Alternative, line: &[char]) -> bool {
        let matches = |matcher: &CharMatcher, c: char| {
            let in_any_case =
                |c: char| matcher.matches(c.to_ascii_lowercase()) || matcher.matches(c.to_ascii_uppercase());
            matcher.matches(c) || self.any_case && in_any_case(c)
        };
        let is_word = |at: Option<&char>| at.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
        let is_word_start = |at: usize| !self.whole_words || !is_word(at.checked_sub(1).and_then(|at| line.get(at)));
        let n_atoms = alternative.atoms.len();
        // For each atom, whether it may match the next character; the last entry means that all atoms have matched.
        let mut next = vec![false; n_atoms + 1];
        for at in 0..=line.len() {
            if (at == 0 || !alternative.at_start) && is_word_start(at) {
                alternative.mark_reachable(&mut next, 0);
            }
            let is_word_end = !self.whole_words || !is_word(line.get(at));
            if next[n_atoms] && is_word_end && (!alternative.at_end || at == line.len()) {
                return true;
            }
            let Some(c) = line.get(at) else { break };
            let mut after = vec![false; n_atoms + 1];
            for (index, atom) in alternative.atoms.iter().enumerate() {
                if next[index] && matches(&atom.matcher, *c) {
                    alternative.mark_reachable(&mut after, index + 1);
                    if atom.is_repeated {
                        alternative.mark_reachable(&mut after, index);
                    }
                }
            }
            next = after;
        }
        false
    }
}

impl Alternative {
    /// Appends an atom that matches exactly once.
    fn push(&mut self, matcher: CharMatcher) {
        self.atoms.push(Atom {
            matcher,
            is_optional: false,
            is_repeated: false,
        });
    }

    /// Makes the last atom optional or repeated.
    fn set_repetition(&mut self, is_optional: bool, is_repeated: bool) {
        if let Some(atom) = self.atoms.last_mut() {
            atom.is_optional |= is_optional;
            atom.is_repeated |= is_repeated;
        }
    }

    /// Marks the atom with index `from` as one that may match the next character. If it is optional, also marks the
    /// atoms after it, up to the first that is required.
    fn mark_reachable(&self, next: &mut [bool], from: usize) {
        for (index, may_match) in next.iter_mut().enumerate().skip(from) {
            *may_match = true;
            if !self.atoms.get(index).is_some_and(|atom| atom.is_optional) {
                break;
            }
        }
    }
}

/// Returns whether a `$` before `at` is at the end of an alternative.
fn is_end_anchor(chars: &[char], at: usize, extended: bool) -> bool {
    match (chars.get(at), chars.get(at + 1)) {
        (None, _) => true,
        (Some('|'), _) => extended,
        (Some('\\'), Some('|')) => !extended,
        _ => false,
    }
}

/// Parses a bracket expression. Returns it with the index after its closing bracket.
fn parse_bracket_expression(chars: &[char], from: usize) -> Result<(CharMatcher, usize), String> {
    let is_negated = chars.get(from) == Some(&'^');
    let start = from + usize::from(is_negated);
    let mut ranges = Vec::new();
    let mut at = start;
    loop {
        match (chars.get(at), chars.get(at + 1), chars.get(at + 2)) {
            (None, ..) => return Err("a [ is never closed".to_owned()),
            (Some(']'), ..) if at > start => return Ok((CharMatcher::Class { is_negated, ranges }, at + 1)),
            (Some(low), Some('-'), Some(high)) if *high != ']' => {
                ranges.push((*low, *high));
                at += 3;
            }
            (Some(one), ..) => {
                ranges.push((*one, *one));
                at += 1;
            }
        }
    }
}
