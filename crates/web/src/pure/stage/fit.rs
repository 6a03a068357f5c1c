//! The size of pod marks: as large as the room allows, in steps each of which says more than the next.

use crate::pure::overview::Rect;

/// How much a mark has the room to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Step {
    /// Colour and state.
    #[default]
    Dot,
    /// Its short name.
    Square,
    /// Full name, and a word for what happens to it.
    Card,
    /// Image, priority and seconds as well.
    Large,
    /// The same, to be read from afar.
    Huge,
}

impl Step {
    fn of(w: f64, h: f64, unit: f64) -> Step {
        let is = |least: (f64, f64)| w >= least.0 * unit && h >= least.1 * unit;
        if is((300.0, 200.0)) {
            Step::Huge
        } else if is((124.0, 96.0)) {
            Step::Large
        } else if is((96.0, 54.0)) {
            Step::Card
        } else if w >= 21.0 {
            Step::Square
        } else {
            Step::Dot
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

    /// Whether there is room for more than one line of each truth.
    pub(crate) fn is_large(self) -> bool {
        self >= Self::Large
    }

    /// Whether there is room for words.
    pub(crate) fn is_card(self) -> bool {
        self >= Self::Card
    }
}

/// How marks fill a room: size, columns, the gap between them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Fit {
    pub(crate) w: f64,
    pub(crate) h: f64,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) gap: f64,
    pub(crate) step: Step,
}

/// The smallest mark that is still seen, in CSS pixels.
const LEAST: f64 = 4.0;

/// The largest marks with which so many of them fit.
pub(crate) fn fit(room_w: f64, room_h: f64, slots: usize, gap: f64, unit: f64) -> Fit {
    let slots = slots.max(1);
    let mut best = Fit::default();
    for columns in 1..=slots {
        let rows = slots.div_ceil(columns);
        // Many small ones stand closer.
        let gap = (room_w / columns as f64 * 0.14).min(gap).max(1.0);
        let w = (room_w - (columns as f64 - 1.0) * gap) / columns as f64;
        let h = (room_h - (rows as f64 - 1.0) * gap) / rows as f64;
        let (w, h) = shaped(w, h, room_h, unit);
        if w * h > best.area() {
            best = Fit {
                w,
                h,
                columns,
                rows,
                gap,
                step: Step::of(w, h, unit),
            };
        }
    }
    if best.w < LEAST || best.h < LEAST {
        let columns = ((room_w + 1.0) / (LEAST + 1.0)).max(1.0) as usize;
        best = Fit {
            w: LEAST,
            h: LEAST,
            columns,
            rows: slots.div_ceil(columns),
            gap: 1.0,
            step: Step::Dot,
        };
    }
    // Columns that the marks leave free are used before another row.
    best.columns = (((room_w + best.gap) / (best.w + best.gap) + 1e-6) as usize).max(best.columns);
    best
}

/// A mark's shape in a cell: a card that is not much longer than high, or else a square.
fn shaped(w: f64, h: f64, room_h: f64, unit: f64) -> (f64, f64) {
    let h = h.min((300.0 * unit).min(room_h * 0.62).max(190.0 * unit));
    let w = w.min((h * 1.6).max(150.0 * unit)).min(430.0 * unit);
    if w < 96.0 * unit || h < 54.0 * unit {
        let side = w.min(h).min(84.0 * unit).max(0.0);
        (side, side)
    } else {
        (w, h.min(w * 1.05))
    }
}

impl Fit {
    /// Of one mark.
    pub(crate) fn area(&self) -> f64 {
        self.w * self.h
    }

    /// All rows together.
    pub(crate) fn height(&self) -> f64 {
        self.rows as f64 * (self.h + self.gap) - self.gap
    }

    /// Where a slot is in the room.
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
