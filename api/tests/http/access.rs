//! Pages by role, levels, the list of utilities, configuration and brand.

use grid::Level;
use serde_json::{Value, json};
use store::Store;
use store::access::PageGrant;
use store::brand::BrandRecord;

use crate::hierarchy::person;
use crate::server::Server;

async fn store(server: &Server) -> Store {
    Store::connect(server.database.url(), 1).await.expect("connected")
}

async fn result(server: &Server, token: &str, path: &str) -> Value {
    let answer = server.get_as(token, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()["result"].clone()
}

/// Returns the access of a role to a page: `None` for none, else whether it is read-only.
fn access(pages: &Value, key: &str) -> Option<bool> {
    let pages = pages.as_array().expect("rows");
    pages.iter().find(|page| page["tabKey"] == key).map(|page| page["isReadonly"].as_bool().expect("a flag"))
}

#[tokio::test]
async fn a_role_has_the_documented_pages_with_all_their_fields() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let pages = result(&server, &token, "/api/Role/RolePages/2").await;
    let sld = pages.as_array().expect("rows").iter().find(|page| page["pageId"] == 111).expect("the diagram").clone();
    assert!(sld["id"].is_i64());
    let expected = json!({
        "id": sld["id"], "pageId": 111, "appId": 1, "appName": "DASHBOARD", "tabName": "SLD", "viewName": "SingleLineDiagram", "tabKey": "dashboard.sld",
        "tabSequenceNumber": 110, "path": "/dashboard", "isReadonly": false, "showInTab": true
    });
    assert_eq!(sld, expected);
    let tabs = |app: &str| -> Vec<String> {
        let of_app = pages.as_array().expect("rows").iter().filter(|page| page["appName"] == app);
        of_app.map(|page| page["tabName"].as_str().expect("a name").to_owned()).collect()
    };
    // The tab sets of the specification, in the order of their sequence numbers.
    assert_eq!(tabs("DASHBOARD")[..4], ["Map", "Network", "RTU Health", "Communication Outages"]);
    assert_eq!(
        tabs("DASHBOARD")[4..],
        ["SLD", "Faults", "Analog Log", "Analog Realtime Data", "Power Quality", "Asset", "Event Log", "Substation Health"]
    );
    assert_eq!(tabs("FAULT_DASHBOARD"), ["Map of Alerts", "Details", "Table of Faults"]);
    assert_eq!(tabs("ENERGY_EFFICIENCY"), ["Energy", "Reliability", "Demand", "Forecast", "Quality Check", "SLD"]);
    assert_eq!(tabs("FAULT"), ["Fault Trends", "Feeder Curves"]);
    assert_eq!(tabs("LOW CARBON"), ["Site Analytics", "Energy Consumption", "Power Flow"]);
    assert_eq!(tabs("ASSET"), ["Live Readings", "Permissible Loading", "Battery"]);
    let division = result(&server, &token, "/api/role/rolepages/4").await;
    let substation = result(&server, &token, "/api/role/rolepages/8").await;
    for (key, admin, at_division, at_substation) in [
        ("admin.members", Some(false), None, None),
        ("dashboard.sld", Some(false), Some(false), Some(false)),
        ("dashboard.event-log", Some(false), Some(true), Some(true)),
        ("lc.power-flow", Some(false), Some(false), None),
        ("powerbi.report", Some(false), Some(true), None),
    ] {
        assert_eq!((access(&pages, key), access(&division, key), access(&substation, key)), (admin, at_division, at_substation), "{key}");
    }
}

#[tokio::test]
async fn own_page_access_replaces_defaults() {
    let server = Server::start().await;
    let (one, two) = (server.sign_in("one-admin").await, server.sign_in("two-admin").await);
    let grant = PageGrant { tab_key: "dashboard.sld".into(), is_readonly: true, show_in_tab: false };
    let store = store(&server).await;
    store.put_page_access(server.one.client, 4, std::slice::from_ref(&grant)).await.expect("put");
    let own = result(&server, &one, "/api/role/rolepages/4").await;
    assert_eq!(own.as_array().map(Vec::len), Some(1));
    assert_eq!((&own[0]["tabKey"], &own[0]["isReadonly"], &own[0]["showInTab"]), (&json!("dashboard.sld"), &json!(true), &json!(false)));
    for (token, role) in [(&one, 5), (&two, 4)] {
        let defaults = result(&server, token, &format!("/api/role/rolepages/{role}")).await;
        assert!(defaults.as_array().expect("rows").len() > 20, "another role and another utility keep the defaults");
    }
    let legacy = "INSERT INTO page (id, app_id, app_name, tab_name, view_name, tab_key, sequence, path, retired)
                  VALUES (990, 99, 'LEGACY', 'Legacy', 'Legacy', 'legacy', 1, '/legacy', true);
                  INSERT INTO page_access (role_id, page_id, is_readonly) VALUES (2, 990, false)";
    server.database.client().await.batch_execute(legacy).await.expect("entered");
    assert_eq!(access(&result(&server, &one, "/api/role/rolepages/2").await, "legacy"), None);
}

