//! Tests of `podscope serve` over HTTP.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "native only")]

mod access;
mod cached_json;
mod client;
mod clients;
mod custom_objects;
mod derived_objects;
mod http_basics;
mod kubectl;
mod leader;
mod non_resource_paths;
mod page;
mod replay;
mod subresources;
mod users;
mod wire;
