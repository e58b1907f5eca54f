//! The lists of the hierarchy and the tree: what each role sees.

use grid::{AssetId, Level, NodeId};
use serde_json::{Value, json};
use store::Store;
use store::seed::AssetSeed;

use crate::field::Utility;
use crate::server::{Answer, Server};

const MISSING: i64 = 999_999_999;

/// A list, and the id and name fields of its rows.
struct List {
    area: &'static str,
    level: Level,
    id: &'static str,
    name: &'static str,
}

const LISTS: [List; 6] = [
    list("circle", Level::Circle, "circleId", "circleName"),
    list("division", Level::Division, "divisionId", "divName"),
    list("town", Level::Town, "townId", "townName"),
    list("subdivision", Level::Subdivision, "subDivisionId", "subDivisionName"),
    list("section", Level::Section, "sectionId", "sectionName"),
    list("substation", Level::Substation, "AssetPointId", "AssetPointName"),
];

const fn list(area: &'static str, level: Level, id: &'static str, name: &'static str) -> List {
    List { area, level, id, name }
}

/// A member of a role, confined to a node or not.
pub(crate) struct Person {
    pub(crate) id: i64,
    pub(crate) token: String,
}

/// Creates a member with the common password and signs in.
pub(crate) async fn person(server: &Server, utility: &Utility, role: i32, node: Option<NodeId>) -> Person {
    let username = format!("role-{role}-{}-{}", utility.client, node.map_or(0, |node| node.0));
    let admin = utility.admin;
    let row = server
        .database
        .client()
        .await
        .query_one(
            "INSERT INTO member (client_id, username, email, first_name, last_name, role_id, role_name, password_hash, node_id)
             SELECT client_id, $2, $2 || '@example.org', 'A', 'B', $3, 'Role', password_hash, $4 FROM member WHERE id = $1 RETURNING id",
            &[&admin, &username, &role, &node.map(|node| node.0)],
        )
        .await
        .expect("a member");
    Person { id: row.get(0), token: server.sign_in(&username).await }
}

/// Returns the node of a level above a substation.
async fn on_the_way(server: &Server, location: NodeId, level: Level) -> NodeId {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let nodes = store.registry(None).await.expect("read").nodes;
    let at = nodes.iter().find(|node| node.id == location).expect("the substation");
    at.path[usize::from(level.code()) - 1]
}

async fn rows(server: &Server, token: &str, path: &str) -> Vec<Value> {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].as_array().expect("rows").clone()
}

fn names(rows: &[Value], field: &str) -> Vec<String> {
    rows.iter().map(|row| row[field].as_str().expect("a name").to_owned()).collect()
}

/// Returns an answer without the parts that differ between requests.
fn compared(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["correlationId"] = "".into();
    (answer.status, body)
}

#[tokio::test]
async fn from_circle_to_substation_with_all_names_of_a_row() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let one = &server.one;
    let circle = rows(&server, &token, &format!("/api/circle/circlesbyclient/{}", one.client)).await;
    let expected = json!([{
        "circleId": one.circle.0, "circleName": "C circle",
        "displayId": one.circle.0, "displayName": "C circle", "breadCrumbName": "C circle", "parentId": null
    }]);
    assert_eq!(json!(circle), expected);
    let division = rows(&server, &token, &format!("/api/division/divisionsbycircle/{}", one.circle)).await;
    let expected = json!({
        "divisionId": one.division.0, "divName": "D1 division", "circleId": one.circle.0,
        "displayId": one.division.0, "displayName": "D1 division", "breadCrumbName": "C circle › D1 division", "parentId": one.circle.0
    });
    assert_eq!(division[0], expected);
    // Each list leads to the next, down to the substation.
    let mut above = one.division.0;
    for (step, by) in [(&LISTS[2], "division"), (&LISTS[3], "town"), (&LISTS[4], "subdivision"), (&LISTS[5], "section")] {
        let below = rows(&server, &token, &format!("/api/{0}/{0}sBy{by}/{above}", step.area)).await;
        assert_eq!(below.len(), 1, "{}", step.area);
        assert_eq!((&below[0]["parentId"], &below[0]["displayId"]), (&json!(above), &below[0][step.id]));
        above = below[0][step.id].as_i64().expect("an id");
    }
    let section = on_the_way(&server, one.location, Level::Section).await;
    let expected = json!([{
        "AssetPointId": one.location.0, "AssetPointName": "D1 location", "SLDName": "D1 location",
        "BreadCrumbName": "C circle › D1 division › D1 town › D1 subdivision › D1 section",
        "hasDrawing": true, "sectionId": section.0, "divisionId": one.division.0, "circleId": one.circle.0, "kv": "33/11 kV",
        "displayId": one.location.0, "displayName": "D1 location", "parentId": section.0,
        "breadCrumbName": "C circle › D1 division › D1 town › D1 subdivision › D1 section › D1 location"
    }]);
    assert_eq!(json!(rows(&server, &token, &format!("/api/substation/SubstationsByDivision/{}", one.division)).await), expected);
}

