//! Share links (T-03): `s1:` and a JSON document, deflated and in base64url, which contains everything that is needed
//! to see the same run. Decoding never panics: any string results in a link or in an error message, and sizes are
//! checked before memory is allocated.
//!
//! The format `s1:` will be supported forever. A new format gets a new prefix.

mod compared;

pub use compared::Compared;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use podscope_api::KUBERNETES_VERSION;
use podscope_cluster::{Fingerprint, SimTime};
use serde::{Deserialize, Serialize};

use crate::lessons;
use crate::scenario::{self, File, Loaded, Timed};
use crate::timeline::{Branch, END_OF_TIME, MAX_BRANCHES, MAX_COMMANDS, Session, trace_hash};
use podscope_kubectl::command;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::{LinkLength, OtherEngine, Problem, Remark};

/// Prefix of links in the current format.
pub const PREFIX: &str = "s1:";
/// Maximum length of a link that can be opened, in characters.
pub const MAX_OPENABLE_LINK_LENGTH: usize = 4 << 20;
/// Maximum size of a link's document after it has been inflated, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 32 << 20;
/// File name of a lesson's text in the files of a link.
const LESSON_FILE: &str = "lesson.yaml";
/// Length of a link in characters above which the user gets a warning.
pub const LINK_WARNING_LENGTH: usize = podscope_protocol::LINK_WARNING_LENGTH;

/// Content of a share link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Link {
    /// Version of the engine that created the link.
    #[serde(rename = "e", default)]
    pub engine: String,
    /// Name of a built-in lesson. The lesson's story is shown if the lesson still behaves like `files`.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Files of the scenario, in order. For a lesson, its text without the parts that do not affect the run
    /// ([`lessons::text_without_story`]); older links contain more of the lesson.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    #[serde(rename = "s", default)]
    pub seed: u64,
    /// Time of the cursor, in microseconds.
    #[serde(rename = "c", default)]
    pub cursor: i64,
    /// The user's commands: microseconds since the previous command, and text.
    #[serde(rename = "u", default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<(i64, String)>,
    /// Other branches of the session. Only links that the page stores contain them.
    #[serde(rename = "b", default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherBranch>,
    /// Index of the current branch among all branches.
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    pub place: usize,
    /// Parent of the current branch, with the time of the fork in microseconds. None for the first branch.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub fork_point: Option<(usize, i64)>,
    /// Hash of the trace at the cursor over whole lines ([`Fingerprint::WholeLines`]). Older links contain it instead
    /// of [`Link::facts_hash`]. New links do not contain it.
    #[serde(rename = "h", default, skip_serializing_if = "String::is_empty")]
    pub trace_hash: String,
    /// Hash of the trace at the cursor over the facts in its lines ([`Fingerprint::Facts`]).
    #[serde(rename = "g", default, skip_serializing_if = "String::is_empty")]
    pub facts_hash: String,
    /// State of the page, as text that only the page interprets.
    #[serde(rename = "x", default, skip_serializing_if = "String::is_empty")]
    pub screen: String,
    /// The reader's current step and answers in a lesson's story. Without them, all shown steps are treated as seen.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ReaderState>,
    /// The branch with which the run is compared ([`Compared::Branch`]).
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub compared_branch: Option<usize>,
    /// The scenario with which the run is compared ([`Compared::Scenario`]).
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub compared_scenario: Option<String>,
}

/// A reader's current step in a lesson's story, and the reader's answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReaderState {
    /// The step that the page shows.
    #[serde(rename = "s", default, skip_serializing_if = "is_zero")]
    pub step: usize,
    /// Answers by step. None if the question was skipped.
    #[serde(rename = "a", default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(usize, Option<String>)>,
}

/// A branch of a stored session that is not the current branch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OtherBranch {
    /// Parent of the branch, with the time of the fork in microseconds. None for the first branch.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub fork_point: Option<(usize, i64)>,
    /// Time of the cursor, in microseconds.
    #[serde(rename = "c", default)]
    pub cursor: i64,
    /// Commands, encoded like [`Link::commands`].
    #[serde(rename = "u", default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<(i64, String)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_zero(index: &usize) -> bool {
    *index == 0
}

/// Returns the engine's name in links: its version and that of Kubernetes, separated by `+`.
fn engine_name() -> String {
    format!("{}+{KUBERNETES_VERSION}", env!("CARGO_PKG_VERSION"))
}

