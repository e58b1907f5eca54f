//! The private PostgreSQL: started as a child process, restarted when it crashes, and stopped cleanly at the end.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::process::Child;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::cluster::Cluster;
use crate::console::say;
use crate::settings::Settings;

/// Time limit of a start. After kill -9, a start takes longer: children of the old server hold its memory for a moment,
/// and the write-ahead log must be replayed.
const START_MAX: Duration = Duration::from_mins(1);
const RETRY: Duration = Duration::from_millis(300);

/// A running database.
pub(crate) struct Postgres {
    cluster: Cluster,
    stopping: CancellationToken,
    keeper: tokio::task::JoinHandle<()>,
}

impl Postgres {
    /// Installs missing programs and creates a missing database, then starts and supervises the server. `failed` is
    /// cancelled when it cannot be kept running.
    pub(crate) async fn start(settings: &Settings, failed: CancellationToken) -> anyhow::Result<Self> {
        let cluster = Cluster::prepare(settings).await?;
        say("  starting PostgreSQL …");
        cluster.stop().await;
        let child = launch(&cluster).await?;
        let stopping = CancellationToken::new();
        let keeper = tokio::spawn(keep(cluster.clone(), child, stopping.clone(), failed));
        Ok(Self { cluster, stopping, keeper })
    }

    /// Returns its URL with the password.
    pub(crate) fn url(&self) -> String {
        self.cluster.url()
    }

    /// Returns the folder of its data.
    pub(crate) fn data(&self) -> &Path {
        &self.cluster.data
    }

    /// Rolls back open transactions, writes a checkpoint and stops the server.
    pub(crate) async fn stop(self) {
        self.stopping.cancel();
        self.cluster.stop().await;
        let _ = tokio::time::timeout(Duration::from_secs(5), self.keeper).await;
    }
}

/// Waits for the end of the child, and restarts it unless it is being stopped.
async fn keep(cluster: Cluster, mut child: Child, stopping: CancellationToken, failed: CancellationToken) {
    loop {
        let ended = child.wait().await;
        if stopping.is_cancelled() {
            return;
        }
        tracing::error!(?ended, log = %cluster.log().display(), "the embedded PostgreSQL has ended; starting it again");
        child = match launch(&cluster).await {
            Ok(child) => child,
            Err(error) => {
                tracing::error!("the embedded PostgreSQL does not come back: {error:#}");
                failed.cancel();
                return;
            }
        };
    }
}

/// Starts the server and waits until it accepts connections.
async fn launch(cluster: &Cluster) -> anyhow::Result<Child> {
    let deadline = Instant::now() + START_MAX;
    loop {
        let mut child = spawn(cluster)?;
        match ready(cluster, &mut child, deadline).await {
            Ok(()) => return Ok(child),
            Err(error) if Instant::now() >= deadline => return Err(error),
            Err(_) => sleep(RETRY).await,
        }
    }
}

fn spawn(cluster: &Cluster) -> anyhow::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).open(cluster.log())?;
    let mut command = cluster.command("postgres");
    command.arg("-D").arg(&cluster.data).arg("-p").arg(cluster.port.to_string());
    for setting in [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_connections=60",
        "shared_buffers=128MB",
        "wal_compression=on",
        // With its default of 1 GB, the log alone would be larger than the data of the demo.
        "max_wal_size=128MB",
        "min_wal_size=32MB",
    ] {
        command.arg("-c").arg(setting);
    }
    command.stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log));
    // A separate process group: Ctrl-C must reach only this process, so that writers end before the database.
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().context("postgres")
}

async fn ready(cluster: &Cluster, child: &mut Child, deadline: Instant) -> anyhow::Result<()> {
    loop {
        if let Some(status) = child.try_wait()? {
            let log = std::fs::read_to_string(cluster.log()).unwrap_or_default();
            let reason = log.lines().rev().find(|line| line.contains("FATAL") || line.contains("error")).unwrap_or_default();
            bail!("PostgreSQL ended with {status}: {reason} (see {})", cluster.log().display());
        }
        if cluster.pidfile().is_some_and(|file| file.ready && Some(file.pid) == child.id()) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let _ = child.kill().await;
            bail!("PostgreSQL did not become ready within {} s: see {}", START_MAX.as_secs(), cluster.log().display());
        }
        sleep(Duration::from_millis(30)).await;
    }
}
