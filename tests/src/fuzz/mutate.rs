//! Random changes to a text: of its bytes, words, numbers and lines, or by inserting pieces of other texts.

use podscope_api::ordered;

use podscope_cluster::Rng;

/// Maximum size of an input, in bytes.
pub const MAX_INPUT_BYTES: usize = 64 << 10;
/// Maximum number of words taken from the corpus.
const MAX_CORPUS_WORDS: usize = 6000;

/// Words that parsers often handle wrongly.
const WORDS_HARD_TO_PARSE: &[&str] = &[
    "",
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "1e-308",
    "1e999999999",
    "NaN",
    ".inf",
    "0x10",
    "0o7",
    "1_000",
    "0.0000000001",
    "100%",
    "101%",
    "-1%",
    "1h",
    "-1s",
    "292277y",
    "9999999h",
    "106751d",
    "1ns",
    "1e18s",
    "5Ei",
    "9Ei",
    "1m",
    "0.5m",
    "1n",
    "100000000Ki",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "0000-00-00T00:00:00Z",
    "292277026596-12-04T15:30:08Z",
    "~",
    "null",
    "true",
    "no",
    "[]",
    "{}",
    "[[",
    "{{",
    "]",
    "}",
    "&a",
    "*a",
    "<<",
    "!!binary",
    "!!set",
    "|\n",
    ">-\n",
    "? ",
    ": ",
    "- ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "# ",
    "\t",
    "\r\n",
    "\n",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "é",
    "😀",
    "\u{fffd}",
    "'",
    "\"",
    "\\",
    "`",
    "$(x)",
    "<<EOF\n",
    "EOF\n",
    ";",
    "|",
    "&&",
    ",",
    "=",
    "==",
    "!=",
    ":",
    "/",
    "//",
    ".",
    "..",
    "*",
    "-",
    "--",
    "--=",
    "-A",
    "--all",
    "-l",
    "-o",
    "jsonpath={",
    "{.",
    "[?(@.",
    "[*]",
    "..*",
    "<script>",
    "</",
    "__proto__",
    "s1:",
    "#",
    "?",
];

/// Creates mutated texts.
#[derive(Debug)]
pub(super) struct Mutator {
    words: Vec<String>,
}

impl Mutator {
    /// Collects the words of the corpus, which mutations insert into other texts.
    pub(super) fn new(corpus: &[String]) -> Self {
        let mut words = ordered::Set::new();
        for text in corpus {
            for word in text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '.' | '/' | '_')) {
                if word.len() > 1 && word.len() < 60 && words.len() < MAX_CORPUS_WORDS {
                    words.insert(word.to_owned());
                }
            }
        }
        Self {
            words: words.into_iter().collect(),
        }
    }

    /// Mutates a text of the pool one to eight times.
    pub(super) fn mutate(&self, rng: &mut Rng, pool: &[String]) -> String {
        let mut bytes = pick_random(rng, pool).map_or_else(Vec::new, |text| text.clone().into_bytes());
        for _ in 0..=rng.below(8).min(rng.below(8)) {
            self.mutate_once(rng, pool, &mut bytes);
        }
        bytes.truncate(MAX_INPUT_BYTES);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn mutate_once(&self, rng: &mut Rng, pool: &[String], bytes: &mut Vec<u8>) {
        let at = random_index(rng, bytes.len() + 1);
        match rng.below(12) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.below(8);
                }
            }
            1 => drop(bytes.drain(at..(at + 1 + random_index(rng, 40)).min(bytes.len()).max(at))),
            2 => {
                let piece = bytes[at..(at + 1 + random_index(rng, 60)).min(bytes.len())].to_vec();
                let max_times = if rng.below(20) == 0 { 400 } else { 4 };
                let times = 1 + random_index(rng, max_times);
                insert_bytes(bytes, at, &piece.repeat(times));
            }
            3 => replace_number(rng, bytes, at),
            4 | 5 => {
                let word = pick_random(rng, WORDS_HARD_TO_PARSE).copied().unwrap_or_default();
                insert_bytes(bytes, at, word.as_bytes());
            }
            6 => {
                if let Some(word) = pick_random(rng, &self.words) {
                    insert_bytes(bytes, at, word.as_bytes());
                }
            }
            7 | 8 => {
                let (from, to) = word_range_at(bytes, at);
                let odd = pick_random(rng, WORDS_HARD_TO_PARSE).copied().unwrap_or_default();
                let known = pick_random(rng, &self.words).map_or(odd, String::as_str);
                let word = if rng.below(2) == 0 { odd } else { known };
                bytes.splice(from..to, word.bytes());
            }
            9 => {
                let other = pick_random(rng, pool).map_or(&[][..], |text| text.as_bytes());
                let from = random_index(rng, other.len() + 1);
                let to = (from + 1 + random_index(rng, 200)).min(other.len());
                insert_bytes(bytes, at, &other[from..to.max(from)]);
            }
            10 => {
                let (from, to) = line_range_at(bytes, at);
                if rng.below(2) == 0 {
                    bytes.drain(from..to);
                } else {
                    let line = bytes[from..to].to_vec();
                    let (target, _) = line_range_at(bytes, random_index(rng, bytes.len() + 1));
                    insert_bytes(bytes, target, &line);
                }
            }
            _ => {
                let other = pick_random(rng, pool).map_or(&[][..], |text| text.as_bytes());
                let (from, to) = line_range_at(other, random_index(rng, other.len() + 1));
                let (target, _) = line_range_at(bytes, at);
                insert_bytes(bytes, target, &other[from..to]);
            }
        }
    }
}

fn random_index(rng: &mut Rng, bound: usize) -> usize {
    usize::try_from(rng.below(bound.max(1) as u64)).unwrap_or(0)
}

fn pick_random<'a, T>(rng: &mut Rng, from: &'a [T]) -> Option<&'a T> {
    from.get(random_index(rng, from.len()))
}

fn insert_bytes(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let room = MAX_INPUT_BYTES.saturating_sub(bytes.len());
    bytes.splice(at..at, piece.iter().take(room).copied());
}

/// Replaces the first number at or after a position by another number.
fn replace_number(rng: &mut Rng, bytes: &mut Vec<u8>, at: usize) {
    let Some(from) = (at..bytes.len()).find(|at| bytes[*at].is_ascii_digit()) else {
        return;
    };
    let to = (from..bytes.len())
        .find(|at| !bytes[*at].is_ascii_digit())
        .unwrap_or(bytes.len());
    let new = match rng.below(3) {
        0 => rng.below(20).to_string(),
        1 => (rng.bits() >> rng.below(63)).to_string(),
        _ => pick_random(rng, WORDS_HARD_TO_PARSE)
            .copied()
            .unwrap_or_default()
            .to_owned(),
    };
    bytes.splice(from..to, new.bytes());
}

/// Byte range of the word around a position.
fn word_range_at(bytes: &[u8], at: usize) -> (usize, usize) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let from = bytes[..at]
        .iter()
        .rposition(|byte| !is_word(byte))
        .map_or(0, |at| at + 1);
    let to = bytes[at..]
        .iter()
        .position(|byte| !is_word(byte))
        .map_or(bytes.len(), |n| at + n);
    (from, to)
}

/// Byte range of the line around a position, with its line break.
fn line_range_at(bytes: &[u8], at: usize) -> (usize, usize) {
    let at = at.min(bytes.len());
    let from = bytes[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let to = bytes[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |n| at + n + 1);
    (from, to)
}
