//! The `podscope` command line.
fn main() {}
