//! Tests of `podscope serve` over HTTP.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "native only")]

mod access;
mod client;
mod clients;
mod custom;
mod derived;
mod door;
mod encoded;
mod kubectl;
mod leader;
mod page;
mod parts;
mod plain;
mod replay;
mod users;
mod wire;
