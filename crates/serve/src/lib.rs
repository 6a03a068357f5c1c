//! `podscope serve`: the Kubernetes HTTP API over a session, so that kubectl, client libraries and operators can work with
//! the simulated cluster.
//!
//! The session runs on its own thread (`engine`), which advances simulated time. The engine publishes a snapshot of all
//! objects and the recent changes in a shared place, the `board`. Requests that only read (get, list, watch, discovery)
//! are answered from the board by the threads of the HTTP server, without the session. A request that can write becomes
//! a `podscope_kubectl::rest::ApiCall`: the session records it and sends it as a client of the simulation. The HTTP
//! response is sent when the simulated API server has answered.
//!
//! ```text
//!            ApiCall                     publish
//!  http ───────────────► engine thread ───────────► board ──► get, list, watch
//!    ▲                      │ session
//!    └──── answers ─────────┘
//! ```
//!
//! Modules: `http` (connections, limits), `access` (TLS and the bearer token, if other machines can reach the
//! server), `route` (dispatch of requests), `negotiate` (content negotiation), `authenticate` (users), `resources`
//! (discovery), `read` (get and list), `items` (cached texts of list items), `object_json` (serialized objects),
//! `field_managers`, `watch`, `table`, `write`, `reviews`, `logs`, `metrics`, `components`, `derived_objects` (computed
//! from stored objects), `health`, `openapi`, `openid`, `protobuf` (bodies), `secrets` (removes the data of Secrets),
//! `status` (errors), `podscope_v1` (Podscope's own API), `record` (recording a run to a file).
//!
//! With a site (`Options::site`) the server also serves the built page. The page talks to the engine thread over a
//! WebSocket, with the protocol that it otherwise uses to talk to its worker; all browser windows show the same
//! session. Modules: `site` (files), `socket` (the WebSocket), `pages` (the open pages: one leads the run, the others
//! watch), `page.js` (the script in the page).

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: real time is its subject, and no wasm grows"
)]

mod access;
mod authenticate;
mod board;
mod components;
mod derived_objects;
mod engine;
mod field_managers;
mod health;
mod http;
mod items;
mod logs;
mod metrics;
mod negotiate;
mod object_json;
mod openapi;
mod openid;
mod pages;
mod podscope_v1;
mod protobuf;
mod read;
mod record;
mod resources;
mod reviews;
mod route;
mod schemas;
mod secrets;
mod site;
mod socket;
mod status;
mod table;
mod watch;
mod write;

use std::io;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use podscope_session::timeline::Session;

use crate::site::Site;
pub use access::{ListenOptions, Token};
pub use secrets::{SharedRun, share_without_secrets};

/// How simulated time advances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Time passes only while writes are answered, and on request (`/podscope/v1/advance`).
    Manual,
    /// Time passes this many times as fast as real time.
    Times(f64),
}

/// Options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// TCP port; 0 chooses a free one.
    pub port: u16,
    pub speed: Speed,
    /// Path of the kubeconfig file to write, if any.
    pub kubeconfig: Option<PathBuf>,
    /// Listens for other machines, with TLS and a token. None listens on loopback only, without TLS and token.
    pub listen: Option<ListenOptions>,
    /// Directory of the built page to serve. None serves the API only.
    pub site: Option<PathBuf>,
    /// Path of the scenario file to which the run is recorded continuously. None records nothing; a session then holds
    /// at most [`podscope_session::timeline::MAX_COMMANDS`] commands.
    pub record: Option<PathBuf>,
}

/// By default, a server serves only the API, on loopback, at a free port, in real time.
impl Default for Options {
    fn default() -> Self {
        Options {
            port: 0,
            speed: Speed::Times(1.0),
            kubeconfig: None,
            listen: None,
            site: None,
            record: None,
        }
    }
}

/// A server that runs in the background, until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    runtime: Option<tokio::runtime::Runtime>,
    engine: engine::EngineHandle,
}

impl Server {
    /// Starts to serve a session.
    ///
    /// # Errors
    /// The address cannot be bound, the certificates cannot be generated, the kubeconfig or the recording cannot be
    /// written, or the site cannot be read.
    pub fn start(mut session: Session, options: &Options) -> io::Result<Server> {
        let site = options.site.as_deref().map(Site::read).transpose()?.map(Arc::new);
        let ip = options
            .listen
            .as_ref()
            .map_or(Ipv4Addr::LOCALHOST.into(), |listen| listen.address);
        let listener = std::net::TcpListener::bind((ip, options.port))?;
        listener.set_nonblocking(true)?;
        let address = reachable_address(listener.local_addr()?);
        let guarded = options.listen.as_ref().map(access::generate_guard).transpose()?;
        let scheme = if guarded.is_some() { "https" } else { "http" };
        let (guard, authority) = guarded.unzip();
        if let Some(path) = &options.kubeconfig {
            let guarded = options.listen.as_ref().zip(authority.as_ref());
            write_private(path, &kubeconfig(&format!("{scheme}://{address}"), guarded))?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let recorder = match &options.record {
            Some(path) => Some(record::Recorder::create(path, &mut session)?),
            None => None,
        };
        let engine = engine::start(session, options.speed, recorder)?;
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(entered);
        let service = http::ServerState {
            address,
            guard: guard.map(Arc::new),
            engine: engine.clone(),
            site,
        };
        runtime.spawn(http::serve(listener, service));
        Ok(Server {
            address,
            scheme,
            runtime: Some(runtime),
            engine,
        })
    }

    /// Returns the address at which this machine reaches the server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL: `http://127.0.0.1:PORT`, or `https://…` if the server listens for other machines.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Evaluates a function of the session on the engine thread; None if the engine has ended. Must not be called from
    /// an asynchronous task.
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(&Session) -> T + Send + 'static) -> Option<T> {
        let answer = self.engine.ask(|engine| question(engine.session()));
        self.runtime.as_ref()?.block_on(answer).ok()
    }

    /// Sets the speed from now on.
    pub fn set_speed(&self, speed: Speed) {
        if let Some(runtime) = &self.runtime {
            // Fails if the engine has ended.
            let _ = runtime.block_on(self.engine.ask(move |engine| engine.set_speed(speed)));
        }
    }

    /// Returns whether a client has sent a request.
    #[must_use]
    pub fn has_received_request(&self) -> bool {
        self.engine.has_received_request()
    }

    /// Returns whether the engine's thread is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.engine.is_running()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.engine.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Returns an address that a client can connect to: the loopback address instead of "all interfaces".
fn reachable_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

/// Writes a file that other users of the machine cannot read, because it may contain a token.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    create_private_file(path)?.write_all(text.as_bytes())
}

/// Creates or empties a file that other users of the machine cannot read.
fn create_private_file(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The file may have existed with other permissions.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

/// Returns a minimal kubeconfig that every client accepts (HT-138).
fn kubeconfig(url: &str, listen_and_authority: Option<(&ListenOptions, &access::CertificateAuthority)>) -> String {
    let (cluster, user) = match listen_and_authority {
        Some((listen, authority)) => (
            access::kubeconfig_cluster(listen, authority),
            access::kubeconfig_user(listen),
        ),
        // @kubernetes/client-node refuses http without this line; other clients ignore it there.
        None => ("    insecure-skip-tls-verify: true\n".to_owned(), "{}".to_owned()),
    };
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: podscope
  cluster:
    server: {url}
{cluster}users:
- name: podscope
  user: {user}
contexts:
- name: podscope
  context:
    cluster: podscope
    user: podscope
current-context: podscope
"
    )
}
