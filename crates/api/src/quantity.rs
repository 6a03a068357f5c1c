//! `resource.Quantity`: exact decimal amounts with the API's suffixes, printed in the API server's canonical form.

/// The notation in which a quantity was written; it determines how the quantity is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Format {
    /// A decimal suffix `n u m k M G T P E`, or none.
    #[default]
    DecimalSi,
    /// A binary suffix `Ki Mi Gi Ti Pi Ei`.
    BinarySi,
    /// A decimal exponent such as `e3` or `E3`.
    DecimalExponent,
}

/// An exact amount. Invariant: the value is a whole number of nano units; finer input is rounded up, as in the API.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

const NANOS_PER_UNIT: i128 = 1_000_000_000;
const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL_SUFFIXES: [(&str, i32); 10] = [
    ("E", 18),
    ("P", 15),
    ("T", 12),
    ("G", 9),
    ("M", 6),
    ("k", 3),
    ("", 0),
    ("m", -3),
    ("u", -6),
    ("n", -9),
];

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

fn ceil_div(value: i128, by: i128) -> i128 {
    value.div_euclid(by) + i128::from(value.rem_euclid(by) != 0)
}

impl Quantity {
    /// Creates a whole number of units, printed in decimal notation.
    pub const fn from_units(units: i64) -> Self {
        Self {
            nanos: units as i128 * NANOS_PER_UNIT,
            format: Format::DecimalSi,
        }
    }

    /// Creates a number of thousandths, printed in decimal notation (`250m`).
    pub const fn from_milli(milli: i64) -> Self {
        Self {
            nanos: milli as i128 * 1_000_000,
            format: Format::DecimalSi,
        }
    }

    /// Creates a number of bytes, printed with binary suffixes (`64Mi`).
    pub const fn from_bytes(bytes: i64) -> Self {
        Self {
            nanos: bytes as i128 * NANOS_PER_UNIT,
            format: Format::BinarySi,
        }
    }

    /// Returns the amount in whole units, rounded up (Go's `Value()`), saturating at 64 bits.
    pub fn value(&self) -> i64 {
        saturate_to_i64(ceil_div(self.nanos, NANOS_PER_UNIT))
    }

    /// Returns the amount in thousandths, rounded up (Go's `MilliValue()`), saturating at 64 bits.
    pub fn milli_value(&self) -> i64 {
        saturate_to_i64(ceil_div(self.nanos, 1_000_000))
    }

    /// Returns whether the amount in thousandths exceeds 64 bits, where Go's `MilliValue()` wraps around.
    pub fn overflows_milli(&self) -> bool {
        i64::try_from(ceil_div(self.nanos, 1_000_000)).is_err()
    }

    pub fn is_whole(&self) -> bool {
        self.nanos % NANOS_PER_UNIT == 0
    }

    pub fn is_zero(&self) -> bool {
        self.nanos == 0
    }

    /// Returns -1 for a negative amount, 0 for zero, and 1 for a positive amount.
    pub fn sign(&self) -> i32 {
        self.nanos.signum() as i32
    }

    /// Rounds away from zero to whole thousandths, as the API stores resources (VA-031).
    #[must_use]
    pub fn rounded_up_to_milli(self) -> Self {
        const NANOS_PER_MILLI: i128 = 1_000_000;
        let rest = self.nanos % NANOS_PER_MILLI;
        let up = if rest == 0 {
            0
        } else {
            NANOS_PER_MILLI * rest.signum() - rest
        };
        Self {
            nanos: self.nanos + up,
            format: self.format,
        }
    }

    /// Returns the notation in which the quantity is printed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the sum, in the notation of `self`; if `self` is zero, in that of `other`, as in Go.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Self {
            nanos: self.nanos.saturating_add(other.nanos),
            format,
        }
    }

    /// Interpolates linearly from `self` (`part` = 0) to `other` (`part` = `whole`), rounded down, in the notation of
    /// `self`.
    #[must_use]
    pub fn interpolate(self, other: Self, part: i64, whole: i64) -> Self {
        if whole == 0 {
            return other;
        }
        let distance = other.nanos - self.nanos;
        let (part, whole) = (i128::from(part), i128::from(whole));
        // Divide before multiplying, so that the product fits into 128 bits.
        let step = distance / whole * part + distance % whole * part / whole;
        Self {
            nanos: self.nanos + step,
            format: self.format,
        }
    }

    /// Returns the difference, in the notation of `self`; if `self` is zero, in that of `other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Self {
            nanos: self.nanos.saturating_sub(other.nanos),
            format,
        }
    }
}

