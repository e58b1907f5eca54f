//! Access to `scripts/services`, which starts the test servers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fmt};

pub(crate) const DATABASE: &str = "SWITCHYARD_TEST_DATABASE_URL";
pub(crate) const PLAIN_DATABASE: &str = "SWITCHYARD_TEST_PLAIN_DATABASE_URL";
const MQTT: &str = "SWITCHYARD_TEST_MQTT_URL";

/// Returns the address of the broker that all tests share. Use names from [`unique`] on it, or start a separate broker with [`crate::broker`].
pub fn shared_mqtt_url() -> String {
    url(MQTT)
}

/// Returns the library that gives a process its own clock, if it is installed.
pub fn faketime() -> Option<PathBuf> {
    let path = output(&["faketime"]);
    (!path.is_empty()).then(|| path.into())
}

/// Returns a name that no other test uses: `prefix_<process>_<count>`.
pub fn unique(prefix: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{prefix}_{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Returns an address from the environment, otherwise that of the shared servers, which `scripts/services up` starts and leaves running.
pub(crate) fn url(name: &str) -> String {
    static SHARED: OnceLock<HashMap<String, String>> = OnceLock::new();
    if let Ok(given) = env::var(name) {
        return given;
    }
    let shared = SHARED.get_or_init(|| parse(&output(&["up"])));
    shared.get(name).cloned().unwrap_or_else(|| panic!("scripts/services up gave no {name}"))
}

fn parse(lines: &str) -> HashMap<String, String> {
    lines
        .lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// Returns a command for `scripts/services` without arguments.
pub(crate) fn script() -> Command {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/services");
    Command::new(path)
}

/// Returns the output of the script. If it fails, panics with the script's error line.
pub(crate) fn output<A: AsRef<std::ffi::OsStr> + fmt::Debug>(arguments: &[A]) -> String {
    let done = script().args(arguments).output().expect("scripts/services runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{parse, unique};

    #[test]
    fn export_lines_become_addresses() {
        let read = parse("export A=postgres://x@127.0.0.1:1/d?y=z\nnoise\nexport B=mqtt://127.0.0.1:2");
        assert_eq!(read.len(), 2);
        assert_eq!(read["A"], "postgres://x@127.0.0.1:1/d?y=z");
    }

    #[test]
    fn names_do_not_repeat() {
        assert_ne!(unique("g"), unique("g"));
    }
}
