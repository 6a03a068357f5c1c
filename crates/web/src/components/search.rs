//! The dialog that searches for a run that breaks a guarantee. Each seed generates other faults for the scenario.
//! Several engines, each in its own worker, share the seeds; afterwards one engine shrinks the smallest runs that break
//! a guarantee. The running session is not changed.

use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{Problem, Request, Search, SearchUpdate, SessionSource, ShortestRun, Update};
use yew::prelude::*;

use super::dialog::Modal;
use super::dialogs;
use super::shown::{rich_text, shown};
use super::violation_alarm::title;
use crate::browser;
use crate::ctl::Ctl;
use crate::engine::{Engine, WorkerMessage};
use crate::pure::clock;
use crate::pure::search::{SearchTally, seeds_of_engine};
use crate::state::{Act, Dialog};

/// Maximum number of engines that search at once. Each takes as much memory as the engine of a page.
const MAX_ENGINES: usize = 4;
const DEFAULT_SEED_COUNT: u32 = 100;
const MAX_SEED_COUNT: u32 = 10_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Text of the scenario.
    pub(crate) text: String,
    /// Seed of the scenario, with which the search begins.
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SearchPhase {
    #[default]
    Idle,
    /// Seeds are being tried by this number of engines.
    Trying {
        engines: usize,
    },
    Shrinking,
    Done,
}

/// The state of a search: its phase, progress and results.
#[derive(Debug, Clone, PartialEq, Default)]
struct SearchState {
    phase: SearchPhase,
    /// Serial number of this search. Messages of engines with a lower number are ignored.
    nth: u32,
    /// The first seed to try, and the number of seeds to try.
    first: u64,
    runs: u32,
    tally: SearchTally,
    shortest: Option<ShortestRun>,
    problems: Vec<Problem>,
}

enum SearchAction {
    Start { first: u64, runs: u32, engines: usize },
    Stop,
    Message { nth: u32, message: WorkerMessage },
}

impl Reducible for SearchState {
    type Action = SearchAction;

    fn reduce(self: Rc<Self>, action: SearchAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            SearchAction::Start { first, runs, engines } => {
                next = SearchState {
                    phase: SearchPhase::Trying { engines },
                    nth: self.nth + 1,
                    first,
                    runs,
                    ..SearchState::default()
                };
            }
            SearchAction::Stop => next.end_trying_of_seeds(),
            SearchAction::Message { nth, message } if nth == self.nth => next.receive(message),
            SearchAction::Message { .. } => {}
        }
        Rc::new(next)
    }
}

impl SearchState {
    fn receive(&mut self, message: WorkerMessage) {
        match message {
            WorkerMessage::Update(update) => match *update {
                Update::Search(SearchUpdate::Tried(tried)) if matches!(self.phase, SearchPhase::Trying { .. }) => {
                    self.tally.add(tried);
                }
                Update::Search(SearchUpdate::Shortest(shortest)) => match self.phase {
                    SearchPhase::Trying { engines: 0 | 1 } => self.end_trying_of_seeds(),
                    SearchPhase::Trying { engines } => self.phase = SearchPhase::Trying { engines: engines - 1 },
                    _ => {
                        self.shortest = shortest.map(|shortest| *shortest);
                        self.phase = SearchPhase::Done;
                    }
                },
                Update::Refused { problems } => self.end_with_problems(problems),
                Update::Crashed { message } => self.end_with_problems(vec![Problem::of_file("engine", message)]),
                _ => {}
            },
            WorkerMessage::Trapped(message) => self.end_with_problems(vec![Problem::of_file("engine", message)]),
            WorkerMessage::Alive | WorkerMessage::Loading => {}
        }
    }

    fn end_with_problems(&mut self, problems: Vec<Problem>) {
        (self.phase, self.problems) = (SearchPhase::Done, problems);
    }

    /// Ends the phase in which seeds are tried. If runs broke a guarantee, the search continues by shrinking them;
    /// otherwise it is done.
    fn end_trying_of_seeds(&mut self) {
        self.phase = match (self.phase, self.tally.seeds_to_shrink().is_empty()) {
            (SearchPhase::Trying { .. }, false) => SearchPhase::Shrinking,
            _ => SearchPhase::Done,
        };
    }
}

