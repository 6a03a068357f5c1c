//! Tests of the served page (`--site`) through a real socket: its files, its WebSocket, and which of several pages
//! leads (may change the cluster).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use podscope_protocol::{ConsoleText, ExportKind, Frame, Request, SessionSource, Update, pack, unpack};
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use crate::client::{OpenWatch, get, post, send};

/// Timeout of every wait in these tests.
const TIMEOUT: Duration = Duration::from_secs(60);
const PODS_PATH: &str = "/api/v1/namespaces/default/pods";

/// Creates a directory like that of a built page, with a file outside it that must not be served.
fn create_site(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let site = dir.join("dist");
    std::fs::create_dir_all(site.join("engine")).expect("a directory is made");
    let index =
        "<!doctype html><html data-version=\"1\"><head><title>x</title><script>window.podscopeEngine ??= 1</script>";
    for (path, text) in [
        ("dist/index.html", index),
        ("dist/engine/worker.js", "// the worker"),
        ("dist/page.wasm", "\0asm"),
        ("secret.txt", "secret"),
    ] {
        std::fs::write(dir.join(path), text).expect("a file is written");
    }
    site
}

fn serve_page(test: &str, speed: Speed) -> Server {
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), String::new())]).expect("the scenario is read");
    let session = Session::new(loaded).expect("it is admitted");
    let options = Options {
        speed,
        site: Some(create_site(test)),
        ..Options::default()
    };
    Server::start(session, &options).expect("a port is free")
}

/// Sends a WebSocket handshake. Returns the connection and the head of the response.
fn send_handshake(server: SocketAddr, origin: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(server).expect("it listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout is set");
    let head = format!(
        "GET /podscope/v1/page HTTP/1.1\r\nHost: {server}\r\nOrigin: {origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => answer.push(byte[0]),
            _ => break,
        }
    }
    (stream, String::from_utf8_lossy(&answer).into_owned())
}

/// A client that behaves like a page.
struct Page {
    socket: WebSocket<TcpStream>,
    /// Role of this page in the last message about it: `leads` (may change the cluster) or `watches`.
    role: String,
    /// Updates that were received but not yet examined.
    unread: Vec<Update>,
}

impl Page {
    /// Connects, and sends the same `Open` as a page in a new browser. Returns the page and its first frame.
    fn open(server: &Server) -> (Page, Frame) {
        let (stream, head) = send_handshake(server.address(), &server.url());
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        assert!(head.to_lowercase().contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
        let mut page = Page {
            socket: WebSocket::from_raw_socket(stream, Role::Client, None),
            role: String::new(),
            unread: Vec::new(),
        };
        page.wait_for_update("hello", |update| matches!(update, Update::Hello { .. }).then_some(()));
        page.send(Request::Open {
            source: SessionSource::Welcome,
        });
        let is_joined = page.wait_for_update("opened", |update| match update {
            Update::Opened(opened) => Some(opened.is_joined),
            _ => None,
        });
        assert!(is_joined, "the first `Open` joins the served session");
        let first = page.wait_for_frame("the first frame", |frame| frame.reset);
        (page, first)
    }

    fn send(&mut self, request: Request) {
        let bytes = pack(&request).expect("it is packed").to_vec();
        self.socket.send(Message::binary(bytes)).expect("it is sent");
    }

    fn command(&mut self, line: &str) {
        self.send(Request::Command { line: line.to_owned() });
    }

    fn receive_message(&mut self) {
        match self.socket.read().expect("a message") {
            Message::Binary(bytes) => {
                let update: Update = unpack(&bytes).expect("an update");
                if matches!(update, Update::Frame(_)) {
                    self.send(Request::FrameDone);
                }
                self.unread.push(update);
            }
            Message::Text(text) => text.as_str().clone_into(&mut self.role),
            _ => {}
        }
    }

    /// Waits for an update for which `select` returns a value. Drops the updates before it.
    fn wait_for_update<T>(&mut self, what: &str, mut select: impl FnMut(&Update) -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            for update in std::mem::take(&mut self.unread) {
                if let Some(found) = select(&update) {
                    return found;
                }
            }
            assert!(begun.elapsed() < TIMEOUT, "{what}");
            self.receive_message();
        }
    }

    fn wait_for_frame(&mut self, what: &str, mut select: impl FnMut(&Frame) -> bool) -> Frame {
        self.wait_for_update(what, |update| match update {
            Update::Frame(frame) if select(frame) => Some(Frame::clone(frame)),
            _ => None,
        })
    }

