//! What was cut does what the whole did, whatever was visited.

use std::collections::BTreeSet;

use wasmi::{Caller, Engine, Extern, Instance, Linker, Module, Store, Val};

use crate::{cut, instrument, module};

/// Branches out of blocks and loops, values with them, tables, many locals, memory.
const WHOLE: &str = r#"(module
  (import "glue" "__wbg_loadRest_0" (func $load))
  (type $unary (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (global $calls (mut i32) (i32.const 0))
  (table 4 4 funcref)
  (elem (i32.const 1) $thrice $minus $minus)
  (data (i32.const 0) "\07\00\00\00")
  (func $thrice (param i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.mul (local.get 0) (i32.const 3)))
  (func $minus (param i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 100)))
    (i32.sub (i32.load (i32.const 0)) (local.get 0)))
  (func $cold (param $x i32) (param $y i64) (result i64)
    (local $sum i64)
    (local.set $sum (local.get $y))
    (loop $again
      (local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u (local.get $x))))
      (local.set $x (i32.sub (local.get $x) (i32.const 1)))
      (br_if $again (i32.gt_s (local.get $x) (i32.const 0))))
    (local.get $sum))
  (func $choose (export "choose") (param $x i32) (result i64)
    (local $a i32) (local $b i64) (local $c f64) (local $i i32)
    (local.set $a (i32.add (local.get $x) (i32.const 40)))
    (local.set $c (f64.convert_i32_s (local.get $x)))
    (block $out
      (block $two
        (block $one
          (block $zero
            (br_table $zero $one $two $out (local.get $x)))
          (return (i64.extend_i32_s (local.get $a))))
        (local.set $b (i64.const 5))
        (local.set $b (call $cold (local.get $a) (local.get $b)))
        (local.set $c (f64.mul (local.get $c) (f64.const 2.5)))
        (i32.store (i32.const 4) (local.get $a))
        (br_if $out (i64.gt_s (local.get $b) (i64.const 100)))
        (local.set $b (i64.add (local.get $b) (i64.const 1000))))
      (local.set $i (i32.const 0))
      (loop $each
        (if (i32.eq (i32.rem_s (local.get $i) (i32.const 7)) (i32.const 3))
          (then
            (local.set $a (call_indirect (type $unary) (local.get $a)
              (i32.add (i32.rem_u (local.get $i) (i32.const 3)) (i32.const 1))))
            (local.set $a (i32.xor (local.get $a) (local.get $i)))
            (if (i32.gt_s (local.get $i) (i32.const 60))
              (then (return (i64.add (i64.extend_i32_s (local.get $a)) (local.get $b)))))
            (if (i32.eq (local.get $i) (i32.const 38))
              (then
                (local.set $b (i64.add (local.get $b) (i64.const 3)))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (local.set $c (f64.sqrt (f64.add (local.get $c) (f64.const 16))))
                (br $each)))))
        (local.set $i (i32.add (local.get $i) (local.get $x)))
        (br_if $each (i32.lt_s (local.get $i) (i32.const 90)))))
    (block $big (result i64)
      (if (i32.gt_s (local.get $x) (i32.const 10))
        (then
          (local.set $b (i64.mul (local.get $b) (i64.const 11)))
          (i32.store offset=8 (i32.const 4) (i32.wrap_i64 (local.get $b)))
          (br $big (i64.add (local.get $b) (i64.extend_i32_s (i32.load offset=4 (i32.const 0)))))))
      (i64.add (i64.trunc_f64_s (local.get $c)) (local.get $b))))
  (func (export "calls") (result i32) (global.get $calls)))"#;

/// An instance, its store, and whether the rest was asked for.
struct Running {
    store: Store<bool>,
    instance: Instance,
}

