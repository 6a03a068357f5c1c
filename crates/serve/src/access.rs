//! Serving other machines: TLS with certificates that are generated at start, and a bearer token that every request
//! must carry.
//!
//! The certificate authority lives as long as the server; its private key is never written to a file. The kubeconfig
//! contains its certificate, so a client with the kubeconfig trusts this server and no other.
//!
//! Deviation: tokens of ServiceAccounts are not accepted here. They are not signed (`authenticate`), so anyone who
//! knows the seed of a scenario could guess one.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, ORIGIN};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use subtle::ConstantTimeEq;
use tokio_rustls::TlsAcceptor;

use crate::authenticate;
use crate::http::Reply;

/// Name in the certificate under which a client reaches the server at any address (`tls-server-name`).
const TLS_SERVER_NAME: &str = "podscope";
/// How long before their creation the certificates become valid, because the clock of a client may be behind.
const CERTIFICATE_BACKDATING: Duration = Duration::from_secs(24 * 3600);
/// Validity of the certificates. They are generated again at each start.
const CERTIFICATE_VALIDITY: Duration = Duration::from_secs(365 * 24 * 3600);

/// A bearer token. Its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Checks that a text can be sent as a bearer token (RFC 6750): letters, digits and `-._~+/`, with `=` at the end.
    ///
    /// # Errors
    /// A message that describes what a token may contain.
    pub fn new(text: &str) -> Result<Token, String> {
        let body = text.trim_end_matches('=');
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
        match !body.is_empty() && body.chars().all(is_allowed) {
            true => Ok(Token(text.to_owned())),
            false => Err("a token is letters, digits and -._~+/, without spaces".to_owned()),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Address at which a server listens for other machines, and the token that it requires.
#[derive(Debug, Clone)]
pub struct ListenOptions {
    /// The address of one interface, or the unspecified address for all of them.
    pub address: IpAddr,
    pub token: Token,
}

/// TLS and token check of a server that other machines can reach.
pub(crate) struct AccessGuard {
    pub(crate) acceptor: TlsAcceptor,
    token: Token,
}

/// The certificate authority of a server, for its clients.
pub(crate) struct CertificateAuthority {
    /// The certificate, as PEM.
    pem: String,
}

/// Generates the certificates of a server, and the guard that uses them.
///
/// # Errors
/// Random numbers or keys cannot be generated.
pub(crate) fn generate_guard(listen: &ListenOptions) -> io::Result<(AccessGuard, CertificateAuthority)> {
    let (config, authority) = generate_certificates(listen.address).map_err(io::Error::other)?;
    let guard = AccessGuard {
        acceptor: TlsAcceptor::from(Arc::new(config)),
        token: listen.token.clone(),
    };
    Ok((guard, authority))
}

fn generate_certificates(
    address: IpAddr,
) -> Result<(ServerConfig, CertificateAuthority), Box<dyn std::error::Error + Send + Sync>> {
    let now = SystemTime::now();
    let params = |names: Vec<String>, common_name: &str| -> Result<CertificateParams, rcgen::Error> {
        let mut params = CertificateParams::new(names)?;
        params.not_before = (now - CERTIFICATE_BACKDATING).into();
        params.not_after = (now + CERTIFICATE_VALIDITY).into();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common_name);
        Ok(params)
    };
    let mut ca = params(Vec::new(), "podscope-ca")?;
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let ca_key = KeyPair::generate()?;
    let ca_certificate = ca.self_signed(&ca_key)?;
    let issuer = Issuer::new(ca, ca_key);

    let mut names = [TLS_SERVER_NAME, "localhost", "127.0.0.1", "::1"]
        .map(str::to_owned)
        .to_vec();
    if !address.is_unspecified() && !address.is_loopback() {
        names.push(address.to_string());
    }
    let mut server = params(names, TLS_SERVER_NAME)?;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate()?;
    let certificate = server.signed_by(&key, &issuer)?;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let authority = CertificateAuthority {
        pem: ca_certificate.pem(),
    };
    Ok((config, authority))
}

impl AccessGuard {
    /// Checks the token and the Origin of a request. Removes the token, because the request handlers treat a request
    /// without credentials as one of the administrator.
    ///
    /// The Host header is not checked: a page of another site that reaches this server by DNS rebinding has no token.
    ///
    /// # Errors
    /// The response to a refused request.
    pub(crate) fn admit(&self, headers: &mut HeaderMap) -> Result<(), Reply> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let sent = match (given.next().map(|value| value.as_bytes()), given.next()) {
            (Some(value), None) => bearer_token(value),
            _ => None,
        };
        let is_known = sent.is_some_and(|sent| bool::from(sent.ct_eq(self.token.0.as_bytes())));
        if !is_known {
            return Err(Reply::error(&authenticate::unauthorized_error()));
        }
        headers.remove(AUTHORIZATION);
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_foreign = |origin: &str| text(HOST) != origin.strip_prefix("https://");
        match text(ORIGIN) {
            Some(origin) if is_foreign(origin) => Err(Reply::text(403, "forbidden: Origin is not this server\n")),
            _ => Ok(()),
        }
    }
}

/// Returns the token of an `Authorization: Bearer` header.
fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// Returns the lines of a kubeconfig below `cluster`, after `server`.
pub(crate) fn kubeconfig_cluster(listen: &ListenOptions, authority: &CertificateAuthority) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(&authority.pem);
    let mut lines = format!("    certificate-authority-data: {data}\n");
    // The server also has addresses that the certificate does not list. With `tls-server-name` a client can use any of
    // them.
    if listen.address.is_unspecified() {
        lines.push_str(&format!("    tls-server-name: {TLS_SERVER_NAME}\n"));
    }
    lines
}

/// Returns the `user` of a kubeconfig, as JSON.
pub(crate) fn kubeconfig_user(listen: &ListenOptions) -> String {
    // A token contains nothing that JSON escapes.
    format!("{{\"token\": \"{}\"}}", listen.token.0)
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn token_new_refuses_characters_invalid_in_header() {
        for (text, is_token) in [
            ("abc", true),
            ("aB3-._~+/==", true),
            ("", false),
            ("==", false),
            ("a b", false),
            ("a=b", false),
            ("a\"b", false),
            ("a\nb", false),
            ("é", false),
        ] {
            assert_eq!(Token::new(text).is_ok(), is_token, "{text:?}");
        }
    }

    #[test]
    fn debug_form_of_token_hides_its_text() {
        let token = Token::new("secret").expect("a token");
        assert!(!format!("{token:?}").contains("secret"));
    }
}
