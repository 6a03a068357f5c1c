//! HTTP/1.1 connections: access checks on a loopback address, and size limits (HT-005, HT-023, HT-034).
//!
//! Web pages of other sites must not reach the cluster through the user's browser (DNS rebinding). A Host or Origin header
//! that does not name this machine is refused.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as HttpBody, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};

use crate::access::AccessGuard;
use crate::engine::EngineHandle;
use crate::negotiate::{Media, ResponseForm};
use crate::site::Site;
use crate::{protobuf, route, socket, status};

/// Maximum number of open connections; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 4096;
/// Maximum size of a body in bytes (HT-034).
const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;
/// Timeout for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for receiving the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of lines of a stream that are buffered for a slow client.
const MAX_BUFFERED_LINES: usize = 64;

/// A complete HTTP request.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
    /// Path with query parameters.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl HttpRequest {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Error: the connection is closed without a response, as if no server were running.
#[derive(Debug)]
pub(crate) struct ConnectionClosed;

impl std::fmt::Display for ConnectionClosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the API server does not answer")
    }
}

impl std::error::Error for ConnectionClosed {}

/// Body of a response.
#[derive(Debug)]
pub(crate) enum Body {
    Whole(Option<Bytes>),
    /// A stream of chunks that ends when the sender is dropped.
    Stream(mpsc::Receiver<Bytes>),
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Body::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Body::Stream(lines) => lines.poll_recv(cx).map(|line| line.map(|line| Ok(Frame::data(line)))),
        }
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Body::Whole(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Body::Stream(_) => hyper::body::SizeHint::default(),
        }
    }
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

pub(crate) const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

impl Reply {
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status,
            content_type,
            headers: Vec::new(),
            body: Body::Whole(Some(body.into())),
        }
    }

    /// Creates a response with a value that is serialized in the negotiated form.
    pub(crate) fn value(status: u16, value: &Value, form: ResponseForm, is_pretty: bool) -> Reply {
        match form.media {
            Media::Json => {}
            Media::Yaml => {
                let mut sorted = value.clone();
                sorted.sort_all_objects();
                return Reply::new(status, "application/yaml", podscope_api::print_yaml(&sorted));
            }
            Media::Protobuf => {
                return match protobuf::encode(value) {
                    Some(bytes) => Reply::new(status, PROTOBUF, bytes),
                    None => Reply::new(
                        406,
                        PROTOBUF,
                        protobuf::encode(&status::not_marshalable()).unwrap_or_default(),
                    ),
                };
            }
        }
        let text = if is_pretty {
            serde_json::to_vec_pretty(value)
        } else {
            serde_json::to_vec(value)
        };
        let mut text = text.unwrap_or_default();
        text.push(b'\n');
        Reply::new(status, JSON, text)
    }

    pub(crate) fn json(status: u16, value: &Value) -> Reply {
        Reply::value(status, value, ResponseForm::JSON, false)
    }

    pub(crate) fn text(status: u16, text: impl Into<String>) -> Reply {
        Reply::new(status, TEXT, text.into())
    }

    /// Creates the response to an unknown path (HT-021).
    pub(crate) fn page_not_found() -> Reply {
        Reply::text(404, "404 page not found\n").with_header("X-Content-Type-Options", "nosniff")
    }

    pub(crate) fn error(error: &podscope_cluster::ApiError) -> Reply {
        let reply = Reply::json(error.code, &status::of(error));
        match error.retry_after_seconds {
            Some(seconds) => reply.with_header("Retry-After", seconds.to_string()),
            None => reply,
        }
    }

    /// Creates a streaming response, and the sender of its lines.
    pub(crate) fn stream(content_type: &'static str) -> (Reply, mpsc::Sender<Bytes>) {
        let (sender, receiver) = mpsc::channel(MAX_BUFFERED_LINES);
        let reply = Reply {
            status: 200,
            content_type,
            headers: Vec::new(),
            body: Body::Stream(receiver),
        };
        (reply, sender)
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds headers of the form `Warning: 299 - "text"` (HT-042).
    pub(crate) fn with_warnings(mut self, warnings: &[String]) -> Reply {
        for warning in warnings {
            let escaped = warning.replace('\\', "\\\\").replace('"', "\\\"");
            self.headers.push(("Warning", format!("299 - \"{escaped}\"")));
        }
        self
    }

    fn into_response(self, is_head: bool) -> Response<Body> {
        let mut response = Response::new(if is_head { Body::Whole(None) } else { self.body });
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if !self.content_type.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        }
        headers.insert("Cache-Control", HeaderValue::from_static("no-cache, private"));
        for (name, value) in self.headers {
            // A text with line breaks cannot be a header value.
            let Ok(value) = HeaderValue::from_str(&value) else {
                continue;
            };
            let name = HeaderName::from_bytes(name.as_bytes());
            match name {
                Ok(name) if name == "cache-control" => drop(headers.insert(name, value)),
                Ok(name) => drop(headers.append(name, value)),
                Err(_) => {}
            }
        }
        response
    }
}

