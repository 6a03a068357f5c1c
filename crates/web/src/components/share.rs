//! The dialog "Share": a link, a frame for another page, a picture, a film of a span; and presenting on this page.

use podscope_protocol::{ExportKind, LONG_LINK, LinkLength, Micros, Request, Task};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::present::Code;
use crate::browser::{self, files};
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::route::Panels;
use crate::state::{Act, Page, Present, Screen, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Link,
    Frame,
    Picture,
    Film,
}

const OUTPUTS: [(Output, &str); 4] = [
    (Output::Link, "Link"),
    (Output::Frame, "Frame"),
    (Output::Picture, "Picture"),
    (Output::Film, "Film"),
];

/// The dialog.
#[component]
pub(crate) fn Share(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let anonymise = page.anonymises;
    let what = use_state(|| Output::Link);
    {
        let (ctl, screen) = (ctl.clone(), Screen::write(page));
        // Requested again if another session opens.
        use_effect_with((anonymise, page.opened.clone()), move |(anonymise, _)| {
            ctl.send.emit(Request::Share {
                screen,
                anonymise: *anonymise,
                revision: 0,
            })
        });
    }
    // The session is meanwhile saved by a link with the original names.
    let link = if anonymise { &page.anonymised_link } else { &page.link };
    let present = ctl.present(Present::default());
    html! {
        <Modal title="Share" class="share">
            <div class="row whats" role="group" aria-label="What to share">
                { for OUTPUTS.iter().map(|(which, name)| {
                    let (what, which) = (what.clone(), *which);
                    let is = *what == which;
                    html! { <button type="button" class={classes!("chip", is.then_some("on"))} aria-pressed={is.to_string()} onclick={move |_: MouseEvent| what.set(which)}>{ *name }</button> }
                }) }
                <span class="gap"></span>
                <button type="button" class="quiet" onclick={present} title="Large type; the cluster, the story and the clock alone (Shift + P)">{ "Present it here" }</button>
            </div>
            <AnonymiseCheckbox page={page.clone()} />
            { match (*what, link) {
                (Output::Link | Output::Frame, None) => html! { <p role="status">{ "Making a link…" }</p> },
                (Output::Link, Some(link)) => html! { <LinkPart page={page.clone()} fragment={link.fragment.clone()} length={link.length} {anonymise} /> },
                (Output::Frame, Some(link)) => {
                    let has_story = page.opened.as_ref().is_some_and(|opened| !opened.story.is_empty());
                    html! { <FramePart fragment={link.fragment.clone()} {has_story} {anonymise} /> }
                }
                (Output::Picture, _) => picture(&ctl, anonymise),
                (Output::Film, _) => html! { <FilmPart page={page.clone()} /> },
            } }
        </Modal>
    }
}

/// The checkbox that replaces names of objects in all output, and the button that saves the table of names.
#[component]
pub(crate) fn AnonymiseCheckbox(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let anonymises = props.page.anonymises;
    let toggle = ctl.act.reform(move |_: Event| Act::Anonymise(!anonymises));
    let table = ctl.on(Request::Export {
        what: ExportKind::Names,
        anonymise: true,
    });
    html! {
        <div class="row">
            <label class="check"><input type="checkbox" checked={anonymises} onchange={toggle} />{ "Rename objects first: nobody learns your names" }</label>
            if anonymises { <button type="button" class="quiet" onclick={table} title="It stays with you: with it an answer about app-17 can be read back">{ "Save the names" }</button> }
        </div>
    }
}

