//! All integration tests in one binary, so that the engine is linked only once and long tests run in parallel.
#![allow(clippy::too_many_lines, reason = "tables of cases, and long scenarios")]

mod advice;
mod architecture;
mod bad_input;
mod causes;
mod compare;
mod conformance;
mod determinism;
mod documents;
mod dump;
mod dump_nodes;
mod dump_scrubbed;
mod dump_stays;
mod dump_truth;
mod explain_replay;
mod fencing_compared;
mod first_visit;
mod fuzz;
mod garbage_collection;
mod image_locality;
mod invariants;
mod lesson_sentences;
mod lessons;
mod limits;
mod links;
mod live;
mod palette;
mod public;
mod readme;
mod renamed;
mod save;
mod scenarios;
mod search;
mod seeds;
mod sequences;
mod spread_examples;
