//! The engine behind a worker's message port.
//!
//! A message is one `Request`, answers are `Update`s; an empty one asks whether the engine is there, and
//! is sent back. Long work is cut into slices, and
//! between two of them the worker goes back to its message loop, so that a busy engine
//! still hears `pause`.

use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Uint8Array};
use podscope_protocol::{Request, Update, pack, unpack};
use podscope_session::host::{Host, Wants};
use podscope_session::lessons;
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort, Performance};

/// How long the engine computes before it looks at its messages again, in milliseconds.
const SLICE: f64 = 12.0;

struct Service {
    host: Host,
    page: DedicatedWorkerGlobalScope,
    clock: Performance,
    /// A message to ourselves comes after those that wait: it is the next slice's turn.
    /// (`setTimeout` would idle 4 ms each time.)
    turn: MessagePort,
    turn_taken: bool,
    /// The frame that a playing session waits for.
    alarm: Option<Timeout>,
    shelf: Shelf,
    /// Requests that the host has taken, and how many of them the page knows to be done.
    n_taken: u64,
    n_settled: u64,
}

/// The lessons' texts, which come when one is first opened. What is asked meanwhile waits, so that order is kept.
struct Shelf {
    /// The worker's script: calls what it is given with the file's bytes, or with nothing and a reason.
    ask: Function,
    /// What it is given; there from the start.
    came: Option<Function>,
    /// The request that needs them, and those behind it.
    waiting: Option<Vec<Request>>,
}

impl Service {
    fn receive(&mut self, message: JsValue) {
        // That the line is free is told by `www/boot.js` with no bytes: a request may have come before it.
        let Ok(message) = message.dyn_into::<Uint8Array>() else {
            return;
        };
        if message.length() == 0 {
            if let Err(error) = self.page.post_message(&message) {
                wasm_bindgen::throw_val(error);
            }
            return;
        }
        match unpack::<Request>(&message.to_vec()) {
            Ok(request) => self.take(request),
            // Page and engine are of one build: this is a bug, and the page hears of it.
            Err(error) => wasm_bindgen::throw_str(&format!("not a request: {error}")),
        }
    }

    fn take(&mut self, request: Request) {
        if let Some(waiting) = &mut self.shelf.waiting {
            waiting.push(request);
        } else if lessons::are_missing_for(&request) {
            self.shelf.waiting = Some(vec![request]);
            let came = JsValue::from(self.shelf.came.clone());
            if let Err(error) = self.shelf.ask.call1(&JsValue::NULL, &came) {
                wasm_bindgen::throw_val(error);
            }
        } else {
            self.n_taken += u64::from(request != Request::FrameDone);
            let updates = self.host.handle(request, self.clock.now());
            self.post(updates);
            self.arrange();
        }
    }

    /// The lessons are there, or cannot be had: what waited has its turn.
    fn go_on(&mut self, file: Option<Uint8Array>, why: Option<String>) {
        let mut waiting = self.shelf.waiting.take().unwrap_or_default().into_iter();
        let provided = match file {
            Some(file) => lessons::provide(file.to_vec()),
            None => Err(lessons::missing(&why.unwrap_or_default())),
        };
        if let Err(problems) = provided {
            waiting.next();
            self.n_taken += 1;
            self.post(vec![Update::Refused { problems }]);
            self.arrange();
        }
        waiting.for_each(|request| self.take(request));
    }

    /// Works for a slice of time, as long as the host wants to.
    fn slice(&mut self) {
        self.turn_taken = false;
        let mut now = self.clock.now();
        let end = now + SLICE;
        while now < end && due(self.host.wants(), now) {
            let updates = self.host.work(now);
            self.post(updates);
            now = self.clock.now();
        }
        self.arrange();
    }

    /// Sees to it that the host works when it next wants to, and tells the page when its requests are done.
    fn arrange(&mut self) {
        if self.n_settled < self.n_taken && self.host.is_settled() {
            self.n_settled = self.n_taken;
            let requests = self.n_taken;
            self.post(vec![Update::Settled { requests }]);
        }
        let now = self.clock.now();
        self.alarm = None;
        match self.host.wants() {
            wants if due(wants, now) => self.take_turn(),
            Wants::At(time) => {
                let turn = self.turn.clone();
                let wait = (time - now).ceil() as u32;
                self.alarm = Some(Timeout::new(wait, move || {
                    let _ = turn.post_message(&JsValue::NULL);
                }));
            }
            Wants::Rest | Wants::Now => {}
        }
    }

