//! Comparison of two clusters, or of several scheduler configurations with one workload.
//!
//! [`clusters`] compares two dumps, or the states before and after a change: added, removed and changed objects, moved
//! pods, resources of nodes, and problems. [`configurations`] runs the same files under each KubeSchedulerConfiguration
//! until pods stop moving, and measures the result; `compare_runs` measures runs as they are, for the page.

mod clusters;
mod configurations;
mod text;

pub use clusters::{ChangedObject, ClusterProblem, Difference, MovedPod, clusters};
pub(crate) use configurations::compare_runs;
pub use configurations::{
    Comparison, DifferentlyPlacedPod, MAX_CONFIGURATIONS, PlacementTime, ResourceBalance, RunFigures, configurations,
};
pub(crate) use text::comparison_rows;
pub use text::{comparison_markdown, comparison_text, difference_markdown, difference_text};
