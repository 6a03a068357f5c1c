//! Two clusters, or one workload under several configurations of the scheduler, beside each other.
//!
//! [`clusters`] is the difference of two dumps, or of before and after: which objects came, went or changed and where,
//! which pods moved, how full the nodes are, what is wrong in one and not in the other. [`configurations`] lets the same
//! files run under each KubeSchedulerConfiguration until nothing moves, and measures what came of it.

mod clusters;
mod configurations;
mod text;

pub use clusters::{Changed, Difference, Moved, Trouble, clusters};
pub use configurations::{Balance, Comparison, Differing, Figures, MOST_CONFIGURATIONS, PlaceTime, configurations};
pub use text::{comparison_markdown, comparison_text, difference_markdown, difference_text};