/// Returns the version of Kubernetes in an engine's name. Links of the first engines contain no such version; these
/// engines simulated v1.34.
fn kubernetes_version_of(engine: &str) -> &str {
    engine.split_once('+').map_or("v1.34", |(_, kubernetes)| kubernetes)
}

/// Encodes the user's commands in the form of [`Link::commands`].
fn encode_commands<'a>(commands: impl Iterator<Item = &'a Timed>) -> Vec<(i64, String)> {
    let mut last = 0;
    let encode_commands = commands.map(|timed| {
        let since = timed.at.0 - last;
        last = timed.at.0;
        (since, timed.command.to_string())
    });
    encode_commands.collect()
}

/// Decodes the commands of a link, the reverse of [`encode_commands`].
fn decode_commands(commands: &[(i64, String)]) -> Result<Vec<Timed>, Remark> {
    let mut at = SimTime::ZERO;
    commands
        .iter()
        .map(|(since, text)| {
            at = SimTime(at.0.saturating_add((*since).max(0))).min(END_OF_TIME);
            command::parse_unresolved(text)
                .map(|command| Timed { at, command })
                .map_err(|error| Remark::Unreadable {
                    command: text.clone(),
                    error: error.to_string(),
                })
        })
        .collect()
}

/// Returns a warning about a link's length. None if the link has at most [`LINK_WARNING_LENGTH`] characters.
#[must_use]
pub fn length_warning(fragment: &str) -> Option<LinkLength> {
    let characters = fragment.len();
    if characters > podscope_protocol::MAX_LINK_LENGTH {
        return Some(LinkLength::TooLong { characters });
    }
    (characters > LINK_WARNING_LENGTH).then_some(LinkLength::Long {
        characters,
        limit: LINK_WARNING_LENGTH,
    })
}

impl Link {
    /// Creates the link of a session at its cursor.
    pub fn of(session: &Session, lesson: Option<&str>, screen: String) -> Link {
        Link {
            facts_hash: session.trace_hash(),
            ..Link::without_trace_hash(session, lesson, screen, session.now())
        }
    }

    /// Like [`Link::of`], but for another cursor on the current branch, and without a hash of the trace.
    pub(crate) fn without_trace_hash(session: &Session, lesson: Option<&str>, screen: String, cursor: SimTime) -> Link {
        let loaded = session.loaded();
        let commands = encode_commands(session.commands().iter().filter(|timed| timed.at <= cursor));
        // A lesson whose text the user has edited is no longer the built-in lesson.
        let lesson = lesson.filter(|name| {
            let text = loaded.files.first().map(|(_, text)| text.as_str());
            loaded.files.len() == 1 && lessons::text(name) == text
        });
        Link {
            engine: engine_name(),
            lesson: lesson.map(str::to_owned),
            files: match lesson.and_then(lessons::text_without_story) {
                Some(bare) => vec![(LESSON_FILE.to_owned(), bare)],
                None => loaded.files.clone(),
            },
            seed: loaded.setup.seed,
            cursor: cursor.0,
            commands,
            screen,
            ..Link::default()
        }
    }

