//! Seeds the demo's logins. Their password is published, and is accepted only while the demo runs.

use std::collections::HashMap;

use grid::{Level, NodeId};
use store::Store;
use store::seed::MemberSeed;

use super::utility::Written;

/// A login of the demo.
#[derive(Debug)]
pub(crate) struct Login {
    /// Name for the sign-in.
    pub username: &'static str,
    name: (&'static str, &'static str),
    /// Role number and name (specification 1, section 6).
    role: (i32, &'static str),
    /// The level of the node whose area the user can see; `None`: the whole utility.
    level: Option<Level>,
    can_operate: bool,
    demo: bool,
}

/// All logins of the demo.
pub(crate) const LOGINS: [Login; 6] = [
    login("super", ("Sanya", "Rao"), (1, "SuperUser"), None, true),
    login("admin", ("Arjun", "Mehta"), (2, "ClientAdmin"), None, true),
    login("operator", ("Omkar", "Nair"), (3, "CircleAdmin"), Some(Level::Circle), true),
    login("field", ("Farah", "Khan"), (7, "SectionAdmin"), Some(Level::Section), true),
    login("viewer", ("Vikram", "Das"), (4, "DivisionAdmin"), Some(Level::Division), false),
    Login { demo: true, ..login("demo", ("Demo", "User"), (3, "CircleAdmin"), Some(Level::Circle), false) },
];

/// The logins of the large utility.
pub(crate) const LARGE_LOGINS: [Login; 2] = [
    login("large", ("Lata", "Iyer"), (2, "ClientAdmin"), None, true),
    login("large-operator", ("Laxman", "Reddy"), (3, "CircleAdmin"), Some(Level::Circle), true),
];

const fn login(
    username: &'static str,
    name: (&'static str, &'static str),
    role: (i32, &'static str),
    level: Option<Level>,
    can_operate: bool,
) -> Login {
    Login { username, name, role, level, can_operate, demo: false }
}

/// Writes the logins. Each is limited to the node of its level with the most substations.
pub(crate) async fn write(store: &Store, utility: &Written, logins: &[Login]) -> anyhow::Result<()> {
    // Hashing is slow by design. All logins have the same published password, so they share one hash.
    let hash = auth::hash_password(identity::session::DEMO_PASSWORD.to_owned()).await?;
    for login in logins {
        let member = MemberSeed {
            client: utility.client,
            username: login.username.to_owned(),
            email: format!("{}@demo.invalid", login.username),
            first_name: login.name.0.to_owned(),
            last_name: login.name.1.to_owned(),
            role_id: login.role.0,
            role_name: login.role.1.to_owned(),
            password_hash: hash.clone(),
            node: login.level.and_then(|level| busiest(&utility.branches, level)),
            can_operate: login.can_operate,
            demo: login.demo,
        };
        store.put_member(&member).await?;
    }
    Ok(())
}

/// Returns the node of a level with the most substations below it; of several, the one that was created first.
fn busiest(branches: &[HashMap<Level, NodeId>], level: Level) -> Option<NodeId> {
    let mut counts: HashMap<NodeId, usize> = HashMap::new();
    for node in branches.iter().filter_map(|branch| branch.get(&level)) {
        *counts.entry(*node).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(node, count)| (*count, std::cmp::Reverse(*node))).map(|(node, _)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_node_has_most_substations() {
        let branch = |circle, section| HashMap::from([(Level::Circle, NodeId(circle)), (Level::Section, NodeId(section))]);
        let branches = [branch(1, 11), branch(2, 21), branch(2, 22)];
        assert_eq!(busiest(&branches, Level::Circle), Some(NodeId(2)));
        assert_eq!(busiest(&branches, Level::Section), Some(NodeId(11)));
        assert_eq!(busiest(&branches, Level::Town), None);
    }

    #[test]
    fn each_login_has_a_place_of_its_roles_level() {
        for Login { username, role, level, .. } in LOGINS.iter().chain(&LARGE_LOGINS) {
            // Roles 3 to 8 are limited to a node of their level, from the circle down. Without a node they would see nothing.
            let expected = u8::try_from(role.0 - 2).ok().and_then(Level::from_code);
            assert_eq!(*level, expected, "{username}");
        }
    }

    #[test]
    fn the_demo_user_only_looks() {
        let demo: Vec<_> = LOGINS.iter().filter(|login| login.demo).collect();
        assert!(demo.len() == 1 && !demo[0].can_operate && demo[0].username == "demo");
    }
}
