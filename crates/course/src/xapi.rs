//! Converts graded runs to xAPI 1.0.3 statements, which a learning record store accepts unchanged. Statements have no
//! ID and no timestamp: the store sets both when it receives them, so equal files give equal statements.

use serde_json::{Map, Value, json};

use crate::course::Course;
use crate::grade::{CourseResult, GradedAnswer, GradedRun};

/// Extension key of a result for the link of the run.
const RUN_KEY: &str = "urn:podscope:run";
/// Extension key of a result for the complaints of the replay.
const COMPLAINTS_KEY: &str = "urn:podscope:complaints";

/// Returns the statements about runs, in order: for each run its answers, then the lesson. The address of a lesson is
/// `site` followed by its name.
#[must_use]
pub fn run_statements(runs: &[GradedRun], site: &str) -> Vec<Value> {
    let of_run = |run: &GradedRun| {
        let answers = run.answers.iter().filter(|answer| answer.given.is_some());
        let mut statements: Vec<Value> = answers.map(|answer| answer_statement(run, answer, site)).collect();
        statements.push(lesson_statement(run, site));
        statements
    };
    runs.iter().flat_map(of_run).collect()
}

/// Returns the statements about a course: which students passed and which failed.
#[must_use]
pub fn course_statements(course: &Course, results: &[CourseResult], site: &str) -> Vec<Value> {
    let statement = |result: &CourseResult| {
        let verb = if result.is_passed { "passed" } else { "failed" };
        let outcome = json!({
            "success": result.is_passed, "completion": result.missing == 0,
            "score": {"scaled": rounded_score(result.percent / 100.0)},
        });
        let id = format!("{site}?course={}", percent_encoded(&course.name));
        xapi_statement(
            &result.student,
            verb,
            site,
            &activity_object(&id, "course", &course.title),
            outcome,
        )
    };
    results.iter().map(statement).collect()
}

/// Creates a statement: the student as actor, a verb, an object and a result.
fn xapi_statement(student: &str, verb: &str, site: &str, object: &Value, result: Value) -> Value {
    json!({
        "actor": {"objectType": "Agent", "account": {"homePage": site, "name": student}},
        "verb": {"id": format!("http://adlnet.gov/expapi/verbs/{verb}"), "display": {"en": verb}},
        "object": object,
        "result": result,
    })
}

/// Creates the object of a statement: an activity of this kind.
fn activity_object(id: &str, kind: &str, name: &str) -> Value {
    json!({
        "objectType": "Activity", "id": id,
        "definition": {"type": format!("http://adlnet.gov/expapi/activities/{kind}"), "name": {"en": name}},
    })
}

/// Returns the URL of a run's lesson, which identifies the lesson in statements.
fn lesson_address(run: &GradedRun, site: &str) -> String {
    format!("{site}#lesson={}", percent_encoded(&run.lesson))
}

/// Creates the statement about a run. A run with complaints counts only as attempted, whatever its file claims.
fn lesson_statement(run: &GradedRun, site: &str) -> Value {
    let is_confirmed = run.complaints.is_empty();
    let is_complete = run.is_finished && is_confirmed;
    let mut extensions = Map::from_iter([(RUN_KEY.to_owned(), json!(run.handed.link))]);
    let mut result = json!({"completion": is_complete});
    if is_confirmed {
        result["score"] = json!({"scaled": rounded_score(run.score())});
    } else {
        let complaints = run
            .complaints
            .iter()
            .map(|complaint| complaint.english().into())
            .collect();
        extensions.insert(COMPLAINTS_KEY.to_owned(), Value::Array(complaints));
    }
    if let Some(minutes) = run.handed.minutes.filter(|minutes| *minutes >= 0.0) {
        result["duration"] = json!(format!("PT{:.0}S", minutes * 60.0));
    }
    result["extensions"] = Value::Object(extensions);
    let verb = if is_complete { "completed" } else { "attempted" };
    let object = activity_object(&lesson_address(run, site), "lesson", &run.lesson);
    xapi_statement(&run.student, verb, site, &object, result)
}

/// Creates the statement about an answer to a question.
fn answer_statement(run: &GradedRun, answer: &GradedAnswer, site: &str) -> Value {
    let id = format!("{}&step={}", lesson_address(run, site), answer.step + 1);
    let mut object = activity_object(&id, "cmi.interaction", &answer.ask);
    object["definition"]["interactionType"] = json!("other");
    let mut result = json!({"response": answer.given});
    if answer.truth.is_some() {
        result["success"] = json!(answer.is_right);
    }
    xapi_statement(&run.student, "answered", site, &object, result)
}

/// Rounds a score from 0 to 1 to three decimal places, as the page does.
fn rounded_score(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}

/// Percent-encodes a name for a URL: all bytes but the unreserved characters of RFC 3986.
fn percent_encoded(name: &str) -> String {
    let one = |byte: u8| {
        let is_unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        if is_unreserved {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    name.bytes().map(one).collect()
}
