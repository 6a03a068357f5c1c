//! A fuzzer on stable Rust, deterministic by seed. Inputs of the committed corpus are mutated (`mutate`) and passed
//! to an entry point (`targets`). An input is kept for further mutations if the entry point gave a new kind of answer.
//! Targets with structured inputs, which mutations rarely reach, also get generated ones (`make`). Each target has a
//! budget of work, measured in allocations, because their number is the same on every machine. The example `fuzz` also
//! measures time and memory.

mod make;
mod mutate;
mod targets;

use podscope_api::hash::{self, fnv1a};
use podscope_api::ordered;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use podscope_cluster::Rng;

pub use mutate::MAX_INPUT_BYTES;
use mutate::Mutator;
pub use targets::{Depth, TARGETS, Target};

/// Maximum total size of the inputs that are kept for further mutations, in bytes.
const MAX_POOL_BYTES: usize = 8 << 20;

/// On average, one of this many inputs is run with [`Depth::Whole`].
const INPUTS_PER_WHOLE_DEPTH_RUN: u64 = 16;

/// A fuzzing run against one target.
#[derive(Debug)]
pub struct Fuzzer {
    target: &'static Target,
    rng: Rng,
    mutator: Mutator,
    pool: Vec<String>,
    pool_bytes: usize,
    /// Hashes of the kinds of answers that occurred so far.
    seen: ordered::Set<u64>,
    /// How completely the next input is processed.
    depth: Depth,
}

impl Fuzzer {
    /// Creates a run that starts with the target's corpus.
    #[must_use]
    pub fn new(target: &'static Target, seed: u64) -> Self {
        let pool = (target.corpus)();
        Self {
            target,
            rng: Rng::split(seed, target.name),
            mutator: Mutator::new(&pool),
            pool_bytes: pool.iter().map(String::len).sum(),
            pool,
            seen: ordered::Set::new(),
            depth: Depth::Whole,
        }
    }

    /// Name of the fuzz target.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.target.name
    }

    #[must_use]
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// Returns the unmodified inputs of the corpus.
    #[must_use]
    pub fn corpus(&self) -> Vec<String> {
        (self.target.corpus)()
    }

    /// Returns the next input to run.
    pub fn next_input(&mut self) -> String {
        self.depth = match self.rng.below(INPUTS_PER_WHOLE_DEPTH_RUN) {
            0 => Depth::Whole,
            _ => Depth::Reading,
        };
        if let Some(make) = self.target.make
            && self.rng.below(2) == 0
        {
            return make(&mut self.rng);
        }
        self.mutator.mutate(&mut self.rng, &self.pool)
    }

    /// Runs an input. An input with a new kind of answer is kept for further mutations.
    ///
    /// # Errors
    /// The message of a panic, or a violation of the target's budget.
    pub fn run_input(&mut self, input: &str) -> Result<Cost, String> {
        let (answer, cost) = run_input(self.target, input, self.depth);
        if self.seen.insert(answer_kind_hash(&answer?)) && self.pool_bytes + input.len() <= MAX_POOL_BYTES {
            self.pool_bytes += input.len();
            self.pool.push(input.to_owned());
        }
        Ok(cost)
    }

    /// Number of kinds of answers seen so far.
    #[must_use]
    pub fn n_answer_kinds(&self) -> usize {
        self.seen.len()
    }
}

/// Cost of running one input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Number of allocations, the measure of work.
    pub work: u64,
    /// Maximum number of bytes in use at once.
    pub bytes: u64,
}

/// Runs one input against a target. Returns the answer and its cost.
///
/// The answer is an error if the target panicked or exceeded its budget.
pub fn run_input(target: &Target, input: &str, depth: Depth) -> (Result<String, String>, Cost) {
    let mut answer = Ok(String::new());
    let counted = allocation_counter::measure(|| {
        answer = catch_unwind(AssertUnwindSafe(|| (target.run)(input, depth))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("a panic without words")
                .to_owned()
        });
    });
    let cost = Cost {
        work: counted.count_total,
        bytes: counted.bytes_max,
    };
    if answer.is_ok() && cost.work > target.budget {
        let Cost { work, .. } = cost;
        answer = Err(format!("{work} allocations, where {} are the budget", target.budget));
    }
    (answer, cost)
}

/// Saves an input that caused a problem, so that [`run_input`] can be repeated with it. Returns the path of the file.
pub fn save_finding(target: &str, problem: &str, input: &str) -> String {
    let dir = crate::root().join("target/fuzz-findings");
    let sum = input
        .bytes()
        .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let path = dir.join(format!("{target}-{problem}-{sum:016x}"));
    let written = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, input));
    match written {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("{}: {error}", path.display()),
    }
}

/// Finds a target by name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Returns the hash of an answer without quoted text and digits: answers with equal hashes count as the same kind.
fn answer_kind_hash(answer: &str) -> u64 {
    let mut is_quoted = false;
    let unquoted = answer.bytes().filter(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && !byte.is_ascii_digit()
    });
    fnv1a(hash::EMPTY, unquoted)
}

/// Returns the inputs of a corpus file, one per line; `\n` in a line stands for a line break.
fn corpus_lines(name: &str) -> Vec<String> {
    let path = crate::root().join("tests/fuzz").join(name);
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| line.replace("\\n", "\n")).collect()
}

/// Returns the contents of all files in `dirs` whose names have one of the endings.
fn contents_of_files(dirs: &[&str], endings: &[&str]) -> Vec<String> {
    dirs.iter()
        .flat_map(|dir| endings.iter().flat_map(|ending| crate::files(dir, ending)))
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter(|text| text.len() <= MAX_INPUT_BYTES)
        .collect()
}