    fn wait_for_pod(&mut self, key: &str) {
        self.wait_for_frame(key, |frame| frame.pods.iter().any(|pod| pod.key == key));
    }

    /// Waits for a line of the console that contains the text.
    fn wait_for_line(&mut self, text: &str) {
        self.wait_for_update(text, |update| match update {
            Update::Console { lines } => lines
                .iter()
                .any(|line| matches!(&line.text, ConsoleText::Text(line) if line.contains(text)))
                .then_some(()),
            _ => None,
        });
    }

    /// Waits until the server tells this page that it `leads` or `watches`.
    fn wait_for_role(&mut self, role: &str) {
        let begun = Instant::now();
        while self.role != role {
            assert!(begun.elapsed() < TIMEOUT, "{role}");
            self.receive_message();
        }
    }
}

fn create_pod(server: &Server, name: &str) {
    let pod = format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{{"containers":[{{"name":"c","image":"nginx"}}]}}}}"#);
    let answer = post(server.address(), PODS_PATH, &pod);
    assert_eq!(answer.status, 201, "{}", answer.body);
}

fn has_pod(server: &Server, name: &str) -> bool {
    get(server.address(), &format!("{PODS_PATH}/{name}")).status == 200
}

fn simulated_seconds(server: &Server) -> f64 {
    get(server.address(), "/podscope/v1/time").json()["t"]
        .as_f64()
        .expect("a time")
}

/// Waits until a condition holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < TIMEOUT, "{what}");
        std::thread::yield_now();
    }
}

fn accept_header(media_types: &str) -> Vec<(String, String)> {
    vec![("Accept".to_owned(), media_types.to_owned())]
}

/// Shows: P-11
#[test]
fn site_files_are_served_beside_the_api() {
    let server = serve_page("files", Speed::Manual);
    let at = server.address();
    let page = send(at, "GET", "/", &accept_header("text/html,*/*"), b"");
    assert_eq!(page.status, 200);
    let script = page
        .body
        .find("podscope-serve.js")
        .expect("the page is connected to the server");
    assert!(
        script < page.body.find("podscopeEngine ??=").expect("the start"),
        "{}",
        page.body
    );
    assert_eq!(page.header("cache-control").as_deref(), Some("no-cache, private"));
    assert_eq!(
        page.header("content-security-policy").as_deref(),
        Some("frame-ancestors 'none'")
    );
    assert!(get(at, "/podscope-serve.js").body.contains("podscopeEngine"));
    let wasm = get(at, "/page.wasm");
    assert_eq!(wasm.header("content-type").as_deref(), Some("application/wasm"));
    let etag = wasm.header("etag").expect("a tag");
    let known = send(at, "GET", "/page.wasm", &[("If-None-Match".to_owned(), etag)], b"");
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    assert!(get(at, "/").json()["paths"].is_array(), "the API keeps its path");
    assert_eq!(get(at, "/version").status, 200);
}

#[test]
fn path_outside_site_is_not_found() {
    let server = serve_page("outside", Speed::Manual);
    for path in [
        "/../secret.txt",
        "/engine/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/engine",
        "/engine/",
    ] {
        let answer = get(server.address(), path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    assert_eq!(get(server.address(), "/engine/worker.js").status, 200);
}

#[test]
fn page_and_web_socket_refuse_foreign_origin() {
    let server = serve_page("foreign", Speed::Manual);
    let (_, head) = send_handshake(server.address(), "http://evil.example");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    let foreign = [("Origin".to_owned(), "http://evil.example".to_owned())];
    assert_eq!(send(server.address(), "GET", "/index.html", &foreign, b"").status, 403);
    assert_eq!(get(server.address(), "/podscope/v1/page").status, 426, "no handshake");
}

#[test]
fn site_directory_without_index_html_is_refused() {
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), String::new())]).expect("the scenario is read");
    let options = Options {
        speed: Speed::Manual,
        site: Some(create_site("refused").join("engine")),
        ..Options::default()
    };
    let refused = Server::start(Session::new(loaded).expect("it is admitted"), &options);
    let why = refused.expect_err("there is no page").to_string();
    assert!(why.contains("there is no index.html"), "{why}");
}

/// Shows: P-11
#[test]
fn page_shows_pod_that_client_creates() {
    let server = serve_page("creates", Speed::Manual);
    create_pod(&server, "early");
    let (mut page, first) = Page::open(&server);
    assert_eq!(first.nodes.len(), 6);
    assert!(first.pods.iter().any(|pod| pod.key == "default/early"), "{first:?}");
    assert!(!first.playing, "time is manual");
    create_pod(&server, "late");
    page.wait_for_pod("default/late");
}

