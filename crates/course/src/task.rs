//! Generates a practice task of a family (tasks of the same type), plays it to find the right answer, and checks given
//! answers.

use podscope_api::ObjectKey;
use podscope_cluster::{Happening, Rng, SimTime, Span};
use podscope_kubectl::command;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::FilledTexts;
use podscope_protocol::Problem;
use podscope_session::explained::verdict;
use podscope_session::play::{self, Attempt};
use podscope_session::scenario::{self, Loaded, PredictionQuestion, Timed};
use podscope_session::story::Goal;
use podscope_session::timeline::{Session, Slice};
use podscope_session::triage;

use crate::family::{Family, MAX_LEVEL};

/// Maximum number of attempts to generate a task with exactly one right answer.
const MAX_DRAW_ATTEMPTS: u64 = 64;
/// Simulated time after a command until its effect is evaluated.
const COMMAND_EFFECT_TIME: Span = Span::seconds(180);

/// A generated task with its answer.
#[derive(Debug)]
pub struct Task {
    pub family: Family,
    pub seed: u64,
    pub level: u32,
    /// The texts of the family with the chosen values of its variables.
    pub texts: FilledTexts,
    /// The task as a scenario file, which the page opens like a lesson.
    pub text: String,
    /// Description of the cluster, in Markdown.
    situation: Sentence,
    /// The question about the cluster, in Markdown.
    ask: Sentence,
    /// Answers to choose from. Empty if the answer is the name of a node or pod.
    pub options: Vec<String>,
    /// The right answer.
    pub answer: String,
    /// The question of the scenario; None if the answer is a command.
    predict: Option<PredictionQuestion>,
    /// The run that gave the answer.
    session: Session,
    /// For each option that is a command, the state of the cluster after it.
    effects: Vec<(String, Sentence)>,
}

/// Result of checking an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedAnswer {
    pub is_right: bool,
    /// Why the answer is right or wrong.
    pub why: Sentence,
}

impl Task {
    /// Generates a task. The same family, seed and level give the same task.
    ///
    /// # Errors
    /// The family's scenario has problems, or no attempt gives exactly one right answer.
    pub fn draw(family: &Family, seed: u64, level: u32) -> Result<Self, Vec<Problem>> {
        let file = format!("{}.yaml", family.name);
        let level = level.clamp(1, MAX_LEVEL);
        for attempt in 0..MAX_DRAW_ATTEMPTS {
            let mut rng = Rng::split(seed, &format!("practice/{}/{level}/{attempt}", family.name));
            let values = family.choose_values(level, &mut rng);
            let (text, commands) = family.fill_variables(&values);
            let loaded = scenario::load(&[(file.clone(), text.clone())])?;
            let Some(step) = loaded.scenario.steps.first() else {
                return Err(vec![Problem::of_file(
                    file,
                    "the scenario of a family has one step, which asks",
                )]);
            };
            let (situation, predict) = (Sentence::from(step.text.trim()), step.predict.clone());
            let found = match &predict {
                Some(ask) => find_answer_of_question(family, loaded, ask)?,
                None => find_right_command(family, &loaded, &commands, &mut rng)?,
            };
            let Some(found) = found else { continue };
            let ask = predict.as_ref().map_or_else(
                || sentence!(judged::which_command_mends),
                |ask| Sentence::from(&*ask.ask),
            );
            return Ok(Self {
                family: family.clone(),
                seed,
                level,
                texts: family.fill_step_texts(values),
                text,
                situation,
                ask,
                options: found.options,
                answer: found.answer,
                predict,
                session: found.session,
                effects: found.effects,
            });
        }
        let message = sentence!(refused::no_task, seed = seed.to_string(), level = level);
        Err(vec![Problem::of_file(file, message)])
    }

    /// Returns situation and question in English, in Markdown.
    #[must_use]
    pub fn question(&self) -> String {
        format!("{}\n\n**{}**", self.situation.english(), self.ask.english())
    }

    /// Returns situation and question in the current language, in Markdown.
    #[must_use]
    pub fn translated_question(&self) -> String {
        format!(
            "{}\n\n**{}**",
            self.translated(&self.situation),
            self.translated(&self.ask)
        )
    }

    /// Returns a sentence of this task in the current language. The texts of the family are translated as templates,
    /// and then filled with the values of the task.
    #[must_use]
    pub fn translated(&self, sentence: &Sentence) -> String {
        let filled = self.texts.translated(&sentence.english());
        filled.unwrap_or_else(|| sentence.to_string())
    }

    /// Checks an answer: an option, its number (from 1), or a name.
    #[must_use]
    pub fn check(&self, answer: &str) -> CheckedAnswer {
        let answer = answer.trim();
        let by_number = answer
            .parse::<usize>()
            .ok()
            .and_then(|number| self.options.get(number.checked_sub(1)?));
        let is_option = self.options.iter().any(|option| option == answer);
        let answer = if is_option {
            answer
        } else {
            by_number.map_or(answer, String::as_str)
        };
        let is_right = answer == self.answer;
        CheckedAnswer {
            is_right,
            why: self.explain_answer(answer),
        }
    }

    /// Returns the explanation of an answer: the text of the family, or else the reason that the engine gives.
    fn explain_answer(&self, answer: &str) -> Sentence {
        if let Some((_, effect)) = self.effects.iter().find(|(command, _)| command == answer) {
            return effect.clone();
        }
        let words = |key: &str| {
            self.predict
                .as_ref()
                .and_then(|ask| ask.why.get(key))
                .map(Sentence::from)
        };
        words(answer)
            .or_else(|| self.why_node_is_not_chosen(answer))
            .or_else(|| words("else").filter(|_| answer != self.answer))
            .unwrap_or_else(|| self.family.rule.as_str().into())
    }

