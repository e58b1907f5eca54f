//! Supervises the background tasks. A task that panics never finishes its work, so its panic ends ingest.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Starts tasks, and reports those that panic. Clones report to the same loop.
#[derive(Debug, Clone)]
pub(super) struct Supervisor {
    panics: mpsc::UnboundedSender<String>,
}

/// Reports its task when it is dropped by a panic.
struct Watched {
    name: String,
    panics: mpsc::UnboundedSender<String>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // If the loop has ended, the report is not needed.
            let _ = self.panics.send(std::mem::take(&mut self.name));
        }
    }
}

impl Supervisor {
    /// Returns a supervisor, and the names of tasks that have panicked. Each task reports itself at most once, which bounds the queue.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (panics, names) = mpsc::unbounded_channel();
        (Self { panics }, names)
    }

    /// Starts a task.
    pub(super) fn spawn(&self, name: impl Into<String>, task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let watched = Watched { name: name.into(), panics: self.panics.clone() };
        tokio::spawn(async move {
            let _watched = watched;
            task.await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_of_a_task_is_reported_by_its_name() {
        let (supervisor, mut panics) = Supervisor::new();
        supervisor.spawn("one that ends", std::future::ready(())).await.expect("an orderly end");
        let aborted = supervisor.spawn("one that is aborted", std::future::pending());
        aborted.abort();
        assert!(aborted.await.expect_err("aborted").is_cancelled());
        supervisor.spawn("a writer", async { panic!("a bug") });
        assert_eq!(panics.recv().await.as_deref(), Some("a writer"));
    }
}
