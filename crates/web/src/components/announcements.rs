//! The live region for screen readers: announces events, counts them, and reports the progress of the story. Each event
//! is announced once, and at intervals of a few seconds while time runs.

use podscope_messages::t;
use podscope_protocol::{GoalState, Micros, StoryState};
use yew::prelude::*;

use super::shown::shown;
use crate::pure::just_now;
use crate::state::{Page, Shared};

/// Number of frames between two announcements while time runs: about three seconds.
const FRAMES_PER_ANNOUNCEMENT: u64 = 90;
/// Maximum number of sentences per announcement; further ones are only counted.
const MAX_SENTENCES: usize = 5;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// State of the announcements: what was already announced about the open session.
#[derive(Default)]
struct Announced {
    /// Title, seed and branch of the session. When one of these changes, all events count as known and are not
    /// announced.
    session: (String, u64, usize),
    until: Micros,
    goals: usize,
    step: usize,
    count: u64,
    lines: Vec<(u64, String)>,
}

#[component]
pub(crate) fn Announcements(props: &Props) -> Html {
    let page = &props.page;
    let announced = use_mut_ref(Announced::default);
    let playing = page.session.model.playing;
    let announcement_key = if playing {
        page.shell.frames / FRAMES_PER_ANNOUNCEMENT
    } else {
        page.shell.frames
    };
    let lines = {
        let announced = announced.clone();
        use_memo(
            (announcement_key, playing, page.session.model.story.clone()),
            move |_| {
                announced.borrow_mut().announce_changes(page);
                announced.borrow().lines.clone()
            },
        )
    };
    html! {
        <div class="sr heard" role="log" aria-label={t!(heard::name)} aria-live="polite">
            { for lines.iter().map(|(id, line)| html! { <p key={*id}>{ shown(&line.replace(" → ", &format!(" {} ", t!(heard::is_bound_to)))) }</p> }) }
        </div>
    }
}

impl Announced {
    fn announce_changes(&mut self, page: &Page) {
        let (model, Some(opened)) = (&page.session.model, &page.session.opened) else {
            return;
        };
        let branch = model.branches.iter().position(|branch| branch.current).unwrap_or(0);
        let session = (opened.title.clone(), opened.seed, branch);
        let (goals, step) = (reached_goals(&model.story), model.story.steps.len());
        let mut new_lines = Vec::new();
        if self.session == session && model.now >= self.until {
            new_lines = just_now::sentences_since(model, self.until);
            if new_lines.len() > MAX_SENTENCES {
                let more = new_lines.len() - MAX_SENTENCES;
                new_lines.drain(..more);
                new_lines.insert(0, t!(heard::other_things, count = more));
            }
            match goals.saturating_sub(self.goals) {
                0 => {}
                count => new_lines.push(t!(heard::goals_reached, count = count)),
            }
            let is_further = self.step > 0 && step > self.step;
            if model.story.question.is_some() && is_further {
                new_lines.push(t!(heard::question));
            } else if is_further {
                new_lines.push(t!(heard::step, number = step));
            }
        }
        (self.session, self.until, self.goals, self.step) = (session, model.now, goals, step);
        for line in new_lines {
            self.count += 1;
            self.lines.push((self.count, line));
        }
        // Old lines are removed, so that a screen reader that reads on does not repeat them.
        let excess = self.lines.len().saturating_sub(2 * MAX_SENTENCES);
        self.lines.drain(..excess);
    }
}

/// Number of reached goals.
fn reached_goals(story: &StoryState) -> usize {
    let goals = story.steps.iter().flat_map(|step| &step.goals);
    goals.filter(|goal| matches!(goal, GoalState::Reached)).count()
}
