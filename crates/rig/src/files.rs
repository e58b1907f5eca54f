//! How many files this process and those that it starts may have open.

use anyhow::{Context, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files of one observer: its socket, and the two ends of it in the proxy.
const FILES_OF_AN_OBSERVER: u64 = 3;
/// Files of everything else: gateways with their proxies, connections to the database, logs.
const OTHER_FILES: u64 = 2_000;

/// Raises the soft limit of open files to the hard one, which processes that are started later inherit. Fails if that is too low for so many observers.
pub(crate) fn allow_sockets(observers: u64) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).context("raising the limit of open files")?;
    ensure_enough(limit.maximum, observers)
}

/// `hard` is `None` where there is no limit.
fn ensure_enough(hard: Option<u64>, observers: u64) -> anyhow::Result<()> {
    let needed = observers * FILES_OF_AN_OBSERVER + OTHER_FILES;
    ensure!(
        hard.is_none_or(|hard| hard >= needed),
        "{observers} sockets need {needed} open files, and the hard limit is {}; raise it (as root: `ulimit -Hn {needed}` before the start, or \
         LimitNOFILE in the unit), or run the short form",
        hard.unwrap_or_default()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_hard_limit_is_reported_with_what_to_do() {
        assert!(ensure_enough(None, 5_000).is_ok() && ensure_enough(Some(17_000), 5_000).is_ok());
        let error = ensure_enough(Some(16_999), 5_000).unwrap_err().to_string();
        assert!(error.contains("17000") && error.contains("ulimit -Hn"), "{error}");
    }

    #[test]
    fn soft_limit_is_raised_to_the_hard_one() {
        allow_sockets(1).unwrap();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
