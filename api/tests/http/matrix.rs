//! Every route, called by every role with every kind of id of another utility: no data of that utility are returned or changed. Once
//! normally, and once without the filters of the statements, so that only the database separates the utilities.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use serde_json::{Value, json};

use crate::closed_by_default::{OPEN, routes};
use crate::control::rig::{self, Rig};
use crate::field::{Utility, feed, reading};
use crate::matrix_tables::TABLES;
use crate::server::{Answer, Server};
use crate::unfiltered::Filtered;

/// Part of every name of the other utility.
const MARK: &str = "FOREIGN-BYTES";
const MISSING: i64 = 999_999_999;
/// The names of levels in paths.
const TYPES: [&str; 8] = ["client", "circle", "division", "town", "subdivision", "section", "location", "asset"];
/// Routes with which a super user moves between utilities.
const BETWEEN_UTILITIES: [&str; 3] = ["/api/appsconfig/client", "/api/client/switch/{clientId}", "/api/feedback"];
const CHANGE_MEMBER: (&str, &str) = ("put", "/api/admin/members/{id}");
const REMOVE_TAG: (&str, &str) = ("post", "/api/tags/{id}/remove");
const WITHDRAW_ENTRY: (&str, &str) = ("post", "/api/network/entries/{id}/withdraw");
const REMOVE_TEMPORARY: (&str, &str) = ("post", "/api/network/temporary/{id}/remove");
const CHANGE_BRAND: (&str, &str) = ("put", "/api/admin/brands/{host}");
const HISTORY: &str = "/api/history/asset/{id}";
/// Periods whose answers come from different tables.
const SPANS: [&str; 5] = [
    "from=1970-01-01T00:00:00Z&to=1970-01-01T00:01:00Z",
    "from=1970-01-01T00:00:00Z&to=1970-01-01T01:00:00Z&width=20",
    "from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z&width=100",
    "from=1970-01-01T00:00:00Z&to=1970-01-11T00:00:00Z&width=100",
    "from=1970-01-01T00:00:00Z&to=1970-04-11T00:00:00Z&width=50",
];
const COMMAND: &str = "00000000-0000-4000-8000-000000000002"; // Of the other utility.
/// Tables with rows of a utility, each with its name column.
const NAMED: [(&str, &str); 5] = [("node", "name"), ("asset", "name"), ("gateway", "name"), ("point", "unit"), ("member", "last_name")];

fn ids(utility: &Utility) -> Vec<i64> {
    let Utility { client, circle, division, location, other_location, feeder, breaker, gateway, position, admin, .. } = utility;
    vec![client.0, circle.0, division.0, location.0, other_location.0, feeder.0, breaker.0, gateway.0, position.0, *admin]
}

/// Returns the names of levels that can belong to an id; none for the id of a gateway, a point or a member.
fn levels_of(utility: &Utility, id: i64) -> &'static [&'static str] {
    let Utility { client, circle, division, location, other_location, feeder, breaker, .. } = utility;
    match id {
        _ if id == client.0 => &["client"],
        _ if id == circle.0 => &["circle"],
        _ if id == division.0 => &["division", "town", "subdivision", "section"],
        _ if id == location.0 || id == other_location.0 => &["location"],
        _ if id == feeder.0 || id == breaker.0 => &["asset"],
        _ => &[],
    }
}

/// Returns a path with an id in place of each parameter, once for each of these names of levels.
fn filled(path: &str, id: i64, levels: &[&'static str]) -> Vec<String> {
    let day = if path.contains("bydaterange") { "1970-01-01_1970-01-02" } else { "1970-01-01" };
    let path = &*path.replace("{param}", &format!("{{type}}:{id}:{day}"));
    let types = if path.contains("{type}") { levels } else { &[""] };
    let fill = |word: &&str| {
        let mut path = path
            .replace("{type}", word)
            .replace("{types}", "1,4,2,5")
            .replace("{appId}", "8")
            .replace("{months}", "1")
            .replace("{days}", "7")
            .replace("{year}", "2018")
            .replace("{yyyymm}", "202601");
        for (name, day) in [("{date}", "2026-01-05"), ("{from}", "0"), ("{to}", "0")] {
            path = path.replace(name, day);
        }
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, &id.to_string());
        }
        path
    };
    let filled = types.iter().map(fill);
    if path == HISTORY {
        filled.flat_map(|path| SPANS.map(|span| format!("{path}?measure=current&{span}"))).collect()
    } else {
        filled.collect()
    }
}

