//! The npm package: a session that a JavaScript program loads, controls and reads (P-06).

use podscope_api::ObjectKey;
use podscope_cluster::{OutputKind, SimTime};
use podscope_kubectl::command::{self, Command};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::Problem;
use podscope_session::link::{self, Link};
use podscope_session::scenario::{self, Loaded};
use podscope_session::timeline::{END_OF_TIME, MAX_RECORDS, Slice};
use podscope_session::{explained, report, timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::{errors, plain_objects};

#[wasm_bindgen(typescript_custom_section)]
const TYPESCRIPT_DECLARATIONS: &str = include_str!("../npm/types.d.ts");

type Fallible<T> = Result<T, JsValue>;

/// Number of events that are processed between two checks of the limits.
const EVENTS_PER_SLICE: u64 = 100_000;

#[wasm_bindgen]
extern "C" {
    /// `Source` of the package's types.
    #[wasm_bindgen(typescript_type = "Source")]
    pub type JsSource;
    /// `LoadOptions` of the package's types.
    #[wasm_bindgen(typescript_type = "LoadOptions")]
    pub type JsOptions;
    /// An instant: seconds as a number, or a duration as text.
    #[wasm_bindgen(typescript_type = "number | string")]
    pub type JsInstant;
}

/// The decoded first argument of `load`.
#[derive(Deserialize)]
#[serde(untagged)]
enum LoadSource {
    Text(String),
    Files(Vec<SourceFile>),
    Link { link: String },
    Lesson { lesson: String },
}

/// A file of a session's source.
#[derive(Deserialize)]
struct SourceFile {
    name: String,
    text: String,
}

/// The decoded `LoadOptions`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LoadOptions {
    seed: Option<u64>,
}

impl LoadOptions {
    /// Decodes the options; an unknown option is a `TypeError`.
    fn read(value: JsOptions) -> Fallible<LoadOptions> {
        // serde-wasm-bindgen ignores unknown fields, so they are rejected here.
        let fields = js_sys::Reflect::own_keys(value.as_ref())?;
        if let Some(unknown) = fields
            .iter()
            .filter_map(|key| key.as_string())
            .find(|key| key != "seed")
        {
            return Err(errors::type_error(&format!("there is no option {unknown:?}")));
        }
        serde_wasm_bindgen::from_value(value.into()).map_err(|error| errors::type_error(&format!("options: {error}")))
    }
}

/// A line of a command's output.
#[derive(Serialize)]
struct PrintedLine<'a> {
    t: f64,
    error: bool,
    text: &'a str,
}

/// Reads manifests, a scenario, a share link or a lesson, and creates a session at its beginning (for a link, at the
/// link's instant).
///
/// `source` is a text, a list of files that are read as one, `{ link }` or `{ lesson }`.
/// `options.seed` overrides the scenario's seed.
///
/// Throws an `InputError` with the place of the first problem, and all problems in `problems`.
#[wasm_bindgen]
pub fn load(source: JsSource, options: Option<JsOptions>) -> Fallible<Session> {
    console_error_panic_hook::set_once();
    let source = serde_wasm_bindgen::from_value(source.into())
        .map_err(|_| errors::type_error("the source is a text, a list of {name, text}, {link} or {lesson}"))?;
    let options: LoadOptions = match options {
        None => LoadOptions::default(),
        Some(options) => LoadOptions::read(options)?,
    };
    match source {
        LoadSource::Text(text) => Session::open(scenario::load(&[("input.yaml".to_owned(), text)]), options, None),
        LoadSource::Files(files) => {
            let files: Vec<_> = files.into_iter().map(|file| (file.name, file.text)).collect();
            Session::open(scenario::load(&files), options, None)
        }
        LoadSource::Lesson { lesson } => {
            let loaded = podscope_session::lessons::load(&lesson);
            Session::open(loaded, options, Some(lesson))
        }
        LoadSource::Link { link } => {
            let link = link::decode(&link).map_err(|message| errors::command_line_error(1, message))?;
            let mut session = Session::open(link.load(), options, link.lesson.clone())?;
            let notices = link.replay(&mut session.inner);
            session.notices.extend(notices.iter().map(ToString::to_string));
            session.advance(link.cursor_at())?;
            let other = link.trace_difference(&session.inner).map(|other| other.to_string());
            session.notices.extend(other);
            Ok(session)
        }
    }
}

/// The built-in lessons in the recommended order; `load({ lesson: name })` opens one.
#[wasm_bindgen(unchecked_return_type = "Lesson[]")]
pub fn lessons() -> Fallible<JsValue> {
    Ok(plain_objects::value(&podscope_session::lessons::list())?)
}

