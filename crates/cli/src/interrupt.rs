//! Ctrl-C handling: the first Ctrl-C stops long work early, with partial results; the second one ends the program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of an interrupted run. By the convention of shells, it is 128 plus the number of SIGINT.
const INTERRUPTED_STATUS: u8 = 130;

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for Ctrl-C.
pub(crate) fn install_handler() {
    // If the handler cannot be installed, Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(|| {
        if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED_STATUS.into());
        }
    });
}

/// Returns whether Ctrl-C was pressed.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Forgets an earlier Ctrl-C, so that a prompt can continue after it.
pub(crate) fn clear_interrupt() {
    IS_INTERRUPTED.store(false, Ordering::Relaxed);
}

/// Returns the exit status of an interrupted command.
pub(crate) fn interrupted_status() -> ExitCode {
    ExitCode::from(INTERRUPTED_STATUS)
}