fn saturate_to_i64(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

impl std::str::FromStr for Quantity {
    type Err = &'static str;

    /// Parses `[+-]digits[.digits][suffix]`.
    ///
    /// # Errors
    /// The API server's message for malformed text.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        const BAD_FORMAT: &str =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        const BAD_SUFFIX: &str = "unable to parse quantity's suffix";
        let text = text.trim_matches(' ');
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            Some(_) => (false, text),
            None => return Err(BAD_FORMAT),
        };
        let end = unsigned
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
            .count();
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(BAD_FORMAT);
        }
        let letters = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
        let digits = letters.strip_prefix(['+', '-']).unwrap_or(letters);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BAD_FORMAT);
        }
        // The suffix scales the digits by 10^exponent × 2^(10·binary).
        let (format, exponent, binary) = if let Some(power) = BINARY_SUFFIXES
            .iter()
            .position(|known| *known == suffix)
            .filter(|power| *power > 0)
        {
            (Format::BinarySi, 0, power as u32)
        } else if let Some((_, exponent)) = DECIMAL_SUFFIXES.iter().find(|(known, _)| *known == suffix) {
            (Format::DecimalSi, *exponent, 0)
        } else if let Some(digits) = suffix.strip_prefix(['e', 'E']) {
            let exponent: i32 = digits.parse().map_err(|_| BAD_SUFFIX)?;
            (Format::DecimalExponent, exponent, 0)
        } else {
            return Err(BAD_SUFFIX);
        };
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        // value = digits × 10^shift nano units × 2^(10·binary), saturated like the API (about 2^63).
        let shift = exponent
            .saturating_add(9)
            .saturating_sub(i32::try_from(fraction.len()).map_err(|_| BAD_FORMAT)?);
        let mut nanos: i128 = 0;
        let cap = i128::from(i64::MAX) * NANOS_PER_UNIT;
        if !digits.is_empty() {
            let keep = digits.len().min(30);
            nanos = digits[..keep].parse().map_err(|_| BAD_FORMAT)?;
            let dropped = i32::try_from(digits.len() - keep).unwrap_or(i32::MAX);
            let shift = shift.saturating_add(dropped);
            nanos = nanos.saturating_mul(1_i128 << (10 * binary));
            if shift >= 0 {
                for _ in 0..shift.min(60) {
                    nanos = nanos.saturating_mul(10);
                }
            } else {
                let mut inexact = false;
                for _ in 0..shift.saturating_neg().min(80) {
                    inexact |= nanos % 10 != 0;
                    nanos /= 10;
                }
                nanos += i128::from(inexact);
            }
            nanos = nanos.min(cap);
        }
        Ok(Self {
            nanos: if negative { -nanos } else { nanos },
            format,
        })
    }
}

impl std::fmt::Display for Quantity {
    /// Prints the canonical form: no fraction, with the largest suffix that is exact.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let magnitude = self.nanos.unsigned_abs();
        let sign = if self.nanos < 0 { "-" } else { "" };
        // As in Go, amounts below 1024 or with a fraction are printed in decimal notation even if they were written in
        // binary.
        if self.format == Format::BinarySi
            && magnitude >= 1024 * NANOS_PER_UNIT as u128
            && magnitude.is_multiple_of(NANOS_PER_UNIT as u128)
        {
            let mut units = magnitude / NANOS_PER_UNIT as u128;
            let mut power = 0;
            while units.is_multiple_of(1024) && power < 6 {
                units /= 1024;
                power += 1;
            }
            return write!(f, "{sign}{units}{}", BINARY_SUFFIXES[power]);
        }
        for (suffix, exponent) in DECIMAL_SUFFIXES {
            let unit = 10_u128.pow((exponent + 9) as u32);
            if magnitude.is_multiple_of(unit) {
                let count = magnitude / unit;
                return match self.format {
                    Format::DecimalExponent if exponent != 0 => {
                        write!(f, "{sign}{count}e{exponent}")
                    }
                    _ => write!(f, "{sign}{count}{suffix}"),
                };
            }
        }
        unreachable!("every magnitude is a whole number of nano units")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_print_in_canonical_form() {
        for (input, printed, value, milli) in [
            ("0.5", "500m", 1, 500),
            ("250m", "250m", 1, 250),
            ("1000m", "1", 1, 1000),
            ("1024Mi", "1Gi", 1 << 30, 1000 << 30),
            ("1.5Gi", "1536Mi", 3 << 29, 1000 * (3 << 29)),
            ("600M", "600M", 600_000_000, 600_000_000_000),
            ("1e3", "1e3", 1000, 1_000_000),
            ("100n", "100n", 1, 1),
            ("0.0000000001", "1n", 1, 1),
            ("512Ki", "512Ki", 524_288, 524_288_000),
            ("1023", "1023", 1023, 1_023_000),
            ("-2", "-2", -2, -2000),
            ("+3k", "3k", 3000, 3_000_000),
            ("0", "0", 0, 0),
            ("4", "4", 4, 4000),
            ("0.5Ki", "512", 512, 512_000),
            (".5", "500m", 1, 500),
            ("5.", "5", 5, 5000),
        ] {
            let quantity: Quantity = input.parse().unwrap_or_else(|error| panic!("{input}: {error}"));
            assert_eq!(
                (quantity.to_string().as_str(), quantity.value(), quantity.milli_value()),
                (printed, value, milli),
                "{input}"
            );
        }
        for bad in ["", "-", "1.2.3", "1Kx", "abc", "1 Gi", "1e", "."] {
            assert!(bad.parse::<Quantity>().is_err(), "{bad}");
        }
    }

    /// Shows: VA-222, VA-224, VA-225, VA-226, VA-227, VA-228, VA-229, VA-230, VA-231
    #[test]
    fn invalid_quantities_are_refused_with_server_message() {
        for (bad, word) in [
            ("abc", "regular"),
            ("5 Gi", "regular"),
            ("5GB", "regular"),
            ("", "regular"),
            ("true", "regular"),
            ("5K", "suffix"),
            ("1e", "suffix"),
            ("1i", "suffix"),
            ("1mi", "suffix"),
        ] {
            let error = bad.parse::<Quantity>().unwrap_err();
            assert!(error.contains(word), "{bad}: {error}");
        }
        for (input, printed) in [
            ("1024Mi", "1Gi"),
            ("1000Ki", "1000Ki"),
            ("1000k", "1M"),
            ("2.5Mi", "2560Ki"),
            ("0.001Ki", "1024m"),
            ("1e4", "10e3"),
            ("1.2345Gi", "1325534281728m"),
            ("0m", "0"),
            ("0.1n", "1n"),
            ("16Ei", "9223372036854775807"),
            (" 5 ", "5"),
        ] {
            assert_eq!(input.parse::<Quantity>().unwrap().to_string(), printed, "{input}");
        }
    }
}
