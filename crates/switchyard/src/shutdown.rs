//! One token that ends the process: cancelled by Ctrl-C, by SIGTERM, or by a service that failed.

use tokio_util::sync::CancellationToken;

/// Returns a token that the first signal cancels. The second signal ends the process at once.
pub(crate) fn on_signal() -> anyhow::Result<CancellationToken> {
    let token = CancellationToken::new();
    let signalled = token.clone();
    let mut signals = Signals::new()?;
    tokio::spawn(async move {
        signals.next().await;
        signalled.cancel();
        signals.next().await;
        std::process::exit(130);
    });
    Ok(token)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> anyhow::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> anyhow::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
