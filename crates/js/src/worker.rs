//! The engine in a worker, controlled by messages.
//!
//! A message is one `Request`; the engine sends `Update`s. An empty message is a ping and is sent back. Long work is
//! divided into slices; between two slices the worker returns to its message loop, so that a busy engine still receives
//! `Pause`.

use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Uint8Array};
use podscope_protocol::{Request, Update, pack, unpack};
#[cfg(feature = "whole")]
use podscope_session::host::Handover;
use podscope_session::host::{self, Host, Wants};
use podscope_session::lessons;
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort, Performance};

/// Maximum time that the engine works before it handles messages again, in milliseconds.
const SLICE_MILLIS: f64 = 12.0;

/// The host of this worker, with the requests and the work that wait.
struct Service {
    host: Host,
    page: DedicatedWorkerGlobalScope,
    clock: Performance,
    /// The worker posts a message to itself to start the next slice after the messages that already wait. (`setTimeout`
    /// would idle for 4 ms each time.)
    next_slice: MessagePort,
    is_slice_scheduled: bool,
    /// Timer that starts the next slice, if the host asked to work at a later time.
    alarm: Option<Timeout>,
    /// Function of the worker's script that fetches a part and calls its second argument with the part, or with
    /// `undefined` and a reason. For the part `prepare` it preloads the whole engine and does not call its second
    /// argument.
    fetch: Function,
    /// The function that `fetch` calls with its result; set when the service starts.
    on_fetched: Option<Function>,
    /// The operation for which the service waits. Requests are queued meanwhile, to keep their order.
    awaited: Option<Awaited>,
    /// Queued packed requests, the oldest first.
    waiting: Vec<Uint8Array>,
    /// Whether, at the last check, the session needed a capability that this engine lacks.
    lacks_capability_now: bool,
    /// Number of requests that were passed to the host.
    n_taken: u64,
    /// Number of requests that were reported to the page as settled.
    n_settled: u64,
}

/// An operation for which the service waits before it handles further requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// The texts of the lessons, which are fetched when a lesson is first opened.
    Lessons,
    /// Loading the whole engine (the build with every capability), which takes over from this one. Simulated time does
    /// not run meanwhile.
    WholeEngine,
    /// The replay of the session that this engine has taken over.
    Replay,
}

impl Awaited {
    /// Returns the name of the awaited part, as `fetch` of the worker's script expects it.
    const fn part(self) -> &'static str {
        match self {
            Self::Lessons => "lessons",
            Self::WholeEngine | Self::Replay => "engine",
        }
    }
}

impl Service {
    /// Handles a message of the page: a packed request, or an empty message, which is sent back.
    fn receive(&mut self, message: JsValue) {
        // `www/boot.js` sends `null` so that the engine is loaded before the first request. It is ignored here, because
        // a request may have come first.
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
        if self.awaited.is_some() {
            self.waiting.push(message);
        } else if host::is_for_whole_engine(message.length() as usize) {
            // Passed on without unpacking, because a large file would otherwise be copied four times.
            self.fetch(Awaited::WholeEngine, Some(message));
        } else {
            let request = read(&message);
            if lessons::are_missing_for(&request) {
                self.fetch(Awaited::Lessons, Some(message));
            } else if self.host.needs_whole_engine(&request) {
                self.fetch(Awaited::WholeEngine, Some(message));
            } else {
                self.handle_request(request);
            }
        }
    }

    /// Passes a request to the host, and posts the resulting updates.
    fn handle_request(&mut self, request: Request) {
        self.n_taken += u64::from(request != Request::FrameDone);
        if request == Request::PrepareToOpen && !cfg!(feature = "whole") {
            self.call_fetch("prepare");
        }
        let updates = handle(&mut self.host, request, self.clock.now());
        self.post(updates);
        self.fetch_whole_engine_if_needed();
        self.schedule();
    }

    /// Fetches the whole engine as soon as the session needs it.
    fn fetch_whole_engine_if_needed(&mut self) {
        let lacked_capability_before = std::mem::replace(&mut self.lacks_capability_now, self.host.lacks_capability());
        if self.lacks_capability_now && !lacked_capability_before && self.awaited.is_none() {
            self.fetch(Awaited::WholeEngine, None);
        }
    }

