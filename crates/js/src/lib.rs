//! The engine for JavaScript: the page's worker, and (with it) the npm package.
//!
//! It translates values and owns no behaviour: what a request does is `podscope-session`'s.

mod worker;

pub use worker::serve;
