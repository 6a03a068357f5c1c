//! `podscope whatif`: where pods would be scheduled and what would stop running after a change of the cluster.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use clap::{Args, Subcommand};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, ObjectKey};
use podscope_protocol::{Problem, markdown};
use podscope_session::scenario::Loaded;
use podscope_session::whatif::{self, Answer, MAX_DRAWS, ProgressStage, Question, WorkControl};

use crate::args::{self, AnswerFormat, UsageError};
use crate::progress::Progress;
use crate::{interrupt, language};

/// Ask where pods would go after a change of the cluster
///
/// Says which budget keeps a pod, which volumes cannot follow, how full the nodes get, and which guarantees break and
/// for how long: two runs of the cluster, with the change and without, until nothing moves (15 minutes at most). Files
/// may stand last, without --cluster. On a terminal, progress is shown on stderr; Ctrl-C answers with what is known so
/// far.
#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    #[command(flatten)]
    about: ClusterArgs,
    #[command(subcommand)]
    change: WhatIfChange,
}

impl WhatIfArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.about.output == AnswerFormat::Json
    }
}

/// Arguments that name the files of the cluster and the output format of the answer.
#[derive(Debug, Args)]
struct ClusterArgs {
    /// A file or folder with the cluster, once or more; `-`, the default, is standard input
    #[arg(long, value_name = "FILE", global = true)]
    cluster: Vec<String>,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text", global = true)]
    output: AnswerFormat,
}

/// With how many seeds a question is asked.
#[derive(Debug, Args)]
struct DrawOptions {
    /// Ask with so many seeds, on all processors
    #[arg(long, value_name = "N", default_value = "1", value_parser = number_up_to_parser(MAX_DRAWS))]
    draws: u32,
}

#[derive(Debug, Subcommand)]
enum WhatIfChange {
    /// Drain nodes
    Drain {
        /// The nodes, then files. With --rolling, all nodes by default
        #[arg(value_name = "NODE|FILE")]
        words: Vec<String>,
        /// Drain node after node, each made schedulable again before the next: an order that works, or the pod at which
        /// it stops
        #[arg(long, conflicts_with = "draws")]
        rolling: bool,
        #[command(flatten)]
        draws: DrawOptions,
    },
    /// Cut the power of a zone
    LoseZone {
        /// The zone, then files
        #[arg(value_name = "ZONE|FILE", required = true)]
        words: Vec<String>,
        #[command(flatten)]
        draws: DrawOptions,
    },
    /// Add copies of a node
    Add {
        /// The node, then files
        #[arg(value_name = "NODE|FILE", required = true)]
        words: Vec<String>,
        /// Number of copies
        #[arg(long, value_name = "N", default_value = "1", value_parser = number_up_to_parser(1_000))]
        count: u32,
        #[command(flatten)]
        draws: DrawOptions,
    },
    /// Scale a workload
    Scale {
        /// The workload, then files
        #[arg(value_name = "KIND/NAME|FILE", required = true)]
        words: Vec<String>,
        /// Number of replicas
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=100_000))]
        replicas: i32,
        /// Namespace of the workload
        #[arg(short, long, default_value = "default")]
        namespace: String,
        #[command(flatten)]
        draws: DrawOptions,
    },
    /// Count how many more pods of a shape fit, and what stops the next one on each node
    ///
    /// Several shapes are placed in rounds of N copies each. Of a DaemonSet: on which nodes its pod fits.
    Fit {
        /// File of the pod, or of a workload with a pod template
        #[arg(value_name = "PODFILE[=N]", value_parser = parse_shape)]
        shape: ShapeArgument,
        /// Files or folders with the cluster
        #[arg(value_name = "FILE")]
        files: Vec<String>,
        /// A further shape
        #[arg(long, value_name = "PODFILE[=N]", value_parser = parse_shape)]
        also: Vec<ShapeArgument>,
        /// Look for the smallest change of nodes, labels or taints that lets so many fit
        #[arg(long, value_name = "N", default_value = "0", value_parser = number_up_to_parser(100_000))]
        need: u32,
    },
    /// Say which node group would take a pending pod with one more node, and why the others would not
    ///
    /// A plain model of the cluster autoscaler: the scheduler's filters decide about a node of the group's template. The
    /// groups are those of the scenario (spec.cluster.nodeGroups) and those that the labels of clouds name.
    Grow {
        /// Files or folders with the cluster
        #[arg(value_name = "FILE")]
        files: Vec<String>,
        /// Only this pod
        #[arg(long, value_name = "NAMESPACE/NAME")]
        pod: Option<String>,
    },
    /// Find nodes that can be removed together: the emptiest are drained in a copy of the cluster
    Consolidate {
        /// Files or folders with the cluster
        #[arg(value_name = "FILE")]
        files: Vec<String>,
        /// Maximum number of drains that are tried
        #[arg(long, value_name = "N", default_value = "20", value_parser = number_up_to_parser(1_000))]
        count: u32,
    },
}

