//! `podscope serve`: parses the arguments of [`podscope_serve`] and runs the server.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use podscope_serve::{Options, Server, Speed};
use podscope_session::timeline::Session;

use crate::{args, interrupt};

/// Maximum of `--speed`, as a multiple of real time.
const MAX_SPEED: f64 = 10_000.0;

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let mut names = Vec::new();
    let mut options = Options {
        port: 0,
        speed: Speed::Times(1.0),
        kubeconfig: None,
    };
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("port") => {
                let text = parser.value()?.to_string_lossy().into_owned();
                options.port = text
                    .parse()
                    .map_err(|_| format!("--port takes a number from 0 to 65535, not {text:?}"))?;
            }
            lexopt::Arg::Long("speed") => options.speed = speed(&parser.value()?.to_string_lossy())?,
            lexopt::Arg::Long("kubeconfig") => options.kubeconfig = Some(PathBuf::from(parser.value()?)),
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    Ok(serve(&names, &options).unwrap_or_else(|status| status))
}

fn speed(text: &str) -> Result<Speed, lexopt::Error> {
    if text == "manual" {
        return Ok(Speed::Manual);
    }
    match text.parse::<f64>() {
        Ok(times) if times > 0.0 && times <= MAX_SPEED => Ok(Speed::Times(times)),
        _ => Err(format!("--speed takes manual or a number up to {MAX_SPEED}, such as 10, not {text:?}").into()),
    }
}

/// The wall-clock time, in whole seconds.
#[expect(
    clippy::disallowed_types,
    reason = "the only place where real time enters a scenario: as its declared start"
)]
fn wall_clock_now() -> podscope_api::Time {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    podscope_api::Time::from_seconds(i64::try_from(since.as_secs()).unwrap_or(0))
}

fn serve(names: &[String], options: &Options) -> Result<ExitCode, ExitCode> {
    let mut loaded = args::load(names)?;
    // Clients compare ages with their own clocks. With manual time, every run must be the same, so the start stays
    // fixed.
    if options.speed != Speed::Manual {
        loaded.begin_at(wall_clock_now());
    }
    let session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    args::print_notices(&session);
    let failed = |error: std::io::Error| {
        args::print_error(format_args!("podscope: {error}"));
        ExitCode::from(args::BAD_INPUT)
    };
    let server = Server::start(session, options).map_err(failed)?;
    let mut stdout = std::io::stdout().lock();
    args::exit_on_write_error(writeln!(stdout, "serving {}", server.url()).and_then(|()| stdout.flush()));
    drop(stdout);
    match &options.kubeconfig {
        Some(path) => args::print_error(format_args!("export KUBECONFIG={}", path.display())),
        None => args::print_error(format_args!("kubectl --server={} get pods -A", server.url())),
    }
    while server.is_running() {
        if interrupt::is_interrupted() {
            return Ok(interrupt::status());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    args::print_error("podscope: the simulation has ended");
    Ok(ExitCode::from(args::BAD_INPUT))
}
