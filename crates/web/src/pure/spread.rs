//! The lane of a spread: lines of pods per domain over time, the band that maxSkew allows, and the same in words.

use podscope_protocol::{Micros, SpreadLane, SpreadPoint};

use super::scale::Span;

/// Height of the drawing; its width is that of [`WIDE`].
pub(crate) const HIGH: f64 = 100.0;
/// Width of the drawing.
pub(crate) const WIDE: f64 = 1000.0;
/// Closer changes than this are drawn as one.
const NEAR: f64 = 1.0;

/// What is drawn, as paths.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Drawing {
    /// Between the emptiest and the most that may be placed beside it.
    pub(crate) band: String,
    /// A line a domain; of many, the emptiest and the fullest.
    pub(crate) lines: Vec<String>,
    /// Where the fullest is beyond the band.
    pub(crate) over: String,
}

/// The skew at a point.
pub(crate) fn skew(point: &SpreadPoint) -> u32 {
    point.most.saturating_sub(point.least)
}

/// Whether it is more than the constraint allows.
pub(crate) fn is_over(lane: &SpreadLane, point: &SpreadPoint) -> bool {
    lane.max_skew.is_some_and(|max| skew(point) > max)
}

/// The last part of a topology key: `zone`.
pub(crate) fn key(lane: &SpreadLane) -> &str {
    lane.key.rsplit('/').next().unwrap_or(&lane.key)
}

/// What holds at an instant.
pub(crate) fn at(lane: &SpreadLane, now: Micros) -> Option<&SpreadPoint> {
    lane.points
        .get(lane.points.partition_point(|point| point.at <= now).checked_sub(1)?)
}

/// The skew beside what is allowed, in words.
pub(crate) fn says(lane: &SpreadLane, point: &SpreadPoint) -> String {
    let skew = skew(point);
    let limit = match lane.max_skew {
        None => return format!("skew {skew}, no constraint"),
        Some(max) if lane.hard => format!("at most {max}"),
        Some(max) => format!("preferably at most {max}"),
    };
    if point.found < lane.min_domains {
        let (found, wanted) = (point.found, lane.min_domains);
        return format!("skew {skew}, {limit}; the emptiest counts as 0: {found} of {wanted} domains");
    }
    format!("skew {skew}, {limit}")
}

/// Each domain's pods, in words.
pub(crate) fn pods(lane: &SpreadLane, point: &SpreadPoint) -> String {
    if point.pods.is_empty() {
        return format!("{} to {} pods in {} domains", point.least, point.most, point.found);
    }
    let told = lane.domains.iter().zip(&point.pods);
    let told = told.filter_map(|(name, pods)| Some(format!("{name} {}", (*pods)?)));
    told.collect::<Vec<_>>().join(" · ")
}

/// Draws what lies in a span, up to an instant.
pub(crate) fn draw(lane: &SpreadLane, span: Span, until: Micros) -> Drawing {
    let x = |at: Micros| (span.percent(at) * WIDE / 100.0).clamp(-10.0, WIDE + 10.0);
    let mut steps: Vec<(f64, &SpreadPoint)> = Vec::new();
    for point in lane.points.iter().filter(|point| point.at <= until) {
        let left = x(point.at);
        match steps.last_mut() {
            // The later of two that touch stands: what it has come to.
            Some(last) if left - last.0 < NEAR => last.1 = point,
            _ => steps.push((left, point)),
        }
    }
    let end = x(until);
    let top = |point: &&SpreadPoint| point.most.max(point.least + lane.max_skew.unwrap_or(0));
    let top = steps.iter().map(|(_, point)| top(point)).max().unwrap_or(0).max(1);
    let y = |pods: u32| HIGH - 8.0 - (HIGH - 42.0) * f64::from(pods) / f64::from(top);
    let mut drawing = Drawing::default();
    // Above it are the words. Lines of equal counts stand beside each other.
    let n = if lane.domains.len() > 12 { 2 } else { lane.domains.len() };
    let apart = (30.0 / n.max(1) as f64).min(6.0);
    drawing.lines.resize(n, String::new());
    for (step, (left, point)) in steps.iter().enumerate() {
        let right = steps.get(step + 1).map_or(end, |next| next.0);
        for (i, line) in drawing.lines.iter_mut().enumerate() {
            let pods = match point.pods.get(i) {
                Some(pods) => *pods,
                None if point.pods.is_empty() => Some(if i == 0 { point.least } else { point.most }),
                None => None,
            };
            let Some(pods) = pods else { continue };
            let y = y(pods) - (i as f64 - (n - 1) as f64 / 2.0) * apart;
            // A line that was there goes on; one that begins anew is moved to.
            let was = step > 0
                && (steps.get(step - 1))
                    .is_some_and(|(_, last)| last.pods.get(i).map_or(last.pods.is_empty(), Option::is_some));
            line.push_str(&format!("{}{left:.0} {y:.0}H{right:.0}", if was { 'L' } else { 'M' }));
        }
        if let Some(max) = lane.max_skew {
            let (low, high) = (y(point.least) + apart, y(point.least + max) - apart);
            drawing
                .band
                .push_str(&format!("M{left:.0} {low:.0}V{high:.0}H{right:.0}V{low:.0}Z"));
        }
        if is_over(lane, point) {
            let y = y(point.most);
            drawing.over.push_str(&format!("M{left:.0} {y:.0}H{right:.0}"));
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(at: Micros, pods: &[u32]) -> SpreadPoint {
        SpreadPoint {
            at: at * 1_000_000,
            found: pods.len() as u32,
            least: pods.iter().copied().min().unwrap_or(0),
            most: pods.iter().copied().max().unwrap_or(0),
            pods: pods.iter().map(|n| Some(*n)).collect(),
        }
    }

    fn zones(points: Vec<SpreadPoint>) -> SpreadLane {
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
    fn words_say_pods_skew_and_limit() {
        let mut lane = zones(vec![point(0, &[2, 1]), point(9, &[3, 1])]);
        let now = at(&lane, 5_000_000).cloned().expect("it has begun");
        assert_eq!(
            (pods(&lane, &now), says(&lane, &now)),
            ("a 2 · b 1".into(), "skew 1, at most 1".into())
        );
        assert!(!is_over(&lane, &now));
        assert!(at(&lane, 9_000_000).is_some_and(|point| is_over(&lane, point)));
        lane.min_domains = 4;
        assert_eq!(
            says(&lane, &now),
            "skew 1, at most 1; the emptiest counts as 0: 2 of 4 domains"
        );
        lane.max_skew = None;
        assert_eq!(says(&lane, &now), "skew 1, no constraint");
    }

    #[test]
    fn a_line_is_as_long_as_its_domain_is_there() {
        let span = Span {
            from: 0,
            to: 100_000_000,
        };
        let mut lane = zones(vec![point(0, &[1]), point(10, &[1, 3]), point(50, &[2, 2])]);
        lane.points.push(SpreadPoint {
            pods: vec![Some(2), None],
            ..point(70, &[2])
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
        assert_eq!(drawn.over.matches('M').count(), 1, "only from 10 s to 50 s: {drawn:?}");
        // Nothing later than asked for: an open question hides what came of it.
        assert!(draw(&lane, span, 5_000_000).lines[1].is_empty());
    }
}
