//! `podscope whatif`: where pods would be scheduled and what would stop running after a change of the cluster.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, ObjectKey};
use podscope_protocol::Problem;
use podscope_session::scenario::Loaded;
use podscope_session::whatif::{self, Answer, MAX_DRAWS, Question};

use crate::args::{self, Output};
use crate::interrupt;

/// Default number of drains that a consolidation tries.
const DRAINS_TRIED: usize = 20;

/// The parsed command line, before the positional words are divided into a question and files.
struct Line {
    words: Vec<String>,
    cluster: Vec<String>,
    count: Option<u32>,
    need: Option<u32>,
    also: Vec<String>,
    replicas: Option<i32>,
    draws: u32,
    is_rolling: bool,
    namespace: String,
    output: Output,
}

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let mut line = Line {
        words: Vec::new(),
        cluster: Vec::new(),
        count: None,
        need: None,
        also: Vec::new(),
        replicas: None,
        draws: 1,
        is_rolling: false,
        namespace: "default".to_owned(),
        output: Output::Text,
    };
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => line.words.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("cluster") => line.cluster.push(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("count") => line.count = Some(number(&mut parser, "--count", 1_000)?),
            lexopt::Arg::Long("need") => line.need = Some(number(&mut parser, "--need", 100_000)?),
            lexopt::Arg::Long("also") => line.also.push(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("replicas") => {
                line.replicas = Some(number(&mut parser, "--replicas", 100_000)?.cast_signed());
            }
            lexopt::Arg::Long("rolling") => line.is_rolling = true,
            lexopt::Arg::Long("draws") => line.draws = number(&mut parser, "--draws", MAX_DRAWS)?,
            lexopt::Arg::Short('n') | lexopt::Arg::Long("namespace") => {
                line.namespace = parser.value()?.to_string_lossy().into_owned();
            }
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => line.output = Output::parse(&parser.value()?)?,
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if line.words.is_empty() {
        return Err("whatif needs a question: drain, lose-zone, add, scale, fit or consolidate".into());
    }
    let verb = line.words.remove(0);
    if verb == "fit" {
        return fit(line);
    }
    // Files may stand last, without a flag.
    let is_file = |word: &String| word == "-" || [".yaml", ".yml", ".json"].iter().any(|end| word.ends_with(end));
    let (files, words): (Vec<String>, Vec<String>) = std::mem::take(&mut line.words).into_iter().partition(is_file);
    line.cluster.extend(files);
    if line.is_rolling && verb != "drain" {
        return Err("--rolling goes with drain".into());
    }
    if verb != "fit" && (line.need.is_some() || !line.also.is_empty()) {
        return Err("--need and --also go with fit".into());
    }
    if verb == "consolidate" {
        if let Some(word) = words.first() {
            return Err(format!("whatif consolidate takes files, not {word:?}").into());
        }
        if line.cluster.is_empty() {
            line.cluster.push("-".to_owned());
        }
        return Ok(consolidate(&line).unwrap_or_else(|status| status));
    }
    let is_rolling = line.is_rolling;
    let question = (!is_rolling)
        .then(|| question(&verb, words.clone(), &line))
        .transpose()?;
    if line.cluster.is_empty() {
        line.cluster.push("-".to_owned());
    }
    let Some(question) = question else {
        return Ok(rolling_drain(&line, &words).unwrap_or_else(|status| status));
    };
    Ok(answer(&line, &question).unwrap_or_else(|status| status))
}

fn number(parser: &mut lexopt::Parser, flag: &str, most: u32) -> Result<u32, lexopt::Error> {
    let text = parser.value()?.to_string_lossy().into_owned();
    let number = text.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("{flag} takes a number up to {most}, not {text:?}").into())
}

fn question(verb: &str, words: Vec<String>, line: &Line) -> Result<Question, lexopt::Error> {
    let one = |noun: &str| match words.as_slice() {
        [word] => Ok(word.clone()),
        _ => Err(lexopt::Error::from(format!("whatif {verb} takes one {noun}"))),
    };
    let reject_unused = |is_given: bool, flag: &str, verb_of_flag: &str| match is_given && verb != verb_of_flag {
        true => Err(lexopt::Error::from(format!("{flag} goes with {verb_of_flag}"))),
        false => Ok(()),
    };
    reject_unused(line.count.is_some(), "--count", "add")?;
    reject_unused(line.replicas.is_some(), "--replicas", "scale")?;
    match verb {
        "drain" if words.is_empty() => Err("whatif drain takes the nodes".into()),
        "drain" => Ok(Question::Drain(words)),
        "lose-zone" => Ok(Question::LoseZone(one("zone")?)),
        "add" => Ok(Question::Add {
            like: one("node, which the new ones are like")?,
            count: line.count.unwrap_or(1).max(1),
        }),
        "scale" => {
            let workload = one("workload, KIND/NAME")?;
            let replicas = line.replicas.ok_or("whatif scale needs --replicas")?;
            let (kind, name) = workload.split_once('/').ok_or("whatif scale takes KIND/NAME")?;
            let kind = scalable_kind(kind).ok_or_else(|| format!("{kind:?} cannot be scaled"))?;
            Ok(Question::Scale {
                kind,
                key: ObjectKey::new(&*line.namespace, name),
                replicas,
            })
        }
        other => Err(format!("whatif answers drain, lose-zone, add, scale, fit and consolidate, not {other:?}").into()),
    }
}