/// A simulated cluster with its own clock. Equal sources, seeds and commands give byte-identical sessions.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Session {
    inner: timeline::Session,
    lesson: Option<String>,
    notices: Vec<String>,
}

impl Session {
    /// Creates a session from a loaded source.
    fn open(loaded: Result<Loaded, Vec<Problem>>, options: LoadOptions, lesson: Option<String>) -> Fallible<Session> {
        let inner = loaded
            .and_then(|mut loaded| {
                loaded.setup.seed = options.seed.unwrap_or(loaded.setup.seed);
                timeline::Session::new(loaded)
            })
            .map_err(|problems| errors::input_error(&problems))?;
        let notices = inner.loaded().notices.iter().map(ToString::to_string).collect();
        Ok(Session { inner, lesson, notices })
    }

    /// Runs or rewinds the session to a time. Throws a `RangeError` if its trace would exceed the maximum number of
    /// records.
    fn advance(&mut self, target: SimTime) -> Fallible<()> {
        self.inner.seek(target);
        loop {
            match self.inner.advance(target, EVENTS_PER_SLICE) {
                Slice::Done => return Ok(()),
                Slice::More => {}
                Slice::Limit => {
                    return Err(errors::range_error(&format!(
                        "a run holds at most {MAX_RECORDS} records"
                    )));
                }
            }
        }
    }

    /// Runs a command that may change the simulated world.
    fn perform(&mut self, command: Command) -> Fallible<JsValue> {
        let before = self.inner.outputs().len();
        self.inner
            .command(command)
            .map_err(|limit| errors::range_error(&limit.to_string()))?;
        self.output(Some(before))
    }

    /// Returns the sequence number of the last scheduling attempt of the pod up to now.
    fn last_attempt(&self, key: &ObjectKey) -> Option<u64> {
        self.inner.attempts_of(key).last().map(|record| record.seq)
    }
}

