//! Feedback of users about the product.

use grid::{ClientId, MemberId, Micros};

use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store};

/// Stored feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRecord {
    /// Number of the feedback, increasing.
    pub id: i64,
    /// When it was sent.
    pub at: Micros,
    /// Sign-in name of the user.
    pub username: String,
    /// Name of the utility that the user was signed in to.
    pub client: String,
    /// The page that the feedback is about.
    pub page: String,
    /// The feedback as plain text.
    pub text: String,
}

impl Store {
    /// Stores feedback.
    pub async fn put_feedback(&self, client: ClientId, member: MemberId, page: &str, text: &str, now: Micros) -> Result<()> {
        self.execute(sql!("feedback/put"), &[&client.0, &member.0, &Stamp(now), &page, &text]).await?;
        Ok(())
    }

    /// Returns the newest feedback of all utilities, newest first.
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
