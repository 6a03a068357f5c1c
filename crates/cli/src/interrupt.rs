//! Ctrl-C: the first one asks long work to end early with partial results, the second one ends the program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of an interrupted run by the convention of shells: 128 plus the number of SIGINT.
const INTERRUPTED: u8 = 130;

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Handles Ctrl-C from now on.
pub(crate) fn listen() {
    // If no handler can be set, Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(|| {
        if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Forgets an earlier Ctrl-C, so that a prompt can continue after it.
pub(crate) fn clear() {
    IS_INTERRUPTED.store(false, Ordering::Relaxed);
}

/// Exit status of an interrupted command.
pub(crate) fn status() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}
