//! `podscope serve`: parses the arguments of [`podscope_serve`] and runs the server.

use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use podscope_serve::{ListenOptions, Options, Server, Speed, Token};
use podscope_session::timeline::Session;

use crate::{args, interrupt};

/// Maximum of `--speed`, as a multiple of real time.
const MAX_SPEED: f64 = 10_000.0;

/// Serve the Kubernetes API over HTTP, for kubectl, client libraries and operators
///
/// The first line of stdout is `serving http://127.0.0.1:PORT`. Beside the Kubernetes API: POST
/// /podscope/v1/{advance,command,checkpoint,restore} and GET
/// /podscope/v1/{trace,objects,processes,scenario,explain/NAMESPACE/POD}. The scenario replays what programs did, to
/// the same trace.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Files or folders with the cluster; without them it is three zones of two nodes
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Port; 0 chooses a free one
    #[arg(long, default_value = "0")]
    port: u16,
    /// How many times as fast as real time the cluster runs, or `manual`: time moves while writes are answered, and by
    /// POST /podscope/v1/advance {"seconds": N}
    #[arg(long, value_name = "N|manual", default_value = "1", value_parser = parse_speed)]
    speed: Speed,
    /// Write a kubeconfig of the server to this file; with --listen it holds the certificate and the token
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Write the run to this file while it goes on, as a scenario that `podscope run` replays to the same trace
    ///
    /// A session holds 10 000 commands and requests that write; a recorded one holds 500 000. The file can hold the data of
    /// Secrets, and only its owner can read it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Serve the page, too, from this folder of the built site (dist/ of `cargo xtask build`)
    ///
    /// The page shows this cluster: what programs do is seen there, and what is pressed there is seen by them. Several
    /// pages may watch; one leads.
    #[arg(long, value_name = "DIR", conflicts_with = "listen")]
    site: Option<PathBuf>,
    /// IP address at which other machines are served, too, over TLS; by default only this machine is
    #[arg(long, value_name = "IP", requires = "token")]
    listen: Option<IpAddr>,
    /// Token that every request needs
    #[arg(long, requires = "listen", value_parser = Token::new)]
    token: Option<Token>,
}

pub(crate) fn run(given: ServeArgs) -> ExitCode {
    let options = Options {
        port: given.port,
        speed: given.speed,
        kubeconfig: given.kubeconfig,
        site: given.site,
        record: given.record,
        // clap ensures that both or neither are given.
        listen: (given.listen.zip(given.token)).map(|(address, token)| ListenOptions { address, token }),
    };
    serve(&given.files, &options).unwrap_or_else(|status| status)
}

fn parse_speed(text: &str) -> Result<Speed, String> {
    if text == "manual" {
        return Ok(Speed::Manual);
    }
    speed_factor(text)
        .map(Speed::Times)
        .map_err(|_| format!("neither manual nor a number up to {MAX_SPEED}, such as 10"))
}

/// Parses a speed as a multiple of real time.
pub(crate) fn speed_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(times) if times > 0.0 && times <= MAX_SPEED => Ok(times),
        _ => Err(format!("not a number up to {MAX_SPEED}, such as 10")),
    }
}

/// Returns the wall-clock time in whole seconds.
#[expect(
    clippy::disallowed_types,
    reason = "the only place where real time enters a scenario: as its declared start"
)]
pub(crate) fn wall_clock_now() -> podscope_api::Time {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    podscope_api::Time::from_seconds(i64::try_from(since.as_secs()).unwrap_or(0))
}

fn serve(names: &[String], options: &Options) -> Result<ExitCode, ExitCode> {
    let mut loaded = args::load(names)?;
    // Clients compute ages with their own clocks, so the cluster starts at the wall-clock time. With manual time, every
    // run must be the same, so the start stays fixed.
    if options.speed != Speed::Manual {
        loaded.begin_at(wall_clock_now());
    }
    let session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    args::print_notices(session.loaded(), session.world().objects());
    let failed = |error: std::io::Error| {
        args::print_error(format_args!("podscope: {error}"));
        ExitCode::from(args::BAD_INPUT_STATUS)
    };
    let server = Server::start(session, options).map_err(failed)?;
    let mut stdout = std::io::stdout().lock();
    args::exit_on_write_error(writeln!(stdout, "serving {}", server.url()).and_then(|()| stdout.flush()));
    drop(stdout);
    match &options.kubeconfig {
        Some(path) => args::print_error(format_args!("export KUBECONFIG={}", path.display())),
        None if options.listen.is_some() => args::print_error(format_args!(
            "podscope: --kubeconfig FILE writes a file with the certificate that clients check, and the token"
        )),
        None => args::print_error(format_args!("kubectl --server={} get pods -A", server.url())),
    }
    if options.site.is_some() {
        args::print_error(format_args!("the page: {}/", server.url()));
    }
    while server.is_running() {
        if interrupt::is_interrupted() {
            return Ok(interrupt::interrupted_status());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    args::print_error("podscope: the simulation has ended");
    Ok(ExitCode::from(args::BAD_INPUT_STATUS))
}
