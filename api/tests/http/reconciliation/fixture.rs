//! A utility with a month of events, meter readings, powers, faults, link changes and forecasts. Just outside of the month are larger values, so that a month
//! with wrong bounds has other figures.

use grid::fault::{Fault, FaultRecord};
use grid::forecast::{Measure, Method};
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, PointId};
use jiff::civil::{Date, date};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp};
use serde_json::Value;
use store::Store;
use store::forecast::{HourForecast, Issue};
use store::seed::PointSeed;

use crate::energy_field::{HOUR_MS, MINUTE_MS, asset, now, points, write};
use crate::reliability::{fed, happen};
use crate::reports::question;
use crate::server::Server;

const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;
/// Interval of the readings of power, ms.
const POWER_MS: i64 = 5 * MINUTE_MS;
const DAY_S: i64 = 86_400;

/// A month of a utility's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Month {
    pub(super) zone: &'static str,
    pub(super) year: i16,
    pub(super) of_year: i8,
}

impl Month {
    /// Returns the last month. In the first days of a month it is the one before: the figures of its last day can be incomplete.
    pub(super) fn recent(zone: &'static str) -> Self {
        let day = Timestamp::now().to_zoned(time_zone(zone)).date().saturating_sub(Span::new().days(3));
        let last = day.first_of_month().yesterday().expect("a day");
        Self { zone, year: last.year(), of_year: last.month() }
    }

    /// Returns whether calls about the last month are about this month.
    pub(super) fn is_last(self) -> bool {
        let today = Timestamp::now().to_zoned(time_zone(self.zone)).date();
        self.end() == today.first_of_month()
    }

    fn first(self) -> Date {
        date(self.year, self.of_year, 1)
    }

    fn end(self) -> Date {
        self.first().saturating_add(Span::new().months(1))
    }

    /// Returns the number of the month in its year, from 0.
    pub(super) fn nth(self) -> usize {
        usize::try_from(self.of_year - 1).expect("a month")
    }

    pub(super) fn text(self) -> String {
        format!("{:04}-{:02}", self.year, self.of_year)
    }

    pub(super) fn yyyymm(self) -> String {
        self.text().replace('-', "")
    }

    fn span(self) -> (Micros, Micros) {
        let midnight = |day: Date| Micros(day.to_zoned(time_zone(self.zone)).expect("a midnight").timestamp().as_microsecond());
        (midnight(self.first()), midnight(self.end()))
    }

    /// Returns the instant some seconds after the midnight at which a day begins. Day 1 is the first day of the month, 0 the day before; -1 is the last one.
    fn at(self, day: i64, second: i64) -> Micros {
        let day =
            if day < 0 { self.end().saturating_add(Span::new().days(day)) } else { self.first().saturating_add(Span::new().days(day - 1)) };
        let midnight = day.to_zoned(time_zone(self.zone)).expect("a midnight");
        Micros(midnight.timestamp().as_microsecond() + second * 1_000_000)
    }
}

fn time_zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).expect("a zone")
}