#[component]
pub(crate) fn ViolationSearchDialog(props: &Props) -> Html {
    let search = use_reducer(SearchState::default);
    let (first, runs) = (
        use_state(|| props.seed.to_string()),
        use_state(|| DEFAULT_SEED_COUNT.to_string()),
    );
    use_engines(&search, &props.text);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let onsubmit = {
        let (search, first, runs) = (search.dispatcher(), first.clone(), runs.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let (Ok(first), Ok(runs)) = (first.parse(), runs.parse::<u32>()) {
                let runs = runs.clamp(1, MAX_SEED_COUNT);
                let engines = browser::processor_count().clamp(1, MAX_ENGINES).min(runs as usize);
                search.dispatch(SearchAction::Start { first, runs, engines });
            }
        })
    };
    let typed = |field: &UseStateHandle<String>| {
        let set = field.setter();
        Callback::from(move |event: InputEvent| set.set(browser::field_value_of(&event)))
    };
    let stop = {
        let search = search.dispatcher();
        Callback::from(move |_: MouseEvent| search.dispatch(SearchAction::Stop))
    };
    let works = matches!(search.phase, SearchPhase::Trying { .. } | SearchPhase::Shrinking);
    html! {
        <Modal key="search" title={t!(search::title)} class="search">
            <p>{ rich_text(&t!(search::intro)) }</p>
            <form class="row" {onsubmit}>
                <label>{ t!(search::runs) }{ " " }<input class="mono" type="number" min="1" max={MAX_SEED_COUNT.to_string()} required=true value={(*runs).clone()} oninput={typed(&runs)} disabled={works} /></label>
                <label>{ t!(search::from_seed) }{ " " }<input class="mono" type="number" min="0" required=true value={(*first).clone()} oninput={typed(&first)} disabled={works} /></label>
                // The buttons have different keys, so that they are separate elements: if the stop button became the
                // submit button during a press, the press would submit the form.
                if works { <button key="stop" type="button" onclick={stop}>{ t!(search::stop) }</button> }
                else { <button key="search" type="submit" class="primary" autofocus=true>{ t!(search::search) }</button> }
            </form>
            if search.phase != SearchPhase::Idle {
                <p role="status">{ search_status(&search) }</p>
                if works { <progress max={search.runs.to_string()} value={matches!(search.phase, SearchPhase::Trying { .. }).then(|| search.tally.tried.to_string())} aria-label={t!(search::tried_runs)}></progress> }
            }
            if !search.problems.is_empty() { { dialogs::problems(&search.problems) } }
            if !search.tally.by_guarantee.is_empty() {
                <table>
                    <thead><tr><th scope="col">{ t!(search::guarantee) }</th><th scope="col">{ t!(search::runs_that_break) }</th></tr></thead>
                    <tbody>{ for search.tally.by_guarantee.iter().map(|(name, runs)| html! { <tr><th scope="row">{ title(name) }</th><td>{ *runs }</td></tr> }) }</tbody>
                </table>
            }
            if let Some(shortest) = &search.shortest { { shortest_run(&ctl, shortest) } }
        </Modal>
    }
}

/// Starts the engines of a search. Ends them when the search ends or its dialog closes.
#[hook]
fn use_engines(search: &UseReducerHandle<SearchState>, scenario: &str) {
    let engines = use_mut_ref(Vec::<Engine>::new);
    let (text, first, runs) = (scenario.to_owned(), search.first, search.runs);
    let (dispatcher, shrunk) = (search.dispatcher(), search.tally.seeds_to_shrink());
    let phase = match search.phase {
        // If one engine fails, the other engines continue.
        SearchPhase::Trying { .. } => SearchPhase::Trying { engines: 0 },
        other => other,
    };
    let count = match search.phase {
        SearchPhase::Trying { engines } => engines,
        _ => 0,
    };
    use_effect_with((phase, search.nth), move |(phase, nth)| {
        let nth = *nth;
        let start = |seeds: Vec<u64>, shrinks| {
            let dispatcher = dispatcher.clone();
            let on_message = Callback::from(move |message| dispatcher.dispatch(SearchAction::Message { nth, message }));
            let engine = Engine::start(on_message.clone());
            let search = Search {
                files: vec![("scenario.yaml".to_owned(), text.clone())],
                seeds,
                shrinks,
            };
            let sent = engine.and_then(|engine| engine.send(&Request::Search(Box::new(search))).map(|()| engine));
            sent.map_err(|error| on_message.emit(WorkerMessage::Trapped(format!("{error:?}"))))
                .ok()
        };
        *engines.borrow_mut() = match phase {
            SearchPhase::Trying { .. } => {
                let each = (0..count).filter_map(|engine| start(seeds_of_engine(engine, count, first, runs), false));
                each.collect()
            }
            SearchPhase::Shrinking => start(shrunk, true).into_iter().collect(),
            SearchPhase::Idle | SearchPhase::Done => Vec::new(),
        };
    });
}

fn search_status(search: &SearchState) -> String {
    let (tried, runs, broken) = (search.tally.tried, search.runs, search.tally.broke);
    match search.phase {
        SearchPhase::Shrinking => t!(search::tried_and_shrinks, tried = tried, runs = runs, broken = broken),
        _ => t!(search::tried, tried = tried, runs = runs, broken = broken),
    }
}

fn shortest_run(ctl: &Ctl, shortest: &ShortestRun) -> Html {
    let open = {
        let (ctl, fragment) = (ctl.clone(), shortest.link.clone());
        Callback::from(move |_: MouseEvent| {
            let fragment = fragment.clone();
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Open {
                source: SessionSource::Link { fragment },
            });
        })
    };
    html! {
        <section aria-label={t!(search::shortest)}>
            <h3 class="eyebrow">{ t!(search::shortest) }</h3>
            <p>{ t!(search::shortest_broke, guarantee = title(&shortest.broken), at = clock::instant(shortest.at), seed = shortest.seed) }{ " " }{ shown(&shortest.seen.to_string()) }{ t!(search::shortest_broke_end) }</p>
            <p>{ t!(search::by) }{ " " }{ shown(&shortest.by.to_string()) }</p>
            <ol>{ for shortest.commands.iter().map(|(at, command)| html! { <li><span class="mono">{ clock::instant(*at) }</span>{ " " }<code>{ shown(command) }</code></li> }) }</ol>
            <p class="buttons"><button type="button" class="primary" onclick={open}>{ t!(search::open_run) }</button></p>
        </section>
    }
}
