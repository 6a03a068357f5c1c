//! Rules for names, with the API server's messages (VA-057 to VA-083).

use crate::ProblemKind;

pub(super) const INVALID_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const INVALID_WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const INVALID_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const INVALID_QUALIFIED_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const INVALID_LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
pub(super) const INVALID_PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
pub(super) const INVALID_IP: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
pub(super) const INVALID_CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const INVALID_ENV_NAME: &str =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";

/// A reason why a name is invalid, with the API server's message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NameFault {
    pub(super) text: String,
    pub(super) kind: ProblemKind,
}

impl<T: Into<String>> From<T> for NameFault {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            kind: ProblemKind::Other,
        }
    }
}

/// Creates the fault of a name with characters that are not allowed, or not allowed at their position; `text` is the
/// API server's message.
fn character_fault(text: &str) -> NameFault {
    NameFault {
        text: text.to_owned(),
        kind: ProblemKind::NoName,
    }
}

type NameFaults = Vec<NameFault>;

/// A function that returns the problems of a name.
pub(super) type NameRule = fn(&str) -> NameFaults;

/// Joins several problems of a name into one problem, whose text begins with `prefix`.
pub(super) fn join_faults(faults: &[NameFault], prefix: &str, separator: &str) -> NameFault {
    let texts: Vec<&str> = faults.iter().map(|fault| fault.text.as_str()).collect();
    let known = faults.iter().find(|fault| fault.kind != ProblemKind::Other);
    NameFault {
        text: format!("{prefix}{}", texts.join(separator)),
        kind: known.map_or(ProblemKind::Other, |fault| fault.kind.clone()),
    }
}

/// Returns the messages of the problems of a name.
pub(super) fn fault_messages(faults: NameFaults) -> Vec<String> {
    faults.into_iter().map(|fault| fault.text).collect()
}

fn check_max_length(text: &str, max: usize, messages: &mut NameFaults) {
    if text.len() > max {
        messages.push(format!("must be no more than {max} characters").into());
    }
}

fn is_lower_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Returns whether the text is not empty, starts and ends with an `edge` character, and contains only `edge` and
/// `inner` characters.
fn has_edge_and_inner_chars(text: &str, edge: fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    edge(*first) && edge(*last) && bytes.iter().all(|byte| edge(*byte) || inner.contains(byte))
}

fn is_dns_label(text: &str) -> bool {
    has_edge_and_inner_chars(text, is_lower_or_digit, b"-")
}

fn is_dns_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns_label)
}

/// Rule for the names of most objects: a DNS subdomain (VA-070).
pub(super) fn subdomain_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    check_max_length(text, 253, &mut messages);
    if !is_dns_subdomain(text) {
        messages.push(character_fault(INVALID_SUBDOMAIN));
    }
    messages
}

/// Rule for the names of namespaces, containers and volumes: a DNS label (VA-071).
pub(super) fn label_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    check_max_length(text, 63, &mut messages);
    if !is_dns_label(text) {
        messages.push(if is_dns_subdomain(text) {
            "must not contain dots".into()
        } else {
            character_fault(INVALID_LABEL)
        });
    }
    messages
}

/// Rule for a label that starts with a letter (VA-059).
pub(super) fn label_1035_faults(text: &str) -> NameFaults {
    const MESSAGE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
        alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
        validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut messages = NameFaults::new();
    check_max_length(text, 63, &mut messages);
    let is_valid = text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| is_part(byte) || byte == b'-')
        && text.bytes().next_back().is_some_and(is_part);
    if !is_valid {
        messages.push(MESSAGE.into());
    }
    messages
}

/// Rule for a wildcard domain such as `*.example.com`.
pub(super) fn wildcard_faults(text: &str) -> NameFaults {
    let is_valid = text.strip_prefix("*.").is_some_and(is_dns_subdomain);
    if is_valid {
        Vec::new()
    } else {
        vec![INVALID_WILDCARD.into()]
    }
}

/// Rule for the names of PodDisruptionBudgets (VA-073).
pub(super) fn path_segment_faults(text: &str) -> NameFaults {
    if matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'").into()];
    }
    ['/', '%']
        .into_iter()
        .filter(|illegal| text.contains(*illegal))
        .map(|illegal| format!("may not contain '{illegal}'").into())
        .collect()
}

/// Returns the problems of a label key, taint key or condition type (VA-076). kubectl applies the same rule.
pub fn qualified_name_problems(text: &str) -> Vec<String> {
    fault_messages(qualified_name_faults(text))
}

/// Returns the problems of a label value (VA-077). kubectl applies the same rule.
pub fn label_value_problems(text: &str) -> Vec<String> {
    fault_messages(label_value_faults(text))
}

/// Returns the problems of a DNS subdomain. kubectl applies the same rule.
pub fn subdomain_problems(text: &str) -> Vec<String> {
    fault_messages(subdomain_faults(text))
}

/// Rule for label keys, taint keys and condition types (VA-076).
pub(super) fn qualified_name_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                messages.push("prefix part must be non-empty".into());
            } else {
                if prefix.len() > 253 {
                    messages.push("prefix part must be no more than 253 bytes".into());
                }
                if !is_dns_subdomain(prefix) {
                    messages.push(character_fault(&format!("prefix part {INVALID_SUBDOMAIN}")));
                }
            }
            name
        }
        _ => {
            return vec![
                format!(
                    "a valid label key {INVALID_QUALIFIED_NAME} with an optional DNS subdomain prefix and '/' (e.g. \
                     'example.com/MyName')"
                )
                .into(),
            ];
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        messages.push("name part must be no more than 63 bytes".into());
    }
    if !has_edge_and_inner_chars(name, |byte| byte.is_ascii_alphanumeric(), b"-_.") {
        messages.push(format!("name part {INVALID_QUALIFIED_NAME}").into());
    }
    messages
}

