//! Outlines of pod marks (icons) and wires as SVG paths.

/// Returns the radius of the corners of a pod's mark.
pub(crate) fn mark_corner_radius(h: f64, unit: f64) -> f64 {
    (13.0 * unit).min(h * 0.2)
}

/// Returns the upper and the lower half of a torn mark (pod icon), with a gap between them.
pub(crate) fn torn_mark_halves(w: f64, h: f64, unit: f64) -> (String, String) {
    let radius = mark_corner_radius(h, unit);
    let gap = (h * 0.03).clamp(1.2, 4.0 * unit);
    let teeth = ((w / (15.0 * unit)).round() as usize).clamp(3, 40);
    let amplitude = (h * 0.028).clamp(1.2, 5.0 * unit);
    let middle = h / 2.0;
    let mut upper = format!(
        "M0 {radius:.1}Q0 0 {radius:.1} 0H{:.1}Q{w:.1} 0 {w:.1} {radius:.1}",
        w - radius
    );
    zigzag(&mut upper, w, 0.0, middle - gap, amplitude, teeth);
    upper.push('Z');
    let mut lower = String::from("M");
    let (x, y) = (0.0, middle + gap - amplitude);
    lower.push_str(&format!("{x:.1} {y:.1}"));
    zigzag(&mut lower, 0.0, w, middle + gap, amplitude, teeth);
    lower.push_str(&format!(
        "V{:.1}Q{w:.1} {h:.1} {:.1} {h:.1}H{radius:.1}Q0 {h:.1} 0 {:.1}Z",
        h - radius,
        w - radius,
        h - radius
    ));
    (upper, lower)
}

/// Appends a zigzag line from one x coordinate to another, including its first point.
fn zigzag(path: &mut String, from: f64, to: f64, y: f64, amplitude: f64, teeth: usize) {
    let points = 2 * teeth;
    for point in 0..=points {
        let x = from + (to - from) * point as f64 / points as f64;
        let up = if point % 2 == 0 { -amplitude } else { amplitude };
        path.push_str(&format!("L{x:.1} {:.1}", y + up));
    }
}

/// Returns the path of a polyline with rounded corners.
pub(crate) fn rounded_polyline(points: &[(f64, f64)], radius: f64) -> String {
    let Some(first) = points.first() else {
        return String::new();
    };
    let mut path = format!("M{:.1} {:.1}", first.0, first.1);
    for corner in points.windows(3) {
        let &[before, point, after] = corner else { continue };
        let toward = |from: (f64, f64), to: (f64, f64)| {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let part = if length > 0.0 {
                (radius.min(length / 2.0)) / length
            } else {
                0.0
            };
            (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
        };
        let (near, far) = (toward(point, before), toward(point, after));
        path.push_str(&format!(
            "L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
            near.0, near.1, point.0, point.1, far.0, far.1
        ));
    }
    if let Some(last) = points.last().filter(|_| points.len() > 1) {
        path.push_str(&format!("L{:.1} {:.1}", last.0, last.1));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers in a path.
    fn numbers(path: &str) -> Vec<f64> {
        let parts = path.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        parts.filter_map(|part| part.parse().ok()).collect()
    }

    #[test]
    fn torn_halves_stay_inside_their_mark() {
        for (w, h) in [(24.0, 24.0), (186.0, 126.0), (430.0, 300.0)] {
            let (upper, lower) = torn_mark_halves(w, h, 1.0);
            for path in [&upper, &lower] {
                let all = numbers(path);
                assert!(
                    all.iter().all(|number| (-0.1..=w.max(h) + 0.1).contains(number)),
                    "{path}"
                );
            }
        }
    }

    #[test]
    fn rounded_polyline_keeps_its_ends() {
        let path = rounded_polyline(&[(0.0, 0.0), (0.0, 10.0), (20.0, 10.0)], 4.0);
        assert_eq!(path, "M0.0 0.0L0.0 6.0Q0.0 10.0 4.0 10.0L20.0 10.0");
        assert_eq!(rounded_polyline(&[(1.0, 2.0)], 4.0), "M1.0 2.0");
        assert_eq!(rounded_polyline(&[], 4.0), "");
    }
}
