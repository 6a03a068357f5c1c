//! Symptoms that users see in a cluster, and the lessons that explain them, so that lessons can be found by symptom.

use podscope_messages::{Message, symptoms as messages, t};

/// A symptom: its usual wording, other words for it, and the lessons that explain it.
pub(crate) struct Symptom {
    pub(crate) words: Message,
    also: Message,
    lessons: &'static [&'static str],
}

/// The symptoms, most frequent first.
pub(crate) const SYMPTOMS: &[Symptom] = &[
    Symptom {
        words: messages::pending,
        also: messages::pending_also,
        lessons: &[
            "first-pod",
            "two-constraints",
            "conflicting-constraints",
            "priorities",
            "scheduling-gates",
            "min-domains",
        ],
    },
    Symptom {
        words: messages::restarts,
        also: messages::restarts_also,
        lessons: &["crashloopbackoff", "startup-liveness-probes", "init-containers"],
    },
    Symptom {
        words: messages::terminating,
        also: messages::terminating_also,
        lessons: &[
            "graceful-termination",
            "prestop-overrun",
            "partition-statefulset",
            "out-of-service-taint",
            "namespace-stuck",
        ],
    },
    Symptom {
        words: messages::drain,
        also: messages::drain_also,
        lessons: &["drain-with-pdb", "pdb-best-effort"],
    },
    Symptom {
        words: messages::not_ready,
        also: messages::not_ready_also,
        lessons: &[
            "partition-replicaset",
            "partition-statefulset",
            "zone-outage",
            "node-deletion-returning-kubelet",
        ],
    },
    Symptom {
        words: messages::twice,
        also: messages::twice_also,
        lessons: &["force-delete-split-brain", "corrupting-nfs", "attach-protocol-fencing"],
    },
    Symptom {
        words: messages::evicted,
        also: messages::evicted_also,
        lessons: &["node-pressure-hard", "node-pressure-soft", "preemption-and-grace"],
    },
    Symptom {
        words: messages::spread,
        also: messages::spread_also,
        lessons: &[
            "spread-by-zone",
            "scaling-down-unbalances",
            "default-constraints",
            "match-label-keys",
            "spread-against-affinity",
        ],
    },
    Symptom {
        words: messages::rollout,
        also: messages::rollout_also,
        lessons: &["rolling-update-bad-image", "readiness-gates", "readiness-and-endpoints"],
    },
    Symptom {
        words: messages::gpu,
        also: messages::gpu_also,
        lessons: &[
            "claim-a-device",
            "partition-blocks-the-whole",
            "two-devices-one-root",
            "extended-resource-by-claim",
            "device-taint-evicts",
        ],
    },
];

/// A search query: a symptom of the list, or words.
pub(crate) struct Query {
    symptom: Option<&'static Symptom>,
    words: Vec<String>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        // Ignore words that occur in most complaints.
        let filler_words = t!(symptoms::filler_words);
        let is_significant =
            |word: &&str| has_more_letters(word, 1) && !filler_words.split(' ').any(|empty| empty == *word);
        let words = split_words(&lower_case(text))
            .into_iter()
            .filter(is_significant)
            .map(str::to_owned)
            .collect();
        let symptom = SYMPTOMS.iter().find(|symptom| symptom.words.text() == text);
        Query { symptom, words }
    }

    /// Returns the rank of a lesson in the results, higher for a better match; `None` if the lesson does not match. If
    /// the query is a symptom of the list, all lessons that explain it have rank 0. Otherwise the rank has three digits
    /// in base 16, which count the words of the query that occur: first, in the lesson or its symptoms; second, in the
    /// lesson's title; third, in its title, text or name.
    pub(crate) fn rank(&self, name: &str, title: &str, text: &str) -> Option<usize> {
        if let Some(symptom) = self.symptom {
            return symptom.lessons.contains(&name).then_some(0);
        }
        let (title, text) = (lower_case(title), lower_case(text));
        let count = |is_match: &dyn Fn(&str) -> bool| self.words.iter().filter(|word| is_match(word)).count().min(15);
        let titled = count(&|word| has_word_starting_with(&title, word));
        let own = count(&|word| {
            has_word_starting_with(&title, word) || has_word_starting_with(&text, word) || name.contains(word)
        });
        let all = count(&|word| {
            has_word_starting_with(&title, word)
                || has_word_starting_with(&text, word)
                || name.contains(word)
                || lesson_explains_symptom(name, word)
        });
        (all > 0 || self.words.is_empty()).then_some((all * 16 + titled) * 16 + own)
    }
}

/// Returns the text in lower case, for the alphabets of the page's languages: Latin with accents, and Cyrillic. (The
/// Unicode table would add 6 KiB to the download of a first visit.)
fn lower_case(text: &str) -> String {
    let lower = |letter: char| {
        let distance = match letter {
            'A'..='Z' | 'À'..='Ö' | 'Ø'..='Þ' | 'А'..='Я' => 32,
            'Ѐ'..='Џ' => 80,
            'Ґ' => 1,
            _ => 0,
        };
        char::from_u32(u32::from(letter) + distance).unwrap_or(letter)
    };
    text.chars().map(lower).collect()
}

