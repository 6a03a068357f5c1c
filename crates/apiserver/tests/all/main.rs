//! Tests of the API server through its requests.

mod accounts;
mod admin_access;
mod events;
mod limits;

use podscope_api::{Object, Time, parse};
use podscope_apiserver::{ApiServer, Caller, Outcome};
use podscope_sim::{Actor, Request, SimTime};

const CALLER: Caller<'static> = Caller {
    actor: &Actor::Client(1),
    now: SimTime::ZERO,
    start: Time::from_seconds(1_767_225_600),
};

fn parse_object(text: &str) -> Object {
    let mut parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.objects.remove(0).value
}

/// Creates a server with the namespace `default`.
fn server() -> ApiServer {
    let mut server = ApiServer::new(1);
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: default}}";
    server.import(parse_object(namespace), &CALLER);
    server
}

/// Sends a request; returns the stored object, or the message of the error.
fn send_request(server: &mut ApiServer, request: &Request) -> Result<Object, String> {
    let answer = server.handle(request, &CALLER, &mut Outcome::default());
    answer
        .map_err(|error| error.message)
        .map(|stored| stored.expect("it answers with the object"))
}

/// Creates an object from its manifest; returns the stored object, or the message of the error.
fn create(server: &mut ApiServer, text: &str) -> Result<Object, String> {
    send_request(server, &Request::Create(parse_object(text)))
}
