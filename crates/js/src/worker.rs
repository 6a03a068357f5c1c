//! The engine in a worker, controlled by messages.
//!
//! A message is one `Request`; the engine sends `Update`s. An empty message is a ping and is sent back. Long work is
//! divided into slices; between two slices the worker returns to its message loop, so that a busy engine still receives
//! `Pause`.

use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Uint8Array};
use podscope_protocol::{Request, Update, pack, unpack};
use podscope_session::host::{Host, NextWork};
use podscope_session::lessons;
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort, Performance};

/// Maximum time that the engine works before it handles messages again, in milliseconds.
const SLICE_MILLIS: f64 = 12.0;

/// The host of this worker, with the requests and the work that wait.
struct WorkerService {
    host: Host,
    page: DedicatedWorkerGlobalScope,
    clock: Performance,
    /// The worker posts a message to itself to start the next slice after the messages that already wait. (`setTimeout`
    /// would idle for 4 ms each time.)
    next_slice: MessagePort,
    is_slice_scheduled: bool,
    /// Timer that starts the next slice, if the host asked to work at a later time.
    alarm: Option<Timeout>,
    /// Function of the worker's script that fetches the texts of the lessons or the rest of the engine's wasm
    /// ([`serve`]).
    fetch: Function,
    /// The function that `fetch` calls with its result; set when the service starts.
    on_fetched: Option<Function>,
    /// Whether the service waits for the texts of the lessons, which are fetched when a lesson is first opened.
    /// Requests are queued meanwhile, to keep their order.
    awaits_lessons: bool,
    /// Queued packed requests, the oldest first.
    waiting: Vec<Uint8Array>,
    /// Number of requests that were passed to the host.
    n_taken: u64,
    /// Number of requests that were reported to the page as settled.
    n_settled: u64,
}

impl WorkerService {
    /// Handles a message of the page: a packed request, or an empty message, which is sent back.
    fn receive(&mut self, message: JsValue) {
        // The page sends `null` when its wasm runs, so that the engine is loaded before the first request. It is
        // ignored here, because a request may have come first.
        let Ok(message) = message.dyn_into::<Uint8Array>() else {
            return;
        };
        if message.length() == 0 {
            if let Err(error) = self.page.post_message(&message) {
                wasm_bindgen::throw_val(error);
            }
            return;
        }
        self.handle_or_queue(message);
    }

    /// Handles a packed request, or queues it while the service waits.
    fn handle_or_queue(&mut self, message: Uint8Array) {
        if self.awaits_lessons {
            self.waiting.push(message);
            return;
        }
        let request = unpack_request(&message);
        if lessons::are_texts_missing_for(&request) {
            self.awaits_lessons = true;
            self.waiting.push(message);
            self.call_fetch("lessons");
        } else {
            self.handle_request(request);
        }
    }

    /// Passes a request to the host, and posts the resulting updates.
    fn handle_request(&mut self, request: Request) {
        self.n_taken += u64::from(request != Request::FrameDone);
        if request == Request::PrepareToOpen {
            self.call_fetch("prepare");
        }
        let now = self.clock.now();
        let updates = match request {
            Request::Course(request) => podscope_course::page::handle(&mut self.host, request, now),
            request => self.host.handle(request, now),
        };
        self.post(updates);
        self.schedule();
    }

    /// Calls the function `fetch` of the worker's script. `part` is `lessons` or `prepare` ([`serve`]).
    fn call_fetch(&self, part: &str) {
        let on_fetched = JsValue::from(self.on_fetched.clone());
        if let Err(error) = self.fetch.call2(&JsValue::NULL, &part.into(), &on_fetched) {
            wasm_bindgen::throw_val(error);
        }
    }

    /// Continues with the queued requests after the lesson texts were fetched. If they could not be fetched, `why` is
    /// the reason, and the first queued request is refused.
    fn lessons_fetched(&mut self, file: Option<&Uint8Array>, why: &str) {
        let provided = match file {
            Some(file) => lessons::provide(file.to_vec()),
            None => Err(lessons::missing_texts_problem(why)),
        };
        if let Err(problems) = provided {
            // The request that needs the lessons is refused. It counts as passed to the host.
            self.waiting.remove(0);
            self.n_taken += 1;
            self.post(vec![Update::Refused { problems }]);
            self.schedule();
        }
        self.awaits_lessons = false;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().for_each(|message| self.handle_or_queue(message));
    }

    /// Works for one slice, or until the host has nothing to do.
    fn run_slice(&mut self) {
        self.is_slice_scheduled = false;
        let mut now = self.clock.now();
        let end = now + SLICE_MILLIS;
        while now < end && is_work_due(self.host.next_work(), now) {
            let updates = self.host.work(now);
            self.post(updates);
            now = self.clock.now();
        }
        self.schedule();
    }

