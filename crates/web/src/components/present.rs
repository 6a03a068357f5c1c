//! The layer over the page while presenting: buttons with their keys, a spotlight, the QR code of the instant.

use gloo_timers::callback::Interval;
use podscope_messages::{Message, present as messages, t};
use podscope_protocol::Request;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::share::short_address_of_unchanged_session;
use super::story::inline_markdown;
use crate::browser::listen::listen;
use crate::browser::{self, Warn as _, files};
use crate::ctl::Ctl;
use crate::pure::qr;
use crate::state::{Act, Page, Present, Screen, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    /// Whether there are buttons below the QR code, which save the code or show it large.
    #[prop_or_default]
    pub(crate) has_buttons: bool,
}

/// The keys with which a presenter shows and hides parts.
pub(crate) const KEYS: &[(&str, Message)] = &[
    ("→  Page Down", messages::key_next_step),
    ("←  Page Up", messages::key_step_before),
    ("x", messages::key_spotlight),
    ("q", messages::key_code),
    ("`", messages::key_console),
    ("v", messages::key_timeline),
    ("z", messages::key_timer),
    ("r", messages::key_ask),
    ("Esc", messages::key_end),
];

#[component]
pub(crate) fn Presenting(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let present = page.shell.present;
    let toggle = |words: Message, key: &'static str, is_on: bool, next: Present| {
        let onclick = ctl.act.reform(move |_: MouseEvent| Act::Present(next));
        let class = classes!("quiet", matches!(key, "`" | "v" | "z").then_some("wide-only"));
        html! { <button type="button" {class} {onclick} aria-pressed={is_on.to_string()}>{ words.text() }{ " " }<kbd>{ key }</kbd></button> }
    };
    let switch = |(words, key): (Message, &'static str)| {
        let mut next = present;
        let part = next.overlay_of_key(key)?;
        let is_on = std::mem::replace(part, !*part);
        Some(toggle(words, key, is_on, next))
    };
    let parts = [
        (messages::spotlight, "x"),
        (messages::qr_code, "q"),
        (messages::console, "`"),
        (messages::timeline, "v"),
        (messages::timer, "z"),
    ];
    let asks = page.session.model.story.question.is_some() && !present.question;
    html! {
        <>
            if present.spotlight { <Spotlight /> }
            if present.qr_code { <QrCode page={page.clone()} /> }
            if present.question { { large_question(page, &ctl) } }
            <section class="presenting" aria-label={t!(present::presenting)}>
                if present.timer { <Timer /> }
                if asks { { toggle(messages::ask_class, "r", false, Present { question: true, ..present }) } }
                { for parts.into_iter().filter_map(switch) }
                <button type="button" class="quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::Present(Present::default()))}>{ t!(present::end) }{ " " }<kbd>{ "Esc" }</kbd></button>
            </section>
        </>
    }
}

/// The open question in large type, with a letter for each option. It cannot be answered here: the class answers aloud.
fn large_question(page: &Page, ctl: &Ctl) -> Html {
    let open = page.session.model.story.question.and_then(|step| {
        let question = page.session.opened.as_ref()?.story.get(step)?.question.clone()?;
        Some((step, question))
    });
    let Some((step, question)) = open else {
        return Html::default();
    };
    let reveal = {
        let (ctl, present) = (ctl.clone(), page.shell.present);
        Callback::from(move |_: MouseEvent| ctl.give_up_question(step, present))
    };
    let options = question.options.iter();
    html! {
        <section class="for-class" aria-label={t!(present::question)} aria-live="polite">
            <p>{ inline_markdown(&question.ask) }</p>
            <ol type="A">{ for options.map(|option| html! { <li>{ option }</li> }) }</ol>
            <button type="button" class="primary" onclick={reveal}>{ t!(present::what_happens) }{ " " }<kbd>{ "r" }</kbd></button>
        </section>
    }
}

/// Initial time on the class's timer, in minutes.
const INITIAL_TIMER_MINUTES: i32 = 5;