    /// Fetches a part (the lesson texts or the whole engine). The packed request that needs it, and all later ones, are
    /// queued.
    fn fetch(&mut self, part: Awaited, message: Option<Uint8Array>) {
        self.awaited = Some(part);
        self.waiting.extend(message);
        if part == Awaited::WholeEngine {
            self.alarm = None;
            self.post(vec![Host::loading_whole_engine()]);
        }
        self.call_fetch(part.part());
    }

    /// Calls the `fetch` function of the worker's script for a part.
    fn call_fetch(&self, part: &str) {
        let on_fetched = JsValue::from(self.on_fetched.clone());
        if let Err(error) = self.fetch.call2(&JsValue::NULL, &part.into(), &on_fetched) {
            wasm_bindgen::throw_val(error);
        }
    }

    /// Handles the result of a fetch, which may have failed.
    fn fetched(&mut self, part: &JsValue, why: Option<String>) {
        let why = why.unwrap_or_default();
        match self.awaited {
            Some(Awaited::Lessons) => self.lessons_fetched(part.dyn_ref::<Uint8Array>(), &why),
            Some(Awaited::WholeEngine) => self.whole_engine_fetched(part.dyn_ref::<Function>(), &why),
            Some(Awaited::Replay) | None => {}
        }
    }

    /// Continues with the queued requests after the lesson texts were fetched. Refuses the first one if that failed.
    fn lessons_fetched(&mut self, file: Option<&Uint8Array>, why: &str) {
        let provided = match file {
            Some(file) => lessons::provide(file.to_vec()),
            None => Err(lessons::missing(why)),
        };
        if let Err(problems) = provided {
            self.refuse_first_queued_request(|_, _| vec![Update::Refused { problems }]);
        }
        self.handle_queued_requests();
    }

    /// Hands the session over to the whole engine. If it could not be fetched, refuses the first queued request and
    /// continues.
    fn whole_engine_fetched(&mut self, take_over: Option<&Function>, why: &str) {
        let Some(take_over) = take_over else {
            self.refuse_first_queued_request(|host, request| host.refuse_without_whole_engine(request, why));
            return self.handle_queued_requests();
        };
        let state = self.host.hand_over();
        // The host of the whole engine counts the requests that it receives from this host again.
        let n_taken = self.n_taken - state.n_requests();
        let arguments = Array::of5(
            &Uint8Array::from(&*state.to_bytes()),
            &std::mem::take(&mut self.waiting).into_iter().collect::<Array>(),
            &self.fetch,
            &(n_taken as f64).into(),
            &(self.n_settled as f64).into(),
        );
        // From now on, the whole engine receives the messages of the page.
        if let Err(error) = take_over.apply(&JsValue::NULL, &arguments) {
            wasm_bindgen::throw_val(error);
        }
    }

    /// Refuses the first queued request, because the part that it needs could not be fetched. The request counts as
    /// passed to the host.
    fn refuse_first_queued_request(&mut self, refuse: impl FnOnce(&mut Host, Option<Request>) -> Vec<Update>) {
        let request = (!self.waiting.is_empty()).then(|| read(&self.waiting.remove(0)));
        self.n_taken += u64::from(request.is_some());
        let updates = refuse(&mut self.host, request);
        self.post(updates);
        self.awaited = None;
        self.schedule();
    }

    /// Ends the wait, and handles the queued requests in order.
    fn handle_queued_requests(&mut self) {
        self.awaited = None;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().for_each(|message| self.handle_or_queue(message));
    }

    /// Works for one slice, or until the host has nothing to do.
    fn run_slice(&mut self) {
        self.is_slice_scheduled = false;
        let mut now = self.clock.now();
        let end = now + SLICE_MILLIS;
        while now < end && self.awaited != Some(Awaited::WholeEngine) && is_due(self.host.wants(), now) {
            let updates = self.host.work(now);
            self.post(updates);
            self.fetch_whole_engine_if_needed();
            now = self.clock.now();
        }
        if self.awaited == Some(Awaited::Replay) && !self.host.is_resuming() {
            self.handle_queued_requests();
        }
        self.schedule();
    }

