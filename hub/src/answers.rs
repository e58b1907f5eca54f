//! Shares one database query between all clients that need the same rows of the same stream.
//!
//! The hub holds rows for a joining client from the offset that the log of its utility has at the join. So only clients that joined at the same offset share an
//! answer. The answer contains all rows up to that offset, and later rows are held for each client.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use futures_util::FutureExt;
use futures_util::future::Shared;
use grid::{ClientId, Scope};
use tokio::sync::oneshot;
use wire::live::Subscribed;

use crate::query::{Answered, Unanswered};
use crate::stream::Stream;
use crate::subscription::MissedRowsQuery;

/// How long an answer is reused after it was read.
const KEPT: Duration = Duration::from_secs(1);
/// Maximum number of answers that are being read or kept at once. At the limit, each further client gets its own query. Clients that join at the same moment
/// can exceed the limit by one each, because the number is read before the insertion.
const ANSWERS: usize = 1_024;

/// Identifies equal requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    stream: Stream,
    client: ClientId,
    scope: Option<Scope>,
    epoch: String,
    since: Option<i64>,
    top: i64,
}

type Answer = Answered<Arc<Subscribed>>;
type Waiting = Shared<oneshot::Receiver<Answer>>;

/// Answers that are being read or were read in the last second. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers(Arc<DashMap<Key, Waiting>>);

impl Answers {
    /// Returns the answer to a request. Calls `read` only if no equal request is running or kept.
    ///
    /// A started read continues to its end even if the requesting client disconnects.
    pub(crate) async fn of(&self, query: &MissedRowsQuery, read: impl Future<Output = Answer> + Send + 'static) -> Answer {
        self.waiting(query, read).await.unwrap_or(Err(Unanswered::Late))
    }

    fn waiting(&self, query: &MissedRowsQuery, read: impl Future<Output = Answer> + Send + 'static) -> Waiting {
        let MissedRowsQuery { stream, client, scope, ref epoch, since, top, .. } = *query;
        let key = Key { stream, client, scope, epoch: epoch.clone(), since, top };
        // Before an entry is held: `len` locks all shards.
        let is_shared = self.0.len() < ANSWERS;
        let (sender, receiver) = oneshot::channel();
        let waiting = receiver.shared();
        match self.0.entry(key.clone()) {
            Entry::Occupied(running) => {
                metrics::counter!("hub_answers_shared_total").increment(1);
                return running.get().clone();
            }
            Entry::Vacant(place) if is_shared => drop(place.insert(waiting.clone())),
            Entry::Vacant(_) => {}
        }
        let all = self.clone();
        tokio::spawn(async move {
            let answer = read.await;
            let is_kept = is_shared && answer.is_ok();
            // All waiting clients may have disconnected.
            let _ = sender.send(answer);
            if is_kept {
                tokio::time::sleep(KEPT).await;
            }
            if is_shared {
                all.0.remove(&key);
            }
        });
        waiting
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use grid::NodeId;
    use wire::live::Class;

    use super::*;

    fn query(since: i64, top: i64) -> MissedRowsQuery {
        let (stream, position) = (Stream::Events(Scope::Node(NodeId(1))), Arc::new(AtomicI64::new(0)));
        MissedRowsQuery { stream, position, client: ClientId(1), scope: None, epoch: "e".into(), since: Some(since), top }
    }

    async fn read(reads: Arc<AtomicI64>) -> Answer {
        let offset = reads.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::task::yield_now().await;
        Ok(Arc::new(Subscribed { ok: true, class: Class::Every, epoch: "e".into(), offset, snapshot: None, missed: None }))
    }

    #[tokio::test]
    async fn same_question_shares_one_read() {
        let (answers, reads) = (Answers::default(), Arc::new(AtomicI64::new(0)));
        let ask = |since, top| {
            let (answers, reads) = (answers.clone(), reads.clone());
            async move { answers.of(&query(since, top), read(reads)).await.unwrap().offset }
        };
        assert_eq!(tokio::join!(ask(5, 9), ask(5, 9), ask(5, 9)), (1, 1, 1));
        assert_eq!(ask(5, 9).await, 1, "just read");
        assert_eq!(ask(4, 9).await, 2, "from another place");
        assert_eq!(ask(5, 10).await, 3, "the log has moved: what came since is not held for this client");
    }

    #[tokio::test]
    async fn failure_is_shared_and_not_kept() {
        let (answers, reads) = (Answers::default(), Arc::new(AtomicI64::new(0)));
        let fail = || async { Err(Unanswered::Late) };
        let (query, reads) = (query(5, 9), reads);
        let (first, second) = tokio::join!(answers.of(&query, fail()), answers.of(&query, read(reads.clone())));
        assert!(first.is_err() && second.is_err());
        while !answers.0.is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(answers.of(&query, read(reads)).await.unwrap().offset, 1);
    }

    #[tokio::test]
    async fn answer_is_forgotten_after_its_time() {
        let (answers, reads) = (Answers::default(), Arc::new(AtomicI64::new(0)));
        assert_eq!(answers.of(&query(5, 9), read(reads.clone())).await.unwrap().offset, 1);
        while !answers.0.is_empty() {
            tokio::time::sleep(KEPT / 20).await;
        }
        assert_eq!(answers.of(&query(5, 9), read(reads)).await.unwrap().offset, 2);
    }
}
