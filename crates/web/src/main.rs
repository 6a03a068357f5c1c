//! The page.

mod engine;

use engine::{Engine, Heard};
use podscope_session::protocol::{Request, Source, Update};
use yew::prelude::*;

/// The page until the playground takes its place: says which engine answers.
#[component]
fn Page() -> Html {
    let line = use_state(|| "Starting the cluster…".to_string());
    let engine = use_mut_ref(|| None::<Engine>);
    {
        let line = line.clone();
        use_effect_with((), move |()| {
            let heard = Callback::from(move |heard| match heard {
                Heard::Update(update) => match *update {
                    Update::Hello { version, .. } => line.set(format!("Engine {version} is ready.")),
                    Update::Refused { problems } => {
                        line.set(problems.into_iter().map(|p| p.message).collect::<Vec<_>>().join("; "));
                    }
                    _ => {}
                },
                Heard::Trapped(message) => line.set(format!("The engine stopped: {message}")),
            });
            let open = Request::Open {
                source: Source::Welcome,
            };
            *engine.borrow_mut() = Engine::start(heard)
                .and_then(|engine| engine.send(&open).map(|()| engine))
                .ok();
        });
    }
    html! { <main><h1>{ "Podscope" }</h1><p role="status">{ (*line).clone() }</p></main> }
}

fn main() {
    console_error_panic_hook::set_once();
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        yew::Renderer::<Page>::with_root(root).render();
    }
}
