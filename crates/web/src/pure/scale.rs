//! The scale of the timeline: the visible span, the positions of instants in it, the ticks of the axis, and which marks
//! (timeline events) are so close together that they are drawn as one.

use podscope_api::ordered::StableSort as _;
use podscope_protocol::{Mark, Micros};

use crate::state::Shared;

const SECOND: i64 = 1_000_000;

/// The span of simulated time that the timeline shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Micros,
    pub(crate) to: Micros,
}

impl Span {
    /// Returns the span of the whole run with some future, at least two minutes.
    pub(crate) fn whole(now: Micros, horizon: Micros) -> Span {
        let end = now.max(horizon);
        // The length grows in steps, so that the timeline does not move constantly while time runs.
        let mut to = 120 * SECOND;
        while to < end + end / 4 {
            to = to * 3 / 2;
        }
        Span { from: 0, to }
    }

    fn length(self) -> i64 {
        (self.to - self.from).max(1)
    }

    /// Returns the position of an instant, in percent; outside 0 to 100 if the instant is not visible.
    pub(crate) fn percent(self, at: Micros) -> f64 {
        (at - self.from) as f64 * 100.0 / self.length() as f64
    }

    /// Returns the instant at a position from 0 to 1.
    pub(crate) fn instant_at(self, part: f64) -> Micros {
        (self.from + (self.length() as f64 * part.clamp(0.0, 1.0)) as i64).max(0)
    }

    /// Returns a span with `factor` times the length, in which `around` keeps its position.
    pub(crate) fn zoom(self, around: Micros, factor: f64) -> Span {
        let length = (self.length() as f64 * factor).clamp(SECOND as f64 / 5.0, 3.15e13);
        let part = (around - self.from) as f64 / self.length() as f64;
        let from = (around as f64 - length * part).max(0.0) as i64;
        Span {
            from,
            to: from + length as i64,
        }
    }

    /// Returns the span moved by a fraction of its length.
    pub(crate) fn pan(self, part: f64) -> Span {
        let by = ((self.length() as f64 * part) as i64).max(-self.from);
        Span {
            from: self.from + by,
            to: self.to + by,
        }
    }

    /// Returns the instants of the axis ticks: at most about nine, at round times.
    pub(crate) fn ticks(self) -> Vec<Micros> {
        const DAY: i64 = 86_400 * SECOND;
        const TICK_DISTANCES: [i64; 24] = [
            20_000,
            50_000,
            100_000,
            200_000,
            500_000,
            SECOND,
            2 * SECOND,
            5 * SECOND,
            10 * SECOND,
            15 * SECOND,
            30 * SECOND,
            60 * SECOND,
            120 * SECOND,
            300 * SECOND,
            600 * SECOND,
            900 * SECOND,
            1800 * SECOND,
            3600 * SECOND,
            7200 * SECOND,
            21_600 * SECOND,
            DAY,
            2 * DAY,
            5 * DAY,
            10 * DAY,
        ];
        let step = TICK_DISTANCES
            .into_iter()
            .find(|step| self.length() / step <= 8)
            .unwrap_or_else(|| (self.length() / 8 / DAY + 1) * DAY);
        let first = self.from.div_euclid(step) * step;
        (0..12)
            .map(|index| first + index * step)
            .filter(|instant| (self.from..=self.to).contains(instant))
            .collect()
    }
}

/// A shape in a lane (row of the timeline), which stands for one or more events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// Left edge or centre, in percent.
    pub(crate) left: f64,
    /// Width in percent; `None` for a point.
    pub(crate) width: Option<f64>,
    /// Number of events that the shape stands for.
    pub(crate) count: usize,
    /// The event; if the shape stands for several events, the last one.
    pub(crate) mark: Shared<Mark>,
    /// Row within the lane: bars that overlap in time are in different rows.
    pub(crate) row: usize,
    /// Number of rows in the lane.
    pub(crate) rows: usize,
}

