//! Prints the hashes of the runs that native and wasm must agree on, one a line.

fn main() {
    for row in podscope_tests::traces::hashes() {
        println!("{row}");
    }
}