/// Parses the kind of a scalable workload from its resource name, short name or kind name.
fn scalable_kind(word: &str) -> Option<Kind> {
    const SCALABLE: [Kind; 4] = [
        Kind::Deployment,
        Kind::StatefulSet,
        Kind::ReplicaSet,
        Kind::ReplicationController,
    ];
    Kind::from_resource_name(word).filter(|kind| SCALABLE.contains(kind))
}

fn answer(line: &Line, question: &Question) -> Result<ExitCode, ExitCode> {
    let loaded = args::load(&line.cluster)?;
    let answers =
        ask_draws(&loaded, question, line.draws.max(1)).map_err(|problems| args::print_problems(&problems))?;
    let answer = whatif::combine_draws(answers);
    line.output.print(
        || whatif::text(&answer),
        || whatif::markdown(&answer),
        || serde_json::json!(answer),
    );
    Ok(ExitCode::SUCCESS)
}

/// The answers of all draws in their order, asked with as many threads as there are processors.
fn ask_draws(loaded: &Loaded, question: &Question, draws: u32) -> Result<Vec<Answer>, Vec<Problem>> {
    let next = AtomicU32::new(0);
    type Asked = Result<Answer, Vec<Problem>>;
    let answers: Mutex<Vec<(u32, Asked)>> = Mutex::default();
    let work = || {
        loop {
            let draw = next.fetch_add(1, Ordering::Relaxed);
            // The first draw is always asked, so that an interrupted question has an answer.
            if draw >= draws || (draw > 0 && interrupt::is_interrupted()) {
                break;
            }
            let answer = whatif::ask(loaded, question, draw, interrupt::is_interrupted);
            if let Ok(mut answers) = answers.lock() {
                answers.push((draw, answer));
            }
        }
    };
    let n_threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(draws as usize);
    thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(work);
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    answers.stable_sort_by_key(|(draw, _)| *draw);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// `drain --rolling [NODE…]`: without nodes, all of them.
fn rolling_drain(line: &Line, nodes: &[String]) -> Result<ExitCode, ExitCode> {
    let loaded = args::load(&line.cluster)?;
    let rolling = whatif::rolling_drain(&loaded, nodes, interrupt::is_interrupted)
        .map_err(|problems| args::print_problems(&problems))?;
    line.output.print(
        || whatif::rolling_text(&rolling),
        || whatif::rolling_markdown(&rolling),
        || serde_json::json!(rolling),
    );
    Ok(ExitCode::SUCCESS)
}

/// `consolidate`: the nodes that can go.
fn consolidate(line: &Line) -> Result<ExitCode, ExitCode> {
    let loaded = args::load(&line.cluster)?;
    let most = line.count.map_or(DRAINS_TRIED, |count| count as usize);
    let found = whatif::consolidate(&loaded, most, interrupt::is_interrupted)
        .map_err(|problems| args::print_problems(&problems))?;
    line.output.print(
        || whatif::consolidation_text(&found),
        || whatif::consolidation_markdown(&found),
        || serde_json::json!(found),
    );
    Ok(ExitCode::SUCCESS)
}

/// A shape on the command line: `FILE`, or `FILE=N` for N copies in each round.
fn shape(word: &str) -> Result<(String, usize), lexopt::Error> {
    let Some((file, copies)) = word.rsplit_once('=') else {
        return Ok((word.to_owned(), 1));
    };
    let copies = copies.parse().ok().filter(|copies| (1..=1_000).contains(copies));
    let copies = copies.ok_or_else(|| format!("{word:?} is not FILE=N with N from 1 to 1000"))?;
    Ok((file.to_owned(), copies))
}

/// `fit PODFILE [FILE…|-]`: the first word is the file of the pod.
fn fit(mut line: Line) -> Result<ExitCode, lexopt::Error> {
    if line.words.is_empty() {
        return Err("whatif fit takes the file of a pod".into());
    }
    let mut shapes = vec![shape(&line.words.remove(0))?];
    for word in &line.also {
        shapes.push(shape(word)?);
    }
    line.cluster.append(&mut line.words);
    if line.cluster.is_empty() {
        line.cluster.push("-".to_owned());
    }
    let count_fits = || -> Result<ExitCode, ExitCode> {
        let mut all = Vec::new();
        for (file, copies) in &shapes {
            let file = args::files(std::slice::from_ref(file))?.pop();
            let (file, copies) = (file.ok_or(ExitCode::from(args::BAD_INPUT))?, *copies);
            all.push(whatif::Shape { file, copies });
        }
        let loaded = args::load(&line.cluster)?;
        let need = line.need.map_or(0, |need| need as usize);
        let fit = whatif::fit(&loaded, all, need, interrupt::is_interrupted)
            .map_err(|problems| args::print_problems(&problems))?;
        line.output.print(
            || whatif::fit_text(&fit),
            || whatif::fit_markdown(&fit),
            || serde_json::json!(fit),
        );
        Ok(ExitCode::SUCCESS)
    };
    Ok(count_fits().unwrap_or_else(|status| status))
}