/// A shape to fit: the file of a pod or workload, and the number of copies in each round.
type ShapeArgument = (String, usize);

fn number_up_to_parser(max: u32) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=i64::from(max))
}

pub(crate) fn run(given: WhatIfArgs) -> Result<ExitCode, UsageError> {
    let mut about = given.about;
    let result = match given.change {
        WhatIfChange::Drain {
            words, rolling: true, ..
        } => {
            let nodes = about.take_files(words);
            print_rolling_drain(&about, &nodes)
        }
        WhatIfChange::Drain { words, draws, .. } => match about.take_files(words) {
            nodes if nodes.is_empty() => return Err("drain takes the nodes".into()),
            nodes => print_answer(&about, &Question::Drain(nodes), draws.draws),
        },
        WhatIfChange::LoseZone { words, draws } => {
            let zone = about.take_files_and_one_word(words, "zone")?;
            print_answer(&about, &Question::LoseZone(zone), draws.draws)
        }
        WhatIfChange::Add { words, count, draws } => {
            let like = about.take_files_and_one_word(words, "node, which the new ones are like")?;
            let count = count.max(1);
            print_answer(&about, &Question::Add { like, count }, draws.draws)
        }
        WhatIfChange::Scale {
            words,
            replicas,
            namespace,
            draws,
        } => {
            let workload = about.take_files_and_one_word(words, "workload, KIND/NAME")?;
            let (kind, name) = workload.split_once('/').ok_or("scale takes KIND/NAME")?;
            let kind = scalable_kind(kind).ok_or_else(|| format!("{kind:?} cannot be scaled"))?;
            let key = ObjectKey::new(&*namespace, name);
            print_answer(&about, &Question::Scale { kind, key, replicas }, draws.draws)
        }
        WhatIfChange::Fit {
            shape,
            files,
            also,
            need,
        } => {
            about.cluster.extend(files);
            let shapes: Vec<ShapeArgument> = std::iter::once(shape).chain(also).collect();
            print_fit_answer(&about, &shapes, need as usize)
        }
        WhatIfChange::Grow { files, pod } => {
            about.cluster.extend(files);
            print_grow_answer(&about, pod.as_deref())
        }
        WhatIfChange::Consolidate { files, count } => {
            about.cluster.extend(files);
            print_consolidation(&about, count as usize)
        }
    };
    Ok(result.unwrap_or_else(|status| status))
}

impl ClusterArgs {
    /// Adds the words that are file names (by their extension, or `-`) to `cluster`. Returns the other words.
    fn take_files(&mut self, words: Vec<String>) -> Vec<String> {
        let is_file = |word: &String| word == "-" || [".yaml", ".yml", ".json"].iter().any(|end| word.ends_with(end));
        let (files, words): (Vec<String>, Vec<String>) = words.into_iter().partition(is_file);
        self.cluster.extend(files);
        words
    }

