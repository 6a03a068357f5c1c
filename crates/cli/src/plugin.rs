//! `kubectl podscope`: under the name `kubectl-podscope` this binary is a plugin of kubectl. It reads the cluster of the
//! current context through kubectl, and prints what `podscope why` prints, saves a file, or makes a link. It changes
//! nothing in the cluster and sends nothing anywhere.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Output as Finished, Stdio};

use podscope_session::scenario::{self, File};
use podscope_session::triage::Scope;

use crate::args::{self, Output};
use crate::{link, rename, why};

/// Resources that influence where a pod runs or when it is gone, by the names that `kubectl api-resources -o name`
/// prints. Secrets are not read.
const RESOURCES: &[&str] = &[
    "nodes",
    "pods",
    "namespaces",
    "services",
    "endpointslices.discovery.k8s.io",
    "replicationcontrollers",
    "replicasets.apps",
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "controllerrevisions.apps",
    "jobs.batch",
    "cronjobs.batch",
    "horizontalpodautoscalers.autoscaling",
    "poddisruptionbudgets.policy",
    "priorityclasses.scheduling.k8s.io",
    "resourcequotas",
    "limitranges",
    "persistentvolumes",
    "persistentvolumeclaims",
    "storageclasses.storage.k8s.io",
    "csinodes.storage.k8s.io",
    "csidrivers.storage.k8s.io",
    "csistoragecapacities.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
    "deviceclasses.resource.k8s.io",
    "resourceclaims.resource.k8s.io",
    "resourceclaimtemplates.resource.k8s.io",
    "resourceslices.resource.k8s.io",
    "leases.coordination.k8s.io",
    "events",
];

const HELP: &str = "\
kubectl podscope: why pods of this cluster wait, and the cluster as a file or a link

usage:
  kubectl podscope [why] [-n NAMESPACE] [--pod NS/NAME] [-o text|json|markdown]
      What is wrong in the cluster, worst first, as `podscope why` prints it.
  kubectl podscope save FILE
      Saves the cluster to a file that Podscope's page and command line open.
  kubectl podscope link [--site URL]
      Prints the cluster as a link to Podscope's page at URL; without --site only the part from # on.

  --rename replaces every private name; --table FILE keeps old and new names side by side.
  --context, --kubeconfig, --cluster, --user, --as, --token and --request-timeout are kubectl's.
  The cluster is only read, without Secrets; nothing is sent anywhere.
";

/// Options of kubectl that are passed on to it. Each takes a value.
const KUBECTL_OPTIONS: &[&str] = &[
    "context",
    "kubeconfig",
    "cluster",
    "user",
    "as",
    "token",
    "request-timeout",
];

/// Returns whether the binary was started under the name of the plugin.
pub(crate) fn is_invoked() -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
    // kubectl also looks for plugin names with underscores.
    matches!(&*stem, "kubectl-podscope" | "kubectl_podscope")
}

