//! The engine behind a worker's message port.
//!
//! A message is one `Request`; the engine sends `Update`s. An empty message is a ping and is sent back. Long work is
//! cut into slices; between two slices the worker returns to its message loop, so that a busy engine still receives
//! `Pause`.

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

/// Time that the engine computes before it handles messages again, in milliseconds.
const SLICE: f64 = 12.0;

struct Service {
    host: Host,
    page: DedicatedWorkerGlobalScope,
    clock: Performance,
    /// The worker posts a message to itself for the next slice, because it is handled after the waiting messages.
    /// (`setTimeout` would idle for 4 ms each time.)
    next_slice: MessagePort,
    is_slice_scheduled: bool,
    /// Timer for the next frame while time runs.
    alarm: Option<Timeout>,
    lesson_file: LessonFile,
    /// Number of requests that the host has taken, and the number of them that was reported to the page as settled.
    n_taken: u64,
    n_settled: u64,
}

/// The lessons' texts, which are fetched when a lesson is first opened. Later requests wait meanwhile, to keep their
/// order.
struct LessonFile {
    /// Function of the worker's script that fetches the file and calls its argument with the bytes, or with `undefined`
    /// and a reason.
    ask: Function,
    /// The argument for `ask`; set at the start.
    on_fetched: Option<Function>,
    /// The request that needs the lessons, and those after it.
    waiting: Option<Vec<Request>>,
}

impl Service {
    fn receive(&mut self, message: JsValue) {
        // `www/boot.js` sends a message without bytes when the connection is free; a request may have come before it.
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
            Ok(request) => self.handle_or_queue(request),
            // Page and engine are built together, so this is a bug. The error reaches the page.
            Err(error) => wasm_bindgen::throw_str(&format!("not a request: {error}")),
        }
    }

    fn handle_or_queue(&mut self, request: Request) {
        if let Some(waiting) = &mut self.lesson_file.waiting {
            waiting.push(request);
        } else if lessons::are_missing_for(&request) {
            self.lesson_file.waiting = Some(vec![request]);
            let on_fetched = JsValue::from(self.lesson_file.on_fetched.clone());
            if let Err(error) = self.lesson_file.ask.call1(&JsValue::NULL, &on_fetched) {
                wasm_bindgen::throw_val(error);
            }
        } else {
            self.n_taken += u64::from(request != Request::FrameDone);
            let updates = self.host.handle(request, self.clock.now());
            self.post(updates);
            self.schedule();
        }
    }

    /// Called when the lessons have been fetched or the fetch has failed: handles the waiting requests.
    fn lessons_fetched(&mut self, file: Option<Uint8Array>, why: Option<String>) {
        let mut waiting = self.lesson_file.waiting.take().unwrap_or_default().into_iter();
        let provided = match file {
            Some(file) => lessons::provide(file.to_vec()),
            None => Err(lessons::missing(&why.unwrap_or_default())),
        };
        if let Err(problems) = provided {
            waiting.next();
            self.n_taken += 1;
            self.post(vec![Update::Refused { problems }]);
            self.schedule();
        }
        waiting.for_each(|request| self.handle_or_queue(request));
    }

    /// Works for one slice, or until the host has nothing to do.
    fn run_slice(&mut self) {
        self.is_slice_scheduled = false;
        let mut now = self.clock.now();
        let end = now + SLICE;
        while now < end && is_due(self.host.wants(), now) {
            let updates = self.host.work(now);
            self.post(updates);
            now = self.clock.now();
        }
        self.schedule();
    }

    /// Schedules the host's next work, and tells the page when all of its requests are settled.
    fn schedule(&mut self) {
        if self.n_settled < self.n_taken && self.host.is_settled() {
            self.n_settled = self.n_taken;
            let requests = self.n_taken;
            self.post(vec![Update::Settled { requests }]);
        }
        let now = self.clock.now();
        self.alarm = None;
        match self.host.wants() {
            wants if is_due(wants, now) => self.schedule_slice(),
            Wants::At(time) => {
                let next_slice = self.next_slice.clone();
                let wait = (time - now).ceil() as u32;
                self.alarm = Some(Timeout::new(wait, move || {
                    let _ = next_slice.post_message(&JsValue::NULL);
                }));
            }
            Wants::Rest | Wants::Now => {}
        }
    }

    fn schedule_slice(&mut self) {
        if !self.is_slice_scheduled {
            self.is_slice_scheduled = self.next_slice.post_message(&JsValue::NULL).is_ok();
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

/// Reports a panic, which is a bug: its place on the console, and to the page that this engine has ended.
fn report_panic(info: &PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    let crashed = Update::Crashed {
        message: info.to_string(),
    };
    if let Ok(page) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        let _ = post(&page, &crashed);
    }
}

fn is_due(wants: Wants, now: f64) -> bool {
    match wants {
        Wants::Rest => false,
        Wants::Now => true,
        Wants::At(time) => time <= now,
    }
}

/// Sends an update; its bytes are transferred, not copied.
fn post(page: &DedicatedWorkerGlobalScope, update: &Update) -> Result<(), JsValue> {
    let message = Uint8Array::from(&*pack(update)?);
    page.post_message_with_transfer(&message, &Array::of1(&message.buffer()))
}

/// Turns this worker into an engine that handles the messages of its page, `early` ones first. `ask` fetches the
/// lessons' texts: it calls its argument with the bytes of their file, or with `undefined` and a reason.
///
/// # Errors
/// When the caller is not a dedicated worker.
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
        next_slice: channel.port1(),
        is_slice_scheduled: false,
        alarm: None,
        lesson_file: LessonFile {
            ask,
            on_fetched: None,
            waiting: None,
        },
        n_taken: 0,
        n_settled: 0,
    }));

    let service_for_slices = Rc::clone(&service);
    let on_turn = Closure::<dyn FnMut()>::new(move || service_for_slices.borrow_mut().run_slice());
    channel.port2().set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
    on_turn.forget(); // lives as long as the worker

    let service_for_messages = Rc::clone(&service);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        service_for_messages.borrow_mut().receive(event.data());
    });
    page.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();

    let service_for_lessons = Rc::clone(&service);
    let on_lessons = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |file: JsValue, why: JsValue| {
        service_for_lessons
            .borrow_mut()
            .lessons_fetched(file.dyn_into().ok(), why.as_string());
    });
    service.borrow_mut().lesson_file.on_fetched = Some(on_lessons.as_ref().unchecked_ref::<Function>().clone());
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

    /// Outside a worker the engine does not start, and the error names the reason.
    /// Shows: Q-05
    #[wasm_bindgen_test]
    fn serving_outside_a_worker_is_refused() {
        let refused = serve(Array::new(), JsValue::NULL.unchecked_into()).expect_err("this is a page");
        assert!(
            refused
                .as_string()
                .is_some_and(|text| text.contains("dedicated worker"))
        );
    }
}
