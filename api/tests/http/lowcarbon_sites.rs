//! Low-carbon sites: creating, showing and removing, and permissions.

use serde_json::{Value, json};

use crate::lowcarbon_field::{ADMIN, DEVICE, RUN, alike, count, enter, entry, handle, meters, with};
use crate::server::Server;

const SITE: &str = "/api/lowcarbon/site/12193";

#[tokio::test]
async fn a_site_is_entered_shown_where_it_lies_and_removed_and_all_of_it_is_audited() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    let admin = server.sign_in("one-admin").await;
    let found = server.get_as(&admin, SITE).await.json()["result"].clone();
    assert_eq!(found["site"]["name"], "Cold Hall");
    assert_eq!(found["site"]["locationId"], server.one.location.0);
    assert!(found["site"]["breadCrumbName"].as_str().expect("names").ends_with(" › Cold Hall"), "{found}");
    assert_eq!((&found["timeZone"], &found["mayChange"], &found["mayExport"]), (&json!("Asia/Kolkata"), &json!(true), &json!(false)));
    assert_eq!(
        found["parameters"],
        json!({
            "BatteryCapacityMaxKwh": 100.0, "BatteryCapacityMinKwh": 0.0, "BatteryChargeRateKw": 50.0, "BatteryDischargeRateKw": 25.0,
            "ChargingStartTimeHours": 0, "ChargingEndTimeHours": 48, "DischargingStartTimeHours": 0, "DischargingEndTimeHours": 48,
            "SolarCapacityKwp": 0.0, "lat": 17.6868, "lon": 83.2185, "Objective": "cost_with_solar", "deviceId": DEVICE
        })
    );
    assert_eq!((&found["importLimitKw"], &found["initialEnergyKwh"]), (&json!(56.0), &Value::Null));
    assert_eq!((&found["chargeEfficiency"], &found["performanceFactor"]), (&json!(0.95), &json!(0.8)));
    assert_eq!(found["points"]["storage"], json!({ "pointId": meters.storage.0, "name": "SITE Soc" }));

    let one = &server.one;
    for (area, expected) in [
        (format!("client/{}", one.client), 1),
        (format!("division/{}", one.division), 1),
        (format!("location/{}", one.location), 1),
        (format!("asset/{}", meters.asset), 1),
        (format!("division/{}", one.other_division), 0),
        (format!("asset/{}", one.feeder), 0),
    ] {
        let rows = server.get_as(&admin, &format!("/api/lowcarbon/sites/{area}")).await.json()["result"].clone();
        assert_eq!(rows.as_array().expect("rows").len(), expected, "{area}: {rows}");
        assert!(expected == 0 || rows[0] == found["site"]);
    }
    let all = server.get_as(&admin, "/api/admin/lowcarbonsites").await.json()["result"].clone();
    assert_eq!(all, json!([found]));

    handle(&server, &admin, 50.0).await;
    let moved =
        with(entry(&server, &meters), &json!({ "name": "Warm Hall", "locationId": one.other_location.0, "lat": null, "lon": null }));
    let answer = server.json_as(&admin, "PUT", ADMIN, &moved).await;
    let message = answer.json()["message"].as_str().expect("a message").to_owned();
    let expected_message =
        ["site", "solar", "battery", "grid", "storage"].map(|name| format!("points.{name}: lies at another substation than the site"));
    assert_eq!((answer.status, message), (400, expected_message.join("; ")), "what one substation measures is not shown at another");
    let moved = with(moved, &json!({ "points": {} }));
    assert_eq!(server.json_as(&admin, "PUT", ADMIN, &moved).await.status, 200);
    assert_eq!((count(&server, "low_carbon_site").await, count(&server, "demand_file").await), (1, 1), "replaced, and its files stay");
    let found = server.get_as(&admin, SITE).await.json()["result"].clone();
    assert_eq!(
        (&found["site"]["name"], &found["site"]["lat"], &found["parameters"]["lat"]),
        (&json!("Warm Hall"), &Value::Null, &json!(0.0))
    );
    assert_eq!(server.json_as(&admin, "DELETE", ADMIN, &Value::Null).await.status, 200);
    assert_eq!(server.json_as(&admin, "DELETE", ADMIN, &Value::Null).await.status, 404);
    assert_eq!((count(&server, "low_carbon_site").await, count(&server, "demand_file").await), (0, 0));
    let subject = "low-carbon site 12193";
    let audited: Vec<String> =
        server.audited(one.client).await.into_iter().filter(|(_, of)| of == subject).map(|(action, _)| action).collect();
    assert_eq!(audited, ["low_carbon_site_changed", "demand_file_uploaded", "low_carbon_site_changed", "low_carbon_site_removed"]);
}

