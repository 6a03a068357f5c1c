//! `pods/log`; and refusals of subresources that are not simulated: exec, attach, port-forward, proxy (HT-114 to HT-117).

use std::time::Duration;

use bytes::Bytes;
use podscope_api::{Kind, Node, ObjectKey, Pod};
use podscope_cluster::{ApiError, Cause, StatusReason};
use podscope_kubectl::command::{self, Command};
use podscope_kubectl::rest::{ApiPath, Query};

use crate::board::Snapshot;
use crate::engine::EngineHandle;
use crate::http::{HttpRequest, Reply};
use crate::route::{Failure, HandlerResult};

/// Polling interval of a followed log.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Returns the names of a pod's containers, and of its init containers.
fn container_names(pod: &Pod) -> (Vec<&str>, Vec<&str>) {
    (
        pod.spec.containers.iter().map(|one| &*one.name).collect(),
        pod.spec.init_containers.iter().map(|one| &*one.name).collect(),
    )
}

/// Returns the container that a request selects (HT-115).
fn requested_container(pod: &Pod, query: &Query) -> Result<String, ApiError> {
    let (own, initial) = container_names(pod);
    let name = &pod.metadata.name;
    match query.get("container").unwrap_or_default() {
        "" => match own.as_slice() {
            [one] if initial.is_empty() => Ok((*one).to_owned()),
            _ => {
                let mut why = format!(
                    "a container name must be specified for pod {name}, choose one of: [{}]",
                    own.join(" ")
                );
                if !initial.is_empty() {
                    why.push_str(&format!(" or one of the init containers: [{}]", initial.join(" ")));
                }
                Err(ApiError::bad_request(why))
            }
        },
        wanted if own.contains(&wanted) || initial.contains(&wanted) => Ok(wanted.to_owned()),
        wanted => Err(ApiError::bad_request(format!(
            "container {wanted} is not valid for pod {name}"
        ))),
    }
}

/// Checks the parameters of a request for logs: `tailLines`, `limitBytes` and `sinceSeconds` are integers in their
/// range, `sinceSeconds` is not given together with `sinceTime`, and `stream` is absent or `All`.
///
/// # Errors
/// Error 400 if a number cannot be parsed, otherwise error 422 with all other problems.
fn check_log_parameters(pod: &str, query: &Query) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    for (field, least, why) in [
        ("tailLines", 0, "must be greater than or equal to 0"),
        ("limitBytes", 1, "must be greater than 0"),
        ("sinceSeconds", 1, "must be greater than 0"),
    ] {
        let Some(text) = query.get(field) else { continue };
        let number: i64 = text
            .parse()
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))?;
        if field == "sinceSeconds" && query.get("sinceTime").is_some() {
            let why = "at most one of `sinceTime` or `sinceSeconds` may be specified";
            causes.push(crate::read::forbidden_cause("[]", why));
        } else if number < least {
            causes.push(Cause::new(field, format!("Invalid value: {number}: {why}")).with_reason("FieldValueInvalid"));
        }
    }
    if query.get("stream").is_some_and(|stream| stream != "All") {
        causes.push(crate::read::forbidden_cause("stream", "may not be specified"));
    }
    match causes.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid_of("PodLogOptions", pod, causes)),
    }
}

/// Checks that the node of a pod exists, because the API server looks up the kubelet's address there. The error for a
/// missing node names the resource `pods`, as the real one does.
fn check_node_exists(pod: &Pod, snapshot: &Snapshot) -> Result<(), ApiError> {
    match &pod.spec.node_name {
        Some(node) if snapshot.objects.named::<Node>(node.as_str()).is_none() => {
            Err(ApiError::not_found(Kind::Pod, node.as_str()))
        }
        _ => Ok(()),
    }
}

/// Returns the console command that prints the log that a request asks for.
fn logs_command_line(path: &ApiPath, container: &str) -> String {
    let query = &path.query;
    let mut command_line = format!("kubectl logs {} -n {} -c {container}", path.name, path.namespace);
    if query.is_true("previous") {
        command_line.push_str(" --previous");
    }
    if query.is_true("timestamps") {
        command_line.push_str(" --timestamps");
    }
    if let Some(tail) = query.get("tailLines") {
        command_line.push_str(&format!(" --tail={tail}"));
    }
    if let Some(seconds) = query.get("sinceSeconds") {
        command_line.push_str(&format!(" --since={seconds}s"));
    }
    if let Some(time) = query.get("sinceTime") {
        command_line.push_str(&format!(" --since-time={time}"));
    }
    if let Some(bytes) = query.get("limitBytes") {
        command_line.push_str(&format!(" --limit-bytes={bytes}"));
    }
    command_line
}