#[tokio::test]
async fn a_role_may_ask_about_itself_and_below_and_unknown_roles_do_not_exist() {
    let server = Server::start().await;
    let division = server.sign_in("one-division").await;
    let admin = server.sign_in("one-admin").await;
    for call in ["rolepages", "rolesbyroleidinclself"] {
        for (token, role, expected) in [
            (&admin, "1", 200),
            (&admin, "8", 200),
            (&division, "3", 403),
            (&division, "1", 403),
            (&division, "4", 200),
            (&division, "8", 200),
            (&division, "9", 404),
            (&admin, "0", 404),
            (&admin, "-1", 404),
            (&admin, "x%27", 404),
            (&admin, "99999999999", 404),
        ] {
            let answer = server.get_as(token, &format!("/api/role/{call}/{role}")).await;
            assert_eq!(answer.status, expected, "{call} {role}: {answer:?}");
        }
    }
    let levels = result(&server, &division, "/api/role/rolesbyroleidinclself/4").await;
    let named: Vec<(i64, &str)> = levels
        .as_array()
        .expect("rows")
        .iter()
        .map(|level| (level["roleId"].as_i64().unwrap_or(0), level["levelName"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(named, [(4, "DivisionAdmin"), (5, "TownAdmin"), (6, "SubdivisionAdmin"), (7, "SectionAdmin"), (8, "SubstationAdmin")]);
    let tabs: Vec<&str> = levels[4]["tabsList"].as_str().expect("text").split(',').collect();
    assert!(
        tabs.contains(&"SLD") && tabs.contains(&"Live Readings") && !tabs.contains(&"Power Flow") && !tabs.contains(&"Administration"),
        "{tabs:?}"
    );
    assert_eq!(tabs.iter().filter(|tab| **tab == "SLD").count(), 1, "{tabs:?}");
    let all = result(&server, &admin, "/api/role/rolesbyroleidinclself/1").await;
    assert_eq!(
        (all.as_array().map(Vec::len), &all[0]["levelName"], &all[1]["levelName"]),
        (Some(8), &json!("SuperUser"), &json!("ClientAdmin"))
    );
}

#[tokio::test]
async fn only_a_super_user_has_utilities_to_choose_from() {
    let server = Server::start().await;
    let superuser = person(&server, &server.one, 1, None).await;
    let all = result(&server, &superuser.token, "/api/appsconfig/client").await;
    let expected = json!([
        {"clientId": server.one.client.0, "name": "Utility one", "logoPath": ""}, {"clientId": server.two.client.0, "name": "Utility two", "logoPath": ""}
    ]);
    assert_eq!(all, expected);
    // Being in the list gives no access: the data of another utility require switching to it.
    let other = server.get_as(&superuser.token, &format!("/api/circle/circlesbyclient/{}", server.two.client)).await;
    assert_eq!(other.status, 404);
    for username in ["one-admin", "one-division"] {
        let token = server.sign_in(username).await;
        assert_eq!(result(&server, &token, "/api/appsconfig/client").await, json!([expected[0]]), "{username}");
    }
}

#[tokio::test]
async fn the_configuration_is_typed_and_keeps_what_is_not_for_clients() {
    let server = Server::start().await;
    let token = server.sign_in("one-division").await;
    let path = format!("/api/client/clientconfiguration/{}", server.one.client);
    let usual = result(&server, &token, &path).await;
    let expected = json!({
        "clientId": server.one.client.0, "name": "Utility one", "timeZone": "Asia/Kolkata",
        "labels": {"circle": "Circle", "division": "Division", "town": "Town", "subdivision": "Sub Division", "section": "Section",
                   "substation": "Substation", "asset": "Asset"},
        "dashboardVariant": "standard", "assetVariant": "standard", "symbolSet": "ieee", "apparentPowerLabels": "phase", "hiddenCharts": [], "legend": [], "reportsEmbedUrl": null,
        "refresh": {"sldSeconds": 10, "analogLogSeconds": 40}
    });
    assert_eq!(usual, expected);
    let config = json!({"lineToLineLabels": true, "hiddenCharts": ["apparentPower"], "symbols": "variant", "apiKey": "kept inside"});
    let seed = store::seed::ClientSeed { code: "two".into(), name: "Utility two".into(), time_zone: "UTC".into(), config };
    store(&server).await.put_client(&seed).await.expect("put");
    let other = server.sign_in("two-admin").await;
    let changed = server.get_as(&other, &format!("/api/client/clientconfiguration/{}", server.two.client)).await;
    assert!(!changed.body.contains("kept inside"), "{changed:?}");
    let changed = changed.json()["result"].clone();
    assert_eq!((&changed["apparentPowerLabels"], &changed["symbolSet"]), (&json!("lineToLine"), &json!("variant")));
    assert_eq!(changed["hiddenCharts"], json!(["apparentPower"]));
}

#[tokio::test]
async fn from_a_page_only_to_look_at_nothing_is_changed() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let body = json!({
        "username": "newcomer", "firstName": "N", "lastName": "C", "email": "n@example.org", "roleId": 2, "nodeId": null, "canOperate": false, "flags": {}
    })
    .to_string();
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let store = store(&server).await;
    let of_page = |is_readonly| PageGrant { tab_key: "admin.members".into(), is_readonly, show_in_tab: true };
    let elsewhere = PageGrant { tab_key: "dashboard.sld".into(), is_readonly: false, show_in_tab: true };
    for grants in [vec![of_page(true), elsewhere.clone()], vec![elsewhere]] {
        store.put_page_access(server.one.client, 2, &grants).await.expect("put");
        for (method, path) in [
            ("POST", "/api/admin/members".to_owned()),
            ("PUT", format!("/api/admin/members/{}", server.one.admin)),
            ("POST", format!("/api/admin/members/{}/invite", server.one.admin)),
        ] {
            let refused = server.send(method, &path, &headers, &body).await;
            assert_eq!(
                (refused.status, &refused.json()["message"]),
                (403, &json!("your role may only look at this page")),
                "{method} {path}"
            );
        }
        let seen = server.get_as(&token, "/api/admin/members").await;
        assert!(seen.status == 200 && !seen.body.contains("newcomer"), "looking is allowed, and nothing was added: {seen:?}");
    }
    store.put_page_access(server.one.client, 2, &[of_page(false)]).await.expect("put");
    assert_eq!(server.send("POST", "/api/admin/members", &headers, &body).await.status, 200);
}

#[tokio::test]
async fn a_host_has_its_brand_and_any_other_host_the_products_own() {
    let server = Server::start().await;
    let own = json!({
        "logo": "", "faviIcon": "/favicon.svg", "faviIconText": "Switchyard", "footerText": "", "mapUrl": "", "title": "Switchyard",
        "loginVariant": "plain", "servers": []
    });
    for host in ["portal.example", "nobody", "x%27--", "%00", "a%20b", &"x".repeat(300)] {
        let answer = server.get(&format!("/api/app/SiteBrand/{host}")).await;
        assert_eq!((answer.status, &answer.json()["result"]), (200, &own), "{host}");
    }
    let brand = BrandRecord {
        host: "Portal.Example".into(),
        client: Some(server.one.client),
        logo: "/logo.svg".into(),
        favi_icon: "/icon.svg".into(),
        favi_icon_text: "One <b>".into(),
        footer_text: "<p onclick=\"x()\">Call <a href=\"mailto:a@example.org\" class=\"c\">us</a></p><script>alert(1)</script>".into(),
        map_url: String::new(),
        title: "Utility one".into(),
        grey_login: true,
        servers: vec![("main".into(), "Main".into())],
    };
    store(&server).await.put_brand(&brand).await.expect("put");
    let expected = json!({
        "logo": "/logo.svg", "faviIcon": "/icon.svg", "faviIconText": "One <b>", "mapUrl": "", "title": "Utility one", "loginVariant": "grey",
        "footerText": "<p>Call <a href=\"mailto:a@example.org\" rel=\"noopener\">us</a></p>", "servers": [{"key": "main", "name": "Main"}]
    });
    for host in ["portal.example", "PORTAL.example", "portal.example:8080"] {
        assert_eq!(server.get(&format!("/api/app/SiteBrand/{host}")).await.json()["result"], expected, "{host}");
    }
    // Hostile text that got into the table in another way is cleaned when it is returned.
    let hostile = "UPDATE brand SET footer_text = '<img src=x onerror=alert(1)><a href=\"javascript:x\">y</a>'";
    server.database.client().await.batch_execute(hostile).await.expect("changed");
    let read = server.get("/api/app/SiteBrand/portal.example").await.json();
    assert_eq!(read["result"]["footerText"], "<a rel=\"noopener\">y</a>");
}

#[tokio::test]
async fn a_person_of_an_unknown_role_gets_no_pages() {
    let server = Server::start().await;
    let circle = server.one.circle;
    let confined = person(&server, &server.one, 3, Some(circle)).await;
    assert_eq!(
        result(&server, &confined.token, &format!("/api/hierarchy/children/{}/{circle}", Level::Circle.as_str()))
            .await
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    server.database.client().await.execute("UPDATE member SET role_id = 9 WHERE id = $1", &[&confined.id]).await.expect("changed");
    for role in [1, 3, 8] {
        let answer = server.get_as(&confined.token, &format!("/api/role/rolepages/{role}")).await;
        assert!([401, 403].contains(&answer.status), "{role}: {answer:?}");
    }
}
