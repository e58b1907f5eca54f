//! Tests of valid, faulty and hostile files.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::USUAL_HOURS;

fn read(csv: &[u8]) -> Result<Demand, Vec<FileFault>> {
    demand_file(csv, |_| USUAL_HOURS)
}

/// The durations in Berlin: on 29 March 2026 the hour from 2:00 is skipped, on 25 October it is repeated.
fn berlin((year, month, day): CivilDay) -> Slots {
    let mut hours = USUAL_HOURS;
    match (year, month, day) {
        (2026, 3, 29) => hours[4..6].fill(0.0),
        (2026, 10, 25) => hours[4..6].fill(1.0),
        _ => {}
    }
    hours
}

fn faults_of(text: &str) -> Vec<String> {
    read(text.as_bytes()).map_or_else(|faults| faults.iter().map(FileFault::to_string).collect(), |_| Vec::new())
}

fn column(values: impl IntoIterator<Item: ToString>) -> String {
    values.into_iter().fold(String::new(), |text, value| text + &value.to_string() + "\n")
}

/// Returns rows of days with one row per `minutes`; the value is the day times 100 plus the hour.
fn days(count: u32, minutes: u32) -> String {
    let mut text = "time,kW\n".to_owned();
    for day in 1..=count {
        for minute in (0..1_440).step_by(minutes as usize) {
            writeln!(text, "2026-06-{day:02} {:02}:{:02},{}", minute / 60, minute % 60, day * 100 + minute / 60).unwrap();
        }
    }
    text
}

#[test]
fn forty_eight_values_stand_below_or_beside_each_other() {
    let expected: Slots = std::array::from_fn(|slot| slot as f64);
    let row = (0..SLOTS).map(|slot| slot.to_string()).collect::<Vec<_>>();
    for text in [
        column(0..SLOTS),
        format!("\u{feff}Demand\r\n{}", column(0..SLOTS).replace('\n', "\r\n")),
        format!("\n\n{}\n", column(0..SLOTS)),
        row.join(","),
        row.join(" ; "),
    ] {
        assert_eq!(read(text.as_bytes()), Ok(Demand { kw: expected, days: None, values: SLOTS }), "{text}");
    }
}

#[test]
fn days_become_one() {
    for minutes in [1, 15, 30] {
        let read = read(days(3, minutes).as_bytes()).unwrap();
        assert_eq!((read.days, read.values), (Some(3), 3 * 1_440 / minutes as usize));
        for (slot, kw) in read.kw.iter().enumerate() {
            assert!((kw - (200 + slot / 2) as f64).abs() < 1e-9, "the mean of three days: {kw} in slot {slot}");
        }
    }
    // A day with a value per minute has the same weight as one with a value per half hour.
    let minutes = days(2, 1).lines().filter(|line| line.contains("-02 ")).fold(days(1, 30), |text, line| text + line + "\n");
    let read = read(minutes.as_bytes()).unwrap();
    assert!((read.kw[0] - 150.0).abs() < 1e-9 && read.days == Some(2), "{read:?}");
}

/// Returns rows of half hours of a day; the value is the number of the row.
fn half_hours(date: &str, times: &[usize]) -> String {
    times.iter().enumerate().fold(String::new(), |text, (row, slot)| text + &format!("{date} {:02}:{:02},{row}\n", slot / 2, slot % 2 * 30))
}

#[test]
fn a_file_may_reach_over_changes_of_the_clocks() {
    let autumn = |between: &[usize]| half_hours("2026-10-25", &[&[0, 1, 2, 3], between, &(6..SLOTS).collect::<Vec<_>>()].concat());
    // The clock shows 02:00, 02:30 and both again, rows 4 to 7; or a spreadsheet program has sorted them. Repeated times are averaged.
    for (between, expected) in [(&[4, 5, 4, 5][..], (5.0, 6.0)), (&[4, 4, 5, 5], (4.5, 6.5)), (&[4, 5], (4.0, 5.0))] {
        let demand = demand_file(autumn(between).as_bytes(), berlin).expect("a good file");
        assert_eq!((demand.kw[4], demand.kw[5], demand.values), (expected.0, expected.1, 46 + between.len()));
        assert!((demand.kw[3] - 3.0).abs() < 1e-9);
    }
    // Spring together with an ordinary day, which gives the only value at 02:00; and alone, where the neighbours are used.
    let spring = half_hours("2026-03-29", &(0..4).chain(6..SLOTS).collect::<Vec<_>>());
    let both = format!("{}{spring}", half_hours("2026-03-28", &(0..SLOTS).collect::<Vec<_>>()));
    let demand = demand_file(both.as_bytes(), berlin).expect("a good file");
    assert_eq!((demand.kw[4], demand.kw[5], demand.kw[6], demand.days), (4.0, 5.0, 5.0, Some(2)));
    let demand = demand_file(spring.as_bytes(), berlin).expect("a good file");
    assert_eq!((demand.kw[3], demand.kw[4], demand.kw[5], demand.kw[6]), (3.0, 3.5, 3.5, 4.0));
    // Times that the clock never shows.
    let wrong = |text: &str| demand_file(text.as_bytes(), berlin).map_or_else(|faults| faults[0].to_string(), |_| String::new());
    let left_out = half_hours("2026-03-29", &(0..SLOTS).collect::<Vec<_>>());
    assert_eq!(wrong(&left_out), "line 5, column time: is \"2026-03-29 02:00\", which the clock of the site leaves out on that day");
    for between in [&[4, 5, 4, 5, 4][..], &[4, 5, 6, 4], &[4, 5, 3]] {
        assert!(wrong(&autumn(between)).contains("times rise"), "{between:?}");
    }
    assert!(wrong(&half_hours("2026-10-24", &[4, 5, 4, 5])).contains("times rise"), "on a day like others");
}