#[tokio::test]
async fn a_new_site_takes_the_place_of_none_and_a_change_brings_none_back() {
    let server = Server::start().await;
    let meters = meters(&server).await;
    let admin = server.sign_in("one-admin").await;
    let put = async |condition: (&str, &str), path: &str, name: &str| {
        let body = with(entry(&server, &meters), &json!({ "name": name })).to_string();
        let headers = [("Authorization", &*format!("Bearer {admin}")), ("Content-Type", "application/json"), condition];
        let answer = server.send("PUT", path, &headers, &body).await;
        (answer.status, answer.json()["message"].as_str().map(str::to_owned))
    };
    let (new, there) = (("If-None-Match", "*"), ("If-Match", "*"));
    assert_eq!(put(there, ADMIN, "None").await, (412, Some("there is no site 12193 any more".to_owned())));
    // If two requests create the same device id at once, one is refused.
    let (one, other) = tokio::join!(put(new, ADMIN, "One"), put(new, ADMIN, "Other"));
    let mut both = [one.0, other.0];
    both.sort_unstable();
    assert_eq!(both, [200, 412]);
    assert_eq!(put(there, ADMIN, "Changed").await.0, 200);
    assert_eq!(put(new, ADMIN, "Again").await.0, 412);
    for wrong in [("If-None-Match", "\"a\""), ("If-Match", "1")] {
        let (status, message) = put(wrong, ADMIN, "Wrong").await;
        assert!(status == 400 && message.is_some_and(|message| message.contains("only *")), "{wrong:?}");
    }
    let found = server.get_as(&admin, SITE).await.json()["result"]["site"]["name"].clone();
    assert_eq!(found, "Changed");
    // As many as there may be are counted where they are entered.
    let database = server.database.client().await;
    let fill = "INSERT INTO low_carbon_site SELECT (s).* FROM (
            SELECT jsonb_populate_record(low_carbon_site, jsonb_build_object('device_id', n)) AS s
            FROM low_carbon_site, generate_series(20001, 20000 + $1) AS n WHERE device_id = 12193) filled";
    database.execute(fill, &[&498_i32]).await.expect("filled");
    let path = |number: i32| format!("/api/admin/lowcarbonsite/{number}");
    let (first, second) = (path(30_001), path(30_002));
    let (one, other) = tokio::join!(put(new, &first, "Last"), put(new, &second, "Last"));
    let mut both = [one, other];
    both.sort();
    assert_eq!(both[0].0, 200);
    assert_eq!(both[1], (400, Some("there are 500 sites; up to 500".to_owned())));
    assert_eq!(put(there, ADMIN, "Still").await.0, 200, "what is there can be changed");
    // A point that was deleted while the cached registry still has it must not cause an internal error.
    let body = with(entry(&server, &meters), &json!({ "points": { "site": meters.site.0 } }));
    database.batch_execute("UPDATE low_carbon_site SET site_point_id = NULL").await.expect("let go");
    let gone = format!("DELETE FROM point WHERE id = {}", meters.site);
    database.batch_execute(&gone).await.expect("gone");
    let answer = server.json_as(&admin, "PUT", ADMIN, &body).await;
    assert!(answer.status == 400 && answer.body.contains("points"), "{answer:?}");
}

#[tokio::test]
async fn who_does_not_see_the_substation_does_not_see_the_site() {
    let server = Server::start().await;
    let meters = enter(&server).await;
    server.enter("substation", 8, Some(server.one.location)).await;
    let own = server.sign_in("substation").await;
    let found = server.get_as(&own, SITE).await;
    assert_eq!((found.status, &found.json()["result"]["mayChange"]), (200, &json!(false)));
    assert_eq!(server.json_as(&own, "PUT", ADMIN, &entry(&server, &meters)).await.status, 403);
    assert_eq!(server.json_as(&own, "DELETE", ADMIN, &Value::Null).await.status, 403);
    assert_eq!(server.get_as(&own, "/api/admin/lowcarbonsites").await.status, 403);
    for stranger in ["one-division", "two-admin"] {
        let token = server.sign_in(stranger).await;
        for (method, there, missing) in [
            ("GET", SITE.to_owned(), "/api/lowcarbon/site/12194".to_owned()),
            ("POST", RUN.to_owned(), "/api/optimisebattery/12194".to_owned()),
            ("POST", format!("{RUN}/compare"), "/api/optimisebattery/12194/compare".to_owned()),
            ("POST", format!("{RUN}/demandfile"), "/api/optimisebattery/12194/demandfile".to_owned()),
        ] {
            let body = json!({});
            let (one, other) = (server.json_as(&token, method, &there, &body).await, server.json_as(&token, method, &missing, &body).await);
            assert_eq!((one.status, alike(&one)), (404, alike(&other)), "{stranger}: {method} {there}");
        }
    }
    let two = server.sign_in("two-admin").await;
    assert_eq!(server.json_as(&two, "DELETE", ADMIN, &Value::Null).await.status, 404);
    let rows = server.get_as(&two, &format!("/api/lowcarbon/sites/client/{}", server.two.client)).await.json()["result"].clone();
    assert_eq!((rows, count(&server, "low_carbon_site").await), (json!([]), 1));
}

