//! Replays a recorded data set through an edge node with outbox: each row of a CSV file is a message with the row's time.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use field::sparkplug::{EXPECTED_MS, Metric, MetricValue, UNIT};
use grid::Micros;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::rtu::link::{self, Data, LinkConfig};

/// Maximum number of rows without acknowledgement. At this number, reading pauses.
const WINDOW: usize = 2_000;
/// Largest number of columns of a map.
const COLUMNS_MAX: usize = 200;

/// The metric of each column. Written as TOML:
///
/// ```toml
/// group = "SAGAR"          # the utility's code
/// node = "ETT1"            # the edge node
/// device = "TX1"
/// time = "date"            # the column with the time, YYYY-MM-DD HH:MM[:SS] or ISO 8601
/// zone = "Asia/Shanghai"   # of times without an offset; UTC if left out
/// [[column]]
/// name = "OT"              # the column
/// metric = "TX1/OTI"       # asset/code
/// unit = "°C"
/// ```
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The utility's code.
    pub group: String,
    /// The edge node.
    pub node: String,
    /// The device.
    pub device: String,
    /// The column with the time.
    pub time: String,
    /// IANA zone of times without an offset; default: UTC.
    #[serde(default)]
    pub zone: Option<String>,
    /// The columns to send.
    #[serde(rename = "column")]
    pub columns: Vec<Column>,
}

/// One column to send.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Heading of the column in the file.
    pub name: String,
    /// The metric, `asset/code`.
    pub metric: String,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
}

/// Configuration of a replay.
#[derive(Debug, Clone)]
pub struct ReplayConfig {
    /// The broker.
    pub mqtt_url: String,
    /// The CSV file.
    pub file: PathBuf,
    /// Map from columns to metrics.
    pub map: Map,
    /// Speed relative to the recording; with 0, rows are sent as fast as they are acknowledged.
    pub speed: f64,
}

/// The reason why a replay ends early. Rows are counted from 1, including the heading.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{0}: {1}")]
    File(PathBuf, csv::Error),
    /// A column of the map is not in the file.
    #[error("the file has no column `{0}`; it has {1}")]
    Column(String, String),
    /// The map has no column, or too many.
    #[error("a map names 1 to {COLUMNS_MAX} columns, not {0}")]
    Columns(usize),
    /// The time zone is not valid.
    #[error("`{0}` is not an IANA time zone")]
    Zone(String),
    /// A cell is not a time.
    #[error("row {row}: `{text}` is no time; expected YYYY-MM-DD HH:MM[:SS] or ISO 8601")]
    Time {
        /// The row.
        row: u64,
        /// The content of the cell.
        text: String,
    },
    /// A cell is not a number.
    #[error("row {row}, column `{column}`: `{text}` is no number")]
    Number {
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The content of the cell.
        text: String,
    },
    /// The connection cannot be set up.
    #[error(transparent)]
    Mqtt(#[from] field::client::Error),
    /// Stopped before the end.
    #[error("stopped after {0} rows")]
    Stopped(u64),
}

/// A row: its time and one value per column; an empty cell is an absent value.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Source time.
    pub at: Micros,
    /// Values, in the order of the map's columns.
    pub values: Vec<Option<f64>>,
}

/// Reads the whole file, so that a wrong cell is reported before anything is sent.
fn read(config: &ReplayConfig) -> Result<Vec<Row>, Error> {
    let file = std::fs::File::open(&config.file).map_err(|error| Error::File(config.file.clone(), error.into()))?;
    rows(&config.map, file).map_err(|error| match error {
        Error::File(_, error) => Error::File(config.file.clone(), error),
        error => error,
    })
}