/// Lays out a lane. Bars get as few rows as possible. Points that touch are merged, and so are short bars that touch or
/// for which no row is free. There are at most a few hundred shapes for any number of events.
pub(crate) fn lane_shapes<'a>(marks: impl Iterator<Item = &'a Shared<Mark>>, span: Span, now: Micros) -> Vec<Shape> {
    /// Shapes closer than this count as touching, in percent.
    const TOUCHING_DISTANCE: f64 = 0.35;
    /// Bars of at least this length are not merged, in percent.
    const MIN_UNMERGED_WIDTH: f64 = 3.0;
    const MAX_BAR_ROWS: usize = 3;
    let (mut bars, mut points): (Vec<Shape>, Vec<Shape>) = (Vec::new(), Vec::new());
    let mut sorted: Vec<&Shared<Mark>> = marks.collect();
    sorted.stable_sort_by_key(|mark| (mark.from, mark.id));
    let mut ends: Vec<f64> = Vec::new();
    // Index of the last bar of each row.
    let mut last: Vec<usize> = Vec::new();
    for mark in sorted {
        let end = mark.to.unwrap_or(now.max(mark.from));
        let (left, right) = (span.percent(mark.from), span.percent(end));
        if right < 0.0 || left > 100.0 {
            continue;
        }
        if mark.to == Some(mark.from) {
            match points
                .last_mut()
                .filter(|previous| left - previous.left < TOUCHING_DISTANCE && previous.mark.kind == mark.kind)
            {
                Some(last) => {
                    last.count += 1;
                    last.mark = mark.clone();
                }
                None => points.push(Shape {
                    left,
                    width: None,
                    count: 1,
                    mark: mark.clone(),
                    row: 0,
                    rows: 1,
                }),
            }
            continue;
        }
        let (left, right) = (left.max(0.0), right.min(100.0));
        let free = ends.iter().position(|end| *end <= left + 1e-9);
        let row = match free {
            Some(row) => row,
            None if ends.len() < MAX_BAR_ROWS => {
                ends.push(0.0);
                last.push(usize::MAX);
                ends.len() - 1
            }
            None => (ends.iter().enumerate())
                .min_by(|a, b| a.1.total_cmp(b.1))
                .map_or(0, |(index, _)| index),
        };
        let touches = left - ends[row] < TOUCHING_DISTANCE && right - left < MIN_UNMERGED_WIDTH;
        let before = bars
            .get_mut(last[row])
            .filter(|bar| touches && ends[row] - bar.left < MIN_UNMERGED_WIDTH);
        if let Some(bar) = before.filter(|bar| bar.mark.kind == mark.kind || free.is_none()) {
            bar.count += 1;
            if bar.mark.kind == mark.kind {
                bar.mark = mark.clone();
            }
            ends[row] = right.max(ends[row]);
            bar.width = Some((ends[row] - bar.left).max(0.15));
            continue;
        }
        ends[row] = right;
        last[row] = bars.len();
        bars.push(Shape {
            left,
            width: Some((right - left).max(0.15)),
            count: 1,
            mark: mark.clone(),
            row,
            rows: 1,
        });
    }
    let rows = ends.len().max(1);
    for bar in &mut bars {
        bar.rows = rows;
    }
    bars.extend(points);
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::MarkKind;

    fn mark_between(id: u64, from: i64, to: Option<i64>) -> Shared<Mark> {
        Shared::new(Mark {
            id,
            from: from * SECOND,
            to: to.map(|seconds| seconds * SECOND),
            kind: MarkKind::Bound,
            ..Mark::default()
        })
    }

    #[test]
    fn whole_span_includes_some_future() {
        assert_eq!(
            Span::whole(0, 0),
            Span {
                from: 0,
                to: 120 * SECOND
            }
        );
        let long = Span::whole(92 * SECOND, 600 * SECOND);
        assert!(long.to > 600 * SECOND);
        assert_eq!(long.percent(long.from), 0.0);
        assert_eq!(long.instant_at(1.0), long.to);
    }

    #[test]
    fn zoom_keeps_the_instant_in_place_and_stays_above_zero() {
        let span = Span {
            from: 0,
            to: 100 * SECOND,
        };
        let near = span.zoom(50 * SECOND, 0.5);
        assert_eq!((near.from, near.to), (25 * SECOND, 75 * SECOND));
        assert_eq!(near.percent(50 * SECOND), 50.0);
        assert_eq!(near.pan(-9.0).from, 0);
        assert!(span.zoom(0, 1e-12).to > span.from);
    }

    /// Shows: U-05
    #[test]
    fn axis_ticks_are_round_and_few() {
        for to in [1, 7, 60, 125, 3_600, 100_000] {
            let ticks = Span {
                from: 0,
                to: to * SECOND,
            }
            .ticks();
            assert!((1..=10).contains(&ticks.len()), "{to}: {ticks:?}");
        }
        // The axis also has round ticks for spans of days and weeks.
        let days = |count: i64| {
            Span {
                from: 0,
                to: count * 86_400 * SECOND,
            }
            .ticks()
            .len()
        };
        assert!([10, 11, 30, 79, 90, 400].into_iter().all(|n| days(n) >= 3));
        assert_eq!(
            Span {
                from: 0,
                to: 150 * SECOND
            }
            .ticks()[1],
            30 * SECOND
        );
    }

    #[test]
    fn overlapping_bars_get_rows_and_touching_points_merge() {
        let span = Span {
            from: 0,
            to: 100 * SECOND,
        };
        let marks = [
            mark_between(1, 0, Some(20)),
            mark_between(2, 10, None),
            mark_between(3, 20, Some(30)),
            mark_between(4, 50, Some(50)),
            mark_between(5, 50, Some(50)),
            mark_between(6, 60, Some(60)),
            mark_between(7, 200, Some(300)),
        ];
        let drawn = lane_shapes(marks.iter(), span, 40 * SECOND);
        let rows: Vec<_> = drawn
            .iter()
            .filter(|shape| shape.width.is_some())
            .map(|shape| (shape.mark.id, shape.row, shape.rows))
            .collect();
        assert_eq!(rows, [(1, 0, 2), (2, 1, 2), (3, 0, 2)]);
        let points: Vec<_> = drawn
            .iter()
            .filter(|shape| shape.width.is_none())
            .map(|shape| shape.count)
            .collect();
        assert_eq!(points, [2, 1]);
    }

    /// Ten thousand terminations are drawn as a few hundred bars, and the counts of the bars add up to ten thousand.
    /// Shows: U-09
    #[test]
    fn bars_without_a_free_row_are_merged() {
        let span = Span {
            from: 0,
            to: 3_600 * SECOND,
        };
        let marks: Vec<_> = (0..10_000_u64)
            .map(|index| mark_between(index, index as i64 / 3, Some(index as i64 / 3 + 5)))
            .collect();
        let drawn = lane_shapes(marks.iter(), span, 3_600 * SECOND);
        assert!(drawn.len() < 400, "{}", drawn.len());
        assert_eq!(drawn.iter().map(|shape| shape.count).sum::<usize>(), 10_000);
    }
}
