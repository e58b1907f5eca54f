//! The audit: the actions of users, in chains of hashes that show whether a row was changed, deleted or inserted later.
//!
//! Rows are stored in the transaction of the change that they describe; triggers of the table `audit` link them. They never contain passwords or tokens.

use std::collections::HashMap;

use deadpool_postgres::GenericClient;
use grid::{ClientId, MemberId, Micros};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, sql, without_nul};
use crate::{Error, Result, Store};

/// Number of audit rows that the verifier reads at once.
const PAGE: i64 = 1_000;

/// The user, session and address of a call. It is the same for all audit entries of the call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The utility of the caller; `None` before it is known.
    pub client: Option<ClientId>,
    /// The user; `None` before it is known, or at the console.
    pub actor: Option<MemberId>,
    /// Id of the session.
    pub session: Option<i64>,
    /// Network address of the client, or `console`.
    pub from: String,
    /// Correlation id of the call, as in the log; empty at the console.
    pub correlation: String,
}

/// An entry for the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// The user and origin of the action.
    pub origin: &'a Origin,
    /// Name of the action, such as `sign_in`.
    pub action: &'a str,
    /// Subject of the action, such as `member 17`.
    pub subject: String,
    /// Changed values before the action.
    pub before: Option<Value>,
    /// Values after the action.
    pub after: Option<Value>,
}

impl<'a> Entry<'a> {
    /// Creates an entry without values.
    pub fn new(origin: &'a Origin, action: &'a str, subject: impl Into<String>) -> Self {
        Self { origin, action, subject: subject.into(), before: None, after: None }
    }

    /// Adds the values before and after the action.
    #[must_use]
    pub fn changing(mut self, before: Option<Value>, after: Option<Value>) -> Self {
        (self.before, self.after) = (before, after);
        self
    }
}

/// A row of the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// Position of the row in the utility's chain.
    pub seq: i64,
    /// Time by the database's clock.
    pub at: Micros,
    /// Id of the user.
    pub actor: Option<MemberId>,
    /// Sign-in name of the user.
    pub username: Option<String>,
    /// Name of the action.
    pub action: String,
    /// Subject of the action.
    pub subject: String,
    /// Values before the action.
    pub before: Option<Value>,
    /// Values after the action.
    pub after: Option<Value>,
    /// Network address of the client, or `console`.
    pub from: String,
    /// Correlation id of the call, as in the log.
    pub correlation: String,
}

/// The last row of a chain at some time. If it is stored outside of the database, it shows later whether rows at the end were deleted or the whole chain was
/// replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    /// Id of the utility; 0 for the chain of entries without a utility.
    pub chain: i64,
    /// Number of the last row.
    pub seq: i64,
    /// Hash of the last row.
    pub hash: [u8; 32],
}

/// The result of verifying one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Id of the utility; 0 for the chain of entries without a utility.
    pub chain: i64,
    /// Number of valid rows, from the first one.
    pub good: i64,
    /// Hash of the last valid row.
    pub hash: [u8; 32],
    /// The first row that is changed or missing, and the reason why it was detected.
    pub broken: Option<(i64, &'static str)>,
}

/// Adds an entry; within a transaction it is committed with it. Call it last, because it locks the utility's chain.
pub(crate) async fn enter(client: &impl GenericClient, entry: &Entry<'_>) -> Result<()> {
    let Entry { origin, action, subject, before, after } = entry;
    let statement = client.prepare_cached(sql!("audit/insert")).await?;
    client
        .execute(
            &statement,
            &[
                &origin.client.map(|client| client.0),
                &origin.actor.map(|actor| actor.0),
                &origin.session,
                action,
                &without_nul(subject),
                before,
                after,
                &origin.from,
                &origin.correlation,
            ],
        )
        .await?;
    Ok(())
}

impl Store {
    /// Adds an entry for an action that changes nothing in the database. Changes of the database add an entry in their own transaction.
    pub async fn audit(&self, entry: &Entry<'_>) -> Result<()> {
        enter(&self.pool.get().await?, entry).await
    }

    /// Returns the newest rows of a utility with numbers below `before`, newest first.
    pub async fn audit_rows(&self, client: ClientId, before: Option<i64>, limit: i64) -> Result<Vec<AuditRecord>> {
        let rows = self.query_bound(client, sql!("audit/list"), &[&client.0, &before, &limit]).await?;
        self.audit_records(&rows).await
    }

    /// Returns rows of some actions within a period, oldest first, starting after `after`.
    pub async fn audit_between(
        &self,
        client: ClientId,
        actions: &[&str],
        (from, to): (Micros, Micros),
        after: i64,
        limit: i64,
    ) -> Result<Vec<AuditRecord>> {
        let params: crate::pool::Params<'_> = &[&client.0, &after, &Stamp(from), &Stamp(to), &actions, &limit];
        let rows = self.query_bound(client, sql!("audit/between"), params).await?;
        self.audit_records(&rows).await
    }

