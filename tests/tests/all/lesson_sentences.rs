//! What a lesson says that a command prints is run and compared.

use podscope_cluster::Span;
use podscope_session::lessons;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;
use podscope_tests::sentences::told;

/// A sentence of a lesson and what makes it true.
struct Sentence {
    lesson: &'static str,
    /// A part of it, as the file has it.
    words: &'static str,
    /// What is done before, at which second.
    does: Option<(i64, &'static str)>,
    /// When it is looked, in seconds.
    at: i64,
    run: &'static str,
    says: &'static str,
    not: Option<&'static str>,
}

const fn sentence(
    lesson: &'static str,
    words: &'static str,
    at: i64,
    run: &'static str,
    says: &'static str,
    not: Option<&'static str>,
) -> Sentence {
    Sentence {
        lesson,
        words,
        does: None,
        at,
        run,
        says,
        not,
    }
}

const SENTENCES: [Sentence; 11] = [
    sentence(
        "crashloopbackoff",
        "`kubectl get pods` says `Error` at first",
        12,
        "kubectl get pods",
        " Error ",
        Some("CrashLoopBackOff"),
    ),
    sentence(
        "crashloopbackoff",
        "you see that word in waits of more than a minute",
        280,
        "kubectl get pods",
        " CrashLoopBackOff ",
        None,
    ),
    sentence(
        "crashloopbackoff",
        "The event `BackOff` tells of each wait at once",
        12,
        "kubectl get events",
        " BackOff ",
        None,
    ),
    sentence(
        "init-containers",
        "`kubectl get pods` says `Init:Error` while `migrate` waits",
        20,
        "kubectl get pods",
        " Init:Error ",
        None,
    ),
    sentence(
        "init-containers",
        "it comes to say `Init:CrashLoopBackOff`",
        300,
        "kubectl get pods",
        " Init:CrashLoopBackOff ",
        None,
    ),
    Sentence {
        does: Some((30, "kubectl delete pod app --wait=false")),
        ..sentence(
            "init-containers",
            "When `kubectl get pods` shows it no more",
            120,
            "kubectl get pods",
            "No resources found in default namespace.",
            None,
        )
    },
    sentence(
        "incident-missing-pods",
        "`kubectl get pods` shows four lines, all green",
        25,
        "kubectl get pods --no-headers | grep -c Running",
        "4",
        None,
    ),
    sentence(
        "incident-missing-pods",
        "nothing is Pending, nothing crashes",
        25,
        "kubectl get pods --no-headers | wc -l",
        "4",
        None,
    ),
    sentence(
        "incident-nothing-is-scheduled",
        "`kubectl describe pod fresh` shows no event at all",
        30,
        "kubectl describe pod fresh",
        "<none>",
        Some("FailedScheduling"),
    ),
    sentence(
        "incident-all-green",
        "the pods carry `tier: front`",
        20,
        "kubectl get pods --show-labels",
        "tier=front",
        Some("tier=frontend"),
    ),
    sentence(
        "shutdown-without-errors",
        "`kubectl get pods` tells their names",
        30,
        "kubectl get pods -o name",
        "pod/web-",
        None,
    ),
];

/// Shows: E-01
#[test]
fn what_lessons_say_commands_print_is_printed() {
    let mut complaints = Vec::new();
    for sentence in &SENTENCES {
        let Sentence { lesson, words, at, .. } = sentence;
        let text = lessons::text(lesson).unwrap_or_default();
        if !text.contains(words) {
            complaints.push(format!("{lesson} does not say {words:?}"));
        }
        let loaded = lessons::load(lesson).expect("a lesson");
        let mut shell = Shell::new(Session::new(loaded).expect("a session"));
        let mut now = 0;
        if let Some((second, line)) = sentence.does {
            shell.advance(Span::seconds(second));
            told(&mut shell, line, None);
            now = second;
        }
        shell.advance(Span::seconds(at - now));
        let answer = told(&mut shell, sentence.run, None);
        if !answer.contains(sentence.says) || sentence.not.is_some_and(|not| answer.contains(not)) {
            complaints.push(format!("{lesson}, {words:?}, at {at} s: {answer}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Shows: E-01. A sentence that names a command and says what it prints stands in the table above.
#[test]
fn every_sentence_about_a_command_is_compared() {
    const READ: [&str; 5] = ["get ", "describe ", "logs ", "top ", "explain "];
    const SAYS: [&str; 4] = [" says ", " shows ", " prints ", " tells "];
    let is_claim = |sentence: &str| {
        let mut behind = sentence
            .match_indices("`kubectl ")
            .map(|(at, word)| &sentence[at + word.len()..]);
        behind.any(|rest| READ.iter().any(|verb| rest.starts_with(verb)) && SAYS.iter().any(|says| rest.contains(says)))
    };
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let text = lessons::text(name).unwrap_or_default();
        let sentences = text.lines().flat_map(|line| line.split_inclusive(['.', '?']));
        for sentence in sentences.filter(|sentence| is_claim(sentence)) {
            let is_compared = SENTENCES
                .iter()
                .any(|one| one.lesson == name && sentence.contains(one.words));
            if !is_compared {
                complaints.push(format!("{name}: {sentence}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
