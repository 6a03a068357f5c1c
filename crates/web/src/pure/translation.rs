//! Translates the session and the lessons into the page's language. The state keeps the English texts, because they
//! identify lessons, answers and runs; the root component passes translated copies to the components that draw them.

use podscope_messages::{is_english, localized, translated};
use podscope_protocol::{
    Guarantee, LessonCondition, LessonInfo, OpenedSession, PracticeTask, StoryStep, is_command_hint,
};

/// Translates texts, and counts the texts for which the language has no translation.
#[derive(Debug, Default)]
struct Translator<'a> {
    /// The practice task of the session.
    task: Option<&'a PracticeTask>,
    n_missing: usize,
}

impl Translator<'_> {
    /// Replaces a text by its translation. A text that has no translation stays, and is counted.
    fn translate_in_place(&mut self, text: &mut String) {
        if text.trim().is_empty() {
            return;
        }
        match translated(text).or_else(|| translate_task_text(self.task?, text)) {
            Some(translation) => *text = translation,
            None => self.n_missing += 1,
        }
    }

    fn translate_step(&mut self, step: &mut StoryStep) {
        self.translate_in_place(&mut step.text);
        if let Some(question) = &mut step.question {
            // The options are not translated, because answers are compared with them.
            self.translate_in_place(&mut question.ask);
            for (_, why) in question.why.iter_mut() {
                self.translate_in_place(why);
            }
        }
        for condition in step.goals.iter_mut().chain(&mut step.keeps) {
            if let LessonCondition::AuthorText(text) = condition {
                self.translate_in_place(text);
            }
        }
        for mistake in &mut step.mistakes {
            self.translate_in_place(mistake);
        }
        for hint in step.hints.iter_mut().filter(|hint| !is_command_hint(hint)) {
            self.translate_in_place(hint);
        }
    }
}

/// Translates a text of a practice task: a text with generated values, or the reason of an answer.
fn translate_task_text(task: &PracticeTask, text: &str) -> Option<String> {
    let reason = || {
        let of_answer = task.reasons.iter().map(|(_, reason)| reason);
        let reason = of_answer
            .filter(|reason| reason.is_message())
            .find(|reason| reason.english() == text);
        reason.map(ToString::to_string)
    };
    task.texts.translated(text).or_else(reason)
}

/// Returns a session whose story is in the page's language, and whether a translation is missing for some of its texts.
/// `task` is the practice task of the session.
pub(crate) fn translate_opened_session(opened: &OpenedSession, task: Option<&PracticeTask>) -> (OpenedSession, bool) {
    let (mut opened, mut translator) = (opened.clone(), Translator { task, n_missing: 0 });
    if is_english() {
        return (opened, false);
    }
    translator.translate_in_place(&mut opened.title);
    for step in &mut opened.story {
        translator.translate_step(step);
    }
    (opened, translator.n_missing > 0)
}

/// Returns a copy of the list of lessons in the page's language.
pub(crate) fn translate_lessons(lessons: &[LessonInfo]) -> Vec<LessonInfo> {
    let mut lessons = lessons.to_vec();
    let mut translator = Translator::default();
    for lesson in &mut lessons {
        for text in [
            &mut lesson.title,
            &mut lesson.group,
            &mut lesson.summary,
            &mut lesson.rule,
            &mut lesson.variation,
        ] {
            translator.translate_in_place(text);
        }
    }
    lessons
}

/// Returns copies of the guarantees in the page's language.
pub(crate) fn translate_guarantees(guarantees: &[Guarantee]) -> Vec<Guarantee> {
    let translated = |guarantee: &Guarantee| Guarantee {
        group: localized(&guarantee.group),
        statement: localized(&guarantee.statement),
        keeper: localized(&guarantee.keeper),
        breaker: localized(&guarantee.breaker),
        ..guarantee.clone()
    };
    guarantees.iter().map(translated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_messages::{Locale, Plural, digest, explained, set};
    use podscope_protocol::{FilledTexts, TaskId};

    /// Returns a locale that has these translated texts and no messages.
    fn language_with_texts(texts: &[(&str, &str)]) -> Locale {
        let mut file = "\0".repeat(podscope_messages::N_MESSAGES);
        for (english, translation) in texts {
            file.push_str(&format!("{:016x}\0{translation}\0", digest(english)));
        }
        Locale::new("es", file, Plural::english).expect("a language's file")
    }

    #[test]
    fn story_is_translated_and_missing_texts_are_noticed() {
        let step = StoryStep {
            text: "A pod waits.\n".into(),
            hints: vec!["kubectl get pods".into()],
            ..StoryStep::default()
        };
        let session = OpenedSession {
            title: "Your first pod".into(),
            lesson: Some("first-pod".into()),
            story: vec![step],
            ..OpenedSession::default()
        };
        set(Some(language_with_texts(&[("A pod waits.", "Un Pod espera.")])));
        let (shown, lacks_some) = translate_opened_session(&session, None);
        set(None);
        assert_eq!(shown.story[0].text, "Un Pod espera.");
        assert_eq!(shown.story[0].hints, session.story[0].hints);
        assert_eq!(shown.title, session.title);
        assert!(lacks_some);
        assert_eq!(translate_opened_session(&session, None), (session, false));
    }

    /// The translation of a task's template gets the task's values, and a reason is found by its text.
    /// Shows: E-16
    #[test]
    fn translated_task_contains_its_values_and_reasons() {
        let task = PracticeTask {
            id: TaskId {
                family: "how-many-fit".into(),
                seed: 1,
                level: 1,
            },
            title: "How many of them run?".into(),
            rule: String::new(),
            topic: String::new(),
            reasons: vec![("a-1".into(), explained::fits.sentence())],
            texts: FilledTexts {
                templates: vec!["${n} pods wait.".into()],
                values: vec![("n".into(), "3".into())],
            },
            max_level: 3,
        };
        set(Some(language_with_texts(&[("${n} pods wait.", "Esperan ${n} Pods.")])));
        let found = ["3 pods wait.\n", "can take the pod", "3 pods run."].map(|text| translate_task_text(&task, text));
        set(None);
        let want = [Some("Esperan 3 Pods."), Some("can take the pod"), None];
        assert_eq!(found, want.map(|text| text.map(str::to_owned)));
    }
}
