//! The WebSocket of a page: `GET /podscope/v1/page`.
//!
//! Binary messages are those of the page's protocol (`podscope_protocol`): the page sends packed `Request`s and
//! receives packed `Update`s; an empty message is a ping and is sent back. Text messages tell which page leads: the
//! server sends `leads` or `watches`, and the page sends `lead` to take over.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::header::{CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, UPGRADE};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use podscope_protocol::{Request, unpack};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message as Frame};

use crate::engine::EngineHandle;
use crate::http::{Body, Reply};
use crate::pages::{MAX_QUEUED_MESSAGES, Message, PageId};

/// Path of the endpoint.
pub(crate) const PATH: &str = "/podscope/v1/page";
/// Maximum size of a message of a page, in bytes. It must suffice for a large cluster dump.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// Timeout for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// Reasons why the server closes a connection.
const TOO_MANY_PAGES: &str = "too many pages are open";
const PAGE_TOO_SLOW: &str = "the page is too slow";
const PAGE_VERSION_DIFFERS: &str = "the page is not of the same version as podscope serve";

/// Switches a connection to the WebSocket protocol and serves a page on it.
///
/// # Errors
/// The response to a request that is not a WebSocket handshake.
pub(crate) fn accept(headers: &HeaderMap, upgrade: OnUpgrade, engine: EngineHandle) -> Result<Response<Body>, Reply> {
    let is_websocket = headers
        .get(UPGRADE)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"));
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| is_websocket);
    let Some(accepted) = key.and_then(|key| HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()) else {
        return Err(Reply::text(426, "this is the WebSocket of the page\n").with_header("Upgrade", "websocket"));
    };
    tokio::spawn(async move {
        // Fails if the client has disconnected before the switch.
        let Ok(upgraded) = upgrade.await else { return };
        serve(upgraded, engine).await;
    });
    let mut response = Response::new(Body::Whole(None));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accepted);
    Ok(response)
}

type Socket = WebSocketStream<TokioIo<Upgraded>>;

async fn serve(upgraded: Upgraded, engine: EngineHandle) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (outbox, mut messages) = mpsc::channel(MAX_QUEUED_MESSAGES);
    let Ok(added) = engine.ask(|engine| engine.pages.add(outbox)).await else {
        return;
    };
    let why = match added {
        None => Some(TOO_MANY_PAGES),
        Some(id) => {
            let why = exchange_messages(&mut socket, id, &mut messages, &engine).await;
            // Fails if the engine has ended.
            let _ = engine.ask(move |engine| engine.remove_page(id)).await;
            why
        }
    };
    let close = why.map(|why| CloseFrame {
        code: CloseCode::Policy,
        reason: why.into(),
    });
    // Fails if the page has already disconnected.
    let _ = tokio::time::timeout(SEND_TIMEOUT, socket.close(close)).await;
}

/// Exchanges messages until one side closes the connection. Returns the reason if the server does.
async fn exchange_messages(
    socket: &mut Socket,
    id: PageId,
    messages: &mut mpsc::Receiver<Message>,
    engine: &EngineHandle,
) -> Option<&'static str> {
    loop {
        tokio::select! {
            received = socket.next() => {
                let answered = match received {
                    Some(Ok(Frame::Binary(bytes))) if bytes.is_empty() => answer_ping(socket, engine).await,
                    Some(Ok(Frame::Binary(bytes))) => {
                        let Ok(request) = unpack::<Request>(&bytes) else {
                            return Some(PAGE_VERSION_DIFFERS);
                        };
                        // Waits for the engine, so that the next request is read only when this one has been handled.
                        engine.ask(move |engine| engine.handle_page_request(id, request)).await.ok()
                    }
                    Some(Ok(Frame::Text(text))) if text.as_str() == "lead" => {
                        engine.ask(move |engine| engine.set_leading_page(id)).await.ok()
                    }
                    Some(Ok(Frame::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => Some(()),
                };
                answered?;
            }
            message = messages.recv() => {
                let frame = match message {
                    Some(Message::Update(bytes)) => Frame::Binary(Bytes::from(bytes)),
                    Some(Message::Leads(true)) => Frame::text("leads"),
                    Some(Message::Leads(false)) => Frame::text("watches"),
                    // The engine has disconnected this page, or has ended.
                    None => return Some(PAGE_TOO_SLOW).filter(|_| engine.is_running()),
                };
                send_frame(socket, frame).await.ok()?;
            }
        }
    }
}

/// Answers a ping after the engine has run all jobs that it received earlier.
async fn answer_ping(socket: &mut Socket, engine: &EngineHandle) -> Option<()> {
    engine.ask(|_| ()).await.ok()?;
    send_frame(socket, Frame::Binary(Bytes::new())).await.ok()
}

async fn send_frame(socket: &mut Socket, frame: Frame) -> Result<(), tungstenite::Error> {
    match tokio::time::timeout(SEND_TIMEOUT, socket.send(frame)).await {
        Ok(sent) => sent,
        Err(_) => Err(tungstenite::Error::ConnectionClosed),
    }
}
