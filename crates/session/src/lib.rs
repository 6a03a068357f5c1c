//! Podscope session.
