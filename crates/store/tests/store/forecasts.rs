//! Forecasts: stored forecasts are kept, the valid forecast of an hour was issued before it, and utilities are separate.

use grid::forecast::{Measure, Method};
use grid::{Micros, PointId};
use store::forecast::{HourForecast, Issue, Issued};

use crate::fixture::{START, Utility, enter, utility};

const HOUR_MS: i64 = 3_600_000;

fn hour(number: i64) -> Micros {
    START.plus_millis(number * HOUR_MS)
}

/// A forecast of the given number of hours, with the same value in all of them.
fn issue(utility: &Utility, at: i64, hours: usize, value: f32) -> Issue {
    Issue {
        asset: utility.sites[0].breaker,
        measure: Measure::Demand,
        issued: hour(at),
        method: Method::FourWeeks,
        backcast: false,
        hours: vec![HourForecast { value: Some(value), q10: Some(value - 1.0), q90: None }; hours],
    }
}

#[tokio::test]
async fn what_counts_for_an_hour_is_the_newest_issued_before_it() {
    let utility = utility().await;
    let (store, client, asset) = (&utility.store, utility.client, utility.sites[0].breaker);
    let mut silent = issue(&utility, 2, 2, 5.0);
    silent.hours[1].value = None;
    store.put_forecasts(client, &[issue(&utility, 0, 6, 1.0), issue(&utility, 2, 1, 2.0), issue(&utility, 4, 168, 3.0)]).await.unwrap();
    store.put_forecasts(client, &[silent.clone(), issue(&utility, 4, 1, 9.0)]).await.unwrap();
    let found = store.foreseen(client, asset, Measure::Demand, hour(-1), hour(7)).await.unwrap();
    let fields: Vec<_> = found.iter().map(|hour| (hour.hour, hour.issued, hour.forecast.value)).collect();
    let expected: Vec<_> = [(0, 0, 1.0), (1, 0, 1.0), (2, 2, 2.0), (3, 0, 1.0), (4, 4, 3.0), (5, 4, 3.0), (6, 4, 3.0)]
        .map(|(of, at, value)| (hour(of), hour(at), Some(value)))
        .into();
    assert_eq!(fields, expected, "the first issue of an hour stays");
    assert_eq!(
        (found[0].forecast.q10, found[0].forecast.q90, found[0].method, found[0].backcast),
        (Some(0.0), None, Method::FourWeeks, false)
    );
    assert_eq!(store.foreseen(client, asset, Measure::Current, hour(-1), hour(7)).await.unwrap(), []);
    let last = store.foreseen(client, asset, Measure::Demand, hour(171), hour(180)).await.unwrap();
    assert_eq!(last.iter().map(|hour| hour.hour).collect::<Vec<_>>(), [hour(171)], "the last of a week");

    silent.issued = hour(5);
    silent.hours = vec![HourForecast { value: None, ..HourForecast::default() }];
    silent.backcast = true;
    store.put_forecasts(client, &[silent]).await.unwrap();
    let made_up = Issue { method: Method::Week, backcast: true, ..issue(&utility, 6, 168, 7.0) };
    store.put_forecasts(client, &[made_up]).await.unwrap();
    let found = store.foreseen(client, asset, Measure::Demand, hour(6), hour(173)).await.unwrap();
    let fields: Vec<_> = found.iter().filter(|hour| hour.backcast).map(|hour| hour.hour).collect();
    assert_eq!(fields, [hour(172)], "what is made afterwards stands only where nobody was told anything");
    let unknown = "INSERT INTO forecast (client_id, asset_id, measure, issued, method, backcast, value, q10, q90)
        SELECT client_id, asset_id, measure, issued + INTERVAL '1 hour', 'oracle', false, value, q10, q90 FROM forecast WHERE method = 'last_week'";
    utility.database.client().await.batch_execute(unknown).await.unwrap();
    assert_eq!(
        store.foreseen(client, asset, Measure::Demand, hour(6), hour(173)).await.unwrap(),
        found,
        "methods of a newer program do not count"
    );

    let unsaid = store.foreseen(client, asset, Measure::Demand, hour(5), hour(6)).await.unwrap();
    assert_eq!(unsaid[0].issued, hour(4), "who says nothing of an hour does not silence who did");
}

#[tokio::test]
async fn what_there_is_is_told_and_what_is_too_old_goes() {
    let utility = utility().await;
    let (store, client, asset) = (&utility.store, utility.client, utility.sites[0].breaker);
    // The start is at 06:00 UTC.
    let issues = [-30, 0, 18, 42, 43].map(|at| issue(&utility, at, 24, 1.0));
    store.put_forecasts(client, &issues).await.unwrap();
    let found = store.issued(client, hour(-29)).await.unwrap();
    let expected = Issued { newest: hour(43), days: vec![hour(18), hour(42)], covered: vec![(hour(0), hour(67))] };
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [((asset, Measure::Demand), expected)]);
    assert_eq!(store.expire_forecasts(hour(18)).await.unwrap(), 2);
    assert_eq!(store.issued(client, hour(-100)).await.unwrap()[&(asset, Measure::Demand)].days.len(), 2);
    assert_eq!(utility.count("forecast").await, 3);
}

#[tokio::test]
async fn a_forecast_is_of_one_utility() {
    let utility = utility().await;
    let (other, ..) = enter(&utility.store, "KSEB").await;
    let (store, asset) = (&utility.store, utility.sites[0].breaker);
    assert!(store.put_forecasts(other, &[issue(&utility, 0, 1, 1.0)]).await.is_err(), "an asset of another utility");
    store.put_forecasts(utility.client, &[issue(&utility, 0, 1, 1.0)]).await.unwrap();
    assert_eq!(store.foreseen(other, asset, Measure::Demand, hour(0), hour(1)).await.unwrap(), []);
    assert!(store.issued(other, hour(0)).await.unwrap().is_empty());
    let too_long = issue(&utility, 1, 169, 1.0);
    assert!(store.put_forecasts(utility.client, &[too_long]).await.is_err());
}

#[tokio::test]
async fn hours_are_means_of_what_was_measured_in_them_and_gaps_stay_gaps() {
    let utility = utility().await;
    let point = utility.sites[0].current;
    // Ten minutes apart: hour 0 has 0 to 5, hour 1 nothing, hours 2 to 29 their number.
    let samples = (0..180).filter(|ten| !(6..12).contains(ten)).map(|ten| {
        let value = if ten < 6 { ten } else { ten / 6 };
        utility.sample(point, ten * 600, value as f64)
    });
    let batch = store::writer::Batch { samples: samples.collect(), ..store::writer::Batch::default() };
    utility.writer().await.commit(&batch).await.unwrap();
    for to in [hour(1), hour(2), hour(3), hour(30)] {
        let found = utility.store.hourly(utility.client, &[point, PointId(987_654_321)], START.plus_millis(1), to).await.unwrap();
        assert_eq!(found.len(), 1);
        let count = usize::try_from(to.millis_since(START) / HOUR_MS).unwrap();
        let expected: Vec<Option<f64>> =
            [Some(2.5), None].into_iter().chain((2..30).map(|hour| Some(f64::from(hour)))).take(count).collect();
        assert_eq!(found[&point], expected);
    }
    let early = utility.store.hourly(utility.client, &[point], hour(-5_000), hour(2)).await.unwrap();
    assert_eq!((early[&point].len(), early[&point][5_000], early[&point][4_999]), (5_002, Some(2.5), None));
}
