//! The schema on each engine: it can be migrated repeatedly and in parallel, and every statement can be prepared.

use store::{Engine, Store, migrate};
use testkit::Flavour;

/// Statements that only TimescaleDB understands.
const ONLY_TIMESCALE: [&str; 2] = ["engine/hypertable.sql", "engine/drop_chunks.sql"];

/// A point with the id 1.
const POINT: &str = "
    INSERT INTO client (id, code, name, time_zone) VALUES (1, 'A', 'A', 'UTC');
    INSERT INTO node (id, client_id, level, code, name) VALUES (1, 1, 1, 'A', 'A');
    INSERT INTO asset (id, client_id, location_id, code, name, type_id, class_name) VALUES (1, 1, 1, 'A', 'A', 1, 'feeder');
    INSERT INTO gateway (id, client_id, code, name, location_id) VALUES (1, 1, 'A', 'A', 1);
    INSERT INTO point (id, client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
        VALUES (1, 1, 1, 1, '', 'A/Ir', 'Ir', 'current', 'A', 0)";

#[tokio::test]
async fn every_statement_prepares_on_every_engine() {
    let statements = testkit::statements();
    assert!(statements.len() > 380, "{} statements found", statements.len());
    for flavour in Flavour::ALL {
        let database = testkit::database_on(flavour).await;
        let client = database.client().await;
        for (name, statement) in &statements {
            if flavour == Flavour::Plain && ONLY_TIMESCALE.contains(&name.as_str()) {
                continue;
            }
            client.prepare(statement).await.unwrap_or_else(|error| panic!("{name} on {flavour:?}: {error:?}"));
        }
    }
}

#[tokio::test]
async fn migrating_at_once_and_again_is_harmless() {
    for flavour in Flavour::ALL {
        let database = testkit::empty_database(flavour).await;
        let (one, two) = tokio::join!(migrate(database.url()), migrate(database.url()));
        let again = migrate(database.url()).await.unwrap();
        assert_eq!((one.unwrap(), two.unwrap()), (again, again));
        let store = Store::connect(database.url(), 1).await.unwrap();
        assert_eq!(store.engine().await.unwrap(), again);
        match flavour {
            Flavour::Plain => assert_eq!(again, Engine::Plain),
            Flavour::Timescale => assert!(matches!(again, Engine::TimescaleApache | Engine::TimescaleCommunity)),
        }
    }
}

#[tokio::test]
async fn the_history_has_one_index_and_the_rollup_the_same_figures_on_every_engine() {
    for flavour in Flavour::ALL {
        let database = testkit::database_on(flavour).await;
        let client = database.client().await;
        client.batch_execute(POINT).await.unwrap();
        client.execute("INSERT INTO sample SELECT 1, '2026-07-01 06:00Z'::timestamptz + n * interval '1 s', now(), n, 0 FROM generate_series(0, 89) n", &[]).await.unwrap();
        client
            .execute(
                "INSERT INTO sample VALUES (1, '2026-07-01 06:01:59Z', now(), 1e6, 4), (1, '2026-07-01 06:01:58Z', now(), NULL, 0)",
                &[],
            )
            .await
            .unwrap();
        let marks = "INSERT INTO rollup_dirty VALUES (1, 0, '2026-07-01 06:00Z', '2026-07-01 06:02Z')";
        client.batch_execute(marks).await.unwrap();
        let mut rollups = store::rollup::Rollups::connect(database.url()).await.unwrap();
        rollups.refresh_all().await.unwrap();
        let rows = client
            .query("SELECT n, n_good, value_min, value_max, value_mean, quality_worst FROM bucket_1m ORDER BY bucket", &[])
            .await
            .unwrap();
        let minutes: Vec<(i32, i32, f64, f64, f64, i16)> =
            rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5))).collect();
        // Each value is valid for a second; the last one until the next value, which is not usable, 29 s later.
        let mean = f64::from((60..89).sum::<i32>() + 29 * 89) / 58.0;
        assert_eq!(minutes, [(60, 60, 0.0, 59.0, 29.0, 0), (32, 30, 60.0, 89.0, mean, 4)], "{flavour:?}");
        let indexes: i64 = client.query_one("SELECT count(*) FROM pg_indexes WHERE tablename = 'sample'", &[]).await.unwrap().get(0);
        assert_eq!(indexes, 1, "{flavour:?}");
        if flavour == Flavour::Timescale {
            let row = client
                .query_one("SELECT count(*) FROM timescaledb_information.hypertables WHERE hypertable_name = 'sample'", &[])
                .await
                .unwrap();
            assert_eq!(row.get::<_, i64>(0), 1);
        }
    }
}
