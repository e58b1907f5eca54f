//! Tests `switchyard seed --demo --history DAYS`: the demo's history is generated once, and an interrupted run is continued.

use std::process::{Command, Stdio};
use std::time::Duration;

use testkit::{Flavour, TestDatabase};
use tokio_postgres::Client;

fn seed(url: &str, days: u32) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(["seed", "--demo", "--history", &days.to_string()]).env("DATABASE_URL", url).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finish(url: &str, days: u32) -> String {
    let output = seed(url, days).output().expect("the program runs");
    let message = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{message}");
    message
}

async fn number(client: &Client, question: &str) -> i64 {
    client.query_one(question, &[]).await.unwrap_or_else(|error| panic!("{question}: {error:?}")).get(0)
}

/// Returns a digest of all generated rows.
async fn digest(client: &Client) -> String {
    let mut all = String::new();
    for table in ["rollup_1m", "rollup_10m", "rollup_1h", "rollup_1d", "sample", "event", "history_brought"] {
        let question = format!("SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t");
        all += client.query_one(&question, &[]).await.expect("a digest").get::<_, &str>(0);
    }
    all
}

/// Checks that the current of the first feeder has a bucket for every hour since the first midnight, and that its register only increases.
async fn is_complete(client: &Client, days: i64) {
    let hours = "FROM bucket_1h r JOIN point p ON p.id = r.point_id JOIN gateway g ON g.id = p.gateway_id
         WHERE g.code = 'QUAYSIDE' AND p.metric = 'F1/Ir'";
    let (found, expected) = (
        number(client, &format!("SELECT count(*) {hours}")).await,
        number(client, &format!("SELECT (extract(epoch FROM max(bucket) - min(bucket)) / 3600)::bigint + 1 {hours}")).await,
    );
    assert!(found == expected && found > days * 24, "{found} hours of {expected}");
    let falls = "SELECT count(*) FROM (
             SELECT value_first - lag(value_last) OVER (PARTITION BY point_id ORDER BY bucket) AS rise, value_last - value_first AS own
             FROM bucket_1h r JOIN point p ON p.id = r.point_id WHERE p.code = 'EImp'
         ) steps WHERE rise < 0 AND rise > -900000 OR own < 0 AND own > -900000";
    assert_eq!(number(client, falls).await, 0, "registers count up, but for a rollover");
}

/// Checks the energy balance of the low-carbon site: the grid supplies the load, minus the solar power, plus the power into the battery. The
/// battery's content changes by its charge and discharge, with the losses. Packed figures differ by up to half a step.
async fn the_site_adds_up(client: &Client) {
    let minutes = |condition: &str| {
        format!(
            "SELECT count(*) FROM (
                 SELECT site, solar, battery, grid, stored, stored - lag(stored) OVER (ORDER BY bucket) AS gained
                 FROM (
                     SELECT r.bucket,
                         max(r.value_mean) FILTER (WHERE p.metric = 'SITE1/P') AS site, max(r.value_mean) FILTER (WHERE p.metric = 'SITE1PV/P') AS solar,
                         max(r.value_mean) FILTER (WHERE p.metric = 'SITE1BAT/P') AS battery, max(r.value_mean) FILTER (WHERE p.metric = 'SITE1GRID/P') AS grid,
                         max(r.value_mean) FILTER (WHERE p.metric = 'SITE1BAT/EBat') AS stored
                     FROM bucket_1m r JOIN point p ON p.id = r.point_id JOIN low_carbon_site s ON s.client_id = p.client_id AND s.device_id = 12193
                     WHERE p.device = 'SITE1'
                     GROUP BY r.bucket
                 ) minutes
             ) told WHERE {condition}"
        )
    };
    let all = number(client, &minutes("num_nonnulls(site, solar, battery, grid, stored) = 5")).await;
    assert!((1_440..=1_442).contains(&all), "{all} minutes");
    assert_eq!(number(client, &minutes("abs(grid - (site - solar + battery)) > 0.05")).await, 0);
    let worked = number(client, &minutes("battery > 1 OR battery < -1")).await;
    assert!(worked > 400 && number(client, &minutes("solar > 10")).await > 200, "{worked} minutes in which the battery works");
    let arrives = "gained - CASE WHEN battery > 0 THEN battery * 0.95 ELSE battery / 0.95 END / 60";
    // Days are generated separately, so at midnight the battery's content may differ by less than 1 kWh.
    assert!(number(client, &minutes(&format!("abs({arrives}) > 0.01"))).await <= 1);
    assert_eq!(number(client, &minutes(&format!("abs({arrives}) > 1"))).await, 0);
    let hours = "SELECT count(*) FROM bucket_1h r JOIN point p ON p.id = r.point_id WHERE p.metric = 'SITE1GRID/P'";
    assert!(number(client, hours).await > 72, "and the days before");
}

async fn fresh(flavour: Flavour) -> (TestDatabase, Client) {
    let database = testkit::database_on(flavour).await;
    let client = database.client().await;
    (database, client)
}

#[tokio::test]
async fn days_are_made_up_once_with_their_events_and_nothing_is_taken_for_live() {
    let (database, client) = fresh(Flavour::Plain).await;
    let message = finish(database.url(), 3);
    assert!(message.contains("the demo's history is complete: 3 days"), "{message}");
    is_complete(&client, 3).await;
    assert_eq!(number(&client, "SELECT count(*) FROM latest").await, 0);
    let events = number(&client, "SELECT count(*) FROM event").await;
    assert!(events > 0 && events == number(&client, "SELECT max(top) FROM stream WHERE kind = 'event'").await, "{events} events");
    let pairs = "SELECT count(*) FROM event e JOIN sample s ON s.point_id = e.point_id AND s.ts = e.source_ts AND s.value = e.value";
    assert_eq!(number(&client, pairs).await, events, "each event is a value as well");
    assert_eq!(number(&client, "SELECT count(*) FROM event WHERE recv_ts <= source_ts + interval '1 minute'").await, 0, "all of them late");
    // Each minute counts as many readings as an RTU sends in it.
    let minutes = "SELECT count(DISTINCT bucket) FROM bucket_1m r JOIN point p ON p.id = r.point_id AND r.n = 60000 / p.expected_ms
        WHERE r.point_id = (SELECT min(point_id) FROM rollup_1m)";
    let minutes = number(&client, minutes).await;
    assert!((1_440..=1_442).contains(&minutes), "{minutes} minutes of the last day");
    the_site_adds_up(&client).await;
    let before = digest(&client).await;
    finish(database.url(), 3);
    assert_eq!(digest(&client).await, before, "a second time changes nothing");
}

#[tokio::test]
async fn what_was_cut_short_goes_on_where_it_was() {
    let (database, client) = fresh(Flavour::Timescale).await;
    let mut killed = seed(database.url(), 16).spawn().expect("the program runs");
    let days_done = "SELECT coalesce(max(extract(epoch FROM until - done))::bigint, 0) FROM history_brought";
    tokio::time::timeout(Duration::from_mins(2), async {
        while number(&client, days_done).await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("a week is made in time");
    killed.kill().expect("killed");
    killed.wait().expect("gone");
    let (events, done) = (number(&client, "SELECT count(*) FROM event").await, number(&client, days_done).await);
    assert!(done < 15 * 86_400, "there was something left to do: {done} s");
    finish(database.url(), 16);
    is_complete(&client, 16).await;
    assert_eq!(number(&client, "SELECT count(*) FROM event").await, events);
    assert!(number(&client, days_done).await >= 16 * 86_400);
}
