//! A command and the processes that it starts, which are killed together.

use std::io;
use std::process::{Child, Command, ExitStatus};
#[cfg(unix)]
use std::{os::unix::process::CommandExt as _, process::Stdio};

/// The script of the group's leader: it waits until its stdin is closed, and kills its group with itself. A command that
/// sends its own group a signal to end (`kill 0`) does not end the leader.
#[cfg(unix)]
const LEADER: &str = "trap '' HUP INT QUIT TERM; read -r line; kill -KILL 0";

/// A running command with the processes of its group. Dropping it kills them all.
///
/// On Unix the group has a leader that the command does not know: a shell whose stdin is a pipe from this program. The pipe
/// is closed when the value is dropped, and also when this program is killed, so that no process is left in either case. A
/// process that makes itself the leader of another group, as a daemon does, is not reached.
///
/// Other systems have no process groups: only the command's first process is killed.
#[derive(Debug)]
pub(super) struct Processes {
    first: Child,
    #[cfg(unix)]
    leader: Child,
}

impl Processes {
    /// Starts a command.
    ///
    /// # Errors
    /// The command or, on Unix, `sh` cannot be started.
    #[cfg(unix)]
    pub(super) fn start(command: &mut Command) -> io::Result<Processes> {
        let mut leader = Command::new("sh")
            .args(["-c", LEADER])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let started = i32::try_from(leader.id())
            .map_err(io::Error::other)
            .and_then(|group| command.process_group(group).spawn());
        match started {
            Ok(first) => Ok(Processes { first, leader }),
            Err(error) => {
                end(&mut leader);
                Err(error)
            }
        }
    }

    #[cfg(not(unix))]
    pub(super) fn start(command: &mut Command) -> io::Result<Processes> {
        let first = command.spawn()?;
        Ok(Processes { first })
    }

    /// The status of the command's first process, if it has ended.
    pub(super) fn first_status(&mut self) -> Option<ExitStatus> {
        self.first.try_wait().ok().flatten()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        #[cfg(unix)]
        end(&mut self.leader);
        // Killing fails if the process has already ended.
        let _ = self.first.kill().and_then(|()| self.first.wait());
    }
}

/// Lets the leader of a group kill it. Waiting closes the leader's stdin first.
#[cfg(unix)]
fn end(leader: &mut Child) {
    // Waiting fails only if the leader has been waited for.
    let _ = leader.wait();
}
