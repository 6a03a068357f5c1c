//! The timeline's scale: which stretch of time is seen, where an instant lies in it, where the
//! axis has its ticks, and which marks stand so close that one stands for all.

use podscope_api::ordered::StableSort as _;
use podscope_protocol::{Mark, Micros};

use crate::state::Shared;

const SECOND: i64 = 1_000_000;

/// The stretch of time that the timeline shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Micros,
    pub(crate) to: Micros,
}

impl Span {
    /// Everything so far with some future beside it, at least two minutes.
    pub(crate) fn whole(now: Micros, horizon: Micros) -> Span {
        let end = now.max(horizon);
        // In steps, so that the picture does not creep while time runs.
        let mut to = 120 * SECOND;
        while to < end + end / 4 {
            to = to * 3 / 2;
        }
        Span { from: 0, to }
    }

    fn length(self) -> i64 {
        (self.to - self.from).max(1)
    }

    /// Position of an instant, in percent; outside 0 to 100 if it is not seen.
    pub(crate) fn percent(self, at: Micros) -> f64 {
        (at - self.from) as f64 * 100.0 / self.length() as f64
    }

    /// The instant at a position from 0 to 1.
    pub(crate) fn at(self, part: f64) -> Micros {
        (self.from + (self.length() as f64 * part.clamp(0.0, 1.0)) as i64).max(0)
    }

    /// Shows `factor` times as much time around an instant.
    pub(crate) fn zoom(self, around: Micros, factor: f64) -> Span {
        let length = (self.length() as f64 * factor).clamp(SECOND as f64 / 5.0, 3.15e13);
        let part = (around - self.from) as f64 / self.length() as f64;
        let from = (around as f64 - length * part).max(0.0) as i64;
        Span {
            from,
            to: from + length as i64,
        }
    }

    /// Moves by a part of its length.
    pub(crate) fn pan(self, part: f64) -> Span {
        let by = ((self.length() as f64 * part) as i64).max(-self.from);
        Span {
            from: self.from + by,
            to: self.to + by,
        }
    }

    /// Instants for the axis: at most about nine, at round times.
    pub(crate) fn ticks(self) -> Vec<Micros> {
        const DAY: i64 = 86_400 * SECOND;
        const STEPS: [i64; 24] = [
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
        let step = STEPS
            .into_iter()
            .find(|s| self.length() / s <= 8)
            .unwrap_or_else(|| (self.length() / 8 / DAY + 1) * DAY);
        let first = self.from.div_euclid(step) * step;
        (0..12)
            .map(|i| first + i * step)
            .filter(|t| (self.from..=self.to).contains(t))
            .collect()
    }
}

/// What is drawn for one or more marks of a lane.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    /// Left edge or centre, in percent.
    pub(crate) left: f64,
    /// Width in percent; none for a point.
    pub(crate) width: Option<f64>,
    /// How many marks it stands for.
    pub(crate) count: usize,
    /// The mark, or the last one of those it stands for.
    pub(crate) mark: Shared<Mark>,
    /// Row inside the lane, for bars that overlap in time.
    pub(crate) row: usize,
    /// Rows of this lane.
    pub(crate) rows: usize,
}