/// State that all connections of a server share.
#[derive(Clone)]
pub(crate) struct ServerState {
    pub(crate) address: SocketAddr,
    /// With a guard, connections use TLS, and each request must carry the token.
    pub(crate) guard: Option<Arc<AccessGuard>>,
    pub(crate) engine: EngineHandle,
    /// The built page, if it is served.
    pub(crate) site: Option<Arc<Site>>,
}

/// Accepts connections until the process ends.
pub(crate) async fn serve(listener: TcpListener, service: ServerState) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Accepting fails, for example, if too many files are open. Waits for other connections to close.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let service = service.clone();
        tokio::spawn(async move {
            serve_connection(stream, service).await;
            drop(permit);
        });
    }
}

async fn serve_connection(stream: TcpStream, service: ServerState) {
    // Disables Nagle's algorithm, because responses are small and clients wait for them.
    let _ = stream.set_nodelay(true);
    match service.guard.clone() {
        None => serve_requests(stream, service).await,
        Some(with_tls) => {
            let handshake = with_tls.acceptor.accept(stream);
            // The handshake fails if the client does not trust the certificate or does not use TLS.
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
                serve_requests(stream, service).await;
            }
        }
    }
}

async fn serve_requests<S>(stream: S, service: ServerState)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| answer(request, service.clone()));
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // An error means that the client has disconnected; nobody can be informed.
    let _ = served.await;
}

async fn answer(mut request: Request<Incoming>, service: ServerState) -> Result<Response<Body>, ConnectionClosed> {
    let ServerState {
        address,
        guard,
        engine,
        site,
    } = service;
    let upgrade = hyper::upgrade::on(&mut request);
    let (mut parts, body) = request.into_parts();
    let refused = match &guard {
        Some(guard) => guard.admit(&mut parts.headers).err(),
        None => refusal_of_foreign_host(&parts.headers, address),
    };
    if let Some(reply) = refused {
        return Ok(reply.into_response(parts.method == hyper::Method::HEAD));
    }
    engine.note_request();
    if site.is_some() && parts.uri.path() == socket::PATH {
        return Ok(
            socket::accept(&parts.headers, upgrade, engine).unwrap_or_else(|refused| refused.into_response(false))
        );
    }
    let head = parts.method == hyper::Method::HEAD;
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let body = match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, MAX_BODY_BYTES).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            return Ok(body_too_large().into_response(false));
        }
        Ok(Err(_)) | Err(_) => return Err(ConnectionClosed),
    };
    let request = HttpRequest {
        method: parts.method.as_str().to_owned(),
        scheme: if guard.is_some() { "https" } else { "http" },
        path,
        headers: parts.headers,
        body,
    };
    if let Some(reply) = site.as_ref().and_then(|site| site.answer(&request)) {
        return Ok(reply.into_response(head));
    }
    Ok(route::answer(request, engine).await?.into_response(head))
}

fn body_too_large() -> Reply {
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("Request entity too large: limit is {MAX_BODY_BYTES}"),
        "reason": "RequestEntityTooLarge", "code": 413,
    });
    Reply::json(413, &status)
}

/// Refuses a request whose Host or Origin is not this server; None if it is allowed.
fn refusal_of_foreign_host(headers: &HeaderMap, address: SocketAddr) -> Option<Reply> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_ours = |host: &str| {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        matches!(name, "127.0.0.1" | "localhost" | "[::1]") && port == address.port().to_string()
    };
    let host = text(HOST).is_none_or(is_ours);
    let origin = text(ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_ours));
    let wrong = match (host, origin) {
        (true, true) => return None,
        (false, _) => "Host",
        (true, false) => "Origin",
    };
    let why = format!("forbidden: {wrong} is not http://{address}: this server answers its own machine alone\n");
    Some(Reply::text(403, why))
}
