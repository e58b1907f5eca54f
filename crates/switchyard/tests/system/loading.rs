//! Tests the demo's transformers: ratings are seeded, the history is generated, and the API computes their permissible loading from both.

use serde_json::Value;

use crate::product::Servers;

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("no {name} in {row}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_transformer_of_the_demo_has_a_loading_chart() {
    let database = testkit::database().await;
    let servers = Servers { database: database.url().to_owned(), mqtt: testkit::shared_mqtt_url() };
    servers.finish(&["migrate"]).await;
    servers.finish(&["seed", "--demo", "--history", "1"]).await;
    let question =
        "SELECT a.id, a.name, r.rated_mva FROM asset a JOIN client c ON c.id = a.client_id LEFT JOIN rating r ON r.asset_id = a.id
         WHERE c.code = 'SAGAR' AND a.class_name = 'transformer' ORDER BY a.id";
    let transformers = database.client().await.query(question, &[]).await.expect("the query runs");
    assert!(transformers.len() >= 10, "{} transformers", transformers.len());
    let api = servers.start(&["api"]).await;
    let login = api.sign_in("admin").await;
    let token = login["token"].as_str().expect("a token");
    for row in &transformers {
        let (asset, name, rated): (i64, String, Option<f64>) = (row.get(0), row.get(1), row.get(2));
        let rated = rated.unwrap_or_else(|| panic!("{name} has no rating"));
        let answer = api.get(token, &format!("/api/assethealth/assetpermissibleloadnew/{asset}/1")).await;
        let rows = answer["result"].as_array().unwrap_or_else(|| panic!("{name}: {answer}"));
        assert!(rows.len() > 40 && rows.len() <= 2_000, "{name}: {} rows", rows.len());
        for row in rows {
            assert!((number(row, "VAbase") - rated).abs() < 1e-12 && (number(row, "VAavl") - rated * number(row, "LoadMult")).abs() < 1e-9);
            // Between 22 and 34 °C a transformer can permanently carry 0.8 to 1 of its rating.
            assert!((0.75..1.05).contains(&number(row, "LoadMult")), "{name}: {row}");
            assert!(number(row, "WTI") > number(row, "OTI") - 12.0 && number(row, "VApres") >= 0.0, "{name}: {row}");
            assert!(number(row, "VA2hr") > 0.0 || row["Status"] == "LIMIT_EXCEEDED", "{name}: {row}");
        }
        let life: Vec<f64> = rows.iter().map(|row| number(row, "UsedLifeInYears")).collect();
        assert!(life.is_sorted() && life[0] >= 0.3, "{name}: {life:?}");
        let missing = number(rows.last().expect("a row"), "MissingHours");
        assert!(missing < 2.0, "{name}: {missing} h are missing of a past without gaps");
    }
}
