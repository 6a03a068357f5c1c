//! Short texts for amounts of resources.

/// Formats a ratio to one decimal, without a trailing `.0`.
fn format_tenths(value: i64, unit: i64) -> String {
    let tenths = (value.saturating_mul(10) + unit / 2) / unit;
    if tenths % 10 == 0 {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

/// Formats requested and allocatable cpu, from thousandths of a core: `3.5 / 4`.
pub(crate) fn cpu((requested, allocatable): (i64, i64)) -> String {
    format!(
        "{} / {}",
        format_tenths(requested, 1000),
        format_tenths(allocatable, 1000)
    )
}

/// Returns size and name of the largest binary unit that this number of bytes reaches, at least `Ki`.
fn largest_unit(bytes: i64) -> (i64, &'static str) {
    match bytes {
        amount if amount >= 1 << 40 => (1i64 << 40, "Ti"),
        amount if amount >= 1 << 30 => (1 << 30, "Gi"),
        amount if amount >= 1 << 20 => (1 << 20, "Mi"),
        _ => (1 << 10, "Ki"),
    }
}

/// Formats requested and allocatable memory, in the unit of the larger one: `4.1 / 8 Gi`.
pub(crate) fn memory((requested, allocatable): (i64, i64)) -> String {
    let (unit, name) = largest_unit(allocatable.max(requested));
    format!(
        "{} / {} {name}",
        format_tenths(requested, unit),
        format_tenths(allocatable, unit)
    )
}

/// Formats an amount of cpu, from thousandths of a core: `1.5`, or `50m` below a tenth.
pub(crate) fn cores(milli: i64) -> String {
    match milli {
        few @ 1..100 => format!("{few}m"),
        milli => format_tenths(milli, 1000),
    }
}

/// Formats an amount of memory: `512 Mi`.
pub(crate) fn bytes(bytes: i64) -> String {
    let (unit, name) = largest_unit(bytes);
    format!("{} {name}", format_tenths(bytes, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_to_one_decimal() {
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