    /// Like [`take_files`](Self::take_files), but exactly one word must be left; it is returned.
    fn take_files_and_one_word(&mut self, words: Vec<String>, noun: &str) -> Result<String, UsageError> {
        match <[String; 1]>::try_from(self.take_files(words)) {
            Ok([word]) => Ok(word),
            Err(_) => Err(format!("give one {noun}").into()),
        }
    }

    fn load(&self) -> Result<Loaded, ExitCode> {
        let _progress_line = ShownProgress::new("reading the cluster");
        args::load(&args::names_or_stdin(&self.cluster))
    }
}

/// Progress of a what-if question, shown on a terminal.
struct ShownProgress(Mutex<Progress>);

impl ShownProgress {
    fn new(initial_message: &'static str) -> ShownProgress {
        ShownProgress(Mutex::new(Progress::of_stages(initial_message)))
    }

    fn update(&self, done: u64, total: u64, message: impl FnOnce() -> String) {
        if let Ok(mut progress) = self.0.lock() {
            progress.update_stage(done, total, message);
        }
    }

    fn show_stage(&self, stage: ProgressStage) {
        match stage {
            ProgressStage::Starting => self.update(0, 0, || "starting the cluster".to_owned()),
            ProgressStage::Simulating(per_mille) => {
                self.update(u64::from(per_mille), 1000, || format!("{}% of the run", per_mille / 10));
            }
            ProgressStage::Drained(done, total) => {
                self.update(done as u64, total as u64, || format!("{done} of {total} nodes"));
            }
            ProgressStage::Placed(pods) => self.update(0, 0, || format!("{pods} pods placed")),
        }
    }
}

