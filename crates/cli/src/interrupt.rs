//! Ctrl-C: the first asks long work to end with what there is, the second ends the program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Status of a run that was interrupted, as shells say it: 128 and the signal's number.
const INTERRUPTED: u8 = 130;

static CAME: AtomicBool = AtomicBool::new(false);

/// Listens from now on.
pub(crate) fn listen() {
    // Where no handler can be set, Ctrl-C ends the program as ever.
    let _ = ctrlc::set_handler(|| {
        if CAME.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
}

/// Whether it came.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}

/// Whether it came since this was asked last: a prompt goes on after it.
pub(crate) fn take() -> bool {
    CAME.swap(false, Ordering::Relaxed)
}

/// The status of what was interrupted.
pub(crate) fn status() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}