#[derive(Default)]
struct PluginArgs {
    words: Vec<String>,
    /// Options for kubectl, as it takes them.
    kubectl: Vec<OsString>,
    scope: Scope,
    output: Option<Output>,
    renames: bool,
    table: Option<OsString>,
    site: Option<String>,
}

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let mut given = PluginArgs::default();
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => given.words.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long(name) if KUBECTL_OPTIONS.contains(&name) => {
                let mut option = OsString::from(format!("--{name}="));
                option.push(parser.value()?);
                given.kubectl.push(option);
            }
            lexopt::Arg::Short('n') | lexopt::Arg::Long("namespace") => {
                given.scope.namespace = Some(parser.value()?.to_string_lossy().into_owned());
            }
            lexopt::Arg::Long("pod") => given.scope.pod = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => {
                given.output = Some(Output::parse(&parser.value()?)?);
            }
            lexopt::Arg::Long("rename") => given.renames = true,
            lexopt::Arg::Long("table") => given.table = Some(parser.value()?),
            lexopt::Arg::Long("site") => given.site = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if given.table.is_some() && !given.renames {
        return Err("--table goes with --rename".into());
    }
    let words: Vec<&str> = given.words.iter().map(String::as_str).collect();
    let (is_why, is_link) = (matches!(*words, [] | ["why"]), matches!(*words, ["link"]));
    let has_why_options = given.output.is_some() || given.scope.namespace.is_some() || given.scope.pod.is_some();
    if has_why_options && !is_why {
        return Err("-n, --pod and -o go with `why`".into());
    }
    if given.site.is_some() && !is_link {
        return Err("--site goes with `link`".into());
    }
    let result = match *words {
        [] | ["why"] => collect(&given).and_then(|files| {
            let loaded = scenario::load_owned(files).map_err(|problems| args::print_problems(&problems))?;
            why::print(
                loaded,
                "the cluster",
                &given.scope,
                given.output.unwrap_or(Output::Text),
            )
        }),
        ["save", file] => collect(&given).and_then(|files| {
            let text: String = files.into_iter().map(|(_, text)| text).collect();
            rename::write(file.as_ref(), &text)?;
            Ok(ExitCode::SUCCESS)
        }),
        ["link"] => collect(&given).and_then(|files| {
            let fragment = link::of_files(files, None, false)?;
            args::print_text(&format!("{}{fragment}\n", given.site.as_deref().unwrap_or_default()));
            Ok(ExitCode::SUCCESS)
        }),
        _ => return Err("use: kubectl podscope [why], kubectl podscope save FILE, or kubectl podscope link".into()),
    };
    Ok(result.unwrap_or_else(|status| status))
}

/// Reads the cluster through kubectl, and replaces private names if asked.
fn collect(given: &PluginArgs) -> Result<Vec<File>, ExitCode> {
    let resources = served_resources(given)?;
    let got = kubectl(
        given,
        &["get", &resources.join(","), "--all-namespaces", "--output=json"],
    )?;
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    // A user may not read every resource: kubectl then fails after it has printed the others.
    if text.trim().is_empty() {
        return Err(failed(&got));
    }
    for line in String::from_utf8_lossy(&got.stderr).lines() {
        args::print_error(format_args!("left out: {line}"));
    }
    let files = vec![("cluster.json".to_owned(), text)];
    if !given.renames {
        return Ok(files);
    }
    let text = rename::renamed(&files, given.table.as_deref())?;
    Ok(vec![("cluster.yaml".to_owned(), text)])
}

/// The resources of [`RESOURCES`] that this cluster serves: kubectl refuses a list that contains an unknown one.
fn served_resources(given: &PluginArgs) -> Result<Vec<&'static str>, ExitCode> {
    let got = kubectl(given, &["api-resources", "--verbs=list", "--output=name"])?;
    let names = String::from_utf8_lossy(&got.stdout).into_owned();
    let served = |resource: &&&str| names.lines().any(|name| name.trim() == **resource);
    let found: Vec<&str> = RESOURCES.iter().filter(served).copied().collect();
    // Discovery of an aggregated API may fail; kubectl then prints the others and fails.
    if found.is_empty() { Err(failed(&got)) } else { Ok(found) }
}

fn kubectl(given: &PluginArgs, words: &[&str]) -> Result<Finished, ExitCode> {
    let mut command = Command::new("kubectl");
    command.args(words).args(&given.kubectl).stdin(Stdio::null());
    command.output().map_err(|error| {
        args::print_error(format_args!("podscope: kubectl: {error}"));
        ExitCode::from(args::BAD_INPUT)
    })
}

/// Prints the errors of a failed kubectl.
fn failed(got: &Finished) -> ExitCode {
    let errors = String::from_utf8_lossy(&got.stderr).into_owned();
    let errors = errors.trim();
    args::print_error(if errors.is_empty() {
        "podscope: kubectl printed nothing"
    } else {
        errors
    });
    ExitCode::from(args::BAD_INPUT)
}
