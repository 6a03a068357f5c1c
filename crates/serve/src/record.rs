//! `--record FILE`: writes the run to a scenario file while it is in progress.
//!
//! The file begins with the scenario and the objects of the session; each command and each call of a client is appended
//! to its timeline as one line when it has been performed. The file is a complete scenario after each line. A recorded
//! session can hold more commands than other sessions ([`MAX_ENTRIES`] instead of `MAX_COMMANDS`).
//!
//! When the session goes back in time (a checkpoint is restored, or the leading page undoes a command or takes another
//! branch), the file is rewritten with the remaining commands.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use podscope_session::export;
use podscope_session::scenario::MAX_ENTRIES;
use podscope_session::timeline::Session;

/// Maximum size of a recording in bytes: the largest file that the command line reads.
const MAX_RECORDING_BYTES: u64 = podscope_api::limits::INPUT_BYTES as u64;

/// An open recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    path: PathBuf,
    file: File,
    /// Size of the file in bytes.
    size: u64,
    /// Index of the branch whose commands are in the file, and the number of these commands.
    written: (usize, usize),
}

impl Recorder {
    /// Creates the file, or replaces it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn create(path: &Path, session: &mut Session) -> io::Result<Recorder> {
        let (file, size) = create_file_without_commands(path, session)?;
        let mut recorder = Recorder {
            path: path.to_owned(),
            file,
            size,
            written: (session.current_branch_index(), 0),
        };
        recorder.append(session)?;
        Ok(recorder)
    }

    /// Appends the commands that were performed since the last call. Rewrites the file if the session no longer has all
    /// commands of the file, or if it `is_another` session.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn update(&mut self, session: &mut Session, is_another: bool) -> io::Result<()> {
        let (branch, count) = self.written;
        if is_another || branch != session.current_branch_index() || count > session.command_count() {
            (self.file, self.size) = create_file_without_commands(&self.path, session)?;
            self.written = (session.current_branch_index(), 0);
        }
        self.append(session)
    }

    fn append(&mut self, session: &mut Session) -> io::Result<()> {
        let mut text = String::new();
        for timed in session.commands_from(self.written.1) {
            text.push_str(&export::timeline_line(timed));
        }
        if !text.is_empty() {
            self.file.write_all(text.as_bytes())?;
            self.size += text.len() as u64;
        }
        self.written.1 = session.command_count();
        let of_scenario = session.loaded().scenario.timeline.len();
        session.set_max_commands(match self.size < MAX_RECORDING_BYTES {
            true => MAX_ENTRIES.saturating_sub(of_scenario),
            false => self.written.1,
        });
        Ok(())
    }
}

/// Creates the file with everything but the commands of the session. Returns the file and its size. Only its owner can
/// read it, because it can contain the data of Secrets.
fn create_file_without_commands(path: &Path, session: &Session) -> io::Result<(File, u64)> {
    let text = export::recording_head(session);
    let create = || {
        let mut file = crate::create_private_file(path)?;
        file.write_all(text.as_bytes())?;
        Ok(file)
    };
    let file =
        create().map_err(|error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    Ok((file, text.len() as u64))
}
