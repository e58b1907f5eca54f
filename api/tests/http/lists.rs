//! The lists from which a substation is chosen.

use crate::server::Server;

#[tokio::test]
async fn from_circle_to_substation() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let rows = async |path: String| server.get_as(&token, &path).await.json()["result"].clone();
    let circles = rows(format!("/api/circle/circlesbyclient/{}", server.one.client)).await;
    assert_eq!(circles, rows(format!("/api/circle/circlesbyuser/{}", server.one.admin)).await);
    assert_eq!(circles, serde_json::json!([{"circleId": server.one.circle.0, "circleName": "C circle"}]));
    let divisions = rows(format!("/api/division/divisionsbycircle/{}", server.one.circle)).await;
    assert_eq!(
        divisions[0],
        serde_json::json!({"divisionId": server.one.division.0, "divName": "D1 division", "circleId": server.one.circle.0})
    );
    let substations = rows(format!("/api/substation/SubstationsByDivision/{}", server.one.division)).await;
    let expected = serde_json::json!([{
        "AssetPointId": server.one.location.0, "AssetPointName": "D1 location", "SLDName": "D1 location",
        "BreadCrumbName": "C circle › D1 division › D1 town › D1 subdivision › D1 section",
        "hasDrawing": true, "divisionId": server.one.division.0, "circleId": server.one.circle.0, "kv": "33/11 kV"
    }]);
    assert_eq!(substations, expected);
    let brand = server.get("/api/app/SiteBrand/portal.example").await.json();
    assert_eq!(brand["result"]["faviIconText"], "Switchyard");
}
