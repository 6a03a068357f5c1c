//! `podscope practice`, `course`, `grade` and `scorm`.

use std::io::Read;
use std::path::PathBuf;

use flate2::read::DeflateDecoder;

fn run_podscope(args: &[&str]) -> (i32, String, String) {
    let output = crate::podscope_command()
        .args(args)
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("an exit status, not a signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn create_folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("a writable directory");
    path
}

/// Shows: E-06
#[test]
fn practice_lists_families_and_checks_answers() {
    let (status, listed, _) = run_podscope(&["practice"]);
    assert!(
        status == 0 && listed.lines().count() >= 15 && listed.contains("which-node"),
        "{listed}"
    );
    let (status, asked, _) = run_podscope(&["practice", "which-node", "--seed", "3", "--level", "2"]);
    assert!(
        status == 0 && asked.contains("Which node can take `p`?") && asked.contains("1. a-1"),
        "{asked}"
    );
    let (_, json, _) = run_podscope(&[
        "practice",
        "which-node",
        "--seed",
        "3",
        "--level",
        "2",
        "--answer",
        "a-1",
        "-o",
        "json",
    ]);
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let right = value["answer"].as_str().expect("the answer").to_owned();
    let (status, text, _) = run_podscope(&[
        "practice",
        "which-node",
        "--seed",
        "3",
        "--level",
        "2",
        "--answer",
        &right,
    ]);
    assert!(status == 0 && text.starts_with("Right."), "{text}");
    let wrong = if right == "a-1" { "b-1" } else { "a-1" };
    let (status, text, _) = run_podscope(&[
        "practice",
        "which-node",
        "--seed",
        "3",
        "--level",
        "2",
        "--answer",
        wrong,
    ]);
    assert!(
        status == 1 && text.starts_with("Wrong.") && text.contains("Rule: "),
        "{text}"
    );
    let (status, _, error) = run_podscope(&["practice", "no-such"]);
    assert!(
        status == 2 && error.contains("there is no practice family \"no-such\""),
        "{error}"
    );
    let (status, _, error) = run_podscope(&["practice", "which-node", "--level", "9"]);
    assert!(status == 2 && error.contains("9 is not in 1..=3"), "{error}");
}

/// Shows: E-08
#[test]
fn practice_with_progress_file_schedules_families() {
    let file = create_folder("practice").join("progress.txt");
    drop(std::fs::remove_file(&file));
    let path = file.to_string_lossy().into_owned();
    let (status, text, _) = run_podscope(&["practice", "--progress", &path, "--answer", "nothing"]);
    assert!(
        status == 1 && text.contains("Next (by SM-2):") && text.contains("tomorrow"),
        "{text}"
    );
    run_podscope(&["practice", "--progress", &path, "--answer", "nothing"]);
    let kept = std::fs::read_to_string(&file).expect("the progress");
    assert_eq!(kept.lines().count(), 3, "two families, one after the other: {kept}");
}

/// Shows: E-03, E-06
#[test]
fn practice_task_is_a_scenario_and_a_link() {
    let (_, text, _) = run_podscope(&["practice", "when-is-it-gone", "--seed", "2", "-o", "scenario"]);
    let file = create_folder("practice").join("task.yaml");
    std::fs::write(&file, text).expect("the file is written");
    let file = file.to_string_lossy().into_owned();
    let (_, played, error) = run_podscope(&["run", &file, "--play", "nothing"]);
    assert!(played.contains("  prediction  "), "{played}{error}");
    let (_, link, _) = run_podscope(&["practice", "when-is-it-gone", "--seed", "2", "-o", "link"]);
    let (status, scenario, _) = run_podscope(&["link", "decode", link.trim()]);
    assert!(
        status == 0 && scenario.contains("How long until the pod is gone?"),
        "{scenario}"
    );
}

/// Shows: E-08
#[test]
fn grade_prints_table_csv_and_markdown() {
    let folder = create_folder("grade");
    let lesson = folder.join("task.yaml");
    let (_, text, _) = run_podscope(&["practice", "which-phase", "-o", "scenario"]);
    std::fs::write(&lesson, text).expect("the file is written");
    let (_, link, _) = run_podscope(&["link", "encode", &lesson.to_string_lossy()]);
    let file = folder.join("ada.json");
    let hand_in = serde_json::json!({"kind": "HandIn", "name": "=Ada, \"A\"", "lessons": [{"run": link.trim(), "minutes": 2, "finished": true}]});
    std::fs::write(&file, hand_in.to_string()).expect("the file is written");
    let file = file.to_string_lossy().into_owned();
    let (status, table, _) = run_podscope(&["grade", &file]);
    assert!(
        status == 0 && table.starts_with("STUDENT") && table.contains("claims that the lesson is finished"),
        "{table}"
    );
    let (_, csv, _) = run_podscope(&["grade", &file, "-o", "csv"]);
    assert!(csv.contains("\"'=Ada, \"\"A\"\"\",practice-which-phase,no,"), "{csv}");
    // The CSV output is the same in every language.
    assert_eq!(run_podscope(&["grade", &file, "-o", "csv", "--lang", "en-XA"]).1, csv);
    assert_ne!(run_podscope(&["grade", &file, "--lang", "en-XA"]).1, table);
    let (_, markdown, _) = run_podscope(&["grade", &file, "-o", "markdown"]);
    assert!(markdown.contains("| --- |"), "{markdown}");
    let bad = folder.join("bad.json");
    std::fs::write(&bad, "{").expect("the file is written");
    let (status, table, error) = run_podscope(&["grade", &bad.to_string_lossy(), &file]);
    assert!(
        status == 2 && error.contains("bad.json:1:") && table.contains("Ada"),
        "the others are graded: {error}{table}"
    );
}

/// Shows: E-08
#[test]
fn grade_prints_xapi_statements() {
    let folder = create_folder("grade-xapi");
    let course = folder.join("course.yaml");
    let text = "apiVersion: podscope.dev/v1alpha1\nkind: Course\nmetadata: {name: week-1}\nspec:\n  title: Week 1\n  \
                exam: {minutes: 5, pass: 50}\n  lessons: [{practice: which-phase, seed: 1, level: 1}]\n";
    std::fs::write(&course, text).expect("the file is written");
    let (_, link, _) = run_podscope(&["practice", "which-phase", "--seed", "1", "-o", "link"]);
    let file = folder.join("ada.json");
    let run = |finished: bool| serde_json::json!({"run": link.trim(), "minutes": 1.5, "finished": finished});
    let hand_in = serde_json::json!({"kind": "HandIn", "name": "Ada", "lessons": [run(false), run(true)]});
    std::fs::write(&file, hand_in.to_string()).expect("the file is written");
    let (file, course) = (file.to_string_lossy(), course.to_string_lossy());
    let site = ["--site", "https://learn.example.org/podscope/"];
    let (status, text, error) = run_podscope(&["grade", &file, "-o", "xapi", "--course", &course, site[0], site[1]]);
    assert_eq!(status, 0, "{error}");
    let statements: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let actor = serde_json::json!({"objectType": "Agent", "account": {"homePage": site[1], "name": "Ada"}});
    let statements = statements.as_array().expect("a list");
    assert!(statements.iter().all(|one| one["actor"] == actor), "{text}");
    let of = |verb: &str| {
        let has = |one: &&serde_json::Value| one["verb"]["display"]["en"] == verb;
        statements.iter().filter(has).collect::<Vec<_>>()
    };
    let attempted = of("attempted");
    assert_eq!(attempted.len(), 2, "a run without an answer is not finished: {text}");
    assert_eq!(
        attempted[0]["object"]["id"],
        "https://learn.example.org/podscope/#lesson=practice-which-phase"
    );
    assert_eq!(attempted[0]["result"]["duration"], "PT90S");
    assert!(attempted[0]["result"]["score"]["scaled"].is_number(), "{text}");
    let false_claim = &attempted[1]["result"];
    assert!(
        false_claim["score"].is_null() && false_claim["extensions"]["urn:podscope:complaints"].is_array(),
        "a claim that the run does not confirm has no score: {text}"
    );
    let failed = of("failed");
    assert_eq!(
        failed[0]["object"]["id"],
        "https://learn.example.org/podscope/?course=week-1"
    );
    let (status, _, error) = run_podscope(&["grade", &file, "-o", "xapi"]);
    assert!(status == 2 && error.contains("-o xapi needs --site URL"), "{error}");
}

/// Shows: E-09
#[test]
fn course_is_checked_and_listed() {
    let (status, listed, _) = run_podscope(&["course"]);
    assert!(status == 0 && listed.contains("exam-scheduling"), "{listed}");
    let (_, exam, _) = run_podscope(&["course", "exam-scheduling"]);
    assert!(
        exam.contains("exam: 90 minutes, pass mark 66 %") && exam.contains(" 16. "),
        "{exam}"
    );
    let file = create_folder("course").join("bad.yaml");
    std::fs::write(
        &file,
        "apiVersion: podscope.dev/v1alpha1\nkind: Course\nspec:\n  title: T\n  lessons: [nothing]\n",
    )
    .expect("the file is written");
    let (status, _, error) = run_podscope(&["course", &file.to_string_lossy()]);
    assert!(
        status == 2 && error.contains("bad.yaml:5:13: spec.lessons[0]: there is no lesson \"nothing\""),
        "{error}"
    );
}

/// Reads a number of `length` bytes at the offset `at` of a ZIP file.
fn little_endian(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length]
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | usize::from(*byte))
}

