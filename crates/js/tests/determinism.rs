//! In wasm, traces are byte-identical to those of the native engine (P-02, Q-01).
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// `cargo xtask test wasm` computes the hashes natively first and passes them to this test.
#[wasm_bindgen_test]
fn wasm_traces_equal_native_traces() {
    let Some(native) = option_env!("PODSCOPE_TRACE_HASHES") else {
        panic!("run by `cargo xtask test wasm`");
    };
    let native: Vec<&str> = native.split(';').collect();
    assert_eq!(podscope_tests::traces::trace_hashes(), native);
}