/// Rule for label values (VA-077).
pub(super) fn label_value_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    if text.len() > 63 {
        messages.push("must be no more than 63 bytes".into());
    }
    if !text.is_empty() && !has_edge_and_inner_chars(text, |byte| byte.is_ascii_alphanumeric(), b"-_.") {
        messages.push(INVALID_LABEL_VALUE.into());
    }
    messages
}

/// Returns the problems of a port name (VA-082). kubectl applies the same rule.
pub fn port_name_problems(text: &str) -> Vec<String> {
    fault_messages(port_name_faults(text))
}

/// Rule for port names (VA-082).
pub(super) fn port_name_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    check_max_length(text, 15, &mut messages);
    if !text.bytes().all(|byte| is_lower_or_digit(byte) || byte == b'-') || text.is_empty() {
        messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        messages.push("must contain at least one letter (a-z)".into());
    }
    if text.contains("--") {
        messages.push("must not contain consecutive hyphens".into());
    }
    if text.starts_with('-') || text.ends_with('-') {
        messages.push("must not begin or end with a hyphen".into());
    }
    messages
}

/// Rule for names of environment variables (VA-083).
pub(super) fn env_name_faults(text: &str) -> NameFaults {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        Vec::new()
    } else {
        vec![INVALID_ENV_NAME.into()]
    }
}

/// Rule for keys of ConfigMaps and Secrets.
pub(super) fn config_key_faults(text: &str) -> NameFaults {
    let mut messages = Vec::new();
    check_max_length(text, 253, &mut messages);
    let is_valid = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !is_valid {
        messages.push("a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')".into());
    }
    if text == "." {
        messages.push("must not be '.'".into());
    } else if text == ".." {
        messages.push("must not be '..'".into());
    } else if text.starts_with("..") {
        messages.push("must not start with '..'".into());
    }
    messages
}

pub(super) fn is_ip(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

/// Returns the problem of an IP address in a new object: it must be valid and in canonical form (VA-064).
pub(super) fn ip_problem(text: &str) -> Option<&'static str> {
    match text.parse() {
        Ok(std::net::IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => {
            Some("must not be an IPv4-mapped IPv6 address")
        }
        Ok(_) => None,
        Err(_) => {
            let without = |part: &str| part.trim_start_matches('0').to_owned();
            let parts = text.split('.').map(|part| match without(part) {
                rest if rest.is_empty() && !part.is_empty() => "0".to_owned(),
                rest => rest,
            });
            let plain = parts.collect::<Vec<_>>().join(".").parse::<std::net::Ipv4Addr>();
            Some(if plain.is_ok() {
                "must not have leading 0s"
            } else {
                INVALID_IP
            })
        }
    }
}

/// Returns whether the text is an IP address with a prefix length.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let max = match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => 32,
        Ok(std::net::IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<u32>().is_ok_and(|length| length <= max)
}

/// Rule for a DNS search domain, which may contain underscores.
pub(super) fn search_domain_faults(text: &str) -> NameFaults {
    const INVALID_SEARCH_DOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
    let mut messages = Vec::new();
    check_max_length(text, 253, &mut messages);
    let is_part =
        |part: &str| has_edge_and_inner_chars(part.strip_prefix('_').unwrap_or(part), is_lower_or_digit, b"-_");
    if !text.split('.').all(is_part) {
        messages.push(character_fault(INVALID_SEARCH_DOMAIN));
    }
    messages
}

/// Returns whether a valid CIDR has no bits set beyond its prefix length.
pub(super) fn is_network_address(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let length = length.parse::<u32>().unwrap_or(0);
    match address.parse() {
        Ok(std::net::IpAddr::V4(address)) => u32::from(address).checked_shl(length).unwrap_or(0) == 0,
        Ok(std::net::IpAddr::V6(address)) => u128::from(address).checked_shl(length).unwrap_or(0) == 0,
        Err(_) => false,
    }
}

/// Returns whether `part` is a strict subset of `whole`; both are valid CIDRs.
pub(super) fn is_cidr_inside(part: &str, whole: &str) -> bool {
    let parsed = |text: &str| {
        let (address, length) = text.split_once('/')?;
        Some((address.parse::<std::net::IpAddr>().ok()?, length.parse::<u32>().ok()?))
    };
    match (parsed(part), parsed(whole)) {
        (Some((std::net::IpAddr::V4(part), longer)), Some((std::net::IpAddr::V4(whole), length))) => {
            let network_bits = |address: std::net::Ipv4Addr| u32::from(address).checked_shr(32 - length).unwrap_or(0);
            longer > length && network_bits(part) == network_bits(whole)
        }
        (Some((std::net::IpAddr::V6(part), longer)), Some((std::net::IpAddr::V6(whole), length))) => {
            let network_bits = |address: std::net::Ipv6Addr| u128::from(address).checked_shr(128 - length).unwrap_or(0);
            longer > length && network_bits(part) == network_bits(whole)
        }
        _ => false,
    }
}

/// Returns the message for a number outside a range.
pub(super) fn out_of_range_message(low: i64, high: i64) -> String {
    format!("must be between {low} and {high}, inclusive")
}
