//! Administration of a utility: members, access to pages, and brands.

use auth::Principal;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::Error;
use crate::extract::Caller;

pub(crate) mod alarm_settings;
pub(crate) mod areas;
pub(crate) mod brands;
pub(crate) mod cable_health;
pub(crate) mod configuration;
mod draft;
pub(crate) mod energy_budgets;
pub(crate) mod feeder_supply;
pub(crate) mod invite;
pub(crate) mod low_carbon_sites;
pub(crate) mod map;
pub(crate) mod members;
pub(crate) mod page_access;
pub(crate) mod ratings;
pub(crate) mod relay_settings;
pub(crate) mod second_factor;

/// A caller who is an administrator of the utility of the session.
#[derive(Debug, Clone)]
pub(crate) struct Administrator(pub Principal);

impl<S: Send + Sync> FromRequestParts<S> for Administrator {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, state).await?;
        if principal.administers() { Ok(Self(principal)) } else { Err(Error::Forbidden("only administrators may do this")) }
    }
}