#[tokio::test]
async fn each_role_sees_its_own_part_and_the_way_down_to_it() {
    let server = Server::start().await;
    for (role, level) in [
        (1, None),
        (2, None),
        (3, Some(Level::Circle)),
        (4, Some(Level::Division)),
        (5, Some(Level::Town)),
        (6, Some(Level::Subdivision)),
        (7, Some(Level::Section)),
        (8, Some(Level::Substation)),
    ] {
        let node = match level {
            Some(level) => Some(on_the_way(&server, server.one.location, level).await),
            None => None,
        };
        let person = person(&server, &server.one, role, node).await;
        // Here the circle is the whole utility. From the division on there is another branch.
        let is_whole = level.is_none_or(|level| level == Level::Circle);
        for list in &LISTS {
            let by_user = rows(&server, &person.token, &format!("/api/{0}/{0}sbyuser/{1}", list.area, person.id)).await;
            let by_client = rows(&server, &person.token, &format!("/api/{0}/{0}sbyclient/{1}", list.area, server.one.client)).await;
            assert_eq!(by_user, by_client, "role {role}, {}", list.area);
            let word = list.level.as_str();
            let expected: Vec<String> = match (list.level, is_whole) {
                (Level::Circle, _) => vec!["C circle".to_owned()],
                (_, true) => vec![format!("D1 {word}"), format!("D2 {word}")],
                (_, false) => vec![format!("D1 {word}")],
            };
            assert_eq!(names(&by_user, list.name), expected, "role {role}");
            assert_eq!(names(&by_user, "displayName"), expected, "role {role}");
        }
        let assets = rows(&server, &person.token, &format!("/api/asset/assetsbyuser/{}", person.id)).await;
        assert_eq!(names(&assets, "assetName"), ["one F1"], "role {role}");
        let products = rows(&server, &person.token, "/api/appsconfig/product").await;
        assert_eq!(products, [json!({"productId": server.one.gateway.0, "productName": "RTU", "assetPointId": server.one.location.0})]);
    }
    // A user of the other branch sees none of it.
    let token = server.sign_in("one-division").await;
    let seen = |path: String| {
        let (server, token) = (&server, token.clone());
        async move { rows(server, &token, &path).await }
    };
    assert_eq!(names(&seen(format!("/api/substation/substationsbyclient/{}", server.one.client)).await, "AssetPointName"), ["D2 location"]);
    assert_eq!(names(&seen("/api/appsconfig/division".to_owned()).await, "divName"), ["D2 division"]);
    assert_eq!(seen(format!("/api/asset/assetsbyclient/{}/1,2,3,4,5,11", server.one.client)).await, [] as [Value; 0]);
    assert_eq!(seen("/api/appsconfig/product".to_owned()).await, [] as [Value; 0]);
    assert_eq!(names(&seen(format!("/api/appsconfig/primsubstbyclient/{}", server.one.client)).await, "assetPointName"), ["D2 location"]);
    let circle = seen(format!("/api/substation/substationsbyclient/{}", server.one.client)).await;
    assert_eq!(circle[0]["circleId"], server.one.circle.0, "the way up is named");
}

