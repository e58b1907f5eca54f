//! Every route, asked by every role for every kind of id of another utility: nothing of that utility comes out, and nothing of it changes.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::closed_by_default::{OPEN, routes};
use crate::field::Utility;
use crate::server::{Answer, Server};

/// Stands in every name of the other utility.
const MARK: &str = "FOREIGN-BYTES";
const MISSING: i64 = 999_999_999;
/// What a path may name a level by.
const TYPES: [&str; 8] = ["client", "circle", "division", "town", "subdivision", "section", "location", "asset"];
/// What the super user has to go from one utility to another.
const BETWEEN_UTILITIES: [&str; 3] = ["/api/appsconfig/client", "/api/client/switch/{clientId}", "/api/feedback"];
const CHANGE_MEMBER: (&str, &str) = ("put", "/api/admin/members/{id}");
/// Tables whose rows belong to a utility, and what of a row is its name.
const NAMED: [(&str, &str); 5] = [("node", "name"), ("asset", "name"), ("gateway", "name"), ("point", "unit"), ("member", "last_name")];

fn ids(utility: &Utility) -> Vec<i64> {
    let Utility { client, circle, division, location, other_location, feeder, breaker, gateway, position, admin, .. } = utility;
    vec![client.0, circle.0, division.0, location.0, other_location.0, feeder.0, breaker.0, gateway.0, position.0, *admin]
}

/// A path with an id in the place of each parameter, and where it names a level, once for each.
fn filled(path: &str, id: i64) -> Vec<String> {
    let types: &[&str] = if path.contains("{type}") { &TYPES } else { &[""] };
    let fill = |word: &&str| {
        let mut path = path.replace("{type}", word).replace("{types}", "1,4,2,5").replace("{appId}", "8");
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, &id.to_string());
        }
        path
    };
    types.iter().map(fill).collect()
}

async fn ask(server: &Server, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    if method == "get" { server.get_as(token, path).await } else { server.json_as(token, &method.to_uppercase(), path, body).await }
}

/// What a call takes. One that cannot be read is refused before anything is looked up.
fn body(route: (&str, &str)) -> Value {
    match route {
        CHANGE_MEMBER => json!({
            "firstName": "A", "lastName": "B", "email": "a@example.org", "roleId": 2, "nodeId": null, "canOperate": false, "flags": {},
            "disabled": false
        }),
        _ => json!({}),
    }
}

fn compared(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["correlationId"] = "".into();
    (answer.status, body)
}

/// Everything of a utility, as one text.
async fn digest(server: &Server, utility: &Utility) -> String {
    let client = server.database.client().await;
    let mut all = String::new();
    for table in [
        "node",
        "asset",
        "gateway",
        "point",
        "drawing",
        "member",
        "session",
        "page_access",
        "control_ticket",
        "password_reset",
        "command",
        "tag",
    ] {
        let statement = format!("SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t WHERE client_id = $1");
        let row = client.query_one(&statement, &[&utility.client.0]).await.expect("a digest");
        writeln!(all, "{table} {}", row.get::<_, &str>(0)).expect("a string takes everything");
    }
    all
}

#[tokio::test]
async fn nothing_of_another_utility_comes_out_or_changes() {
    let server = Server::start().await;
    let client = server.database.client().await;
    client
        .execute(
            "UPDATE client SET name = name || $1, config = config || $2 WHERE id = $3",
            &[&MARK, &json!({ "appBrand": MARK }), &server.two.client.0],
        )
        .await
        .expect("marked");
    let mut own: HashSet<i64> = HashSet::from([server.one.client.0]);
    for (table, name) in NAMED {
        client
            .execute(&format!("UPDATE {table} SET {name} = {name} || $1 WHERE client_id = $2"), &[&MARK, &server.two.client.0])
            .await
            .expect("marked");
        let rows = client.query(&format!("SELECT id FROM {table} WHERE client_id = $1"), &[&server.one.client.0]).await.expect("ids");
        own.extend(rows.iter().map(|row| row.get::<_, i64>(0)));
    }
    let section = client
        .query_one("SELECT min(id) FROM node WHERE client_id = $1 AND level = 5", &[&server.one.client.0])
        .await
        .expect("a section")
        .get(0);
    for (name, role, node) in [
        ("super", 1, None),
        ("town", 5, None),
        ("section", 7, Some(grid::NodeId(section))),
        ("substation", 8, Some(server.one.location)),
        ("unknown", 99, None),
    ] {
        server.enter(name, role, node).await;
    }
    let before = digest(&server, &server.two).await;
    let (mut asked, mut looked_up, mut told_apart) = (0, 0, Vec::new());
    for person in ["super", "one-admin", "one-division", "town", "section", "substation", "unknown"] {
        let token = server.sign_in(person).await;
        for (method, path) in routes().into_iter().filter(|(method, path)| !OPEN.contains(&(method.as_str(), path.as_str()))) {
            if person == "super" && BETWEEN_UTILITIES.contains(&path.as_str()) {
                continue;
            }
            for id in ids(&server.two) {
                for (foreign, missing) in filled(&path, id).iter().zip(filled(&path, MISSING)) {
                    // An id of the own utility may be the same number: then it is not changed here.
                    let is_own = own.contains(&id);
                    let body = if is_own { json!({}) } else { body((method.as_str(), path.as_str())) };
                    let answer = ask(&server, &token, &method, foreign, &body).await;
                    if (&*method, &*path) == CHANGE_MEMBER && !is_own && ["super", "one-admin"].contains(&person) {
                        assert_eq!(answer.status, 404, "{person}: {answer:?}");
                        looked_up += 1;
                    }
                    assert!(answer.status < 500 && !answer.body.contains(MARK), "{person}: {method} {foreign}: {answer:?}");
                    asked += 1;
                    if path.contains("{id}")
                        && !is_own
                        && compared(&answer) != compared(&ask(&server, &token, &method, &missing, &body).await)
                    {
                        told_apart.push(format!("{person}: {method} {foreign}"));
                    }
                }
                if !path.contains('{') {
                    break;
                }
            }
        }
    }
    assert!(asked > 2_000 && looked_up > 0, "only {asked} questions, of them {looked_up} for a member");
    assert_eq!(told_apart, Vec::<String>::new(), "a foreign id is told as a missing one");
    assert_eq!(digest(&server, &server.two).await, before);
    println!("{asked} questions");
}
