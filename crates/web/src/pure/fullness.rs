//! The plot of how full the nodes of a run are.

use std::fmt::Write as _;

/// Size of the plot, in units of its view box; the page stretches the plot.
pub(crate) const PLOT_WIDTH: f64 = 300.0;
pub(crate) const PLOT_HEIGHT: f64 = 100.0;

/// Draws the nodes as a line with one step per node. The height of a step is the fullness of its node, in per mille;
/// steps over 1000 are cut off at the upper edge.
pub(crate) fn fullness_line(shares: &[u32]) -> String {
    let mut path = String::new();
    let step = PLOT_WIDTH / shares.len().max(1) as f64;
    for (nth, share) in shares.iter().enumerate() {
        let y = PLOT_HEIGHT - PLOT_HEIGHT * f64::from((*share).min(1000)) / 1000.0;
        let verb = if nth == 0 { 'M' } else { 'L' };
        let _ = write!(
            path,
            "{verb}{:.1} {y:.1}H{:.1}",
            nth as f64 * step,
            (nth + 1) as f64 * step
        );
    }
    path
}

#[cfg(test)]
mod tests {
    use super::fullness_line;

    #[test]
    fn fullness_line_has_a_step_for_each_node() {
        assert_eq!(
            fullness_line(&[1000, 500, 0]),
            "M0.0 0.0H100.0L100.0 50.0H200.0L200.0 100.0H300.0"
        );
        assert_eq!(fullness_line(&[1500]), "M0.0 0.0H300.0", "more than the node has");
        assert_eq!(fullness_line(&[]), "");
    }
}
