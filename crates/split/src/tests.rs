use std::collections::BTreeSet;

use wasmparser::{Parser, Payload};

use crate::cut::cut;
use crate::instrument::instrument;
use crate::module::Module;

/// A module in which `run` calls `$direct` by its number and `$indirect` through the table; both `run` and `$direct`
/// call `$shared`.
const ENGINE_MODULE_TEXT: &str = r#"
(module
  (import "./glue.js" "load" (func $load))
  (table 2 2 funcref)
  (memory (export "memory") 1)
  (global $stack (mut i32) (i32.const 1024))
  (func $load_rest (export "load_rest") call $load_now)
  (func $load_now call $load)
  (func $run (export "run") (param i32) (result i32)
    (i32.add (call $direct (local.get 0)) (i32.add (call_indirect (type $of) (i32.const 1)) (call $shared))))
  (type $of (func (result i32)))
  (func $shared (result i32) (global.get $stack))
  (func $direct (param i32) (result i32) (i32.add (local.get 0) (call $shared)))
  (func $indirect (result i32) (i32.const 7))
  (func $unused (result i32) (call $indirect))
  (elem (i32.const 0) func $shared $indirect))
"#;

/// Number of the function `$shared` in [`ENGINE_MODULE_TEXT`]; the imported function has the number 0.
const SHARED_FUNCTION: u32 = 4;

/// Returns the names of a module's imports and exports, and its number of functions.
fn imports_exports_and_function_count(bytes: &[u8]) -> (Vec<String>, Vec<String>, u32) {
    let (mut imports, mut exports, mut n_functions) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.expect("the module is valid") {
            Payload::ImportSection(section) => {
                let names = section
                    .into_imports()
                    .map(|import| import.expect("the import is valid"));
                imports.extend(names.map(|import| format!("{}.{}", import.module, import.name)));
            }
            Payload::ExportSection(section) => {
                let names = section
                    .into_iter()
                    .map(|export| export.expect("the export is valid").name.to_owned());
                exports.extend(names);
            }
            Payload::FunctionSection(section) => n_functions = section.count(),
            _ => {}
        }
    }
    (imports, exports, n_functions)
}

#[test]
fn cut_keeps_functions_of_first_part_and_stubs() {
    let engine = wat::parse_str(ENGINE_MODULE_TEXT).expect("the text is a module");
    let module = Module::parse(&engine).expect("the module is supported");
    let (first, rest) = cut(&module, &BTreeSet::from([SHARED_FUNCTION])).expect("the module can be cut");
    for part in [&first, &rest] {
        wasmparser::validate(part).expect("both parts are valid");
    }
    let (imports, exports, n_functions) = imports_exports_and_function_count(&first);
    assert_eq!(imports, ["./glue.js.load"]);
    assert_eq!(
        exports,
        ["memory", "load_rest", "run", "table0", "slots", "global0", "is_loaded"]
    );
    // load_rest, $load_now, run, $shared, the stubs of $direct and $indirect, and the function that loads the rest
    // unless it is loaded.
    assert_eq!(n_functions, 7);
    let (imports, exports, n_functions) = imports_exports_and_function_count(&rest);
    let shared_slot = "functions.1"; // slot 0 is for $direct
    assert_eq!(
        imports,
        [
            "first.table0",
            "first.slots",
            "first.memory",
            "first.global0",
            "first.is_loaded",
            shared_slot
        ]
    );
    assert!(exports.is_empty());
    // $direct, $indirect, $unused, and the start function.
    assert_eq!(n_functions, 4);
}

#[test]
fn instrumented_module_is_valid_and_exports_profile() {
    let engine = wat::parse_str(ENGINE_MODULE_TEXT).expect("the text is a module");
    let module = Module::parse(&engine).expect("the module is supported");
    let copy = instrument(&module).expect("the module can be instrumented");
    wasmparser::validate(&copy).expect("the copy is valid");
    assert!(
        imports_exports_and_function_count(&copy)
            .1
            .contains(&"profile".to_owned())
    );
}

#[test]
fn module_without_function_that_loads_the_rest_is_refused() {
    let engine = wat::parse_str("(module (table 1 funcref) (func (export \"run\")) (elem (i32.const 0) func 0))")
        .expect("the text is a module");
    let module = Module::parse(&engine).expect("the module is supported");
    let refused = cut(&module, &BTreeSet::new()).expect_err("nothing can load the rest");
    assert!(refused.contains("load_rest"), "{refused}");
}