    /// Returns the scheduler's verdict on a node.
    fn why_node_is_not_chosen(&self, node: &str) -> Option<Sentence> {
        let attempt = first_attempt_and_feasible_count(&self.session, self.family.pod.as_deref()?)?;
        let explanation = self.session.explain(attempt.0)?.explanation;
        let found = explanation.nodes.iter().find(|one| one.name == node)?;
        Some(sentence!(judged::node, node = node, why = verdict(found)))
    }
}

/// The right answer to a task, found by running the task's scenario.
struct FoundAnswer {
    options: Vec<String>,
    answer: String,
    session: Session,
    effects: Vec<(String, Sentence)>,
}

/// Returns a pod's first scheduling attempt: its sequence number, and the number of feasible nodes.
fn first_attempt_and_feasible_count(session: &Session, pod: &str) -> Option<(u64, usize)> {
    let (namespace, name) = pod.split_once('/')?;
    let key = ObjectKey::new(namespace, name);
    let record = session.attempts_of(&key).next()?;
    match record.happening {
        Happening::Attempt { feasible, .. } => Some((record.seq, feasible)),
        _ => None,
    }
}

/// Plays the scenario of a question. Returns None if the answer is not among the options, or if more than one node
/// would be right.
fn find_answer_of_question(
    family: &Family,
    loaded: Loaded,
    ask: &PredictionQuestion,
) -> Result<Option<FoundAnswer>, Vec<Problem>> {
    let played = play::play(loaded, Attempt::Nothing, None)?;
    let truth = played
        .session
        .progress()
        .story()
        .shown()
        .first()
        .and_then(|shown| shown.truth.as_ref());
    let Some(value) = truth.map(|truth| truth.value.clone()) else {
        return Ok(None);
    };
    let is_unique = match &family.pod {
        Some(pod) => first_attempt_and_feasible_count(&played.session, pod).is_some_and(|(_, feasible)| feasible == 1),
        None => true,
    };
    let answer = match ask.option_for_value(&value) {
        Some(option) => option.to_owned(),
        None if ask.options.is_empty() => value,
        None => return Ok(None),
    };
    Ok(is_unique.then(|| FoundAnswer {
        options: ask.options.clone(),
        answer,
        session: played.session,
        effects: Vec::new(),
    }))
}

/// Plays each command. Returns None unless exactly one reaches all goals of the step.
fn find_right_command(
    family: &Family,
    loaded: &Loaded,
    commands: &[String],
    rng: &mut Rng,
) -> Result<Option<FoundAnswer>, Vec<Problem>> {
    let mut remaining = commands.to_vec();
    let mut options = Vec::new();
    while !remaining.is_empty() {
        options.push(remaining.remove(rng.below(remaining.len() as u64) as usize));
    }
    let mut effects = Vec::new();
    let mut right = Vec::new();
    for option in &options {
        let parsed = command::parse(option).map_err(|error| {
            vec![Problem::of_file(
                format!("{}.yaml", family.name),
                format!("{option}: {error}"),
            )]
        })?;
        let mut session = Session::new(loaded.clone())?;
        let at = SimTime::ZERO + family.at;
        session.schedule(vec![Timed { at, command: parsed }]);
        while session.advance(at + COMMAND_EFFECT_TIME, 100_000) == Slice::More {}
        let story = session.progress().story();
        let reaches = story.halt().is_none()
            && story.shown().first().is_some_and(|shown| {
                !shown.goals.is_empty() && shown.goals.iter().all(|goal| matches!(goal, Goal::Reached(_)))
            });
        effects.push((option.clone(), describe_effect(&session, reaches)));
        if reaches {
            right.push((option.clone(), session));
        }
    }
    if right.len() != 1 {
        return Ok(None);
    }
    Ok(right.pop().map(|(answer, session)| FoundAnswer {
        options,
        answer,
        session,
        effects,
    }))
}

/// Describes the state of the cluster after a command; `reaches_goals` is whether the goals of the step are reached.
fn describe_effect(session: &Session, reaches_goals: bool) -> Sentence {
    let steps = &session.loaded().scenario.steps;
    let shown = session.progress().story().shown().first();
    let mistakes = shown.zip(steps.first()).and_then(|(shown, step)| {
        let made = shown
            .mistakes
            .iter()
            .zip(&step.mistakes)
            .find(|(made, _)| made.is_some())?;
        Some(made.1.say.as_str())
    });
    if let Some(say) = mistakes {
        return say.into();
    }
    let refused = session.finished_commands().iter().any(|(_, _, code)| *code != 0);
    if refused && let Some(line) = session.outputs().last() {
        return sentence!(judged::command_refused, error = line.text.to_string());
    }
    let findings = triage::triage(session, &triage::Scope::default());
    match (reaches_goals, findings.is_empty()) {
        (true, _) => sentence!(judged::all_well),
        (false, true) => sentence!(judged::not_reached),
        (false, false) => {
            let text = triage::plain_text(&findings, session.now().0);
            let lines: Vec<&str> = text.lines().take(3).collect();
            sentence!(judged::findings_after, findings = lines.join("\n"))
        }
    }
}
