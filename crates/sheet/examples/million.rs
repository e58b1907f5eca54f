//! Writes a report of a million rows in each format and prints rows per second, size and memory: `scripts/bench million`.
//!
//! For one format with another number of rows: `cargo run --release -p sheet --example million -- xlsx 1000000`. `--short` writes few rows in each
//! format.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs::File;
use std::io::BufWriter;
use std::process::Command;
use std::time::Instant;

use grid::time::Micros;
use jiff::tz::TimeZone;
use sheet::{Cell, Column, ColumnKind, Format, Report, Room, Table, Writer};

fn report() -> Report {
    let columns = vec![
        Column::new("Time", "", ColumnKind::Second),
        Column::new("Feeder", "", ColumnKind::Text),
        Column::new("Load", "kW", ColumnKind::Number { decimals: Some(1) }),
        Column::new("Voltage", "kV", ColumnKind::Number { decimals: Some(2) }),
        Column::new("Current", "A", ColumnKind::Number { decimals: Some(1) }),
        Column::new("Power factor", "", ColumnKind::Number { decimals: Some(3) }),
        Column::new("Quality", "", ColumnKind::Text),
        Column::new("Remark", "", ColumnKind::Text),
    ];
    Report {
        utility: "Coast Power".into(),
        logo: None,
        made_by: "Asha Rao".into(),
        title: "Hourly feeder log".into(),
        facts: [("Level", "Location"), ("Report", "EE_HOURLY_FEEDER_LOG"), ("Type", "Historic"), ("Frequency", "Financial year")]
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
        zone: TimeZone::get("Asia/Kolkata").expect("jiff brings its zones"),
        made: Micros::from_millis(1_795_340_045_000),
        tables: vec![Table { caption: String::new(), columns }],
        limit: None,
        byte_order_mark: true,
        signatures: true,
    }
}

const ROWS: u32 = 1_000_000;
const ROWS_SHORT: u32 = 2_000;
/// Largest memory of the writer for any number of rows, MiB.
const MEMORY_MAX_MIB: u32 = 64;

/// Returns the peak memory of this process, KiB; 0 if the system is not Linux.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        None => each_format(ROWS),
        Some("--short") => each_format(ROWS_SHORT),
        Some(format) => write(format.parse()?, arguments.next().map_or(Ok(ROWS), |rows| rows.parse())?),
    }
}

/// Writes each format in a separate process, so that its peak memory can be measured.
fn each_format(rows: u32) -> Result<(), Box<dyn std::error::Error>> {
    for format in Format::ALL {
        let status = Command::new(std::env::current_exe()?).args([format.extension(), &rows.to_string()]).status()?;
        if !status.success() {
            return Err(format!("{}: {status}", format.extension()).into());
        }
    }
    Ok(())
}

fn write(format: Format, rows: u32) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("million-{}.{}", std::process::id(), format.extension()));
    let before = peak();
    let began = Instant::now();
    let mut writer = Writer::new(format, report(), BufWriter::new(File::create(&path)?), &folder)?;
    for row in 0..rows {
        let number = f64::from(row);
        // The remark is different in each row, so that a table of shared texts has no advantage.
        let remark = format!("reading {row}");
        let full = writer.row(&[
            Cell::Time(Micros(1_700_000_000_000_000 + i64::from(row) * 1_000_000)),
            Cell::Text(["Feeder North", "Feeder South", "Zubringer Süd", "फीडर"][row as usize % 4]),
            if row % 17 == 0 { Cell::Absent } else { Cell::Number((number * 0.7).sin() * 500.0 + 700.0) },
            Cell::Number(11.0 + (number * 0.01).sin() / 4.0),
            Cell::Number((number * 0.3).cos() * 20.0 + 40.0),
            Cell::Number(0.9 + (number * 0.02).sin() / 20.0),
            Cell::Text("good"),
            Cell::Text(&remark),
        ])?;
        if full == Room::Full {
            break;
        }
    }
    let written = writer.finish()?;
    let seconds = began.elapsed().as_secs_f64();
    let (size, after) = (std::fs::metadata(&path)?.len(), peak());
    std::fs::remove_file(&path)?;
    let (name, mib) = (format.extension(), |kib: u64| kib as f64 / 1024.0);
    println!(
        "{name}: {} rows{} in {seconds:.2} s, file {:.1} MiB, peak memory {:.1} MiB",
        written.rows,
        if written.cut { " (cut)" } else { "" },
        size as f64 / 1_048_576.0,
        mib(after),
    );
    println!("= file of {} rows as {name}, rows/s | {:.0} | ", written.rows, written.rows as f64 / seconds);
    println!("= file of {} rows as {name}, memory of the writer, MiB | {:.1} | <= {MEMORY_MAX_MIB}", written.rows, mib(after - before));
    Ok(())
}
