//! Finds Chromium and its driver in the usual locations, or installs them with apt if the user may do so. Otherwise the
//! error message contains the command that installs them.

use crate::host;
use crate::run::{Fallible, Run};
use crate::tools::{exe_name, first_number};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs of the browser tests, all of the same major version.
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
    /// Runs the browser stories: Chromium's headless shell, which takes a tenth less CPU time, if it is installed and the
    /// user has not named a browser; otherwise `chromium`.
    pub(crate) story_browser: PathBuf,
}

/// Finds browser and driver, if both exist and have the same major version: a driver works only with that version.
pub(crate) fn find() -> Option<Browser> {
    let (chromium, driver) = (find_chromium()?, find_chromedriver()?);
    let major = major_version(&chromium);
    if major_version(&driver) != major {
        return None;
    }
    let shell = match std::env::var_os("PODSCOPE_CHROMIUM") {
        Some(_) => None,
        None => host::which("chromium-headless-shell").filter(|shell| major_version(shell) == major),
    };
    let story_browser = shell.unwrap_or_else(|| chromium.clone());
    Some(Browser {
        chromium,
        driver,
        story_browser,
    })
}

fn major_version(program: &Path) -> Option<u32> {
    host::version_of(program).and_then(|version| first_number(&version))
}

fn find_chromium() -> Option<PathBuf> {
    let named = std::env::var_os("PODSCOPE_CHROMIUM")
        .map(PathBuf::from)
        .filter(|p| p.is_file());
    let on_path = || {
        [
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
            "chrome",
        ]
        .iter()
        .find_map(|name| host::which(name))
    };
    let mac = || {
        ["Google Chrome", "Chromium"]
            .iter()
            .map(|app| PathBuf::from(format!("/Applications/{app}.app/Contents/MacOS/{app}")))
            .find(|path| path.is_file())
    };
    named.or_else(on_path).or_else(mac)
}

fn find_chromedriver() -> Option<PathBuf> {
    let named = std::env::var_os("PODSCOPE_CHROMEDRIVER").map(PathBuf::from);
    // GitHub's hosted runners have the driver's directory in this variable.
    let runner = std::env::var_os("CHROMEWEBDRIVER").map(|d| Path::new(&d).join(exe_name("chromedriver")));
    named
        .into_iter()
        .chain(runner)
        .chain(host::which("chromedriver"))
        .chain([PathBuf::from("/usr/lib/chromium-browser/chromedriver")])
        .find(|path| path.is_file())
}

/// Reason why the installed browser cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrowserProblem {
    BothMissing,
    BrowserMissing,
    DriverMissing,
    VersionMismatch,
}

/// Returns which of browser and driver is missing; if neither is, their versions differ.
fn detect_problem() -> BrowserProblem {
    match (find_chromium(), find_chromedriver()) {
        (None, None) => BrowserProblem::BothMissing,
        (None, Some(_)) => BrowserProblem::BrowserMissing,
        (Some(_), None) => BrowserProblem::DriverMissing,
        (Some(_), Some(_)) => BrowserProblem::VersionMismatch,
    }
}

/// Beginning of the install commands that use apt; the packages follow.
const APT_INSTALL: &str = "sudo apt-get install ";

/// Names of Linux distributions in `/etc/os-release`, each with the command that installs browser and driver.
const INSTALL_COMMANDS: &[(&[&str], &str)] = &[
    (
        &["ubuntu"],
        "sudo apt-get install chromium-browser chromium-chromedriver",
    ),
    (&["debian"], "sudo apt-get install chromium chromium-driver"),
    (&["fedora", "rhel"], "sudo dnf install chromium chromedriver"),
    (&["arch"], "sudo pacman -S chromium"),
    (&["opensuse", "suse"], "sudo zypper install chromium chromedriver"),
    (&["alpine"], "sudo apk add chromium chromium-chromedriver"),
    (&["nixos"], "nix-shell -p chromium chromedriver"),
];

/// How to install browser and driver from npm, on all systems for which Chrome is built.
const NPM_INSTALL_HELP: &str = "npx @puppeteer/browsers install chrome@stable
  npx @puppeteer/browsers install chromedriver@stable
and name the programs that they print in PODSCOPE_CHROMIUM and PODSCOPE_CHROMEDRIVER";

/// Returns the message that asks the user to install the browser, with the command for the user's system. `os_release`
/// is the text of `/etc/os-release`, empty if the file does not exist.
fn install_message(problem: BrowserProblem, os_release: &str) -> String {
    let description = match problem {
        BrowserProblem::BothMissing => "Chromium (or Chrome) and chromedriver are missing",
        BrowserProblem::BrowserMissing => "Chromium (or Chrome) is missing",
        BrowserProblem::DriverMissing => "chromedriver is missing",
        BrowserProblem::VersionMismatch => "Chromium (or Chrome) and chromedriver have different versions",
    };
    let command = install_command(os_release).unwrap_or(NPM_INSTALL_HELP);
    format!("{description}, and the browser tests need both, in the same version. Please run:\n  {command}")
}

