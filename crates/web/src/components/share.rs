//! The dialog "Share": a link, a frame for another page, a picture, or a film of a part of the run; and a button that
//! starts presentation mode.

use podscope_messages::{Message, share, t};
use podscope_protocol::{ExportKind, LINK_WARNING_LENGTH, LinkLength, Micros, Request, Task};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::present::QrCode;
use crate::browser::{self, Warn as _, files};
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::route::Panels;
use crate::state::{Act, Page, Present, Screen, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// What the user shares: a link, a frame, a picture or a film.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Link,
    Frame,
    Picture,
    Film,
}

const OUTPUTS: [(Output, Message); 4] = [
    (Output::Link, share::link),
    (Output::Frame, share::frame),
    (Output::Picture, share::picture),
    (Output::Film, share::film),
];

#[component]
pub(crate) fn Share(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let anonymise = page.session.anonymises;
    let what = use_state(|| Output::Link);
    {
        let (ctl, screen) = (ctl.clone(), Screen::write(page));
        // The link is requested again if another session opens.
        use_effect_with((anonymise, page.session.opened.clone()), move |(anonymise, _)| {
            ctl.send.emit(Request::Share {
                screen,
                anonymise: *anonymise,
                revision: 0,
            })
        });
    }
    // The stored session keeps its own link, with the original names.
    let link = if anonymise {
        &page.session.anonymised_link
    } else {
        &page.session.link
    };
    let present = ctl.start_presenting(Present::default());
    html! {
        <Modal title={t!(share::title)} class="share">
            <div class="row whats" role="group" aria-label={t!(share::what)}>
                { for OUTPUTS.iter().map(|(which, name)| {
                    let (what, which) = (what.clone(), *which);
                    let is = *what == which;
                    html! { <button type="button" class={classes!("chip", is.then_some("on"))} aria-pressed={is.to_string()} onclick={move |_: MouseEvent| what.set(which)}>{ name.text() }</button> }
                }) }
                <span class="gap"></span>
                <button type="button" class="quiet" onclick={present} title={t!(share::present_hint)}>{ t!(share::present) }</button>
            </div>
            <AnonymiseCheckbox page={page.clone()} />
            { match (*what, link) {
                (Output::Link | Output::Frame, None) => html! { <p role="status">{ t!(share::making_link) }</p> },
                (Output::Link, Some(link)) => html! { <LinkPart page={page.clone()} fragment={link.fragment.clone()} length={link.length} {anonymise} /> },
                (Output::Frame, Some(link)) => {
                    let has_story = page.session.opened.as_ref().is_some_and(|opened| !opened.story.is_empty());
                    html! { <FramePart fragment={link.fragment.clone()} {has_story} {anonymise} /> }
                }
                (Output::Picture, _) => picture_part(&ctl, anonymise),
                (Output::Film, _) => html! { <FilmPart page={page.clone()} /> },
            } }
        </Modal>
    }
}

/// The checkbox that replaces names of objects in all output, and the button that saves the table of replaced names.
#[component]
pub(crate) fn AnonymiseCheckbox(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let anonymises = props.page.session.anonymises;
    let toggle = ctl.act.reform(move |_: Event| Act::Anonymise(!anonymises));
    let table = ctl.on(Request::Export {
        what: ExportKind::Names,
        anonymise: true,
    });
    html! {
        <div class="row">
            <label class="check"><input type="checkbox" checked={anonymises} onchange={toggle} />{ t!(share::rename) }</label>
            if anonymises { <button type="button" class="quiet" onclick={table} title={t!(share::save_names_hint)}>{ t!(share::save_names) }</button> }
        </div>
    }
}

/// A read-only text field, with buttons that copy and save its text. `name` is the field's label; `copied` is shown
/// after copying.
fn copy_field(ctl: &Ctl, [name, copied]: [Message; 2], text: &str, rows: &'static str, anonymise: bool) -> Html {
    let copy = {
        let (text, act) = (text.to_owned(), ctl.act.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                let message = if browser::copy_to_clipboard(text).await {
                    copied.text()
                } else {
                    t!(share::cannot_copy)
                };
                act.emit(Act::Toast(message));
            });
        })
    };
    html! {
        <>
            <textarea class="mono" readonly=true {rows} aria-label={name.text()} value={text.to_owned()} />
            <p class={classes!("length", (text.len() > LINK_WARNING_LENGTH).then_some("long"))}>{ t!(share::characters, count = clock::count_in_digit_groups(text.len() as u64), number = text.len()) }</p>
            <div class="buttons">
                <button type="button" onclick={ctl.on(Request::Export { what: ExportKind::Scenario, anonymise })}>{ t!(share::save_file) }</button>
                <button type="button" class="primary" onclick={copy} autofocus=true>{ t!(share::copy) }</button>
            </div>
        </>
    }
}

