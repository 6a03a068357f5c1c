//! The dictionary of a renaming. A name is renamed part by part, so that what is equal, what begins with what, what
//! selects what and what sorts before what stays so: `payroll-0` becomes `xbf-0` and `payroll-data` `xbf-xbc`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use podscope_api::ordered;

use super::public;

/// What a text is, and so how it is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A name, or anything else that a person may have chosen.
    Name,
    /// A word of Kubernetes, or a person's: a reason, a type.
    Word,
    /// Sentences.
    Message,
}

/// New parts for old ones.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Parts by their old text; their new text once all are known.
    parts: ordered::Map<String, String>,
    /// Parts that stand in messages alone.
    of_messages: ordered::Set<String>,
    addresses: ordered::Map<IpAddr, IpAddr>,
    /// Names that were renamed as a whole, with their new ones.
    pub(super) table: ordered::Map<String, String>,
    is_complete: bool,
}

/// Longest number of a name that is kept, and how many in a row are an address.
const ORDINAL: usize = 5;
const ADDRESS: usize = 3;

/// New parts are made of these: no word comes of it.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";

/// A piece of a text.
enum Piece<'t> {
    /// Kept as it is.
    Kept(&'t str),
    /// To be renamed.
    Part(&'t str),
}

fn is_of_part(c: char) -> bool {
    c.is_alphanumeric()
}

/// The pieces of a name: numbers at its end and between words are kept, but for those of an address.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut runs: Vec<(&str, bool)> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = is_of_part(first);
        let end = rest.find(|c| is_of_part(c) != is_part).unwrap_or(rest.len());
        runs.push((&rest[..end], is_part));
        rest = &rest[end..];
    }
    let is_number = |at: usize| {
        let run: Option<&(&str, bool)> = runs.get(at);
        run.is_some_and(|(text, is_part)| *is_part && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // How many numbers stand in a row, each with one separator before the next.
    let mut in_a_row = vec![0; runs.len()];
    let mut at = 0;
    while at < runs.len() {
        let mut many = 0;
        while is_number(at + many * 2) {
            many += 1;
        }
        for number in 0..many {
            in_a_row[at + number * 2] = many;
        }
        at += (many * 2).max(1);
    }
    let of_runs = runs.iter().zip(in_a_row).map(|((text, is_part), many)| {
        let is_ordinal = (1..ADDRESS).contains(&many) && text.len() <= ORDINAL;
        match *is_part && !is_ordinal && !public::is_part(text) {
            true => Piece::Part(text),
            false => Piece::Kept(text),
        }
    });
    of_runs.collect()
}

impl Names {
    /// A text with its new names; while they are collected, itself.
    pub(super) fn text(&mut self, role: Role, text: &str) -> String {
        match role {
            Role::Message => self.message(text),
            Role::Word if public::is_word(text) => text.to_owned(),
            Role::Word | Role::Name => {
                let new = self.name(text);
                if self.is_complete && new != text {
                    self.table.insert(text.to_owned(), new.clone());
                }
                new
            }
        }
    }

    fn name(&mut self, text: &str) -> String {
        if public::is_public(text) {
            return text.to_owned();
        }
        if let Some(address) = self.address(text) {
            return address;
        }
        if let Some(kept) = public::chosen(text).or_else(|| public::plugin(text)) {
            let rest = &text[kept.len()..];
            return match rest.split_once('^') {
                Some((driver, handle)) => format!("{kept}{}^{}", self.whole(driver), self.by_parts(handle)),
                None => format!("{kept}{}", self.whole(rest)),
            };
        }
        if let Some(rest) = text.strip_prefix("external-attacher/") {
            let rest = if public::is_driver_in_finalizer(rest) {
                rest.to_owned()
            } else {
                self.by_parts(rest)
            };
            return format!("external-attacher/{rest}");
        }
        self.by_parts(text)
    }

    fn whole(&mut self, text: &str) -> String {
        if public::is_public(text) {
            text.to_owned()
        } else {
            self.by_parts(text)
        }
    }

    fn by_parts(&mut self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Kept(text) => new.push_str(text),
                Piece::Part(part) => new.push_str(&self.part(part)),
            }
        }
        new
    }

    fn part(&mut self, part: &str) -> String {
        if self.is_complete {
            return self.parts.get(part).cloned().unwrap_or_else(|| "x".to_owned());
        }
        self.parts.entry(part.to_owned()).or_default();
        part.to_owned()
    }

    /// Of a message only the words of Kubernetes' own messages stay, and not where somebody has a name like that.
    fn message(&mut self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Kept(text) => new.push_str(text),
                Piece::Part(part) if !self.is_complete => {
                    self.of_messages.insert(part.to_owned());
                }
                Piece::Part(part) => match self.parts.get(part) {
                    Some(renamed) => new.push_str(renamed),
                    None => new.push_str(part),
                },
            }
        }
        if self.is_complete { new } else { text.to_owned() }
    }

    /// An address, or a range of them.
    fn address(&mut self, text: &str) -> Option<String> {
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

    /// All names are known: each gets a new one. Equal width and the order of the old ones keep the order of names.
    pub(super) fn complete(&mut self) {
        for word in std::mem::take(&mut self.of_messages) {
            let is_public = public::is_of_messages(&word) || public::is_word(&word);
            if !is_public {
                self.parts.entry(word).or_default();
            }
        }
        let many = self.parts.len().max(1);
        let mut width = 2;
        while LETTERS.len().pow(width) < many {
            width += 1;
        }
        let code = |first: char, mut number: usize| {
            let mut letters = vec![b'b'; width as usize];
            for place in letters.iter_mut().rev() {
                *place = LETTERS[number % LETTERS.len()];
                number /= LETTERS.len();
            }
            format!("{first}{}", String::from_utf8_lossy(&letters))
        };
        // No new name is an old one.
        let is_free = |first: &char| (0..many).all(|number| !self.parts.contains_key(&code(*first, number)));
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
                    // 198.18.0.0/15 is set aside for measurements (RFC 2544).
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