/// Shows: P-11
#[test]
fn command_on_page_is_visible_to_clients() {
    let server = serve_page("command", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    let watch = OpenWatch::open(server.address(), &format!("{PODS_PATH}?watch=true"), &[]);
    page.command("kubectl run b --image=nginx");
    page.wait_for_line("pod/b created");
    wait_until("GET sees the pod", || has_pod(&server, "b"));
    let events = watch.wait_for_lines(1, TIMEOUT);
    assert!(
        events.first().is_some_and(|event| event.contains(r#""name":"b""#)),
        "{events:?}"
    );
    let scenario = get(server.address(), "/podscope/v1/scenario").body;
    assert!(scenario.contains("kubectl run b --image=nginx"), "{scenario}");
}

#[test]
fn play_and_pause_on_page_control_server_clock() {
    let server = serve_page("clock", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    page.send(Request::Speed { per_mille: 60_000 });
    page.send(Request::Play);
    wait_until("time runs", || simulated_seconds(&server) > 1.0);
    page.send(Request::Pause);
    page.wait_for_frame("paused", |frame| !frame.playing);
    let paused = simulated_seconds(&server);
    create_pod(&server, "a");
    let answered = simulated_seconds(&server) - paused;
    assert!(
        (0.0..1.0).contains(&answered),
        "a paused server answers like a manual one: {answered}"
    );
    let advanced = post(server.address(), "/podscope/v1/advance", r#"{"seconds": 10}"#).json()["t"].as_f64();
    assert!(advanced >= Some(paused + 10.0), "{advanced:?}");
    let at = advanced.expect("a time");
    page.wait_for_frame("the page follows", |frame| frame.now as f64 / 1e6 >= at);
}

#[test]
fn seek_back_ends_watches_and_next_write_branches() {
    let server = serve_page("seek", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    post(server.address(), "/podscope/v1/advance", r#"{"seconds": 10}"#);
    create_pod(&server, "a");
    post(server.address(), "/podscope/v1/advance", r#"{"seconds": 10}"#);
    let watch = OpenWatch::open(server.address(), &format!("{PODS_PATH}?watch=true"), &[]);
    page.send(Request::Seek { at: 5_000_000 });
    wait_until("the pod is not there yet", || !has_pod(&server, "a"));
    wait_until("the watch ends", || watch.has_ended());
    create_pod(&server, "b");
    let frame = page.wait_for_frame("a branch", |frame| {
        frame.branches.as_ref().is_some_and(|all| all.len() == 2)
    });
    assert!((5_000_000..6_000_000).contains(&frame.now), "{}", frame.now);
    assert!(has_pod(&server, "b") && !has_pod(&server, "a"));
}

#[test]
fn second_page_cannot_write_until_it_takes_over() {
    let server = serve_page("second", Speed::Manual);
    let (mut first, _) = Page::open(&server);
    first.wait_for_role("leads");
    let (mut second, _) = Page::open(&server);
    second.wait_for_role("watches");
    // The second page can run reading commands of its own.
    second.command("kubectl get nodes");
    second.wait_for_line("a-1");
    second.command("kubectl run c --image=nginx");
    second.wait_for_line("another page leads");
    assert!(!has_pod(&server, "c"));
    first.command("kubectl run d --image=nginx");
    first.wait_for_pod("default/d");
    second.wait_for_pod("default/d");
    second.socket.send(Message::text("lead")).expect("it is sent");
    second.wait_for_role("leads");
    first.wait_for_role("watches");
    second.command("kubectl run e --image=nginx");
    first.wait_for_pod("default/e");
    first.command("kubectl delete pod e");
    first.wait_for_line("another page leads");
    drop(second);
    first.wait_for_role("leads");
}

#[test]
fn session_opened_on_one_page_opens_on_all() {
    let server = serve_page("replace", Speed::Manual);
    let (mut first, _) = Page::open(&server);
    let (mut second, _) = Page::open(&server);
    create_pod(&server, "a");
    let scenario = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec: {cluster: {zones: [z], nodesPerZone: 1}}\n";
    first.send(Request::Open {
        source: SessionSource::Files {
            files: vec![("x.yaml".to_owned(), scenario.to_owned())],
        },
    });
    let is_opened = |update: &Update| match update {
        Update::Opened(opened) => Some(opened.is_joined),
        _ => None,
    };
    assert!(
        !first.wait_for_update("opened", is_opened),
        "it is this page's own choice"
    );
    assert!(second.wait_for_update("opened", is_opened));
    let frame = second.wait_for_frame("the new cluster", |frame| frame.reset);
    assert_eq!(frame.nodes.len(), 1);
    assert!(!has_pod(&server, "a"));
    assert_eq!(
        get(server.address(), "/api/v1/nodes").json()["items"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn restored_checkpoint_is_shown_on_page() {
    let server = serve_page("restore", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    post(server.address(), "/podscope/v1/checkpoint", "");
    create_pod(&server, "a");
    page.wait_for_pod("default/a");
    assert_eq!(post(server.address(), "/podscope/v1/restore", "{}").status, 200);
    let frame = page.wait_for_frame("all anew", |frame| frame.reset);
    assert!(frame.pods.is_empty(), "{frame:?}");
}

/// Shows: P-11
#[test]
fn link_and_exports_of_page_hide_data_of_secrets() {
    let server = serve_page("secrets", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    // c2VzYW1l is "sesame".
    let secret = r#"{"metadata":{"name":"s"},"data":{"key":"c2VzYW1l"}}"#;
    let made = post(server.address(), "/api/v1/namespaces/default/secrets", secret);
    assert_eq!(made.status, 201, "{}", made.body);
    page.send(Request::Share {
        screen: String::new(),
        anonymise: false,
        revision: 1,
    });
    let fragment = page.wait_for_update("a link", |update| match update {
        Update::Link { fragment, .. } => Some(fragment.clone()),
        _ => None,
    });
    let link = podscope_session::link::decode(&fragment).expect("a link");
    let texts = format!("{link:?}");
    assert!(
        texts.contains("/secrets") && texts.contains("key"),
        "the request is part of it: {texts}"
    );
    assert!(!texts.contains("c2VzYW1l"), "{texts}");
    for what in [
        ExportKind::Scenario,
        ExportKind::Trace,
        ExportKind::Objects,
        ExportKind::Lesson,
    ] {
        page.send(Request::Export { what, anonymise: false });
        let text = page.wait_for_update("a file", |update| match update {
            Update::File { text, .. } => Some(text.clone()),
            _ => None,
        });
        assert!(text.contains("key"), "{what:?}: {text}");
        assert!(
            !text.contains("c2VzYW1l") && !text.contains("sesame"),
            "{what:?}: {text}"
        );
    }
}

/// If the server's clock runs in real time, the page that leads controls this clock.
#[test]
fn page_joins_running_clock_and_changes_its_speed() {
    let server = serve_page("speed", Speed::Times(2.0));
    let (mut page, first) = Page::open(&server);
    assert!(first.playing);
    assert_eq!(first.speed_per_mille, 2_000);
    page.send(Request::Speed { per_mille: 100_000 });
    page.wait_for_frame("faster", |frame| frame.speed_per_mille == 100_000);
    let begun = simulated_seconds(&server);
    wait_until("a minute passes", || simulated_seconds(&server) > begun + 60.0);
    create_pod(&server, "a");
    page.wait_for_pod("default/a");
}

#[test]
fn page_that_does_not_read_does_not_delay_others() {
    let server = serve_page("slow", Speed::Manual);
    let (mut slow, _) = Page::open(&server);
    let (mut other, _) = Page::open(&server);
    for number in 0..20 {
        create_pod(&server, &format!("p{number}"));
    }
    post(server.address(), "/podscope/v1/advance", r#"{"seconds": 30}"#);
    let size = get(server.address(), "/podscope/v1/trace").body.len();
    // Sends more than the buffers of a socket hold.
    for _ in 0..16_000_000 / size {
        slow.send(Request::Export {
            what: ExportKind::Trace,
            anonymise: false,
        });
    }
    let begun = Instant::now();
    create_pod(&server, "last");
    other.wait_for_pod("default/last");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    drop(slow);
    other.wait_for_role("leads");
}

#[test]
fn invalid_message_closes_socket() {
    let server = serve_page("garbage", Speed::Manual);
    let (mut page, _) = Page::open(&server);
    page.socket.send(Message::binary(vec![0xff; 64])).expect("it is sent");
    loop {
        match page.socket.read() {
            Ok(Message::Close(Some(frame))) => {
                assert!(frame.reason.contains("not of the same version"), "{frame}");
                return;
            }
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