    fn take_turn(&mut self) {
        if !self.turn_taken {
            self.turn_taken = self.turn.post_message(&JsValue::NULL).is_ok();
        }
    }

    fn post(&mut self, updates: Vec<Update>) {
        let frame = updates.iter().any(|update| matches!(update, Update::Frame(_)));
        for update in updates {
            if let Err(error) = post(&self.page, &update) {
                wasm_bindgen::throw_val(error);
            }
        }
        if frame {
            self.host.sent(self.clock.now());
        }
    }
}

/// A panic is a bug of ours: the console hears where, the page that this engine is gone.
fn report_panic(info: &PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    let crashed = Update::Crashed {
        message: info.to_string(),
    };
    if let Ok(page) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        let _ = post(&page, &crashed);
    }
}

fn due(wants: Wants, now: f64) -> bool {
    match wants {
        Wants::Rest => false,
        Wants::Now => true,
        Wants::At(time) => time <= now,
    }
}

/// Sends an update; its bytes are handed over, not copied.
fn post(page: &DedicatedWorkerGlobalScope, update: &Update) -> Result<(), JsValue> {
    let message = Uint8Array::from(&*pack(update)?);
    page.post_message_with_transfer(&message, &Array::of1(&message.buffer()))
}

/// Makes this worker an engine: answers the messages of its page, `early` ones first. `ask` brings the lessons' texts:
/// it calls the function that it is given with the bytes of their file, or with `undefined` and a reason.
///
/// # Errors
/// When it does not run in a dedicated worker.
#[wasm_bindgen]
pub fn serve(early: Array, ask: Function) -> Result<(), JsValue> {
    std::panic::set_hook(Box::new(report_panic));
    let page: DedicatedWorkerGlobalScope = js_sys::global()
        .dyn_into()
        .map_err(|_| "`serve` belongs into a dedicated worker")?;
    let clock = page.performance().ok_or("this worker has no clock")?;
    let channel = MessageChannel::new()?;
    let service = Rc::new(RefCell::new(Service {
        host: Host::new(),
        page: page.clone(),
        clock,
        turn: channel.port1(),
        turn_taken: false,
        alarm: None,
        shelf: Shelf {
            ask,
            came: None,
            waiting: None,
        },
        n_taken: 0,
        n_settled: 0,
    }));

    let slicing = Rc::clone(&service);
    let on_turn = Closure::<dyn FnMut()>::new(move || slicing.borrow_mut().slice());
    channel.port2().set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
    on_turn.forget(); // lives as long as the worker

    let receiving = Rc::clone(&service);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        receiving.borrow_mut().receive(event.data());
    });
    page.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();

    let shelving = Rc::clone(&service);
    let on_lessons = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |file: JsValue, why: JsValue| {
        shelving.borrow_mut().go_on(file.dyn_into().ok(), why.as_string());
    });
    service.borrow_mut().shelf.came = Some(on_lessons.as_ref().unchecked_ref::<Function>().clone());
    on_lessons.forget();

    let mut first = service.borrow_mut();
    let hello = first.host.hello();
    first.post(vec![hello]);
    for message in early.iter() {
        first.receive(message);
    }
    Ok(())
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use js_sys::Array;
    use wasm_bindgen::{JsCast as _, JsValue};
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::serve;

    wasm_bindgen_test_configure!(run_in_browser);

    /// Outside a worker the engine refuses to listen, and says why.
    /// Shows: Q-05
    #[wasm_bindgen_test]
    fn a_page_is_not_a_worker() {
        let refused = serve(Array::new(), JsValue::NULL.unchecked_into()).expect_err("this is a page");
        assert!(
            refused
                .as_string()
                .is_some_and(|text| text.contains("dedicated worker"))
        );
    }
}
