//! `/podscope/v1`: Podscope's own API. Controls time, runs console commands, returns the trace, the running processes and
//! explanations, and stores and restores checkpoints.

use podscope_api::ObjectKey;
use podscope_cluster::Span;
use podscope_session::scenario::Until;
use podscope_session::{explained, export, report};
use serde_json::{Value, json};

use crate::engine::{Door, Engine, Gone};
use crate::http::{Asked, JSON, Reply};
use crate::secrets;

/// Maximum number of seconds that one request can advance: a hundred years.
const LONGEST: f64 = 3.2e9;
/// Default time limit for a condition.
const PATIENCE: f64 = 3600.0;
/// Maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 16;

fn wrong(why: impl std::fmt::Display) -> Reply {
    Reply::json(400, &json!({"error": why.to_string()}))
}

fn body(asked: &Asked) -> Result<Value, Reply> {
    if asked.body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&asked.body).map_err(|error| wrong(format!("the body is not JSON: {error}")))
}

/// Answers a request below `/podscope/v1`.
///
/// # Errors
/// The engine has ended.
pub(crate) async fn answer(asked: &Asked, door: &Door) -> Result<Reply, Gone> {
    let path = asked.path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_matches('/').split('/').skip(2).collect();
    let is_v1 = path.starts_with("/podscope/v1/");
    match (asked.method.as_str(), parts.as_slice()) {
        _ if !is_v1 => Ok(Reply::page_not_found()),
        ("GET", ["trace"]) => {
            let is_whole = has_secrets(asked);
            let ask = move |engine: &mut Engine| {
                let session = engine.session();
                let scenario = (!is_whole).then(|| export::scenario(session));
                (report::trace(session.trace()), scenario)
            };
            let (text, scenario) = door.ask(ask).await?;
            let text = match scenario {
                None => text,
                Some(scenario) => secrets::without_data_in_trace(&text, &scenario),
            };
            Ok(Reply::new(200, "application/jsonl", text))
        }
        ("GET", ["objects"]) => {
            let value = door.ask(|engine| report::object_list(engine.session())).await?;
            Ok(Reply::json(200, &value))
        }
        ("GET", ["processes"]) => {
            let values = door.ask(|engine| report::process_values(engine.session())).await?;
            Ok(Reply::json(200, &Value::Array(values)))
        }
        ("GET", ["scenario"]) => {
            let text = door.ask(|engine| export::scenario(engine.session())).await?;
            let text = match has_secrets(asked) {
                true => text,
                false => secrets::without_data(&text),
            };
            Ok(Reply::new(200, "application/yaml", text))
        }
        ("GET", ["time"]) => {
            let snapshot = door.board.snapshot();
            Ok(Reply::json(
                200,
                &json!({"t": snapshot.at.0 as f64 / 1e6, "now": snapshot.now.to_string()}),
            ))
        }
        ("GET", ["explain", namespace, name]) => explain(namespace, name, door).await,
        ("POST", ["advance"]) => advance(asked, door).await,
        ("POST", ["command"]) => command(asked, door).await,
        ("POST", ["checkpoint"]) => checkpoint(door).await,
        ("POST", ["restore"]) => restore(asked, door).await,
        _ => {
            let known = "GET trace, objects, processes, scenario, time, explain/NAMESPACE/POD; POST advance, command, checkpoint, restore";
            Ok(Reply::json(
                404,
                &json!({"error": format!("there is no such request; there are {known}")}),
            ))
        }
    }
}

/// Whether a request asks for the data of Secrets too.
fn has_secrets(asked: &Asked) -> bool {
    let query = asked.path.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|parameter| parameter == "secrets=true")
}

async fn advance(asked: &Asked, door: &Door) -> Result<Reply, Gone> {
    let value = match body(asked) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let condition = match value.get("until").map(Until::read).transpose() {
        Ok(condition) => condition,
        Err(why) => return Ok(wrong(format!("until: {why}"))),
    };
    let seconds = match &condition {
        Some(_) if value["seconds"].is_null() => Some(PATIENCE),
        _ => value["seconds"].as_f64(),
    };
    match seconds {
        Some(seconds) if (0.0..=LONGEST).contains(&seconds) => {
            let at = door
                .advance(Span((seconds * 1e6).round() as i64), condition.clone())
                .await?;
            let mut answer = json!({"t": at.0 as f64 / 1e6});
            if let Some(condition) = condition {
                answer["met"] = door
                    .ask(move |engine| condition.is_met(engine.session().world()))
                    .await?
                    .into();
            }
            Ok(Reply::json(200, &answer))
        }
        _ => Ok(wrong(
            "seconds: a number of seconds is wanted, of a hundred years at most",
        )),
    }
}

async fn command(asked: &Asked, door: &Door) -> Result<Reply, Gone> {
    let value = match body(asked) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let Some(line) = value["run"].as_str().map(str::to_owned) else {
        return Ok(wrong("run: a command is wanted, such as \"fault poweroff a-1\""));
    };
    let stdin = value["stdin"].as_str().map(str::to_owned);
    let wait = value["wait"]
        .as_f64()
        .filter(|seconds| (0.0..=LONGEST).contains(seconds))
        .unwrap_or(0.0);
    let wait = Span((wait * 1e6).round() as i64);
    let answer = door
        .ask(move |engine| engine.command(&line, stdin.as_deref(), wait))
        .await?;
    let lines: Vec<Value> = answer
        .lines
        .iter()
        .map(|(kind, text)| json!([kind.is_stderr(), text]))
        .collect();
    let value = json!({"t": answer.at.0 as f64 / 1e6, "lines": lines, "refused": answer.refused});
    Ok(Reply::json(200, &value))
}

async fn explain(namespace: &str, name: &str, door: &Door) -> Result<Reply, Gone> {
    let key = ObjectKey::new(namespace, name);
    let told = door
        .ask(move |engine| {
            let explanation = engine.session().explain_now(&key)?;
            serde_json::to_string(&explained::explanation_json(&explanation)).ok()
        })
        .await?;
    Ok(match told {
        Some(text) => Reply::new(200, JSON, text + "\n"),
        None => Reply::json(
            404,
            &json!({"error": format!("there is no pod {namespace}/{name}, or no scheduler")}),
        ),
    })
}

async fn checkpoint(door: &Door) -> Result<Reply, Gone> {
    let made = door
        .ask(|engine| {
            engine.end_travel();
            if engine.checkpoints.len() >= MAX_CHECKPOINTS {
                engine.checkpoints.remove(0);
                engine.forgotten += 1;
            }
            let session = engine.session().clone();
            let at = session.now();
            engine.checkpoints.push(session);
            (engine.forgotten + engine.checkpoints.len() - 1, at)
        })
        .await?;
    let (number, at) = made;
    Ok(Reply::json(200, &json!({"checkpoint": number, "t": at.0 as f64 / 1e6})))
}

async fn restore(asked: &Asked, door: &Door) -> Result<Reply, Gone> {
    let value = match body(asked) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let wanted = value["checkpoint"]
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    let at = door
        .ask(move |engine| {
            let last = (engine.forgotten + engine.checkpoints.len()).checked_sub(1);
            let place = wanted.or(last)?.checked_sub(engine.forgotten)?;
            let session = engine.checkpoints.get(place)?.clone();
            engine.resume(session);
            Some(engine.session().now())
        })
        .await?;
    Ok(match at {
        Some(at) => Reply::json(200, &json!({"t": at.0 as f64 / 1e6})),
        None => Reply::json(404, &json!({"error": "there is no such checkpoint"})),
    })
}