    /// Returns the link that the page stores: this link with the commands after the cursor and the other branches. None
    /// if the session has no such commands or branches; the page then stores this link unchanged.
    #[must_use]
    pub fn with_all_branches(&self, session: &Session) -> Option<Link> {
        let commands = session.commands();
        let branches = session.branches();
        let fork_point = |branch: &Branch| branch.parent.map(|parent| (parent, branch.from.0));
        let others = branches
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != session.current_branch_index());
        let others: Vec<OtherBranch> = others
            .map(|(_, branch)| OtherBranch {
                fork_point: fork_point(branch),
                cursor: branch.cursor.0,
                commands: encode_commands(branch.commands()),
            })
            .collect();
        (commands.len() > self.commands.len() || !others.is_empty()).then(|| Link {
            commands: encode_commands(commands.iter()),
            others,
            place: session.current_branch_index(),
            fork_point: fork_point(session.branch()),
            ..self.clone()
        })
    }

    /// Creates a link that contains files and no user commands, as `podscope link encode` does.
    pub fn of_files(files: Vec<File>, seed: u64) -> Link {
        Link {
            engine: engine_name(),
            files,
            seed,
            ..Link::default()
        }
    }

    pub fn encode(&self) -> String {
        let document = serde_json::to_vec(self).unwrap_or_default();
        let packed = miniz_oxide::deflate::compress_to_vec(&document, 9);
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(packed))
    }

    /// Returns the name of the lesson whose story is shown with this link. None if the link has no lesson, or if the
    /// lesson has been changed so that it behaves differently.
    pub fn story_lesson(&self) -> Option<&str> {
        let name = self.lesson.as_deref()?;
        let bare = lessons::text_without_story(name)?;
        let is_same = self.files.first();
        let is_same = is_same.is_none_or(|(_, text)| lessons::without_story(text) == bare);
        is_same.then_some(name)
    }

    /// Loads the scenario that the link contains.
    ///
    /// # Errors
    /// All problems of the files.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        let mut loaded = match (self.story_lesson(), &self.lesson) {
            (Some(name), _) => lessons::load(name)?,
            (None, Some(name)) if self.files.is_empty() => lessons::load(name)?,
            _ => scenario::load(&self.files)?,
        };
        loaded.setup.seed = self.seed;
        Ok(loaded)
    }

    /// Parses the user's commands.
    ///
    /// # Errors
    /// The first command that cannot be parsed.
    pub fn parse_commands(&self) -> Result<Vec<Timed>, Remark> {
        decode_commands(&self.commands)
    }

    /// Schedules the link's commands and adds its branches, in a session at t = 0. The caller then advances the session
    /// to [`Link::cursor_at`]. Returns notices for the user.
    pub fn replay(&self, session: &mut Session) -> Vec<Remark> {
        let mut notices = Vec::new();
        match self.parse_commands() {
            Ok(commands) => session.schedule(commands),
            Err(unreadable) => notices.push(unreadable),
        }
        let others = self.others.iter().map(|other| {
            let commands = decode_commands(&other.commands)?;
            Ok((
                other.fork_point,
                SimTime(other.cursor).clamp(SimTime::ZERO, END_OF_TIME),
                commands,
            ))
        });
        match others.collect::<Result<Vec<_>, Remark>>() {
            Ok(others) if !others.is_empty() => session.add_stored_branches(others, self.place, self.fork_point),
            Ok(_) => {}
            Err(unreadable) => notices.push(unreadable),
        }
        if let (None, Some(name)) = (self.story_lesson(), &self.lesson) {
            notices.push(Remark::LessonChanged {
                name: name.clone(),
                is_gone: lessons::text(name).is_none(),
            });
        }
        notices
    }

    pub fn cursor_at(&self) -> SimTime {
        SimTime(self.cursor).clamp(SimTime::ZERO, END_OF_TIME)
    }

    /// Compares the session's trace at the cursor with the link's hash of the trace. If they differ, returns the
    /// versions of both engines and the time of the cursor.
    pub fn trace_difference(&self, session: &Session) -> Option<OtherEngine> {
        let is_same = if self.facts_hash.is_empty() {
            self.trace_hash.is_empty() || trace_hash(session.trace(), Fingerprint::WholeLines) == self.trace_hash
        } else {
            session.trace_hash() == self.facts_hash
        };
        if is_same {
            return None;
        }
        let (followed, own) = (kubernetes_version_of(&self.engine), engine_name());
        Some(OtherEngine {
            maker: self.engine.clone(),
            followed: (followed != kubernetes_version_of(&own)).then(|| followed.to_owned()),
            own,
            before: session.now().0,
        })
    }

    /// Returns the link with the names of the user's objects replaced (Q-06).
    pub fn anonymised(self) -> Link {
        self.renamed_with_table().0
    }

    /// Like [`Link::anonymised`], but also returns the table of the old and new names.
    pub(crate) fn renamed_with_table(self) -> (Link, crate::rename::NameTable) {
        crate::rename::rename_link(self)
    }
}

