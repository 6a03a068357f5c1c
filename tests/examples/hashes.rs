//! Prints the trace hashes of the runs that must be equal on native and wasm, one per line.

fn main() {
    for row in podscope_tests::traces::trace_hashes() {
        println!("{row}");
    }
}
