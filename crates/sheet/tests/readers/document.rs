//! Tests of documents: the texts on every page, text that can be extracted, charts with gaps, and prints in greyscale.

use grid::time::Micros;
use jiff::tz::TimeZone;
use sheet::pdf::{About, Chart, Document, Figure, Series, Shape};
use sheet::{Cell, Column, ColumnKind};

use crate::paper::pages;
use crate::text;
use crate::tools::{Folder, picture};

fn about() -> About {
    About {
        made_by: "Asha Rao".into(),
        logo: None,
        utility: "Northern Power".into(),
        title: "Monthly performance report".into(),
        period: "October 2026".into(),
        facts: vec![("Place".into(), "Division North".into())],
        zone: TimeZone::get("Asia/Kolkata").unwrap(),
        made: Micros::from_millis(1_795_340_045_000),
    }
}

fn series(name: &str, shape: Shape, right: bool, values: &[Option<f64>]) -> Series {
    Series { name: name.into(), shape, right, values: values.into() }
}

fn chart(title: &str, series: Vec<Series>) -> Chart {
    Chart {
        title: title.into(),
        unit: "interruptions".into(),
        right_unit: "minutes".into(),
        categories: ["1/10", "2/10", "3/10"].map(String::from).into(),
        series,
    }
}

fn written(fill: impl FnOnce(&mut Document<&mut Vec<u8>>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut document = Document::new(&about(), &mut out).unwrap();
    fill(&mut document);
    document.finish().unwrap();
    out
}

#[test]
fn a_document_is_put_together_page_by_page_and_each_says_whose_it_is() {
    let charts = [
        chart(
            "Monthly Interruption Profile",
            vec![
                series("Count", Shape::Columns, false, &[Some(3.0), None, Some(47.0)]),
                series("Duration", Shape::Line, true, &[Some(0.5), Some(f64::NAN), Some(1.2)]),
            ],
        ),
        chart("Nothing measured", vec![series("Count", Shape::Columns, false, &[None, None, None])]),
        // 30 on 20, and 15 below 0: the axis includes the ends of the stacks.
        chart(
            "Stacked",
            vec![
                series("LG", Shape::Stacked, false, &[Some(20.0), Some(-10.0), None]),
                series("LL", Shape::Stacked, false, &[Some(30.0), Some(-5.0), Some(1.0)]),
            ],
        ),
        // No series, no categories, more values than categories, values that cannot be drawn.
        Chart {
            categories: vec![],
            ..chart("Odd", vec![series("All", Shape::Line, false, &[Some(f64::INFINITY), Some(-1e300), Some(2.0), Some(5.0)])])
        },
    ];
    let out = written(|document| {
        document.heading("Reliability").unwrap();
        document.paragraph("Two outages make up most of it.").unwrap();
        let figure = |name: &str, value: Option<&str>| Figure {
            name: name.into(),
            value: value.map(str::to_owned),
            unit: "min".into(),
            notes: vec!["-4.10 on September 2026".into(), "Sep 2026: 12345.67 (known in part)".into()],
        };
        document.figures(&[figure("SAIDI", Some("31.25")), figure("CAIDI", None)]).unwrap();
        document.charts(&charts).unwrap();
        let columns = [text("Feeder"), Column::new("Energy", "MWh", ColumnKind::Number { decimals: Some(1) })];
        document.table(&columns, (0..70).map(|row| [Cell::Text("North"), Cell::Number(f64::from(row))])).unwrap();
        document.table(&columns, Vec::<[Cell<'_>; 2]>::new()).unwrap();
        assert!(document.table(&columns, [[Cell::Absent]]).is_err(), "a row has as many cells as there are columns");
        document.terms(&[("SAIDI", "Customer minutes / customers served")]).unwrap();
    });
    let folder = Folder::new();
    let path = folder.file("monthly.pdf", &out);
    let Some(pages) = pages(&path) else { return };
    assert!(pages.len() > 2, "{} pages", pages.len());
    for (number, page) in pages.iter().enumerate() {
        let reported =
            ["Northern Power", "Monthly performance report, October 2026", "Made 2026-11-22", "times in Asia/Kolkata (UTC+05:30)"];
        for words in reported.map(str::to_owned).into_iter().chain([format!("Page {} of {}", number + 1, pages.len())]) {
            assert!(page.contains(&words), "{words} is not on page {}:\n{page}", number + 1);
        }
    }
    let all = pages.concat();
    for words in [
        "Division North",
        "Reliability",
        "Two outages",
        "31.25",
        "not known",
        "-4.10 on September 2026",
        "Sep 2026: 12345.67 (known in part)",
        "Monthly Interruption Profile",
        "Count",
        "Duration",
        "interruptions",
        "minutes",
        "3/10",
        "1.25",
        "-20",
        "60",
        "No data",
        "69.0",
        "Customer minutes / customers served",
    ] {
        assert!(all.contains(words), "{words} is not in\n{all}");
    }
    let info = std::process::Command::new("pdfinfo").arg(&path).output().unwrap();
    let info = String::from_utf8(info.stdout).unwrap();
    assert!(info.contains("(A4)") && info.contains("Monthly performance report"), "{info}");
}

#[test]
fn each_of_several_places_begins_on_a_page_of_its_own() {
    let out = written(|document| {
        for place in ["Division North", "Division South", "Division West"] {
            document.part(place).unwrap();
            document.heading("Summary").unwrap();
            let sentences = if place == "Division South" { 3 } else { 20 };
            (0..sentences).for_each(|_| document.paragraph(&format!("Nothing is known of {place}.")).unwrap());
        }
    });
    let folder = Folder::new();
    let Some(pages) = pages(&folder.file("places.pdf", &out)) else { return };
    let fields = |page: &str| {
        ["North", "South", "West"].into_iter().filter(|name| page.contains(&format!("known of Division {name}"))).collect::<Vec<_>>()
    };
    let fields: Vec<_> = pages.iter().map(|page| fields(page)).collect();
    assert_eq!(fields, [vec!["North"], vec!["South", "West"]], "what is short leaves most of its page to the next");
    let first = |page: &str| page.find("Division South").zip(page.find("Summary"));
    assert!(first(&pages[1]).is_some_and(|(place, summary)| place < summary), "{}", pages[1]);
}

#[test]
fn a_heading_goes_to_the_next_page_with_its_chart() {
    // Space for a heading and a few lines, but not for a chart.
    let all = |over_chart: bool| {
        let out = written(|document| {
            (0..25).for_each(|_| document.paragraph("Nothing is known.").unwrap());
            if over_chart { document.heading_over_chart("Energy") } else { document.heading("Energy") }.unwrap();
            document.note("Measured in all of the month.").unwrap();
            document.charts(&[chart("Energy by day", vec![series("In", Shape::Columns, false, &[Some(3.0)])])]).unwrap();
        });
        let folder = Folder::new();
        pages(&folder.file("chart.pdf", &out))
    };
    let Some((with, without)) = all(true).zip(all(false)) else { return };
    let fields = |pages: &[String]| pages.iter().map(|page| page.contains("Measured in all")).collect::<Vec<_>>();
    assert_eq!((fields(&with), fields(&without)), (vec![false, true], vec![true, false]));
}

#[test]
fn a_gap_is_seen_as_a_gap_and_stacks_can_be_told_apart_in_grey() {
    let line = |values: &[Option<f64>]| {
        let values: Vec<Option<f64>> = values.into();
        written(|document| document.charts(&[chart("Line", vec![Series { values, ..series("All", Shape::Line, false, &[]) }])]).unwrap())
    };
    let folder = Folder::new();
    let Some(whole) = picture(&folder, &folder.file("whole.pdf", &line(&[Some(5.0), Some(5.0), Some(5.0)]))) else { return };
    let gapped = picture(&folder, &folder.file("gap.pdf", &line(&[Some(5.0), None, Some(5.0)]))).unwrap();
    // The colour of the line is dark; the tick marks are not.
    let dark = |picture: &[Vec<u8>]| picture[CHART_TOP..].iter().map(|row| row.iter().filter(|grey| **grey < 95).count()).max().unwrap();
    assert!(dark(&whole) > 300, "a line across the page: {}", dark(&whole));
    assert!(dark(&gapped) < dark(&whole) / 3, "{} of {}", dark(&gapped), dark(&whole));

    let stack = written(|document| {
        let of = |name: &str, value: f64| series(name, Shape::Stacked, false, &[Some(value), Some(value), Some(value)]);
        document.charts(&[chart("Stack", vec![of("LG", 10.0), of("LL", 10.0)])]).unwrap();
    });
    let grey = picture(&folder, &folder.file("stack.pdf", &stack)).unwrap();
    // In the middle of the first column: the hatched half changes between dark and light, the other half is uniform grey.
    let changes = |column: &[u8]| column.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) > 40).count();
    let middle = |from: usize, to: usize| -> Vec<u8> { grey[from..to].iter().map(|row| row[FIRST_COLUMN]).collect() };
    let inked: Vec<usize> = (0..grey.len()).filter(|row| grey[*row][FIRST_COLUMN] < 200).filter(|row| *row > CHART_TOP).collect();
    let (top, bottom) = (inked[0], *inked.last().unwrap());
    let half = usize::midpoint(top, bottom);
    let (upper, lower) = (changes(&middle(top + 4, half - 4)), changes(&middle(half + 4, bottom - 40)));
    assert!(upper >= 6 && lower == 0, "{upper} changes above, {lower} below, from {top} to {bottom}");
}

/// Pixels at 100 per inch: the middle of the first of three categories, and the highest possible start of columns.
const FIRST_COLUMN: usize = 246;
const CHART_TOP: usize = 250;
