//! A database query with a time limit.

use std::sync::Arc;
use std::time::Duration;

/// Why a query has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The query failed.
    #[error(transparent)]
    Failed(Arc<store::Error>),
    /// The database did not answer within the limit.
    #[error("the database does not answer in time")]
    Late,
}

/// The result of a query.
pub(crate) type Answered<T> = Result<T, Unanswered>;

/// Waits for the result, at most `limit`.
pub(crate) async fn limited<T>(limit: Duration, question: impl Future<Output = store::Result<T>>) -> Answered<T> {
    match tokio::time::timeout(limit, question).await {
        Ok(answer) => answer.map_err(|error| Unanswered::Failed(Arc::new(error))),
        Err(_) => Err(Unanswered::Late),
    }
}