async fn ask(server: &Server, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    if method == "get" { server.get_as(token, path).await } else { server.json_as(token, &method.to_uppercase(), path, body).await }
}

/// Returns a valid body for a route. An invalid one would be refused before any lookup.
fn body(route: (&str, &str)) -> Value {
    match route {
        CHANGE_MEMBER => json!({
            "firstName": "A", "lastName": "B", "email": "a@example.org", "roleId": 2, "nodeId": null, "canOperate": false, "flags": {},
            "disabled": false
        }),
        CHANGE_BRAND => json!({
            "logo": "/logo.svg", "faviIcon": "/icon.svg", "faviIconText": "One", "footerText": "", "mapUrl": "", "title": "One",
            "loginVariant": "plain", "servers": []
        }),
        REMOVE_TAG | WITHDRAW_ENTRY | REMOVE_TEMPORARY | ("post", "/api/areas/{id}/request") => json!({ "reason": "done" }),
        ("post", "/api/areas/{id}/offer" | "/api/areas/{id}/move") => json!({ "deskId": 1, "reason": "done" }),
        ("post", "/api/areas/{id}/consent" | "/api/areas/{id}/refuse") => json!({ "requestId": 1 }),
        _ => json!({}),
    }
}

fn compared(answer: &Answer) -> (u16, Value) {
    // The answer can be a file, which is not JSON.
    let mut body = serde_json::from_str(&answer.body).unwrap_or_else(|_| json!({ "file": answer.body }));
    body["correlationId"] = "".into();
    (answer.status, body)
}

/// Returns all data of a utility as one text.
async fn digest(server: &Server, utility: &Utility) -> String {
    let client = server.database.client().await;
    let mut all = String::new();
    for table in TABLES {
        let key = if table == "client" { "id" } else { "client_id" };
        let statement = format!("SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t WHERE {key} = $1");
        let row = client.query_one(&statement, &[&utility.client.0]).await.expect("a digest");
        writeln!(all, "{table} {}", row.get::<_, &str>(0)).expect("a string takes everything");
    }
    all
}

/// The result of all requests.
#[derive(Debug, Default)]
struct Found {
    requests: usize,
    /// Number of changes of foreign members that reached the lookup of the member.
    looked_up: usize,
    /// Requests whose answers had bytes of the other utility.
    leaks: Vec<String>,
    /// Requests that failed with an internal error.
    failed: Vec<String>,
    /// Requests with different answers for a foreign and a missing id.
    distinguished: Vec<String>,
    /// Whether data of the other utility have changed.
    changed: bool,
}

impl Found {
    fn note(&mut self, what: impl FnOnce() -> String, answer: &Answer) {
        self.requests += 1;
        let (leaks, fails) = (answer.body.contains(MARK), answer.status >= 500);
        if leaks || fails {
            let what = format!("{}: {answer:?}", what());
            if leaks { self.leaks.push(what) } else { self.failed.push(what) }
        }
    }

    /// Asserts that nothing was returned and nothing changed.
    fn is_tight(&self) {
        assert!(self.requests > 2_000 && self.looked_up > 0, "only {} questions, of them {} for a member", self.requests, self.looked_up);
        assert_eq!(self.leaks, Vec::<String>::new(), "bytes of another utility");
        assert_eq!(self.failed, Vec::<String>::new());
        assert_eq!(self.distinguished, Vec::<String>::new(), "a foreign id gets the answer of a missing one");
        assert!(!self.changed, "something of the other utility has changed");
    }
}

