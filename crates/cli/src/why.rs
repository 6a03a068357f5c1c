//! `podscope why`: lists the problems in the cluster of the files, worst first.

use std::process::ExitCode;

use clap::Args;
use podscope_cluster::SimTime;
use podscope_session::scenario::Loaded;
use podscope_session::triage::{self, Scope};

use crate::args::{self, AnswerFormat};

/// List what is wrong in a cluster, worst first: each problem with its reason and what would help
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// What `kubectl get -A -o yaml` or `-o json` printed, or a folder (`kubectl cluster-info dump`, `oc adm
    /// must-gather`); `-`, the default, is standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    pub(crate) options: WhyOptions,
}

/// Options of `podscope why`: filters and the output format.
#[derive(Debug, Args)]
pub(crate) struct WhyOptions {
    /// Only problems of this namespace, without those of cluster-scoped objects
    #[arg(short, long, global = true)]
    namespace: Option<String>,
    /// Only problems of this pod
    #[arg(long, value_name = "NAMESPACE/NAME", global = true)]
    pod: Option<String>,
    /// Output format; text by default
    #[arg(short, long, value_name = "FORMAT", global = true)]
    output: Option<AnswerFormat>,
}

impl WhyOptions {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.output == Some(AnswerFormat::Json)
    }

    /// Returns whether no option is given.
    pub(crate) fn are_all_absent(&self) -> bool {
        self.namespace.is_none() && self.pod.is_none() && self.output.is_none()
    }
}

pub(crate) fn run(given: &WhyArgs) -> ExitCode {
    let names = args::names_or_stdin(&given.files);
    args::load(&names)
        .and_then(|loaded| print(loaded, &names.join(", "), &given.options))
        .unwrap_or_else(|status| status)
}

/// Prints the problems of a loaded cluster at t = 0. `name` is its name in error messages. No simulation is started:
/// only the objects are read.
pub(crate) fn print(loaded: Loaded, name: &str, options: &WhyOptions) -> Result<ExitCode, ExitCode> {
    let objects = loaded
        .objects_at_start()
        .map_err(|problems| args::print_problems(&problems))?;
    let scope = Scope {
        namespace: options.namespace.clone(),
        pod: options.pod.clone(),
    };
    if let Some(pod) = &scope.pod {
        let mut pods = objects.list::<podscope_api::Pod>();
        if !pods.any(|known| known.metadata.key().to_string() == *pod) {
            args::print_error(format_args!("{name}: no pod {pod}"));
            return Err(ExitCode::from(args::BAD_INPUT_STATUS));
        }
    }
    args::print_notices(&loaded, &objects);
    let findings = triage::triage_objects(&objects, &loaded, SimTime::ZERO, &scope);
    options.output.unwrap_or_default().print(
        || triage::plain_text(&findings, 0),
        || triage::markdown(&findings, 0),
        || triage::to_json(loaded.setup.start, &findings),
    );
    // The objects are not dropped, because the process ends here; dropping those of a large cluster would take a tenth
    // of the run time.
    std::mem::forget((loaded, objects));
    Ok(ExitCode::SUCCESS)
}
