//! If a lesson says what a command prints, the test runs the command and compares its output with the lesson.

use podscope_cluster::Span;
use podscope_session::lessons;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;
use podscope_tests::sentences::run_and_print;

/// A sentence of a lesson and the command that checks it.
struct LessonSentence {
    lesson: &'static str,
    /// Part of the sentence, exactly as in the file of the lesson.
    words: &'static str,
    /// The simulated second and the command line of a command that is run before the checked command.
    before: Option<(i64, &'static str)>,
    /// Simulated second at which the command `run` is run.
    at: i64,
    run: &'static str,
    must_contain: &'static str,
    must_not_contain: Option<&'static str>,
}

const fn sentence(
    lesson: &'static str,
    words: &'static str,
    at: i64,
    run: &'static str,
    must_contain: &'static str,
    must_not_contain: Option<&'static str>,
) -> LessonSentence {
    LessonSentence {
        lesson,
        words,
        before: None,
        at,
        run,
        must_contain,
        must_not_contain,
    }
}

const SENTENCES: [LessonSentence; 18] = [
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
    LessonSentence {
        before: Some((30, "kubectl delete pod app --wait=false")),
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
    sentence(
        "ask-and-limit",
        "`kubectl describe pod import` says so",
        25,
        "kubectl describe pod import",
        "OOMKilled",
        None,
    ),
    sentence(
        "logs-and-describe",
        "`kubectl get pods` says that neither is well",
        16,
        "kubectl get pods",
        "CreateContainerConfigError",
        Some("1/1"),
    ),
    sentence(
        "logs-and-describe",
        "`kubectl logs POD` prints what the **program** wrote",
        12,
        "kubectl logs worker",
        "process started",
        None,
    ),
    sentence(
        "logs-and-describe",
        "`kubectl describe pod POD` prints what the **cluster** did",
        12,
        "kubectl describe pod api",
        "configmap \"api-settings\" not found",
        None,
    ),
    sentence(
        "logs-and-describe",
        "`kubectl logs worker --previous` prints what the container before this one wrote",
        27,
        "kubectl logs worker --previous",
        "exiting with code 3",
        None,
    ),
    sentence(
        "claim-a-device",
        "`kubectl get resourceclaims` shows the state `allocated,reserved`",
        12,
        "kubectl get resourceclaims",
        "allocated,reserved",
        None,
    ),
    sentence(
        "claim-outlives-its-pod",
        "`kubectl get resourceclaims` shows its state: `pending`",
        31,
        "kubectl get resourceclaims",
        " pending ",
        Some("allocated"),
    ),
];

/// Shows: E-01
#[test]
fn commands_print_what_lessons_say() {
    let mut complaints = Vec::new();
    for sentence in &SENTENCES {
        let LessonSentence { lesson, words, at, .. } = sentence;
        let text = lessons::text(lesson).unwrap_or_default();
        if !text.contains(words) {
            complaints.push(format!("{lesson} does not say {words:?}"));
        }
        let loaded = lessons::load(lesson).expect("a lesson");
        let mut shell = Shell::new(Session::new(loaded).expect("a session"));
        let mut now = 0;
        if let Some((second, line)) = sentence.before {
            shell.advance(Span::seconds(second));
            run_and_print(&mut shell, line, None);
            now = second;
        }
        shell.advance(Span::seconds(at - now));
        let answer = run_and_print(&mut shell, sentence.run, None);
        if !answer.contains(sentence.must_contain)
            || sentence.must_not_contain.is_some_and(|text| answer.contains(text))
        {
            complaints.push(format!("{lesson}, {words:?}, at {at} s: {answer}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Shows: E-01. Each sentence that says what a command prints is in the table above.
#[test]
fn every_sentence_about_output_is_checked() {
    const READ_SUBCOMMANDS: [&str; 5] = ["get ", "describe ", "logs ", "top ", "explain "];
    const SAY_VERBS: [&str; 4] = [" says ", " shows ", " prints ", " tells "];
    let is_claim = |sentence: &str| {
        let mut after_kubectl = sentence
            .match_indices("`kubectl ")
            .map(|(at, prefix)| &sentence[at + prefix.len()..]);
        after_kubectl.any(|rest| {
            READ_SUBCOMMANDS.iter().any(|verb| rest.starts_with(verb))
                && SAY_VERBS.iter().any(|verb| rest.contains(verb))
        })
    };
    let mut complaints = Vec::new();
    for name in lessons::names() {
        let text = lessons::text(name).unwrap_or_default();
        let sentences = text.lines().flat_map(|line| line.split_inclusive(['.', '?']));
        for sentence in sentences.filter(|sentence| is_claim(sentence)) {
            let is_checked = SENTENCES
                .iter()
                .any(|checked| checked.lesson == name && sentence.contains(checked.words));
            if !is_checked {
                complaints.push(format!("{name}: {sentence}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
