//! Loads the registry and follows the log of its changes.

use std::sync::Arc;
use std::time::Duration;

use grid::ClientId;
use store::Store;
use store::registry_log::{LogPosition, LogRead, RegistryNotices};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Image, Utility};

/// Changes stay in the log for so long. A service that could not read it for half of that reads the whole registry.
const KEPT: Duration = Duration::from_hours(24);
/// Between two attempts to delete old changes.
const TRIM_EVERY: Duration = Duration::from_hours(1);
/// A server that takes connections may not answer all the same.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// A whole registry of 1,000,000 points takes some 10 s on a busy machine.
const READ_MAX: Duration = Duration::from_mins(2);
/// Requests to look at once that may wait; further callers wait for a place.
const REQUESTS_MAX: usize = 64;

/// How the log is followed.
#[derive(Debug, Clone)]
pub struct FollowSettings {
    /// The database, for the connection that receives notices.
    pub database_url: String,
    /// Between two looks without a notice.
    pub poll: Duration,
    /// Pause after an error of the database.
    pub retry: Duration,
}

impl FollowSettings {
    /// Looks every 10 s without a notice, and a second after an error.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self { database_url: database_url.into(), poll: Duration::from_secs(10), retry: Duration::from_secs(1) }
    }
}

/// The registry in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct Registry {
    images: watch::Receiver<Arc<Image>>,
    requests: mpsc::Sender<oneshot::Sender<()>>,
}

impl Registry {
    /// The newest image.
    pub fn image(&self) -> Arc<Image> {
        Arc::clone(&self.images.borrow())
    }

    /// What belongs to one utility now; `None` for one that does not exist.
    pub fn utility(&self, client: ClientId) -> Option<Utility> {
        self.image().utility(client)
    }

    /// Waits for an image that this handle has not seen; `false` when none will come any more.
    pub async fn changed(&mut self) -> bool {
        self.images.changed().await.is_ok()
    }

    /// Returns whether there is an image that this handle has not seen, and takes it as seen.
    pub fn has_changed(&mut self) -> bool {
        let is_new = self.images.has_changed().unwrap_or(false);
        if is_new {
            self.images.mark_unchanged();
        }
        is_new
    }

    /// Waits until nothing follows the log any more: after the shutdown, or because the follower has panicked. From then on the image only grows older, so
    /// a service should end with it.
    pub async fn ended(&self) {
        let mut images = self.images.clone();
        while images.changed().await.is_ok() {}
    }

    /// Waits until the image contains everything that was committed before this call. Without the database it waits for as long as that is away.
    pub async fn refresh(&self) {
        let (done, looked) = oneshot::channel();
        if self.requests.send(done).await.is_ok() {
            // An error says that the follower has ended. Then there is nothing to wait for.
            drop(looked.await);
        }
    }
}

/// Loads the registry of all utilities and follows it until `shutdown`. Waits for a database that is away; `None` where `shutdown` comes first.
pub async fn follow(store: Store, settings: FollowSettings, shutdown: CancellationToken) -> Option<Registry> {
    let (image, position) = tokio::select! {
        () = shutdown.cancelled() => return None,
        loaded = load_when_possible(&store, settings.retry) => loaded,
    };
    let follower = |images| Follower { store, settings, images, position, read_at: Instant::now() };
    Some(publish_from(image, shutdown, |images, requested| follower(images).run(requested)))
}

/// Publishes images from a task of its own until `shutdown`, or until `run` ends.
fn publish_from<F: Future<Output = ()> + Send + 'static>(
    image: Image,
    shutdown: CancellationToken,
    run: impl FnOnce(watch::Sender<Arc<Image>>, mpsc::Receiver<oneshot::Sender<()>>) -> F,
) -> Registry {
    let (sender, images) = watch::channel(Arc::new(image));
    let (requests, requested) = mpsc::channel(REQUESTS_MAX);
    let following = run(sender, requested);
    tokio::spawn(async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = following => {}
        }
    });
    Registry { images, requests }
}

async fn load_when_possible(store: &Store, retry: Duration) -> (Image, LogPosition) {
    loop {
        match load(store).await {
            Ok(loaded) => return loaded,
            Err(error) => tracing::warn!(%error, "the registry cannot be read; trying again"),
        }
        tokio::time::sleep(retry).await;
    }
}

