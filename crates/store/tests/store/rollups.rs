//! Refreshing rollups: while ranges become dirty, during the present minute, and with ranges that cannot be computed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use grid::downsample::Resolution;
use store::rollup::Rollups;
use store::writer::{Batch, Sample};
use testkit::Flavour;

use crate::fixture::{START, Utility, utility, utility_on};

#[tokio::test]
async fn coarser_levels_are_worked_out_however_many_marks_come_meanwhile() {
    let utility = utility().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    utility.writer().await.commit(&utility.currents((0..720).map(|at| at * 10))).await.unwrap();
    let client = utility.database.client().await;
    client.batch_execute("CREATE TABLE enough (); CREATE TABLE marked AS SELECT 0 AS n").await.unwrap();
    let marker = utility.database.client().await;
    // Makes one of its minutes dirty again and again, each time in a transaction.
    let marking = tokio::spawn(async move {
        let statement = "DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM enough) LOOP
                INSERT INTO rollup_dirty (level, block, lo, hi) SELECT level, block, lo, lo + INTERVAL '1 minute' FROM (
                    SELECT 1::smallint AS level, min(id) >> 6 AS block, TIMESTAMPTZ '2026-07-01 06:00Z' AS lo FROM point) mark;
                UPDATE marked SET n = n + 1;
                COMMIT;
            END LOOP;
        END $$";
        marker.batch_execute(statement).await.unwrap();
    });
    let working = async {
        while utility.count("marked WHERE n > 100").await == 0 {
            tokio::task::yield_now().await;
        }
        rollups.refresh_all().await.unwrap();
    };
    tokio::time::timeout(Duration::from_mins(1), working).await.expect("it comes to an end while marks go on coming");
    for (table, buckets) in [("bucket_1m", 120), ("bucket_10m", 12), ("bucket_1h", 2)] {
        assert_eq!(utility.count(table).await, buckets, "{table}");
    }
    assert!(utility.count("rollup_1d").await > 0);
    client.batch_execute("INSERT INTO enough DEFAULT VALUES").await.unwrap();
    marking.await.unwrap();
    rollups.refresh_all().await.unwrap();
    assert_eq!(utility.count("rollup_dirty").await, 0, "however many there were");
}

#[tokio::test]
async fn marks_that_say_the_same_are_taken_together() {
    let utility = utility().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let client = utility.database.client().await;
    let statement = "INSERT INTO rollup_dirty (level, block, lo, hi)
        SELECT 4, 0, TIMESTAMPTZ '2026-07-01 06:00Z', TIMESTAMPTZ '2026-07-01 07:00Z' FROM generate_series(1, 20000)";
    client.batch_execute(statement).await.unwrap();
    // Each transaction that takes dirty ranges records how many.
    client
        .batch_execute(
            "CREATE TABLE taken (n bigint);
             CREATE FUNCTION entered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 INSERT INTO taken SELECT count(*) FROM gone; RETURN NULL; END $$;
             CREATE TRIGGER taking AFTER DELETE ON rollup_dirty REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION entered()",
        )
        .await
        .unwrap();
    assert_eq!(rollups.refresh(Resolution::Day).await.unwrap().marks, 20_000);
    assert_eq!((utility.count("taken").await, utility.count("taken WHERE n = 20000").await), (1, 1));
}

#[tokio::test]
async fn the_running_minute_waits_and_is_answered_all_the_same() {
    let utility = utility().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().cast_signed() - START.0 / 1_000_000;
    // The last value comes from a clock that is an hour ahead; its range does not wait.
    for second in [now - 3_600, now, now + 3_600] {
        utility.writer().await.commit(&utility.currents([second])).await.unwrap();
    }
    rollups.refresh_all().await.unwrap();
    assert_eq!((utility.count("bucket_1m").await, utility.count("rollup_dirty").await), (2, 1));
    let at = |second: i64| START.plus_millis(second * 1_000);
    let series = utility.store.series(utility.client, &[utility.sites[0].current], at(now - 7_200), at(now + 1), 60).await.unwrap();
    assert!(series.source >= Resolution::Minute);
    let last = series.lines[0].cells.last().unwrap().unwrap();
    assert_eq!(last.last, Some((at(now), now as f64)));
}

