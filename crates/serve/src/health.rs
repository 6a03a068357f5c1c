//! `/healthz`, `/livez` and `/readyz` with the checks of a real API server. Each check also has its own path.
//!
//! Deviation: only the check of etcd can fail, because the subjects of the others are not simulated.

use podscope_kubectl::rest::Query;

use crate::http::{HttpRequest, Reply, TEXT};

/// Checks that `/healthz` and `/livez` list before `HOOK_CHECKS`.
const LIVENESS_CHECKS: [&str; 4] = ["ping", "log", "loopback-serving-certificate", "etcd"];
/// Checks that `/readyz` lists before `HOOK_CHECKS`.
const READINESS_CHECKS: [&str; 3] = ["ping", "log", "informer-sync"];
/// Checks of all three endpoints: whether the post-start hooks have finished.
const HOOK_CHECKS: [&str; 30] = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/peer-endpoint-reconciler-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-wait-for-first-sync",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
];
const ETCD_FAILURE_MESSAGE: &str = "error getting data from etcd: context deadline exceeded";

/// Returns the checks of an endpoint in the order in which it lists them; None if the endpoint is unknown.
fn checks_of_endpoint(endpoint: &str, has_etcd: bool) -> Option<Vec<&'static str>> {
    let (first, last): (Vec<&str>, &[&str]) = match endpoint {
        "healthz" | "livez" => (LIVENESS_CHECKS.to_vec(), &[]),
        // The real server lists no etcd check for `/readyz`. Without etcd, `/readyz` fails all the same, because the
        // storage is not ready.
        "readyz" if has_etcd => (READINESS_CHECKS.to_vec(), &["shutdown"]),
        "readyz" => ([&READINESS_CHECKS[..], &["etcd"]].concat(), &["shutdown"]),
        _ => return None,
    };
    Some([&first, &HOOK_CHECKS[..], last].concat())
}

/// Returns the paths of the endpoints and their checks in alphabetical order.
pub(crate) fn endpoint_and_check_paths() -> Vec<String> {
    let mut paths = Vec::new();
    for endpoint in ["healthz", "livez", "readyz"] {
        paths.push(format!("/{endpoint}"));
        let all = checks_of_endpoint(endpoint, true).unwrap_or_default();
        paths.extend(all.iter().map(|check| format!("/{endpoint}/{check}")));
    }
    paths.sort_unstable();
    paths
}

/// Responds to an endpoint or to one of its checks; None for other paths.
pub(crate) fn answer(request: &HttpRequest, path: &str, has_etcd: bool) -> Option<Reply> {
    let (endpoint, check) = match path.trim_start_matches('/').split_once('/') {
        Some((endpoint, check)) => (endpoint, Some(check)),
        None => (path.trim_start_matches('/'), None),
    };
    let all = checks_of_endpoint(endpoint, has_etcd)?;
    let passes = |check: &str| check != "etcd" || has_etcd;
    let Some(check) = check else {
        let query = request.path.split_once('?').map_or("", |(_, query)| query);
        return Some(reply_with_all_checks(endpoint, &all, &passes, &Query::of(query)));
    };
    all.contains(&check).then(|| match passes(check) {
        true => Reply::new(200, TEXT, "ok"),
        false => failure_reply(format!("internal server error: {ETCD_FAILURE_MESSAGE}\n")),
    })
}

fn failure_reply(text: String) -> Reply {
    Reply::new(500, TEXT, text).with_header("X-Content-Type-Options", "nosniff")
}

fn reply_with_all_checks(endpoint: &str, all: &[&str], passes: &dyn Fn(&str) -> bool, query: &Query) -> Reply {
    let mut excluded: Vec<&str> = query.all("exclude").collect();
    excluded.sort_unstable();
    excluded.dedup();
    let (mut lines, mut all_pass) = (String::new(), true);
    for check in all {
        let is_excluded = excluded.contains(check);
        excluded.retain(|other| other != check);
        let line = match (is_excluded, passes(check)) {
            (true, _) => format!("[+]{check} excluded: ok\n"),
            (false, true) => format!("[+]{check} ok\n"),
            (false, false) => format!("[-]{check} failed: reason withheld\n"),
        };
        all_pass &= is_excluded || passes(check);
        lines.push_str(&line);
    }
    if !excluded.is_empty() {
        let names: Vec<String> = excluded.iter().map(|name| format!("{name:?}")).collect();
        lines.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            names.join(", ")
        ));
    }
    if !all_pass {
        return failure_reply(format!("{lines}{endpoint} check failed\n"));
    }
    let text = match query.get("verbose") {
        Some(_) => format!("{lines}{endpoint} check passed\n"),
        None => "ok".to_owned(),
    };
    Reply::new(200, TEXT, text).with_header("X-Content-Type-Options", "nosniff")
}
