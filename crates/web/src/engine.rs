//! The page's end of the engine's worker: requests go out, updates and traps come in.

use js_sys::{Array, Uint8Array};
use podscope_protocol::{Request, Update, pack, unpack};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};
use yew::Callback;

#[wasm_bindgen]
extern "C" {
    /// A fresh worker, under the page's policy (`www/boot.js`).
    #[wasm_bindgen(js_name = podscopeEngine, catch)]
    fn new_engine() -> Result<Worker, JsValue>;
}

/// What the page hears from its engine.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// It is there: the answer to [`Engine::ask`].
    Alive,
    /// An answer, or news.
    Update(Box<Update>),
    /// The engine is gone, by a bug of ours: start another one with the saved session.
    Trapped(String),
}

/// A running engine. Dropping it ends its worker.
pub(crate) struct Engine {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Engine {
    /// Starts an engine: the first time the one that `www/boot.js` has begun to load, later a
    /// fresh one.
    pub(crate) fn start(heard: Callback<Heard>) -> Result<Engine, JsValue> {
        let worker = match early_worker()? {
            Some(worker) => worker,
            None => new_engine()?,
        };
        let updates = heard.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            updates.emit(heard_in(event.data()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let traps = heard.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            traps.emit(Heard::Trapped(event.message()));
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // What it said, or that it failed, before we listened.
        if let Ok(early) = js_sys::Reflect::get(&worker, &"early".into())?.dyn_into::<Array>() {
            early.iter().for_each(|message| heard.emit(heard_in(message)));
        }
        if let Some(message) = js_sys::Reflect::get(&worker, &"failed".into())?.as_string() {
            heard.emit(Heard::Trapped(message));
        }
        Ok(Engine {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a request; answers come to the callback in order.
    pub(crate) fn send(&self, request: &Request) -> Result<(), JsValue> {
        let message = Uint8Array::from(&*pack(request)?);
        self.worker
            .post_message_with_transfer(&message, &Array::of1(&message.buffer()))
    }
}

impl Engine {
    /// Asks whether it is there: an empty message, answered by one when it comes to it.
    pub(crate) fn ask(&self) -> Result<(), JsValue> {
        self.worker.post_message(&Uint8Array::new_with_length(0))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn heard_in(message: JsValue) -> Heard {
    let message = message.unchecked_into::<Uint8Array>();
    if message.length() == 0 {
        return Heard::Alive;
    }
    match unpack(&message.to_vec()) {
        Ok(update) => Heard::Update(Box::new(update)),
        Err(error) => Heard::Trapped(format!("the engine's answer is not readable: {error}")),
    }
}

/// The worker that `www/boot.js` started, once.
fn early_worker() -> Result<Option<Worker>, JsValue> {
    let (global, name) = (js_sys::global(), JsValue::from("podscopeWorker"));
    let worker = js_sys::Reflect::get(&global, &name)?.dyn_into().ok();
    js_sys::Reflect::delete_property(&global, &name)?;
    Ok(worker)
}
