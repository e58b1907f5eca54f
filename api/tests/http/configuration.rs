//! What administrators configure for their utility: pages by role, brands, settings. Everything is entered in the audit, and no other
//! utility is affected.

use serde_json::{Value, json};
use store::Store;
use store::brand::BrandRecord;
use wire::bus::BusMessage;

use crate::hierarchy::person;
use crate::server::{Answer, Server};

const CONFIGURATION: &str = "/api/admin/configuration";

fn message(answer: &Answer) -> String {
    answer.json()["message"].as_str().expect("a message").to_owned()
}

async fn result(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

/// Returns the newest row of the audit of utility one.
async fn newest(server: &Server, token: &str) -> Value {
    result(server, token, "/api/audit?limit=1").await[0].clone()
}

fn with(mut body: Value, overrides: &Value) -> Value {
    for (key, value) in overrides.as_object().expect("an object") {
        body[key] = value.clone();
    }
    body
}

fn grant(page: i32, is_readonly: bool) -> Value {
    json!({ "pageId": page, "isReadonly": is_readonly, "showInTab": true })
}

fn brand() -> Value {
    json!({
        "logo": "/logo.svg", "faviIcon": "/icon.svg", "faviIconText": "One", "footerText": "<p onclick=\"x()\">Hi</p><script>alert(1)</script>",
        "mapUrl": "https://tiles.example/{z}/{x}/{y}.png", "title": "Utility one", "loginVariant": "grey", "servers": [{"key": "main", "name": "Main"}]
    })
}

#[tokio::test]
async fn the_pages_of_a_role_are_replaced_and_given_back_with_both_in_the_audit() {
    let server = Server::start().await;
    let (admin, other) = (server.sign_in("one-admin").await, server.sign_in("two-admin").await);
    let defaults = result(&server, &admin, "/api/Admin/PageAccess/4").await;
    assert_eq!((&defaults["roleId"], &defaults["isDefault"]), (&json!(4), &json!(true)));
    let of = |access: &Value, page: i32| {
        access["pages"].as_array().expect("pages").iter().find(|row| row["pageId"] == page).expect("the page").clone()
    };
    assert_eq!((&of(&defaults, 111)["granted"], &of(&defaults, 931)["granted"]), (&json!(true), &json!(false)));
    let body = json!([grant(111, true), { "pageId": 112, "isReadonly": false, "showInTab": false }]);
    let put = server.json_as(&admin, "PUT", "/api/admin/pageaccess/4", &body).await;
    assert_eq!(put.status, 200, "{put:?}");
    let now = put.json()["result"].clone();
    assert_eq!(now, result(&server, &admin, "/api/admin/pageaccess/4").await);
    assert_eq!(
        (&now["isDefault"], &of(&now, 111)["isReadonly"], &of(&now, 112)["showInTab"]),
        (&json!(false), &json!(true), &json!(false))
    );
    assert_eq!(now["pages"].as_array().expect("pages").iter().filter(|row| row["granted"] == true).count(), 2);
    let seen = result(&server, &admin, "/api/role/rolepages/4").await;
    assert_eq!(seen.as_array().map(Vec::len), Some(2), "which is what the role gets to see: {seen}");
    assert_eq!(result(&server, &other, "/api/admin/pageaccess/4").await, defaults, "another utility keeps what it had");
    let row = newest(&server, &admin).await;
    assert_eq!((&row["action"], &row["subject"], &row["actor"]), (&json!("page_access_changed"), &json!("role 4"), &json!("one-admin")));
    assert_eq!((&row["before"]["isDefault"], &row["after"]["isDefault"]), (&json!(true), &json!(false)));
    assert_eq!(row["after"]["pages"][0], json!({ "tabKey": "dashboard.sld", "isReadonly": true, "showInTab": true }));
    let back = server.json_as(&admin, "DELETE", "/api/admin/pageaccess/4", &Value::Null).await;
    assert_eq!((back.status, &back.json()["result"]), (200, &defaults));
    let row = newest(&server, &admin).await;
    assert_eq!((&row["before"]["pages"][1]["tabKey"], &row["after"]["isDefault"]), (&json!("dashboard.faults"), &json!(true)));
}

#[tokio::test]
async fn nobody_shuts_themselves_out_and_a_list_that_cannot_be_taken_changes_nothing() {
    let server = Server::start().await;
    server.enter("super", 1, None).await;
    let (admin, superior, division) =
        (server.sign_in("one-admin").await, server.sign_in("super").await, server.sign_in("one-division").await);
    let before = server.audited(server.one.client).await.len();
    let hidden = json!({ "pageId": 931, "isReadonly": false, "showInTab": false });
    for (role, body, word) in [
        (2, json!([grant(111, false)]), "your own role must keep the administration"),
        (2, json!([grant(111, false), grant(931, true)]), "your own role must keep the administration"),
        (2, json!([hidden]), "your own role must keep the administration"),
        (4, json!([]), "DELETE gives the role the defaults again"),
        (4, json!([grant(111, false), grant(7, false)]), "[1].pageId: there is no page 7"),
        (4, json!([grant(111, false), grant(111, true)]), "[1].pageId: page 111 is named twice"),
        (4, json!([grant(931, false)]), "roles 1 and 2 alone"),
        (4, json!([{ "pageId": 111, "isReadonly": false }]), "showInTab"),
        (4, json!([{ "pageId": "111", "isReadonly": false, "showInTab": true }]), "pageId"),
        (4, json!([{ "pageId": 111, "isReadonly": false, "showInTab": true, "clientId": 2 }]), "clientId"),
        (4, json!({}), "sequence"),
    ] {
        let answer = server.json_as(&admin, "PUT", &format!("/api/admin/pageaccess/{role}"), &body).await;
        assert!(answer.status == 400 && message(&answer).contains(word), "{role} {body}: {answer:?}");
    }
    for (token, method, role, expected) in [
        (&admin, "PUT", "1", 403),
        (&admin, "DELETE", "1", 403),
        (&division, "PUT", "4", 403),
        (&division, "DELETE", "8", 403),
        (&division, "GET", "4", 403),
        (&admin, "PUT", "9", 404),
        (&admin, "GET", "0", 404),
        (&admin, "DELETE", "-1", 404),
        (&admin, "GET", "x", 404),
        (&admin, "GET", "99999999999", 404),
    ] {
        let answer = server.json_as(token, method, &format!("/api/admin/pageaccess/{role}"), &json!([grant(111, false)])).await;
        assert_eq!(answer.status, expected, "{method} {role}: {answer:?}");
    }
    let entered = server.audited(server.one.client).await.split_off(before);
    assert!(entered.iter().all(|(action, _)| action == "access_refused"), "{entered:?}");
    for role in [1, 2, 4, 8] {
        let access = result(&server, &admin, &format!("/api/admin/pageaccess/{role}")).await;
        assert_eq!(access["isDefault"], true, "role {role}");
    }
    // A super user makes the page read-only for role 2, whose requests are then refused, and restores it.
    assert_eq!(server.json_as(&superior, "PUT", "/api/admin/pageaccess/2", &json!([grant(931, true)])).await.status, 200);
    for (method, path) in [
        ("PUT", "/api/admin/pageaccess/4"),
        ("DELETE", "/api/admin/pageaccess/4"),
        ("PUT", CONFIGURATION),
        ("PUT", "/api/admin/brands/a.example"),
        ("DELETE", "/api/admin/brands/a.example"),
    ] {
        let refused = server.json_as(&admin, method, path, &json!([])).await;
        assert_eq!((refused.status, message(&refused).as_str()), (403, "your role may only look at this page"), "{method} {path}");
    }
    assert_eq!(server.json_as(&superior, "DELETE", "/api/admin/pageaccess/2", &Value::Null).await.status, 200);
    assert_eq!(server.json_as(&admin, "PUT", "/api/admin/pageaccess/2", &json!([grant(931, false)])).await.status, 200);
}

#[tokio::test]
async fn a_super_user_gives_a_utility_a_host_and_its_administrator_changes_the_brand() {
    let server = Server::start().await;
    server.enter("super", 1, None).await;
    let (admin, superior, other) = (server.sign_in("one-admin").await, server.sign_in("super").await, server.sign_in("two-admin").await);
    let path = "/api/admin/brands/Portal.Example:8080";
    let early = server.json_as(&admin, "PUT", path, &brand()).await;
    assert_eq!(early.status, 404, "a host that is not the utility's yet: {early:?}");
    let given = server.json_as(&superior, "PUT", path, &brand()).await;
    assert_eq!(given.status, 200, "{given:?}");
    let mut expected = with(brand(), &json!({ "footerText": "<p>Hi</p>" }));
    let shown = server.get("/api/app/sitebrand/portal.example").await.json()["result"].clone();
    assert_eq!(shown, expected, "everybody gets it, cleaned");
    expected["host"] = "portal.example".into();
    assert_eq!(given.json()["result"], expected);
    assert_eq!(result(&server, &admin, "/api/admin/brands").await, json!([expected]));
    let changed = with(brand(), &json!({ "title": "Another", "mapUrl": "/tiles/{z}/{x}/{y}.png", "loginVariant": "plain" }));
    assert_eq!(server.json_as(&admin, "PUT", path, &changed).await.status, 200);
    let row = newest(&server, &admin).await;
    assert_eq!((&row["action"], &row["subject"]), (&json!("brand_changed"), &json!("host portal.example")));
    assert_eq!((&row["before"]["title"], &row["after"]["title"]), (&json!("Utility one"), &json!("Another")));
    assert_eq!(row["after"]["footerText"], "<p>Hi</p>");
    // Another utility's administrator finds no such host, to whatever end.
    assert_eq!(result(&server, &other, "/api/admin/brands").await, json!([]));
    for method in ["PUT", "DELETE"] {
        let (foreign, missing) = (
            server.json_as(&other, method, path, &brand()).await,
            server.json_as(&other, method, "/api/admin/brands/nobody.example", &brand()).await,
        );
        assert_eq!((foreign.status, missing.status, message(&foreign)), (404, 404, message(&missing)), "{method}");
    }
    assert_eq!(server.json_as(&admin, "DELETE", path, &Value::Null).await.status, 200);
    let row = newest(&server, &admin).await;
    assert_eq!((&row["action"], &row["before"]["title"], &row["after"]), (&json!("brand_deleted"), &json!("Another"), &Value::Null));
    assert_eq!(server.json_as(&admin, "DELETE", path, &Value::Null).await.status, 404);
    assert_eq!(server.get("/api/app/sitebrand/portal.example").await.json()["result"]["title"], "Switchyard");
    // A host of all sites can be given too, one of another utility cannot.
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    for (host, client, status) in [("all.example", None, 200), ("two.example", Some(server.two.client), 400)] {
        let record = BrandRecord {
            host: host.to_owned(),
            client,
            logo: String::new(),
            favi_icon: "/favicon.svg".to_owned(),
            favi_icon_text: "Kept".to_owned(),
            footer_text: String::new(),
            map_url: String::new(),
            title: "Kept".to_owned(),
            grey_login: false,
            servers: Vec::new(),
        };
        store.put_brand(&record).await.expect("put");
        let path = format!("/api/admin/brands/{host}");
        assert_eq!(server.json_as(&admin, "PUT", &path, &brand()).await.status, 404, "{host}");
        let answer = server.json_as(&superior, "PUT", &path, &brand()).await;
        assert_eq!(answer.status, status, "{host}: {answer:?}");
    }
    assert_eq!(server.get("/api/app/sitebrand/two.example").await.json()["result"]["title"], "Kept");
}

#[tokio::test]
async fn a_brand_that_leads_elsewhere_or_cannot_be_read_is_refused_and_changes_nothing() {
    let server = Server::start().await;
    server.enter("super", 1, None).await;
    let superior = server.sign_in("super").await;
    let path = "/api/admin/brands/portal.example";
    assert_eq!(server.json_as(&superior, "PUT", path, &brand()).await.status, 200);
    let before = (result(&server, &superior, "/api/admin/brands").await, server.audited(server.one.client).await.len());
    for (overrides, word) in [
        (json!({ "logo": "https://tiles.example/logo.svg" }), "logo must be a path on this site"),
        (json!({ "logo": "//elsewhere.example/x" }), "logo must be a path on this site"),
        (json!({ "faviIcon": "data:image/svg+xml,x" }), "faviIcon must be a path on this site"),
        (json!({ "mapUrl": "https://elsewhere.example/" }), "http.map_hosts (tiles.example)"),
        (json!({ "mapUrl": "http://tiles.example/" }), "mapUrl must be"),
        (json!({ "mapUrl": "https://tiles.example@elsewhere.example/" }), "mapUrl must be"),
        (json!({ "mapUrl": "/tiles/{z}/{x}.png" }), "mapUrl must contain {z}, {x} and {y}"),
        (json!({ "title": "x".repeat(201) }), "title must be one line of up to 200"),
        (json!({ "title": "a\u{0}b" }), "title must be one line"),
        (json!({ "footerText": "x".repeat(4_001) }), "footerText may have 4000"),
        (json!({ "footerText": "a\u{0}b" }), "footerText"),
        (json!({ "loginVariant": "purple" }), "loginVariant"),
        (json!({ "servers": [1, 2] }), "servers"),
        (json!({ "servers": vec![json!({ "key": "a", "name": "A" }); 4] }), "servers may be up to 3"),
        (json!({ "servers": [{ "key": "", "name": "A" }] }), "servers may be up to 3, each with key and name"),
        (json!({ "servers": [{ "key": "a;b", "name": "A" }] }), "servers[0].key must have 1 to 60 letters"),
        (json!({ "servers": [{ "key": "a", "name": "A", "url": "x" }] }), "url"),
        (json!({ "clientId": 2 }), "clientId"),
        (json!({ "host": "x" }), "host"),
    ] {
        let answer = server.json_as(&superior, "PUT", path, &with(brand(), &overrides)).await;
        assert!(answer.status == 400 && message(&answer).contains(word), "{overrides}: {answer:?}");
    }
    for host in ["a%20b", "x%27--", "%00", &"x".repeat(254)] {
        let answer = server.json_as(&superior, "PUT", &format!("/api/admin/brands/{host}"), &brand()).await;
        assert!(answer.status == 400 && message(&answer).contains("host must be a host name"), "{host}: {answer:?}");
    }
    assert_eq!((result(&server, &superior, "/api/admin/brands").await, server.audited(server.one.client).await.len()), before);
    let division = server.sign_in("one-division").await;
    for (method, path) in [("GET", "/api/admin/brands"), ("PUT", path), ("DELETE", path)] {
        assert_eq!(server.json_as(&division, method, path, &brand()).await.status, 403, "{method}");
    }
}

#[tokio::test]
async fn the_configuration_is_changed_for_everybody_at_once_and_what_is_inside_stays_inside() {
    let server = Server::start().await;
    let (admin, division) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    let inside = "UPDATE client SET config = config || '{\"smtpPassword\": \"kept inside\", \"showPQData\": false}' WHERE code = 'one'";
    server.database.client().await.batch_execute(inside).await.expect("set");
    let shown_path = format!("/api/client/clientconfiguration/{}", server.one.client);
    assert_eq!(result(&server, &division, &shown_path).await["timeZone"], "Asia/Kolkata");
    let usual = result(&server, &admin, CONFIGURATION).await;
    assert_eq!((&usual["timeZone"], &usual["flags"]), (&json!("Asia/Kolkata"), &json!({ "showPQData": false })));
    let overrides = json!({
        "name": "First utility", "timeZone": "europe/oslo", "dashboardVariant": "alternative", "symbolSet": "variant",
        "apparentPowerLabels": "lineToLine", "hiddenCharts": ["frequency"], "legend": [{ "label": "33/11", "color": "#da532c" }],
        "flags": { "showTitle": false, "showRTUHealthTab": false }, "refresh": { "sldSeconds": 5, "analogLogSeconds": 20 },
        "demand": { "integrationMinutes": 30 }, "logo": "/brand/logo.svg"
    });
    let mut body = with(usual.clone(), &overrides);
    body["labels"]["circle"] = "Region <b>".into();
    let mut messages = server.bus_messages();
    let put = server.json_as(&admin, "PUT", CONFIGURATION, &body).await;
    assert_eq!(put.status, 200, "{put:?}");
    body["timeZone"] = "Europe/Oslo".into();
    assert_eq!(put.json()["result"], body, "the zone is spelled as IANA does");
    assert_eq!(result(&server, &admin, CONFIGURATION).await, body);
    let reported = messages.next().await;
    assert!(matches!(*reported, BusMessage::Registry { client } if client == server.one.client.0), "{reported:?}");
    let shown = result(&server, &division, &shown_path).await;
    for key in ["name", "timeZone", "labels", "dashboardVariant", "symbolSet", "apparentPowerLabels", "hiddenCharts", "legend", "refresh"] {
        assert_eq!(shown[key], body[key], "{key}");
    }
    let login = server.token(&format!("username=one-division&password={}", crate::field::PASSWORD.replace(' ', "+"))).await.json();
    assert_eq!((&login["showTitle"], &login["showRTUHealthTab"], &login["showPQData"]), (&json!(false), &json!(false), &json!(true)));
    assert_eq!((&login["appBrand"], &login["timeZone"]), (&json!("Brand of one"), &json!("Europe/Oslo")), "other keys stay");
    assert_eq!(login["clientLogPath"], "/brand/logo.svg");
    let rows = result(&server, &admin, "/api/audit?limit=1000").await;
    let row = rows.as_array().expect("rows").iter().find(|row| row["action"] == "configuration_changed").expect("a row");
    assert_eq!(row["subject"], format!("client {}", server.one.client));
    assert_eq!((&row["before"]["timeZone"], &row["after"]["timeZone"]), (&json!("Asia/Kolkata"), &json!("Europe/Oslo")));
    assert_eq!((&row["before"]["showPQData"], row["after"].get("showPQData")), (&json!(false), None));
    assert!(!rows.to_string().contains("kept inside"), "{rows}");
    let other = server.sign_in("two-admin").await;
    assert_eq!(result(&server, &other, CONFIGURATION).await["name"], "Utility two");
}

#[tokio::test]
async fn a_configuration_that_cannot_be_taken_is_refused_with_what_is_allowed() {
    let server = Server::start().await;
    let (admin, division) = (server.sign_in("one-admin").await, server.sign_in("one-division").await);
    let usual = result(&server, &admin, CONFIGURATION).await;
    let before = server.audited(server.one.client).await.len();
    let labels = |label: Value| with(usual["labels"].clone(), &json!({ "town": label }));
    let line = json!({ "label": "33/11", "color": "#da532c" });
    for (overrides, word) in [
        (json!({ "name": " " }), "name must have 1 to 100"),
        (json!({ "name": "x".repeat(101) }), "name must have 1 to 100"),
        (json!({ "timeZone": "Mars/Olympus" }), "timeZone must be an IANA time zone such as"),
        (json!({ "timeZone": "" }), "timeZone must be"),
        (json!({ "timeZone": "+05:30" }), "timeZone must be"),
        (json!({ "timeZone": "../../etc/passwd" }), "timeZone must be"),
        (json!({ "labels": labels(json!("")) }), "labels.town must have 1 to 60"),
        (json!({ "labels": labels(json!("a\u{0}b")) }), "labels.town"),
        (json!({ "labels": labels(json!(7)) }), "labels.town"),
        (json!({ "labels": with(usual["labels"].clone(), &json!({ "country": "x" })) }), "country"),
        (json!({ "dashboardVariant": "third" }), "dashboardVariant"),
        (json!({ "symbolSet": 7 }), "symbolSet"),
        (json!({ "hiddenCharts": ["frequency", "frequency"] }), "hiddenCharts[1] is named twice"),
        (json!({ "hiddenCharts": ["unheard of"] }), "hiddenCharts[0]"),
        (json!({ "legend": vec![line.clone(); 21] }), "legend may have 20 lines"),
        (json!({ "legend": [line, { "label": "x", "color": "red; x" }] }), "legend[1] must have a label"),
        (json!({ "flags": { "showEverything": true } }), "showEverything"),
        (json!({ "flags": { "showTitle": "yes" } }), "flags.showTitle"),
        (json!({ "refresh": { "sldSeconds": 0, "analogLogSeconds": 40 } }), "refresh.sldSeconds must lie between 1 and 3600"),
        (json!({ "demand": { "integrationMinutes": 20 } }), "demand.integrationMinutes must be 15 or 30"),
        (json!({ "demand": { "integrationMinutes": "15" } }), "demand.integrationMinutes"),
        (json!({ "logo": "https://elsewhere.example/logo.svg" }), "logo must be a path on this site"),
        (json!({ "smtpPassword": "x" }), "smtpPassword"),
        (json!({ "clientId": server.two.client.0 }), "clientId"),
    ] {
        let answer = server.json_as(&admin, "PUT", CONFIGURATION, &with(usual.clone(), &overrides)).await;
        assert!(answer.status == 400 && message(&answer).contains(word), "{overrides}: {answer:?}");
    }
    assert_eq!(server.json_as(&division, "PUT", CONFIGURATION, &usual).await.status, 403);
    assert_eq!(server.get_as(&division, CONFIGURATION).await.status, 403);
    assert_eq!(result(&server, &admin, CONFIGURATION).await, usual);
    assert_eq!(server.audited(server.one.client).await.split_off(before).len(), 2, "the two refusals and nothing else");
}

#[tokio::test]
async fn a_role_that_is_confined_and_has_no_place_sees_nothing() {
    let server = Server::start().await;
    let utility = &server.one;
    let data = [
        format!("/api/sld/slddivaluesbyastpt/{}", utility.location),
        format!("/api/sld/substationsldfile/{}", utility.location),
        format!("/api/hierarchy/children/circle/{}", utility.circle),
    ];
    for (role, node, sees) in [
        (1, None, true),
        (2, None, true),
        (3, Some(utility.circle), true),
        (8, Some(utility.location), true),
        (3, None, false),
        (4, None, false),
        (5, None, false),
        (6, None, false),
        (7, None, false),
        (8, None, false),
    ] {
        let person = person(&server, utility, role, node).await;
        let circles = result(&server, &person.token, &format!("/api/circle/circlesbyclient/{}", utility.client)).await;
        assert_eq!(circles.as_array().map(Vec::len), Some(usize::from(sees)), "role {role} {node:?}");
        let gateways = result(&server, &person.token, "/api/iecgw/gethoststate").await;
        assert_eq!(gateways["gateways"].as_array().map(Vec::len), Some(usize::from(sees)), "role {role} {node:?}");
        for path in &data {
            let answer = server.get_as(&person.token, path).await;
            assert_eq!(answer.status, if sees { 200 } else { 404 }, "role {role} {node:?} {path}: {answer:?}");
        }
        if !sees {
            assert_eq!(server.get_as(&person.token, "/api/admin/members").await.status, 403);
        }
    }
    let nobody = person(&server, utility, 9, None).await;
    for path in &data {
        assert_eq!(server.get_as(&nobody.token, path).await.status, 403, "an unknown role: {path}");
    }
}
