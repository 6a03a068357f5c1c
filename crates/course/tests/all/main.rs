//! Tests of practice, courses and grading through the public API of the crate.

use podscope_course::course::{Course, ItemSource};
use podscope_course::grade::{self, HandedRun};
use podscope_course::scorm;
use podscope_course::{Family, MAX_LEVEL, Task, course_text, courses, families, family_text};
use podscope_messages::Sentence;
use podscope_session::lessons;
use podscope_session::link::{Link, ReaderState};
use podscope_session::play::{self, Attempt};
use serde_json::json;

/// Returns the complaints in English, one per line.
fn english_lines(complaints: &[Sentence]) -> String {
    let lines: Vec<String> = complaints.iter().map(Sentence::english).collect();
    lines.join("\n")
}

/// Returns a built-in practice family.
fn built_in_family(name: &str) -> Family {
    let text = family_text(name).unwrap_or_else(|| panic!("{name} is built in"));
    Family::read(&format!("{name}.yaml"), text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// Generates a task; panics if that fails.
fn draw_task(family: &Family, seed: u64, level: u32) -> Task {
    Task::draw(family, seed, level).unwrap_or_else(|problems| panic!("{} {seed} {level}: {problems:?}", family.name))
}

/// Shows: E-06
#[test]
fn tasks_of_each_family_and_level_have_one_right_answer() {
    let mut complaints = Vec::new();
    assert!(families().count() >= 15);
    for name in families() {
        let family = built_in_family(name);
        assert_eq!(family.name, name, "the file is named like the family");
        let mut answers = Vec::new();
        for (level, seed) in (1..=MAX_LEVEL).flat_map(|level| (1..=3).map(move |seed| (level, seed))) {
            let task = match Task::draw(&family, seed, level) {
                Ok(task) => task,
                Err(problems) => {
                    complaints.push(format!("{name}, seed {seed}, level {level}: {problems:?}"));
                    continue;
                }
            };
            if task.text.contains("${") {
                complaints.push(format!("{name}, seed {seed}, level {level}: a variable has no value"));
            }
            let right = task.check(&task.answer);
            if !right.is_right || right.why.is_empty() {
                complaints.push(format!("{name}, seed {seed}, level {level}: {right:?}"));
            }
            for option in task.options.iter().filter(|option| **option != task.answer) {
                let wrong = task.check(option);
                if wrong.is_right || wrong.why.is_empty() {
                    complaints.push(format!("{name}, seed {seed}, level {level}, {option}: {wrong:?}"));
                }
            }
            answers.push(task.answer);
        }
        answers.sort_unstable();
        answers.dedup();
        if answers.len() < 2 {
            complaints.push(format!("{name}: all tasks have the same answer {answers:?}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Shows: E-06
#[test]
fn same_seed_and_level_give_same_task() {
    let family = built_in_family("which-node");
    let (first, again) = (draw_task(&family, 5, 2), draw_task(&family, 5, 2));
    assert_eq!((&first.text, &first.answer), (&again.text, &again.answer));
    let others = (1..=6).map(|seed| draw_task(&family, seed, 2).text);
    assert!(others.into_iter().any(|text| text != first.text), "seeds differ");
}

/// Shows: E-06
#[test]
fn wrong_node_answer_is_explained_by_scheduler() {
    let task = draw_task(&built_in_family("which-node"), 1, 1);
    let wrong = task
        .options
        .iter()
        .find(|option| **option != task.answer)
        .expect("another node");
    let checked = task.check(wrong);
    assert!(
        !checked.is_right && checked.why.english().starts_with(wrong),
        "{checked:?}"
    );
    let index = task
        .options
        .iter()
        .position(|option| *option == task.answer)
        .expect("it is an option");
    assert!(
        task.check(&format!("{}", index + 1)).is_right,
        "the option's number is accepted"
    );
}

/// Shows: E-10
#[test]
fn invalid_family_is_refused_with_positions() {
    let problems = |text: &str| match Family::read("x.yaml", text) {
        Ok(_) => String::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    let found = problems(
        "apiVersion: podscope.dev/v1alpha1\nkind: Practice\nmetadata: {name: x}\nspec:\n  title: T\n  at: soon\n  axes:\n  - {a: b}\n  - - {a: b, level: 9}\n",
    );
    for want in [
        "x.yaml:4:1: spec.rule: Required value",
        "spec.scenario: Required value",
        "x.yaml:8:5: spec.axes[0]: an axis is a list of alternatives",
        "x.yaml:9:5: spec.axes[1]: level is 1 to 3",
        "x.yaml:6:7: spec.at: \"soon\" is not a time",
    ] {
        assert!(found.contains(want), "{want}\n{found}");
    }
    assert!(
        problems("a: [").contains("there is no document of kind Practice"),
        "{}",
        problems("a: [")
    );
}

/// Plays the lesson `first-pod`, gives `answer` to its question, and returns a link to the run.
fn link_to_first_lesson(attempt: Attempt, answer: &str) -> String {
    let loaded = lessons::load("first-pod").unwrap_or_else(|problems| panic!("{problems:?}"));
    let played = play::play(loaded, attempt, None).unwrap_or_else(|problems| panic!("{problems:?}"));
    let link = Link {
        reading: Some(ReaderState {
            step: 2,
            answers: vec![(2, Some(answer.to_owned()))],
        }),
        ..Link::of(&played.session, Some("first-pod"), String::new())
    };
    format!("#{}", link.encode())
}

/// Shows: E-08
#[test]
fn handed_in_run_is_replayed_and_its_answers_are_checked() {
    let file = json!({
        "kind": "HandIn", "name": "Ada",
        "lessons": [{"lesson": "first-pod", "run": link_to_first_lesson(Attempt::Solution, "0"), "minutes": 3.5, "hints": 2, "finished": true}],
    });
    let hand_in = grade::read("ada.json", &file.to_string()).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(hand_in.name, "Ada");
    let [run] = &grade::grade(&hand_in)[..] else {
        panic!("one run")
    };
    assert!(run.is_finished && run.complaints.is_empty(), "{run:?}");
    assert_eq!((run.goals.0, run.right_answers()), (run.goals.1, (1, 1)));
    assert_eq!(run.handed.hints, Some(2));
    assert!((run.score() - 1.0).abs() < f64::EPSILON);
}

/// Shows: E-08
#[test]
fn claim_not_confirmed_by_run_is_reported() {
    let file = json!({
        "kind": "HandIn",
        "lessons": [
            {"lesson": "first-pod", "run": link_to_first_lesson(Attempt::Nothing, "1"), "finished": true},
            {"lesson": "keep-three", "run": link_to_first_lesson(Attempt::Solution, "1"), "finished": true},
            {"lesson": "first-pod", "run": "#s1:broken"},
        ],
    });
    let hand_in = grade::read("work/bob.json", &file.to_string()).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(hand_in.name, "bob", "the file's name, if it names nobody");
    let runs = grade::grade(&hand_in);
    let complaint = |at: usize| english_lines(&runs[at].complaints);
    assert!(complaint(0).contains("the run does not finish it"), "{}", complaint(0));
    assert!(
        complaint(1).contains("handed in as “Always three”, and the run is of “Your first pod”"),
        "{}",
        complaint(1)
    );
    assert!(complaint(2).contains("the link cannot be read"), "{}", complaint(2));
    let frequent = grade::frequent_mistakes(&runs);
    let [mistake] = &frequent[..] else {
        panic!("{frequent:?}")
    };
    assert_eq!(
        (mistake.wrong.as_str(), mistake.right.as_str(), mistake.count),
        ("1", "0", (1, 1))
    );
}

/// A custom lesson with this title and two goals: the pods a and b exist.
fn custom_lesson(title: &str) -> String {
    let goal = |pod: &str| format!("  - text: Create {pod}.\n    goal: {{count: pods -l run={pod}, equals: 1}}\n");
    let (a, b) = (goal("a"), goal("b"));
    let node =
        "apiVersion: v1\nkind: Node\nmetadata: {name: n-1}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}\n";
    let kind = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario";
    format!("{kind}\nmetadata: {{name: x}}\nspec:\n  title: {title}\n  steps:\n{a}{b}---\n{node}")
}

/// Returns a link to a run of a scenario file, in which the pod a was created.
fn link_to_custom_run(file: &str, text: &str) -> String {
    let link = Link {
        commands: vec![(1_000_000, "kubectl run a --image=nginx".to_owned())],
        cursor: 5_000_000,
        ..Link::of_files(vec![(file.to_owned(), text.to_owned())], 1)
    };
    format!("#{}", link.encode())
}

/// A handed-in file can name a custom lesson by its file name or by its title.
/// Shows: E-13
#[test]
fn hand_in_names_custom_lesson_by_file_name_or_title() {
    let run = link_to_custom_run("own.yaml", &custom_lesson("My own lesson"));
    let other = link_to_custom_run("other.yaml", &custom_lesson("Another lesson"));
    let built_in = link_to_custom_run("first-pod.yaml", &custom_lesson("first-pod"));
    let lessons = [
        ("own", &run),
        ("My own lesson", &run),
        ("own", &other),
        ("My own lesson", &other),
        ("first-pod", &run),
        ("first-pod", &built_in),
    ];
    let lessons = lessons.map(|(lesson, run)| json!({"lesson": lesson, "run": run}));
    let file = json!({"kind": "HandIn", "name": "Ada", "lessons": lessons}).to_string();
    let hand_in = grade::read("x.json", &file).unwrap_or_else(|problems| panic!("{problems:?}"));
    let runs = grade::grade(&hand_in);
    let complaints: Vec<String> = runs.iter().map(|run| english_lines(&run.complaints)).collect();
    assert_eq!(
        complaints,
        [
            "",
            "",
            "it is handed in as “own”, and the run is of “Another lesson”",
            "it is handed in as “My own lesson”, and the run is of “Another lesson”",
            "it is handed in as “Your first pod”, and the run is of “My own lesson”",
            "it is handed in as “Your first pod”, and the run is of another scenario of that name",
        ]
    );
    assert_eq!((runs[0].title.as_str(), runs[0].goals), ("My own lesson", (1, 2)));
}

/// Shows: E-13
#[test]
fn course_identifies_custom_lesson_by_file_name_or_text() {
    let inline = custom_lesson("Inline lesson");
    let indented = inline.replace('\n', "\n      ");
    let text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Course\nmetadata: {{name: x}}\nspec:\n  title: T\n  lessons:\n  - {{url: lessons/own.yaml}}\n  - inline: |\n      {}\n",
        indented.trim_end()
    );
    let course = Course::read("x.yaml", &text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let easier = inline.replace("run=b", "run=a");
    let percent = |inline: &str| {
        let lessons = [
            link_to_custom_run("own.yaml", &custom_lesson("My own lesson")),
            link_to_custom_run("Inline lesson.yaml", inline),
        ];
        let lessons = lessons.map(|run| json!({"run": run}));
        let file = json!({"kind": "HandIn", "name": "Ada", "lessons": lessons}).to_string();
        let hand_in = grade::read("x.json", &file).unwrap_or_else(|problems| panic!("{problems:?}"));
        let results = grade::results(&course, &grade::grade(&hand_in));
        (results[0].percent.round() as u32, results[0].missing)
    };
    assert_eq!(percent(&inline), (50, 0));
    assert_eq!(
        percent(&easier),
        (25, 1),
        "a run of a changed copy is none of the lesson"
    );
}

/// Shows: E-08
#[test]
fn text_file_with_links_is_accepted_as_hand_in() {
    let text = format!("My work:\n{}\n", link_to_first_lesson(Attempt::Solution, "0"));
    let hand_in = grade::read("carol.txt", &text).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!((hand_in.name.as_str(), hand_in.runs.len()), ("carol", 1));
    assert_eq!(hand_in.runs[0].lesson, HandedRun::default().lesson);
    assert!(grade::grade(&hand_in)[0].is_finished);
    for (text, want) in [
        ("nothing here", "neither a hand-in (JSON) nor a link"),
        ("{\"kind\": ", "this is no JSON"),
        ("{\"kind\": \"Pod\"}", "kind: it must be HandIn"),
        (
            "{\"kind\": \"HandIn\", \"lessons\": [{}]}",
            "lessons[0].run: Required value",
        ),
    ] {
        let problems = grade::read("x.json", text).expect_err(text);
        assert!(problems[0].to_string().contains(want), "{}", problems[0]);
    }
}

/// Shows: E-08
#[test]
fn course_result_counts_best_run_of_each_item() {
    let text = "apiVersion: podscope.dev/v1alpha1\nkind: Course\nmetadata: {name: x}\nspec: {title: T, lessons: [first-pod, keep-three], exam: {minutes: 5, pass: 70, weights: {first-pod: 3}}}\n";
    let course = Course::read("x.yaml", text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let lessons =
        [Attempt::Nothing, Attempt::Solution].map(|attempt| json!({"run": link_to_first_lesson(attempt, "0")}));
    let file = json!({"kind": "HandIn", "name": "Ada", "lessons": lessons}).to_string();
    let hand_in = grade::read("x.json", &file).unwrap_or_else(|problems| panic!("{problems:?}"));
    let [result] = &grade::results(&course, &grade::grade(&hand_in))[..] else {
        panic!("one student")
    };
    assert!(
        (result.percent - 75.0).abs() < 0.01 && result.is_passed && result.missing == 1,
        "{result:?}"
    );
}

/// Shows: E-09
#[test]
fn built_in_courses_are_valid() {
    for name in courses() {
        let course = Course::read(name, course_text(name).unwrap_or_default());
        let course = course.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for item in &course.items {
            if let ItemSource::Practice {
                family: name,
                seed,
                level,
            } = &item.source
            {
                draw_task(&built_in_family(name), *seed, *level);
            }
        }
    }
    let exam = Course::read("x", course_text("exam-scheduling").unwrap_or_default()).expect("it is valid");
    let terms = exam.exam.expect("it is an exam");
    assert_eq!((exam.items.len(), terms.minutes, terms.pass), (16, 90, 66));
    assert!(!exam.has_hints && !exam.has_show_me);
    let (all, none) = (exam.percent_and_pass(&[1.0; 16]), exam.percent_and_pass(&[0.0; 16]));
    assert!((all.0 - 100.0).abs() < 0.01 && all.1 && !none.1, "{all:?} {none:?}");
    assert!(!exam.percent_and_pass(&[0.65; 16]).1 && exam.percent_and_pass(&[0.67; 16]).1);
}

/// Shows: E-10
#[test]
fn invalid_course_is_refused_with_positions() {
    let text = "apiVersion: podscope.dev/v1alpha1\nkind: Course\nmetadata: {name: x}\nspec:\n  title: T\n  theme: pink\n  lessons:\n  \
        - no-such-lesson\n  - {practice: which-node, level: 7}\n  - {url: \"https://elsewhere.example/x.yaml\"}\n  - {inline: \"kind: Scenario\"}\n  \
        - {video: x}\n  exam: {minutes: 0, pass: 120, weights: {first-pod: 2}}\n";
    let problems = Course::read("x.yaml", text).expect_err("it is bad");
    let found: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
    for want in [
        "x.yaml:8:5: spec.lessons[0]: there is no lesson \"no-such-lesson\"",
        "spec.lessons[1]: level: it is 1 to 3",
        "spec.lessons[2]: url: only files of the same site are opened",
        "spec.lessons[3]: ",
        "spec.lessons[4]: unknown field \"video\"",
        "spec.exam.minutes: Required value",
        "spec.exam.pass: it is a number of per cent",
        "spec.exam.weights: \"first-pod\" is none of the lessons",
        "spec.theme: Unsupported value: \"pink\"",
    ] {
        assert!(found.contains(want), "{want}\n{found}");
    }
}

/// Shows: E-03
#[test]
fn scorm_manifest_lists_all_files_and_escapes_names() {
    let text = "apiVersion: podscope.dev/v1alpha1\nkind: Course\nmetadata: {name: a & b}\nspec: {title: \"Pods <1>\", lessons: [first-pod], exam: {minutes: 5, pass: 70}}\n";
    let course = Course::read("x.yaml", text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let files = scorm::package(
        &course,
        text,
        vec![("index.html".into(), b"x".to_vec()), ("a&b.js".into(), Vec::new())],
    );
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "imsmanifest.xml",
            "site/index.html",
            "site/a&b.js",
            "site/course.yaml",
            "launch.js",
            "launch.html"
        ]
    );
    let manifest = String::from_utf8_lossy(&files[0].1);
    for want in [
        "<schemaversion>1.2</schemaversion>",
        "<title>Pods &lt;1&gt;</title>",
        "identifier=\"podscope-a---b\"",
        "adlcp:scormtype=\"sco\" href=\"launch.html\"",
        "<adlcp:masteryscore>70</adlcp:masteryscore>",
        "<file href=\"site/a&amp;b.js\"/>",
    ] {
        assert!(manifest.contains(want), "{want}\n{manifest}");
    }
}