/// Decodes a link: a URL fragment that begins with `s1:`, or a URL that contains one.
///
/// # Errors
/// A message why the link cannot be opened.
pub fn decode(text: &str) -> Result<Link, Sentence> {
    let text = text.trim();
    if let Some(form) = newer_format_prefix(text) {
        return Err(sentence!(link::newer, form = form, known = PREFIX));
    }
    let start = text.find(PREFIX).ok_or_else(|| sentence!(link::no_link))?;
    let body = text.get(start + PREFIX.len()..).unwrap_or_default();
    let body = body.split(['&', '#', '?']).next().unwrap_or_default();
    if body.len() > MAX_OPENABLE_LINK_LENGTH {
        return Err(sentence!(link::too_long, limit = MAX_OPENABLE_LINK_LENGTH));
    }
    let packed = URL_SAFE_NO_PAD
        .decode(body.trim_end_matches('='))
        .map_err(|_| sentence!(link::damaged_character))?;
    let document =
        miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, MAX_DOCUMENT_BYTES).map_err(|error| {
            if error.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput {
                sentence!(link::unfolds_too_far, limit = MAX_DOCUMENT_BYTES)
            } else {
                sentence!(link::damaged_part)
            }
        })?;
    let link: Link = serde_json::from_slice(&document).map_err(|_| sentence!(link::no_session))?;
    if link.commands.len() > MAX_COMMANDS {
        return Err(sentence!(link::too_many_commands, limit = MAX_COMMANDS));
    }
    if link.others.len() >= MAX_BRANCHES || link.others.iter().any(|other| other.commands.len() > MAX_COMMANDS) {
        return Err(sentence!(link::too_many_branches, limit = MAX_BRANCHES));
    }
    if link.lesson.is_none() && link.files.is_empty() {
        return Err(sentence!(link::no_scenario));
    }
    Ok(link)
}

