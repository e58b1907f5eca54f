//! Loads the registry and follows the log of its changes.

use std::sync::Arc;
use std::time::Duration;

use grid::ClientId;
use store::Store;
use store::registry_log::{LogPosition, LogRead, RegistryNotices};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::networks::follow_networks;
use crate::{Image, Networks, Utility};

/// How long changes stay in the log. A service that could not read it for half of this time reads the whole registry.
const KEPT: Duration = Duration::from_hours(24);
/// Interval at which old changes are deleted.
const TRIM_EVERY: Duration = Duration::from_hours(1);
/// Maximum time to connect: a server may accept connections and not answer.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Maximum time to read the whole registry: 1,000,000 points take some 10 s on a busy machine.
const READ_MAX: Duration = Duration::from_mins(2);
/// Maximum number of waiting refresh requests; further callers wait for room.
const REQUESTS_MAX: usize = 64;

/// Settings of the follower.
#[derive(Debug, Clone)]
pub struct FollowSettings {
    /// The database, for the connection that receives notices.
    pub database_url: String,
    /// Interval of the checks without a notice.
    pub poll: Duration,
    /// Pause after an error of the database.
    pub retry: Duration,
}

impl FollowSettings {
    /// Returns the defaults: a check every 10 s without a notice, a pause of one second after an error.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self { database_url: database_url.into(), poll: Duration::from_secs(10), retry: Duration::from_secs(1) }
    }
}

/// How far the first read of the registry has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstRead {
    /// It is under way.
    Reading,
    /// Its last attempt has failed for this reason; the next one follows.
    Failed(String),
    /// It has succeeded: the image is that of the database.
    Done,
}

/// The registry in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct Registry {
    images: watch::Receiver<Arc<Image>>,
    first_read: watch::Receiver<FirstRead>,
    requests: mpsc::Sender<oneshot::Sender<()>>,
    networks: Networks,
}

impl Registry {
    /// Returns the active networks.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// Returns how far the first read has come.
    pub fn first_read(&self) -> FirstRead {
        self.first_read.borrow().clone()
    }

    /// Waits for the first read; `false` when the follower ends before it.
    pub async fn loaded(&self) -> bool {
        self.first_read.clone().wait_for(|read| *read == FirstRead::Done).await.is_ok()
    }

    /// Returns the newest image. It is empty before the first read.
    pub fn image(&self) -> Arc<Image> {
        Arc::clone(&self.images.borrow())
    }

    /// Returns the registry of one utility; `None` if it does not exist.
    pub fn utility(&self, client: ClientId) -> Option<Utility> {
        self.image().utility(client)
    }

    /// Waits for an image that this handle has not seen. Returns `false` if there will be no more images.
    pub async fn changed(&mut self) -> bool {
        self.images.changed().await.is_ok()
    }

    /// Returns whether there is an image that this handle has not seen, and marks it as seen.
    pub fn has_changed(&mut self) -> bool {
        let is_new = self.images.has_changed().unwrap_or(false);
        if is_new {
            self.images.mark_unchanged();
        }
        is_new
    }

    /// Waits until the follower has ended: after the shutdown, or because it has panicked. The image is not updated any
    /// more then, so a service should end.
    pub async fn ended(&self) {
        let mut images = self.images.clone();
        while images.changed().await.is_ok() {}
    }

    /// Waits until the image contains everything that was committed before this call. Waits for as long as the database
    /// is unavailable.
    pub async fn refresh(&self) {
        let (done, looked) = oneshot::channel();
        if self.requests.send(done).await.is_ok() {
            // An error means that the follower has ended.
            drop(looked.await);
        }
    }
}

/// Loads the registry of all utilities and follows its changes until `shutdown`. Waits for an unavailable database.
/// Returns `None` if `shutdown` comes first.
pub async fn follow(store: Store, settings: FollowSettings, shutdown: CancellationToken) -> Option<Registry> {
    let mut registry = start_following(store, settings, shutdown);
    let is_loaded = registry.loaded().await;
    registry.images.mark_unchanged();
    is_loaded.then_some(registry)
}

