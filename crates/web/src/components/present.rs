//! The layer over the page while presenting: buttons with their keys, a spotlight, the QR code of the instant.

use podscope_protocol::Request;
use yew::prelude::*;

use crate::browser;
use crate::browser::listen::listen;
use crate::ctl::Ctl;
use crate::pure::qr;
use crate::state::{Act, Page, Present, Screen, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The keys while presenting.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("→  Page Down", "Next step of the story"),
    ("←  Page Up", "Step before"),
    ("x", "Spotlight"),
    ("q", "QR code of this instant"),
    ("Esc", "End"),
];

/// The layer.
#[component]
pub(crate) fn Presenting(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let present = page.present;
    let with = |next: Present| ctl.act.reform(move |_: MouseEvent| Act::Present(next));
    let spot = Present {
        spotlight: !present.spotlight,
        ..present
    };
    let code = Present {
        code: !present.code,
        ..present
    };
    html! {
        <>
            if present.spotlight { <Spotlight /> }
            if present.code { <Code page={page.clone()} /> }
            <section class="presenting" aria-label="Presenting">
                <button type="button" class="quiet" onclick={with(spot)} aria-pressed={present.spotlight.to_string()}>{ "Spotlight " }<kbd>{ "x" }</kbd></button>
                <button type="button" class="quiet" onclick={with(code)} aria-pressed={present.code.to_string()}>{ "QR code " }<kbd>{ "q" }</kbd></button>
                <button type="button" class="quiet" onclick={with(Present::default())}>{ "End " }<kbd>{ "Esc" }</kbd></button>
            </section>
        </>
    }
}

/// Dims everything except the area around the pointer.
#[component]
fn Spotlight() -> Html {
    let at = use_state(|| None::<(i32, i32)>);
    {
        let at = at.setter();
        use_effect_with((), move |()| {
            let follow = listen("pointermove", move |event| {
                use wasm_bindgen::JsCast;
                if let Some(event) = event.dyn_ref::<web_sys::MouseEvent>() {
                    at.set(Some((event.client_x(), event.client_y())));
                }
            });
            move || drop(follow)
        });
    }
    let style = at.map_or_else(String::new, |(x, y)| format!("--x:{x}px;--y:{y}px"));
    html! { <div class="spotlight" aria-hidden="true" ~style={style}></div> }
}

/// The QR code of a link to this instant, for a phone's camera.
#[component]
pub(crate) fn Code(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    {
        let (send, screen) = (ctl.send.clone(), Screen::write(page));
        use_effect_with((page.opened.clone(), page.anonymises), move |(_, renames)| {
            send.emit(Request::Share {
                screen,
                anonymise: *renames,
                revision: 0,
            })
        });
    }
    let Some(link) = (if page.anonymises {
        &page.anonymised_link
    } else {
        &page.link
    }) else {
        return html! { <p role="status">{ "Making a link…" }</p> };
    };
    let address = browser::address(&link.fragment);
    match qr::code(&address) {
        Some((size, path)) => html! {
            <figure class="code">
                <svg viewBox={format!("0 0 {size} {size}")} ~style={format!("--n:{size}")} role="img" aria-label="QR code: a link to this instant" shape-rendering="crispEdges">
                    <rect width={size.to_string()} height={size.to_string()} class="paper" /><path d={path} class="print" />
                </svg>
            </figure>
        },
        None => html! {
            <p class="code notice">{ format!("This link has {} characters; a QR code holds 2 953. Share it as a file.", address.len()) }</p>
        },
    }
}
