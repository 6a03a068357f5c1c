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

/// The largest unit that is not larger than so many bytes.
fn unit(bytes: i64) -> (i64, &'static str) {
    match bytes {
        v if v >= 1 << 40 => (1i64 << 40, "Ti"),
        v if v >= 1 << 30 => (1 << 30, "Gi"),
        v if v >= 1 << 20 => (1 << 20, "Mi"),
        _ => (1 << 10, "Ki"),
    }
}

/// Bytes, in the unit of what is allocatable: `4.1 / 8 Gi`.
pub(crate) fn memory((requested, allocatable): (i64, i64)) -> String {
    let (unit, name) = unit(allocatable.max(requested));
    format!("{} / {} {name}", tenths(requested, unit), tenths(allocatable, unit))
}

/// Thousandths of a core by themselves: `1.5`; below a tenth as they are written: `50m`.
pub(crate) fn cores(milli: i64) -> String {
    match milli {
        few @ 1..100 => format!("{few}m"),
        milli => tenths(milli, 1000),
    }
}

/// Bytes by themselves: `512 Mi`.
pub(crate) fn bytes(bytes: i64) -> String {
    let (unit, name) = unit(bytes);
    format!("{} {name}", tenths(bytes, unit))
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
        assert_eq!(
            (cores(50), cores(1500), bytes(512 << 20)),
            ("50m".into(), "1.5".into(), "512 Mi".into())
        );
    }
}
