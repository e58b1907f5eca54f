//! Looks up access tokens for all clients: one query at a time, for all tokens that have arrived since the previous
//! query started.
//!
//! A result is never older than its request, because a request that arrives while a query runs waits for the next one.
//! Nothing is cached, so an ended session is detected as soon as with a separate query. Thousands of clients that
//! reconnect together cost a handful of queries.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use auth::Principal;
use store::Store;
use store::people::SessionRecord;
use tokio::sync::{mpsc, oneshot};

use crate::clock::now;
use crate::query::{Answered, Unanswered, limited};

/// Tokens that wait for the next query. Further requests wait for room, at most as long as for a result.
const WAITING: usize = 1_024;
/// Tokens of one query; the others wait for the next one.
const TOGETHER: usize = 1_024;

/// A token to look up.
struct TokenRequest {
    token_hash: [u8; 32],
    answer: oneshot::Sender<Answered<Option<Principal>>>,
}

/// Looks up the users of tokens. Clones share one queue.
#[derive(Clone)]
pub(crate) struct Tokens(mpsc::Sender<TokenRequest>);

impl Tokens {
    /// Starts the lookups; they end when the last clone is dropped. A query takes at most `limit`.
    pub(crate) fn start(store: Store, limit: Duration) -> Self {
        let (sender, mut shown) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            let mut together = Vec::with_capacity(TOGETHER);
            while shown.recv_many(&mut together, TOGETHER).await > 0 {
                // Disconnected clients need no result.
                together.retain(|shown: &TokenRequest| !shown.answer.is_closed());
                if !together.is_empty() {
                    look_up(&store, limit, std::mem::take(&mut together)).await;
                }
            }
        });
        Self(sender)
    }

    /// Returns the user of a token; `None` if the token is invalid.
    pub(crate) async fn principal(&self, token_hash: [u8; 32], limit: Duration) -> Answered<Option<Principal>> {
        let lookup = async {
            let (answer, principal) = oneshot::channel();
            self.0.send(TokenRequest { token_hash, answer }).await.map_err(|_| Unanswered::Late)?;
            principal.await.map_err(|_| Unanswered::Late)?
        };
        tokio::time::timeout(limit, lookup).await.unwrap_or(Err(Unanswered::Late))
    }
}

async fn look_up(store: &Store, limit: Duration, together: Vec<TokenRequest>) {
    let hashes: Vec<[u8; 32]> = together.iter().map(|shown| shown.token_hash).collect::<BTreeSet<_>>().into_iter().collect();
    metrics::counter!("hub_token_queries_total").increment(1);
    let found = limited(limit, store.sessions_by_access(&hashes, now())).await;
    let found = found.map(|sessions| sessions.into_iter().map(|(hash, session)| (hash, principal(&session))).collect::<HashMap<_, _>>());
    for TokenRequest { token_hash, answer } in together {
        let principal = found.as_ref().map(|found| found.get(&token_hash).cloned()).map_err(Clone::clone);
        // The receiver is closed if the result came too late.
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