    /// Schedules the next work of the host, and reports to the page when all of its requests are settled.
    fn schedule(&mut self) {
        if self.awaited == Some(Awaited::WholeEngine) {
            return;
        }
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
fn read(message: &Uint8Array) -> Request {
    match unpack(&message.to_vec()) {
        Ok(request) => request,
        // Page and engine are built together, so this is a bug. The thrown error is reported to the page.
        Err(error) => wasm_bindgen::throw_str(&format!("not a request: {error}")),
    }
}

/// Handles a request. Requests about practice or courses are handled by `podscope-course`, which only the whole engine
/// contains.
fn handle(host: &mut Host, request: Request, now: f64) -> Vec<Update> {
    #[cfg(feature = "whole")]
    if let Request::Course(request) = request {
        return podscope_course::page::handle(host, request, now);
    }
    host.handle(request, now)
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

/// Returns whether the host wants to work now.
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

/// Turns this worker into an engine that handles the messages of its page, beginning with `early`. `fetch` fetches a
/// part by its name, `lessons` or `engine`: it calls its second argument with the part, or with `undefined` and a
/// reason. The part `lessons` is the bytes of their file; the part `engine` is the function [`take_over`] of the whole
/// engine. For `prepare`, `fetch` preloads the whole engine and calls nothing.
///
/// # Errors
/// The caller is not a dedicated worker.
#[wasm_bindgen]
pub fn serve(early: Array, fetch: Function) -> Result<(), JsValue> {
    let service = start(Host::new(), fetch)?;
    let mut first = service.borrow_mut();
    let hello = first.host.hello();
    first.post(vec![hello]);
    for message in early.iter() {
        first.receive(message);
    }
    Ok(())
}

/// Continues the session of another engine in this worker, and replaces that engine. `state` is its serialized state,
/// `waiting` its queued packed requests (`Uint8Array`). `n_taken` and `n_settled` are the numbers of requests that it
/// has taken and reported as settled.
///
/// # Errors
/// The caller is not a dedicated worker, or the state is not that of an engine of the same version.
#[cfg(feature = "whole")]
#[wasm_bindgen]
pub fn take_over(state: &[u8], waiting: Array, fetch: Function, n_taken: f64, n_settled: f64) -> Result<(), JsValue> {
    let state = Handover::from_bytes(state).map_err(|error| format!("not the state of an engine: {error}"))?;
    let (host, requests) = Host::take_over(state).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        problems.join("\n")
    })?;
    let service = start(host, fetch)?;
    let mut first = service.borrow_mut();
    (first.n_taken, first.n_settled) = (n_taken as u64, n_settled as u64);
    first.awaited = Some(Awaited::Replay);
    for request in requests {
        first.waiting.push(Uint8Array::from(&*pack(&request)?));
    }
    let waiting = waiting.iter().filter_map(|message| message.dyn_into().ok());
    first.waiting.extend(waiting);
    first.schedule_slice();
    Ok(())
}

/// Starts the service of a host, which from now on receives the messages of this worker.
fn start(host: Host, fetch: Function) -> Result<Rc<RefCell<Service>>, JsValue> {
    std::panic::set_hook(Box::new(report_panic));
    let page: DedicatedWorkerGlobalScope = js_sys::global()
        .dyn_into()
        .map_err(|_| "`serve` belongs into a dedicated worker")?;
    let clock = page.performance().ok_or("this worker has no clock")?;
    let channel = MessageChannel::new()?;
    let service = Rc::new(RefCell::new(Service {
        host,
        page: page.clone(),
        clock,
        next_slice: channel.port1(),
        is_slice_scheduled: false,
        alarm: None,
        fetch,
        on_fetched: None,
        awaited: None,
        waiting: Vec::new(),
        lacks_capability_now: false,
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
    let on_fetched = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |part: JsValue, why: JsValue| {
        service_for_parts.borrow_mut().fetched(&part, why.as_string());
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
