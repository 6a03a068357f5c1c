//! A server for other machines: its TLS certificates and its token.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use podscope_serve::{ListenOptions, Options, Server, Speed, Token};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const TOKEN: &str = "a.token_of-tests";

/// A server that listens at an address, with the path of its kubeconfig.
pub(crate) struct ListeningServer {
    server: Server,
    kubeconfig: PathBuf,
}

pub(crate) fn serve_with_listen_address(name: &str, address: Ipv4Addr) -> ListeningServer {
    let token = Token::new(TOKEN).expect("a token");
    start(
        name,
        Some(ListenOptions {
            address: IpAddr::V4(address),
            token,
        }),
    )
}

fn start(name: &str, listen: Option<ListenOptions>) -> ListeningServer {
    let kubeconfig = std::env::temp_dir().join(format!("podscope-access-{}-{name}", std::process::id()));
    // The file exists with permissions for all users: the server must restrict them.
    std::fs::write(&kubeconfig, "").expect("it is written");
    let options = Options {
        speed: Speed::Manual,
        kubeconfig: Some(kubeconfig.clone()),
        listen,
        ..Options::default()
    };
    let session = Session::new(scenario::load(&[]).expect("the cluster of no file")).expect("it starts");
    let server = Server::start(session, &options).expect("a port is free");
    ListeningServer { server, kubeconfig }
}

impl Drop for ListeningServer {
    fn drop(&mut self) {
        // Failure to remove the file is ignored.
        let _ = std::fs::remove_file(&self.kubeconfig);
    }
}

impl ListeningServer {
    /// Returns the value of a field of the kubeconfig.
    fn kubeconfig_field(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(&self.kubeconfig).expect("the kubeconfig is written");
        let value = text
            .lines()
            .find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "))?;
        Some(value.to_owned())
    }

    /// Returns the certificate authority of the kubeconfig.
    fn kubeconfig_authority(&self) -> CertificateDer<'static> {
        let data = self
            .kubeconfig_field("certificate-authority-data")
            .expect("an authority");
        let pem = base64::engine::general_purpose::STANDARD.decode(data).expect("base64");
        CertificateDer::from_pem_slice(&pem).expect("a certificate")
    }

    /// Connects over TLS, expecting a certificate with this name from this authority.
    fn connect(&self, name: &str, authority: CertificateDer<'static>) -> StreamOwned<ClientConnection, TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(authority).expect("a root");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
        StreamOwned::new(
            connection,
            TcpStream::connect(self.server.address()).expect("it listens"),
        )
    }

    /// Sends a GET request and returns the whole response.
    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = self.connect("127.0.0.1", self.kubeconfig_authority());
        let head = format!("GET {path} HTTP/1.1\r\nHost: cluster.example\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).expect("it is sent");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the response is read");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Shows: HT-026
#[test]
fn request_without_the_token_is_unauthorized() {
    let server = serve_with_listen_address("token", Ipv4Addr::LOCALHOST);
    let unauthorized = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}"#;
    for headers in [
        String::new(),
        "Authorization: Bearer \r\n".to_owned(),
        "Authorization: Bearer wrong\r\n".to_owned(),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: Bearer {TOKEN}x\r\n"),
        format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
    ] {
        for path in ["/api/v1/pods", "/healthz", "/podscope/v1/time", "/nowhere"] {
            let response = server.get(path, &headers);
            assert!(response.starts_with("HTTP/1.1 401 "), "{path} {headers}: {response}");
            assert!(
                response.trim_end().ends_with(unauthorized),
                "{path} {headers}: {response}"
            );
        }
    }
    for scheme in ["Bearer", "bearer"] {
        let response = server.get("/api/v1/nodes", &format!("Authorization: {scheme} {TOKEN}\r\n"));
        assert!(response.starts_with("HTTP/1.1 200 "), "{scheme}: {response}");
    }
}

