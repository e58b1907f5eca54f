//! The history of links: each change is stored once, with counts by day in the utility's time zone.

use grid::Micros;
use grid::link::Change;
use store::Writer;
use store::writer::{Batch, DeviceMark, GatewayCount, GatewayMark};
use testkit::Flavour;

use crate::fixture::{START, utility_on};

const HOUR: i64 = 3_600_000_000;

fn at(hours: i64) -> Micros {
    Micros(START.0 + hours * HOUR)
}

#[tokio::test]
async fn changes_are_kept_once_and_counts_add_up_by_the_day_there() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let gateway = utility.sites[0].gateway;
        let mark = |hour, online| GatewayMark { gateway, online, at: at(hour), order: grid::LinkOrder::default(), entered: true };
        // START is 11:30 there; a day ends 12 and a half hours later.
        let count = |hour, taken, skew_ms| GatewayCount { gateway, at: at(hour), taken, late: 1, missing: 2, skew_ms, heard: true };
        let batches = [
            Batch {
                gateways: vec![mark(0, Some(true)), mark(1, None), mark(2, Some(false)), mark(3, Some(true))],
                devices: vec![DeviceMark { gateway, device: "B1".into(), online: false, at: at(1), order: grid::LinkOrder::default() }],
                counts: vec![count(1, 10, Some(-40)), count(2, 5, Some(20))],
                ..Batch::default()
            },
            Batch { counts: vec![count(12, 100, Some(30))], ..Batch::default() },
            Batch { counts: vec![count(13, 7, None)], ..Batch::default() },
        ];
        let mut writer = Writer::connect(utility.database.url()).await.unwrap();
        for batch in &batches {
            writer.commit(batch).await.unwrap();
        }
        // A batch whose COMMIT had an unknown outcome is stored again.
        writer.commit(&Batch { counts: Vec::new(), ..batches[0].clone() }).await.unwrap();

        let read = async |from, to, limit| utility.store.link_changes(utility.client, &[gateway], (at(from), at(to)), limit).await.unwrap();
        let fields = |rows: Vec<store::comms::LinkRow>| -> Vec<(String, i64, Option<bool>)> {
            rows.into_iter().map(|row| (row.device, (row.change.at.0 - START.0) / HOUR, row.change.holds)).collect()
        };
        let whole = [
            (String::new(), 0, Some(true)),
            (String::new(), 2, Some(false)),
            (String::new(), 3, Some(true)),
            ("B1".to_owned(), 1, Some(false)),
        ];
        assert_eq!(fields(read(0, 24, 10).await.unwrap()), whole, "{flavour:?}");
        assert_eq!(fields(read(3, 24, 10).await.unwrap()), whole[1..], "how it was before counts");
        assert_eq!(fields(read(-5, 0, 10).await.unwrap()), []);
        assert_eq!(read(0, 24, 3).await, None, "too many");

        let days = utility.store.gateway_days(utility.client, &[gateway], "2026-06-30", "2026-07-03").await.unwrap();
        let days: Vec<_> = days.iter().map(|day| (day.day.as_str(), day.taken, day.late, day.missing, day.skew_ms)).collect();
        assert_eq!(days, [("2026-07-01", 115, 3, 6, Some(-40)), ("2026-07-02", 7, 1, 2, None)], "{flavour:?}");
        let (other, ..) = crate::fixture::enter(&utility.store, "OTHER").await;
        assert_eq!(utility.store.gateway_days(other, &[gateway], "2026-06-30", "2026-07-03").await.unwrap(), []);
        assert_eq!(utility.store.link_changes(other, &[gateway], (at(0), at(24)), 10).await.unwrap(), Some(Vec::new()));
    }
}

#[tokio::test]
async fn expired_link_changes_keep_the_last_state() {
    let utility = utility_on(Flavour::Plain).await;
    let gateway = utility.sites[0].gateway;
    let client = utility.database.client().await;
    for (days, online) in [(900, true), (800, false), (500, true), (399, false)] {
        let statement = "INSERT INTO link_change SELECT $1, $2, '', now() - $3::int4 * INTERVAL '1 day', $4";
        client.execute(statement, &[&utility.client.0, &gateway.0, &days, &online]).await.unwrap();
    }
    drop(Writer::connect(utility.database.url()).await.unwrap());
    let kept = utility.store.link_changes(utility.client, &[gateway], (Micros(0), Micros(i64::MAX / 4)), 10).await.unwrap().unwrap();
    let kept: Vec<Change> = kept.into_iter().map(|row| row.change).collect();
    assert_eq!(kept.iter().map(|change| change.holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
}

#[tokio::test]
async fn a_zone_that_the_server_does_not_know_keeps_nothing_from_being_stored() {
    let utility = utility_on(Flavour::Plain).await;
    let gateway = utility.sites[0].gateway;
    utility.database.client().await.execute("UPDATE client SET time_zone = 'Moon/Base'", &[]).await.unwrap();
    let count = GatewayCount { gateway, at: at(13), taken: 1, late: 0, missing: 0, skew_ms: None, heard: true };
    let mut writer = Writer::connect(utility.database.url()).await.unwrap();
    writer.commit(&Batch { counts: vec![count], ..Batch::default() }).await.unwrap();
    let days = utility.store.gateway_days(utility.client, &[gateway], "2026-07-01", "2026-07-02").await.unwrap();
    assert_eq!(days.iter().map(|day| day.day.as_str()).collect::<Vec<_>>(), ["2026-07-01"], "by the clock of UTC");
}