/// Reads the rows of CSV data with a map.
pub fn rows(map: &Map, input: impl std::io::Read) -> Result<Vec<Row>, Error> {
    if map.columns.is_empty() || map.columns.len() > COLUMNS_MAX {
        return Err(Error::Columns(map.columns.len()));
    }
    let zone = match &map.zone {
        Some(name) => TimeZone::get(name).map_err(|_| Error::Zone(name.clone()))?,
        None => TimeZone::UTC,
    };
    let file = |error| Error::File(PathBuf::new(), error);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(input);
    let headings = reader.headers().map_err(file)?.clone();
    let index_of = |name: &str| {
        headings
            .iter()
            .position(|heading| heading == name)
            .ok_or_else(|| Error::Column(name.to_owned(), headings.iter().collect::<Vec<_>>().join(", ")))
    };
    let time = index_of(&map.time)?;
    let columns: Vec<(usize, &str)> =
        map.columns.iter().map(|column| Ok((index_of(&column.name)?, column.name.as_str()))).collect::<Result<_, Error>>()?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(file)?;
        let row = rows.len() as u64 + 2;
        let cell = |index: usize| record.get(index).unwrap_or_default();
        let at = instant(cell(time), &zone).ok_or_else(|| Error::Time { row, text: cell(time).to_owned() })?;
        let number = |&(index, column): &(usize, &str)| match cell(index) {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Some(value)),
                _ => Err(Error::Number { row, column: column.to_owned(), text: text.to_owned() }),
            },
        };
        rows.push(Row { at, values: columns.iter().map(number).collect::<Result<_, _>>()? });
    }
    Ok(rows)
}

fn instant(text: &str, zone: &TimeZone) -> Option<Micros> {
    if let Some(at) = wire::time::parse_iso(text) {
        return Some(at);
    }
    let civil: DateTime = text.parse().ok()?;
    Some(Micros(civil.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond()))
}

/// Replays all rows. Returns the number of rows that were sent and acknowledged.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn run(config: ReplayConfig, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>> {
    Box::pin(replay(config, shutdown))
}