/// The position is read first: what changes while the rest is read is read again.
async fn load(store: &Store) -> store::Result<(Image, LogPosition)> {
    let position = store.registry_position().await?;
    let mut image = Image::default();
    store.each_registry_record(None, |record| image.add(record)).await?;
    let clients: Vec<ClientId> = image.clients().collect();
    for client in clients {
        image.set_paths(client);
    }
    Ok((image, position))
}

struct Follower {
    store: Store,
    settings: FollowSettings,
    images: watch::Sender<Arc<Image>>,
    position: LogPosition,
    /// When the log was last read.
    read_at: Instant,
}

impl Follower {
    async fn run(mut self, mut requested: mpsc::Receiver<oneshot::Sender<()>>) {
        let mut notices: Option<RegistryNotices> = None;
        let mut trimmed: Option<Instant> = None;
        let mut waiting = Vec::new();
        let mut is_failing = false;
        loop {
            if notices.as_ref().is_none_or(RegistryNotices::is_lost) {
                // Without it the log is read in intervals.
                let connect = RegistryNotices::connect(&self.settings.database_url);
                notices = tokio::time::timeout(CONNECT_MAX, connect).await.ok().and_then(Result::ok);
            }
            while let Ok(request) = requested.try_recv() {
                waiting.push(request);
            }
            let read = tokio::time::timeout(READ_MAX, self.read()).await;
            let pause = match read.unwrap_or_else(|_| Err(store::Error::Unreadable(format!("the registry within {READ_MAX:?}")))) {
                Ok(()) => {
                    is_failing = false;
                    for request in waiting.drain(..) {
                        // The caller may have gone.
                        let _ = request.send(());
                    }
                    self.settings.poll
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::warn!(%error, "changes of the registry cannot be read; trying again");
                    }
                    self.settings.retry
                }
            };
            metrics::gauge!("registry_lag_seconds").set(self.read_at.elapsed().as_secs_f64());
            if !is_failing && trimmed.is_none_or(|at| at.elapsed() >= TRIM_EVERY) {
                trimmed = Some(Instant::now());
                self.trim().await;
            }
            let noticed = async {
                match &notices {
                    Some(notices) if !is_failing => notices.next().await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                () = noticed => {}
                request = requested.recv(), if !is_failing && waiting.len() < REQUESTS_MAX => match request {
                    Some(request) => waiting.push(request),
                    // Nobody uses the registry any more.
                    None => return,
                },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Deletes what is older than anybody needs, a portion at a time.
    async fn trim(&self) {
        loop {
            match self.store.trim_registry_log(KEPT.as_secs_f64()).await {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => return tracing::warn!(%error, "old entries of the registry's log were not deleted"),
            }
        }
    }

    /// Reads what has changed since the last read and publishes the image after it.
    async fn read(&mut self) -> store::Result<()> {
        let began = Instant::now();
        let read = if began - self.read_at > KEPT / 2 { LogRead::TooFar } else { self.store.registry_changes(&self.position).await? };
        let LogRead::Changes(changed, position) = read else {
            let (image, position) = load(&self.store).await?;
            (self.position, self.read_at) = (position, began);
            self.publish(image);
            return Ok(());
        };
        if !changed.is_empty() {
            let rows = self.store.changed_registry_rows(&changed).await?;
            let before = Arc::clone(&self.images.borrow());
            // Before the others: what hangs below a deleted asset is found by that asset.
            let emptied = changed.whole.iter().fold(Image::clone(&before), |image, client| image.without(*client));
            let mut image = emptied.after(&changed, rows);
            for client in &changed.whole {
                self.store.each_registry_record(Some(*client), |record| image.add(record)).await?;
                image.set_paths(*client);
            }
            if image.differs(&before, &changed) {
                self.publish(image);
            }
        }
        (self.position, self.read_at) = (position, began);
        Ok(())
    }

    fn publish(&self, image: Image) {
        metrics::gauge!("registry_points").set(image.points_len() as f64);
        self.images.send_replace(Arc::new(image));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_of_the_follower_is_reported() {
        let registry = publish_from(Image::default(), CancellationToken::new(), |images, mut requested| async move {
            let _images = images;
            requested.recv().await;
            panic!("a bug");
        });
        let ended = tokio::spawn({
            let registry = registry.clone();
            async move { registry.ended().await }
        });
        registry.refresh().await;
        ended.await.expect("reported");
        registry.refresh().await;
        assert_eq!(*registry.image(), Image::default(), "the last image stays");
    }
}
