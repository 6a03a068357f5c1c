//! `podscope serve`: the Kubernetes HTTP API over a session, so that kubectl, client libraries and operators can work with
//! the simulated cluster.
//!
//! A session lives on a thread of its own (`engine`), which moves its time. What has happened is published on a
//! `board`: a snapshot of all objects, and the changes since the start. What only reads (get, list, watch, discovery)
//! is answered from there, by the threads of the HTTP server, and never touches the session. What can write is a
//! `podscope_kubectl::rest::ApiCall`: it is given to the session, which writes it down and sends it as a client of the
//! simulation, and the answer goes back when the simulated API server has given it.
//!
//! ```text
//!            ApiCall                     publish
//!  http ───────────────► engine thread ───────────► board ──► get, list, watch
//!    ▲                      │ session
//!    └──── answers ─────────┘
//! ```
//!
//! A file each: `http` (connections, limits, who may ask), `route` (which request is answered where), `negotiate`,
//! `resources` (discovery), `read` (get and list), `watch`, `table`, `write`, `reviews`, `logs`, `metrics`, `openapi`,
//! `protobuf` (bodies), `secrets` (what is shared of Secrets), `status` (errors), `own` (`/podscope/v1`).

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: real time is its subject, and no wasm grows"
)]

mod board;
mod engine;
mod http;
mod logs;
mod metrics;
mod negotiate;
mod openapi;
mod own;
mod protobuf;
mod read;
mod resources;
mod reviews;
mod route;
mod schemas;
mod secrets;
mod status;
mod table;
mod value;
mod watch;
mod write;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use podscope_session::timeline::Session;

/// How simulated time moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Only while requests that can write are answered, and when asked to (`/podscope/v1/advance`).
    Manual,
    /// So many times as fast as real time.
    Times(f64),
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct Options {
    /// 0 chooses one.
    pub port: u16,
    pub speed: Speed,
    /// Where a kubeconfig is written.
    pub kubeconfig: Option<PathBuf>,
}

/// A server that runs in the background, until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
    engine: engine::Door,
}

impl Server {
    /// Begins to serve a session.
    ///
    /// # Errors
    /// The address cannot be bound, or the kubeconfig not written.
    pub fn start(session: Session, options: &Options) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        if let Some(path) = &options.kubeconfig {
            std::fs::write(path, kubeconfig(address))?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let engine = engine::start(session, options.speed)?;
        let door = engine.clone();
        let guard = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(guard);
        runtime.spawn(http::serve(listener, address, door));
        Ok(Server {
            address,
            runtime: Some(runtime),
            engine,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Whether the engine's thread still runs.
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

/// The smallest kubeconfig that every client reads (HT-138).
fn kubeconfig(address: SocketAddr) -> String {
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: podscope
  cluster:
    server: http://{address}
users:
- name: podscope
  user: {{}}
contexts:
- name: podscope
  context:
    cluster: podscope
    user: podscope
current-context: podscope
"
    )
}
