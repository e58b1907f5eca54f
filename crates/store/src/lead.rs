//! Leadership: determines which of several equal processes does a named task, and in which term.
//!
//! The leader is the process that holds an advisory lock. The lock lasts as long as its connection, so a process that dies gives it up. A process can lose the
//! lock without noticing, after a restart of the database or a partition. Therefore the process that takes the lock also increases a stored term. Each
//! transaction of a leader checks that the term has not changed (see [`crate::Writer::set_tenure`]). So if several processes regard themselves as the leader,
//! only one of them can commit.

use std::time::Duration;

use grid::Term;
use tokio_postgres::Client;

use crate::convert::sql;
use crate::{Result, pool};

/// A leadership and its term, which each transaction of the leader checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenure {
    /// Name of the leadership.
    pub name: String,
    /// The leader's term.
    pub term: Term,
}

impl Tenure {
    /// Returns whether this term is still the current one. `stored` is the term in the database.
    pub fn is_current(&self, stored: Option<Term>) -> bool {
        stored == Some(self.term)
    }

    /// Returns the outcome of retaking the leadership: `stored` is the term after the attempt to lock, `lead` is present if the lock was free.
    pub fn retaken<L>(&self, stored: Option<Term>, lead: Option<L>) -> Retaken<L> {
        match lead {
            _ if !self.is_current(stored) => Retaken::Deposed,
            Some(lead) => Retaken::Held(lead),
            None => Retaken::Busy,
        }
    }
}

/// A leadership that this process holds until it is dropped or the connection is lost.
pub struct Lead {
    client: Client,
    tenure: Tenure,
}

/// The outcome of retaking a leadership.
pub enum Retaken<L = Lead> {
    /// The leadership is held again in the same term: no other process has led meanwhile.
    Held(L),
    /// The lock is not free, and the term is unchanged. The server has not noticed yet that our former connection is lost.
    Busy,
    /// Another process has begun a later term.
    Deposed,
}

/// Takes the leadership `name` and begins the next term; `None` while another process holds it.
///
/// Waits until the running commits of the former leader have ended. This takes at most about ten seconds, even if that process has lost its network.
pub async fn take(url: &str, name: &str) -> Result<Option<Lead>> {
    let (client, is_locked) = try_lock(url, name).await?;
    if !is_locked {
        return Ok(None);
    }
    let term = client.query_one(sql!("lead/begin_term"), &[&name]).await?.try_get(0)?;
    Ok(Some(Lead { client, tenure: Tenure { name: name.to_owned(), term: Term(term) } }))
}

/// Retakes a leadership whose connection was lost.
pub async fn retake(url: &str, tenure: &Tenure) -> Result<Retaken> {
    let (client, is_locked) = try_lock(url, &tenure.name).await?;
    // Read after the lock is taken: from then on no other process can begin a term.
    let stored = stored_term(&client, &tenure.name).await?;
    Ok(tenure.retaken(stored, is_locked.then(|| Lead { client, tenure: tenure.clone() })))
}

/// Opens a connection and tries to take the lock of `name`. Returns whether it has the lock.
async fn try_lock(url: &str, name: &str) -> Result<(Client, bool)> {
    let client = pool::connect(url).await?;
    // If the machine of the leader loses its network, the server must not keep the lock for the two hours of the kernel's default.
    client.query_one(sql!("lead/detect_lost_client"), &[]).await?;
    let is_locked = client.query_one(sql!("lead/try"), &[&name]).await?.try_get(0)?;
    Ok((client, is_locked))
}

async fn stored_term(client: &Client, name: &str) -> Result<Option<Term>> {
    let row = client.query_opt(sql!("lead/term"), &[&name]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map(Term))
}

impl Lead {
    /// Returns the term of this leadership.
    pub fn term(&self) -> Term {
        self.tenure.term
    }

    /// Returns the leadership's name and term.
    pub fn tenure(&self) -> &Tenure {
        &self.tenure
    }

    /// Returns whether it is still held. Queries the server; false if there is no answer within `patience`.
    pub async fn holds(&self, patience: Duration) -> bool {
        matches!(tokio::time::timeout(patience, self.client.simple_query("")).await, Ok(Ok(_)))
    }
}
