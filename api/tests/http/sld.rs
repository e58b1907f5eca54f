//! The diagram and its values, and the load current table.

use serde_json::{Value, json};

use crate::field::{feed, reading};
use crate::server::Server;

#[tokio::test]
async fn the_diagram_is_served_with_ids_and_an_absent_one_with_a_sentence() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let file = server.get_as(&token, &format!("/api/sld/substationsldfile/{}", server.one.location)).await.json();
    let drawing: Value = serde_json::from_str(file["result"]["sldFileContents"].as_str().expect("text")).expect("JSON");
    assert_eq!(drawing["elements"][0]["assetId"], server.one.breaker.0);
    assert_eq!(drawing["elements"][0]["position"]["pointId"], server.one.position.0);
    let described = &drawing["points"][server.one.position.to_string()];
    assert_eq!((&described["kind"], &described["encoding"]), (&json!("status"), &json!("double")));
    let none = server.get_as(&token, &format!("/api/sld/substationsldfile/{}", server.one.other_location)).await.json();
    assert_eq!((&none["result"]["sldFileContents"], &none["message"]), (&json!(""), &json!("SLD is not available")));
}

#[tokio::test]
async fn values_are_the_newest_with_quality_and_time() {
    let server = Server::start().await;
    feed(
        server.database.url(),
        &server.one,
        &[reading(1.0, 10_000), reading(2.0, 20_000)],
        &[reading(61.0, 20_000), reading(60.0, 15_000)],
    )
    .await;
    let token = server.sign_in("one-admin").await;
    let location = server.one.location;
    let result = async |path: String| server.get_as(&token, &path).await.json()["result"].clone();

    let di = result(format!("/api/sld/slddivaluesbyastpt/{location}")).await;
    let expected = json!({"diData": [{
        "AssetId": server.one.breaker.0, "Asset2DiSettingId": server.one.position.0, "DICurrentStatus": 2, "DICurrentStatusText": "CLOSED",
        "ControlAssetReq": 1, "IsSBOSupported": 1, "quality": 0, "sourceTime": "1970-01-01T00:00:20.000Z", "pointCode": "Pos", "assetName": "one F1CB",
        "gatewayId": server.one.gateway.0
    }]});
    assert_eq!(di, expected);

    let generic = result(format!("/api/sld/sldgenericdatavalues/location/{location}")).await;
    let rows = generic["gdsData"].as_array().expect("rows");
    assert_eq!(rows.len(), 5, "every point of the location");
    let row = |code: &str| rows.iter().find(|row| row["pointName"] == format!("F1/{code}")).expect("a row").clone();
    assert_eq!((&row("F1/Ir")["value"], &row("F1/Ir")["quality"]), (&json!(61.0), &json!(0)));
    assert_eq!((&row("F1/Iy")["value"], &row("F1/Iy")["quality"]), (&Value::Null, &json!(6)), "never is not zero");

    let tables = result(format!("/api/sld/slddatavaluesbyastpt/{location}")).await;
    assert_eq!(tables["pdsData"][0]["Ir"], 61.0);
    assert_eq!(tables["dcData"][0]["DcuV"], Value::Null);

    let division = result(format!("/api/analytics/loadcurrentvalues/Division/{}", server.one.division)).await;
    let expected = json!([{
        "reportedDateTime": "1970-01-01T00:00:20.000Z", "dcuBatVol": null, "deviceName": "one F1", "lc_Ir": 61.0, "lc_Iy": null, "lc_Ib": null,
        "fC_Ir": null, "fC_Iy": null, "fC_Ib": null, "id": server.one.feeder.0, "deviceId": server.one.gateway.0, "quality": 6, "ageLimitMs": 30_000,
        "locationId": location.0
    }]);
    assert_eq!(division, expected);
    assert_eq!(result(format!("/api/analytics/loadcurrentvalues/location/{location}")).await, expected);
    assert_eq!(result(format!("/api/analytics/loadcurrentvalues/asset/{}", server.one.feeder)).await, expected);
    assert_eq!(result(format!("/api/analytics/loadcurrentvalues/division/{}", server.one.other_division)).await, json!([]));
    let wrong_type = server.get_as(&token, &format!("/api/analytics/loadcurrentvalues/division/{location}")).await;
    assert_eq!(wrong_type.status, 404, "a substation is no division");
}

#[tokio::test]
async fn behind_a_dead_link_values_are_the_last_known_and_say_so() {
    let server = Server::start().await;
    feed(server.database.url(), &server.one, &[reading(2.0, 20_000)], &[]).await;
    let mut writer = store::Writer::connect(server.database.url()).await.expect("writer");
    let mark = store::writer::GatewayMark {
        gateway: server.one.gateway,
        online: Some(false),
        at: grid::Micros::from_millis(30_000),
        order: grid::LinkOrder::default(),
        entered: true,
    };
    writer.commit(&store::writer::Batch { gateways: vec![mark], ..Default::default() }).await.expect("stored");
    let token = server.sign_in("one-admin").await;
    let di = server.get_as(&token, &format!("/api/sld/slddivaluesbyastpt/{}", server.one.location)).await.json();
    assert_eq!((&di["result"]["diData"][0]["DICurrentStatusText"], &di["result"]["diData"][0]["quality"]), (&json!("CLOSED"), &json!(5)));
    let state = server.get_as(&token, "/api/iecgw/gethoststate").await.json();
    assert_eq!(state["result"]["gateways"][0]["online"], false);
    assert_eq!(state["result"]["gateways"][0]["since"], 30_000);
}
