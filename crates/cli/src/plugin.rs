//! `kubectl podscope`: under the name `kubectl-podscope` this binary is a plugin of kubectl. It reads the cluster of
//! the current context through kubectl, and prints what `podscope why` prints, saves a file, or makes a link. It changes
//! nothing in the cluster and sends nothing anywhere.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Output as Finished, Stdio};

use clap::{Args, Parser, Subcommand};
use podscope_session::scenario::{self, File};

use crate::args::{self, UsageError};
use crate::language::LanguageOption;
use crate::why::WhyOptions;
use crate::{link, rename, why};

/// Resources that influence where a pod runs or when it ends, by the names that `kubectl api-resources -o name` prints.
/// Secrets are not read.
const READ_RESOURCES: &[&str] = &[
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

/// Returns whether the binary was started under the name of the plugin.
pub(crate) fn is_invoked_as_plugin() -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
    // kubectl also looks for plugin names with underscores.
    matches!(&*stem, "kubectl-podscope" | "kubectl_podscope")
}

/// Why pods of this cluster wait, and the cluster as a file or a link
///
/// The cluster is only read, without Secrets; nothing is sent anywhere.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-podscope",
    bin_name = "kubectl podscope",
    version,
    args_override_self = true
)]
#[command(max_term_width = 110)]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    action: Option<PluginAction>,
    #[command(flatten)]
    pub(crate) language: LanguageOption,
    #[command(flatten)]
    pub(crate) options: WhyOptions,
    /// Replace every private name
    #[arg(long, global = true)]
    rename: bool,
    /// File for the old and the new names side by side, which stays with the owner
    #[arg(long, value_name = "FILE", requires = "rename", global = true)]
    table: Option<OsString>,
    #[command(flatten)]
    kubectl: KubectlOptions,
}

#[derive(Debug, Subcommand)]
enum PluginAction {
    /// List what is wrong in the cluster, worst first, as `podscope why` does (the default)
    Why,
    /// Save the cluster to a file that Podscope's page and command line open
    Save { file: OsString },
    /// Print the cluster as a link to Podscope's page
    Link {
        /// Address of the page; without it only the part from # on is printed
        #[arg(long, value_name = "URL")]
        site: Option<String>,
    },
}

/// Options of kubectl that are passed on to it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of kubectl")]
struct KubectlOptions {
    /// Context of the kubeconfig
    #[arg(long, global = true)]
    context: Option<OsString>,
    /// Path of the kubeconfig
    #[arg(long, global = true)]
    kubeconfig: Option<OsString>,
    /// Cluster of the kubeconfig
    #[arg(long, global = true)]
    cluster: Option<OsString>,
    /// User of the kubeconfig
    #[arg(long, global = true)]
    user: Option<OsString>,
    /// User to impersonate
    #[arg(long = "as", value_name = "USER", global = true)]
    impersonate: Option<OsString>,
    /// Bearer token for the API server
    #[arg(long, global = true)]
    token: Option<OsString>,
    /// How long to wait for one request, such as 30s
    #[arg(long, value_name = "DURATION", global = true)]
    request_timeout: Option<OsString>,
}

impl KubectlOptions {
    /// Returns the options as arguments of kubectl.
    fn arguments(&self) -> impl Iterator<Item = OsString> {
        let given = [
            ("context", &self.context),
            ("kubeconfig", &self.kubeconfig),
            ("cluster", &self.cluster),
            ("user", &self.user),
            ("as", &self.impersonate),
            ("token", &self.token),
            ("request-timeout", &self.request_timeout),
        ];
        given.into_iter().filter_map(|(name, value)| {
            let mut option = OsString::from(format!("--{name}="));
            option.push(value.as_ref()?);
            Some(option)
        })
    }
}

pub(crate) fn run(given: &PluginArgs) -> Result<ExitCode, UsageError> {
    let is_why = matches!(given.action, None | Some(PluginAction::Why));
    if !is_why && !given.options.are_all_absent() {
        return Err("-n, --pod and -o go with `why`".into());
    }
    let result = read_cluster(given).and_then(|files| match &given.action {
        None | Some(PluginAction::Why) => {
            let loaded = scenario::load_owned(files).map_err(|problems| args::print_problems(&problems))?;
            why::print(loaded, "the cluster", &given.options)
        }
        Some(PluginAction::Save { file }) => {
            let text: String = files.into_iter().map(|(_, text)| text).collect();
            rename::write(file, &text)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(PluginAction::Link { site }) => {
            let fragment = link::fragment_with_files(files, None, false)?;
            args::print_text(&format!("{}{fragment}\n", site.as_deref().unwrap_or_default()));
            Ok(ExitCode::SUCCESS)
        }
    });
    Ok(result.unwrap_or_else(|status| status))
}

/// Reads the cluster through kubectl, and replaces private names with `--rename`.
fn read_cluster(given: &PluginArgs) -> Result<Vec<File>, ExitCode> {
    let resources = served_resources(given)?;
    let output = run_kubectl(
        given,
        &["get", &resources.join(","), "--all-namespaces", "--output=json"],
    )?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // If the user may not read some resources, kubectl prints the others and then fails.
    if text.trim().is_empty() {
        return Err(print_kubectl_errors(&output));
    }
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        args::print_error(format_args!("left out: {line}"));
    }
    let files = vec![("cluster.json".to_owned(), text)];
    if !given.rename {
        return Ok(files);
    }
    let text = rename::renamed_objects_yaml(&files, given.table.as_deref())?;
    Ok(vec![("cluster.yaml".to_owned(), text)])
}

/// Returns the resources of [`READ_RESOURCES`] that this cluster serves, because kubectl refuses a list with an unknown
/// resource.
fn served_resources(given: &PluginArgs) -> Result<Vec<&'static str>, ExitCode> {
    let output = run_kubectl(given, &["api-resources", "--verbs=list", "--output=name"])?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let served = |resource: &&&str| names.lines().any(|name| name.trim() == **resource);
    let found: Vec<&str> = READ_RESOURCES.iter().filter(served).copied().collect();
    // If the discovery of an aggregated API fails, kubectl prints the other resources and then fails.
    if found.is_empty() {
        Err(print_kubectl_errors(&output))
    } else {
        Ok(found)
    }
}

fn run_kubectl(given: &PluginArgs, arguments: &[&str]) -> Result<Finished, ExitCode> {
    let mut command = Command::new("kubectl");
    command
        .args(arguments)
        .args(given.kubectl.arguments())
        .stdin(Stdio::null());
    command.output().map_err(|error| {
        args::print_error(format_args!("podscope: kubectl: {error}"));
        ExitCode::from(args::BAD_INPUT_STATUS)
    })
}

/// Prints the errors of a failed kubectl. Returns the exit status.
fn print_kubectl_errors(output: &Finished) -> ExitCode {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors = errors.trim();
    args::print_error(if errors.is_empty() {
        "podscope: kubectl printed nothing"
    } else {
        errors
    });
    ExitCode::from(args::BAD_INPUT_STATUS)
}
