//! `podscope serve`: the Kubernetes HTTP API over a session, so that kubectl, client libraries and operators can work with
//! the simulated cluster.
//!
//! The session runs on its own thread (`engine`), which advances simulated time. The engine publishes a snapshot of all
//! objects and the recent changes on a `board`. Requests that only read (get, list, watch, discovery) are answered from the
//! board by the threads of the HTTP server, without the session. A request that can write becomes a
//! `podscope_kubectl::rest::ApiCall`: the session records it and sends it as a client of the simulation. The response is
//! sent when the simulated API server has answered.
//!
//! ```text
//!            ApiCall                     publish
//!  http ───────────────► engine thread ───────────► board ──► get, list, watch
//!    ▲                      │ session
//!    └──── answers ─────────┘
//! ```
//!
//! Modules: `http` (connections, limits), `access` (TLS and the token of a server for other machines), `route` (dispatch
//! of requests), `negotiate` (content negotiation), `authenticate` (users), `resources` (discovery), `read` (get and list),
//! `items` (their texts), `managers`, `watch`, `table`, `write`, `reviews`, `logs`, `metrics`, `components`, `derived` (objects that
//! follow from others), `health`, `openapi`,
//! `openid`, `protobuf` (bodies), `secrets` (what is shared of Secrets), `status` (errors), `own` (`/podscope/v1`), `record`
//! (the recording of a run).
//!
//! With a site (`Options::site`) the server also serves the built page. Its browser window talks to the engine thread over
//! a WebSocket with the page's own protocol, in place of the worker: one world, several windows. Modules: `site` (files),
//! `socket` (the WebSocket), `pages` (the pages' hosts, and who leads), `page.js` (the page's side).

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: real time is its subject, and no wasm grows"
)]

mod access;
mod authenticate;
mod board;
mod components;
mod derived;
mod engine;
mod health;
mod http;
mod items;
mod logs;
mod managers;
mod metrics;
mod negotiate;
mod openapi;
mod openid;
mod own;
mod pages;
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
mod value;
mod watch;
mod write;

use std::io;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use podscope_session::timeline::Session;

use crate::site::Site;
pub use access::{Listen, Token};
pub use secrets::{Shared, shared};

/// How simulated time advances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Only while writes are answered, and on request (`/podscope/v1/advance`).
    Manual,
    /// This many times as fast as real time.
    Times(f64),
}

/// Options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// 0 chooses a free port.
    pub port: u16,
    pub speed: Speed,
    /// Path of the kubeconfig to write; None writes none.
    pub kubeconfig: Option<PathBuf>,
    /// Listens for other machines, with TLS and a token; None listens on loopback alone, without either.
    pub listen: Option<Listen>,
    /// Directory of the built page to serve; None serves the API alone.
    pub site: Option<PathBuf>,
    /// Path of the scenario file to which the run is written while it goes on; None keeps it in memory alone, where a
    /// session holds [`podscope_session::timeline::MAX_COMMANDS`] commands.
    pub record: Option<PathBuf>,
}

/// The API alone, on loopback, at a free port and the speed of the real clock.
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
    engine: engine::Door,
}

impl Server {
    /// Starts to serve a session.
    ///
    /// # Errors
    /// The address cannot be bound, the certificates not made, the kubeconfig or the recording not written, or the site
    /// not read.
    pub fn start(mut session: Session, options: &Options) -> io::Result<Server> {
        let site = options.site.as_deref().map(Site::read).transpose()?.map(Arc::new);
        let ip = options
            .listen
            .as_ref()
            .map_or(Ipv4Addr::LOCALHOST.into(), |listen| listen.address);
        let listener = std::net::TcpListener::bind((ip, options.port))?;
        listener.set_nonblocking(true)?;
        let address = reachable(listener.local_addr()?);
        let guarded = options.listen.as_ref().map(access::guard).transpose()?;
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
        let door = engine.clone();
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(entered);
        let service = http::Service {
            address,
            guard: guard.map(Arc::new),
            door,
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

    /// The address on which this machine reaches the server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`, or `https://…` where it listens for other machines.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Answers a question about the session, between two pieces of its work; None if the engine has ended. Must not be called
    /// from an asynchronous task.
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(&Session) -> T + Send + 'static) -> Option<T> {
        let answer = self.engine.ask(|engine| question(engine.session()));
        self.runtime.as_ref()?.block_on(answer).ok()
    }

    /// Lets time pass at another speed from now on.
    pub fn set_speed(&self, speed: Speed) {
        if let Some(runtime) = &self.runtime {
            // An engine that has ended has no speed.
            let _ = runtime.block_on(self.engine.ask(move |engine| engine.set_speed(speed)));
        }
    }

    /// Returns whether a client has sent a request.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.engine.was_asked()
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

/// An address that a client can connect to: the loopback address in place of "all interfaces".
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

/// Writes a file that may contain a token, so that other users of the machine cannot read it.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    private_file(path)?.write_all(text.as_bytes())
}

/// Creates or empties a file that other users of the machine cannot read.
fn private_file(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The file may have existed with another mode.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

/// A minimal kubeconfig that every client accepts (HT-138).
fn kubeconfig(url: &str, guarded: Option<(&Listen, &access::Authority)>) -> String {
    let (cluster, user) = match guarded {
        Some((listen, authority)) => (access::cluster_lines(listen, authority), access::user(listen)),
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
