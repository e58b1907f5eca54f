//! Writes a report in all formats, a document with charts, and a wide table into a folder, for visual checks: `cargo
//! run -p sheet --example printed -- FOLDER`.

use std::fs::File;
use std::path::PathBuf;

use grid::time::Micros;
use jiff::tz::TimeZone;
use sheet::pdf::{About, Chart, Document, Figure, Series, Shape};
use sheet::{Cell, Column, ColumnKind, Format, Report, Table, Writer, file_name};

fn report(title: &str, captions: [&str; 2]) -> Report {
    let number = |decimals| ColumnKind::Number { decimals: Some(decimals) };
    let indices = vec![
        Column::new("Feeder", "", ColumnKind::Text),
        Column::new("SAIDI", "minutes", number(2)),
        Column::new("SAIFI", "interruptions", number(2)),
        Column::new("CAIDI", "minutes", number(2)),
        Column::new("Energy not served", "kWh", number(1)),
        Column::new("Cost", "₹", number(0)),
    ];
    let log = vec![
        Column::new("From", "", ColumnKind::Second),
        Column::new("Outage", "", ColumnKind::Duration),
        Column::new("Feeder", "", ColumnKind::Text),
        Column::new("Remark", "", ColumnKind::Text).wide(50),
    ];
    let table = |caption: &str, columns| Table { caption: caption.into(), columns };
    Report {
        utility: "Coast Power".into(),
        logo: None,
        made_by: "Asha Rao".into(),
        title: title.into(),
        facts: [
            ("Level", "Division"),
            ("Nodes", "North, South, Ёлкино"),
            ("Report", "Reliability"),
            ("Type", "Historic"),
            ("Frequency", "October 2026"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into(),
        zone: TimeZone::get("Asia/Kolkata").expect("jiff brings its zones"),
        made: Micros::from_millis(1_795_340_045_000),
        tables: vec![table(captions[0], indices), table(captions[1], log)],
        limit: Some(500),
        byte_order_mark: true,
        signatures: true,
    }
}

fn indices(row: u32) -> [Cell<'static>; 6] {
    let number = f64::from(row);
    [
        Cell::Text(["Feeder North", "Фидер Юг", "مغذي الشمال", "מזין צפון", "=Feeder", "उत्तर फीडर"][row as usize % 6]),
        Cell::Number(12.5 * number + 0.125),
        Cell::Number(0.4 * number),
        if row.is_multiple_of(5) { Cell::Absent } else { Cell::Number(31.0) },
        Cell::Number(1234.56 * number),
        Cell::Number(98_765.0 * number),
    ]
}

fn log(row: u32) -> [Cell<'static>; 4] {
    let remark = if row.is_multiple_of(3) {
        "Earth fault on the cable between the kiosk at the mill and the ring main unit; found by sectionalising, repaired at night by the \
         crew from the depot, load carried by the neighbour meanwhile 😀 Ω → Δ"
    } else {
        "Trip on overcurrent"
    };
    [
        Cell::Time(Micros::from_millis(1_793_000_000_000 + i64::from(row) * 7_654_321)),
        Cell::Duration(std::time::Duration::from_secs(u64::from(row) * 977)),
        Cell::Text("Feeder North"),
        Cell::Text(remark),
    ]
}

fn charts() -> [Chart; 3] {
    let days: Vec<String> = (1..=31).map(|day| format!("{day}/10")).collect();
    let interruptions: Vec<_> = (0..31).map(|day| Some(f64::from(day * 7 % 5))).collect();
    let duration = (0..31).map(|day| if day % 9 == 4 { None } else { Some(f64::from(day * 13 % 11) * 9.5) }).collect();
    let series = |name: &str, shape, right, values| Series { name: name.into(), shape, right, values };
    let chart = |title: &str, unit: &str, right_unit: &str, categories: &[String], series| Chart {
        title: title.into(),
        unit: unit.into(),
        right_unit: right_unit.into(),
        categories: categories.into(),
        series,
    };
    let hours: Vec<String> = (0..744).map(|hour| format!("{}/10 {:02}:00", hour / 24 + 1, hour % 24)).collect();
    let load = |shift: f64| {
        (0..744)
            .map(|hour| Some(700.0 + ((f64::from(hour) / 24.0 + shift) * std::f64::consts::TAU).sin() * 250.0 + f64::from(hour % 7) * 9.0))
            .collect()
    };
    let months: Vec<String> = ["Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"].map(String::from).into();
    [
        chart(
            "Interruptions and their duration",
            "interruptions",
            "minutes",
            &days,
            vec![series("Interruptions", Shape::Columns, false, interruptions), series("Duration", Shape::Line, true, duration)],
        ),
        chart(
            "Energy",
            "MWh",
            "",
            &months,
            vec![
                series("Supplied", Shape::Columns, false, [812.0, 905.0, 934.0, 890.0, 861.0, 840.0, 799.0].map(Some).into()),
                series("Billed", Shape::Stacked, false, [761.0, 842.0, 880.0, 829.0, 811.0, 790.0, 741.0].map(Some).into()),
                series("Balance", Shape::Stacked, false, [51.0, 63.0, -54.0, 61.0, 50.0, 50.0, 58.0].map(Some).into()),
            ],
        ),
        chart(
            "Load by the hour",
            "kW",
            "",
            &hours,
            vec![series("Measured", Shape::Line, false, load(0.0)), series("Forecast", Shape::Line, false, load(0.05))],
        ),
    ]
}

fn document(out: File) -> Result<(), sheet::Error> {
    let about = About {
        made_by: "Asha Rao".into(),
        logo: None,
        utility: "Northern Electricity Distribution".into(),
        title: "Monthly performance report".into(),
        period: "October 2026".into(),
        facts: vec![("Place".into(), "Division North".into())],
        zone: TimeZone::get("Asia/Kolkata").expect("jiff brings its zones"),
        made: Micros::from_millis(1_795_340_045_000),
    };
    let mut document = Document::new(&about, out)?;
    document.heading("Summary")?;
    document.paragraph(
        "SAIDI of the division was 31.25 minutes, 4.10 less than in September. Two outages on Feeder North make up most of it; both had their \
         cause in the same cable, which has been replaced since.",
    )?;
    let figure = |name: &str, value: Option<&str>, unit: &str| Figure {
        name: name.into(),
        value: value.map(str::to_owned),
        unit: unit.into(),
        notes: vec!["-4.10 (-11.6 %) on September 2026".into(), "October 2025 not known".into()],
    };
    document.figures(&[
        figure("SAIDI", Some("31.25"), "min"),
        figure("SAIFI", Some("0.4213"), ""),
        figure("Energy in", Some("1 234 567.8"), "MWh"),
        figure("Peak demand", None, "MW"),
        figure("Faults", Some("17"), ""),
    ])?;
    let [interruptions, energy, load] = charts();
    document.heading("Reliability")?;
    document.charts(&[interruptions])?;
    document.charts(&[energy, load])?;
    document.subheading("By feeder")?;
    let report = report("", ["", ""]);
    document.table(&report.tables[0].columns[..5], (0..12).map(|row| indices(row)[..5].to_vec()))?;
    document.subheading("Outages")?;
    document.table(&report.tables[1].columns, (0..20).map(log))?;
    document.note("Of 2 of 31 days nothing is known.")?;
    document.heading("What the figures mean")?;
    document.terms(&[
        ("SAIDI", "Customer minutes of sustained interruptions / customers served."),
        ("SAIFI", "Customers interrupted / served."),
    ])?;
    document.finish()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    for format in Format::ALL {
        let report = report("SAIDI & SAIFI", ["Indices", "Outages"]);
        let name = file_name(&report.title, report.made, &report.zone, format);
        let mut writer = Writer::new(format, report, File::create(folder.join(name))?, &folder)?;
        for row in 0..90 {
            writer.row(&indices(row))?;
        }
        writer.next_table()?;
        for row in 0..70 {
            writer.row(&log(row))?;
        }
        writer.finish()?;
    }
    document(File::create(folder.join("document.pdf"))?)?;

    // More columns than fit on a page.
    let mut wide = report("Daily log sheet", ["", ""]);
    wide.tables.truncate(1);
    wide.tables[0].columns =
        (0..40).map(|hour| Column::new(format!("Reading {hour}"), "A", ColumnKind::Number { decimals: Some(1) })).collect();
    let mut writer = Writer::new(Format::Pdf, wide, File::create(folder.join("wide.pdf"))?, &folder)?;
    for row in 0..60 {
        let cells: Vec<_> = (0..40).map(|hour| Cell::Number(f64::from(row * hour) * 1.3)).collect();
        writer.row(&cells)?;
    }
    writer.finish()?;
    Ok(())
}
