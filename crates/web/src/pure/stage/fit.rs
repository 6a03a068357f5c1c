//! The size of pod marks (icons): as large as the space allows, in steps with increasing detail.

use crate::pure::overview::Rect;

/// Level of detail of a mark (pod icon).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum DetailLevel {
    /// Shows colour and state, without text.
    #[default]
    Dot,
    /// Shows the pod's short name.
    Square,
    /// Shows the pod's full name and a word for its state.
    Card,
    /// Shows also the image, the priority and how long the pod has run.
    Large,
    /// Shows the same as `Large`, in large type.
    Huge,
}

impl DetailLevel {
    fn of(w: f64, h: f64, unit: f64) -> DetailLevel {
        let at_least = |minimum: (f64, f64)| w >= minimum.0 * unit && h >= minimum.1 * unit;
        if at_least((300.0, 200.0)) {
            DetailLevel::Huge
        } else if at_least((124.0, 96.0)) {
            DetailLevel::Large
        } else if at_least((96.0, 54.0)) {
            DetailLevel::Card
        } else if w >= 21.0 {
            DetailLevel::Square
        } else {
            DetailLevel::Dot
        }
    }

    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Dot => "s-dot",
            Self::Square => "s-square",
            Self::Card => "s-card",
            Self::Large => "s-large",
            Self::Huge => "s-huge",
        }
    }

    /// Returns whether a mark has space for several lines about the API server's state and about the process.
    pub(crate) fn is_large(self) -> bool {
        self >= Self::Large
    }

    /// Returns whether a mark has space for text.
    pub(crate) fn is_card(self) -> bool {
        self >= Self::Card
    }
}

/// An arrangement of pod marks that fills an area: size of a mark, columns, rows, gap.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct MarkGrid {
    pub(crate) w: f64,
    pub(crate) h: f64,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) gap: f64,
    pub(crate) detail: DetailLevel,
}

/// Side of the smallest visible mark, in CSS pixels.
const MIN_MARK_SIDE: f64 = 4.0;

/// Returns the arrangement with the largest marks for this number of slots (cells).
pub(crate) fn fit_marks(room_w: f64, room_h: f64, slots: usize, gap: f64, unit: f64) -> MarkGrid {
    let slots = slots.max(1);
    let mut best = MarkGrid::default();
    for columns in 1..=slots {
        let rows = slots.div_ceil(columns);
        // The gap between small marks is smaller.
        let gap = (room_w / columns as f64 * 0.14).min(gap).max(1.0);
        let w = (room_w - (columns as f64 - 1.0) * gap) / columns as f64;
        let h = (room_h - (rows as f64 - 1.0) * gap) / rows as f64;
        let (w, h) = mark_size(w, h, room_h, unit);
        if w * h > best.area() {
            best = MarkGrid {
                w,
                h,
                columns,
                rows,
                gap,
                detail: DetailLevel::of(w, h, unit),
            };
        }
    }
    if best.w < MIN_MARK_SIDE || best.h < MIN_MARK_SIDE {
        let columns = ((room_w + 1.0) / (MIN_MARK_SIDE + 1.0)).max(1.0) as usize;
        best = MarkGrid {
            w: MIN_MARK_SIDE,
            h: MIN_MARK_SIDE,
            columns,
            rows: slots.div_ceil(columns),
            gap: 1.0,
            detail: DetailLevel::Dot,
        };
    }
    // All columns that fit are used before another row begins.
    best.columns = (((room_w + best.gap) / (best.w + best.gap) + 1e-6) as usize).max(best.columns);
    best
}

/// Returns the size of a mark in a cell: a card of moderate proportions, or a square.
fn mark_size(w: f64, h: f64, room_h: f64, unit: f64) -> (f64, f64) {
    let h = h.min((300.0 * unit).min(room_h * 0.62).max(190.0 * unit));
    let w = w.min((h * 1.6).max(150.0 * unit)).min(430.0 * unit);
    if w < 96.0 * unit || h < 54.0 * unit {
        let side = w.min(h).min(84.0 * unit).max(0.0);
        (side, side)
    } else {
        (w, h.min(w * 1.05))
    }
}

impl MarkGrid {
    /// Returns the area of one mark.
    pub(crate) fn area(&self) -> f64 {
        self.w * self.h
    }

    /// Returns the height of all rows.
    pub(crate) fn height(&self) -> f64 {
        self.rows as f64 * (self.h + self.gap) - self.gap
    }

    /// Returns the rectangle of a slot (cell) in the area.
    pub(crate) fn slot(&self, slot: usize) -> Rect {
        let columns = self.columns.max(1);
        Rect {
            x: (slot % columns) as f64 * (self.w + self.gap),
            y: (slot / columns) as f64 * (self.h + self.gap),
            w: self.w,
            h: self.h,
        }
    }
}