/// Marks all data of utility two, and creates users of utility one for the roles that the fixture does not have.
async fn prepare(server: &Server) -> HashSet<i64> {
    let client = server.database.client().await;
    for utility in [&server.one, &server.two] {
        crate::matrix_energy::measure(server, utility).await;
        feed(server.database.url(), utility, &[reading(1.0, 1_000), reading(2.0, 2_000)], &[reading(3.0, 1_000)]).await;
    }
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
    client
        .execute(
            "UPDATE drawing SET body = jsonb_set(body, '{elements,1,text}', to_jsonb($1::text)) WHERE client_id = $2",
            &[&MARK, &server.two.client.0],
        )
        .await
        .expect("marked");
    // Hosts with the numbers that the requests use.
    for id in ids(&server.two) {
        client
            .execute(
                "INSERT INTO brand (host, client_id, favi_icon_text, title) VALUES ($1, $2, '', $3) ON CONFLICT DO NOTHING",
                &[&id.to_string(), &server.two.client.0, &MARK],
            )
            .await
            .expect("a brand");
    }
    order(server).await;
    crate::matrix_alarms::mark(server, &server.two, &ids(&server.two), MARK).await;
    crate::matrix_lowcarbon::mark(server, &server.two, &ids(&server.two), MARK).await;
    crate::matrix_cables::mark(server, &server.two, MARK).await;
    crate::matrix_energy::mark(server, &server.two, MARK).await;
    crate::matrix_reports::mark(server, &server.two, &ids(&server.two), MARK).await;
    crate::matrix_network::mark(server, &server.two, &ids(&server.two), MARK).await;
    crate::matrix_areas::mark(server, &server.two, &ids(&server.two), MARK).await;
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
    own
}