/// The same, without waiting: [`Registry::loaded`] waits for the first read.
pub fn start_following(store: Store, settings: FollowSettings, shutdown: CancellationToken) -> Registry {
    let (first_read, read) = watch::channel(FirstRead::Reading);
    let networks = follow_networks(store.clone(), shutdown.clone());
    publish_from(read, networks, shutdown, |images, requested| async move {
        let position = load_when_possible(&store, settings.retry, &images, &first_read).await;
        Follower { store, settings, images, position, read_at: Instant::now() }.run(requested).await;
    })
}

/// Publishes images from a separate task until `shutdown`, or until `run` ends.
fn publish_from<F: Future<Output = ()> + Send + 'static>(
    first_read: watch::Receiver<FirstRead>,
    networks: Networks,
    shutdown: CancellationToken,
    run: impl FnOnce(watch::Sender<Arc<Image>>, mpsc::Receiver<oneshot::Sender<()>>) -> F,
) -> Registry {
    let (sender, images) = watch::channel(Arc::default());
    let (requests, requested) = mpsc::channel(REQUESTS_MAX);
    let following = run(sender, requested);
    tokio::spawn(async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = following => {}
        }
    });
    Registry { images, first_read, requests, networks }
}

async fn load_when_possible(
    store: &Store,
    retry: Duration,
    images: &watch::Sender<Arc<Image>>,
    first_read: &watch::Sender<FirstRead>,
) -> LogPosition {
    loop {
        match tokio::time::timeout(READ_MAX, load(store)).await.unwrap_or_else(|_| Err(too_long())) {
            Ok((image, position)) => {
                publish(images, image);
                first_read.send_replace(FirstRead::Done);
                return position;
            }
            Err(error) => {
                tracing::warn!(%error, "the registry cannot be read; trying again");
                first_read.send_replace(FirstRead::Failed(error.to_string()));
            }
        }
        tokio::time::sleep(retry).await;
    }
}

fn too_long() -> store::Error {
    store::Error::Unreadable(format!("the registry within {READ_MAX:?}"))
}

fn publish(images: &watch::Sender<Arc<Image>>, image: Image) {
    metrics::gauge!("registry_points").set(image.points_len() as f64);
    images.send_replace(Arc::new(image));
}

/// Reads the log position first, so that changes during the other reads are read again.
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
                // Without notices the log is read at intervals.
                let connect = RegistryNotices::connect(&self.settings.database_url);
                notices = tokio::time::timeout(CONNECT_MAX, connect).await.ok().and_then(Result::ok);
            }
            while let Ok(request) = requested.try_recv() {
                waiting.push(request);
            }
            let read = tokio::time::timeout(READ_MAX, self.read()).await;
            let pause = match read.unwrap_or_else(|_| Err(too_long())) {
                Ok(()) => {
                    is_failing = false;
                    for request in waiting.drain(..) {
                        // The caller may have stopped waiting.
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
                    // All handles of the registry have been dropped.
                    None => return,
                },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Deletes old changes, in portions.
    async fn trim(&self) {
        loop {
            match self.store.trim_registry_log(KEPT.as_secs_f64()).await {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => return tracing::warn!(%error, "old entries of the registry's log were not deleted"),
            }
        }
    }

    /// Reads the changes since the last read and publishes the new image.
    async fn read(&mut self) -> store::Result<()> {
        let began = Instant::now();
        let read = if began - self.read_at > KEPT / 2 { LogRead::TooFar } else { self.store.registry_changes(&self.position).await? };
        let LogRead::Changes(changed, position) = read else {
            let (image, position) = load(&self.store).await?;
            (self.position, self.read_at) = (position, began);
            publish(&self.images, image);
            return Ok(());
        };
        if !changed.is_empty() {
            let rows = self.store.changed_registry_rows(&changed).await?;
            let before = Arc::clone(&self.images.borrow());
            // Do this before applying the rows: points of a deleted asset are found by that asset.
            let emptied = changed.whole.iter().fold(Image::clone(&before), |image, client| image.without(*client));
            let mut image = emptied.after(&changed, rows);
            for client in &changed.whole {
                self.store.each_registry_record(Some(*client), |record| image.add(record)).await?;
                image.set_paths(*client);
            }
            if image.differs(&before, &changed) {
                publish(&self.images, image);
            }
        }
        (self.position, self.read_at) = (position, began);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_of_the_follower_is_reported() {
        let (_first_read, read) = watch::channel(FirstRead::Done);
        let registry = publish_from(read, Networks::default(), CancellationToken::new(), |images, mut requested| async move {
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
