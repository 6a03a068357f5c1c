//! The arc between the two processes that break a guarantee, and a position for its text that covers neither of them.

use super::StageSize;
use crate::pure::overview::Rect;

/// An arc, and the centre of the text on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arc {
    pub(crate) path: String,
    pub(crate) text_centre: (f64, f64),
}

/// Places a text of the given size on an arc between the marks (icons) of two pods. `top` is the lower edge of the
/// control plane.
pub(crate) fn arc(one: Rect, other: Rect, room: StageSize, top: f64, text_size: (f64, f64)) -> Arc {
    let centre = |rect: Rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
    let (begin, end) = (centre(one), centre(other));
    let middle = ((begin.0 + end.0) / 2.0, (begin.1 + end.1) / 2.0);
    let clamp = |value: f64, low: f64, high: f64| value.clamp(low, high.max(low));
    let x_of = |x: f64| clamp(x, text_size.0 / 2.0 + 8.0, room.w - text_size.0 / 2.0 - 8.0);
    let y_of = |y: f64| clamp(y, top + text_size.1 / 2.0, room.h - text_size.1 / 2.0 - 8.0);
    let mut best = (f64::INFINITY, (x_of(middle.0), y_of(middle.1)));
    for x in [middle.0, room.w / 2.0, room.w * 0.25, room.w * 0.75] {
        for step in 0..=10 {
            let at = (x_of(x), y_of(top + (room.h - top) * f64::from(step) / 10.0));
            let covered = [one, other]
                .map(|mark| covered_area(at, text_size, mark))
                .iter()
                .sum::<f64>();
            let far = (at.0 - middle.0).hypot(at.1 - middle.1);
            let score = covered * 1000.0 + far;
            if score < best.0 {
                best = (score, at);
            }
        }
    }
    let at = best.1;
    // The arc leaves each mark on the side where the text is.
    let exit_point = |mark: Rect| {
        let (x, y) = centre(mark);
        let below = at.1 >= y;
        (
            x,
            if below { mark.y + mark.h + 5.0 } else { mark.y - 5.0 },
            if below { 1.0 } else { -1.0 },
        )
    };
    let ((ax, ay, ad), (bx, by, bd)) = (exit_point(one), exit_point(other));
    let bend = |y: f64| ((at.1 - y).abs() * 0.8).max(40.0);
    let side = (at.0 - ax).signum() * text_size.0 * 0.3;
    let path = format!(
        "M{ax:.1} {ay:.1}C{ax:.1} {:.1} {:.1} {:.1} {:.1} {:.1}S{bx:.1} {:.1} {bx:.1} {by:.1}",
        ay + ad * bend(ay),
        at.0 - side,
        at.1,
        at.0,
        at.1,
        by + bd * bend(by),
    );
    Arc { path, text_centre: at }
}

/// Returns the area of a pod's mark, with a margin, that a text with this centre would cover.
fn covered_area(at: (f64, f64), text_size: (f64, f64), mark: Rect) -> f64 {
    const MARGIN: f64 = 10.0;
    let overlap = |from: f64, length: f64, centre: f64, size: f64| {
        let (low, high) = (from - MARGIN, from + length + MARGIN);
        ((centre + size / 2.0).min(high) - (centre - size / 2.0).max(low)).max(0.0)
    };
    overlap(mark.x, mark.w, at.0, text_size.0) * overlap(mark.y, mark.h, at.1, text_size.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark_at(x: f64, y: f64) -> Rect {
        Rect {
            x,
            y,
            w: 180.0,
            h: 120.0,
        }
    }

    /// Both processes stay visible beside the text, wherever their pods are on the stage.
    /// Shows: U-02
    #[test]
    fn text_covers_neither_process() {
        let room = StageSize {
            w: 1366.0,
            h: 460.0,
            unit: 1.0,
        };
        for (one, other) in [
            (mark_at(40.0, 130.0), mark_at(1100.0, 130.0)),
            (mark_at(40.0, 130.0), mark_at(40.0, 300.0)),
            (mark_at(600.0, 130.0), mark_at(600.0, 300.0)),
            (mark_at(40.0, 300.0), mark_at(800.0, 130.0)),
        ] {
            let text_size = (380.0, 150.0);
            let arc = arc(one, other, room, 80.0, text_size);
            for mark in [one, other] {
                assert!(
                    covered_area(arc.text_centre, text_size, mark) < 1.0,
                    "{one:?} {other:?}: {arc:?}"
                );
            }
            assert!(arc.text_centre.1 + 75.0 <= 460.0 && arc.text_centre.1 - 75.0 >= 80.0);
        }
    }
}
