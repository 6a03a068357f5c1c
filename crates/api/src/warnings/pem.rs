//! Checks that a TLS secret contains a certificate and a key, according to the types of its PEM blocks (VA-353).
//!
//! Deviation: certificates and keys are not parsed, so a key that does not match its certificate is not detected.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Returns the error of Go's `tls.X509KeyPair`, if the pair of certificate and key is invalid.
pub(super) fn key_pair_error(secret: &Value) -> Option<String> {
    let part = |name: &str| {
        let entry = |field: &str| secret.pointer(&format!("/{field}/{name}")).and_then(Value::as_str);
        let plain = entry("stringData").map(str::to_owned);
        plain.unwrap_or_else(|| decode_base64(entry("data").unwrap_or_default()))
    };
    certificate_block_error(&pem_block_types(&part("tls.crt")))
        .or_else(|| private_key_block_error(&pem_block_types(&part("tls.key"))))
}

fn certificate_block_error(kinds: &[String]) -> Option<String> {
    if kinds.iter().any(|kind| kind == "CERTIFICATE") {
        return None;
    }
    Some(match kinds {
        [] => "tls: failed to find any PEM data in certificate input".to_owned(),
        [one] if one.ends_with("PRIVATE KEY") => {
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have \
             been switched"
                .to_owned()
        }
        kinds => format!(
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following \
             types: [{}]",
            kinds.join(" ")
        ),
    })
}

fn private_key_block_error(kinds: &[String]) -> Option<String> {
    if kinds
        .iter()
        .any(|kind| kind == "PRIVATE KEY" || kind.ends_with(" PRIVATE KEY"))
    {
        return None;
    }
    Some(match kinds {
        [] => "tls: failed to find any PEM data in key input".to_owned(),
        [one] if one == "CERTIFICATE" => {
            "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
        }
        kinds => format!(
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the \
             following types: [{}]",
            kinds.join(" ")
        ),
    })
}

/// Returns the types of the PEM blocks in a text.
fn pem_block_types(text: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        rest = after;
        let Some((kind, body)) = after.split_once("-----") else {
            break;
        };
        if let Some((_, behind)) = body.split_once(&format!("-----END {kind}-----")) {
            kinds.push(kind.to_owned());
            rest = behind;
        }
    }
    kinds
}

/// Decodes base64; returns an empty string if it is malformed.
fn decode_base64(encoded: &str) -> String {
    let bytes = STANDARD.decode(encoded).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TLS secret without PEM blocks gives a warning (VA-353).
    #[test]
    fn tls_secret_without_pem_gives_a_warning() {
        // `eA==` is base64 of "x"; `wrapped` is base64 of a PEM block of type CERTIFICATE.
        let wrapped = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
        let error_for = |certificate: &str| {
            key_pair_error(&serde_json::json!({"data": {"tls.crt": certificate, "tls.key": "eA=="}}))
        };
        assert_eq!(
            error_for("eA==").as_deref(),
            Some("tls: failed to find any PEM data in certificate input")
        );
        assert_eq!(
            error_for(wrapped).as_deref(),
            Some("tls: failed to find any PEM data in key input")
        );
    }
}