/// Class of a character in a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    /// A character between words; also an apostrophe.
    Separator,
    /// A letter of a script that separates words by spaces.
    Letter,
    /// A character of a script without spaces between words, such as Chinese.
    Ideographic,
}

impl CharClass {
    fn of(letter: char) -> Self {
        match letter {
            'ʼ' => Self::Separator,
            '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' if letter.is_alphanumeric() => Self::Ideographic,
            _ if letter.is_alphanumeric() => Self::Letter,
            _ => Self::Separator,
        }
    }
}

/// Splits a text into words. Every two neighbouring ideographs form a word, because no spaces separate words there.
fn split_words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let kind = CharClass::of(first);
        let end = text[start..]
            .find(|letter| CharClass::of(letter) != kind)
            .map_or(text.len(), |at| start + at);
        let run = &text[start..end];
        match kind {
            CharClass::Separator => {}
            CharClass::Letter => found.push(run),
            CharClass::Ideographic => {
                let bounds: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
                match bounds.len() {
                    0..=2 => found.push(run),
                    _ => found.extend(bounds.windows(3).map(|pair| &run[pair[0]..pair[2]])),
                }
            }
        }
        start = end;
    }
    found
}

/// Returns whether a word has more than `n_letters` letters. A word of ideographs always counts as long enough.
fn has_more_letters(word: &str, n_letters: usize) -> bool {
    word.chars().count() > n_letters
        || word
            .chars()
            .all(|letter| CharClass::of(letter) == CharClass::Ideographic)
}

/// Returns whether a word of a lower-case text starts with `start`. If `start` has more than four letters or consists
/// of ideographs, it may also occur inside a word.
fn has_word_starting_with(text: &str, start: &str) -> bool {
    split_words(text).iter().any(|word| word.starts_with(start)) || has_more_letters(start, 4) && text.contains(start)
}

/// Returns whether a word describes a symptom that the lesson explains.
fn lesson_explains_symptom(lesson: &str, word: &str) -> bool {
    SYMPTOMS.iter().any(|symptom| {
        symptom.lessons.contains(&lesson)
            && (has_word_starting_with(&lower_case(&symptom.words.text()), word)
                || has_word_starting_with(&symptom.also.text(), word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each symptom leads to lessons that exist.
    /// Shows: U-18
    #[test]
    fn every_symptom_leads_to_lessons_that_exist() {
        for symptom in SYMPTOMS {
            assert!(!symptom.lessons.is_empty(), "{}", symptom.words.text());
            for lesson in symptom.lessons {
                let file = format!("{}/../session/lessons/{lesson}.yaml", env!("CARGO_MANIFEST_DIR"));
                assert!(
                    std::path::Path::new(&file).exists(),
                    "{}: {lesson}",
                    symptom.words.text()
                );
            }
        }
    }

    #[test]
    fn words_of_all_languages_are_separated() {
        assert_eq!(split_words("my pod won't"), ["my", "pod", "won", "t"]);
        assert_eq!(split_words("мій podʼа"), ["мій", "pod", "а"]);
        assert_eq!(
            split_words("我的pod一直重启。"),
            ["我的", "pod", "一直", "直重", "重启"]
        );
        assert_eq!(lower_case("ÁRBOL Ñandú Її Ґанок ×"), "árbol ñandú її ґанок ×");
        let query = Query::parse("МЕРЕЖУ вузла");
        assert!(query.rank("x", "Поділ мережу", "") > query.rank("x", "Ключ", "вузла"));
    }

    #[test]
    fn lessons_match_words_of_their_symptoms() {
        assert!(lesson_explains_symptom("drain-with-pdb", "drain"));
        assert!(lesson_explains_symptom("first-pod", "pending"));
        assert!(lesson_explains_symptom("force-delete-split-brain", "twice"));
        assert!(!lesson_explains_symptom("first-pod", "drain"));
    }

    /// Complaints in users' words: filler words are ignored, and lessons that match more words come first.
    /// Shows: U-18
    #[test]
    fn lessons_match_whole_complaints() {
        for (text, found, other) in [
            ("Insufficient cpu", "first-pod", "namespace-stuck"),
            ("pod wont start", "crashloopbackoff", "drain-with-pdb"),
            ("My pod won't start!", "first-pod", "drain-with-pdb"),
            ("why is my pod killed", "graceful-termination", "first-pod"),
            ("SIGKILL 137", "prestop-overrun", "first-pod"),
            ("It runs twice", "force-delete-split-brain", "first-pod"),
        ] {
            let query = Query::parse(text);
            let rank = |name| query.rank(name, "", "");
            assert!(rank(found) > rank(other), "{text}");
        }
    }
}
