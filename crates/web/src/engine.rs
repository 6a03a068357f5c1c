//! The page's side of the engine's worker: it sends requests, and receives updates and traps.

use js_sys::{Array, Uint8Array};
use podscope_messages::t;
use podscope_protocol::{Request, Update, pack, unpack};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};
use yew::Callback;

use crate::browser::Warn as _;

#[wasm_bindgen]
extern "C" {
    /// Creates a new worker that inherits the page's Content-Security-Policy (`www/boot.js`).
    #[wasm_bindgen(js_name = podscopeEngine, catch)]
    fn new_engine() -> Result<Worker, JsValue>;
}

/// The global variable in which `www/boot.js` leaves the worker.
const STARTED_WORKER_VARIABLE: &str = "podscopeWorker";

/// A message from the engine's worker.
#[derive(Clone, Debug)]
pub(crate) enum WorkerMessage {
    /// The worker responds: the answer to [`Engine::ping`].
    Alive,
    /// The worker loads the rest of its wasm and answers requests afterwards.
    Loading,
    /// An update of the protocol, decoded.
    Update(Box<Update>),
    /// The engine trapped: it has a bug, or the rest of its wasm could not be loaded. The page offers to go on with the
    /// saved session.
    Trapped(String),
}

/// A running engine. Dropping it ends its worker.
pub(crate) struct Engine {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Engine {
    /// Starts an engine. The first call takes over the worker that `www/boot.js` has started; later calls create a
    /// new one.
    pub(crate) fn start(on_message: Callback<WorkerMessage>) -> Result<Engine, JsValue> {
        let worker = match take_started_worker()? {
            Some(worker) => worker,
            None => new_engine()?,
        };
        let updates = on_message.clone();
        let on_worker_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            updates.emit(decode_message(event.data()));
        });
        worker.set_onmessage(Some(on_worker_message.as_ref().unchecked_ref()));
        let traps = on_message.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            traps.emit(WorkerMessage::Trapped(event.message()));
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // Handle messages and failures that arrived before the listeners were attached.
        if let Ok(early) = js_sys::Reflect::get(&worker, &"early".into())?.dyn_into::<Array>() {
            early
                .iter()
                .for_each(|message| on_message.emit(decode_message(message)));
        }
        if let Some(message) = js_sys::Reflect::get(&worker, &"failed".into())?.as_string() {
            on_message.emit(WorkerMessage::Trapped(message));
        }
        Ok(Engine {
            worker,
            _on_message: on_worker_message,
            _on_error: on_error,
        })
    }

    /// Sends a request. The updates that answer it reach the callback in order.
    pub(crate) fn send(&self, request: &Request) -> Result<(), JsValue> {
        let message = Uint8Array::from(&*pack(request)?);
        self.worker
            .post_message_with_transfer(&message, &Array::of1(&message.buffer()))
    }
}

impl Engine {
    /// Checks whether the worker responds: sends an empty message, which the worker answers with an empty message as
    /// soon as it is free.
    pub(crate) fn ping(&self) -> Result<(), JsValue> {
        self.worker.post_message(&Uint8Array::new_with_length(0))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn decode_message(message: JsValue) -> WorkerMessage {
    if message.is_string() {
        return WorkerMessage::Loading;
    }
    let message = message.unchecked_into::<Uint8Array>();
    if message.length() == 0 {
        return WorkerMessage::Alive;
    }
    match unpack(&message.to_vec()) {
        Ok(update) => WorkerMessage::Update(Box::new(update)),
        Err(error) => WorkerMessage::Trapped(t!(engine::unreadable, error = error)),
    }
}

/// Lets the worker that `www/boot.js` started load its wasm. The worker waits for this call, so that the page's wasm,
/// which is smaller and draws the cluster of a first visit, is loaded first and does not share the connection.
pub(crate) fn let_started_worker_load() {
    if let Some(worker) = started_worker().warn().flatten() {
        worker.post_message(&JsValue::NULL).warn();
    }
}

/// Takes over the worker that `www/boot.js` started; `None` from the second call on.
fn take_started_worker() -> Result<Option<Worker>, JsValue> {
    let worker = started_worker()?;
    js_sys::Reflect::delete_property(&js_sys::global(), &STARTED_WORKER_VARIABLE.into())?;
    Ok(worker)
}

/// Returns the worker that `www/boot.js` started, unless [`Engine::start`] has taken it over.
fn started_worker() -> Result<Option<Worker>, JsValue> {
    let worker = js_sys::Reflect::get(&js_sys::global(), &STARTED_WORKER_VARIABLE.into())?;
    // Not `dyn_into`: on a page of `podscope serve` this object is not a `Worker`, but has a worker's methods.
    Ok((!worker.is_undefined()).then(|| worker.unchecked_into()))
}
