//! How files become documents: what is around the manifests in a text is taken away, a text that is cut off gets an end,
//! and of a dump in many files what cannot be read is left out and told (P-09).

use std::borrow::Cow;

use podscope_api::{Kind, ObjectKey, Uid, ordered};
use podscope_protocol::{Basis, Problem, Remark};

use super::cut::{self, Cut};
use super::{File, Reader, foreign, scrubbed};

/// Problems of files that were left out, which are told one by one.
const MAX_UNREAD: usize = 20;

/// A text as it is parsed: what is around the manifests in it is taken away, and one that is cut off has an end.
pub(crate) struct Readable<'t> {
    pub(crate) text: Cow<'t, str>,
    cut: Option<Cut>,
}

/// Finds the manifests in a text.
pub(crate) fn readable(text: &str) -> Readable<'_> {
    let mut found = Cow::Borrowed(text);
    for step in [foreign::unwrapped, foreign::without_logs, foreign::separated] {
        if let Some(better) = step(&found) {
            found = Cow::Owned(better);
        }
    }
    let mut cut = cut::whole_of(&found);
    if let Some(cut) = cut.as_mut().filter(|cut| cut.objects > 0) {
        found = Cow::Owned(std::mem::take(&mut cut.text));
    }
    Readable { text: found, cut }
}

impl Reader {
    /// Says that a text ends in the middle.
    fn cut(&mut self, name: &str, cut: &Cut) {
        let basis = Basis::Cut {
            file: name.to_owned(),
            objects: cut.objects,
            line: cut.line,
        };
        self.loaded.notices.push(Remark::Basis(basis.clone()));
        self.loaded.basis.push(basis);
    }

    pub(super) fn read(&mut self, files: &[File]) {
        let mut read = Vec::new();
        let mut unread: Vec<Problem> = Vec::new();
        for (index, (name, text)) in files.iter().enumerate() {
            let readable = readable(text);
            let cut = readable.cut.as_ref();
            let is_nothing = || "the text ends in the middle, before its first object is whole".to_owned();
            let why = foreign::explained(&readable.text)
                .or_else(|| cut.filter(|cut| cut.objects == 0).map(|_| is_nothing()))
                .or_else(|| foreign::too_long(&readable.text));
            match why {
                Some(why) => unread.push(Problem::of(name.as_str(), why)),
                None => {
                    if let Some(cut) = cut {
                        self.cut(name, cut);
                    }
                    read.push((index, podscope_api::parse(&readable.text)));
                }
            }
        }
        let scrubbed = scrubbed::restore(&mut read);
        // One file of many that cannot be read does not keep the others of a dump from being opened.
        let objects = || read.iter().flat_map(|(_, parsed)| &parsed.objects);
        self.is_lenient = files.len() > 1 && objects().any(|one| !one.value.metadata().uid.is_empty());
        for problem in unread {
            self.unread(problem);
        }
        for (index, parsed) in read {
            self.file(index, &files[index].0, parsed);
        }
        self.loaded.notices.extend(scrubbed);
        self.loaded.notices.extend(
            self.n_unread
                .saturating_sub(MAX_UNREAD)
                .checked_sub(1)
                .map(|more| Remark::MoreUnread(more + 1)),
        );
    }

    /// A problem of reading: of a dump in many files it is said, and what it concerns is left out.
    pub(super) fn unread(&mut self, problem: Problem) {
        if !self.is_lenient {
            return self.problems.push(problem);
        }
        self.n_unread += 1;
        if self.n_unread <= MAX_UNREAD {
            self.loaded.notices.push(Remark::Unread(problem.to_string()));
        }
    }

    /// Of a live object that stands in the files more than once, as in a dump by `must-gather`, the newest counts.
    pub(super) fn one_of_each(&mut self) {
        let mut seen: ordered::Map<(Kind, ObjectKey, Uid), usize> = ordered::Map::new();
        let objects = &self.loaded.setup.objects;
        let version = |at: usize| objects[at].metadata().resource_version.parse::<u64>().unwrap_or(0);
        let mut older: ordered::Set<usize> = ordered::Set::new();
        for (at, object) in objects.iter().enumerate() {
            let metadata = object.metadata();
            if metadata.uid.is_empty() {
                continue;
            }
            let key = (object.kind(), object.key(), metadata.uid.clone());
            if let Some(before) = seen.get(&key).copied() {
                let is_newer = version(at) >= version(before);
                older.insert(if is_newer { before } else { at });
                if !is_newer {
                    continue;
                }
            }
            seen.insert(key, at);
        }
        if older.is_empty() {
            return;
        }
        let mut at = 0;
        let mut keep = || {
            at += 1;
            !older.contains(&(at - 1))
        };
        self.loaded.setup.objects.retain(|_| keep());
        let mut at = 0;
        self.loaded.places.retain(|_| {
            at += 1;
            !older.contains(&(at - 1))
        });
        self.loaded.notices.push(Remark::Twice(older.len()));
    }
}
