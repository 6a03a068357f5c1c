//! What a screen reader hears of the world: what has happened, counted, and where the story is. Once, politely, and a
//! few seconds apart while time runs.

use podscope_protocol::{GoalState, Micros, StoryState};
use yew::prelude::*;

use super::shown::shown;
use crate::pure::just_now;
use crate::state::{Page, Shared};

/// Frames of a running clock between two sayings: about three seconds'.
const EVERY: u64 = 90;
/// Sentences at once; the rest is counted.
const MOST: usize = 5;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// What has been said of what is open.
#[derive(Default)]
struct Said {
    /// What is open, and the branch: with another one nothing of before is news.
    of: (String, u64, usize),
    until: Micros,
    goals: usize,
    step: usize,
    count: u64,
    lines: Vec<(u64, String)>,
}

/// The live region.
#[component]
pub(crate) fn Heard(props: &Props) -> Html {
    let page = &props.page;
    let said = use_mut_ref(Said::default);
    let playing = page.model.playing;
    let beat = if playing { page.frames / EVERY } else { page.frames };
    let lines = {
        let said = said.clone();
        use_memo((beat, playing, page.model.story.clone()), move |_| {
            said.borrow_mut().follow(page);
            said.borrow().lines.clone()
        })
    };
    html! {
        <div class="sr heard" role="log" aria-label="What happens" aria-live="polite">
            { for lines.iter().map(|(id, line)| html! { <p key={*id}>{ shown(&line.replace(" → ", " is bound to ")) }</p> }) }
        </div>
    }
}

impl Said {
    fn follow(&mut self, page: &Page) {
        let (model, Some(opened)) = (&page.model, &page.opened) else {
            return;
        };
        let branch = model.branches.iter().position(|branch| branch.current).unwrap_or(0);
        let of = (opened.title.clone(), opened.seed, branch);
        let (goals, step) = (reached(&model.story), model.story.steps.len());
        let mut news = Vec::new();
        if self.of == of && model.now >= self.until {
            news = just_now::since(model, self.until);
            if news.len() > MOST {
                let more = news.len() - MOST;
                news.drain(..more);
                news.insert(0, format!("{more} other things happened"));
            }
            match goals.saturating_sub(self.goals) {
                0 => {}
                1 => news.push("a goal is reached".into()),
                n => news.push(format!("{n} goals are reached")),
            }
            let is_further = self.step > 0 && step > self.step;
            if model.story.question.is_some() && is_further {
                news.push("the story asks a question, and time waits".into());
            } else if is_further {
                news.push(format!("step {step} of the story can be read"));
            }
        }
        (self.of, self.until, self.goals, self.step) = (of, model.now, goals, step);
        for line in news {
            self.count += 1;
            self.lines.push((self.count, line));
        }
        // What was heard goes, so that nobody meets it again who reads on.
        let excess = self.lines.len().saturating_sub(2 * MOST);
        self.lines.drain(..excess);
    }
}

/// Goals that are reached.
fn reached(story: &StoryState) -> usize {
    let goals = story.steps.iter().flat_map(|step| &step.goals);
    goals.filter(|goal| matches!(goal, GoalState::Reached)).count()
}
