//! What people tell us about the product.

use grid::{ClientId, MemberId, Micros};

use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store};

/// One remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRecord {
    /// Counts up.
    pub id: i64,
    /// When.
    pub at: Micros,
    /// Sign-in name of whom.
    pub username: String,
    /// The name of the utility they were in.
    pub client: String,
    /// The page they were on.
    pub page: String,
    /// What they said.
    pub text: String,
}

impl Store {
    /// Keeps a remark.
    pub async fn put_feedback(&self, client: ClientId, member: MemberId, page: &str, text: &str, now: Micros) -> Result<()> {
        self.execute(sql!("feedback/put"), &[&client.0, &member.0, &Stamp(now), &page, &text]).await?;
        Ok(())
    }

    /// The newest remarks of all utilities, newest first.
    pub async fn feedback(&self, limit: i64) -> Result<Vec<FeedbackRecord>> {
        let rows = self.query(sql!("feedback/list"), &[&limit]).await?;
        rows.iter()
            .map(|row| {
                Ok(FeedbackRecord {
                    id: row.try_get("id")?,
                    at: micros(row, "at")?,
                    username: row.try_get("username")?,
                    client: row.try_get("client")?,
                    page: row.try_get("page")?,
                    text: row.try_get("text")?,
                })
            })
            .collect()
    }
}
