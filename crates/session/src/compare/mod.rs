//! Comparison of two clusters, or of several scheduler configurations with one workload.
//!
//! [`clusters`] compares two dumps, or the states before and after a change: added, removed and changed objects, moved
//! pods, resources of nodes, and problems. [`configurations`] runs the same files under each KubeSchedulerConfiguration
//! until pods stop moving, and measures the result; `runs` measures runs as they are, for the page.

mod clusters;
mod configurations;
mod text;

pub use clusters::{Changed, ClusterProblem, Difference, Moved, clusters};
pub(crate) use configurations::runs;
pub use configurations::{Balance, Comparison, Differing, Figures, MAX_CONFIGURATIONS, PlaceTime, configurations};
pub(crate) use text::rows;
pub use text::{comparison_markdown, comparison_text, difference_markdown, difference_text};
