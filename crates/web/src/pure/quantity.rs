//! Resources in the few characters of a meter.

/// Whole and tenth of a ratio, without a needless `.0`.
fn tenths(value: i64, unit: i64) -> String {
    let tenths = (value.saturating_mul(10) + unit / 2) / unit;
    if tenths % 10 == 0 {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

/// Thousandths of a core: `3.5 / 4`.
pub(crate) fn cpu((requested, allocatable): (i64, i64)) -> String {
    format!("{} / {}", tenths(requested, 1000), tenths(allocatable, 1000))
}

/// Bytes, in the unit of what is allocatable: `4.1 / 8 Gi`.
pub(crate) fn memory((requested, allocatable): (i64, i64)) -> String {
    let (unit, name) = match allocatable.max(requested) {
        v if v >= 1 << 40 => (1i64 << 40, "Ti"),
        v if v >= 1 << 30 => (1 << 30, "Gi"),
        v if v >= 1 << 20 => (1 << 20, "Mi"),
        _ => (1 << 10, "Ki"),
    };
    format!("{} / {} {name}", tenths(requested, unit), tenths(allocatable, unit))
}

/// A share in percent, clipped to 100.
pub(crate) fn percent((requested, allocatable): (i64, i64)) -> i64 {
    if allocatable <= 0 {
        return if requested > 0 { 100 } else { 0 };
    }
    (requested.saturating_mul(100) / allocatable).clamp(0, 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_are_short_and_exact_enough() {
        assert_eq!(cpu((3500, 4000)), "3.5 / 4");
        assert_eq!(cpu((250, 4000)), "0.3 / 4");
        assert_eq!(memory((4_402_341_478, 8 << 30)), "4.1 / 8 Gi");
        assert_eq!(memory((64 << 20, 512 << 20)), "64 / 512 Mi");
        assert_eq!(percent((3500, 4000)), 87);
        assert_eq!(percent((5, 0)), 100);
        assert_eq!(percent((0, 0)), 0);
    }
}
