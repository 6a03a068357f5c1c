//! A fuzzer on stable Rust, deterministic by seed: texts of the committed corpus are changed
//! (`mutate`), thrown at a public door (`targets`), and kept for further changes when the door
//! answered as it had not answered before. Doors whose texts have a meaning that changed bytes rarely
//! hit get made ones as well (`make`). Each door has a budget of work, counted in allocations: a count
//! is the same on every machine, where a clock is not. The example `fuzz` looks at clock and memory too.

mod make;
mod mutate;
mod targets;

use podscope_api::hash::{self, fnv1a};
use podscope_api::ordered;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use podscope_cluster::Rng;

pub use mutate::MAX_INPUT;
use mutate::Mutator;
pub use targets::{Depth, TARGETS, Target};

/// Most bytes of texts kept for further changes.
const POOL_BYTES: usize = 8 << 20;

/// Of so many texts one goes the whole way.
const WHOLE: u64 = 16;

/// One run against one target.
#[derive(Debug)]
pub struct Fuzzer {
    target: &'static Target,
    rng: Rng,
    mutator: Mutator,
    pool: Vec<String>,
    pool_bytes: usize,
    seen: ordered::Set<u64>,
    /// How far the next text goes.
    depth: Depth,
}

impl Fuzzer {
    /// A run that begins with the corpus of the target.
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

    /// The target's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.target.name
    }

    /// Its door.
    #[must_use]
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// The unchanged texts the run begins with.
    #[must_use]
    pub fn corpus(&self) -> Vec<String> {
        (self.target.corpus)()
    }

    /// The next text to throw.
    pub fn next_input(&mut self) -> String {
        self.depth = match self.rng.below(WHOLE) {
            0 => Depth::Whole,
            _ => Depth::Reading,
        };
        if let Some(make) = self.target.make
            && self.rng.below(2) == 0
        {
            return make(&mut self.rng);
        }
        self.mutator.change(&mut self.rng, &self.pool)
    }

    /// Throws a text of the corpus all the way, a changed one mostly as far as it is read; an answer of a new form
    /// keeps the text for further changes.
    ///
    /// # Errors
    /// The panic, in words; or work above the target's budget.
    pub fn throw(&mut self, input: &str) -> Result<Cost, String> {
        let (answer, cost) = throw(self.target, input, self.depth);
        if self.seen.insert(form(&answer?)) && self.pool_bytes + input.len() <= POOL_BYTES {
            self.pool_bytes += input.len();
            self.pool.push(input.to_owned());
        }
        Ok(cost)
    }

    /// Forms of answers seen so far.
    #[must_use]
    pub fn n_forms(&self) -> usize {
        self.seen.len()
    }
}

/// What one text caused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Allocations: the measure of work.
    pub work: u64,
    /// Most bytes in use at once.
    pub bytes: u64,
}

/// Throws one text at a target and gives its answer and what that cost.
///
/// The answer is an error if there was a panic, in its words, or more work than the target's budget.
pub fn throw(target: &Target, input: &str, depth: Depth) -> (Result<String, String>, Cost) {
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

/// Writes a text down for [`throw`] to be called again with it; its path.
pub fn keep(target: &str, what: &str, text: &str) -> String {
    let dir = crate::root().join("target/fuzz-findings");
    let sum = text
        .bytes()
        .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let path = dir.join(format!("{target}-{what}-{sum:016x}"));
    let written = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, text));
    match written {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("{}: {error}", path.display()),
    }
}

/// The target of that name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A hash of an answer that leaves out what is quoted and every number.
fn form(answer: &str) -> u64 {
    let mut is_quoted = false;
    let kept = answer.bytes().filter(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && !byte.is_ascii_digit()
    });
    fnv1a(hash::EMPTY, kept)
}

/// The texts of a file of the corpus, one a line; `\n` stands for a line break.
fn lines(name: &str) -> Vec<String> {
    let path = crate::root().join("tests/fuzz").join(name);
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| line.replace("\\n", "\n")).collect()
}

/// The texts of the files of some directories.
fn texts(dirs: &[&str], endings: &[&str]) -> Vec<String> {
    dirs.iter()
        .flat_map(|dir| endings.iter().flat_map(|ending| crate::files(dir, ending)))
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter(|text| text.len() <= MAX_INPUT)
        .collect()
}