/// A timer for the class, which starts when it appears. Two buttons subtract or add a minute.
#[component]
fn Timer() -> Html {
    let given = use_state(|| 60 * INITIAL_TIMER_MINUTES);
    let passed = use_state(|| 0);
    {
        let counted = use_mut_ref(|| 0);
        let passed = passed.setter();
        use_effect_with((), move |()| {
            let tick = Interval::new(1_000, move || {
                *counted.borrow_mut() += 1;
                passed.set(*counted.borrow());
            });
            move || drop(tick)
        });
    }
    // A minute that is added after the countdown has ended starts a new countdown of one minute.
    let left = (*given - *passed).max(0);
    let change = |seconds: i32, sign: &'static str, label: String| {
        let (given, total) = (given.setter(), *passed + (left + seconds).max(0));
        let onclick = Callback::from(move |_: MouseEvent| given.set(total));
        html! { <button type="button" class="quiet" {onclick} aria-label={label.clone()} title={label}>{ sign }</button> }
    };
    html! {
        <>
            { change(-60, "−", t!(present::minute_less)) }
            <span class={classes!("timer", "mono", (left == 0).then_some("over"))} role="timer" aria-label={t!(present::time_left)}>{ format!("{}:{:02}", left / 60, left % 60) }</span>
            { change(60, "+", t!(present::minute_more)) }
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
pub(crate) fn QrCode(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    {
        let (send, screen) = (ctl.send.clone(), Screen::write(page));
        use_effect_with(
            (page.session.opened.clone(), page.session.anonymises),
            move |(_, renames)| {
                send.emit(Request::Share {
                    screen,
                    anonymise: *renames,
                    revision: 0,
                })
            },
        );
    }
    let link = if page.session.anonymises {
        &page.session.anonymised_link
    } else {
        &page.session.link
    };
    // Scroll to the QR code: in a low dialog it would be below the visible part.
    use_effect_with(link.is_some() && props.has_buttons, |is_drawn| {
        if *is_drawn {
            browser::scroll_all_into_view(".share .code, .share .code + .buttons");
        }
    });
    let Some(link) = link else {
        return html! { <p role="status">{ t!(share::making_link) }</p> };
    };
    let short = short_address_of_unchanged_session(page).filter(|_| !page.session.anonymises);
    let address = short.unwrap_or_else(|| browser::address(&link.fragment));
    match qr::encode_qr_code(&address) {
        Some((size, path)) => html! {
            <>
            <figure class="code">
                <svg viewBox={format!("0 0 {size} {size}")} ~style={format!("--n:{size}")} role="img" aria-label={t!(present::code)} shape-rendering="crispEdges">
                    <rect width={size.to_string()} height={size.to_string()} class="paper" /><path d={path.clone()} class="print" />
                </svg>
            </figure>
            if props.has_buttons { { qr_code_buttons(&ctl, size, &path) } }
            </>
        },
        None => html! {
            <p class="code notice">{ t!(present::link_too_long, count = address.len()) }</p>
        },
    }
}

/// Buttons that save a QR code as a picture, and show it large.
fn qr_code_buttons(ctl: &Ctl, size: i32, path: &str) -> Html {
    let drawing = qr::qr_code_svg(size, path);
    let act = ctl.act.clone();
    let save = Callback::from(move |_: MouseEvent| {
        let (act, drawing) = (act.clone(), drawing.clone());
        spawn_local(async move {
            if files::save_file("podscope-qr.png", "image/png", &drawing)
                .await
                .warn()
                .is_none()
            {
                act.emit(Act::Toast(t!(present::cannot_save)));
            }
        });
    });
    html! {
        <div class="buttons">
            <button type="button" class="quiet" onclick={save}>{ t!(present::save_code) }</button>
            <button type="button" class="quiet" onclick={ctl.start_presenting(Present { qr_code: true, ..Present::default() })}>{ t!(present::show_large) }</button>
        </div>
    }
}