/// Utility two has a command, a reservation and tags, with the numbers that the requests use.
async fn order(server: &Server) {
    let Utility { client, location, breaker, gateway, position, admin, .. } = &server.two;
    let (client, location, breaker, gateway, position) = (client.0, location.0, breaker.0, gateway.0, position.0);
    let mut statements = format!(
        "INSERT INTO stream (client_id, kind, top) VALUES ({client}, 'command', 1), ({client}, 'tag', 1);
         INSERT INTO command (
             id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status, reason,
             simulated, from_address, correlation_id, state, requested_at, changed_at, issued, due, \"offset\", owner)
         VALUES ('{COMMAND}', {client}, {location}, {breaker}, {position}, {gateway}, 1, {admin}, '{MARK}', 'direct', 2, 1, '{MARK}',
             false, '', '', 'DONE', now(), now(), now(), now(), 1, 'nobody');
         INSERT INTO command_event (client_id, \"offset\", command_id, location_id, state, at, message)
         VALUES ({client}, 1, '{COMMAND}', {location}, 'DONE', now(), '{MARK}');
         INSERT INTO reservation (command_id, client_id, point_id, location_id, session_id, member_id, holder, until)
         VALUES ('{COMMAND}', {client}, {position}, {location}, 1, {admin}, '{MARK}', now());"
    );
    for id in ids(&server.two) {
        write!(
            statements,
            "INSERT INTO tag (id, client_id, location_id, scope, asset_id, kind, holder, holder_id, reason, placed_at)
             VALUES ({id}, {client}, {location}, 'device', {breaker}, 'caution', '{MARK}', {admin}, '{MARK}', now()) ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
    }
    // The ids are far above those of other rows.
    statements.push_str("SELECT setval(pg_get_serial_sequence('tag', 'id'), 1000000)");
    server.database.client().await.batch_execute(&statements).await.expect("ordered");
}

/// Operates, places and removes a tag, and acknowledges; also tries each on the other utility.
async fn operate(rig: &Rig, found: &mut Found) {
    let (one, two) = (&rig.server.one, &rig.server.two);
    let token = rig.operator("operating", 2).await;
    for flag in ["directOperate", "isSelect"] {
        let (from, to) = if flag == "isSelect" { (rig::OPEN, rig::CLOSED) } else { (rig::CLOSED, rig::OPEN) };
        let ordered = rig.post(&token, &rig.order(flag, from, to)).await;
        assert_eq!(ordered.status, 200, "{ordered:?}");
        if flag == "directOperate" {
            rig.until(&token, ordered.json()["result"]["commandId"].as_str().expect("an id"), "DONE").await;
            // The next decision reads the entry that takes the place of the one which this decision has read.
            let entry = json!({ "equipment": "ES", "position": "open", "reason": "seen again" });
            let entered = rig.server.json_as(&token, "POST", "/api/network/entries", &entry).await;
            assert_eq!(entered.status, 200, "{entered:?}");
            rig.until_status(&token, |status| status["currentDIText"] == "OPEN" && status["operable"] == true).await;
        } else {
            let mut cancel = rig.order("isCancel", from, to);
            cancel["commandId"] = ordered.json()["result"]["commandId"].clone();
            assert_eq!(rig.post(&token, &cancel).await.status, 200);
        }
    }
    let tag = |asset: i64| json!({ "assetId": asset, "kind": "inhibit", "reason": "look" });
    let placed = rig.server.json_as(&token, "POST", "/api/tags", &tag(one.breaker.0)).await;
    let remove = format!("/api/tags/{}/remove", placed.json()["result"]["id"]);
    let foreign_tag = format!("/api/tags/{}/remove", two.breaker.0);
    let because = json!({ "reason": "looked" });
    for (path, body, status) in [
        (&*remove, &because, 200),
        ("/api/sld/acknowledge", &json!({ "locationId": one.location.0 }), 200),
        (&*foreign_tag, &because, 404),
        ("/api/tags", &tag(two.breaker.0), 404),
        ("/api/sld/acknowledge", &json!({ "locationId": two.location.0 }), 404),
    ] {
        let answer = rig.server.json_as(&token, "POST", path, body).await;
        found.note(|| format!("operating: post {path}"), &answer);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    }
    for (method, path, body, status) in crate::matrix_alarms::requests(rig, two.breaker.0).await {
        let answer = ask(&rig.server, &token, &method.to_lowercase(), &path, &body).await;
        found.note(|| format!("operating: {method} {path}"), &answer);
        assert_eq!(answer.status, status, "{method} {path} {body}: {answer:?}");
    }
    for (what, answer, expected) in crate::matrix_areas::worked(rig, &token, "operating").await {
        found.note(|| format!("operating: {what}"), &answer);
        assert_eq!(answer.status, expected, "{what}: {answer:?}");
    }
    for (path, body, status) in crate::matrix_areas::requests(rig, two.breaker.0).await {
        let method = if path == "/api/areas/desk" { "put" } else { "post" };
        let answer = ask(&rig.server, &token, method, &path, &body).await;
        found.note(|| format!("operating: {path}"), &answer);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
    }
    let answer = rig.server.get_as(&token, &format!("/api/digiops/command/{COMMAND}")).await;
    found.note(|| "operating: get the other's command".to_owned(), &answer);
    assert_eq!(answer.status, 404, "{answer:?}");
}

/// A user of each role of utility one, the most powerful first.
const PEOPLE: [&str; 7] = ["super", "one-admin", "one-division", "town", "section", "substation", "unknown"];

/// Calls every route with everything of utility two as these users of utility one, and then with utility one's own data.
async fn explore(server: &Server, people: &[&str]) -> Found {
    let own = prepare(server).await;
    let before = digest(server, &server.two).await;
    let mut found = Found::default();
    for &person in people {
        let token = server.sign_in(person).await;
        for (method, path) in routes().into_iter().filter(|(method, path)| !OPEN.contains(&(method.as_str(), path.as_str()))) {
            if person == "super" && BETWEEN_UTILITIES.contains(&path.as_str()) {
                continue;
            }
            // The answer for a missing item, with which others are compared.
            let mut missed: HashMap<String, (u16, Value)> = HashMap::new();
            for id in ids(&server.two) {
                // The most powerful user combines every id with every level. For the others an id keeps its own.
                let levels = if person == people[0] { &TYPES[..] } else { levels_of(&server.two, id) };
                for (foreign, missing) in filled(&path, id, levels).iter().zip(filled(&path, MISSING, levels)) {
                    // An id of the own utility may be the same number; then the request is not sent.
                    let is_own = own.contains(&id);
                    let body = if is_own { json!({}) } else { body((method.as_str(), path.as_str())) };
                    let answer = ask(server, &token, &method, foreign, &body).await;
                    found.note(|| format!("{person}: {method} {foreign}"), &answer);
                    if (&*method, &*path) == CHANGE_MEMBER && !is_own && ["super", "one-admin"].contains(&person) {
                        found.looked_up += usize::from(answer.status == 404);
                    }
                    // Reports are the same for all utilities.
                    let is_named = path.contains("{id}") && !path.contains("/reportdetails/");
                    if (is_named || path.contains("{deviceId}") || path.contains("{param}")) && !is_own {
                        if !missed.contains_key(&missing) {
                            missed.insert(missing.clone(), compared(&ask(server, &token, &method, &missing, &body).await));
                        }
                        if missed.get(&missing) != Some(&compared(&answer)) {
                            found.distinguished.push(format!("{person}: {method} {foreign}"));
                        }
                    }
                }
                if !path.contains('{') {
                    break;
                }
            }
        }
    }
    work(server, &mut found).await;
    found.changed = digest(server, &server.two).await != before;
    found
}

/// An administrator reads all of their own data and changes some of it. The statements must not read or change foreign rows.
async fn work(server: &Server, found: &mut Found) {
    let (admin, superior) = (server.sign_in("one-admin").await, server.sign_in("super").await);
    for (method, path) in routes() {
        if method != "get" || path.contains("logout") || OPEN.contains(&(method.as_str(), path.as_str())) {
            continue;
        }
        let paths: BTreeSet<String> = ids(&server.one).into_iter().flat_map(|id| filled(&path, id, &TYPES)).collect();
        for path in paths {
            let answer = server.get_as(&admin, &path).await;
            found.note(|| format!("own: get {path}"), &answer);
        }
    }
    let mut imported = crate::matrix_cables::worked(server, &admin).await;
    imported.extend(crate::matrix_energy::worked(server, &admin).await);
    imported.extend(crate::matrix_network::worked(server, &admin).await);
    for (what, answer, expected) in imported {
        found.note(|| format!("own: {what}"), &answer);
        if answer.status != expected {
            found.failed.push(format!("own: {what}: {answer:?}"));
        }
    }
    let configuration = server.get_as(&admin, "/api/admin/configuration").await.json()["result"].clone();
    let member = format!("/api/admin/members/{}", server.enter("changed", 2, None).await);
    let grants = json!([{ "pageId": 111, "isReadonly": true, "showInTab": true }]);
    for (token, method, path, body) in [
        (&admin, "put", "/api/admin/configuration", configuration),
        (&admin, "put", &*member, body(CHANGE_MEMBER)),
        (&admin, "put", "/api/admin/pageaccess/4", grants),
        (&admin, "get", "/api/admin/pageaccess/4", Value::Null),
        (&admin, "delete", "/api/admin/pageaccess/4", Value::Null),
        (&superior, "put", "/api/admin/brands/own.example", body(CHANGE_BRAND)),
        (&admin, "put", "/api/admin/brands/own.example", body(CHANGE_BRAND)),
        (&admin, "get", "/api/admin/brands", Value::Null),
        (&admin, "delete", "/api/admin/brands/own.example", Value::Null),
        (&admin, "put", "/api/admin/map", json!({ "type": "FeatureCollection", "features": [] })),
    ] {
        let answer = ask(server, token, method, path, &body).await;
        found.note(|| format!("own: {method} {path}"), &answer);
        if answer.status != 200 {
            found.failed.push(format!("own: {method} {path}: {answer:?}"));
        }
    }
    let mut worked = crate::matrix_lowcarbon::worked(server, &admin).await;
    worked.extend(crate::matrix_reports::worked(server, &admin).await);
    worked.extend(crate::matrix_report_calls::worked(server, &admin).await);
    for (request, status, answer) in worked {
        found.note(|| format!("own: {request}"), &answer);
        if answer.status != status {
            found.failed.push(format!("own: {request} is not {status}: {answer:?}"));
        }
    }
}

#[tokio::test]
async fn nothing_of_another_utility_comes_out_or_changes() {
    let found = explore(&Server::start().await, &PEOPLE).await;
    found.is_tight();
    println!("{} questions", found.requests);
}

/// Names of statements that the api does not use: those of ingest, of hubs, and of the setup.
const NOT_OF_THE_API: [&str; 29] = [
    "alarm_work/",
    "demand_file_work/",
    "outage_work/",
    "report_work/",
    "dead_letters/",
    "forecast_work/",
    "discover/",
    "seed/",
    "writer/",
    "samples/",
    "latest/since.sql",
    "newest/",
    "manual_entry/lapsed.sql",
    "registry/assets.sql",
    "registry/clients.sql",
    "registry/device_links.sql",
    "registry/devices.sql",
    "registry/gateway_links.sql",
    "registry/gateways.sql",
    "registry/last_seen.sql",
    "registry/nodes.sql",
    "registry/points.sql",
    "events/after_of_",
    "events/top_of_node.sql",
    "events/top_of_asset.sql",
    "people/",
    "feeds/clear.sql",
    "feeds/put.sql",
    "feeds/import.sql",
];

/// Runs an api over a database that receives every statement without its filter, as a user without exemption. `has_own`: whether the
/// database filters by itself.
async fn without_filter(has_own: bool) -> (Found, BTreeSet<String>, BTreeSet<String>) {
    let database = testkit::database().await;
    let client = database.client().await;
    let role = testkit::unique("unfiltered");
    let grants = format!(
        "CREATE ROLE {role} LOGIN; GRANT switchyard_tenant TO {role};
         GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
    );
    client.batch_execute(&grants).await.expect("a user");
    if !has_own {
        let off = "DO $$ DECLARE found record; BEGIN
            FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND rowsecurity LOOP
                EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', found.tablename);
            END LOOP;
        END $$";
        client.batch_execute(off).await.expect("open");
    }
    let filtered = Filtered::of_store();
    let mut url = url::Url::parse(database.url()).expect("an address");
    let server = format!("{}:{}", url.host_str().expect("a host"), url.port().unwrap_or(5432));
    let port = filtered.proxy(server).await;
    url.set_host(Some("127.0.0.1")).and_then(|()| url.set_port(Some(port)).map_err(|()| url::ParseError::InvalidPort)).expect("a port");
    url.set_username(&role).expect("a user");
    let broker = testkit::broker().await;
    let server = Server::start_whole(database, url.as_str(), &broker.url(), false, identity::SecondFactor::Offered).await;
    // Without any protection, foreign bytes are returned to the most powerful role.
    let mut found = explore(&server, if has_own { &PEOPLE } else { &PEOPLE[..2] }).await;
    // Either one holds the database, which must exist until the end.
    let (_rig, _server) = if has_own {
        let before = digest(&server, &server.two).await;
        let rig = Rig::over(server, broker, json!({})).await;
        operate(&rig, &mut found).await;
        found.changed |= digest(&rig.server, &rig.server.two).await != before;
        (Some(rig), None)
    } else {
        (None, Some(server))
    };
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.expect("gone");
    let is_of_api = |name: &String| !NOT_OF_THE_API.iter().any(|other| name.starts_with(other));
    (found, filtered.prepared(), filtered.names().into_iter().filter(is_of_api).collect())
}

#[tokio::test]
async fn with_our_own_filter_off_the_database_keeps_them_apart() {
    let (found, prepared, expected) = without_filter(true).await;
    found.is_tight();
    let missed: Vec<_> = expected.difference(&prepared).collect();
    assert!(missed.is_empty() && prepared.len() > 20, "never prepared without their filter: {missed:?}");
    println!("{} questions over {} statements without their filter", found.requests, prepared.len());
}

#[tokio::test]
async fn with_neither_filter_nor_row_level_security_foreign_bytes_come_out() {
    let (found, ..) = without_filter(false).await;
    assert!(found.changed, "what is changed or deleted by its number or name is changed or deleted for all: this test could not fail");
    // Nodes and assets stay separate even then, because the registry (crates/registry) is read for the caller's utility only.
    for path in ["/api/admin/members", "/api/admin/brands", "/api/audit"] {
        assert!(found.leaks.iter().any(|leak| leak.to_lowercase().contains(path)), "{path} keeps them apart by what?");
    }
}