/// Returns the names and contents of the files that the directory of a ZIP file lists.
fn unzipped(zip: &[u8]) -> Vec<(String, Vec<u8>)> {
    let end = zip.len() - 22;
    assert_eq!(&zip[end..end + 4], b"PK\x05\x06");
    let mut at = little_endian(zip, end + 16, 4);
    let mut files = Vec::new();
    for _ in 0..little_endian(zip, end + 10, 2) {
        assert_eq!(&zip[at..at + 4], b"PK\x01\x02");
        let (method, stored) = (little_endian(zip, at + 10, 2), little_endian(zip, at + 20, 4));
        let (name_length, local) = (little_endian(zip, at + 28, 2), little_endian(zip, at + 42, 4));
        let name = String::from_utf8_lossy(&zip[at + 46..at + 46 + name_length]).into_owned();
        let from = local + 30 + name_length;
        let raw = &zip[from..from + stored];
        let mut bytes = Vec::new();
        match method {
            8 => drop(DeflateDecoder::new(raw).read_to_end(&mut bytes).expect("deflated")),
            _ => bytes.extend(raw),
        }
        assert_eq!(bytes.len(), little_endian(zip, at + 24, 4), "{name}");
        files.push((name, bytes));
        at += 46 + name_length;
    }
    files
}