pub(crate) async fn log(request: &HttpRequest, path: &ApiPath, engine: &EngineHandle) -> HandlerResult {
    if request.method != "GET" {
        return Err(ApiError::method_not_allowed().into());
    }
    let snapshot = engine.board.snapshot();
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let pod = snapshot.objects.get::<Pod>(&key).cloned();
    let pod = pod.ok_or_else(|| ApiError::not_found(Kind::Pod, &path.name))?;
    check_log_parameters(&path.name, &path.query)?;
    let container = requested_container(&pod, &path.query)?;
    if pod.spec.node_name.is_none() {
        return Ok(Reply::new(204, "", ""));
    }
    check_node_exists(&pod, &snapshot)?;
    let command_line = logs_command_line(path, &container);
    let text = run_console_command(engine, command_line.clone()).await?;
    if !path.query.is_true("follow") {
        return Ok(Reply::new(200, "text/plain", text));
    }
    let (reply, lines) = Reply::stream("text/plain");
    let engine = engine.clone();
    let uid = pod.metadata.uid.clone();
    tokio::spawn(async move {
        let mut n_sent = text.len();
        if lines.send(Bytes::from(text)).await.is_err() {
            return;
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = lines.closed() => return,
            }
            let Ok(text) = run_console_command(&engine, command_line.clone()).await else {
                return;
            };
            if let Some(more) = text.get(n_sent..).filter(|more| !more.is_empty()) {
                if lines.send(Bytes::from(more.to_owned())).await.is_err() {
                    return;
                }
                n_sent = text.len();
            }
            let pod = engine.board.snapshot().objects.get::<Pod>(&key).cloned();
            let is_unfinished = pod.is_some_and(|pod| pod.metadata.uid == uid && !pod.is_terminal());
            if !is_unfinished {
                return;
            }
        }
    });
    Ok(reply)
}

/// Runs the console command and returns its output. Errors of the command become errors of the API server.
async fn run_console_command(engine: &EngineHandle, command_line: String) -> Result<String, Failure> {
    let Ok(Command::Kubectl { action: command, .. }) = command::parse(&command_line) else {
        return Err(ApiError::bad_request("the log's parameters cannot be read").into());
    };
    let output = engine.ask(move |engine| engine.session().read(&command)).await?;
    let output = output.unwrap_or_default();
    if output.status == 0 {
        return Ok(output.stdout());
    }
    let lines: Vec<String> = output.lines.into_iter().map(|(_, line)| line).collect();
    let text = lines.join("\n");
    let text = text.strip_prefix("Error from server (BadRequest): ").unwrap_or(&text);
    Err(ApiError::bad_request(text).into())
}

/// Responds with 501 and an explanation (HT-117), unless the request itself is invalid.
pub(crate) fn refuse_unsimulated_subresource(path: &ApiPath, kind: Kind, engine: &EngineHandle) -> HandlerResult {
    let snapshot = engine.board.snapshot();
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let object = snapshot.objects.get_kind(kind, &key);
    let object = object.ok_or_else(|| ApiError::not_found(kind, &path.name))?;
    if let podscope_api::Object::Pod(pod) = &object {
        if matches!(path.subresource.as_str(), "exec" | "attach") {
            requested_container(pod, &path.query)?;
        }
        if pod.spec.node_name.is_none() {
            let why = match path.subresource.as_str() {
                "proxy" => "address not allowed".to_owned(),
                _ => format!("pod {} does not have a host assigned", path.name),
            };
            return Err(ApiError::bad_request(why).into());
        }
        if path.subresource != "proxy" {
            check_node_exists(pod, &snapshot)?;
        }
    }
    let what = match path.subresource.as_str() {
        "portforward" => "port-forward",
        other => other,
    };
    Err(ApiError {
        code: 501,
        reason: StatusReason::NotImplemented,
        ..ApiError::bad_request(format!("{what} is not simulated"))
    }
    .into())
}