#[test]
fn openid_configuration_has_https_url_of_keys() {
    let server = serve_with_listen_address("openid", Ipv4Addr::LOCALHOST);
    let authorization = format!("Authorization: Bearer {TOKEN}\r\n");
    let response = server.get("/.well-known/openid-configuration", &authorization);
    let keys = r#""jwks_uri":"https://cluster.example/openid/v1/jwks""#;
    assert!(response.contains(keys), "{response}");
}

/// Anyone who knows the seed could guess a token of a ServiceAccount.
#[test]
fn service_account_token_is_unauthorized_with_listen_address() {
    let server = serve_with_listen_address("account", Ipv4Addr::LOCALHOST);
    let authorization = format!("Authorization: Bearer {TOKEN}\r\n");
    let account = server.get("/api/v1/namespaces/default/serviceaccounts/default", &authorization);
    let uid = account
        .split("\"uid\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let uid = uid.unwrap_or_else(|| panic!("no uid: {account}"));
    let guessed = format!("Authorization: Bearer podscope.{uid}.0.{}\r\n", i64::MAX);
    assert!(server.get("/api/v1/pods", &guessed).starts_with("HTTP/1.1 401 "));
}

#[test]
fn foreign_origin_is_forbidden_despite_valid_token() {
    let server = serve_with_listen_address("origin", Ipv4Addr::LOCALHOST);
    for (origin, status) in [
        ("https://cluster.example", 200),
        ("https://evil.example", 403),
        ("null", 403),
    ] {
        let headers = format!("Authorization: Bearer {TOKEN}\r\nOrigin: {origin}\r\n");
        let response = server.get("/version", &headers);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{origin}: {response}"
        );
    }
}

#[test]
fn certificate_is_trusted_only_with_its_authority() {
    let (server, other) = (
        serve_with_listen_address("own", Ipv4Addr::LOCALHOST),
        serve_with_listen_address("other", Ipv4Addr::LOCALHOST),
    );
    let is_trusted = |name: &str, authority| server.connect(name, authority).write_all(b"GET / HTTP/1.1\r\n").is_ok();
    assert!(is_trusted("127.0.0.1", server.kubeconfig_authority()));
    assert!(is_trusted("localhost", server.kubeconfig_authority()));
    assert!(!is_trusted("cluster.example", server.kubeconfig_authority()));
    assert!(!is_trusted("127.0.0.1", other.kubeconfig_authority()));
}

#[test]
fn kubeconfig_has_tls_server_name_for_unspecified_address() {
    let all = serve_with_listen_address("all", Ipv4Addr::UNSPECIFIED);
    let port = all.server.address().port();
    assert_eq!(all.server.url(), format!("https://127.0.0.1:{port}"));
    assert_eq!(all.kubeconfig_field("server"), Some(all.server.url()));
    assert_eq!(
        all.kubeconfig_field("user"),
        Some(format!("{{\"token\": \"{TOKEN}\"}}"))
    );
    let name = all.kubeconfig_field("tls-server-name").expect("a name for any address");
    assert!(
        all.connect(&name, all.kubeconfig_authority())
            .write_all(b"GET / HTTP/1.1\r\n")
            .is_ok()
    );
    assert_eq!(
        serve_with_listen_address("one", Ipv4Addr::LOCALHOST).kubeconfig_field("tls-server-name"),
        None
    );
}

/// `@kubernetes/client-node` refuses `http://` without `insecure-skip-tls-verify`.
#[test]
fn loopback_kubeconfig_skips_tls_verification() {
    let server = start("loopback", None);
    assert!(
        server
            .kubeconfig_field("server")
            .is_some_and(|server| server.starts_with("http://127.0.0.1:"))
    );
    assert_eq!(
        server.kubeconfig_field("insecure-skip-tls-verify").as_deref(),
        Some("true")
    );
    assert_eq!(
        serve_with_listen_address("tls", Ipv4Addr::LOCALHOST).kubeconfig_field("insecure-skip-tls-verify"),
        None
    );
}

#[cfg(unix)]
#[test]
fn kubeconfig_is_readable_only_by_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = serve_with_listen_address("mode", Ipv4Addr::LOCALHOST);
    let mode = std::fs::metadata(&server.kubeconfig)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
