//! Code that the benchmarks of the server share.
#![allow(dead_code, reason = "each measurement uses a part")]

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Prints a result line for `cargo xtask bench`.
pub(crate) fn print_figure(name: &str, value: f64, unit: &str) {
    println!("figure: {name} = {value:.1} {unit}");
}

/// Returns the memory of this process in MiB.
pub(crate) fn memory_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// A connection that is kept alive.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a socket option");
        Connection {
            reader: BufReader::with_capacity(1 << 16, stream),
            address,
        }
    }

    /// Sends a request. Returns the status code and the body.
    ///
    /// # Errors
    /// The server has closed the connection.
    pub(crate) fn try_send(&mut self, method: &str, path: &str, body: &str) -> io::Result<(u16, Vec<u8>)> {
        let kind = if method == "PATCH" { "merge-patch+json" } else { "json" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/{kind}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.reader.get_mut().write_all(head.as_bytes())?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
            }
            if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok((status, body))
    }

    /// Sends a request that must succeed.
    pub(crate) fn send_ok(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let (status, answer) = self.try_send(method, path, body).expect("a response");
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {}",
            String::from_utf8_lossy(&answer)
        );
        answer
    }
}
