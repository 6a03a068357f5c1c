//! Steps of the test suite that run beside the others, because they keep only one core busy most of the time: the
//! release builds.
//!
//! They run one after the other, each as a process of its own (`cargo xtask step NAME`). The output of each is kept in
//! a file and printed when the suite comes to that step.

use crate::host;
use crate::run::{Fallible, Run};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

/// Steps that are running in the background.
pub(crate) struct BackgroundSteps {
    finished: Receiver<FinishedStep>,
}

struct FinishedStep {
    result: Fallible,
    seconds: f64,
}

impl BackgroundSteps {
    /// Starts to run these steps, one after the other.
    pub(crate) fn start(names: Vec<&'static str>) -> BackgroundSteps {
        let (sender, finished) = mpsc::channel();
        thread::spawn(move || {
            for name in names {
                let began = Instant::now();
                let result = run_step(name);
                let seconds = began.elapsed().as_secs_f64();
                // Nobody receives the result any more if the suite has ended.
                let _ = sender.send(FinishedStep { result, seconds });
            }
        });
        BackgroundSteps { finished }
    }

    /// Waits for the end of the next step, `name`, and prints its output. Returns its result, and the time that it took
    /// in seconds. To be called for each step, in the order of [`start`](BackgroundSteps::start).
    pub(crate) fn wait(&self, name: &str) -> (Fallible, f64) {
        let Ok(step) = self.finished.recv() else {
            return (Err(format!("the step {name} did not run")), 0.0);
        };
        eprint!("{}", fs::read_to_string(log_path(name)).unwrap_or_default());
        (step.result, step.seconds)
    }
}

/// Returns the path of the file with the output of a background step.
fn log_path(name: &str) -> PathBuf {
    host::target().join(format!("test-{name}.log"))
}

fn run_step(name: &str) -> Fallible {
    let path = log_path(name);
    let log = File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let program = std::env::current_exe().map_err(|e| format!("the path of this program: {e}"))?;
    let run = Run::new(program).args(["step", name]);
    run.env(host::PACKAGE_DIR_VARIABLE, host::package_dir())
        .output_to(log)?
        .status()
}
