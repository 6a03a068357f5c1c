//! `/podscope/v1`: Podscope's own API. It controls time, runs console commands, returns the trace, the running
//! processes and explanations, and stores and restores checkpoints.

use podscope_api::ObjectKey;
use podscope_cluster::Span;
use podscope_session::scenario::AwaitedCondition;
use podscope_session::{explained, export, report};
use serde_json::{Value, json};

use crate::engine::{Engine, EngineHandle, EngineStopped};
use crate::http::{HttpRequest, JSON, Reply};
use crate::secrets;

/// Maximum time that one request can advance, in seconds: a hundred years.
const MAX_ADVANCE_SECONDS: f64 = 3.2e9;
/// Default timeout of `advance` with a condition, in simulated seconds.
const DEFAULT_ADVANCE_TIMEOUT: f64 = 3600.0;
/// Maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 16;

fn bad_request(why: impl std::fmt::Display) -> Reply {
    Reply::json(400, &json!({"error": why.to_string()}))
}

fn parse_json_body(request: &HttpRequest) -> Result<Value, Reply> {
    if request.body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&request.body).map_err(|error| bad_request(format!("the body is not JSON: {error}")))
}

/// Handles a request below `/podscope/v1`.
///
/// # Errors
/// The engine has ended.
pub(crate) async fn answer(request: &HttpRequest, engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let path = request.path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_matches('/').split('/').skip(2).collect();
    let is_v1 = path.starts_with("/podscope/v1/");
    match (request.method.as_str(), parts.as_slice()) {
        _ if !is_v1 => Ok(Reply::page_not_found()),
        ("GET", ["trace"]) => {
            let includes_secrets = includes_secret_data(request);
            let ask = move |engine: &mut Engine| {
                let session = engine.session();
                let scenario = (!includes_secrets).then(|| export::scenario(session));
                (report::trace(session.trace()), scenario)
            };
            let (text, scenario) = engine.ask(ask).await?;
            let text = match scenario {
                None => text,
                Some(scenario) => secrets::without_data_in_trace(&text, &scenario),
            };
            Ok(Reply::new(200, "application/jsonl", text))
        }
        ("GET", ["objects"]) => {
            let value = engine.ask(|engine| report::object_list(engine.session())).await?;
            Ok(Reply::json(200, &value))
        }
        ("GET", ["processes"]) => {
            let values = engine.ask(|engine| report::process_values(engine.session())).await?;
            Ok(Reply::json(200, &Value::Array(values)))
        }
        ("GET", ["scenario"]) => {
            let text = engine.ask(|engine| export::scenario(engine.session())).await?;
            let text = match includes_secret_data(request) {
                true => text,
                false => secrets::without_data(&text),
            };
            Ok(Reply::new(200, "application/yaml", text))
        }
        ("GET", ["time"]) => {
            let snapshot = engine.board.snapshot();
            Ok(Reply::json(
                200,
                &json!({"t": snapshot.at.0 as f64 / 1e6, "now": snapshot.now.to_string()}),
            ))
        }
        ("GET", ["explain", namespace, name]) => answer_explain(namespace, name, engine).await,
        ("POST", ["advance"]) => answer_advance(request, engine).await,
        ("POST", ["command"]) => answer_command(request, engine).await,
        ("POST", ["checkpoint"]) => answer_checkpoint(engine).await,
        ("POST", ["restore"]) => answer_restore(request, engine).await,
        _ => {
            let known = "GET trace, objects, processes, scenario, time, explain/NAMESPACE/POD; POST advance, command, checkpoint, restore";
            Ok(Reply::json(
                404,
                &json!({"error": format!("there is no such request; there are {known}")}),
            ))
        }
    }
}

/// Returns whether the response should contain the data of Secrets (`secrets=true`).
fn includes_secret_data(request: &HttpRequest) -> bool {
    let query = request.path.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|parameter| parameter == "secrets=true")
}

