//! What-if questions of the page about its session: a copy of the session computes the answer in pieces of work. Also
//! computes the figures that compare two runs.

use podscope_api::{ObjectKey, ordered};
use podscope_messages::{Sentence, sentence};
use podscope_protocol::markdown::Block;
use podscope_protocol::{
    ComparedFigures, NodeFullness, NodeRoom, PodMove, Problem, RoomChange, Task, Update, WhatIf, WhatIfAnswer,
};

use super::Host;
use crate::compare::{self, ResourceBalance};
use crate::timeline::Session;
use crate::whatif::{self, Answer, Consolidation, ConsolidationSearch, FitAnswer, FitRun, Question, QuestionRun};

/// Maximum number of simulation events in one piece of the work on a what-if question.
const EVENTS_PER_PIECE: u64 = 100;
/// Maximum number of copies of a pod that are placed in one piece of the work on a what-if question.
const POD_COPIES_PER_PIECE: usize = 20;
/// Maximum number of drains that are tried to find nodes that the cluster does not need.
const MAX_DRAINS: usize = 20;
/// The page gets the next progress update when the progress has grown by this amount, in per mille.
const PROGRESS_STEP_PER_MILLE: u32 = 10;

/// The what-if question that is being computed.
#[derive(Debug)]
pub(super) struct RunningQuestion {
    change: WhatIf,
    /// The instant of the session at which the question was asked, in microseconds.
    at: i64,
    work: QuestionWork,
    /// The progress in the last progress update.
    reported_per_mille: u32,
}

/// The computation that answers a what-if question.
#[derive(Debug)]
enum QuestionWork {
    /// Runs the session with the change and without it.
    Run(Box<QuestionRun>),
    /// Counts how many copies of a pod fit. If fewer fit than are needed, looks for changes that make room for more.
    Fit(Box<FitRun>),
    /// Drains the emptiest nodes, to find nodes that can be removed.
    Consolidate(Box<ConsolidationSearch>),
}

impl QuestionWork {
    fn start(session: &Session, change: &WhatIf) -> Result<Self, Vec<Problem>> {
        let question = match change {
            WhatIf::Drain(nodes) => Question::Drain(nodes.clone()),
            WhatIf::LoseZone(zone) => Question::LoseZone(zone.clone()),
            WhatIf::Consolidate => {
                let consolidating = ConsolidationSearch::start(session.clone(), MAX_DRAINS);
                return Ok(Self::Consolidate(Box::new(consolidating)));
            }
            WhatIf::Figures => return Err(vec![Problem::of_file("compare", "there is no other run".to_owned())]),
            WhatIf::Fit { pod, need } => {
                let (namespace, name) = pod.split_once('/').unwrap_or(("default", pod));
                let fitting = FitRun::of_pod(session, &ObjectKey::new(namespace, name), *need as usize)?;
                return Ok(Self::Fit(Box::new(fitting)));
            }
        };
        Ok(Self::Run(Box::new(QuestionRun::start(session.clone(), question)?)))
    }

    /// Does a piece of the work on a what-if question. Returns whether the work is complete.
    fn do_piece_of_work(&mut self) -> Result<bool, Vec<Problem>> {
        match self {
            Self::Run(asking) => Ok(asking.work(EVENTS_PER_PIECE)),
            Self::Fit(fitting) => Ok(fitting.work(POD_COPIES_PER_PIECE)),
            Self::Consolidate(consolidating) => consolidating.work(EVENTS_PER_PIECE),
        }
    }

    /// Returns the progress in per mille. While copies of a pod are counted it is 0, because the number of copies that
    /// will fit is not known.
    fn progress_per_mille(&self) -> u32 {
        match self {
            Self::Run(asking) => asking.progress_per_mille(),
            Self::Fit(_) => 0,
            Self::Consolidate(consolidating) => {
                let (tried, of) = consolidating.n_tried();
                u32::try_from(tried * 1000 / of.max(1)).unwrap_or(0).min(999)
            }
        }
    }

    fn into_answer(self, change: WhatIf, at: i64) -> WhatIfAnswer {
        match self {
            Self::Run(asking) => answer_of_run(change, at, asking.into_answer()),
            Self::Fit(fitting) => answer_of_fit(change, at, &fitting.into_fit()),
            Self::Consolidate(consolidating) => answer_of_consolidation(change, at, &consolidating.into_answer()),
        }
    }
}

const fn progress_update(per_mille: u32) -> Update {
    Update::Progress {
        task: Task::WhatIf,
        per_mille,
    }
}