/// Shows: E-03
#[test]
fn scorm_packs_the_site_and_the_course() {
    let site = create_folder("scorm-site");
    std::fs::create_dir_all(site.join("engine")).expect("a writable directory");
    std::fs::write(site.join("index.html"), "<p>".repeat(100)).expect("the file is written");
    std::fs::write(site.join("engine/worker.js"), "x").expect("the file is written");
    let zip = create_folder("scorm").join("course.zip");
    let (site, output) = (site.to_string_lossy().into_owned(), zip.to_string_lossy().into_owned());
    let (status, _, error) = run_podscope(&["scorm", "from-docker", "--site", &site, "-o", &output]);
    assert_eq!(status, 0, "{error}");
    let bytes = std::fs::read(&zip).expect("the package");
    let files = unzipped(&bytes);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "imsmanifest.xml",
            "site/engine/worker.js",
            "site/index.html",
            "site/course.yaml",
            "launch.js",
            "launch.html"
        ]
    );
    assert_eq!(files[2].1, "<p>".repeat(100).into_bytes());
    run_podscope(&["scorm", "from-docker", "--site", &site, "-o", &output]);
    assert!(
        std::fs::read(&zip).expect("the package") == bytes,
        "equal files give an equal package"
    );
    let (status, _, error) = run_podscope(&["scorm", "from-docker", "--site", "/nowhere", "-o", &output]);
    assert!(status == 2 && error.contains("there is no index.html in it"), "{error}");
}