/// Returns the short address of an unchanged session: a built-in lesson or a scenario of this site in which no command
/// was given and no instant was chosen.
pub(super) fn short_address_of_unchanged_session(page: &Page) -> Option<String> {
    let opened = page.session.opened.as_ref()?;
    let story = &page.session.model.story;
    let site = page
        .shell
        .site_scenario
        .as_ref()
        .filter(|scenario| scenario.is_source_of(opened));
    // A lesson that is opened to repeat a question has another seed, which a short address would not keep.
    let seed = opened.text.lines().find_map(|line| line.trim().strip_prefix("seed:"));
    let is_default_seed = site.is_some() || seed.and_then(|seed| seed.trim().parse().ok()) == Some(opened.seed);
    let is_touched = page.session.model.branches.iter().any(|branch| branch.is_touched);
    let is_answered = story.steps.iter().any(|step| step.answer.is_some());
    let is_compared = page.session.other.is_some();
    let is_at_start = page.session.model.now == 0 && page.session.model.horizon == 0;
    let is_as_it_began =
        story.step == 0 && page.session.selected.is_none() && (page.session.model.playing || is_at_start);
    let is_untouched = is_default_seed && is_as_it_began && !is_compared && !is_touched && !is_answered;
    match (&opened.lesson, site) {
        _ if !is_untouched => None,
        (Some(lesson), _) => Some(browser::address(&format!("lesson={lesson}"))),
        (None, Some(scenario)) => Some(browser::address_of_scenario(&scenario.path)),
        (None, None) => None,
    }
}

#[derive(Properties, PartialEq)]
struct LinkProps {
    page: Shared<Page>,
    fragment: String,
    length: Option<LinkLength>,
    anonymise: bool,
}

