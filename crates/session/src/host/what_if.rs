//! What-if questions of the page about its session, answered on a copy, piece by piece.

use podscope_protocol::{PodMove, Task, Update, WhatIf, WhatIfAnswer};

use super::Host;
use crate::whatif::{self, Answer, Asking, Question};

/// Number of events in a piece of work.
const EVENTS_PER_PIECE: u64 = 100;
/// Progress is sent in steps of one per cent.
const PER_MILLE_PER_UPDATE: u32 = 10;

/// The question that is being answered.
#[derive(Debug)]
pub(super) struct Asked {
    change: WhatIf,
    /// The instant of the session, in microseconds.
    at: i64,
    asking: Box<Asking>,
    /// The part of the work that was last reported, in per mille.
    reported: u32,
}

const fn progress(per_mille: u32) -> Update {
    Update::Progress {
        task: Task::WhatIf,
        per_mille,
    }
}

impl Host {
    /// Begins to answer a question in place of an earlier one. `None` only stops the earlier one.
    pub(super) fn what_if(&mut self, change: Option<WhatIf>) -> Vec<Update> {
        let was_asked = self.asked.take().is_some();
        let (Some(active), Some(change)) = (&self.active, change) else {
            return was_asked.then(|| progress(1000)).into_iter().collect();
        };
        let question = match &change {
            WhatIf::Drain(nodes) => Question::Drain(nodes.clone()),
            WhatIf::LoseZone(zone) => Question::LoseZone(zone.clone()),
        };
        match Asking::start(active.session.clone(), question) {
            Ok(asking) => {
                self.asked = Some(Asked {
                    change,
                    at: active.session.now().0,
                    asking: Box::new(asking),
                    reported: 0,
                });
                vec![progress(0)]
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Does a piece of the work on a question. Returns its progress, or the answer.
    pub(super) fn continue_what_if(&mut self) -> Option<Update> {
        let mut asked = self.asked.take()?;
        if asked.asking.work(EVENTS_PER_PIECE) {
            let answer = asked.asking.into_answer();
            return Some(Update::WhatIf(Box::new(view(asked.change, asked.at, answer))));
        }
        let per_mille = asked.asking.per_mille();
        let update = (per_mille >= asked.reported + PER_MILLE_PER_UPDATE).then(|| {
            asked.reported = per_mille;
            progress(per_mille)
        });
        self.asked = Some(asked);
        update
    }
}

fn view(change: WhatIf, at: i64, answer: Answer) -> WhatIfAnswer {
    let sections = whatif::sections(&answer).into_iter();
    WhatIfAnswer {
        change,
        at,
        sections: sections
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(title, lines)| (title.to_owned(), lines))
            .collect(),
        summary: whatif::summary(&answer),
        markdown: whatif::markdown(&answer),
        moves: (answer.moves.into_iter())
            .map(|one| PodMove {
                pod: one.pod,
                from: one.from,
                to: one.to,
                reason: one.reason,
                waits: one.waits,
            })
            .collect(),
    }
}