/// A read-only field with a text, and buttons to copy and to save it.
fn copy_field(ctl: &Ctl, name: &'static str, text: &str, rows: &'static str, anonymise: bool) -> Html {
    let copy = {
        let (text, act) = (text.to_owned(), ctl.act.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                let message = if browser::copy(text).await {
                    format!("The {} is copied.", name.to_ascii_lowercase())
                } else {
                    "The browser does not allow copying here: mark the text and copy it.".to_owned()
                };
                act.emit(Act::Toast(message));
            });
        })
    };
    html! {
        <>
            <textarea class="mono" readonly=true {rows} aria-label={name} value={text.to_owned()} />
            <p class={classes!("length", (text.len() > LONG_LINK).then_some("long"))}>{ format!("{} characters", clock::thousands(text.len() as u64)) }</p>
            <div class="buttons">
                <button type="button" onclick={ctl.on(Request::Export { what: ExportKind::Scenario, anonymise })}>{ "Save as a file" }</button>
                <button type="button" class="primary" onclick={copy} autofocus=true>{ "Copy" }</button>
            </div>
        </>
    }
}

/// The short address of a session that is still as it began, a built-in lesson or a scenario of this site: nothing was
/// done in it, and no instant was chosen.
pub(super) fn short_address_of_untouched(page: &Page) -> Option<String> {
    let opened = page.opened.as_ref()?;
    let story = &page.model.story;
    let site = page.site_scenario.as_ref().filter(|scenario| scenario.is(opened));
    // A recap runs a lesson with another seed.
    let seed = opened.text.lines().find_map(|line| line.trim().strip_prefix("seed:"));
    let is_default_seed = site.is_some() || seed.and_then(|seed| seed.trim().parse().ok()) == Some(opened.seed);
    let is_touched = page.model.branches.iter().any(|branch| branch.is_touched);
    let is_answered = story.steps.iter().any(|step| step.answer.is_some());
    let is_compared = page.other.is_some();
    let is_at_start = page.model.now == 0 && page.model.horizon == 0;
    let is_as_it_began = story.step == 0 && page.selected.is_none() && (page.model.playing || is_at_start);
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
    let short = short_address_of_untouched(&props.page).filter(|_| !props.anonymise);
    let seed = props.page.opened.as_ref().map_or(0, |opened| opened.seed);
    html! {
        <>
            if short.is_some() {
                <p>{ "It opens the same at its beginning, with the same seed." }</p>
            } else {
                <p>{ format!("It holds everything: scenario, seed {seed}, what was done and when, the instant, what is selected. Nothing is stored anywhere else.") }</p>
            }
            { copy_field(&ctl, "Link", &short.unwrap_or_else(|| browser::address(&props.fragment)), "4", props.anonymise) }
            if let Some(length) = props.length { <p class="notice">{ length.to_string() }</p> }
            if !props.anonymise {
                <button type="button" class="quiet" onclick={toggle} aria-expanded={shows.to_string()}>{ "QR code" }</button>
                if *shows { <Code page={props.page.clone()} has_buttons=true /> }
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

/// Sizes of a frame, in pixels.
const SIZES: [(u32, u32); 4] = [(960, 640), (720, 480), (1280, 720), (420, 720)];

/// Themes of a frame: value in the address and name.
const THEMES: [(&str, &str); 3] = [("", "the visitor's"), ("light", "light"), ("dark", "dark")];

/// Largest width of the preview, in pixels; a wider frame is scaled down.
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
    let size = use_state(|| SIZES[0]);
    let theme = use_state(String::new);
    // The preview keeps the link of its beginning while time runs.
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
    let part = |name: &'static str, is: bool, change: fn(&mut Panels)| {
        let parts = parts.clone();
        let onchange = Callback::from(move |_: Event| {
            let mut next = *parts;
            change(&mut next);
            parts.set(next);
        });
        html! { <label class="check"><input type="checkbox" checked={is} {onchange} />{ name }</label> }
    };
    let on_size = {
        let size = size.clone();
        Callback::from(move |event: Event| {
            let index: usize = browser::value_of(&event).parse().unwrap_or(0);
            size.set(SIZES[index.min(SIZES.len() - 1)]);
        })
    };
    let on_theme = {
        let theme = theme.clone();
        Callback::from(move |event: Event| theme.set(browser::value_of(&event)))
    };
    let toggle = {
        let (preview, fragment) = (preview.clone(), props.fragment.clone());
        Callback::from(move |_: MouseEvent| preview.set(preview.is_none().then(|| fragment.clone())))
    };
    html! {
        <>
            <p>{ "A frame for a page of yours. It runs there by itself, and leaves what its visitors have kept alone." }</p>
            <fieldset class="row"><legend class="eyebrow">{ "Parts" }</legend>
                if props.has_story { { part("Story", parts.story, |p| p.story = !p.story) } }
                { part("Cluster", parts.cluster, |p| p.cluster = !p.cluster) }
                { part("Timeline", parts.timeline, |p| p.timeline = !p.timeline) }
                { part("Details", parts.side, |p| p.side = !p.side) }
                { part("Console", parts.console, |p| p.console = !p.console) }
            </fieldset>
            <div class="row">
                <label>{ "Size " }<select onchange={on_size}>{ for SIZES.iter().enumerate().map(|(i, (w, h))| html! { <option value={i.to_string()} selected={(*w, *h) == *size}>{ format!("{w} × {h}") }</option> }) }</select></label>
                <label>{ "Theme " }<select onchange={on_theme}>{ for THEMES.iter().map(|(value, name)| html! { <option value={*value} selected={*theme == *value}>{ *name }</option> }) }</select></label>
                <button type="button" onclick={toggle} aria-expanded={preview.is_some().to_string()}>{ if preview.is_some() { "End the preview" } else { "Preview" } }</button>
            </div>
            { copy_field(&ctl, "Frame", &text, "4", props.anonymise) }
            if let Some(url) = preview.as_deref().map(url_of) { <iframe key={url.clone()} class="preview" src={url.clone()} width={width.to_string()} height={height.to_string()} ~style={format!("zoom:{}", f64::from(MAX_PREVIEW_WIDTH.min(width)) / f64::from(width))} title="Preview of the frame"></iframe> }
        </>
    }
}

fn picture(ctl: &Ctl, anonymise: bool) -> Html {
    html! {
        <>
            <p>{ "The cluster at this instant, as a drawing that stays sharp or as pixels." }</p>
            <div class="buttons">
                <button type="button" onclick={ctl.on(Request::Export { what: ExportKind::Picture, anonymise })}>{ "Save as SVG" }</button>
                <button type="button" class="primary" onclick={ctl.on(Request::Export { what: ExportKind::Image, anonymise })}>{ "Save as PNG" }</button>
            </div>
        </>
    }
}

/// Lengths of a film, in seconds.
const FILM_SECONDS: [u32; 4] = [6, 10, 20, 40];

const FROM: &str = "From ";
const TO: &str = "to ";

/// The span between two typed instants, or the wrong field with its problem.
fn span(from: &str, to: &str, played: Micros) -> Result<(Micros, Micros), (&'static str, String)> {
    let read = |name, text| {
        let instant = clock::parse(text);
        instant.ok_or_else(|| (name, "An instant looks like 90s, 1:30 or 5m.".to_owned()))
    };
    let (from, to) = (read(FROM, from)?, read(TO, to)?);
    // The fields show tenths of a second, so the end may be rounded up.
    if to > played + 100_000 {
        return Err((TO, format!("What was played ends at {}.", clock::instant(played))));
    }
    if from >= to {
        return Err((TO, "A film's end lies after its beginning.".into()));
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
    let model = &page.model;
    // The span of the timeline, limited to what was played.
    let shown_span = page.span.map_or((0, model.horizon.max(model.now)), |span| {
        (span.from.max(0), span.to.min(model.horizon.max(model.now)))
    });
    let from = use_state(|| clock::instant(shown_span.0));
    let to = use_state(|| clock::instant(shown_span.1));
    let length = use_state(|| FILM_SECONDS[1]);
    let making = use_state(|| false);
    let recording = use_state(|| false);
    {
        let making = making.setter();
        use_effect_with(page.film.clone(), move |_| making.set(false));
    }
    let wrong = use_state(|| None::<(&'static str, String)>);
    let field = |name: &'static str, state: &UseStateHandle<String>| {
        let is_wrong = wrong.as_ref().is_some_and(|(at, _)| *at == name);
        let value = (**state).clone();
        let (state, wrong) = (state.clone(), wrong.clone());
        let oninput = Callback::from(move |event: InputEvent| {
            state.set(browser::value_of(&event));
            wrong.set(None);
        });
        html! { <label>{ name }<input class="mono instant" {value} {oninput} spellcheck="false" autocomplete="off" aria-invalid={is_wrong.to_string()} aria-describedby={is_wrong.then_some("film-wrong")} /></label> }
    };
    let on_length = {
        let length = length.clone();
        Callback::from(move |event: Event| length.set(browser::value_of(&event).parse().unwrap_or(FILM_SECONDS[1])))
    };
    let make = {
        let (ctl, from, to, seconds, making) = (ctl.clone(), from.clone(), to.clone(), *length, making.clone());
        let (wrong, played, anonymise) = (wrong.clone(), model.horizon.max(model.now), page.anonymises);
        Callback::from(move |_: MouseEvent| match span(&from, &to, played) {
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
                browser::focus_on(".share [aria-invalid=true]");
            }
        })
    };
    let done = page
        .progress
        .as_ref()
        .filter(|(task, _)| *task == Task::Film)
        .map(|(_, done)| *done);
    html! {
        <>
            <p>{ "A short film of what was played: an animated drawing for a slide, a page or a chat. It plays in every browser, again and again." }</p>
            <div class="row">
                { field(FROM, &from) }
                { field(TO, &to) }
                <label>{ "in " }<select onchange={on_length} aria-label="Length of the film">{ for FILM_SECONDS.iter().map(|n| html! { <option value={n.to_string()} selected={*n == *length}>{ format!("{n} s") }</option> }) }</select></label>
                <button type="button" class="primary" onclick={make} disabled={*making}>{ "Make the film" }</button>
            </div>
            if let Some((_, why)) = &*wrong {
                <p class="notice" role="alert" id="film-wrong">{ why }</p>
            } else if *making {
                <p role="status">{ "Making the film… " }<progress max="1000" value={done.unwrap_or(0).to_string()} aria-label="Film"></progress></p>
            } else if let Some(film) = &page.film {
                { match &**film {
                    Err(why) => html! { <p class="notice" role="alert">{ why.to_string() }</p> },
                    Ok(text) => film_preview(&ctl, text, &recording),
                } }
            }
        </>
    }
}

/// The film, and buttons that save it as it is and as a video.
fn film_preview(ctl: &Ctl, text: &str, recording: &UseStateHandle<bool>) -> Html {
    let source = format!("data:image/svg+xml,{}", js_sys::encode_uri_component(text));
    let save = {
        let (text, act) = (text.to_owned(), ctl.act.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                if files::save("podscope-film.svg", "image/svg+xml", &text).await.is_err() {
                    act.emit(Act::Toast("The film could not be saved".into()));
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
                if files::save_video("podscope-film", &text).await.is_err() {
                    act.emit(Act::Toast("This browser records no video: save the film.".into()));
                }
                recording.set(false);
            });
        })
    };
    html! {
        <>
            <img class="film" src={source} alt="The film" />
            <div class="buttons">
                <span class="none" role="status">{ if **recording { "Recording: it takes as long as the film.".to_owned() } else { format!("{} KiB", text.len().div_ceil(1024)) } }</span>
                <button type="button" onclick={record} disabled={**recording} title="WebM, or MP4 where the browser has only that">{ "Save as video" }</button>
                <button type="button" class="primary" onclick={save}>{ "Save the film" }</button>
            </div>
        </>
    }
}
