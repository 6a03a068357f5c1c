//! Formats and rounds amounts in common units: `2Gi`, `512Mi`, `1.5Gi`, `500m`.

use podscope_api::Quantity;

const MEBI: i64 = 1 << 20;
const GIBI: i64 = 1 << 30;

/// Formats a number of bytes.
pub(super) fn format_bytes(amount: i64) -> String {
    const MEGA: i64 = 1_000_000;
    if amount > GIBI && amount % GIBI != 0 && amount % (GIBI / 4) == 0 {
        let hundredths = format!("{:02}", amount % GIBI * 100 / GIBI);
        return format!("{}.{}Gi", amount / GIBI, hundredths.trim_end_matches('0'));
    }
    // A multiple of 10^6 was probably written in decimal units.
    match amount % MEGA == 0 && amount % MEBI != 0 {
        true => Quantity::from_units(amount).to_string(),
        false => Quantity::from_bytes(amount).to_string(),
    }
}

/// Rounds a number of bytes down to a commonly used amount, by at most an eighth or by a quarter of a GiB.
pub(super) fn bytes_rounded_down(amount: i64) -> i64 {
    let step = match amount {
        ..MEBI => return amount,
        MEBI..GIBI => largest_power_of_two_up_to(amount / 8).max(MEBI),
        GIBI.. => largest_power_of_two_up_to(amount / 8).max(GIBI / 4),
    };
    amount / step * step
}

/// Rounds a number of bytes up to whole GiB, the unit of machine sizes.
pub(super) fn bytes_rounded_up(amount: i64) -> i64 {
    amount.saturating_add(GIBI - 1) / GIBI * GIBI
}

/// Rounds millicores down to a commonly used amount.
pub(super) fn cpu_rounded_down(milli: i64) -> i64 {
    let step = match milli {
        ..100 => 1,
        100..1000 => 10,
        1000.. => 100,
    };
    milli / step * step
}

/// Rounds millicores up to whole cpus, the unit of machine sizes.
pub(super) fn cpu_rounded_up(milli: i64) -> i64 {
    milli.saturating_add(999) / 1000 * 1000
}

/// Returns the largest power of two that is at most `amount`.
fn largest_power_of_two_up_to(amount: i64) -> i64 {
    1 << amount.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: S-15
    #[test]
    fn bytes_print_with_common_units() {
        for (amount, want) in [
            (2048 * MEBI, "2Gi"),
            (512 * MEBI, "512Mi"),
            (1536 * MEBI, "1.5Gi"),
            (1280 * MEBI, "1.25Gi"),
            (1300 * MEBI, "1300Mi"),
            (2_000_000_000, "2G"),
            (1024, "1Ki"),
        ] {
            assert_eq!(format_bytes(amount), want);
        }
    }

    /// Shows: S-15
    #[test]
    fn amounts_round_to_common_values() {
        for (amount, want) in [
            (15_260_000 * 1024, "14Gi"),
            (1993 * MEBI, "1.75Gi"),
            (700 * MEBI, "640Mi"),
            (512 * MEBI, "512Mi"),
            (3 * MEBI, "3Mi"),
            (5000, "5000"),
        ] {
            assert_eq!(format_bytes(bytes_rounded_down(amount)), want);
        }
        assert_eq!([1940, 745, 20].map(cpu_rounded_down), [1900, 740, 20]);
        assert_eq!([1, 1000, 9500].map(cpu_rounded_up), [1000, 1000, 10_000]);
        assert_eq!(format_bytes(bytes_rounded_up(GIBI * 9 + 1)), "10Gi");
    }
}