/// What a lane draws: bars in as few rows as they need; points that would touch, and short bars
/// that would touch or find no row, stand for each other. However much happened, it is a few
/// hundred things at most.
pub(crate) fn lane<'a>(marks: impl Iterator<Item = &'a Shared<Mark>>, span: Span, now: Micros) -> Vec<Drawn> {
    /// What is closer than this touches, in percent.
    const NEAR: f64 = 0.35;
    /// A bar as long as this is never merged, in percent.
    const LONG: f64 = 3.0;
    const ROWS: usize = 3;
    let (mut bars, mut points): (Vec<Drawn>, Vec<Drawn>) = (Vec::new(), Vec::new());
    let mut sorted: Vec<&Shared<Mark>> = marks.collect();
    sorted.stable_sort_by_key(|m| (m.from, m.id));
    let mut ends: Vec<f64> = Vec::new();
    // The last bar of each row.
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
                .filter(|p| left - p.left < NEAR && p.mark.kind == mark.kind)
            {
                Some(last) => {
                    last.count += 1;
                    last.mark = mark.clone();
                }
                None => points.push(Drawn {
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
        let free = ends.iter().position(|e| *e <= left + 1e-9);
        let row = match free {
            Some(row) => row,
            None if ends.len() < ROWS => {
                ends.push(0.0);
                last.push(usize::MAX);
                ends.len() - 1
            }
            None => (ends.iter().enumerate())
                .min_by(|a, b| a.1.total_cmp(b.1))
                .map_or(0, |(i, _)| i),
        };
        let touches = left - ends[row] < NEAR && right - left < LONG;
        let before = bars.get_mut(last[row]).filter(|b| touches && ends[row] - b.left < LONG);
        if let Some(b) = before.filter(|b| b.mark.kind == mark.kind || free.is_none()) {
            b.count += 1;
            if b.mark.kind == mark.kind {
                b.mark = mark.clone();
            }
            ends[row] = right.max(ends[row]);
            b.width = Some((ends[row] - b.left).max(0.15));
            continue;
        }
        ends[row] = right;
        last[row] = bars.len();
        bars.push(Drawn {
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

    fn mark(id: u64, from: i64, to: Option<i64>) -> Shared<Mark> {
        Shared::new(Mark {
            id,
            from: from * SECOND,
            to: to.map(|t| t * SECOND),
            kind: MarkKind::Bound,
            ..Mark::default()
        })
    }

    #[test]
    fn the_whole_run_is_seen_with_some_future() {
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
        assert_eq!(long.at(1.0), long.to);
    }

    #[test]
    fn zoom_keeps_the_instant_in_place_and_time_does_not_go_below_zero() {
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
    fn ticks_are_round_and_few() {
        for to in [1, 7, 60, 125, 3_600, 100_000] {
            let ticks = Span {
                from: 0,
                to: to * SECOND,
            }
            .ticks();
            assert!((1..=10).contains(&ticks.len()), "{to}: {ticks:?}");
        }
        // U-05: a line of weeks has them too.
        let days = |n: i64| {
            Span {
                from: 0,
                to: n * 86_400 * SECOND,
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
    fn bars_that_overlap_get_rows_and_points_that_touch_merge() {
        let span = Span {
            from: 0,
            to: 100 * SECOND,
        };
        let marks = [
            mark(1, 0, Some(20)),
            mark(2, 10, None),
            mark(3, 20, Some(30)),
            mark(4, 50, Some(50)),
            mark(5, 50, Some(50)),
            mark(6, 60, Some(60)),
            mark(7, 200, Some(300)),
        ];
        let drawn = lane(marks.iter(), span, 40 * SECOND);
        let rows: Vec<_> = drawn
            .iter()
            .filter(|d| d.width.is_some())
            .map(|d| (d.mark.id, d.row, d.rows))
            .collect();
        assert_eq!(rows, [(1, 0, 2), (2, 1, 2), (3, 0, 2)]);
        let points: Vec<_> = drawn.iter().filter(|d| d.width.is_none()).map(|d| d.count).collect();
        assert_eq!(points, [2, 1]);
    }

    /// Ten thousand terminations are a few hundred bars, and none is left out.
    /// Shows: U-09
    #[test]
    fn bars_without_room_stand_for_each_other() {
        let span = Span {
            from: 0,
            to: 3_600 * SECOND,
        };
        let marks: Vec<_> = (0..10_000_u64)
            .map(|i| mark(i, i as i64 / 3, Some(i as i64 / 3 + 5)))
            .collect();
        let drawn = lane(marks.iter(), span, 3_600 * SECOND);
        assert!(drawn.len() < 400, "{}", drawn.len());
        assert_eq!(drawn.iter().map(|d| d.count).sum::<usize>(), 10_000);
    }
}