/// Finds the prefix of a newer link format, alone or in a URL: `s`, a number above 1 and a colon.
fn newer_format_prefix(text: &str) -> Option<&str> {
    let starts = std::iter::once(0).chain(text.match_indices(['#', '&']).map(|(at, _)| at + 1));
    starts.filter_map(|at| text.get(at..)).find_map(|part| {
        let (form, _) = part.split_once(':')?;
        let number = form.strip_prefix('s')?;
        let is_number = !number.is_empty() && number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && !number.starts_with('0') && number != "1").then_some(form)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: T-03, Q-04
    #[test]
    fn link_of_newer_format_is_refused_with_advice() {
        for text in ["s2:AbC", "https://example.org/play/?x=1#s17:AbC&embed=cluster", " s2: "] {
            let message = decode(text).expect_err("unknown").english();
            assert!(message.contains("newer Podscope"), "{text}: {message}");
        }
        for text in ["s0:x", "s1:AAAA", "x:y", "#lesson=first-pod"] {
            let message = decode(text).expect_err("no link").english();
            assert!(!message.contains("newer"), "{text}");
        }
    }

    /// Shows: T-03
    #[test]
    fn encoded_link_decodes_to_same_link() {
        let link = Link {
            engine: "0.1.0".into(),
            files: vec![(
                "a.yaml".into(),
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n".into(),
            )],
            seed: u64::MAX,
            cursor: 12_345_678,
            commands: vec![(10_000_000, "fault partition a-1".into())],
            trace_hash: "0123456789abcdef".into(),
            screen: "pod=default/p".into(),
            ..Link::default()
        };
        let text = link.encode();
        assert!(text.starts_with("s1:"));
        assert_eq!(decode(&text), Ok(link.clone()));
        assert_eq!(
            decode(&format!("https://example.org/play/#{text}&embed=cluster")),
            Ok(link)
        );
    }

    /// A link of an engine that simulated v1.34 opens with a notice that the scheduler's decisions before the time of
    /// the cursor may differ.
    /// Shows: T-03
    #[test]
    fn link_of_other_engine_reports_difference() {
        let cases = [
            ("0.1.0", "engine 0.1.0, which followed Kubernetes v1.34; this is "),
            (engine_name().as_str(), "; this is "),
        ]
        .map(|(engine, says)| (engine.to_owned(), says.to_owned()));
        for (engine, says) in cases {
            let link = Link {
                engine,
                cursor: 2_000_000,
                trace_hash: "0123456789abcdef".into(),
                ..Link::of_files(
                    vec![(
                        "a.yaml".into(),
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: c}]}\n"
                            .into(),
                    )],
                    1,
                )
            };
            let mut session = Session::new(decode(&link.encode()).unwrap().load().unwrap()).unwrap();
            link.replay(&mut session);
            session.advance(link.cursor_at(), u64::MAX);
            let message = link.trace_difference(&session).unwrap().to_string();
            assert!(message.contains(&says), "{message}");
            assert!(
                message.ends_with(&format!("somewhere before {}.", session.now())),
                "{message}"
            );
        }
    }

    /// Shows: Q-03
    #[test]
    fn decoding_any_string_does_not_panic() {
        let bomb = miniz_oxide::deflate::compress_to_vec(&vec![b' '; MAX_DOCUMENT_BYTES + 1000], 9);
        let bomb = format!("s1:{}", URL_SAFE_NO_PAD.encode(bomb));
        for text in [
            "",
            "s1:",
            "s1:!!",
            "s1:AAAA",
            "s0:x",
            "s1:eJwDAAAAAAE",
            "s1:ü",
            bomb.as_str(),
        ] {
            assert!(decode(text).is_err(), "{text}");
        }
        // Truncated links are refused or decoded. They do not cause a panic.
        let text = Link::of_files(vec![("a".into(), "x: y".into())], 1).encode();
        for end in 0..text.len() {
            let _ = decode(text.get(..end).unwrap_or_default());
        }
    }

    /// Shows: T-03
    #[test]
    fn lesson_links_with_20_commands_are_below_2000_chars() {
        for name in lessons::names() {
            let link = Link {
                engine: "0.1.0".into(),
                lesson: Some(name.to_owned()),
                files: vec![(
                    LESSON_FILE.into(),
                    lessons::text_without_story(name).unwrap_or_default(),
                )],
                seed: 42,
                cursor: 1_800_000_000,
                commands: (0..20)
                    .map(|at| {
                        (
                            12_345_678 + at * 1_111_111,
                            format!("kubectl delete pod web-{at} --grace-period=0 --force -n default"),
                        )
                    })
                    .collect(),
                trace_hash: "0123456789abcdef".into(),
                screen: "{\"selected\":\"pod/default/web-0\",\"panels\":[\"cluster\",\"timeline\"]}".into(),
                ..Link::default()
            };
            let text = link.encode();
            assert!(text.len() < LINK_WARNING_LENGTH, "{name}: {}", text.len());
        }
    }

    /// Shows: T-03
    #[test]
    fn link_works_after_its_lesson_has_changed() {
        let run = |loaded: Loaded| {
            let mut session = Session::new(loaded).expect("a session");
            session.advance(SimTime::from_seconds(15), u64::MAX);
            session
        };
        let session = run(lessons::load("sidecars").expect("a lesson"));
        let link = Link::of(&session, Some("sidecars"), String::new());
        assert_eq!(
            (link.story_lesson(), link.replay(&mut session.clone())),
            (Some("sidecars"), Vec::new())
        );
        assert!(!link.load().expect("the lesson").scenario.steps.is_empty());
        let bare = &link.files[0].1;
        for (name, text, what) in [
            ("sidecars", bare.replace("seed: 8", "seed: 9"), "was changed"),
            ("no-such-lesson", bare.clone(), "was removed"),
        ] {
            let link = Link {
                lesson: Some(name.into()),
                files: vec![(LESSON_FILE.into(), text)],
                ..link.clone()
            };
            let loaded = link.load().expect("the files in the link load");
            let mut shown = run(loaded);
            assert_eq!(link.trace_difference(&shown), None);
            let notices = link.replay(&mut shown);
            assert!(notices[0].to_string().contains(what), "{notices:?}");
        }
        // Links of older versions also contain the fields that only the list of lessons shows; here the summary
        // differs.
        let text = lessons::text("sidecars").expect("a lesson");
        let with_annotations = text.split_once("  steps:").expect("a story").0.to_owned();
        assert!(with_annotations.contains("podscope.dev/summary") && !bare.contains("podscope.dev/summary"));
        let old = Link {
            files: vec![(
                LESSON_FILE.into(),
                with_annotations.replace("summary: \"", "summary: \"Once, "),
            )],
            ..link.clone()
        };
        assert_eq!(
            (old.story_lesson(), old.replay(&mut session.clone())),
            (Some("sidecars"), Vec::new())
        );
        // Links made before v3 do not embed the lesson file.
        let old = Link {
            files: Vec::new(),
            ..link
        };
        assert_eq!(old.story_lesson(), Some("sidecars"));
        let gone = Link {
            lesson: Some("no-such-lesson".into()),
            ..old
        };
        assert_eq!(
            gone.load().expect_err("nothing")[0].message.english(),
            "there is no lesson \"no-such-lesson\""
        );
    }
}
