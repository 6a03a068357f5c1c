//! `podscope whatif`: where pods would be scheduled and what would stop running after a change of the cluster.

use std::process::ExitCode;

use podscope_api::{Kind, ObjectKey};
use podscope_session::whatif::{self, MAX_DRAWS, Options, Question};

use crate::args::{self, Output};
use crate::interrupt;

/// The parsed command line, before the positional words are divided into a question and files.
struct Line {
    words: Vec<String>,
    cluster: Vec<String>,
    count: Option<u32>,
    replicas: Option<i32>,
    draws: u32,
    namespace: String,
    output: Output,
}

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let mut line = Line {
        words: Vec::new(),
        cluster: Vec::new(),
        count: None,
        replicas: None,
        draws: 1,
        namespace: "default".to_owned(),
        output: Output::Text,
    };
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => line.words.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("cluster") => line.cluster.push(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("count") => line.count = Some(number(&mut parser, "--count", 1_000)?),
            lexopt::Arg::Long("replicas") => {
                line.replicas = Some(number(&mut parser, "--replicas", 100_000)?.cast_signed());
            }
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
        return Err("whatif needs a question: drain, lose-zone, add, scale or fit".into());
    }
    let verb = line.words.remove(0);
    if verb == "fit" {
        return fit(line);
    }
    // Files may stand last, without a flag.
    let is_file = |word: &String| word == "-" || [".yaml", ".yml", ".json"].iter().any(|end| word.ends_with(end));
    let (files, words): (Vec<String>, Vec<String>) = std::mem::take(&mut line.words).into_iter().partition(is_file);
    line.cluster.extend(files);
    let question = question(&verb, words, &line)?;
    if line.cluster.is_empty() {
        line.cluster.push("-".to_owned());
    }
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
        other => Err(format!("whatif answers drain, lose-zone, add, scale and fit, not {other:?}").into()),
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
    let given = Options {
        draws: line.draws,
        stop: interrupt::is_interrupted,
    };
    let answer = whatif::ask(&loaded, question, given).map_err(|problems| args::print_problems(&problems))?;
    line.output.print(
        || whatif::text(&answer),
        || whatif::markdown(&answer),
        || serde_json::json!(answer),
    );
    Ok(ExitCode::SUCCESS)
}

/// `fit PODFILE [FILE…|-]`: the first word is the file of the pod.
fn fit(mut line: Line) -> Result<ExitCode, lexopt::Error> {
    if line.words.is_empty() {
        return Err("whatif fit takes the file of a pod".into());
    }
    let shape = line.words.remove(0);
    line.cluster.append(&mut line.words);
    if line.cluster.is_empty() {
        line.cluster.push("-".to_owned());
    }
    let count_fits = || -> Result<ExitCode, ExitCode> {
        let mut shapes = args::files(std::slice::from_ref(&shape))?;
        let loaded = args::load(&line.cluster)?;
        let shape = shapes.pop().ok_or(ExitCode::from(args::BAD_INPUT))?;
        let fit = whatif::fit(&loaded, shape, interrupt::is_interrupted)
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
