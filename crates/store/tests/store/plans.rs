//! Plans of all statements at 1,000,000 rows: none reads a whole large table.

use std::collections::HashMap;

use testkit::Flavour;
use tokio_postgres::{Client, SimpleQueryMessage};

/// Tables that grow with time, with 1,000,000 rows in this test.
const LARGE: [&str; 5] = ["sample", "rollup_1m", "event", "alarm_event", "audit"];

/// Partitions of the large tables with at least 1,000 rows, and their tables. A smaller one may be read as a whole.
const PARTITIONS: &str = "SELECT c.relname::text, i.inhparent::regclass::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE c.relispartition AND c.relkind = 'r' AND c.reltuples >= 1000";

/// Statements that may read a whole table, with the reason.
const WHOLE: [(&str, &str); 1] = [("audit/orphans.sql", "the verification of the audit reads all rows")];

/// No triggers and foreign keys, so that the tables can be filled at the same time.
const SESSION: &str = "SET session_replication_role = replica; SET synchronous_commit = off";
/// The registry, and smaller tables that are joined.
const REGISTRY: &str = "
    INSERT INTO client (id, code, name, time_zone) SELECT n, 'C' || n, 'C', 'Asia/Kolkata' FROM generate_series(1, 4) n;
    INSERT INTO node (id, client_id, level, parent_id, code, name)
        SELECT n, 1 + n % 4, CASE WHEN n <= 4 THEN 1 ELSE 6 END, CASE WHEN n > 4 THEN 1 + n % 4 END, 'N' || n, 'N' FROM generate_series(1, 2000) n;
    INSERT INTO asset (id, client_id, location_id, code, name, type_id, class_name)
        SELECT n, 1 + n % 4, 1 + n % 2000, 'A' || n, 'A', 1, 'feeder' FROM generate_series(1, 20000) n;
    INSERT INTO gateway (id, client_id, code, name, location_id) SELECT n, 1 + n % 4, 'G' || n, 'G', n FROM generate_series(1, 2000) n;
    INSERT INTO point (id, client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
        SELECT n, 1 + n % 4, 1 + n % 2000, 1 + n % 20000, 'd', 'm' || n, 'Ir', 'current', 'A', 1 FROM generate_series(1, 100000) n;
    INSERT INTO latest SELECT n, 1 + n % 4, now(), now(), 1, n, 1, 0 FROM generate_series(1, 100000) n;
    INSERT INTO stream (client_id, kind, top) SELECT n, kind, 1000000 FROM generate_series(1, 4) n, unnest(ARRAY['event', 'alarm', 'fault', 'command']) kind;
    INSERT INTO alarm (id, client_id, source, kind, priority, point_id, asset_id, location_id, text, unit, customers, state, count, \"offset\", raised_offset)
        SELECT n, 1 + n % 4, 's' || n, 'high', 1, n, 1 + n % 20000, 1 + n % 2000, '', 'A', 1, CASE WHEN n % 500 = 0 THEN 'active_unacked' ELSE 'normal' END, 1, n, n
        FROM generate_series(1, 50000) n;";
/// 1,000,000 rows of each large table.
const ROWS: [&str; 5] = [
    "INSERT INTO sample SELECT 1 + n % 1000, '2026-01-01Z'::timestamptz + n / 1000 * interval '1 hour', now(), n, 0 FROM generate_series(1, 1000000) n",
    "INSERT INTO rollup_1m (point_id, start, n)
     SELECT 1 + n % 1000, '2026-01-01Z'::timestamptz + n / 1000 * interval '1 hour', '{1}' FROM generate_series(1, 1000000) n",
    "INSERT INTO event (client_id, point_id, asset_id, location_id, source_ts, recv_ts, epoch, seq, \"offset\", value, idx, quality)
     SELECT 1 + n % 4, 1 + n % 100000, 1 + n % 20000, 1 + n % 2000, '2026-01-01Z'::timestamptz + n * interval '10 s', now(), 1, n, n, 1, 0, 0
     FROM generate_series(1, 1000000) n",
    "INSERT INTO alarm_event (
        client_id, \"offset\", alarm_id, change, at, kind, priority, point_id, asset_id, location_id, text, unit, customers, state, count, raised_offset)
     SELECT 1 + n % 4, n, 1 + n % 50000, CASE WHEN n % 10 = 0 THEN 'acknowledged' ELSE 'raised' END, '2026-01-01Z'::timestamptz + n * interval '10 s', 'high', 1,
        1 + n % 50000, 1 + n % 20000, 1 + n % 2000, '', 'A', 1, 'normal', 1, n FROM generate_series(1, 1000000) n",
    "INSERT INTO audit (chain, seq, at, client_id, actor_id, action, subject, from_address, correlation_id, hash)
     SELECT 1 + n % 4, n, '2026-01-01Z'::timestamptz + n * interval '1 s', 1 + n % 4, n % 1000, CASE WHEN n % 20 = 0 THEN 'sign_out' ELSE 'a' || n % 50 END,
        's' || n % 1000, '', '', sha256('') FROM generate_series(1, 1000000) n",
];

/// Returns the lines of the plan for any parameters; none for a statement that has no plan.
async fn plan(client: &Client, statement: &str) -> Vec<String> {
    let explained = client.simple_query(&format!("EXPLAIN (GENERIC_PLAN, COSTS OFF) {statement}")).await;
    // COPY, DO and the like have no plan: a syntax error.
    let Ok(messages) = explained else { return Vec::new() };
    messages
        .iter()
        .filter_map(|message| if let SimpleQueryMessage::Row(row) = message { row.get(0).map(str::to_owned) } else { None })
        .collect()
}

#[tokio::test]
async fn statements_use_indexes_at_a_million_rows() {
    let database = testkit::database_on(Flavour::Plain).await;
    let client = database.client().await;
    // The rows lie in partitions of months.
    let begin = grid::Micros(1_767_225_600_000_000);
    store::Store::connect(database.url(), 1).await.unwrap().prepare_import(begin).await.unwrap();
    let fill = |rows: &'static str| async {
        let client = database.client().await;
        client.batch_execute(SESSION).await.unwrap();
        client.batch_execute(rows).await.unwrap();
    };
    let [sample, rollup, event, alarm_event, audit] = ROWS;
    tokio::join!(fill(REGISTRY), fill(sample), fill(rollup), fill(event), fill(alarm_event), fill(audit));
    client.batch_execute("ANALYZE").await.unwrap();
    let partitions: HashMap<String, String> =
        client.query(PARTITIONS, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
    for table in ["sample", "rollup_1m", "event"] {
        assert!(partitions.values().filter(|parent| *parent == table).count() >= 2, "{table}: {partitions:?}");
    }
    let (mut explained, mut wrong) = (0, Vec::new());
    for (name, statement) in testkit::statements() {
        let lines = plan(&client, &statement).await;
        explained += usize::from(!lines.is_empty());
        for table in LARGE {
            let is_whole = lines
                .iter()
                .filter_map(|line| line.split_once("Seq Scan on "))
                .filter_map(|(_, of)| of.split(' ').next())
                .any(|scanned| scanned == table || partitions.get(scanned).is_some_and(|parent| parent == table));
            if is_whole && !WHOLE.iter().any(|(statement, _)| *statement == name) {
                wrong.push(format!("{name} reads the whole table {table}:\n{}", lines.join("\n")));
            }
        }
    }
    assert!(explained > 380, "{explained} statements have a plan");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