#[tokio::test]
async fn what_cannot_be_worked_out_is_put_aside_and_holds_up_nothing() {
    let utility = utility().await;
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    let mut writer = utility.writer().await;
    let client = utility.database.client().await;
    for seconds in [-200_000..-199_998, 0..3, 200_000..200_002] {
        writer.commit(&utility.currents(seconds)).await.unwrap();
    }
    // Their sum exceeds the range of a number.
    client.batch_execute("UPDATE sample SET value = 1.7e308 WHERE ts >= '2026-07-01 06:00Z' AND ts < '2026-07-01 06:01Z'").await.unwrap();
    assert_eq!(rollups.refresh_all().await.unwrap().aside, 1);
    assert_eq!((utility.count("bucket_1m").await, utility.count("bucket_1h").await), (2, 2), "what is newer and what is older");
    assert_eq!((utility.count("rollup_dirty").await, utility.count("rollup_dirty WHERE aside").await), (1, 1));
    assert_eq!(rollups.refresh_all().await.unwrap().marks, 0, "it is left alone");
    client.batch_execute("UPDATE sample SET value = 1 WHERE value > 1e300").await.unwrap();
    assert_eq!(rollups.retry_aside().await.unwrap(), 1);
    rollups.refresh_all().await.unwrap();
    assert_eq!((utility.count("bucket_1m").await, utility.count("rollup_dirty").await), (3, 0));
}

/// Returns a digest of each packed table.
async fn digests(utility: &Utility) -> Vec<String> {
    let client = utility.database.client().await;
    let mut digests = Vec::new();
    for table in ["rollup_1m", "rollup_10m", "rollup_1h"] {
        let statement = format!("SELECT count(*) || ' ' || md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} t");
        digests.push(client.query_one(&statement, &[]).await.unwrap().get(0));
    }
    digests
}

#[tokio::test]
async fn late_values_and_resends_give_the_same_rows() {
    const DAY: i64 = 86_400;
    for flavour in Flavour::ALL {
        let (late, ordered) = (utility_on(flavour).await, utility_on(flavour).await);
        let mut rollups = Rollups::connect(late.database.url()).await.unwrap();
        let mut writer = late.writer().await;
        // A month of 5,000 noisy values; one of twenty arrives up to four days late, and the values of each day arrive twice.
        let second = |nth: i64| nth * 518 + nth * nth % 97;
        let sample =
            |utility: &Utility, nth: i64| utility.sample(utility.sites[0].current, second(nth), (nth * 7_919 % 1_009) as f64 / 10.0);
        let arrival = |nth: i64| second(nth) / DAY + if nth % 20 == 3 { 1 + nth % 4 } else { 0 };
        for day in 0..=35 {
            let samples: Vec<Sample> = (0..5_000).filter(|nth| arrival(*nth) == day).map(|nth| sample(&late, nth)).collect();
            let batch = Batch { samples, ..Batch::default() };
            writer.commit(&batch).await.unwrap();
            rollups.refresh_all().await.unwrap();
            writer.commit(&batch).await.unwrap();
        }
        rollups.refresh_all().await.unwrap();
        let samples = (0..5_000).map(|nth| sample(&ordered, nth)).collect();
        ordered.writer().await.commit(&Batch { samples, ..Batch::default() }).await.unwrap();
        Rollups::connect(ordered.database.url()).await.unwrap().refresh_all().await.unwrap();
        let digests = (digests(&late).await, digests(&ordered).await);
        assert_eq!(digests.0, digests.1, "{flavour:?}");
        assert_eq!(late.count("bucket_10m").await, ordered.count("bucket_10m").await);
    }
}
