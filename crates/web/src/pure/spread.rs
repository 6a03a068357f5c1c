//! The timeline's lane (row) for topology spread: lines for the number of pods per domain, the band that maxSkew
//! allows, and texts.

use podscope_messages::t;
use podscope_protocol::{Micros, SpreadLane, SpreadPoint};

use super::scale::Span;

/// Height of the drawing, in units of its view box.
pub(crate) const VIEW_HEIGHT: f64 = 100.0;
/// Width of the drawing, in units of its view box.
pub(crate) const VIEW_WIDTH: f64 = 1000.0;
/// Minimum distance of two drawn changes, in units; closer changes are drawn as one.
const MERGE_DISTANCE: f64 = 1.0;

/// The paths of the drawing.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SpreadDrawing {
    /// The area from the emptiest domain to the maximum that maxSkew allows.
    pub(crate) band: String,
    /// A line per domain; for many domains only the emptiest and the fullest.
    pub(crate) lines: Vec<String>,
    /// Where the line of the fullest domain is above the band.
    pub(crate) over: String,
}

/// Returns the skew at a point of the lane: the pods of the fullest domain minus those of the emptiest one, or minus 0
/// if there are fewer domains than `minDomains`.
pub(crate) fn skew_at(point: &SpreadPoint) -> u32 {
    point.most.saturating_sub(point.least)
}

/// Returns whether the skew exceeds maxSkew.
pub(crate) fn is_over_max_skew(lane: &SpreadLane, point: &SpreadPoint) -> bool {
    lane.max_skew.is_some_and(|max| skew_at(point) > max)
}

/// Returns the last part of the lane's topology key, such as `zone`.
pub(crate) fn short_topology_key(lane: &SpreadLane) -> &str {
    lane.key.rsplit('/').next().unwrap_or(&lane.key)
}

/// Returns the point of the lane that applies at `now`; `None` before the first point.
pub(crate) fn point_at(lane: &SpreadLane, now: Micros) -> Option<&SpreadPoint> {
    lane.points
        .get(lane.points.partition_point(|point| point.at <= now).checked_sub(1)?)
}

/// Describes the skew and its limit.
pub(crate) fn skew_text(lane: &SpreadLane, point: &SpreadPoint) -> String {
    let skew = skew_at(point);
    let Some(limit) = lane.max_skew else {
        return t!(spread::skew_no_constraint, skew = skew);
    };
    let (found, wanted) = (point.found, lane.min_domains);
    match (lane.hard, found < wanted) {
        (true, false) => t!(spread::skew_hard, skew = skew, limit = limit),
        (false, false) => t!(spread::skew_soft, skew = skew, limit = limit),
        (true, true) => t!(
            spread::skew_hard_few_domains,
            skew = skew,
            limit = limit,
            found = found,
            wanted = wanted
        ),
        (false, true) => t!(
            spread::skew_soft_few_domains,
            skew = skew,
            limit = limit,
            found = found,
            wanted = wanted
        ),
    }
}

/// Describes the number of pods of each domain.
pub(crate) fn pods_text(lane: &SpreadLane, point: &SpreadPoint) -> String {
    if point.pods.is_empty() {
        return t!(
            spread::pods_in_domains,
            least = point.least,
            most = point.most,
            count = point.found
        );
    }
    let texts = lane.domains.iter().zip(&point.pods);
    let texts = texts.filter_map(|(name, pods)| Some(format!("{name} {}", (*pods)?)));
    texts.collect::<Vec<_>>().join(" · ")
}

