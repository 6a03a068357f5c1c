//! The engine for JavaScript, in two forms that are shipped separately: the npm package (feature `package`) and the
//! worker of Podscope's own page (feature `worker`). A third form (feature `bench`) is not shipped: it measures
//! scheduling decisions in a browser.
//!
//! All of them only convert values; behaviour is implemented in `podscope-session`.
//!
//! ```js
//! import init, { load } from "@podscope/engine";
//!
//! await init();
//! const session = load({ lesson: "first-pod" });
//! session.runUntil("30s");
//! console.log(session.processes());
//! ```

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "package")]
mod errors;
#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(feature = "package")]
mod npm_package;
#[cfg(feature = "package")]
mod plain_objects;
#[cfg(feature = "worker")]
mod rest_of_engine;
#[cfg(feature = "worker")]
mod worker;

#[cfg(feature = "bench")]
pub use bench::Bench;
#[cfg(feature = "package")]
pub use npm_package::{Session, lessons, load};
#[cfg(feature = "worker")]
pub use rest_of_engine::load_rest;
#[cfg(feature = "worker")]
pub use worker::serve;