/// Returns the install command for the distribution in `os_release`, or for a distribution that it is based on.
fn install_command(os_release: &str) -> Option<&'static str> {
    system_names(os_release).iter().find_map(|name| {
        let row = INSTALL_COMMANDS
            .iter()
            .find(|(family, _)| family.contains(&name.as_str()));
        row.map(|(_, command)| *command)
    })
}

/// Returns the names of the distribution and of those that it is based on: `ID`, then the words of `ID_LIKE`.
fn system_names(os_release: &str) -> Vec<String> {
    let value = |key: &str| {
        let line = os_release
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_ascii_lowercase()
    };
    let mut names = vec![value("ID")];
    names.extend(value("ID_LIKE").split_whitespace().map(String::from));
    // The editions of openSUSE are named `opensuse-tumbleweed` and `opensuse-leap`.
    if names[0].starts_with("opensuse") {
        names.push("opensuse".into());
    }
    names
}

/// Installs browser and driver with apt if this user may do so; otherwise returns the message with the command to run.
pub(crate) fn install() -> Fallible {
    let os_release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let message = install_message(detect_problem(), &os_release);
    if host::which("apt-get").is_none() {
        return Err(message);
    }
    let id = Command::new("id").arg("-u").output();
    let is_root = id.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).trim() == "0");
    let sudo: &[&str] = match is_root {
        true => &[],
        false if host::succeeds("sudo", &["-n", "true"]) => &["sudo", "-n"],
        false => return Err(message),
    };
    let command = install_command(&os_release).and_then(|line| line.strip_prefix(APT_INSTALL));
    let packages = command.unwrap_or("chromium chromium-driver").split_whitespace();
    let apt = |args: &[&str]| {
        let line: Vec<&str> = sudo
            .iter()
            .chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"].iter())
            .chain(args)
            .copied()
            .collect();
        Run::new(line[0]).args(&line[1..]).status()
    };
    let install = |packages: &[&str]| apt(&[&["install", "--no-install-recommends"], packages].concat());
    let packages: Vec<&str> = packages.collect();
    install(&packages)
        .or_else(|_| apt(&["update"]).and_then(|()| install(&packages)))
        .map_err(|e| format!("{e}\n{message}"))?;
    // Debian has the headless shell as a package of its own, Ubuntu has not. The stories run without it, too.
    if system_names(&os_release)[0] == "debian" && install(&["chromium-headless-shell"]).is_err() {
        println!("== without chromium-headless-shell: the stories use chromium");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BrowserProblem, install_message};

    #[test]
    fn browser_install_message_has_command_for_the_system() {
        for (os_release, want) in [
            ("NAME=Fedora\nID=fedora\n", "sudo dnf install chromium chromedriver"),
            (
                "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
                "sudo dnf install chromium chromedriver",
            ),
            ("ID=arch\n", "sudo pacman -S chromium"),
            ("ID=manjaro\nID_LIKE=arch\n", "sudo pacman -S chromium"),
            (
                "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n",
                "sudo zypper install chromium chromedriver",
            ),
            ("ID=alpine\n", "sudo apk add chromium chromium-chromedriver"),
            ("ID=nixos\n", "nix-shell -p chromium chromedriver"),
            ("ID=debian\n", "sudo apt-get install chromium chromium-driver"),
            (
                "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
                "sudo apt-get install chromium-browser chromium-chromedriver",
            ),
            // macOS and Windows have no `/etc/os-release`.
            ("", "npx @puppeteer/browsers install chromedriver@stable"),
            ("ID=plan9\n", "npx @puppeteer/browsers install chromedriver@stable"),
        ] {
            let text = install_message(BrowserProblem::BothMissing, os_release);
            assert!(text.contains(want), "{os_release:?}: {text}");
            let commands = text.lines().filter(|line| line.starts_with("  ")).count();
            assert_eq!(commands, if want.starts_with("npx") { 2 } else { 1 }, "{text}");
        }
    }

    #[test]
    fn browser_install_message_names_missing_program() {
        assert!(install_message(BrowserProblem::DriverMissing, "").starts_with("chromedriver is missing"));
        assert!(install_message(BrowserProblem::BrowserMissing, "").starts_with("Chromium (or Chrome) is missing"));
        assert!(install_message(BrowserProblem::VersionMismatch, "").contains("different versions"));
    }
}