/// Draws the lane in a span, up to an instant.
pub(crate) fn draw(lane: &SpreadLane, span: Span, until: Micros) -> SpreadDrawing {
    let x = |at: Micros| (span.percent(at) * VIEW_WIDTH / 100.0).clamp(-10.0, VIEW_WIDTH + 10.0);
    let mut steps: Vec<(f64, &SpreadPoint)> = Vec::new();
    for point in lane.points.iter().filter(|point| point.at <= until) {
        let left = x(point.at);
        match steps.last_mut() {
            // If two changes touch, only the later one is drawn.
            Some(last) if left - last.0 < MERGE_DISTANCE => last.1 = point,
            _ => steps.push((left, point)),
        }
    }
    let end = x(until);
    let top = |point: &&SpreadPoint| point.most.max(point.least + lane.max_skew.unwrap_or(0));
    let top = steps.iter().map(|(_, point)| top(point)).max().unwrap_or(0).max(1);
    let y = |pods: u32| VIEW_HEIGHT - 8.0 - (VIEW_HEIGHT - 42.0) * f64::from(pods) / f64::from(top);
    let mut drawing = SpreadDrawing::default();
    // The text area is above the lines. Lines of equal counts are drawn side by side.
    let n_lines = if lane.domains.len() > 12 { 2 } else { lane.domains.len() };
    let line_distance = (30.0 / n_lines.max(1) as f64).min(6.0);
    drawing.lines.resize(n_lines, String::new());
    for (step, (left, point)) in steps.iter().enumerate() {
        let right = steps.get(step + 1).map_or(end, |next| next.0);
        for (index, line) in drawing.lines.iter_mut().enumerate() {
            let pods = match point.pods.get(index) {
                Some(pods) => *pods,
                None if point.pods.is_empty() => Some(if index == 0 { point.least } else { point.most }),
                None => None,
            };
            let Some(pods) = pods else { continue };
            let y = y(pods) - (index as f64 - (n_lines - 1) as f64 / 2.0) * line_distance;
            // A line continues if the domain existed before, and starts anew otherwise.
            let continues = step > 0
                && (steps.get(step - 1))
                    .is_some_and(|(_, last)| last.pods.get(index).map_or(last.pods.is_empty(), Option::is_some));
            line.push_str(&format!(
                "{}{left:.0} {y:.0}H{right:.0}",
                if continues { 'L' } else { 'M' }
            ));
        }
        if let Some(max) = lane.max_skew {
            let (low, high) = (y(point.least) + line_distance, y(point.least + max) - line_distance);
            drawing
                .band
                .push_str(&format!("M{left:.0} {low:.0}V{high:.0}H{right:.0}V{low:.0}Z"));
        }
        if is_over_max_skew(lane, point) {
            let y = y(point.most);
            drawing.over.push_str(&format!("M{left:.0} {y:.0}H{right:.0}"));
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread_point(at: Micros, pods: &[u32]) -> SpreadPoint {
        SpreadPoint {
            at: at * 1_000_000,
            found: pods.len() as u32,
            least: pods.iter().copied().min().unwrap_or(0),
            most: pods.iter().copied().max().unwrap_or(0),
            pods: pods.iter().map(|count| Some(*count)).collect(),
        }
    }

    fn lane_of_two_zones(points: Vec<SpreadPoint>) -> SpreadLane {
        SpreadLane {
            of: "web".into(),
            key: "topology.kubernetes.io/zone".into(),
            domains: vec!["a".into(), "b".into()],
            max_skew: Some(1),
            hard: true,
            min_domains: 1,
            points,
        }
    }

    #[test]
    fn texts_name_pods_skew_and_limit() {
        let mut lane = lane_of_two_zones(vec![spread_point(0, &[2, 1]), spread_point(9, &[3, 1])]);
        let now = point_at(&lane, 5_000_000).cloned().expect("it has begun");
        assert_eq!(
            (pods_text(&lane, &now), skew_text(&lane, &now)),
            ("a 2 · b 1".into(), "skew 1, at most 1".into())
        );
        assert!(!is_over_max_skew(&lane, &now));
        assert!(point_at(&lane, 9_000_000).is_some_and(|point| is_over_max_skew(&lane, point)));
        lane.min_domains = 4;
        assert_eq!(
            skew_text(&lane, &now),
            "skew 1, at most 1; the emptiest counts as 0: 2 of 4 domains"
        );
        lane.max_skew = None;
        assert_eq!(skew_text(&lane, &now), "skew 1, no constraint");
    }

    #[test]
    fn line_covers_the_time_in_which_its_domain_exists() {
        let span = Span {
            from: 0,
            to: 100_000_000,
        };
        let mut lane = lane_of_two_zones(vec![
            spread_point(0, &[1]),
            spread_point(10, &[1, 3]),
            spread_point(50, &[2, 2]),
        ]);
        lane.points.push(SpreadPoint {
            pods: vec![Some(2), None],
            ..spread_point(70, &[2])
        });
        let drawn = draw(&lane, span, 80_000_000);
        assert!(
            drawn.lines[0].starts_with("M0 ") && drawn.lines[0].ends_with("H800"),
            "{drawn:?}"
        );
        assert!(
            drawn.lines[1].starts_with("M100 ") && drawn.lines[1].ends_with("H700"),
            "{drawn:?}"
        );
        assert_eq!(
            drawn.over.matches('M').count(),
            1,
            "above the band only from 10 s to 50 s: {drawn:?}"
        );
        // Nothing after `until` is drawn: an open question hides the outcome.
        assert!(draw(&lane, span, 5_000_000).lines[1].is_empty());
    }
}
