//! `podscope why`: lists the problems in the cluster of the files, worst first.

use std::process::ExitCode;

use podscope_session::scenario::Loaded;
use podscope_session::timeline::Session;
use podscope_session::triage::{self, Scope};

use crate::args::{self, Output};

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut scope, mut output) = (Vec::new(), Scope::default(), Output::Text);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Short('n') | lexopt::Arg::Long("namespace") => {
                scope.namespace = Some(parser.value()?.to_string_lossy().into_owned());
            }
            lexopt::Arg::Long("pod") => scope.pod = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => output = Output::parse(&parser.value()?)?,
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if names.is_empty() {
        names.push("-".to_owned());
    }
    Ok(why(&names, &scope, output).unwrap_or_else(|status| status))
}

fn why(names: &[String], scope: &Scope, output: Output) -> Result<ExitCode, ExitCode> {
    print(args::load(names)?, &names.join(", "), scope, output)
}

/// Prints the problems of a loaded cluster; `name` names it in errors.
pub(crate) fn print(loaded: Loaded, name: &str, scope: &Scope, output: Output) -> Result<ExitCode, ExitCode> {
    let session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    if let Some(pod) = &scope.pod {
        let mut pods = session.world().objects().list::<podscope_api::Pod>();
        if !pods.any(|known| known.metadata.key().to_string() == *pod) {
            args::print_error(format_args!("{name}: no pod {pod}"));
            return Err(ExitCode::from(args::BAD_INPUT));
        }
    }
    args::print_notices(&session);
    let findings = triage::triage(&session, scope);
    let now = session.now().0;
    output.print(
        || triage::plain(&findings, now),
        || triage::markdown(&findings, now),
        || triage::to_json(&session, &findings),
    );
    // The process ends here: dropping the session of a large cluster would take a tenth of the run time.
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}
