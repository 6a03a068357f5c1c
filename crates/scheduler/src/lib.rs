//! Podscope scheduler.
