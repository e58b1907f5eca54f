//! Looks up the access tokens of all clients: one query at a time, for all tokens that clients have shown since the query before began.
//!
//! An answer is never older than its question: a client that comes while a query runs waits for the next one. So nothing is cached, a session that has ended
//! is found to have ended as soon as by a query of its own, and thousands of clients that come back together cost a handful of queries.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use auth::Principal;
use store::Store;
use store::people::SessionRecord;
use tokio::sync::{mpsc, oneshot};

use crate::clock::now;
use crate::query::{Answered, Unanswered, limited};

/// Tokens that wait for the next query. Clients beyond it wait for a place, as long as they may wait for an answer.
const WAITING: usize = 1_024;
/// Tokens of one query. The others wait for the next one.
const TOGETHER: usize = 1_024;

/// A token that somebody has shown.
struct Shown {
    token_hash: [u8; 32],
    answer: oneshot::Sender<Answered<Option<Principal>>>,
}

/// Asks whose tokens are. Clones share one queue.
#[derive(Clone)]
pub(crate) struct Tokens(mpsc::Sender<Shown>);

impl Tokens {
    /// Begins to look tokens up, until the last clone is dropped. A query takes at most `limit`.
    pub(crate) fn start(store: Store, limit: Duration) -> Self {
        let (sender, mut shown) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            let mut together = Vec::with_capacity(TOGETHER);
            while shown.recv_many(&mut together, TOGETHER).await > 0 {
                // Clients that are gone meanwhile need no answer.
                together.retain(|shown: &Shown| !shown.answer.is_closed());
                if !together.is_empty() {
                    look_up(&store, limit, std::mem::take(&mut together)).await;
                }
            }
        });
        Self(sender)
    }

    /// Returns whose a token is; `None` when it is not good.
    pub(crate) async fn principal(&self, token_hash: [u8; 32], limit: Duration) -> Answered<Option<Principal>> {
        let asked = async {
            let (answer, principal) = oneshot::channel();
            self.0.send(Shown { token_hash, answer }).await.map_err(|_| Unanswered::Late)?;
            principal.await.map_err(|_| Unanswered::Late)?
        };
        tokio::time::timeout(limit, asked).await.unwrap_or(Err(Unanswered::Late))
    }
}

async fn look_up(store: &Store, limit: Duration, together: Vec<Shown>) {
    let hashes: Vec<[u8; 32]> = together.iter().map(|shown| shown.token_hash).collect::<BTreeSet<_>>().into_iter().collect();
    metrics::counter!("hub_token_queries_total").increment(1);
    let found = limited(limit, store.sessions_by_access(&hashes, now())).await;
    let found = found.map(|sessions| sessions.into_iter().map(|(hash, session)| (hash, principal(&session))).collect::<HashMap<_, _>>());
    for Shown { token_hash, answer } in together {
        let principal = found.as_ref().map(|found| found.get(&token_hash).cloned()).map_err(Clone::clone);
        // Nobody waits any more for an answer that came too late.
        let _ = answer.send(principal);
    }
}

fn principal(record: &SessionRecord) -> Principal {
    Principal {
        session: record.id,
        member: record.member.id,
        client: record.member.client,
        role_id: record.member.role_id,
        node: record.member.node,
        can_operate: record.member.can_operate,
        demo: record.member.demo,
    }
}
