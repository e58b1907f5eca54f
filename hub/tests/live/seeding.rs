//! Seeds the data that a hub needs before a user can sign in: a utility, its hierarchy, members and sessions. For the
//! tests and benchmarks of the hub.

use std::time::{SystemTime, UNIX_EPOCH};

use grid::{ClientId, Level, MemberId, Micros, NodeId};
use store::Store;
use store::people::NewSession;
use store::seed::{ClientSeed, MemberSeed, NodeSeed};

/// How long a session lasts. No test and no bench takes as long.
const SESSION_MS: i64 = 3_600_000;

/// The time now.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros() as i64)
}

/// Writes a utility with one node of each level above the substations. Returns the utility and these nodes, the circle
/// first.
pub(crate) async fn utility(store: &Store, code: &str) -> (ClientId, Vec<NodeId>) {
    let client = ClientSeed { code: code.into(), name: code.into(), time_zone: "Asia/Kolkata".into(), config: serde_json::json!({}) };
    let client = store.put_client(&client).await.expect("a utility");
    let mut path: Vec<NodeId> = Vec::new();
    for level in Level::ALL.into_iter().filter(|level| *level != Level::Substation) {
        let (parent, code) = (path.last().copied(), "N".to_owned());
        let seed = NodeSeed { client, level, parent, name: code.clone(), code, kv: None, lat: None, lon: None };
        path.push(store.put_node(&seed).await.expect("a node"));
    }
    (client, path)
}

/// Writes a substation.
pub(crate) async fn substation(store: &Store, client: ClientId, parent: Option<NodeId>, code: &str) -> NodeId {
    let (level, kv, name) = (Level::Substation, Some("33/11 kV".to_owned()), code.to_owned());
    let seed = NodeSeed { client, level, parent, name, code: code.to_owned(), kv, lat: None, lon: None };
    store.put_node(&seed).await.expect("a substation")
}

/// Writes a member; `node` confines its rights.
pub(crate) async fn member(store: &Store, client: ClientId, username: &str, role_id: i32, node: Option<NodeId>) -> MemberId {
    let member = MemberSeed {
        client,
        username: username.into(),
        email: format!("{username}@example.org"),
        first_name: "A".into(),
        last_name: "B".into(),
        role_id,
        role_name: "Role".into(),
        password_hash: "none".into(),
        node,
        can_operate: false,
        demo: false,
    };
    store.put_member(&member).await.expect("a member")
}

/// Signs a member in; returns the number of the session and its access token.
pub(crate) async fn session(store: &Store, member: MemberId) -> (i64, String) {
    let ((token, access_hash), (_, refresh_hash), now) = (auth::new_token(), auth::new_token(), now());
    let until = now.plus_millis(SESSION_MS);
    let session = NewSession { member, access_hash, access_until: until, refresh_hash, refresh_until: until, idle_ms: SESSION_MS, now };
    (store.insert_session(&session).await.expect("a session"), token)
}