#[test]
fn each_fault_names_its_line_and_what_is_allowed() {
    let with = |row: &str| format!("{}{row}\n", days(1, 30));
    for (text, expected) in [
        (String::new(), "line 1: the file is empty; 48 values of kW, or rows of time and kW"),
        (column(0..47), "line 1: the file has 47 values; 48 without times, one for each half hour, or rows of time and kW"),
        (column(0..49), "line 1: the file has 49 values; 48 without times, one for each half hour, or rows of time and kW"),
        (format!("{}-1\n", column(0..47)), "line 48, column kW: is \"-1\"; a number of kW from 0 to 1000000"),
        (format!("{}NaN\n", column(0..47)), "line 48, column kW: is \"NaN\"; a number of kW from 0 to 1000000"),
        (with("2026-06-02 00:00,x"), "line 50, column kW: is \"x\"; a number of kW from 0 to 1000000"),
        (with("2026-06-02 00:00,"), "line 50, column kW: is \"\"; a number of kW from 0 to 1000000"),
        (with("2026-06-02 00:00"), "line 50: has 1 columns, the first line with values has 2"),
        (with("02.06.2026 00:00,1"), "line 50, column time: is \"02.06.2026 00:00\"; local time of the site such as 2026-06-21 00:30"),
        (with("\n2026-06-01 23:30,1"), "line 51, column time: is \"2026-06-01 23:30\", not after that of line 49; times rise"),
        (with("2026-06-02 00:00,1,2"), "line 50: has 3 columns, the first line with values has 2"),
        ("1,2,3\n".to_owned(), "line 1: has 3 columns; 1 (kW), 2 (time and kW) or 48 (kW of each half hour)"),
        (
            "2026-06-01 00:10,1\n2026-06-01 01:00,1\n".to_owned(),
            "line 1: 46 half hours have no value on any day, the first from 00:30 to 01:00; each of the 48 needs one",
        ),
    ] {
        assert_eq!(faults_of(&text), [expected], "{text}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    assert_eq!(read(&vec![b'1'; FILE_MAX_BYTES + 1]).unwrap_err().len(), 1);
    assert_eq!(faults_of(&"1\n".repeat(ROWS_MAX + 5)), [format!("line 1: the file has more than {ROWS_MAX} rows")]);
    assert_eq!(faults_of(&"x1\n".repeat(ROWS_MAX)).len(), FAULTS_MAX);
    let long = column((0..500).map(|day| format!("2{day:03}-01-01 00:00,1")));
    assert_eq!(faults_of(&long), ["line 1: the file has 500 days; up to 400"]);
    assert!(!faults_of(&format!("{},1\n", "\u{1b}[2J".repeat(1_000))).is_empty());
    let row = vec!["1"; SLOTS].join(",");
    assert_eq!(faults_of(&format!("{row}\n{row}\n")), ["line 2: 48 values stand before this line already"]);
}

proptest! {
    #[test]
    fn whatever_comes_is_read_or_refused_within_bounds(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        begins_well in any::<bool>(),
    ) {
        let file = if begins_well { [days(1, 30).as_bytes(), &bytes].concat() } else { bytes };
        match read(&file) {
            Ok(demand) => prop_assert!(demand.kw.iter().all(|kw| (0.0..=1e6).contains(kw))),
            Err(faults) => {
                let lines = file.split(|byte| *byte == b'\n' || *byte == b'\r').count() as u64;
                prop_assert!((1..=FAULTS_MAX).contains(&faults.len()));
                prop_assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line)), "{faults:?}");
                prop_assert!(faults.iter().all(|fault| fault.what.len() < 500 && !fault.what.chars().any(char::is_control)), "{faults:?}");
            }
        }
    }

    #[test]
    fn what_is_nearly_right_is_told_on_its_own_line(time in "[0-9T: -]{0,16}", kw in "[0-9eE.+-]{0,8}", skipped in 0_usize..4) {
        let file = format!("{}{}{time},\"{kw}\"\n", days(1, 30), "\n".repeat(skipped));
        if let Err(faults) = read(file.as_bytes()) {
            prop_assert!(faults.iter().all(|fault| fault.line == 50 + skipped as u64), "{faults:?}");
        }
    }

    #[test]
    fn values_come_back(kw in prop::collection::vec(0.0..1e6_f64, SLOTS)) {
        let file = column(&kw);
        let read = read(file.as_bytes()).unwrap();
        prop_assert_eq!(read.kw.to_vec(), kw);
    }
}