#[wasm_bindgen]
impl Session {
    /// Simulated time since the beginning, in seconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        to_seconds(self.inner.now())
    }

    /// The seed; a `bigint` if a `number` would not be exact.
    #[wasm_bindgen(getter, unchecked_return_type = "number | bigint")]
    pub fn seed(&self) -> JsValue {
        plain_objects::integer(self.inner.world().seed())
    }

    /// Notices about the loaded source: what was translated, left out, or kept without being simulated.
    #[wasm_bindgen(getter)]
    pub fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    /// Warnings about manifests that are valid but behave unexpectedly.
    #[wasm_bindgen(getter, unchecked_return_type = "Problem[]")]
    pub fn advice(&self) -> Fallible<JsValue> {
        let advice = &self.inner.loaded().advice;
        Ok(plain_objects::value(
            &advice.iter().map(errors::ProblemValue::from).collect::<Vec<_>>(),
        )?)
    }

    /// Runs a command line (`kubectl …`, `fault …`, `app …`) now and returns the lines that it printed at once. A
    /// command that takes simulated time (a drain, a delete that waits) prints the rest later: see `output`. A command
    /// in the past starts a new branch and discards the known future.
    ///
    /// Throws an `InputError` with a column if the line is not a command. A refusal by the API server is not an error:
    /// it is printed, as kubectl does.
    #[wasm_bindgen(unchecked_return_type = "OutputLine[]")]
    pub fn command(&mut self, line: &str) -> Fallible<JsValue> {
        let command = command::parse_unresolved(line).map_err(errors::command_error)?;
        let resolved = self
            .inner
            .resolve_custom_kinds(&command)
            .map_err(errors::command_error)?;
        let t = self.now();
        let printed: Vec<(OutputKind, String)> = match &*resolved {
            Command::Help(topic) => vec![(OutputKind::Output, command::help_text(topic).trim_end().to_owned())],
            Command::Kubectl { action: kubectl, .. } => match self.inner.read(kubectl) {
                Some(printed) => printed.lines,
                None => return self.perform(command),
            },
            Command::Api(_) | Command::Fault { .. } | Command::Stop { .. } => return self.perform(command),
        };
        let lines: Vec<PrintedLine<'_>> = printed
            .iter()
            .flat_map(|(kind, text)| {
                let error = kind.is_stderr();
                text.split('\n').map(move |text| PrintedLine { t, error, text })
            })
            .collect();
        Ok(plain_objects::value(&lines)?)
    }

    /// All output up to now, or from the line with index `from` on.
    #[wasm_bindgen(unchecked_return_type = "OutputLine[]")]
    pub fn output(&self, from: Option<usize>) -> Fallible<JsValue> {
        let lines: Vec<PrintedLine<'_>> = self
            .inner
            .outputs()
            .iter()
            .skip(from.unwrap_or(0))
            .map(PrintedLine::from)
            .collect();
        Ok(plain_objects::value(&lines)?)
    }

    /// Processes the next event or command of the timeline; returns the new time in seconds.
    pub fn step(&mut self) -> f64 {
        self.inner.step();
        self.now()
    }

    /// Runs to an instant since the beginning, and processes every event of that instant. `time` is a number of seconds
    /// or a duration such as `"1m30s"`. A past instant takes the session back to it. Returns the new time in seconds.
    ///
    /// The call returns when the run is done: long runs of large clusters should be in a worker.
    #[wasm_bindgen(js_name = runUntil)]
    pub fn run_until(&mut self, time: JsInstant) -> Fallible<f64> {
        let target = parse_instant(&time.into())?;
        self.advance(target)?;
        Ok(self.now())
    }

    /// Every object of the API server, as `kubectl get -o json` shows them.
    #[wasm_bindgen(unchecked_return_type = "KubernetesObject[]")]
    pub fn objects(&self) -> Fallible<JsValue> {
        Ok(plain_objects::json(&report::object_list(&self.inner)["items"])?)
    }

    /// The containers that really run, on whatever node. A container is a ghost if the API server has no pod with its
    /// UID.
    #[wasm_bindgen(unchecked_return_type = "Process[]")]
    pub fn processes(&self) -> Fallible<JsValue> {
        Ok(plain_objects::array(&report::process_values(&self.inner))?)
    }

    /// The trace records up to now, in order, or from the record with the sequence number `from` on.
    #[wasm_bindgen(unchecked_return_type = "TraceRecord[]")]
    pub fn trace(&self, from: Option<usize>) -> Fallible<JsValue> {
        let values: Vec<Value> = self
            .inner
            .trace()
            .skip(from.unwrap_or(0))
            .map(|record| serde_json::from_str(&record.to_json_line()).unwrap_or_default())
            .collect();
        Ok(plain_objects::array(&values)?)
    }

    /// Explains the scheduler's decision on a pod (`NAMESPACE/NAME`, or a name in `default`): the latest attempt up to
    /// now, or the one whose trace record has the sequence number `attempt`. For a pod without attempts a decision is
    /// made on the present state. Returns `undefined` if there is no such pod or attempt.
    #[wasm_bindgen(unchecked_return_type = "Explanation | undefined")]
    pub fn explain(&self, pod: &str, attempt: Option<usize>) -> Fallible<JsValue> {
        let key = match pod.split_once('/') {
            Some((namespace, name)) => ObjectKey::new(namespace, name),
            None => ObjectKey::new("default", pod),
        };
        let recorded = match attempt {
            Some(seq) => self.inner.explain(seq as u64),
            None => self.last_attempt(&key).and_then(|seq| self.inner.explain(seq)),
        };
        let found = match (recorded, attempt) {
            (Some(recorded), _) => Some(recorded),
            (None, Some(_)) => None,
            (None, None) => self.inner.explain_now(&key),
        };
        let explanation = found.and_then(|found| serde_json::to_value(explained::explanation_json(&found)).ok());
        Ok(match explanation {
            Some(explanation) => plain_objects::json(&explanation)?,
            None => JsValue::UNDEFINED,
        })
    }

    /// The fragment of a share link (`s1:…`) that opens this session at this instant: with `load({ link })`, or on
    /// Podscope's page after `#`.
    pub fn link(&self) -> String {
        Link::of(&self.inner, self.lesson.as_deref(), String::new()).encode()
    }
}

impl<'a> From<&'a podscope_cluster::OutputLine> for PrintedLine<'a> {
    fn from(line: &'a podscope_cluster::OutputLine) -> Self {
        PrintedLine {
            t: to_seconds(line.at),
            error: line.kind.is_stderr(),
            text: &line.text,
        }
    }
}

fn to_seconds(at: SimTime) -> f64 {
    at.0 as f64 / 1e6
}

/// Converts a number of seconds, or the text of a duration, to a time.
fn parse_instant(time: &JsValue) -> Fallible<SimTime> {
    let at = match (time.as_f64(), time.as_string()) {
        (Some(seconds), _) if seconds.is_finite() => SimTime((seconds * 1e6).round() as i64),
        (_, Some(text)) => SimTime::ZERO + parse_duration(&text).map_err(|message| errors::type_error(&message))?,
        _ => {
            return Err(errors::type_error(
                "a time is a number of seconds or a duration such as \"5m\"",
            ));
        }
    };
    if at < SimTime::ZERO || at > END_OF_TIME {
        return Err(errors::range_error("a time lies between 0 and one hundred years"));
    }
    Ok(at)
}
