//! The caller of a request and its permissions.

use grid::{ClientId, MemberId, NodeId};

/// The existing roles (specification 1, section 6).
const ROLES: std::ops::RangeInclusive<i32> = 1..=8;

/// A signed-in user with the user's present permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Id of the session.
    pub session: i64,
    /// Id of the user.
    pub member: MemberId,
    /// The utility of the session.
    pub client: ClientId,
    /// The role (specification 1, section 6).
    pub role_id: i32,
    /// The node to whose area the user is limited; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether the user has the permission to operate devices.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
}

impl Principal {
    /// Returns whether the role exists. An unknown role has no permissions.
    pub fn has_role(&self) -> bool {
        ROLES.contains(&self.role_id)
    }

    /// Returns whether the user administers the utility of the session. The demo user does not.
    pub fn administers(&self) -> bool {
        matches!(self.role_id, 1 | 2) && self.node.is_none() && !self.demo
    }

    /// Returns the part of the utility that the user can see. A role below the utility without a node sees nothing: missing data must not grant access to the
    /// whole utility.
    fn visible_part(&self) -> VisiblePart {
        match (self.role_id, self.node) {
            (1 | 2, None) => VisiblePart::All,
            (1..=8, Some(node)) => VisiblePart::Below(node),
            _ => VisiblePart::Nothing,
        }
    }

    /// Returns whether the user can see the data of a node. The node must belong to the utility of the session, and its path, from the circle down to the node
    /// itself, must contain the user's node.
    pub fn may_see(&self, client: ClientId, path: &[NodeId]) -> bool {
        client == self.client
            && match self.visible_part() {
                VisiblePart::All => true,
                VisiblePart::Below(own) => path.contains(&own),
                VisiblePart::Nothing => false,
            }
    }

    /// Returns whether the user can see the data of the whole utility.
    pub fn may_see_all(&self, client: ClientId) -> bool {
        client == self.client && self.visible_part() == VisiblePart::All
    }

    /// Returns whether the user can see anything in a utility.
    pub fn may_see_any(&self, client: ClientId) -> bool {
        client == self.client && self.visible_part() != VisiblePart::Nothing
    }
}

/// The part of a utility that a user can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisiblePart {
    All,
    Below(NodeId),
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role_id: i32, node: Option<i64>) -> Principal {
        let node = node.map(NodeId);
        Principal { session: 1, member: MemberId(1), client: ClientId(1), role_id, node, can_operate: false, demo: false }
    }

    #[test]
    fn a_person_sees_their_own_subtree_of_their_own_utility() {
        let path = [NodeId(1), NodeId(2), NodeId(3)];
        for (role, node, client, expected, why) in [
            (1, None, 1, true, "the whole utility"),
            (2, None, 1, true, "the whole utility"),
            (1, None, 2, false, "another utility"),
            (2, None, 2, false, "another utility"),
            (2, Some(9), 1, false, "confined to a node beside"),
            (4, Some(2), 1, true, "a node above"),
            (8, Some(3), 1, true, "the node itself"),
            (4, Some(9), 1, false, "a node beside"),
            (4, Some(2), 2, false, "an id of another utility"),
        ] {
            assert_eq!(of(role, node).may_see(ClientId(client), &path), expected, "role {role} {node:?}: {why}");
        }
    }

    #[test]
    fn who_has_no_place_or_no_role_sees_nothing() {
        let (own, path) = (ClientId(1), [NodeId(1)]);
        for role in (-1..=10).chain([i32::MIN, i32::MAX]) {
            let (placed, unplaced) = (of(role, Some(1)), of(role, None));
            let (is_role, is_above) = ((1..=8).contains(&role), matches!(role, 1 | 2));
            assert_eq!(placed.has_role(), is_role, "role {role}");
            for (person, sees, sees_all) in [(placed, is_role, false), (unplaced, is_above, is_above)] {
                assert_eq!(
                    (person.may_see(own, &path), person.may_see_any(own), person.may_see_all(own)),
                    (sees, sees, sees_all),
                    "{person:?}"
                );
                let other = ClientId(2);
                assert!(!person.may_see(other, &path) && !person.may_see_any(other) && !person.may_see_all(other), "{person:?}");
            }
        }
    }
}