fn start(first: &[u8], rest: Option<Vec<u8>>) -> Running {
    let engine = Engine::default();
    let module = Module::new(&engine, first).unwrap();
    let mut store = Store::new(&engine, false);
    let mut linker = Linker::<bool>::new(&engine);
    let names: Vec<String> = module.exports().map(|export| export.name().to_owned()).collect();
    let load = move |mut caller: Caller<'_, bool>| {
        let rest = rest.as_ref().expect("there is a rest to load");
        let module = Module::new(caller.engine(), rest).unwrap();
        let mut linker = Linker::<bool>::new(caller.engine());
        for name in &names {
            let export: Extern = caller.get_export(name).unwrap();
            linker.define("first", name, export).unwrap();
        }
        *caller.data_mut() = true;
        linker.instantiate_and_start(&mut caller, &module).unwrap();
    };
    linker.func_wrap("glue", "__wbg_loadRest_0", load).unwrap();
    let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
    Running { store, instance }
}

impl Running {
    fn call(&mut self, name: &str, args: &[Val]) -> i64 {
        let function = self.instance.get_func(&self.store, name).unwrap();
        let mut out = [if name == "calls" { Val::I32(0) } else { Val::I64(0) }];
        function.call(&mut self.store, args, &mut out).unwrap();
        match out[0] {
            Val::I32(value) => value.into(),
            Val::I64(value) => value,
            _ => panic!("{out:?}"),
        }
    }
    fn choose(&mut self, x: i32) -> (i64, i64) {
        (self.call("choose", &[Val::I32(x)]), self.call("calls", &[]))
    }
    /// What ran, of an instrumented module.
    fn ran(&mut self) -> BTreeSet<u64> {
        let global = |this: &Self, name| match this.instance.get_global(&this.store, name).unwrap().get(&this.store) {
            Val::I32(value) => value as usize,
            other => panic!("{other:?}"),
        };
        let (marks, marked) = (global(self, "marks"), global(self, "marked"));
        let memory = self.instance.get_memory(&self.store, "memory").unwrap();
        let bytes = &memory.data(&self.store)[marks..marks + marked];
        (0..)
            .zip(bytes)
            .filter(|(_, mark)| **mark == 1)
            .map(|(segment, _)| segment)
            .collect()
    }
}

#[test]
fn what_was_cut_does_what_the_whole_did() {
    let whole = wat::parse_str(WHOLE).unwrap();
    let counted = instrument::instrument(&module::Module::parse(&whole).unwrap()).unwrap();
    let (mut loads, mut moved) = (0, 0);
    for visit in [
        &[][..],
        &[3],
        &[0],
        &[1],
        &[2],
        &[5],
        &[11, 3],
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ] {
        let mut visited = start(&counted, None);
        let seen: Vec<_> = visit.iter().map(|x| visited.choose(*x)).collect();
        let parts = cut::cut(&whole, &visited.ran(), 6).unwrap();

        let mut again = start(&parts.first, Some(parts.rest.clone()));
        let same: Vec<_> = visit.iter().map(|x| again.choose(*x)).collect();
        assert_eq!(same, seen);
        assert!(!*again.store.data(), "the visit {visit:?} needs no more than it ran");

        let (mut original, mut halves) = (start(&whole, None), start(&parts.first, Some(parts.rest)));
        for x in 1..16 {
            assert_eq!(halves.choose(x), original.choose(x), "{x} after {visit:?}");
        }
        loads += u32::from(*halves.store.data());
        moved += parts.moved;
    }
    assert!(loads >= 5, "the rest was needed {loads} times");
    assert!(moved >= 8, "{moved} regions moved out");
}

#[test]
fn a_module_that_loads_nothing_is_refused() {
    let module = wat::parse_str(
        "(module (func) (table 1 funcref) (memory 1) (global i32 (i32.const 0)) (data (i32.const 0) \"\"))",
    );
    let error = cut::cut(&module.unwrap(), &BTreeSet::new(), 6).err();
    assert_eq!(error.as_deref(), Some("it does not import `loadRest`"));
}
