//! A command and the processes that it starts, which are killed together.

use std::io;
use std::process::{Child, Command, ExitStatus};
#[cfg(unix)]
use std::{os::unix::process::CommandExt as _, process::Stdio};

/// The script of the leader of the process group: it waits until its stdin is closed, and then kills the group,
/// including itself. It ignores a termination signal that the command sends to its own group (`kill 0`).
#[cfg(unix)]
const GROUP_LEADER_SCRIPT: &str = "trap '' HUP INT QUIT TERM; read -r line; kill -KILL 0";

/// A running command with the processes of its group. Dropping it kills them all.
///
/// On Unix the group has a leader that the command does not know: a shell whose stdin is a pipe from this program. The
/// pipe is closed when the value is dropped, and also when this program is killed, so that no process is left in either
/// case. A process that starts another group, as a daemon does, is not killed.
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
            .args(["-c", GROUP_LEADER_SCRIPT])
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
                kill_group(&mut leader);
                Err(error)
            }
        }
    }

    #[cfg(not(unix))]
    pub(super) fn start(command: &mut Command) -> io::Result<Processes> {
        let first = command.spawn()?;
        Ok(Processes { first })
    }

    /// Returns the status of the command's first process, if it has ended.
    pub(super) fn first_status(&mut self) -> Option<ExitStatus> {
        self.first.try_wait().ok().flatten()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        #[cfg(unix)]
        kill_group(&mut self.leader);
        // Killing fails if the process has already ended.
        let _ = self.first.kill().and_then(|()| self.first.wait());
    }
}

/// Makes the leader kill its group: waiting for it closes its stdin first.
#[cfg(unix)]
fn kill_group(leader: &mut Child) {
    // Waiting fails only if the leader was already waited for.
    let _ = leader.wait();
}
