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
//! Modules: `http` (connections, limits, access), `route` (dispatch of requests), `negotiate` (content negotiation),
//! `authenticate` (users), `resources` (discovery), `read` (get and list), `watch`, `table`, `write`, `reviews`, `logs`,
//! `metrics`, `components`, `health`, `openapi`, `openid`, `protobuf` (bodies), `secrets` (what is shared of Secrets), `status` (errors), `own` (`/podscope/v1`).

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: real time is its subject, and no wasm grows"
)]

mod authenticate;
mod board;
mod components;
mod engine;
mod health;
mod http;
mod logs;
mod metrics;
mod negotiate;
mod openapi;
mod openid;
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
}

/// A server that runs in the background, until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
    engine: engine::Door,
}

impl Server {
    /// Starts to serve a session.
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

    /// The address on which the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
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

/// A minimal kubeconfig that every client accepts (HT-138).
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
