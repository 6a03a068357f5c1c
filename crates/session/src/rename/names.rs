//! The dictionary of old and new names. A name is split into parts, which are renamed separately, so that equal names,
//! common prefixes, selectors and order are preserved: `payroll-0` becomes `xbf-0`, and `payroll-data` becomes
//! `xbf-xbc`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use podscope_api::ordered;

use super::public_texts;

/// The sort of text that a value is. It determines how the value is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRole {
    /// A name, or any other text that a user may have chosen.
    Name,
    /// A single word that Kubernetes may define, such as a reason or type.
    Word,
    /// Text that consists of sentences.
    Message,
}

/// Dictionary of the parts of names, and of IP addresses.
#[derive(Debug, Default)]
pub(super) struct NameDictionary {
    /// The new part for each old part of names. The new parts are empty until all old parts have been collected.
    parts: ordered::Map<String, String>,
    /// Name parts that occur only in messages.
    message_parts: ordered::Set<String>,
    addresses: ordered::Map<IpAddr, IpAddr>,
    /// The new text for each text that was renamed.
    pub(super) table: ordered::Map<String, String>,
    is_complete: bool,
}

/// Maximum number of digits of a number in a name that is kept, such as the ordinal in `web-0`.
const MAX_ORDINAL_DIGITS: usize = 5;
/// In a sequence of at least this many numbers, such as an IP address, no number is kept.
const MIN_ADDRESS_NUMBERS: usize = 3;

/// Letters of which new name parts consist. Without vowels, they do not form words.
const NAME_PART_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";

