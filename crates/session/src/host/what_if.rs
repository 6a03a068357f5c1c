//! What-if questions of the page about its session, answered on a copy.

use podscope_api::Node;
use podscope_protocol::{PodMove, Problem, Update, WhatIf, WhatIfAnswer};

use super::Host;
use crate::whatif::{self, Answer, Question};

/// Number of nodes above which the page does not ask, because the answer would keep the engine busy for too long. The
/// command line has no such limit.
const MAX_NODES: usize = 200;

impl Host {
    pub(super) fn what_if(&self, change: WhatIf) -> Option<Update> {
        let session = &self.active.as_ref()?.session;
        let refused = |message: String| {
            let problems = vec![Problem::of("what if", message)];
            Some(Update::Refused { problems })
        };
        let n_nodes = session.world().objects().list::<Node>().count();
        if n_nodes > MAX_NODES {
            let message = format!(
                "a cluster of {n_nodes} nodes is too large for an answer on the page, which has at most {MAX_NODES}: \
                 save the file and run `podscope whatif drain NODE FILE`"
            );
            return refused(message);
        }
        let question = match &change {
            WhatIf::Drain(nodes) => Question::Drain(nodes.clone()),
            WhatIf::LoseZone(zone) => Question::LoseZone(zone.clone()),
        };
        match whatif::ask_session(session.clone(), &question, || false) {
            Ok(answer) => Some(Update::WhatIf(Box::new(view(change, answer)))),
            Err(problems) => Some(Update::Refused { problems }),
        }
    }
}

fn view(change: WhatIf, answer: Answer) -> WhatIfAnswer {
    let sections = whatif::sections(&answer).into_iter();
    WhatIfAnswer {
        change,
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
            })
            .collect(),
    }
}
