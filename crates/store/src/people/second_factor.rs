//! Second factors: for each the encrypted secret, the step of the last used code, and the hashes of the recovery codes.

use deadpool_postgres::Transaction;
use grid::{ClientId, MemberId, Micros};
use serde_json::json;

use super::Ended;
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql};
use crate::tenant::{bind, release};
use crate::{Result, Store};

/// The second factor of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactorRecord {
    /// The secret, encrypted.
    pub secret: Vec<u8>,
    /// Whether the second factor is required at sign-in; false until its first code was confirmed.
    pub is_on: bool,
    /// Number of unused recovery codes.
    pub codes: i64,
}

/// A second factor whose first code was correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    /// The encrypted secret of the setup.
    pub secret: Vec<u8>,
    /// The step of the code.
    pub step: i64,
    /// Hashes of the recovery codes.
    pub codes: Vec<[u8; 32]>,
    /// The session that confirmed it.
    pub session: i64,
    /// The time now.
    pub now: Micros,
}

impl Store {
    /// Returns the second factor of a member, if there is one.
    pub async fn second_factor(&self, member: MemberId) -> Result<Option<SecondFactorRecord>> {
        let row = self.query_opt(sql!("second_factor/get"), &[&member.0]).await?;
        let read = |row: tokio_postgres::Row| {
            Ok(SecondFactorRecord { secret: row.try_get("secret")?, is_on: row.try_get("is_on")?, codes: row.try_get("codes")? })
        };
        row.map(read).transpose()
    }

    /// Stores the secret of a second factor that is not confirmed yet. Returns false, and changes nothing, if the member already has a confirmed one.
    pub async fn begin_second_factor(&self, whose: (ClientId, MemberId), secret: &[u8], now: Micros, origin: &Origin) -> Result<bool> {
        self.change_second_factor(whose, "second_factor_begun", origin, async |transaction| {
            let row = transaction.query_opt(sql!("second_factor/begin"), &[&whose.1.0, &secret, &Stamp(now)]).await?;
            Ok(row.map(|_| None))
        })
        .await
    }

    /// Enables the second factor with this secret, and stores recovery codes. The confirming session is no longer limited. Other limited sessions of the member
    /// end, because another person may have started them; they are returned. `None` if another setup was started meanwhile.
    pub async fn confirm_second_factor(
        &self,
        whose: (ClientId, MemberId),
        Confirmed { secret, step, codes, session, now }: &Confirmed,
        origin: &Origin,
    ) -> Result<Option<Vec<Ended>>> {
        let mut ended = Vec::new();
        let confirmed = self.change_second_factor(whose, "second_factor_on", origin, async |transaction| {
            let row = transaction.query_opt(sql!("second_factor/confirm"), &[&whose.1.0, secret, &Stamp(*now), step]).await?;
            if row.is_none() {
                return Ok(None);
            }
            replace_codes(transaction, whose.1, codes).await?;
            // Sessions can be in another utility than the member.
            release(transaction).await?;
            transaction.execute(sql!("second_factor/lift"), &[&whose.1.0, session]).await?;
            for row in transaction.query(sql!("second_factor/end_limited"), &[&whose.1.0, session, &Stamp(*now)]).await? {
                ended.push(Ended { session: row.try_get("id")?, client: ClientId(row.try_get("client_id")?) });
            }
            let others: Vec<i64> = ended.iter().map(|ended| ended.session).collect();
            Ok(Some((!others.is_empty()).then(|| json!({ "endedSessions": others }))))
        });
        Ok(confirmed.await?.then_some(ended))
    }

    /// Replaces the recovery codes; the old ones become invalid. Returns whether the member has a second factor.
    pub async fn replace_recovery_codes(&self, whose: (ClientId, MemberId), codes: &[[u8; 32]], origin: &Origin) -> Result<bool> {
        self.change_second_factor(whose, "recovery_codes_replaced", origin, async |transaction| {
            let put = replace_codes(transaction, whose.1, codes).await?;
            Ok((put > 0).then_some(None))
        })
        .await
    }

    /// Removes the second factor. Returns whether a confirmed one existed.
    pub async fn remove_second_factor(&self, whose: (ClientId, MemberId), origin: &Origin) -> Result<bool> {
        self.change_second_factor(whose, "second_factor_removed", origin, async |transaction| {
            let row = transaction.query_opt(sql!("second_factor/remove"), &[&whose.1.0]).await?;
            Ok(row.map(|row| row.try_get("was_on")).transpose()?.filter(|was_on: &bool| *was_on).map(|_| None))
        })
        .await
    }

    /// Marks the code of a step as used. Returns false if this code or a later one was used already.
    pub async fn use_step(&self, member: MemberId, step: i64) -> Result<bool> {
        Ok(self.execute(sql!("second_factor/use_step"), &[&member.0, &step]).await? > 0)
    }

    /// Marks a recovery code as used, with an audit entry that contains the number of unused codes.
    pub async fn use_recovery_code(&self, whose: (ClientId, MemberId), hash: &[u8; 32], now: Micros, origin: &Origin) -> Result<bool> {
        self.change_second_factor(whose, "recovery_code_used", origin, async |transaction| {
            if transaction.execute(sql!("second_factor/use_code"), &[&whose.1.0, &hash.as_slice(), &Stamp(now)]).await? == 0 {
                return Ok(None);
            }
            let row = transaction.query_one(sql!("second_factor/get"), &[&whose.1.0]).await?;
            Ok(Some(Some(json!({ "left": row.try_get::<_, i64>("codes")? }))))
        })
        .await
    }

    /// Limits a session to setting up a second factor.
    pub async fn limit_session(&self, session: i64) -> Result<()> {
        self.execute(sql!("second_factor/limit"), &[&session]).await?;
        Ok(())
    }

    /// Runs one change in a transaction bound to the member's utility, and adds its audit entry with the returned details. If `change` returns `None`, nothing
    /// is changed.
    async fn change_second_factor(
        &self,
        (client, member): (ClientId, MemberId),
        action: &str,
        origin: &Origin,
        change: impl AsyncFnOnce(&Transaction<'_>) -> Result<Option<Option<serde_json::Value>>>,
    ) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let Some(audit_value) = change(&transaction).await? else { return Ok(false) };
        release(&transaction).await?;
        enter(&transaction, &Entry::new(origin, action, format!("member {member}")).changing(None, audit_value)).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

async fn replace_codes(transaction: &Transaction<'_>, member: MemberId, codes: &[[u8; 32]]) -> Result<u64> {
    transaction.execute(sql!("second_factor/clear_codes"), &[&member.0]).await?;
    let hashes: Vec<&[u8]> = codes.iter().map(<[u8; 32]>::as_slice).collect();
    Ok(transaction.execute(sql!("second_factor/put_codes"), &[&member.0, &hashes]).await?)
}