/// Returns the paths of all routes with an id of the hierarchy, each with the caller's own id.
fn calls(utility: &Utility, member: i64, town: NodeId, subdivision: NodeId, section: NodeId) -> Vec<(String, i64)> {
    let (client, location) = (utility.client.0, utility.location.0);
    let mut calls: Vec<(String, i64)> = Vec::new();
    for list in LISTS.iter().map(|list| list.area).chain(["asset"]) {
        calls.push((format!("/api/{list}/{list}sbyuser/{{}}"), member));
        calls.push((format!("/api/{list}/{list}sbyclient/{{}}"), client));
    }
    calls.extend(
        [
            ("/api/division/divisionsbycircle/{}", utility.circle.0),
            ("/api/town/townsbydivision/{}", utility.division.0),
            ("/api/subdivision/subdivisionsbytown/{}", town.0),
            ("/api/section/sectionsbysubdivision/{}", subdivision.0),
            ("/api/substation/substationsbysection/{}", section.0),
            ("/api/substation/substationsbydivision/{}", utility.division.0),
            ("/api/asset/assetsbysubstation/{}", location),
            ("/api/asset/assetsbyuser/{}/2,5", member),
            ("/api/asset/assetsbyclient/{}/2,5", client),
            ("/api/asset/assetsbysubstation/{}/2,5", location),
            ("/api/appsconfig/primsubstbyclient/{}", client),
            ("/api/appsconfig/primaryassetsbyassetpoint/{}", location),
            ("/api/appsconfig/secondaryassetsbyassetpoint/{}", location),
            ("/api/appsconfig/assetsbyappIdastptid/{}/1", location),
            ("/api/client/clientconfiguration/{}", client),
            ("/api/hierarchy/children/client/{}", client),
            ("/api/hierarchy/children/circle/{}", utility.circle.0),
            ("/api/hierarchy/children/division/{}", utility.division.0),
            ("/api/hierarchy/children/town/{}", town.0),
            ("/api/hierarchy/children/subdivision/{}", subdivision.0),
            ("/api/hierarchy/children/section/{}", section.0),
            ("/api/hierarchy/children/substation/{}", location),
            ("/api/hierarchy/children/asset/{}", utility.feeder.0),
        ]
        .map(|(path, id)| (path.to_owned(), id)),
    );
    calls
}

#[tokio::test]
async fn a_foreign_id_is_told_like_a_missing_one() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let of = async |utility: &Utility| {
        let way = async |level| on_the_way(&server, utility.location, level).await;
        calls(utility, utility.admin, way(Level::Town).await, way(Level::Subdivision).await, way(Level::Section).await)
    };
    let (own, foreign) = (of(&server.one).await, of(&server.two).await);
    // A user of the other division of the same utility must not see these nodes either.
    let beside = server.sign_in("one-division").await;
    for ((path, own), (_, foreign)) in own.into_iter().zip(foreign) {
        let ask = async |token: &str, id: i64| server.get_as(token, &path.replace("{}", &id.to_string())).await;
        assert_eq!(ask(&token, own).await.status, 200, "{path}");
        let missing = compared(&ask(&token, MISSING).await);
        assert_eq!(missing.0, 404, "{path}");
        assert_eq!(compared(&ask(&token, foreign).await), missing, "{path}");
        assert_eq!(server.get_as(&token, &path.replace("{}", "x%27--")).await.status, 404, "{path}");
        if ![server.one.client.0, server.one.circle.0].contains(&own) {
            assert_eq!(compared(&ask(&beside, own).await), missing, "{path}, from beside");
        }
    }
}

#[tokio::test]
async fn a_parent_of_another_level_is_not_found() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let one = &server.one;
    for path in [
        format!("/api/division/divisionsbycircle/{}", one.division),
        format!("/api/town/townsbydivision/{}", one.circle),
        format!("/api/substation/substationsbysection/{}", one.division),
        format!("/api/asset/assetsbysubstation/{}", one.division),
        format!("/api/hierarchy/children/circle/{}", one.division),
        format!("/api/hierarchy/children/client/{}", one.location),
    ] {
        assert_eq!(server.get_as(&token, &path).await.status, 404, "{path}");
    }
}

/// Creates a transformer and a lateral in addition to the fixture.
async fn more_assets(server: &Server) -> Vec<AssetId> {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let (client, location) = (server.one.client, server.one.location);
    let assets = [("TX1", 2, "transformer"), ("TX2", 5, "transformer"), ("L1", 4, "feeder")].map(|(code, type_id, class)| AssetSeed {
        name: format!("one {code}"),
        device: String::new(),
        ..AssetSeed::new(client, location, code, type_id, class)
    });
    store.put_assets(&assets).await.expect("assets")
}

