//! A minimal HTTP/1.1 client with one connection per request, so that tests see the raw responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use serde_json::Value;

/// Read timeout, longer than any request of these tests takes.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves a scenario with manual time.
pub(crate) fn serve(scenario: &str) -> Server {
    serve_with(scenario, Options::default())
}

/// Serves a scenario with manual time and the given other options.
pub(crate) fn serve_with(scenario: &str, options: Options) -> Server {
    let files = [("scenario.yaml".to_owned(), scenario.to_owned())];
    let loaded = scenario::load(&files).expect("the scenario is read");
    let session = Session::new(loaded).expect("it is admitted");
    let options = Options {
        speed: Speed::Manual,
        ..options
    };
    Server::start(session, &options).expect("a port is free")
}

/// An HTTP response.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// Status code; 0 if the connection was closed without a response.
    pub(crate) status: u16,
    /// Headers with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the value of a header; several values are joined with line breaks.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let found: Vec<&str> = self
            .headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect();
        (!found.is_empty()).then(|| found.join("\n"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }
}

fn connect_and_send(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> TcpStream {
    let mut stream = TcpStream::connect(server).expect("it listens");
    stream.set_read_timeout(Some(READ_TIMEOUT)).expect("a timeout is set");
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {server}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    // A server that refuses the request may close the connection before it has read the body.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    stream
}

/// Parses a complete response that is not chunked.
pub(crate) fn parse_response(response: &str) -> Answer {
    let mut reader = BufReader::new(response.as_bytes());
    let mut answer = read_head(&mut reader).unwrap_or_default();
    reader.read_to_string(&mut answer.body).expect("it is text");
    answer
}

fn read_head(reader: &mut impl BufRead) -> Option<Answer> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer {
        status,
        ..Answer::default()
    };
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let text = line.trim_end();
        if text.is_empty() {
            return Some(answer);
        }
        if let Some((name, value)) = text.split_once(':') {
            answer
                .headers
                .push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// Reads the next chunk of a chunked body; None at the end.
fn read_chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let size = usize::from_str_radix(line.trim(), 16).ok().filter(|size| *size > 0)?;
    let mut bytes = vec![0; size + 2];
    reader.read_exact(&mut bytes).ok()?;
    bytes.truncate(size);
    Some(bytes)
}

/// Sends a request and waits for the complete response.
pub(crate) fn send(server: SocketAddr, method: &str, path: &str, headers: &[(String, String)], body: &[u8]) -> Answer {
    let mut reader = BufReader::new(connect_and_send(server, method, path, headers, body));
    let Some(mut answer) = read_head(&mut reader) else {
        return Answer::default();
    };
    let mut bytes = Vec::new();
    if answer.header("transfer-encoding").as_deref() == Some("chunked") {
        while let Some(chunk) = read_chunk(&mut reader) {
            bytes.extend(chunk);
        }
    } else {
        // A truncated body is not an error here; the test notices it in the content.
        let _ = reader.read_to_end(&mut bytes);
    }
    answer.body = String::from_utf8_lossy(&bytes).into_owned();
    answer
}

pub(crate) fn get(server: SocketAddr, path: &str) -> Answer {
    send(server, "GET", path, &[], b"")
}

pub(crate) fn post(server: SocketAddr, path: &str, body: &str) -> Answer {
    let kind = [("Content-Type".to_owned(), "application/json".to_owned())];
    send(server, "POST", path, &kind, body.as_bytes())
}

/// A watch whose events a background thread reads.
pub(crate) struct OpenWatch {
    pub(crate) answer: Answer,
    lines: Arc<Mutex<(String, bool)>>,
    stream: TcpStream,
}

impl OpenWatch {
    /// Sends the request and waits for the head of the response.
    pub(crate) fn open(server: SocketAddr, path: &str, headers: &[(String, String)]) -> OpenWatch {
        let stream = connect_and_send(server, "GET", path, headers, b"");
        let ours = stream.try_clone().expect("the socket is cloned");
        let mut reader = BufReader::new(stream);
        let mut answer = read_head(&mut reader).unwrap_or_default();
        let lines = Arc::new(Mutex::new((String::new(), false)));
        let received = lines.clone();
        if answer.header("transfer-encoding").as_deref() == Some("chunked") {
            std::thread::spawn(move || {
                while let Some(chunk) = read_chunk(&mut reader) {
                    let mut received = received.lock().expect("nobody panics with it");
                    received.0.push_str(&String::from_utf8_lossy(&chunk));
                }
                received.lock().expect("nobody panics with it").1 = true;
            });
        } else {
            // A truncated body is not an error here.
            let _ = reader.read_to_string(&mut answer.body);
        }
        OpenWatch {
            answer,
            lines,
            stream: ours,
        }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let received = self.lines.lock().expect("nobody panics with it");
        received.0.lines().map(str::to_owned).collect()
    }

    /// Waits until this number of lines has arrived, the stream has ended, or `timeout` has passed.
    pub(crate) fn wait_for_lines(&self, count: usize, timeout: Duration) -> Vec<String> {
        let begun = std::time::Instant::now();
        loop {
            let has_ended = self.has_ended();
            let found = self.lines();
            if has_ended || found.len() >= count || begun.elapsed() > timeout {
                return found;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.lines.lock().expect("nobody panics with it").1
    }

    pub(crate) fn close(&self) {
        // The connection may already be closed.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}
