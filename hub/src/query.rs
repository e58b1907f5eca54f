//! A query to the database with a limit of time.

use std::sync::Arc;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The question failed.
    #[error(transparent)]
    Failed(Arc<store::Error>),
    /// The server is there and says nothing.
    #[error("the database does not answer in time")]
    Late,
}

/// An answer, if there is one.
pub(crate) type Answered<T> = Result<T, Unanswered>;

/// Waits for the answer, at most `limit`.
pub(crate) async fn limited<T>(limit: Duration, question: impl Future<Output = store::Result<T>>) -> Answered<T> {
    match tokio::time::timeout(limit, question).await {
        Ok(answer) => answer.map_err(|error| Unanswered::Failed(Arc::new(error))),
        Err(_) => Err(Unanswered::Late),
    }
}
