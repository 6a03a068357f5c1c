//! `pods/log`; and refusals of subresources that are not simulated: exec, attach, port-forward, proxy (HT-114 to HT-117).

use std::time::Duration;

use bytes::Bytes;
use podscope_api::{Kind, Node, ObjectKey, Pod};
use podscope_cluster::{ApiError, Cause, StatusReason};
use podscope_kubectl::command::{self, Command};
use podscope_kubectl::rest::{ApiPath, Query};

use crate::board::Snapshot;
use crate::engine::Door;
use crate::http::{Asked, Reply};
use crate::route::{Answered, Failure};

/// Polling interval of a followed log.
const LOOK: Duration = Duration::from_millis(200);

/// Names of a pod's containers and of its init containers.
fn containers(pod: &Pod) -> (Vec<&str>, Vec<&str>) {
    (
        pod.spec.containers.iter().map(|one| &*one.name).collect(),
        pod.spec.init_containers.iter().map(|one| &*one.name).collect(),
    )
}

/// The container that a request selects (HT-115).
fn container(pod: &Pod, query: &Query) -> Result<String, ApiError> {
    let (own, initial) = containers(pod);
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

/// Checks the numeric parameters.
fn check(pod: &str, query: &Query) -> Result<(), ApiError> {
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
            causes.push(crate::read::forbidden("[]", why));
        } else if number < least {
            causes.push(Cause::new(field, format!("Invalid value: {number}: {why}")).with_reason("FieldValueInvalid"));
        }
    }
    if query.get("stream").is_some_and(|stream| stream != "All") {
        causes.push(crate::read::forbidden("stream", "may not be specified"));
    }
    match causes.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid_of("PodLogOptions", pod, causes)),
    }
}

/// Checks that the node of a pod exists, where the API server looks up the kubelet's address. Its error names the node as
/// if it were a pod.
fn has_node(pod: &Pod, snapshot: &Snapshot) -> Result<(), ApiError> {
    match &pod.spec.node_name {
        Some(node) if snapshot.objects.named::<Node>(node.as_str()).is_none() => {
            Err(ApiError::not_found(Kind::Pod, node.as_str()))
        }
        _ => Ok(()),
    }
}

/// The equivalent console command.
fn line(path: &ApiPath, container: &str) -> String {
    let query = &path.query;
    let mut line = format!("kubectl logs {} -n {} -c {container}", path.name, path.namespace);
    if query.is_true("previous") {
        line.push_str(" --previous");
    }
    if query.is_true("timestamps") {
        line.push_str(" --timestamps");
    }
    if let Some(tail) = query.get("tailLines") {
        line.push_str(&format!(" --tail={tail}"));
    }
    if let Some(seconds) = query.get("sinceSeconds") {
        line.push_str(&format!(" --since={seconds}s"));
    }
    if let Some(time) = query.get("sinceTime") {
        line.push_str(&format!(" --since-time={time}"));
    }
    if let Some(bytes) = query.get("limitBytes") {
        line.push_str(&format!(" --limit-bytes={bytes}"));
    }
    line
}

pub(crate) async fn log(asked: &Asked, path: &ApiPath, door: &Door) -> Answered {
    if asked.method != "GET" {
        return Err(ApiError::method_not_allowed().into());
    }
    let snapshot = door.board.snapshot();
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let pod = snapshot.objects.get::<Pod>(&key).cloned();
    let pod = pod.ok_or_else(|| ApiError::not_found(Kind::Pod, &path.name))?;
    check(&path.name, &path.query)?;
    let container = container(&pod, &path.query)?;
    if pod.spec.node_name.is_none() {
        return Ok(Reply::new(204, "", ""));
    }
    has_node(&pod, &snapshot)?;
    let line = line(path, &container);
    let text = printed(door, line.clone()).await?;
    if !path.query.is_true("follow") {
        return Ok(Reply::new(200, "text/plain", text));
    }
    let (reply, lines) = Reply::stream("text/plain");
    let door = door.clone();
    let uid = pod.metadata.uid.clone();
    tokio::spawn(async move {
        let mut told = text.len();
        if lines.send(Bytes::from(text)).await.is_err() {
            return;
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = lines.closed() => return,
            }
            let Ok(text) = printed(&door, line.clone()).await else {
                return;
            };
            if let Some(more) = text.get(told..).filter(|more| !more.is_empty()) {
                if lines.send(Bytes::from(more.to_owned())).await.is_err() {
                    return;
                }
                told = text.len();
            }
            let pod = door.board.snapshot().objects.get::<Pod>(&key).cloned();
            let goes_on = pod.is_some_and(|pod| pod.metadata.uid == uid && !pod.is_terminal());
            if !goes_on {
                return;
            }
        }
    });
    Ok(reply)
}

/// Runs the console command. Its errors become errors of the API server.
async fn printed(door: &Door, line: String) -> Result<String, Failure> {
    let Ok(Command::Kubectl { action: command, .. }) = command::parse(&line) else {
        return Err(ApiError::bad_request("the log's parameters cannot be read").into());
    };
    let printed = door.ask(move |engine| engine.session().read(&command)).await?;
    let printed = printed.unwrap_or_default();
    if printed.status == 0 {
        return Ok(printed.stdout());
    }
    let lines: Vec<String> = printed.lines.into_iter().map(|(_, line)| line).collect();
    let text = lines.join("\n");
    let text = text.strip_prefix("Error from server (BadRequest): ").unwrap_or(&text);
    Err(ApiError::bad_request(text).into())
}

/// Answers 501 with an explanation (HT-117), unless the request itself is invalid.
pub(crate) fn refused(path: &ApiPath, kind: Kind, door: &Door) -> Answered {
    let snapshot = door.board.snapshot();
    let key = ObjectKey::new(path.namespace.as_str(), path.name.as_str());
    let object = snapshot.objects.get_kind(kind, &key);
    let object = object.ok_or_else(|| ApiError::not_found(kind, &path.name))?;
    if let podscope_api::Object::Pod(pod) = &object {
        if matches!(path.subresource.as_str(), "exec" | "attach") {
            container(pod, &path.query)?;
        }
        if pod.spec.node_name.is_none() {
            let why = match path.subresource.as_str() {
                "proxy" => "address not allowed".to_owned(),
                _ => format!("pod {} does not have a host assigned", path.name),
            };
            return Err(ApiError::bad_request(why).into());
        }
        if path.subresource != "proxy" {
            has_node(pod, &snapshot)?;
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