#[tokio::test]
async fn assets_are_of_the_types_asked_for() {
    let server = Server::start().await;
    let added = more_assets(&server).await;
    let token = server.sign_in("one-admin").await;
    let (location, admin) = (server.one.location, server.one.admin);
    let first = &rows(&server, &token, &format!("/api/asset/assetsbysubstation/{location}/2")).await[0];
    let expected = json!({
        "assetId": added[0].0, "assetName": "one TX1", "assetTypeId": 2, "assetPointId": location.0, "displayId": added[0].0, "displayName": "one TX1",
        "parentId": location.0, "breadCrumbName": "C circle › D1 division › D1 town › D1 subdivision › D1 section › D1 location › one TX1"
    });
    assert_eq!(first, &expected);
    let default = ["one F1", "one L1"];
    let transformers = ["one TX1", "one TX2"];
    for (path, expected) in [
        (format!("/api/asset/assetsbyuser/{admin}"), &default[..]),
        (format!("/api/asset/assetsbyuser/{admin}/2,5"), &transformers),
        (format!("/api/asset/assetsbyuser/{admin}/2%2C5"), &transformers),
        (format!("/api/asset/assetsbyuser/{admin}/1,4,2,5"), &["one F1", "one L1", "one TX1", "one TX2"]),
        (format!("/api/asset/assetsbyclient/{}/11", server.one.client), &["one STN"]),
        (format!("/api/asset/assetsbysubstation/{location}"), &default),
        (format!("/api/asset/assetsbysubstation/{}", server.one.other_location), &[]),
        (format!("/api/asset/assetsbysubstation/{location}/77"), &[]),
        (format!("/api/appsconfig/primaryassetsbyassetpoint/{location}"), &["one F1", "one L1", "one STN"]),
        (format!("/api/appsconfig/secondaryassetsbyassetpoint/{location}"), &transformers),
        // 8 is ASSET, 5 is ENERGY_EFFICIENCY.
        (format!("/api/appsconfig/assetsbyappIdastptid/{location}/8"), &transformers),
        (format!("/api/appsconfig/assetsbyappIdastptid/{location}/5"), &default),
        (format!("/api/appsconfig/assetsbyappIdastptid/{location}/13"), &default),
    ] {
        assert_eq!(names(&rows(&server, &token, &path).await, "assetName"), expected, "{path}");
    }
    for types in ["x", "1,", ",", "1;4", "0", "-1", "1000", "1,%27", "99999999999999999999"] {
        let refused = server.get_as(&token, &format!("/api/asset/assetsbyuser/{admin}/{types}")).await;
        assert_eq!(refused.status, 400, "{types}");
        assert!(refused.json()["message"].as_str().expect("text").contains("such as 1,4 or 2,5"), "{refused:?}");
    }
    for app in ["99", "x", "-1"] {
        assert_eq!(server.get_as(&token, &format!("/api/appsconfig/assetsbyappIdastptid/{location}/{app}")).await.status, 404, "{app}");
    }
}

#[tokio::test]
async fn the_tree_opens_a_branch_at_a_time_down_to_the_leaves() {
    let server = Server::start().await;
    for username in ["one-admin", "one-division"] {
        let token = server.sign_in(username).await;
        let is_whole = username == "one-admin";
        let (mut kind, mut id) = ("client".to_owned(), server.one.client.0);
        for expected in ["circle", "division", "town", "subdivision", "section", "substation"] {
            let children = rows(&server, &token, &format!("/api/hierarchy/children/{kind}/{id}")).await;
            let count = if expected == "division" && is_whole { 2 } else { 1 };
            assert_eq!(children.len(), count, "{username}: {children:?}");
            let child = &children[0];
            assert_eq!((&child["nodeType"], &child["parentId"]), (&json!(expected), &json!(id)));
            // The other division's substation is empty.
            assert_eq!(child["hasChildren"], json!(expected != "substation" || is_whole), "{username}: {child}");
            (kind, id) = (expected.to_owned(), child["id"].as_i64().expect("an id"));
        }
        let leaves = rows(&server, &token, &format!("/api/hierarchy/children/Substation/{id}")).await;
        assert_eq!(leaves.len(), if is_whole { 3 } else { 0 });
        for leaf in leaves {
            assert_eq!((&leaf["nodeType"], &leaf["hasChildren"]), (&json!("asset"), &json!(false)));
            assert_eq!(rows(&server, &token, &format!("/api/hierarchy/children/asset/{}", leaf["id"])).await, [] as [Value; 0]);
        }
        let refused = server.get_as(&token, &format!("/api/hierarchy/children/region/{id}")).await;
        assert_eq!(refused.status, 400);
        assert!(refused.json()["message"].as_str().expect("text").contains("client, circle, division"), "{refused:?}");
    }
}