/// A piece of a text: either it is kept, or it is a part of a name that is renamed.
enum TextPiece<'t> {
    Kept(&'t str),
    Part(&'t str),
}

fn is_name_part_char(c: char) -> bool {
    c.is_alphanumeric()
}

/// Splits a text into pieces. Short numbers are kept, except in sequences such as IP addresses.
fn split_into_pieces(text: &str) -> Vec<TextPiece<'_>> {
    let mut runs: Vec<(&str, bool)> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = is_name_part_char(first);
        let end = rest.find(|c| is_name_part_char(c) != is_part).unwrap_or(rest.len());
        runs.push((&rest[..end], is_part));
        rest = &rest[end..];
    }
    let is_number = |at: usize| {
        let run: Option<&(&str, bool)> = runs.get(at);
        run.is_some_and(|(text, is_part)| *is_part && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // For each number, the count of numbers in its sequence (numbers with one separator between them).
    let mut row_lengths = vec![0; runs.len()];
    let mut at = 0;
    while at < runs.len() {
        let mut n_parts = 0;
        while is_number(at + n_parts * 2) {
            n_parts += 1;
        }
        for number in 0..n_parts {
            row_lengths[at + number * 2] = n_parts;
        }
        at += (n_parts * 2).max(1);
    }
    let of_runs = runs.iter().zip(row_lengths).map(|((text, is_part), n_parts)| {
        let is_ordinal = (1..MIN_ADDRESS_NUMBERS).contains(&n_parts) && text.len() <= MAX_ORDINAL_DIGITS;
        match *is_part && !is_ordinal && !public_texts::is_harmless_name_part(text) {
            true => TextPiece::Part(text),
            false => TextPiece::Kept(text),
        }
    });
    of_runs.collect()
}

impl NameDictionary {
    /// Renames a text. While names are being collected, the text is returned unchanged.
    pub(super) fn rename_text(&mut self, role: TextRole, text: &str) -> String {
        match role {
            TextRole::Message => self.rename_message(text),
            TextRole::Word if public_texts::is_kubernetes_word(text) => text.to_owned(),
            TextRole::Word | TextRole::Name => {
                let new = self.rename_name(text);
                if self.is_complete && new != text {
                    self.table.insert(text.to_owned(), new.clone());
                }
                new
            }
        }
    }

    fn rename_name(&mut self, text: &str) -> String {
        if public_texts::is_public(text) {
            return text.to_owned();
        }
        if let Some(address) = self.rename_address(text) {
            return address;
        }
        if let Some(kept) = public_texts::user_named_prefix(text).or_else(|| public_texts::plugin_prefix(text)) {
            let rest = &text[kept.len()..];
            return match rest.split_once('^') {
                Some((driver, handle)) => format!(
                    "{kept}{}^{}",
                    self.rename_unless_public(driver),
                    self.rename_parts(handle)
                ),
                None => format!("{kept}{}", self.rename_unless_public(rest)),
            };
        }
        if let Some(rest) = text.strip_prefix("external-attacher/") {
            let rest = if public_texts::is_driver_in_finalizer(rest) {
                rest.to_owned()
            } else {
                self.rename_parts(rest)
            };
            return format!("external-attacher/{rest}");
        }
        self.rename_parts(text)
    }

    fn rename_unless_public(&mut self, text: &str) -> String {
        if public_texts::is_public(text) {
            text.to_owned()
        } else {
            self.rename_parts(text)
        }
    }

    fn rename_parts(&mut self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        for piece in split_into_pieces(text) {
            match piece {
                TextPiece::Kept(text) => new.push_str(text),
                TextPiece::Part(part) => new.push_str(&self.rename_part(part)),
            }
        }
        new
    }

    fn rename_part(&mut self, part: &str) -> String {
        if self.is_complete {
            return self.parts.get(part).cloned().unwrap_or_else(|| "x".to_owned());
        }
        self.parts.entry(part.to_owned()).or_default();
        part.to_owned()
    }

    /// Renames a message. Words that occur in Kubernetes' own messages are kept, unless they are also part of a private
    /// name.
    fn rename_message(&mut self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        for piece in split_into_pieces(text) {
            match piece {
                TextPiece::Kept(text) => new.push_str(text),
                TextPiece::Part(part) if !self.is_complete => {
                    self.message_parts.insert(part.to_owned());
                }
                TextPiece::Part(part) => match self.parts.get(part) {
                    Some(renamed) => new.push_str(renamed),
                    None => new.push_str(part),
                },
            }
        }
        if self.is_complete { new } else { text.to_owned() }
    }

    /// Renames an IP address or range. None if the text is neither.
    fn rename_address(&mut self, text: &str) -> Option<String> {
        let (address, range) = match text.split_once('/') {
            Some((address, range)) if range.parse::<u8>().is_ok() => (address, Some(range)),
            _ => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        if !self.is_complete {
            self.addresses.insert(address, address);
            return Some(text.to_owned());
        }
        let new = self.addresses.get(&address).copied().unwrap_or(address);
        Some(range.map_or_else(|| new.to_string(), |range| format!("{new}/{range}")))
    }

    /// Assigns new names when all names have been collected. All new name parts have the same length, and they have the
    /// same order as the old parts, so that the order of names is preserved.
    pub(super) fn assign_names(&mut self) {
        for word in std::mem::take(&mut self.message_parts) {
            let is_public = public_texts::is_message_word(&word) || public_texts::is_kubernetes_word(&word);
            if !is_public {
                self.parts.entry(word).or_default();
            }
        }
        let n_parts = self.parts.len().max(1);
        let mut width = 2;
        while NAME_PART_LETTERS.len().pow(width) < n_parts {
            width += 1;
        }
        let code = |first: char, mut number: usize| {
            let mut letters = vec![b'b'; width as usize];
            for place in letters.iter_mut().rev() {
                *place = NAME_PART_LETTERS[number % NAME_PART_LETTERS.len()];
                number /= NAME_PART_LETTERS.len();
            }
            format!("{first}{}", String::from_utf8_lossy(&letters))
        };
        // Choose a first letter with which no new name part equals an old one.
        let is_free = |first: &char| (0..n_parts).all(|number| !self.parts.contains_key(&code(*first, number)));
        let first = ['x', 'q', 'z', 'j', 'v', 'w'].into_iter().find(is_free).unwrap_or('x');
        for (number, (old, new)) in self.parts.iter_mut().enumerate() {
            let is_digest = old.len() == 64 && old.bytes().all(|byte| byte.is_ascii_hexdigit());
            *new = if is_digest {
                format!("{number:064x}")
            } else {
                code(first, number)
            };
        }
        let (mut v4, mut v6) = (0, 0);
        for (old, new) in &mut self.addresses {
            *new = match old {
                IpAddr::V4(_) => {
                    v4 += 1;
                    // 198.18.0.0/15 is reserved for benchmarks (RFC 2544).
                    IpAddr::V4(Ipv4Addr::from_bits(0xc612_0000 + v4))
                }
                IpAddr::V6(_) => {
                    v6 += 1;
                    IpAddr::V6(Ipv6Addr::from_bits(0xfd00 << 112 | v6))
                }
            };
        }
        self.is_complete = true;
    }
}