async fn replay(config: ReplayConfig, shutdown: CancellationToken) -> Result<u64, Error> {
    let rows = read(&config)?;
    let map = config.map.clone();
    let described = map.clone();
    // A birth has the present values: those of the last sent row, or absent values before the first row. Rows that are sent again are
    // historical, so only the birth updates the process image to them.
    let nothing = Row { at: rows.first().map_or(Micros(0), |row| row.at.plus_millis(-1)), values: vec![None; map.columns.len()] };
    let (now, current) = watch::channel(nothing);
    let births = Box::new(move || {
        let row = current.borrow();
        let metrics = described.columns.iter().zip(&row.values).map(|(column, value)| {
            let mut metric = Metric::new(column.metric.clone(), value.map_or(MetricValue::Null, MetricValue::Double))
                .at(row.at.millis().cast_unsigned());
            metric.datatype = Some(field::sparkplug::DataType::Double);
            metric.properties =
                vec![(UNIT.to_owned(), MetricValue::Text(column.unit.clone())), (EXPECTED_MS.to_owned(), MetricValue::Int64(3_600_000))];
            metric
        });
        vec![(described.device.clone(), metrics.collect())]
    });
    let link = link::start(
        &LinkConfig { mqtt_url: config.mqtt_url.clone(), group: map.group.clone(), node: map.node.clone(), outboxes: None },
        births,
        shutdown.clone(),
    )?;
    let mut waiting = link.waiting;
    let mut before: Option<Micros> = None;
    let mut sent = 0;
    for row in rows {
        if let (Some(before), true) = (before, config.speed > 0.0) {
            let pause = Duration::from_secs_f64((row.at.millis_since(before).max(0) as f64 / 1_000.0 / config.speed).min(86_400.0));
            tokio::select! { () = sleep(pause) => {}, () = shutdown.cancelled() => return Err(Error::Stopped(sent)) }
        }
        before = Some(row.at);
        now.send_replace(row.clone());
        let stamp = row.at.millis().cast_unsigned();
        let metrics = map
            .columns
            .iter()
            .zip(&row.values)
            .map(|(column, value)| Metric::new(column.metric.clone(), value.map_or(MetricValue::Null, MetricValue::Double)).at(stamp));
        let data = Data { device: map.device.clone(), metrics: metrics.collect() };
        let room = async {
            // A closed link is detected below.
            let _ = waiting.wait_for(|waiting| *waiting < WINDOW).await;
            link.data.send(data).await
        };
        tokio::select! {
            outcome = room => if outcome.is_err() { return Err(Error::Stopped(sent)) },
            () = shutdown.cancelled() => return Err(Error::Stopped(sent)),
        }
        sent += 1;
    }
    drop(link.data);
    // The link ends after the last acknowledgement: it sends its death certificate and closes this channel.
    while waiting.changed().await.is_ok() {}
    if *waiting.borrow() == 0 { Ok(sent) } else { Err(Error::Stopped(sent)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a file with this content.
    fn read_bytes(bytes: &[u8]) -> Result<Vec<Row>, Error> {
        let (config, file) = config("");
        std::fs::write(&file, bytes).unwrap();
        let rows = read(&config);
        std::fs::remove_file(file).unwrap();
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_file_panics(bytes in any::<Vec<u8>>(), text in "date,a,b\n([0-9:. T-]{0,20},[0-9eE.+-]{0,8},[a-zN0-9\"]{0,5}\n){0,5}") {
            let _ = (read_bytes(&bytes), read_bytes(text.as_bytes()));
        }

        #[test]
        fn a_number_is_read_as_it_was_written(value in any::<f64>().prop_filter("a file has no others", |value| value.is_finite())) {
            let rows = read_bytes(format!("date,a,b\n2016-07-01 00:00:00,{value},{value:e}\n").as_bytes()).unwrap();
            prop_assert_eq!(&rows[0].values, &[Some(value), Some(value)]);
        }
    }

    fn config(text: &str) -> (ReplayConfig, PathBuf) {
        let file = std::env::temp_dir().join(format!("switchyard-replay-{:x}.csv", rand::random::<u64>()));
        std::fs::write(&file, text).unwrap();
        let column = |name: &str| Column { name: name.into(), metric: format!("TX1/{name}"), unit: String::new() };
        let map = Map {
            group: "G".into(),
            node: "N".into(),
            device: "TX1".into(),
            time: "date".into(),
            zone: Some("Asia/Kolkata".into()),
            columns: vec![column("a"), column("b")],
        };
        (ReplayConfig { mqtt_url: String::new(), file: file.clone(), map, speed: 0.0 }, file)
    }

    #[test]
    fn rows_are_read_in_the_zone_and_an_empty_cell_is_absent() {
        let (config, file) = config("date,b,a\n2016-07-01 05:30:00,2.5,1\n2016-07-01T00:00:01Z,,-3e2\n");
        let rows = read(&config).unwrap();
        assert_eq!(rows[0], Row { at: Micros::from_millis(1_467_331_200_000), values: vec![Some(1.0), Some(2.5)] });
        assert_eq!(rows[1], Row { at: Micros::from_millis(1_467_331_201_000), values: vec![Some(-300.0), None] });
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_bad_cell_is_told_by_row_and_column() {
        let cases = [
            ("date,a,b\n2016-07-01 00:00:00,1,x\n", "row 2, column `b`: `x` is no number"),
            (
                "date,a,b\n2016-07-01 00:00:00,1,2\nyesterday,1,2\n",
                "row 3: `yesterday` is no time; expected YYYY-MM-DD HH:MM[:SS] or ISO 8601",
            ),
            ("date,a\n", "the file has no column `b`; it has date, a"),
            ("date,a,b\n2016-07-01 00:00:00,NaN,1\n", "row 2, column `a`: `NaN` is no number"),
        ];
        for (text, expected) in cases {
            let (config, file) = config(text);
            assert_eq!(read(&config).unwrap_err().to_string(), expected);
            std::fs::remove_file(file).unwrap();
        }
    }
}