impl Host {
    /// Starts to compute the answer to a what-if question and stops an earlier question. `None` only stops the earlier
    /// question.
    pub(super) fn what_if(&mut self, change: Option<WhatIf>) -> Vec<Update> {
        let was_asked = self.asked.take().is_some();
        let (Some(active), Some(change)) = (&self.active, change) else {
            return was_asked.then(|| progress_update(1000)).into_iter().collect();
        };
        if let (WhatIf::Figures, Some(other)) = (&change, &self.other) {
            let answer = answer_with_compared_figures(&active.session, &other.session);
            return vec![Update::WhatIf(Box::new(answer))];
        }
        match QuestionWork::start(&active.session, &change) {
            Ok(work) => {
                self.asked = Some(RunningQuestion {
                    change,
                    at: active.session.now().0,
                    work,
                    reported_per_mille: 0,
                });
                vec![progress_update(0)]
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Does a piece of work on the current what-if question. Returns a progress update, or the answer.
    pub(super) fn continue_what_if(&mut self) -> Option<Update> {
        let mut asked = self.asked.take()?;
        match asked.work.do_piece_of_work() {
            Ok(true) => {
                let answer = asked.work.into_answer(asked.change, asked.at);
                return Some(Update::WhatIf(Box::new(answer)));
            }
            Ok(false) => {}
            Err(problems) => return Some(Update::Refused { problems }),
        }
        let per_mille = asked.work.progress_per_mille();
        let update = (per_mille >= asked.reported_per_mille + PROGRESS_STEP_PER_MILLE).then(|| {
            asked.reported_per_mille = per_mille;
            progress_update(per_mille)
        });
        self.asked = Some(asked);
        update
    }
}

/// Creates an answer that consists only of texts, without changes for the page to show in the drawing of the cluster.
fn text_only_answer(
    change: WhatIf,
    at: i64,
    sections: impl IntoIterator<Item = (Sentence, Vec<Sentence>)>,
    summary: Sentence,
    markdown: Vec<Block>,
) -> WhatIfAnswer {
    let sections = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
    WhatIfAnswer {
        change,
        at,
        moves: Vec::new(),
        room: Vec::new(),
        changes: Vec::new(),
        can_go: Vec::new(),
        figures: ComparedFigures::default(),
        sections: sections.collect(),
        summary,
        markdown,
    }
}

fn answer_of_run(change: WhatIf, at: i64, answer: Answer) -> WhatIfAnswer {
    let (summary, markdown) = (whatif::summary(&answer), whatif::markdown(&answer));
    let sections = whatif::sections(&answer);
    WhatIfAnswer {
        moves: (answer.moves.into_iter())
            .map(|one| PodMove {
                pod: one.pod,
                from: one.from,
                to: one.to,
                reason: one.reason,
                waits: one.waits,
            })
            .collect(),
        ..text_only_answer(change, at, sections, summary, markdown)
    }
}

fn answer_of_fit(change: WhatIf, at: i64, fit: &FitAnswer) -> WhatIfAnswer {
    let mut room: ordered::Map<&str, (usize, &str)> = ordered::Map::new();
    for (node, pods) in &fit.on {
        room.entry(node).or_default().0 = *pods;
    }
    for stopped in &fit.stopped_by {
        room.entry(&stopped.node).or_default().1 = &stopped.reason;
    }
    WhatIfAnswer {
        room: (room.iter())
            .map(|(node, (pods, reason))| NodeRoom {
                node: (*node).to_owned(),
                pods: *pods,
                reason: (*reason).to_owned(),
            })
            .collect(),
        changes: (fit.changes.iter())
            .map(|change| RoomChange {
                commands: change.commands.clone(),
                fits: u32::try_from(change.fits).unwrap_or(u32::MAX),
            })
            .collect(),
        ..text_only_answer(change, at, [], whatif::fit_summary(fit), whatif::fit_markdown(fit))
    }
}

fn answer_of_consolidation(change: WhatIf, at: i64, found: &Consolidation) -> WhatIfAnswer {
    let sections = whatif::consolidation_sections(found);
    let (summary, markdown) = (
        whatif::consolidation_summary(found),
        whatif::consolidation_markdown(found),
    );
    WhatIfAnswer {
        can_go: found.nodes.iter().map(|one| one.node.clone()).collect(),
        ..text_only_answer(change, at, sections, summary, markdown)
    }
}

fn answer_with_compared_figures(session: &Session, other: &Session) -> WhatIfAnswer {
    let comparison = compare::compare_runs([
        (sentence!(figures::this_run), session),
        (sentence!(figures::other_run), other),
    ]);
    let per_mille = |balance: Option<&ResourceBalance>| -> Vec<u32> {
        let shares = balance.map(|balance| &balance.shares).into_iter().flatten();
        shares.map(|share| (share * 1000.0) as u32).collect()
    };
    let resources = (comparison.configurations.first()).map(|one| one.balance.keys());
    let fullness = resources.into_iter().flatten().map(|resource| NodeFullness {
        resource: resource.clone(),
        runs: (comparison.configurations.iter())
            .map(|one| per_mille(one.balance.get(resource)))
            .collect(),
    });
    let summary = sentence!(compared_runs::other_nodes, count = comparison.differs.len());
    let markdown = compare::comparison_markdown(&comparison);
    WhatIfAnswer {
        figures: ComparedFigures {
            rows: compare::comparison_rows(&comparison),
            fullness: fullness.collect(),
        },
        ..text_only_answer(WhatIf::Figures, session.now().0, [], summary, markdown)
    }
}