#[component]
fn LinkPart(props: &LinkProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let shows = use_state(|| false);
    let toggle = {
        let shows = shows.clone();
        Callback::from(move |_: MouseEvent| shows.set(!*shows))
    };
    let short = short_address_of_unchanged_session(&props.page).filter(|_| !props.anonymise);
    let seed = props.page.session.opened.as_ref().map_or(0, |opened| opened.seed);
    html! {
        <>
            if short.is_some() {
                <p>{ t!(share::opens_the_same) }</p>
            } else {
                <p>{ t!(share::holds_everything, seed = seed) }</p>
            }
            { copy_field(&ctl, [share::link, share::link_copied], &short.unwrap_or_else(|| browser::address(&props.fragment)), "4", props.anonymise) }
            if let Some(length) = props.length { <p class="notice">{ length.to_string() }</p> }
            if !props.anonymise {
                <button type="button" class="quiet" onclick={toggle} aria-expanded={shows.to_string()}>{ t!(share::qr_code) }</button>
                if *shows { <QrCode page={props.page.clone()} has_buttons=true /> }
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    fragment: String,
    has_story: bool,
    anonymise: bool,
}

/// Sizes of an embedded frame that the user can choose, in CSS pixels.
const FRAME_SIZES: [(u32, u32); 4] = [(960, 640), (720, 480), (1280, 720), (420, 720)];

/// The themes that an embedded frame can have: each with its value in the address and its name.
const FRAME_THEMES: [(&str, Message); 3] = [
    ("", share::theme_visitor),
    ("light", share::theme_light),
    ("dark", share::theme_dark),
];

/// Maximum width of the preview, in pixels; a wider frame is scaled down.
const MAX_PREVIEW_WIDTH: u32 = 720;

#[component]
fn FramePart(props: &FrameProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let parts = use_state(|| Panels {
        bar: true,
        story: props.has_story,
        cluster: true,
        side: false,
        timeline: true,
        console: false,
    });
    let size = use_state(|| FRAME_SIZES[0]);
    let theme = use_state(String::new);
    // While time runs, the preview keeps the link of the instant at which it was opened.
    let preview = use_state(|| None::<String>);
    let url_of = |fragment: &str| {
        let theme = if theme.is_empty() {
            String::new()
        } else {
            format!("&theme={}", *theme)
        };
        format!("{}&embed={}{theme}", browser::address(fragment), parts.names())
    };
    let url = url_of(&props.fragment);
    let (width, height) = *size;
    let text = format!(
        "<iframe src=\"{url}\" width=\"{width}\" height=\"{height}\" title=\"Podscope\" loading=\"lazy\"></iframe>"
    );
    let part = |name: Message, is: bool, change: fn(&mut Panels)| {
        let parts = parts.clone();
        let onchange = Callback::from(move |_: Event| {
            let mut next = *parts;
            change(&mut next);
            parts.set(next);
        });
        html! { <label class="check"><input type="checkbox" checked={is} {onchange} />{ name.text() }</label> }
    };
    let on_size = {
        let size = size.clone();
        Callback::from(move |event: Event| {
            let index: usize = browser::field_value_of(&event).parse().unwrap_or(0);
            size.set(FRAME_SIZES[index.min(FRAME_SIZES.len() - 1)]);
        })
    };
    let on_theme = {
        let theme = theme.clone();
        Callback::from(move |event: Event| theme.set(browser::field_value_of(&event)))
    };
    let toggle = {
        let (preview, fragment) = (preview.clone(), props.fragment.clone());
        Callback::from(move |_: MouseEvent| preview.set(preview.is_none().then(|| fragment.clone())))
    };
    html! {
        <>
            <p>{ t!(share::frame_hint) }</p>
            <fieldset class="row"><legend class="eyebrow">{ t!(share::parts) }</legend>
                if props.has_story { { part(share::part_story, parts.story, |parts| parts.story = !parts.story) } }
                { part(share::part_cluster, parts.cluster, |parts| parts.cluster = !parts.cluster) }
                { part(share::part_timeline, parts.timeline, |parts| parts.timeline = !parts.timeline) }
                { part(share::part_details, parts.side, |parts| parts.side = !parts.side) }
                { part(share::part_console, parts.console, |parts| parts.console = !parts.console) }
            </fieldset>
            <div class="row">
                <label>{ t!(share::size) }{ " " }<select onchange={on_size}>{ for FRAME_SIZES.iter().enumerate().map(|(index, (w, h))| html! { <option value={index.to_string()} selected={(*w, *h) == *size}>{ format!("{w} × {h}") }</option> }) }</select></label>
                <label>{ t!(share::theme) }{ " " }<select onchange={on_theme}>{ for FRAME_THEMES.iter().map(|(value, name)| html! { <option value={*value} selected={*theme == *value}>{ name.text() }</option> }) }</select></label>
                <button type="button" onclick={toggle} aria-expanded={preview.is_some().to_string()}>{ if preview.is_some() { t!(share::end_preview) } else { t!(share::preview) } }</button>
            </div>
            { copy_field(&ctl, [share::frame, share::frame_copied], &text, "4", props.anonymise) }
            if let Some(url) = preview.as_deref().map(url_of) { <iframe key={url.clone()} class="preview" src={url.clone()} width={width.to_string()} height={height.to_string()} ~style={format!("zoom:{}", f64::from(MAX_PREVIEW_WIDTH.min(width)) / f64::from(width))} title={t!(share::preview_title)}></iframe> }
        </>
    }
}

fn picture_part(ctl: &Ctl, anonymise: bool) -> Html {
    html! {
        <>
            <p>{ t!(share::picture_hint) }</p>
            <div class="buttons">
                <button type="button" onclick={ctl.on(Request::Export { what: ExportKind::Picture, anonymise })}>{ t!(share::save_svg) }</button>
                <button type="button" class="primary" onclick={ctl.on(Request::Export { what: ExportKind::Image, anonymise })}>{ t!(share::save_png) }</button>
            </div>
        </>
    }
}

/// Durations of a film that the user can choose, in seconds.
const FILM_SECONDS: [u32; 4] = [6, 10, 20, 40];

/// A bound of the filmed span: its start or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilmBound {
    From,
    To,
}

/// Parses the two typed instants. Returns the span between them, or the field that is wrong and its problem.
fn parse_filmed_span(from: &str, to: &str, played_until: Micros) -> Result<(Micros, Micros), (FilmBound, String)> {
    let read = |bound, text| {
        let instant = clock::parse(text);
        instant.ok_or_else(|| (bound, t!(bar::form_of_instant)))
    };
    let (from, to) = (read(FilmBound::From, from)?, read(FilmBound::To, to)?);
    // The fields show tenths of a second, so the end may be rounded up.
    if to > played_until + 100_000 {
        return Err((
            FilmBound::To,
            t!(share::played_until, end = clock::instant(played_until)),
        ));
    }
    if from >= to {
        return Err((FilmBound::To, t!(share::end_before_beginning)));
    }
    Ok((from, to))
}

#[derive(Properties, PartialEq)]
struct FilmProps {
    page: Shared<Page>,
}

#[component]
fn FilmPart(props: &FilmProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let model = &page.session.model;
    // By default the film shows the visible span of the timeline, up to the last instant that was played.
    let shown_span = page.session.span.map_or((0, model.horizon.max(model.now)), |span| {
        (span.from.max(0), span.to.min(model.horizon.max(model.now)))
    });
    let from = use_state(|| clock::instant(shown_span.0));
    let to = use_state(|| clock::instant(shown_span.1));
    let length = use_state(|| FILM_SECONDS[1]);
    let making = use_state(|| false);
    let recording = use_state(|| false);
    {
        let making = making.setter();
        use_effect_with(page.session.film.clone(), move |_| making.set(false));
    }
    let wrong = use_state(|| None::<(FilmBound, String)>);
    let field = |bound: FilmBound, name: Message, state: &UseStateHandle<String>| {
        let is_wrong = wrong.as_ref().is_some_and(|(at, _)| *at == bound);
        let value = (**state).clone();
        let (state, wrong) = (state.clone(), wrong.clone());
        let oninput = Callback::from(move |event: InputEvent| {
            state.set(browser::field_value_of(&event));
            wrong.set(None);
        });
        html! { <label>{ name.text() }{ " " }<input class="mono instant" {value} {oninput} spellcheck="false" autocomplete="off" aria-invalid={is_wrong.to_string()} aria-describedby={is_wrong.then_some("film-wrong")} /></label> }
    };
    let on_length = {
        let length = length.clone();
        Callback::from(move |event: Event| {
            length.set(browser::field_value_of(&event).parse().unwrap_or(FILM_SECONDS[1]))
        })
    };
    let make = {
        let (ctl, from, to, seconds, making) = (ctl.clone(), from.clone(), to.clone(), *length, making.clone());
        let (wrong, played, anonymise) = (wrong.clone(), model.horizon.max(model.now), page.session.anonymises);
        Callback::from(move |_: MouseEvent| match parse_filmed_span(&from, &to, played) {
            Ok((from, to)) => {
                making.set(true);
                wrong.set(None);
                ctl.send.emit(Request::Film {
                    from,
                    to,
                    seconds,
                    anonymise,
                });
            }
            Err(why) => {
                wrong.set(Some(why));
                browser::focus_after_drawing(".share [aria-invalid=true]");
            }
        })
    };
    let done = page
        .session
        .progress
        .as_ref()
        .filter(|(task, _)| *task == Task::Film)
        .map(|(_, done)| *done);
    html! {
        <>
            <p>{ t!(share::film_hint) }</p>
            <div class="row">
                { field(FilmBound::From, share::film_from, &from) }
                { field(FilmBound::To, share::film_to, &to) }
                <label>{ t!(share::film_in) }{ " " }<select onchange={on_length} aria-label={t!(share::film_length)}>{ for FILM_SECONDS.iter().map(|seconds| html! { <option value={seconds.to_string()} selected={*seconds == *length}>{ format!("{seconds} s") }</option> }) }</select></label>
                <button type="button" class="primary" onclick={make} disabled={*making}>{ t!(share::make_film) }</button>
            </div>
            if let Some((_, why)) = &*wrong {
                <p class="notice" role="alert" id="film-wrong">{ why }</p>
            } else if *making {
                <p role="status">{ t!(share::making_film) }{ " " }<progress max="1000" value={done.unwrap_or(0).to_string()} aria-label={t!(share::film)}></progress></p>
            } else if let Some(film) = &page.session.film {
                { match &**film {
                    Err(why) => html! { <p class="notice" role="alert">{ why.to_string() }</p> },
                    Ok(text) => film_preview(&ctl, text, &recording),
                } }
            }
        </>
    }
}

/// The film, and buttons that save it as an SVG and as a video.
fn film_preview(ctl: &Ctl, text: &str, recording: &UseStateHandle<bool>) -> Html {
    let source = format!("data:image/svg+xml,{}", js_sys::encode_uri_component(text));
    let save = {
        let (text, act) = (text.to_owned(), ctl.act.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                if files::save_file("podscope-film.svg", "image/svg+xml", &text)
                    .await
                    .warn()
                    .is_none()
                {
                    act.emit(Act::Toast(t!(share::cannot_save_film)));
                }
            });
        })
    };
    let record = {
        let (text, act, recording) = (text.to_owned(), ctl.act.clone(), recording.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act, recording) = (text.clone(), act.clone(), recording.clone());
            recording.set(true);
            spawn_local(async move {
                if files::save_video("podscope-film", &text).await.warn().is_none() {
                    act.emit(Act::Toast(t!(share::cannot_record)));
                }
                recording.set(false);
            });
        })
    };
    html! {
        <>
            <img class="film" src={source} alt={t!(share::the_film)} />
            <div class="buttons">
                <span class="none" role="status">{ if **recording { t!(share::recording) } else { format!("{} KiB", text.len().div_ceil(1024)) } }</span>
                <button type="button" onclick={record} disabled={**recording} title={t!(share::save_video_hint)}>{ t!(share::save_video) }</button>
                <button type="button" class="primary" onclick={save}>{ t!(share::save_film) }</button>
            </div>
        </>
    }
}