type SeriesOfLosses = (usize, i64, i64, &'static [(i64, i64)]);

/// Losses of supply: feeder, start as day and second of the day, and the losses of the series, each with seconds after the start and its duration.
const SERIES: [SeriesOfLosses; 10] = [
    // Since this loss something is known.
    (0, 0, -20 * DAY_S, &[(0, 600)]),
    // Across the midnight at which the month begins: it belongs to the month before.
    (0, 0, 86_000, &[(0, 1_200)]),
    // The clocks of New York skip an hour within it, and those of Berlin within the next one.
    (2, 8, 5_000, &[(0, 7_200)]),
    (1, -3, 3_000, &[(0, 10_800)]),
    (2, 10, 40_000, &[(0, 1)]),
    // Two shots that fail, and the lockout.
    (0, 12, 40_000, &[(0, 1), (2, 15), (18, 2_382)]),
    (1, 15, 0, &[(0, 30), (100, 30)]),
    // As long as a momentary interruption can be.
    (0, 20, 1_000, &[(0, 300)]),
    // Across the midnight at which the month ends.
    (2, -1, 86_000, &[(0, 900)]),
    (1, -1, 86_500, &[(0, 3_600)]),
];

/// Starts of faults: day and second of the day.
const FAULTS: [(i64, i64); 6] = [(0, 86_390), (1, 10), (8, 9_000), (15, 40_000), (-1, 86_390), (-1, 86_410)];

/// Changes of the gateway's link: day, second of the day, and whether it is online then.
const LINKS: [(i64, i64, bool); 9] = [
    (0, 0, true),
    (0, 86_000 - 1_200, false),
    (1, 3_600, true),
    (8, 3_600, false),
    (8, 21_600, true),
    (-3, 3_600, false),
    (-3, 14_400, true),
    (-1, 82_800, false),
    (-1, 90_000, true),
];

pub(super) struct Fixture {
    pub(super) server: Server,
    pub(super) month: Month,
    /// The asset with a forecast, in another substation.
    pub(super) forecast_of: i64,
    pub(super) forecast_days: i64,
}

impl Fixture {
    pub(super) async fn enter(month: Month) -> Self {
        let (server, feeders, positions) = fed().await;
        let statement = format!("UPDATE client SET time_zone = '{}' WHERE id = {}", month.zone, server.one.client);
        server.database.client().await.batch_execute(&statement).await.expect("updated");
        happen(&server, &events(month, positions)).await;
        let store = Store::connect(server.database.url(), 1).await.expect("connected");
        faults(&server, &store, month).await;
        links(&server, month).await;
        energy(&server, &store, month, feeders).await;
        demand(&server, &store, month, feeders).await;
        let forecast_of = forecasts(&server, &store).await.0;
        Self { server, month, forecast_of, forecast_days: 2 }
    }

    pub(super) fn location(&self) -> i64 {
        self.server.one.location.0
    }

    pub(super) fn feeder(&self) -> i64 {
        self.server.one.feeder.0
    }

    /// Returns start and end of the month as in a query.
    pub(super) fn span(&self) -> (String, String) {
        let (start, end) = self.month.span();
        (wire::time::iso(start), wire::time::iso(end))
    }

    /// Returns the length of the month.
    pub(super) fn minutes(&self) -> f64 {
        let (start, end) = self.month.span();
        end.millis_since(start) as f64 / MINUTE_MS as f64
    }

    /// Returns the days of the month as the specification's calls name them.
    pub(super) fn dates(&self) -> String {
        format!("location:{}:{}", self.location(), self.first_and_last().replace(',', "_"))
    }

    pub(super) fn first_and_last(&self) -> String {
        format!("{},{}", self.month.first(), self.month.end().yesterday().expect("a day"))
    }

    pub(super) fn question(&self, report: &str) -> Value {
        question(report, "location", self.location(), 2, &self.month.text())
    }

    /// Formats an instant by the utility's clock, as in documents.
    pub(super) fn local(&self, instant: &str) -> String {
        let at: Timestamp = instant.parse().expect("an instant");
        at.to_zoned(time_zone(self.month.zone)).strftime("%Y-%m-%d %H:%M").to_string()
    }
}

fn events(month: Month, positions: [PointId; 3]) -> Vec<(PointId, f64, Micros)> {
    let of = |(feeder, day, start, losses): (usize, i64, i64, &[(i64, i64)])| {
        let loss = |(after, lasted): &(i64, i64)| {
            let at = month.at(day, start + after);
            [(positions[feeder], OPEN, at), (positions[feeder], CLOSED, at.plus_millis(lasted * 1_000))]
        };
        losses.iter().flat_map(loss).collect::<Vec<_>>()
    };
    let mut events: Vec<_> = SERIES.into_iter().flat_map(of).collect();
    events.sort_by_key(|(_, _, at)| *at);
    events
}

async fn faults(server: &Server, store: &Store, month: Month) {
    let one = &server.one;
    for (day, second) in FAULTS {
        let start = month.at(day, second);
        let record = FaultRecord {
            client: one.client,
            id: 0,
            breaker: one.position,
            asset: one.feeder,
            asset_name: String::new(),
            location: one.location,
            location_name: String::new(),
            customers: 200,
            fault: Fault {
                start,
                end: Some(start.plus_millis(90_000)),
                opened: start,
                trips: 1,
                reclosed: false,
                lockout: true,
                currents: [Some(3_000.0), Some(90.0), Some(80.0)],
            },
            offset: 0,
        };
        store.enter_alarms(one.client, None, (&[], &[one.position]), |ledger| ledger.put_fault(record.clone())).await.expect("entered");
    }
}

async fn links(server: &Server, month: Month) {
    let client = server.database.client().await;
    for (day, second, online) in LINKS {
        let at = wire::time::iso(month.at(day, second));
        let statement = format!("INSERT INTO link_change VALUES ({}, {}, '', '{at}', {online})", server.one.client, server.one.gateway);
        client.batch_execute(&statement).await.expect("entered");
    }
}

/// Enters registers that are read ten minutes after each full hour, so that no reading is at a midnight. The incoming line is not read for 30 hours.
async fn energy(server: &Server, store: &Store, month: Month, feeders: [AssetId; 3]) {
    let one = &server.one;
    let line = store.put_assets(&[asset(one, one.location, "L1", 4, "feeder", 33.0)]).await.expect("assets")[0];
    let (from, until) = (month.at(0, 0), month.at(-1, 2 * DAY_S));
    let silent = (month.at(20, 40_000), month.at(20, 40_000 + 30 * 3_600));
    let start = grid::downsample::floor(from, HOUR_MS).plus_millis(10 * MINUTE_MS);
    let mut values = Vec::new();
    for (nth, (id, name)) in [(line, "L1"), (feeders[0], "F1"), (feeders[1], "F2"), (feeders[2], "F3")].into_iter().enumerate() {
        let registers = points(store, one, id, name, &["EImp", "EExp"]).await;
        // The register of the last feeder rolls over.
        let (mut imported, mut exported) = (if nth == 3 { 99_500.0 } else { 1_000.0 }, 70.0);
        for hour in 0.. {
            let at = start.plus_millis(hour * HOUR_MS);
            if at > until {
                break;
            }
            let is_read = nth > 0 || at < silent.0 || at > silent.1;
            if is_read {
                values.extend([(registers[0], at, imported % 100_000.0), (registers[1], at, exported)]);
            }
            let course = |feeder: i64| 1.0 + ((hour * 7 + feeder * 3) % 11) as f64 / 10.0;
            imported += if nth == 0 { 1.03 * (1..=3).map(course).sum::<f64>() } else { course(nth as i64) };
            exported += 5.0 * ((hour + nth as i64) % 4) as f64;
        }
    }
    write(server, &values).await;
}

/// Enters powers of some days. The largest demand within the month is on the day on which the clocks of Berlin change.
async fn demand(server: &Server, store: &Store, month: Month, feeders: [AssetId; 3]) {
    let one = &server.one;
    let seed = |(id, name): (AssetId, &str)| PointSeed {
        client: one.client,
        gateway: one.gateway,
        device: name.into(),
        metric: format!("{name}/P"),
        code: "P".into(),
        asset: id,
        kind: kind_of_code("P"),
        quantity: Quantity::of_code("P"),
        unit: "MW".into(),
        decimals: 3,
        scale: 1.0,
        expected_ms: Some(POWER_MS),
    };
    let seeds = [(feeders[0], "F1"), (feeders[1], "F2"), (feeders[2], "F3")].map(seed);
    let powers = store.put_points(&seeds).await.expect("points");
    let (begin, end) = month.span();
    let (peak, silent) = (month.at(-3, 82_800), month.at(8, 36_000));
    let within = |at: Micros, from: Micros| (0..15 * MINUTE_MS).contains(&at.millis_since(from));
    let mut values = Vec::new();
    for day in [0, 1, 2, 8, 9, -3, -2, -1] {
        // After the last day, an hour of the next month. A day of 23 hours overlaps with the next one.
        for nth in 0..if day == -1 { 300 } else { 288 } {
            let at = month.at(day, nth * POWER_MS / 1_000);
            for (feeder, power) in powers.iter().enumerate() {
                let usual = 1.0 + ((nth * 5 + feeder as i64 * 7 + day.abs()) % 13) as f64 / 10.0;
                let value = if within(at, peak) {
                    4.0 + feeder as f64 / 8.0
                } else if at < begin || at >= end {
                    9.0
                } else if within(at, silent) {
                    8.0
                } else {
                    usual
                };
                // While one feeder is silent, the sum of the others is no peak.
                if !(within(at, silent) && feeder == 1) {
                    values.push((*power, at, value));
                }
            }
        }
    }
    values.sort_by_key(|(point, at, _)| (*point, *at));
    values.dedup_by_key(|(point, at, _)| (*point, *at));
    write(server, &values).await;
}

/// Enters hourly values of two days and two forecasts of them; returns the asset.
async fn forecasts(server: &Server, store: &Store) -> AssetId {
    let one = &server.one;
    let id = store.put_assets(&[asset(one, one.other_location, "F9", 1, "feeder", 11.0)]).await.expect("assets")[0];
    let power = points(store, one, id, "F9", &["P"]).await[0];
    let to = grid::downsample::floor(now(), HOUR_MS);
    let hour = |number: i64| to.plus_millis(number * HOUR_MS);
    let load = |number: i64| 1.0 + (number.rem_euclid(7)) as f64 / 8.0;
    // Two hours are not known.
    let known = (-60..0).filter(|number| ![-5, -4].contains(number));
    write(server, &known.map(|number| (power, hour(number).plus_millis(1_000), load(number))).collect::<Vec<_>>()).await;
    let issue = |at: i64, factor: f64| Issue {
        asset: id,
        measure: Measure::Demand,
        issued: hour(at),
        method: Method::MstlEts,
        backcast: false,
        hours: (at..at + 48).map(|number| HourForecast { value: Some((load(number) * factor) as f32), q10: None, q90: None }).collect(),
    };
    store.put_forecasts(one.client, &[issue(-48, 1.25), issue(-12, 0.9)]).await.expect("stored");
    id
}
