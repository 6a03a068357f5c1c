//! In wasm the traces are those of the native engine, byte for byte. P-02, Q-01.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// `cargo xtask test wasm` runs the native side first and hands its hashes over.
#[wasm_bindgen_test]
fn traces_equal_the_native_engines() {
    let Some(native) = option_env!("PODSCOPE_TRACE_HASHES") else {
        panic!("run by `cargo xtask test wasm`");
    };
    let native: Vec<&str> = native.split(';').collect();
    assert_eq!(podscope_tests::traces::hashes(), native);
}