async fn answer_advance(request: &HttpRequest, engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let value = match parse_json_body(request) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let condition = match value.get("until").map(AwaitedCondition::read).transpose() {
        Ok(condition) => condition,
        Err(why) => return Ok(bad_request(format!("until: {why}"))),
    };
    let seconds = match &condition {
        Some(_) if value["seconds"].is_null() => Some(DEFAULT_ADVANCE_TIMEOUT),
        _ => value["seconds"].as_f64(),
    };
    match seconds {
        Some(seconds) if (0.0..=MAX_ADVANCE_SECONDS).contains(&seconds) => {
            let at = engine
                .advance(Span((seconds * 1e6).round() as i64), condition.clone())
                .await?;
            let mut answer = json!({"t": at.0 as f64 / 1e6});
            if let Some(condition) = condition {
                answer["met"] = engine
                    .ask(move |engine| condition.is_met(engine.session().world()))
                    .await?
                    .into();
            }
            Ok(Reply::json(200, &answer))
        }
        _ => Ok(bad_request(
            "seconds: a number of seconds is wanted, of a hundred years at most",
        )),
    }
}

async fn answer_command(request: &HttpRequest, engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let value = match parse_json_body(request) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let Some(line) = value["run"].as_str().map(str::to_owned) else {
        return Ok(bad_request("run: a command is wanted, such as \"fault poweroff a-1\""));
    };
    let stdin = value["stdin"].as_str().map(str::to_owned);
    let wait = value["wait"]
        .as_f64()
        .filter(|seconds| (0.0..=MAX_ADVANCE_SECONDS).contains(seconds))
        .unwrap_or(0.0);
    let wait = Span((wait * 1e6).round() as i64);
    let answer = engine
        .ask(move |engine| engine.run_console_line(&line, stdin.as_deref(), wait))
        .await?;
    let lines: Vec<Value> = answer
        .lines
        .iter()
        .map(|(kind, text)| json!([kind.is_stderr(), text]))
        .collect();
    let value = json!({"t": answer.at.0 as f64 / 1e6, "lines": lines, "refused": answer.refused});
    Ok(Reply::json(200, &value))
}

async fn answer_explain(namespace: &str, name: &str, engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let key = ObjectKey::new(namespace, name);
    let explanation = engine
        .ask(move |engine| {
            let found = engine.session().explain_now(&key)?;
            serde_json::to_string(&explained::explanation_json(&found)).ok()
        })
        .await?;
    Ok(match explanation {
        Some(text) => Reply::new(200, JSON, text + "\n"),
        None => Reply::json(
            404,
            &json!({"error": format!("there is no pod {namespace}/{name}, or no scheduler")}),
        ),
    })
}

async fn answer_checkpoint(engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let stored = engine
        .ask(|engine| {
            engine.finish_leader_seek();
            if engine.checkpoints.len() >= MAX_CHECKPOINTS {
                engine.checkpoints.remove(0);
                engine.dropped_checkpoints += 1;
            }
            let session = engine.session().clone();
            let at = session.now();
            engine.checkpoints.push(session);
            (engine.dropped_checkpoints + engine.checkpoints.len() - 1, at)
        })
        .await?;
    let (number, at) = stored;
    Ok(Reply::json(200, &json!({"checkpoint": number, "t": at.0 as f64 / 1e6})))
}

async fn answer_restore(request: &HttpRequest, engine: &EngineHandle) -> Result<Reply, EngineStopped> {
    let value = match parse_json_body(request) {
        Ok(value) => value,
        Err(reply) => return Ok(reply),
    };
    let requested = value["checkpoint"]
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    let at = engine
        .ask(move |engine| {
            let last = (engine.dropped_checkpoints + engine.checkpoints.len()).checked_sub(1);
            let index = requested.or(last)?.checked_sub(engine.dropped_checkpoints)?;
            let session = engine.checkpoints.get(index)?.clone();
            engine.restore_checkpoint(session);
            Some(engine.session().now())
        })
        .await?;
    Ok(match at {
        Some(at) => Reply::json(200, &json!({"t": at.0 as f64 / 1e6})),
        None => Reply::json(404, &json!({"error": "there is no such checkpoint"})),
    })
}