#[tokio::test]
async fn what_cannot_be_a_site_is_refused_with_the_name_of_its_field() {
    let server = Server::start().await;
    let meters = meters(&server).await;
    let admin = server.sign_in("one-admin").await;
    let good = entry(&server, &meters);
    let flat = |price: f64| json!(vec![price; 48]);
    let tariff = |import: &Value, export: &Value| json!({ "tariff": { "currency": "INR", "importPrice": import, "exportPrice": export } });
    let mut one_wrong = vec![5.0; 48];
    one_wrong[7] = -1.0;
    for (fields, expected_message) in [
        (json!({ "name": " " }), "name: must have 1 to 200 characters"),
        (json!({ "name": "a\u{0}b" }), "name: must have 1 to 200 characters, none of them a control character"),
        (json!({ "locationId": server.one.division.0 }), "locationId: there is no such substation"),
        (json!({ "locationId": server.two.location.0 }), "locationId: there is no such substation"),
        (json!({ "lat": 91.0 }), "lat, lon: degrees north from -90 to 90"),
        (json!({ "lat": null }), "lat, lon: go together"),
        (json!({ "parameters": { "lat": 1.0, "lon": 1.0 } }), "parameters: lat and lon are not those of the site"),
        (json!({ "parameters": { "deviceId": 5 } }), "deviceId: is 5; this is the site 12193"),
        (
            json!({ "parameters": { "BatteryCapacityMinKwh": 101 } }),
            "BatteryCapacityMinKwh: is 101, above BatteryCapacityMaxKwh, which is 100",
        ),
        (json!({ "parameters": { "Tariff": 101 } }), "\"Tariff\": is not known; allowed are BatteryCapacityMaxKwh"),
        (json!({ "parameters": { "ChargingStartTimeHours": "07" } }), "ChargingStartTimeHours: is \"07\"; a whole number of half hours"),
        (json!({ "chargeEfficiency": 1.2 }), "chargeEfficiency: is 1.2; above 0, up to 1"),
        (json!({ "initialEnergyKwh": 101.0 }), "initialEnergyKwh: is 101 kWh; BatteryCapacityMinKwh 0 to BatteryCapacityMaxKwh 100"),
        (json!({ "importLimitKw": -1.0 }), "importLimitKw: is -1; from 0 to 1000000"),
        (json!({ "performanceFactor": 1.1 }), "performanceFactor: from 0 to 1"),
        (json!({ "solarProfile": [1.0, 2.0] }), "solarProfile: has 2 values; 48, one for each half hour"),
        (json!({ "solarProfile": flat(1.0) }), "solarProfile: SolarCapacityKwp is 0"),
        (tariff(&json!(one_wrong), &Value::Null), "tariff.importPrice[7]: is -1; from 0 to 1000000"),
        (tariff(&flat(5.0), &flat(6.0)), "tariff.exportPrice[0]: is 6, above the import price, which is 5"),
        (json!({ "mayExport": true }), "tariff.exportPrice: has to have 48 prices where mayExport is true"),
        (json!({ "tariff": { "currency": "rs", "importPrice": flat(1.0) } }), "tariff.currency: must be three capital letters"),
        (json!({ "points": { "site": server.two.current.0 } }), "points.site: there is no such point"),
        (json!({ "points": { "site": 999_999 } }), "points.site: there is no such point"),
        (json!({ "points": { "site": server.one.current.0 } }), "points.site: is a point in A; W, kW or MW"),
        (json!({ "points": { "storage": meters.site.0 } }), "points.storage: is a point in kW; Wh, kWh, MWh or %"),
        (json!({ "points": { "wind": 1 } }), "unknown field `wind`"),
        (json!({ "colour": "red" }), "unknown field `colour`"),
    ] {
        let answer = server.json_as(&admin, "PUT", ADMIN, &with(good.clone(), &fields)).await;
        let message = answer.json()["message"].as_str().expect("a message").to_owned();
        assert!(answer.status == 400 && message.contains(expected_message), "{fields}: {} {message}", answer.status);
    }
    let both = with(good.clone(), &json!({ "name": "", "chargeEfficiency": 0.0, "importLimitKw": -1.0 }));
    let message = server.json_as(&admin, "PUT", ADMIN, &both).await.json()["message"].as_str().expect("a message").to_owned();
    assert!(["name: ", "chargeEfficiency: ", "importLimitKw: "].iter().all(|field| message.contains(field)), "all at once: {message}");
    for device in ["0", "-1", "9007199254740992", "x"] {
        assert_eq!(server.json_as(&admin, "PUT", &format!("/api/admin/lowcarbonsite/{device}"), &good).await.status, 404, "{device}");
    }
    assert_eq!(count(&server, "low_carbon_site").await, 0, "nothing of it is stored");
}