    /// Schedules the next work of the host, and reports to the page when all of its requests are settled.
    fn schedule(&mut self) {
        if self.n_settled < self.n_taken && self.host.has_completed_requests() {
            self.n_settled = self.n_taken;
            let requests = self.n_taken;
            self.post(vec![Update::Settled { requests }]);
        }
        let now = self.clock.now();
        self.alarm = None;
        match self.host.next_work() {
            next_work if is_work_due(next_work, now) => self.schedule_slice(),
            NextWork::At(time) => {
                let next_slice = self.next_slice.clone();
                let wait = (time - now).ceil() as u32;
                self.alarm = Some(Timeout::new(wait, move || {
                    let _ = next_slice.post_message(&JsValue::NULL);
                }));
            }
            NextWork::AfterRequest | NextWork::Now => {}
        }
    }

    /// Posts the message that starts the next slice, unless it is already posted.
    fn schedule_slice(&mut self) {
        if !self.is_slice_scheduled {
            self.is_slice_scheduled = self.next_slice.post_message(&JsValue::NULL).is_ok();
        }
    }

    /// Sends updates to the page.
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

/// Reads a packed request.
fn unpack_request(message: &Uint8Array) -> Request {
    match unpack(&message.to_vec()) {
        Ok(request) => request,
        // Page and engine are built together, so this is a bug. The thrown error is reported to the page.
        Err(error) => wasm_bindgen::throw_str(&format!("not a request: {error}")),
    }
}

/// Reports a panic, which is a bug: prints it to the console, and informs the page that this engine has ended.
fn report_panic(info: &PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    let crashed = Update::Crashed {
        message: info.to_string(),
    };
    if let Ok(page) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        let _ = post(&page, &crashed);
    }
}

/// Returns whether the host has work to do now.
fn is_work_due(next_work: NextWork, now: f64) -> bool {
    match next_work {
        NextWork::AfterRequest => false,
        NextWork::Now => true,
        NextWork::At(time) => time <= now,
    }
}

/// Sends an update; its bytes are transferred, not copied.
fn post(page: &DedicatedWorkerGlobalScope, update: &Update) -> Result<(), JsValue> {
    let message = Uint8Array::from(&*pack(update)?);
    page.post_message_with_transfer(&message, &Array::of1(&message.buffer()))
}

/// Turns this worker into an engine that handles the messages of its page, beginning with `early`.
///
/// The first argument of `fetch` says what to load. For `lessons`, `fetch` calls its second argument with the bytes of
/// the file of all lesson texts, or with `undefined` and a reason. For `prepare`, it loads the rest of the engine ahead
/// and calls nothing.
///
/// # Errors
/// The caller is not a dedicated worker.
#[wasm_bindgen]
pub fn serve(early: Array, fetch: Function) -> Result<(), JsValue> {
    let service = start(fetch)?;
    let mut first = service.borrow_mut();
    let hello = first.host.hello();
    first.post(vec![hello]);
    for message in early.iter() {
        first.receive(message);
    }
    Ok(())
}

/// Starts the service, which from now on receives the messages of this worker.
fn start(fetch: Function) -> Result<Rc<RefCell<WorkerService>>, JsValue> {
    std::panic::set_hook(Box::new(report_panic));
    let page: DedicatedWorkerGlobalScope = js_sys::global()
        .dyn_into()
        .map_err(|_| "`serve` belongs into a dedicated worker")?;
    let clock = page.performance().ok_or("this worker has no clock")?;
    let channel = MessageChannel::new()?;
    let service = Rc::new(RefCell::new(WorkerService {
        host: Host::new(),
        page: page.clone(),
        clock,
        next_slice: channel.port1(),
        is_slice_scheduled: false,
        alarm: None,
        fetch,
        on_fetched: None,
        awaits_lessons: false,
        waiting: Vec::new(),
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

    let service_for_parts = Rc::clone(&service);
    let on_fetched = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |file: JsValue, why: JsValue| {
        let why = why.as_string().unwrap_or_default();
        service_for_parts
            .borrow_mut()
            .lessons_fetched(file.dyn_ref::<Uint8Array>(), &why);
    });
    service.borrow_mut().on_fetched = Some(on_fetched.as_ref().unchecked_ref::<Function>().clone());
    on_fetched.forget();
    Ok(service)
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use js_sys::Array;
    use wasm_bindgen::{JsCast as _, JsValue};
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::serve;

    wasm_bindgen_test_configure!(run_in_browser);

    /// Outside a worker the engine does not start, and the error message contains the reason.
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
