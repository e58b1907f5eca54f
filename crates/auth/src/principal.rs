//! Who calls, and what they may see.

use grid::{ClientId, MemberId, NodeId};

/// The roles that there are (specification 1, section 6).
const ROLES: std::ops::RangeInclusive<i32> = 1..=8;

/// A signed-in person with the rights of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The session.
    pub session: i64,
    /// The person.
    pub member: MemberId,
    /// The utility that the session is in.
    pub client: ClientId,
    /// The role (specification 1, section 6).
    pub role_id: i32,
    /// The node that the person is confined to; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Whether the person may operate.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
}

impl Principal {
    /// Whether the role is one of those that there are; any other has no rights (trust.md S12).
    pub fn has_role(&self) -> bool {
        ROLES.contains(&self.role_id)
    }

    /// Whether this person administers the utility that the session is in. The demo user administers nothing.
    pub fn administers(&self) -> bool {
        matches!(self.role_id, 1 | 2) && self.node.is_none() && !self.demo
    }

    /// Whether the data of a node may be seen: it is of the person's utility, and the person's own node lies on its path (which goes from the
    /// circle down to the node itself).
    pub fn may_see(&self, client: ClientId, path: &[NodeId]) -> bool {
        self.has_role() && client == self.client && self.node.is_none_or(|own| path.contains(&own))
    }

    /// Whether data of the whole utility may be seen.
    pub fn may_see_all(&self, client: ClientId) -> bool {
        self.has_role() && client == self.client && self.node.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_sees_their_own_subtree_of_their_own_utility() {
        let of =
            |node| Principal { session: 1, member: MemberId(1), client: ClientId(1), role_id: 4, node, can_operate: false, demo: false };
        let path = [NodeId(1), NodeId(2), NodeId(3)];
        let cases = [
            (None, ClientId(1), true, "the whole utility"),
            (None, ClientId(2), false, "another utility"),
            (Some(NodeId(2)), ClientId(1), true, "a node above"),
            (Some(NodeId(3)), ClientId(1), true, "the node itself"),
            (Some(NodeId(9)), ClientId(1), false, "a node beside"),
            (Some(NodeId(2)), ClientId(2), false, "an id of another utility"),
        ];
        for (node, client, expected, why) in cases {
            assert_eq!(of(node).may_see(client, &path), expected, "{why}");
        }
        for role_id in [-1, 0, 9] {
            let nobody = Principal { role_id, ..of(None) };
            assert!(!nobody.may_see(ClientId(1), &path) && !nobody.may_see_all(ClientId(1)), "role {role_id}");
        }
    }
}