/// Runs interruptible work and shows its progress.
fn with_progress<T>(work: impl FnOnce(WorkControl<'_>) -> Result<T, Vec<Problem>>) -> Result<T, ExitCode> {
    let progress_line = ShownProgress::new("starting the cluster");
    let progress = |stage: ProgressStage| progress_line.show_stage(stage);
    let result = work(WorkControl {
        stop: interrupt::is_interrupted,
        progress: &progress,
    });
    drop(progress_line);
    result.map_err(|problems| args::print_problems(&problems))
}

/// Returns the exit status of an answer. Prints a message if Ctrl-C ended the work early.
fn answer_exit_status() -> ExitCode {
    if !interrupt::is_interrupted() {
        return ExitCode::SUCCESS;
    }
    args::print_error("podscope: interrupted: the answer is about what was done until then");
    interrupt::interrupted_status()
}

/// Parses the kind of a scalable workload from its resource name, short name or kind name.
fn scalable_kind(word: &str) -> Option<Kind> {
    const SCALABLE_KINDS: [Kind; 4] = [
        Kind::Deployment,
        Kind::StatefulSet,
        Kind::ReplicaSet,
        Kind::ReplicationController,
    ];
    Kind::from_resource_name(word).filter(|kind| SCALABLE_KINDS.contains(kind))
}

fn print_answer(about: &ClusterArgs, question: &Question, draws: u32) -> Result<ExitCode, ExitCode> {
    let loaded = about.load()?;
    let answers = match draws {
        0 | 1 => vec![with_progress(|control| whatif::ask(&loaded, question, 0, control))?],
        draws => ask_draws(&loaded, question, draws).map_err(|problems| args::print_problems(&problems))?,
    };
    let answer = whatif::combine_draws(answers);
    about.output.print(
        || whatif::text(&answer),
        || markdown::print(&whatif::markdown(&answer)),
        || serde_json::json!(answer),
    );
    Ok(answer_exit_status())
}

/// Returns the answers of all draws (seeds) in order. Uses as many threads as there are processors.
fn ask_draws(loaded: &Loaded, question: &Question, draws: u32) -> Result<Vec<Answer>, Vec<Problem>> {
    let next = AtomicU32::new(0);
    type DrawResult = Result<Answer, Vec<Problem>>;
    let answers: Mutex<Vec<(u32, DrawResult)>> = Mutex::default();
    let progress_line = ShownProgress::new("starting the clusters");
    let control = WorkControl {
        stop: interrupt::is_interrupted,
        progress: &|_| {},
    };
    let work = || {
        language::set_for_thread();
        loop {
            let draw = next.fetch_add(1, Ordering::Relaxed);
            // The first draw is always computed, so that an interrupted question has an answer.
            if draw >= draws || (draw > 0 && interrupt::is_interrupted()) {
                break;
            }
            let answer = whatif::ask(loaded, question, draw, control);
            if let Ok(mut answers) = answers.lock() {
                answers.push((draw, answer));
                let (done, total) = (answers.len() as u64, u64::from(draws));
                progress_line.update(done, total, || format!("{done} of {total} draws"));
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

/// `drain --rolling [NODE…]`: drains the nodes one after another; all nodes if none is given.
fn print_rolling_drain(about: &ClusterArgs, nodes: &[String]) -> Result<ExitCode, ExitCode> {
    let loaded = about.load()?;
    let rolling = with_progress(|control| whatif::rolling_drain(&loaded, nodes, control))?;
    about.output.print(
        || whatif::rolling_text(&rolling),
        || whatif::rolling_markdown(&rolling),
        || serde_json::json!(rolling),
    );
    Ok(answer_exit_status())
}

/// `consolidate`: prints the nodes that can be removed.
fn print_consolidation(about: &ClusterArgs, max: usize) -> Result<ExitCode, ExitCode> {
    let loaded = about.load()?;
    let found = with_progress(|control| whatif::consolidate(&loaded, max, control))?;
    about.output.print(
        || whatif::consolidation_text(&found),
        || markdown::print(&whatif::consolidation_markdown(&found)),
        || serde_json::json!(found),
    );
    Ok(answer_exit_status())
}

/// `grow`: prints for each node group which pending pods a new node would take.
fn print_grow_answer(about: &ClusterArgs, pod: Option<&str>) -> Result<ExitCode, ExitCode> {
    let loaded = about.load()?;
    let grow = with_progress(|control| whatif::evaluate_node_groups(&loaded, pod, control))?;
    about.output.print(
        || whatif::group_growth_text(&grow),
        || whatif::group_growth_markdown(&grow),
        || serde_json::json!(grow),
    );
    Ok(answer_exit_status())
}

/// Parses a shape: `FILE`, or `FILE=N` for N copies in each round.
fn parse_shape(word: &str) -> Result<ShapeArgument, String> {
    let Some((file, copies)) = word.rsplit_once('=') else {
        return Ok((word.to_owned(), 1));
    };
    let copies = copies.parse().ok().filter(|copies| (1..=1_000).contains(copies));
    let copies = copies.ok_or("not FILE=N with N from 1 to 1000")?;
    Ok((file.to_owned(), copies))
}

/// `fit PODFILE [FILE…|-]`: prints how many pods of the shapes fit.
fn print_fit_answer(about: &ClusterArgs, shapes: &[ShapeArgument], need: usize) -> Result<ExitCode, ExitCode> {
    let mut all = Vec::new();
    for (file, copies) in shapes {
        let file = args::read_files(std::slice::from_ref(file))?.pop();
        let (file, copies) = (file.ok_or(ExitCode::from(args::BAD_INPUT_STATUS))?, *copies);
        all.push(whatif::PodShape { file, copies });
    }
    let loaded = about.load()?;
    let fit = with_progress(|control| whatif::fit(&loaded, all, need, control))?;
    about.output.print(
        || whatif::fit_text(&fit),
        || markdown::print(&whatif::fit_markdown(&fit)),
        || serde_json::json!(fit),
    );
    Ok(answer_exit_status())
}
