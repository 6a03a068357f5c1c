//! The part of regular expressions that people type after `grep`: single characters, `.`, `[…]`, the anchors, the
//! repeats `*` `+` `?`, and alternatives. No groups. A line is gone through once, whatever the pattern.

/// Longest pattern, in characters.
const LONGEST: usize = 1_000;

/// Alternatives of which one has to be found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    ways: Vec<Alternative>,
    pub(super) any_case: bool,
    pub(super) whole_words: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Alternative {
    from_start: bool,
    to_end: bool,
    atoms: Vec<Atom>,
}

#[derive(Debug, Clone, PartialEq)]
struct Atom {
    what: What,
    /// It may be missing; it may come again.
    optional: bool,
    again: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Any,
    One(char),
    Of { not: bool, ranges: Vec<(char, char)> },
}

impl What {
    fn is(&self, c: char) -> bool {
        match self {
            What::Any => true,
            What::One(one) => *one == c,
            What::Of { not, ranges } => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *not,
        }
    }
}

impl Pattern {
    /// Reads a basic, an extended, or no regular expression at all.
    pub(super) fn read(text: &str, extended: bool, fixed: bool) -> Result<Pattern, String> {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() > LONGEST {
            return Err(format!("a pattern may not be longer than {LONGEST} characters"));
        }
        let mut pattern = Pattern {
            ways: vec![Alternative::default()],
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
            // A basic expression has its further signs behind a backslash, an extended one without.
            let is_sign = !fixed && (extended != escaped) && "|+?(){}".contains(c);
            let is_special = !fixed && !escaped;
            let way = pattern.way();
            match c {
                '|' if is_sign => pattern.ways.push(Alternative::default()),
                '+' | '?' if is_sign && !way.atoms.is_empty() => way.repeat(c == '?', c == '+'),
                '*' if is_special && !way.atoms.is_empty() => way.repeat(true, true),
                '(' | ')' | '{' | '}' if is_sign => {
                    return Err(format!("{c} has no meaning here: groups and counts are not known"));
                }
                '^' if is_special && way.atoms.is_empty() && !way.from_start => way.from_start = true,
                '$' if is_special && ends(&chars, at, extended) => way.to_end = true,
                '[' if is_special => {
                    let (of, after) = class(&chars, at)?;
                    at = after;
                    way.push(of);
                }
                '.' if is_special => way.push(What::Any),
                one => way.push(What::One(one)),
            }
        }
        Ok(pattern)
    }

    fn way(&mut self) -> &mut Alternative {
        if self.ways.is_empty() {
            self.ways.push(Alternative::default());
        }
        let last = self.ways.len() - 1;
        &mut self.ways[last]
    }

    /// Whether a line has it.
    pub(super) fn finds(&self, line: &str) -> bool {
        let chars: Vec<char> = line.chars().collect();
        self.ways.iter().any(|way| self.goes(way, &chars))
    }

    fn goes(&self, way: &Alternative, line: &[char]) -> bool {
        let same = |what: &What, c: char| {
            let is_either = |c: char| what.is(c.to_ascii_lowercase()) || what.is(c.to_ascii_uppercase());
            what.is(c) || self.any_case && is_either(c)
        };
        let is_word = |at: Option<&char>| at.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
        let edge = |at: usize| !self.whole_words || !is_word(at.checked_sub(1).and_then(|at| line.get(at)));
        let done = way.atoms.len();
        // Atoms that may come next.
        let mut next = vec![false; done + 1];
        for at in 0..=line.len() {
            if (at == 0 || !way.from_start) && edge(at) {
                way.reach(&mut next, 0);
            }
            let whole = !self.whole_words || !is_word(line.get(at));
            if next[done] && whole && (!way.to_end || at == line.len()) {
                return true;
            }
            let Some(c) = line.get(at) else { break };
            let mut after = vec![false; done + 1];
            for (index, atom) in way.atoms.iter().enumerate() {
                if next[index] && same(&atom.what, *c) {
                    way.reach(&mut after, index + 1);
                    if atom.again {
                        way.reach(&mut after, index);
                    }
                }
            }
            next = after;
        }
        false
    }
}

impl Alternative {
    fn push(&mut self, what: What) {
        self.atoms.push(Atom {
            what,
            optional: false,
            again: false,
        });
    }

    fn repeat(&mut self, optional: bool, again: bool) {
        if let Some(atom) = self.atoms.last_mut() {
            atom.optional |= optional;
            atom.again |= again;
        }
    }

    /// That atom may come next, and what follows it where it may be missing.
    fn reach(&self, next: &mut [bool], from: usize) {
        for (index, is_next) in next.iter_mut().enumerate().skip(from) {
            *is_next = true;
            if !self.atoms.get(index).is_some_and(|atom| atom.optional) {
                break;
            }
        }
    }
}

/// Whether a `$` before `at` ends an alternative.
fn ends(chars: &[char], at: usize, extended: bool) -> bool {
    match (chars.get(at), chars.get(at + 1)) {
        (None, _) => true,
        (Some('|'), _) => extended,
        (Some('\\'), Some('|')) => !extended,
        _ => false,
    }
}

/// The characters between brackets, and where the pattern goes on.
fn class(chars: &[char], from: usize) -> Result<(What, usize), String> {
    let not = chars.get(from) == Some(&'^');
    let start = from + usize::from(not);
    let mut ranges = Vec::new();
    let mut at = start;
    loop {
        match (chars.get(at), chars.get(at + 1), chars.get(at + 2)) {
            (None, ..) => return Err("a [ is never closed".to_owned()),
            (Some(']'), ..) if at > start => return Ok((What::Of { not, ranges }, at + 1)),
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
