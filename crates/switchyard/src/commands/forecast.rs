//! `switchyard forecast`: issues the forecasts that are due, or prints the error of each method.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use forecast::{History, bands, by};
use grid::downsample::floor;
use grid::forecast::score::{LEAST_A, LEAST_KW, Score, least, score, skill};
use grid::forecast::{Measure, Method, WEEK, mean_of};
use grid::{AssetId, PointId};

use crate::cli::{ForecastCommand, MeasureArg};
use crate::clock::now;
use crate::console::{print, say};
use crate::settings::Settings;

const HOUR_MS: i64 = 3_600_000;

/// Runs one of its subcommands.
pub(crate) async fn run(settings: Settings, command: ForecastCommand) -> anyhow::Result<()> {
    match command {
        ForecastCommand::Run => issue(settings).await,
        ForecastCommand::Backtest { asset, weeks, measure } => backtest(settings, AssetId(asset), weeks, measure.of_grid()).await,
    }
}

/// Issues forecasts once. Forecasts that other processes have issued are kept.
async fn issue(settings: Settings) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    let shutdown = crate::shutdown::on_signal()?;
    let follow = registry::FollowSettings::new(settings.database.url.as_str());
    let Some(registry) = registry::follow(store.clone(), follow, shutdown.clone()).await else { return Ok(()) };
    let mut worker = analytics::forecast::Worker::new(settings.forecast.config(), store, registry);
    let began = Instant::now();
    let done = worker.turn(now(), &shutdown).await?;
    say(&format!(
        "{} forecasts issued, {} made up for days that are over, {} days wait for history; {:.1} s.",
        done.issued,
        done.backcast,
        done.waiting,
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// The results of one method over all weeks.
#[derive(Default)]
struct Trial {
    pairs: Vec<(Option<f64>, Option<f64>)>,
    /// Number of hours with a band, and number of them whose value was within it.
    banded: [usize; 2],
    took: Duration,
    forecasts: u32,
}

async fn backtest(settings: Settings, asset: AssetId, weeks: u32, measure: Measure) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    let registry = store.registry(None).await?;
    let record = registry.assets.iter().find(|record| record.id == asset).with_context(|| format!("there is no asset {asset}"))?;
    let points: Vec<PointId> = registry
        .points
        .iter()
        .filter(|point| point.asset == asset && measure.codes().contains(&point.code.as_str()))
        .map(|point| point.id)
        .collect();
    ensure!(!points.is_empty(), "{} has none of {}", record.name, measure.codes().join(", "));
    let to = floor(now(), HOUR_MS);
    let from = to.plus_millis(-((weeks as usize + forecast::HISTORY_MAX / WEEK) as i64) * WEEK as i64 * HOUR_MS);
    let lines = store.hourly(record.client, &points, from, to).await?;
    let scale = if measure == Measure::Demand { 1_000.0 } else { 1.0 };
    let lines: Vec<&[Option<f64>]> = points.iter().filter_map(|point| lines.get(point)).map(Vec::as_slice).collect();
    let hours: Vec<Option<f64>> = mean_of(&lines).iter().map(|hour| hour.map(|value| value * scale)).collect();
    if hours.iter().flatten().count() < 2 * WEEK {
        bail!("{} has less than two weeks of values", record.name);
    }
    let next = to.millis().div_euclid(HOUR_MS);
    let name = record.name.clone();
    let table = tokio::task::spawn_blocking(move || {
        let trials = Method::ALL.map(|method| (method, trial(method, &hours, next, weeks as usize)));
        let largest = hours.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
        table(&trials, least(None, largest, if measure == Measure::Demand { LEAST_KW } else { LEAST_A }))
    });
    let table = table.await?;
    let unit = if measure == Measure::Demand { "kW" } else { "A" };
    print(&format!("{name}, {} ({unit}), each of the last {weeks} weeks told at its start\n{table}", measure.as_str()));
    Ok(())
}

/// Runs a method for each week, with the data that were known at the start of the week.
fn trial(method: Method, hours: &[Option<f64>], next: i64, weeks: usize) -> Trial {
    let mut trial = Trial::default();
    for week in (1..=weeks).rev() {
        let end = hours.len() - week * WEEK;
        let history = History { hours: &hours[..end], dropped: &[], next: next - (week * WEEK) as i64 };
        let began = Instant::now();
        let predicted = by(method, history, WEEK);
        trial.took += began.elapsed();
        trial.forecasts += 1;
        let Some(predicted) = predicted else {
            trial.pairs.extend(hours[end..end + WEEK].iter().map(|actual| (*actual, None)));
            continue;
        };
        let bands = bands(method, history);
        for (hour, (actual, predicted)) in hours[end..end + WEEK].iter().zip(&predicted.hours).enumerate() {
            trial.pairs.push((*actual, *predicted));
            let bounds = predicted.and_then(|predicted| bands.around(history.next + hour as i64, predicted));
            if let Some((actual, [low, high])) = actual.zip(bounds) {
                trial.banded[0] += 1;
                trial.banded[1] += usize::from((low..=high).contains(&actual));
            }
        }
    }
    trial
}

fn table(trials: &[(Method, Trial)], least: f64) -> String {
    let scored: Vec<Score> = trials.iter().map(|(_, trial)| score(trial.pairs.iter().copied(), least)).collect();
    // The baseline: the value of the same hour of the week before.
    let plain = trials.iter().position(|(method, _)| *method == Method::Week).map(|at| scored[at]).unwrap_or_default();
    let naive = plain.wape;
    let percent = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    let mut lines =
        format!("{:<16} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8}\n", "method", "MAPE %", "WAPE %", "rMAE", "skill", "in band %", "ms");
    for ((method, trial), score) in trials.iter().zip(&scored) {
        let within = (trial.banded[0] > 0).then(|| 100.0 * trial.banded[1] as f64 / trial.banded[0] as f64);
        let took = trial.took.as_secs_f64() * 1_000.0 / f64::from(trial.forecasts.max(1));
        let _ = writeln!(
            lines,
            "{:<16} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8.1}",
            method.as_str(),
            percent(score.mape),
            percent(score.wape),
            score.rmae.map_or_else(|| "-".to_owned(), |rmae| format!("{rmae:.3}")),
            percent(skill(score.wape, naive)),
            within.map_or_else(|| "-".to_owned(), |within| format!("{within:.0}")),
            took,
        );
    }
    lines.push_str("Skill is 1 - WAPE / WAPE of last_week; 80 % should lie in the band. MAPE is of ");
    let Score { used, small, missing, .. } = plain;
    let _ = writeln!(lines, "hours of at least {least:.1}; of last_week used, too small, missing: {used}, {small}, {missing}.");
    lines
}

impl MeasureArg {
    fn of_grid(self) -> Measure {
        match self {
            Self::Demand => Measure::Demand,
            Self::Current => Measure::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_its_line_and_knows_only_what_was_before() {
        // A ramp by the hour of the week that repeats: the value of a week ago is always right, that of a day ago is
        // not.
        let hours: Vec<Option<f64>> = (0..6 * WEEK).map(|hour| Some(100.0 + (hour % WEEK) as f64)).collect();
        let trials = Method::ALL.map(|method| (method, trial(method, &hours, hours.len() as i64, 2)));
        let printed = table(&trials, 1.0);
        let line = |word: &str| {
            printed.lines().find(|line| line.starts_with(word)).expect(word).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(line("last_week")[1..4], ["0.00", "0.00", "0.000"]);
        assert_eq!(line("mean_of_4_weeks")[1], "0.00");
        assert!(line("yesterday")[1].parse::<f64>().expect("a number") > 5.0, "{printed}");
        assert!(printed.contains("336, 0, 0"), "{printed}");
        let future = trial(Method::Week, &hours[..=WEEK], 0, 1);
        assert!(future.pairs.iter().all(|(_, predicted)| predicted.is_none()), "an hour before the week tells nothing of it");
    }
}
