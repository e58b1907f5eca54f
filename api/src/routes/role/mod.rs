//! The pages and levels of roles.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use grid::ClientId;

use crate::error::Error;
use crate::extract::Caller;

pub(crate) mod levels;
pub(crate) mod pages;

/// The names of the roles, 1 to 8 (specification 1, section 3). Roles 3 to 8 correspond to the levels of the hierarchy, from the circle
/// down.
pub(crate) const NAMES: [&str; 8] =
    ["SuperUser", "ClientAdmin", "CircleAdmin", "DivisionAdmin", "TownAdmin", "SubdivisionAdmin", "SectionAdmin", "SubstationAdmin"];

/// The number of the lowest role.
const LOWEST: i32 = NAMES.len() as i32;

/// The highest role that is confined to a node.
const CIRCLE: i32 = 3;

/// `{roleId}` is a role that the caller may read: any role for roles 1 and 2, else the caller's own and those below it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedRole {
    /// The utility that the caller is in.
    client: ClientId,
    /// The role, 1 to 8.
    id: i32,
}

impl<S: Send + Sync> FromRequestParts<S> for AskedRole {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, state).await?;
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Error::NotFound)?;
        let text = params.iter().find(|(name, _)| *name == "roleId").map(|(_, text)| text);
        let id = text.and_then(|text| text.parse().ok()).filter(|id| (1..=LOWEST).contains(id)).ok_or(Error::NotFound)?;
        if may_ask(principal.role_id, id) {
            Ok(Self { client: principal.client, id })
        } else {
            Err(Error::Forbidden("a role may ask about itself and those below it"))
        }
    }
}

/// Returns whether a role may read another one. An unknown role may read none.
fn may_ask(own: i32, about: i32) -> bool {
    (1..=LOWEST).contains(&own) && (own < CIRCLE || about >= own)
}

#[cfg(test)]
mod tests {
    use super::may_ask;

    #[test]
    fn a_role_asks_about_itself_and_below() {
        for (own, about, expected) in [
            (1, 1, true),
            (2, 1, true),
            (2, 8, true),
            (3, 2, false),
            (3, 3, true),
            (8, 7, false),
            (8, 8, true),
            (9, 9, false),
            (0, 3, false),
            (-1, 3, false),
        ] {
            assert_eq!(may_ask(own, about), expected, "{own} about {about}");
        }
    }
}
