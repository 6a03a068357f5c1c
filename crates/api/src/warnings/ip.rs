//! Warnings about addresses and networks in notations that a future Kubernetes release will refuse (VA-351).

use std::net::{IpAddr, Ipv4Addr};

/// Parses an address as the server does: the parts of an IPv4 address may have leading zeros, and are decimal numbers
/// even then.
fn parse_ip_with_leading_zeros(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let parts: Option<Vec<u8>> = text.split('.').map(|part| part.parse().ok()).collect();
    let parts: [u8; 4] = parts?.try_into().ok()?;
    Some(IpAddr::V4(Ipv4Addr::from(parts)))
}

/// Converts an IPv4-mapped IPv6 address to IPv4.
fn unmap_ipv4(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// Returns a warning about an IP address if its notation is not canonical.
pub(super) fn address_warning(at: &str, text: &str) -> Option<String> {
    let meant = parse_ip_with_leading_zeros(text)?;
    let plain = unmap_ipv4(meant);
    if text.parse::<IpAddr>().is_err() || plain != meant {
        return Some(format!(
            "{at}: non-standard IP address {text:?} will be considered invalid in a future Kubernetes release: use {:?}",
            plain.to_string()
        ));
    }
    (meant.is_ipv6() && meant.to_string() != text).then(|| {
        format!(
            "{at}: IPv6 address {text:?} should be in RFC 5952 canonical format ({:?})",
            meant.to_string()
        )
    })
}

/// Returns warnings about a network (CIDR) if its notation is not canonical.
pub(super) fn network_warnings(at: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some((address, bits)) = text.split_once('/') else {
        return found;
    };
    let (Some(meant), Ok(bits)) = (parse_ip_with_leading_zeros(address), bits.parse::<u32>()) else {
        return found;
    };
    let plain = unmap_ipv4(meant);
    let is_mapped = plain != meant;
    let (length, bits) = match plain {
        IpAddr::V4(_) => (32, if is_mapped { bits.saturating_sub(96) } else { bits }),
        IpAddr::V6(_) => (128, bits),
    };
    if bits > length {
        return found;
    }
    let base = match plain {
        IpAddr::V4(four) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            IpAddr::V4((u32::from(four) & mask).into())
        }
        IpAddr::V6(six) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            IpAddr::V6((u128::from(six) & mask).into())
        }
    };
    if base != plain {
        found.push(format!(
            "{at}: CIDR value {text:?} is ambiguous in this context (should be \"{base}/{bits}\" or \"{plain}/{length}\"?)"
        ));
    }
    if address.parse::<IpAddr>().is_err() || is_mapped {
        found.push(format!(
            "{at}: non-standard CIDR value {text:?} will be considered invalid in a future Kubernetes release: use \
             \"{base}/{bits}\""
        ));
    } else if plain.is_ipv6() && format!("{plain}/{bits}") != text {
        found.push(format!(
            "{at}: IPv6 CIDR value {text:?} should be in RFC 5952 canonical format (\"{plain}/{bits}\")"
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address in deprecated notation gives a warning (VA-351).
    #[test]
    fn non_canonical_ip_addresses_give_a_warning() {
        let invalid = "will be considered invalid in a future Kubernetes release: use";
        assert_eq!(address_warning("a", "10.0.0.1"), None);
        assert_eq!(address_warning("a", "fd00::1"), None);
        for (text, warning) in [
            (
                "010.0.0.1",
                format!("a: non-standard IP address \"010.0.0.1\" {invalid} \"10.0.0.1\""),
            ),
            (
                "::ffff:1.2.3.4",
                format!("a: non-standard IP address \"::ffff:1.2.3.4\" {invalid} \"1.2.3.4\""),
            ),
            (
                "FD00::1",
                "a: IPv6 address \"FD00::1\" should be in RFC 5952 canonical format (\"fd00::1\")".to_owned(),
            ),
        ] {
            assert_eq!(address_warning("a", text), Some(warning));
        }
        assert_eq!(network_warnings("a", "10.0.0.0/8"), [""; 0]);
        assert_eq!(
            network_warnings("a", "10.0.0.1/8"),
            [
                "a: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)"
            ]
        );
        assert_eq!(
            network_warnings("a", "010.0.0.0/8"),
            [format!(
                "a: non-standard CIDR value \"010.0.0.0/8\" {invalid} \"10.0.0.0/8\""
            )]
        );
    }
}
