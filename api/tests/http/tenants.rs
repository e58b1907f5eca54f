//! An id of another utility, or of another part of the user's own, gets exactly the same answer as one that does not exist.

use crate::field::Utility;
use crate::server::{Answer, Server};

const MISSING: i64 = 999_999_999;

/// Returns the lists above a substation, each with an id of the right level.
fn lists(utility: &Utility) -> Vec<(&'static str, i64)> {
    vec![
        ("/api/circle/circlesbyclient/{}", utility.client.0),
        ("/api/circle/circlesbyuser/{}", utility.admin),
        ("/api/division/divisionsbycircle/{}", utility.circle.0),
        ("/api/substation/substationsbyclient/{}", utility.client.0),
        ("/api/substation/substationsbydivision/{}", utility.division.0),
    ]
}

/// Returns the paths of the first division's data, each with its id.
fn data(utility: &Utility) -> Vec<(&'static str, i64)> {
    let location = utility.location.0;
    vec![
        ("/api/sld/substationsldfile/{}", location),
        ("/api/sld/slddivaluesbyastpt/{}", location),
        ("/api/sld/slddatavaluesbyastpt/{}", location),
        ("/api/sld/sldgenericdatavalues/location/{}", location),
        ("/api/monitoring/dieventlog/{}", utility.division.0),
        ("/api/monitoring/dieventlog/{}", utility.circle.0),
        ("/api/monitoring/dieventlog/{}", location),
        ("/api/monitoring/diasseteventlog/{}", utility.breaker.0),
        ("/api/analytics/loadcurrentvalues/division/{}", utility.division.0),
        ("/api/analytics/loadcurrentvalues/location/{}", location),
        ("/api/analytics/loadcurrentvalues/asset/{}", utility.feeder.0),
    ]
}

/// Returns an answer without the parts that differ between requests.
fn compared(answer: &Answer) -> (u16, serde_json::Value) {
    let mut body = answer.json();
    body["correlationId"] = "".into();
    (answer.status, body)
}

#[tokio::test]
async fn a_foreign_id_is_told_like_a_missing_one() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let of = |utility| [lists(utility), data(utility)].concat();
    for ((path, own), (_, foreign)) in of(&server.one).into_iter().zip(of(&server.two)) {
        let ask = async |id: i64| server.get_as(&token, &path.replace("{}", &id.to_string())).await;
        assert_eq!(ask(own).await.status, 200, "{path}");
        let (strange, missing) = (ask(foreign).await, ask(MISSING).await);
        assert_eq!(strange.status, 404, "{path}");
        assert_eq!(compared(&strange), compared(&missing), "{path}");
        assert_eq!(server.get_as(&token, &path.replace("{}", "x%27--")).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_person_of_one_division_sees_nothing_of_the_other() {
    let server = Server::start().await;
    let token = server.sign_in("one-division").await;
    for (path, id) in data(&server.one) {
        assert_eq!(server.get_as(&token, &path.replace("{}", &id.to_string())).await.status, 404, "{path}");
    }
    // The nodes above the user's own division are visible by name, and no others.
    let rows = async |path: &str| server.get_as(&token, path).await.json()["result"].as_array().expect("rows").clone();
    let divisions = rows(&format!("/api/division/divisionsbycircle/{}", server.one.circle)).await;
    assert_eq!(divisions.len(), 1);
    assert_eq!(divisions[0]["divisionId"], server.one.other_division.0);
    let substations = rows(&format!("/api/substation/substationsbyclient/{}", server.one.client)).await;
    assert_eq!(substations.len(), 1);
    assert_eq!(substations[0]["AssetPointId"], server.one.other_location.0);
}
