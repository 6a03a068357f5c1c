//! Reads files as documents. Text around manifests is removed, a truncated text is completed, and in a dump of many
//! files those that cannot be read are left out with a notice (P-09).

use std::borrow::Cow;

use podscope_api::{Kind, ObjectKey, Uid, ordered};
use podscope_cluster::Setup;
use podscope_protocol::{AnswerLimitation, Problem, Remark};

use super::truncated_list::{self, TruncatedText};
use super::{File, Loaded, Scenario, ScenarioReader, StartTimeSource, entries, missing_uids, pasted_text};

/// Maximum number of problems that are listed in notices about files that were left out.
const MAX_LISTED_PROBLEMS: usize = 20;

/// The text of manifests: without other text around it, and completed if it was truncated.
pub(crate) struct ManifestText<'t> {
    pub(crate) text: Cow<'t, str>,
    cut: Option<TruncatedText>,
}

/// Removes the text around manifests, and completes a truncated text.
pub(crate) fn extract_manifests(text: &str) -> ManifestText<'_> {
    let mut found = Cow::Borrowed(text);
    for step in [
        pasted_text::without_fence_and_prompt,
        pasted_text::without_container_logs,
        pasted_text::with_list_separators,
    ] {
        if let Some(better) = step(&found) {
            found = Cow::Owned(better);
        }
    }
    let mut cut = truncated_list::complete_truncated_list(&found);
    if let Some(cut) = cut.as_mut().filter(|cut| cut.objects > 0) {
        found = Cow::Owned(std::mem::take(&mut cut.text));
    }
    ManifestText { text: found, cut }
}

impl ScenarioReader {
    /// Creates a reader that has read nothing yet. Its first notices are `notices`.
    pub(super) fn new(notices: Vec<Remark>) -> Self {
        Self {
            problems: Vec::new(),
            document: 0,
            loaded: Loaded {
                files: Vec::new(),
                has_scenario: false,
                scenario: Scenario::default(),
                setup: Setup::default(),
                start: StartTimeSource::default(),
                places: Vec::new(),
                notices,
                basis: Vec::new(),
                advice: Vec::new(),
            },
            others: ordered::Map::new(),
            foreign: Vec::new(),
            machines: entries::FaultMachines::default(),
            custom_types: entries::CustomTypes::default(),
            has_cluster: false,
            is_lenient: false,
            n_unread: 0,
        }
    }

    /// Adds the notice that a text is truncated.
    fn add_truncation_notice(&mut self, name: &str, cut: &TruncatedText) {
        let basis = AnswerLimitation::Cut {
            file: name.to_owned(),
            objects: cut.objects,
            line: cut.line,
        };
        self.loaded.notices.push(Remark::Basis(basis.clone()));
        self.loaded.basis.push(basis);
    }

    pub(super) fn read(&mut self, files: &[File]) {
        let mut read = Vec::new();
        let mut report_unread: Vec<Problem> = Vec::new();
        for (index, (name, text)) in files.iter().enumerate() {
            let readable = extract_manifests(text);
            let cut = readable.cut.as_ref();
            let cut_before_first_object = || "the text ends in the middle, before its first object is whole".to_owned();
            let why = pasted_text::explain_unreadable_output(&readable.text)
                .or_else(|| cut.filter(|cut| cut.objects == 0).map(|_| cut_before_first_object()))
                .or_else(|| pasted_text::advice_for_long_text(&readable.text));
            match why {
                Some(why) => report_unread.push(Problem::of_file(name.as_str(), why)),
                None => {
                    if let Some(cut) = cut {
                        self.add_truncation_notice(name, cut);
                    }
                    read.push((index, podscope_api::parse(&readable.text)));
                }
            }
        }
        let restored = missing_uids::restore_uids(&mut read);
        // In a dump of many files, an unreadable file does not prevent opening the others.
        let objects = || read.iter().flat_map(|(_, parsed)| &parsed.objects);
        self.is_lenient = files.len() > 1 && objects().any(|one| !one.value.metadata().uid.is_empty());
        for problem in report_unread {
            self.report_unread(problem);
        }
        for (index, parsed) in read {
            self.add_file(index, &files[index].0, parsed);
        }
        self.loaded.notices.extend(restored);
        self.loaded.notices.extend(
            self.n_unread
                .saturating_sub(MAX_LISTED_PROBLEMS)
                .checked_sub(1)
                .map(|more| Remark::MoreUnread(more + 1)),
        );
    }

    /// Reports a problem of a file or document. If reading is lenient, the problem becomes a notice, and the file or
    /// document is left out.
    pub(super) fn report_unread(&mut self, problem: Problem) {
        if !self.is_lenient {
            return self.problems.push(problem);
        }
        self.n_unread += 1;
        if self.n_unread <= MAX_LISTED_PROBLEMS {
            self.loaded.notices.push(Remark::Unread(problem.to_string()));
        }
    }

    /// Removes older versions of live objects that occur more than once, as in a dump by `must-gather`.
    pub(super) fn drop_older_duplicates(&mut self) {
        let mut seen: ordered::Map<(Kind, ObjectKey, Uid), usize> = ordered::Map::new();
        let objects = &self.loaded.setup.objects;
        let version = |at: usize| objects[at].metadata().resource_version.parse::<u64>().unwrap_or(0);
        let mut older: ordered::Set<usize> = ordered::Set::new();
        for (index, object) in objects.iter().enumerate() {
            let metadata = object.metadata();
            if metadata.uid.is_empty() {
                continue;
            }
            let key = (object.kind(), object.key(), metadata.uid.clone());
            if let Some(before) = seen.get(&key).copied() {
                let is_newer = version(index) >= version(before);
                older.insert(if is_newer { before } else { index });
                if !is_newer {
                    continue;
                }
            }
            seen.insert(key, index);
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
        self.loaded.notices.push(Remark::Duplicates(older.len()));
    }
}
