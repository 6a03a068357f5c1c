//! The search for a run that breaks a guarantee: the page divides the seeds among several engines (P-16).

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::Micros;

/// Seeds to try on a scenario. Each seed generates its own faults, as configured in `spec.search` of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// Name and text of each file of the scenario.
    pub files: Vec<(String, String)>,
    pub seeds: Vec<u64>,
    /// Whether to shrink the runs that break a guarantee, and to report only the shortest of them.
    pub shrinks: bool,
}

/// Progress of a search, or its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SearchUpdate {
    /// A seed has been tried.
    Tried(TriedSeed),
    /// The shortest run. `None` if no seed breaks a guarantee.
    Shortest(Option<Box<ShortestRun>>),
}

/// The result of trying one seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedSeed {
    pub seed: u64,
    /// Names of the guarantees that the run breaks, without duplicates.
    pub broken: Vec<String>,
    /// Size of the run, if it breaks a guarantee: the search looks for the smallest such run. `None` if it breaks none.
    pub size: Option<RunSize>,
}

/// Size of a run, to find the smallest: compared by number of parts (generated objects, faults and commands), number of
/// commands, time of the violation, and seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSize {
    pub parts: u32,
    pub commands: u32,
    /// Time of the violation.
    pub at: Micros,
    pub seed: u64,
}

/// The shortest run that breaks a guarantee.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShortestRun {
    /// Name of the guarantee in kebab case.
    pub broken: String,
    /// Time of the violation.
    pub at: Micros,
    pub seed: u64,
    /// Description of the observed violation.
    pub seen: Sentence,
    /// The command or fault to which the violation is attributed.
    pub by: Sentence,
    /// The faults and commands of the run with their times, in order.
    pub commands: Vec<(Micros, String)>,
    /// The run as a link, without `#`.
    pub link: String,
}
