//! Validation of probes and lifecycle hooks (VA-104 to VA-114).

use crate::schema::values;
use crate::{ExecAction, GrpcAction, HttpGetAction, IntOrString, Lifecycle, Probe, SleepAction, TcpSocketAction};

use super::{ErrorList, Path, names};

const INVALID_HEADER_NAME: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/// The possible actions of a probe or hook, in the API server's order.
struct HandlerActions<'h> {
    exec: Option<&'h ExecAction>,
    http_get: Option<&'h HttpGetAction>,
    tcp_socket: Option<&'h TcpSocketAction>,
    grpc: Option<&'h GrpcAction>,
    sleep: Option<&'h SleepAction>,
}

fn check_handler_actions(handler: &HandlerActions<'_>, grace: i64, path: &Path<'_>, errors: &mut ErrorList) {
    const MORE_THAN_ONE_HANDLER: &str = "may not specify more than 1 handler type";
    let mut known = 0;
    let mut is_first_handler = |name: &str, errors: &mut ErrorList| {
        known += 1;
        if known > 1 {
            errors.forbidden(&path.child(name), MORE_THAN_ONE_HANDLER);
        }
        known == 1
    };
    if let Some(exec) = handler.exec
        && is_first_handler("exec", errors)
        && exec.command.is_empty()
    {
        errors.required(&path.child("exec").child("command"), "");
    }
    if let Some(request) = handler.http_get
        && is_first_handler("httpGet", errors)
    {
        let path = path.child("httpGet");
        if request.path.is_empty() {
            errors.required(&path.child("path"), "");
        }
        check_probe_port(&request.port, &path.child("port"), errors);
        errors.check_one_of(&path.child("scheme"), &request.scheme, values::URI_SCHEME);
        for header in &request.http_headers {
            let is_valid = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if header.name.is_empty() || !is_valid(&header.name) {
                errors.invalid_text(&path.child("httpHeaders"), &header.name, INVALID_HEADER_NAME);
            }
        }
    }
    if let Some(socket) = handler.tcp_socket
        && is_first_handler("tcpSocket", errors)
    {
        check_probe_port(&socket.port, &path.child("tcpSocket").child("port"), errors);
    }
    if let Some(check) = handler.grpc
        && is_first_handler("grpc", errors)
    {
        check_probe_port(&IntOrString::Int(check.port), &path.child("grpc").child("port"), errors);
    }
    if let Some(sleep) = handler.sleep
        && is_first_handler("sleep", errors)
        && (sleep.seconds < 0 || sleep.seconds > grace)
    {
        let message = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        errors.invalid(&path.child("sleep"), sleep.seconds, &message);
    }
    if known == 0 {
        errors.required(path, "must specify a handler type");
    }
}

/// Checks the port of a handler: a number or a port name (VA-112).
fn check_probe_port(port: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    match port {
        IntOrString::Int(number) => errors.check_port(path, *number),
        IntOrString::String(name) => errors.invalid_name(path, name, &names::port_name_faults(name)),
    }
}

/// The type of a probe.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ProbeKind {
    Liveness,
    Readiness,
    Startup,
}

pub(super) fn check_probe(probe: &Probe, kind: ProbeKind, grace: i64, path: &Path<'_>, errors: &mut ErrorList) {
    check_handler_actions(
        &HandlerActions {
            exec: probe.exec.as_ref(),
            http_get: probe.http_get.as_ref(),
            tcp_socket: probe.tcp_socket.as_ref(),
            grpc: probe.grpc.as_ref(),
            sleep: None,
        },
        grace,
        path,
        errors,
    );
    for (name, value) in [
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("timeoutSeconds", probe.timeout_seconds),
        ("periodSeconds", probe.period_seconds),
        ("successThreshold", probe.success_threshold),
        ("failureThreshold", probe.failure_threshold),
    ] {
        errors.check_not_negative(&path.child(name), value);
    }
    let own_grace = path.child("terminationGracePeriodSeconds");
    if let Some(seconds) = probe.termination_grace_period_seconds {
        if seconds <= 0 {
            errors.invalid(&own_grace, seconds, "must be greater than 0");
        }
        if kind == ProbeKind::Readiness {
            errors.invalid(&own_grace, seconds, "must not be set for readinessProbes");
        }
    }
    let successes = probe.success_threshold.unwrap_or(1);
    if kind != ProbeKind::Readiness && successes != 1 {
        errors.invalid(&path.child("successThreshold"), successes, "must be 1");
    }
}

pub(super) fn check_lifecycle(lifecycle: &Lifecycle, grace: i64, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, hook) in [("postStart", &lifecycle.post_start), ("preStop", &lifecycle.pre_stop)] {
        if let Some(hook) = hook {
            let given = HandlerActions {
                exec: hook.exec.as_ref(),
                http_get: hook.http_get.as_ref(),
                tcp_socket: hook.tcp_socket.as_ref(),
                grpc: None,
                sleep: hook.sleep.as_ref(),
            };
            check_handler_actions(&given, grace, &path.child(name), errors);
        }
    }
}
