//! Chromium and its driver: found where systems keep them, installed by apt where that is allowed;
//! elsewhere the message is the one command to type.

use crate::host;
use crate::run::{Fallible, Run};
use crate::tools::{exe, number};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Browser and driver, if both are there and of one version: a driver speaks to no other.
pub(crate) fn find() -> Option<(PathBuf, PathBuf)> {
    let (chromium, driver) = (chromium()?, chromedriver()?);
    let major = |program: &Path| host::version_of(program).and_then(|v| number(&v));
    (major(&chromium) == major(&driver)).then_some((chromium, driver))
}

fn chromium() -> Option<PathBuf> {
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

fn chromedriver() -> Option<PathBuf> {
    let named = std::env::var_os("PODSCOPE_CHROMEDRIVER").map(PathBuf::from);
    // Hosted runners name the driver's directory so.
    let runner = std::env::var_os("CHROMEWEBDRIVER").map(|d| Path::new(&d).join(exe("chromedriver")));
    named
        .into_iter()
        .chain(runner)
        .chain(host::which("chromedriver"))
        .chain([PathBuf::from("/usr/lib/chromium-browser/chromedriver")])
        .find(|path| path.is_file())
}

/// What is wrong with the browser that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    Both,
    Browser,
    Driver,
    /// Both are there, of different versions.
    Match,
}

fn lack() -> Lack {
    match (chromium(), chromedriver()) {
        (None, None) => Lack::Both,
        (None, Some(_)) => Lack::Browser,
        (Some(_), None) => Lack::Driver,
        (Some(_), Some(_)) => Lack::Match,
    }
}

const APT: &str = "sudo apt-get install ";

/// Families of systems by their names in `/etc/os-release`, and the command that installs both
/// programs there.
const BY_PACKAGES: &[(&[&str], &str)] = &[
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

/// Chrome's own way, for every system that it has builds for.
const BY_NPM: &str = "npx @puppeteer/browsers install chrome@stable
  npx @puppeteer/browsers install chromedriver@stable
and name the programs that they print in PODSCOPE_CHROMIUM and PODSCOPE_CHROMEDRIVER";

/// The message for a person who has to install the browser, on the system that this
/// `/etc/os-release` describes (empty where there is none).
fn by_hand(lack: Lack, os_release: &str) -> String {
    let lacks = match lack {
        Lack::Both => "Chromium (or Chrome) and chromedriver are missing",
        Lack::Browser => "Chromium (or Chrome) is missing",
        Lack::Driver => "chromedriver is missing",
        Lack::Match => "Chromium (or Chrome) and chromedriver are of different versions",
    };
    let command = by_packages(os_release).unwrap_or(BY_NPM);
    format!("{lacks}, and the browser tests need both, of one version. Please run:\n  {command}")
}

/// The command of the first family that the system belongs to.
fn by_packages(os_release: &str) -> Option<&'static str> {
    names_of(os_release).iter().find_map(|name| {
        let row = BY_PACKAGES.iter().find(|(family, _)| family.contains(&name.as_str()));
        row.map(|(_, command)| *command)
    })
}

/// What a system calls itself, and what it is like: `ID` and then the words of `ID_LIKE`.
fn names_of(os_release: &str) -> Vec<String> {
    let value = |key: &str| {
        let line = os_release
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_ascii_lowercase()
    };
    let mut names = vec![value("ID")];
    names.extend(value("ID_LIKE").split_whitespace().map(String::from));
    // openSUSE's editions: `opensuse-tumbleweed`, `opensuse-leap`.
    if names[0].starts_with("opensuse") {
        names.push("opensuse".into());
    }
    names
}

/// Where packages come by apt and we may use it, that; elsewhere says what to install.
pub(crate) fn install() -> Fallible {
    let os_release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let message = by_hand(lack(), &os_release);
    if host::which("apt-get").is_none() {
        return Err(message);
    }
    let root = Command::new("id").arg("-u").output();
    let root = root.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).trim() == "0");
    let sudo: &[&str] = match root {
        true => &[],
        false if host::succeeds("sudo", &["-n", "true"]) => &["sudo", "-n"],
        false => return Err(message),
    };
    let command = by_packages(&os_release).and_then(|line| line.strip_prefix(APT));
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
    let install = || {
        let args: Vec<&str> = ["install", "--no-install-recommends"]
            .iter()
            .copied()
            .chain(packages.clone())
            .collect();
        apt(&args)
    };
    install()
        .or_else(|_| apt(&["update"]).and_then(|()| install()))
        .map_err(|e| format!("{e}\n{message}"))
}

#[cfg(test)]
mod tests {
    use super::{Lack, by_hand};

    #[test]
    fn each_system_is_told_the_one_command_that_installs_the_browser_there() {
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
            // macOS and Windows have no such file; of others nothing is known.
            ("", "npx @puppeteer/browsers install chromedriver@stable"),
            ("ID=plan9\n", "npx @puppeteer/browsers install chromedriver@stable"),
        ] {
            let text = by_hand(Lack::Both, os_release);
            assert!(text.contains(want), "{os_release:?}: {text}");
            let commands = text.lines().filter(|line| line.starts_with("  ")).count();
            assert_eq!(commands, if want.starts_with("npx") { 2 } else { 1 }, "{text}");
        }
    }

    #[test]
    fn the_message_says_what_is_missing() {
        assert!(by_hand(Lack::Driver, "").starts_with("chromedriver is missing"));
        assert!(by_hand(Lack::Browser, "").starts_with("Chromium (or Chrome) is missing"));
        assert!(by_hand(Lack::Match, "").contains("different versions"));
    }
}