    async fn audit_records(&self, rows: &[Row]) -> Result<Vec<AuditRecord>> {
        // Super users of other utilities act here too, so names are looked up among all members.
        let actors: Vec<i64> = rows.iter().filter_map(|row| row.try_get("actor_id").ok().flatten()).collect();
        let names = self.query(sql!("audit/usernames"), &[&actors]).await?;
        let names: HashMap<i64, String> =
            names.iter().map(|row| Ok((row.try_get("id")?, row.try_get("username")?))).collect::<Result<_>>()?;
        rows.iter()
            .map(|row| {
                let actor: Option<i64> = row.try_get("actor_id")?;
                Ok(AuditRecord {
                    seq: row.try_get("seq")?,
                    at: micros(row, "at")?,
                    actor: actor.map(MemberId),
                    username: actor.and_then(|actor| names.get(&actor).cloned()),
                    action: row.try_get("action")?,
                    subject: row.try_get("subject")?,
                    before: row.try_get("before")?,
                    after: row.try_get("after")?,
                    from: row.try_get("from_address")?,
                    correlation: row.try_get("correlation_id")?,
                })
            })
            .collect()
    }

    /// Returns the last row of every chain, ordered by chain; chains without rows are left out.
    pub async fn audit_heads(&self) -> Result<Vec<Head>> {
        let mut heads = Vec::new();
        for row in self.query(sql!("audit/heads"), &[]).await? {
            let hash: Vec<u8> = row.try_get("hash")?;
            let hash = hash.try_into().map_err(|_| Error::Unreadable("the head of a chain".to_owned()))?;
            heads.push(Head { chain: row.try_get("chain")?, seq: row.try_get("seq")?, hash });
        }
        heads.retain(|head| head.seq > 0);
        Ok(heads)
    }

    /// Recomputes every chain and compares it with the stored heads. Rows that are added meanwhile are verified by the next call.
    pub async fn verify_audit(&self, kept: &[Head]) -> Result<Vec<Verdict>> {
        let mut kept = kept.to_vec();
        kept.sort_unstable();
        let mut verdicts: Vec<Verdict> = Vec::new();
        for head in self.query(sql!("audit/heads"), &[]).await? {
            let (chain, hash): (i64, Vec<u8>) = (head.try_get("chain")?, head.try_get("hash")?);
            let kept: Vec<Head> = kept.iter().filter(|head| head.chain == chain).copied().collect();
            verdicts.push(self.verify_chain(chain, head.try_get("seq")?, &hash, &kept).await?);
        }
        for orphan in self.query(sql!("audit/orphans"), &[]).await? {
            let chain = orphan.try_get("chain")?;
            verdicts.push(Verdict { chain, good: 0, hash: start(), broken: Some((1, "the head of its chain is missing")) });
        }
        for head in kept.iter().filter(|head| head.seq > 0) {
            if verdicts.iter().all(|verdict| verdict.chain != head.chain) {
                verdicts.push(Verdict { chain: head.chain, good: 0, hash: start(), broken: Some((1, "the whole chain is missing")) });
            }
        }
        Ok(verdicts)
    }

    async fn verify_chain(&self, chain: i64, top: i64, head: &[u8], kept: &[Head]) -> Result<Verdict> {
        let (mut good, mut hash, mut kept) = (0, start(), kept.iter().peekable());
        let broken = |good, hash, why| Ok(Verdict { chain, good, hash, broken: Some((good + 1, why)) });
        while good < top {
            let rows = self.query(sql!("audit/page"), &[&chain, &good, &PAGE.min(top - good)]).await?;
            if rows.is_empty() {
                return broken(good, hash, "it is missing");
            }
            for row in rows {
                if row.try_get::<_, i64>("seq")? != good + 1 {
                    return broken(good, hash, "it is missing");
                }
                let digest = Sha256::new().chain_update(hash).chain_update(row.try_get::<_, &str>("canonical")?);
                let next: [u8; 32] = digest.finalize().into();
                if row.try_get::<_, &[u8]>("hash")? != next.as_slice() {
                    return broken(good, hash, "it is not as it was entered");
                }
                while let Some(known) = kept.next_if(|known| known.seq <= good + 1) {
                    if known.seq == good + 1 && known.hash != next {
                        return broken(good, hash, "the chain was rewritten up to this row: the kept hash differs");
                    }
                }
                (good, hash) = (good + 1, next);
            }
        }
        if head != hash.as_slice() {
            return broken(good, hash, "the head of its chain is another");
        }
        if kept.any(|known| known.seq > good) {
            return broken(good, hash, "it is missing, it was there when that was kept");
        }
        Ok(Verdict { chain, good, hash, broken: None })
    }
}

/// Returns the hash to which the first row of a chain is linked.
fn start() -> [u8; 32] {
    Sha256::digest(b"").into()
}
