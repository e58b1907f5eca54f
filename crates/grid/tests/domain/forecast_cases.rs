//! Compares scores and baselines of forecasts with published results.
//!
//! The cases of vectors/forecast.json are our own numbers and two published examples. SWITCHYARD_TEST_FORECAST_JSON can name a file with a real load
//! of four weeks and the following week, four forecasts of it and their scores. The licence of that data requires sharing alike, so it is not in the
//! repository; without the file the test reports that it was skipped.

use grid::forecast::baseline::{same_hour_mean, seasonal_naive};
use grid::forecast::score::{Score, score};
use grid::forecast::{DAY, WEEK};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn series(value: &Value) -> Vec<Option<f64>> {
    value.as_array().expect("a list").iter().map(Value::as_f64).collect()
}

fn scored(actual: &Value, forecast: &Value, least: f64) -> Score {
    score(series(actual).into_iter().zip(series(forecast)), least)
}

fn close(what: &str, ours: Option<f64>, theirs: &Value, tolerance: f64) {
    let ours = ours.unwrap_or_else(|| panic!("{what} is missing"));
    assert!((ours - number(theirs)).abs() <= tolerance, "{what}: {ours}, expected {theirs}");
}

#[test]
fn what_is_missing_or_too_small_is_counted_and_in_no_percentage() {
    let vectors: Value = serde_json::from_str(include_str!("../vectors/forecast.json")).expect("JSON");
    let (inputs, outputs) = (&vectors["mape_zero_handling"]["inputs"], &vectors["mape_zero_handling"]["outputs"]);
    let found = scored(&inputs["actual"], &inputs["forecast"], 1.0);
    let counts = [found.used + found.small + found.missing, found.missing, found.small, found.used];
    assert_eq!(
        counts.map(|count| Value::from(count as u64)),
        ["n_total", "n_missing", "n_skipped_small", "n_used"].map(|key| outputs[key].clone())
    );
    close("MAPE", found.mape, &outputs["MAPE_percent"], 1e-6);
    close("WAPE", found.wape, &outputs["WAPE_all_valid_percent"], 1e-6);
}

#[test]
fn the_published_examples_come_out() {
    let vectors: Value = serde_json::from_str(include_str!("../vectors/forecast.json")).expect("JSON");
    let example = &vectors["openstef_docstring_examples"];
    let found = scored(&example["y_true"], &example["y_pred"], 1.0);
    // The published values have four and three decimals.
    close("MAPE", found.mape.map(|percent| percent / 100.0), &example["MAPE"], 5e-5);
    close("rMAE", found.rmae, &example["rMAE"], 5e-4);
}

#[test]
fn baselines_and_metrics_of_a_real_load() {
    let Some(file) = std::env::var_os("SWITCHYARD_TEST_FORECAST_JSON") else {
        println!("skipped: SWITCHYARD_TEST_FORECAST_JSON names no file");
        return;
    };
    let vectors: Value = serde_json::from_slice(&std::fs::read(file).expect("readable")).expect("JSON");
    let train = series(&vectors["inputs"]["train_kw"]);
    for (name, ours) in [
        ("seasonal_naive_24h", Some(seasonal_naive(&train, DAY, WEEK))),
        ("seasonal_naive_168h", Some(seasonal_naive(&train, WEEK, WEEK))),
        ("mean_of_4_same_weekhour", Some(same_hour_mean(&train, &[], WEEK))),
        ("holt_winters_add_168_alpha0.1_gamma0.2", None),
    ] {
        let theirs = &vectors["outputs"][name];
        for (hour, (ours, theirs)) in ours.iter().flatten().zip(theirs["forecast"].as_array().expect("a list")).enumerate() {
            close(&format!("{name}, hour {hour}"), *ours, theirs, 1e-6);
        }
        let (found, metrics) = (scored(&vectors["inputs"]["test_kw"], &theirs["forecast"], 1.0), &theirs["metrics"]);
        for (metric, ours) in [
            ("MAE", found.mae),
            ("RMSE", found.rmse),
            ("MAPE_percent", found.mape),
            ("WAPE_percent", found.wape),
            ("rMAE_openstef", found.rmae),
        ] {
            close(&format!("{name}, {metric}"), ours, &metrics[metric], 1e-6);
        }
    }
}
