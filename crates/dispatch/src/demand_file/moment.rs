//! A local time in a demand file.

/// A date and a second of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) day: u8,
    pub(super) second: u32,
}

/// Parses `2026-06-21 00:30` or `2026-06-21T00:30:00`; `None` for anything else, including invalid dates and times with a zone.
pub(super) fn moment(text: &str) -> Option<Moment> {
    let (date, time) = text.split_once([' ', 'T'])?;
    let [year, month, day] = parts(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = match time.len() {
        5 => parts(time, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0])?,
        _ => parts(time, ':', [2, 2, 2])?,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + u16::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let good = (1..=length).contains(&day) && hour < 24 && minute < 60 && second < 60;
    good.then(|| Moment {
        year,
        month: month as u8,
        day: day as u8,
        second: u32::from(hour) * 3_600 + u32::from(minute) * 60 + u32::from(second),
    })
}

/// Splits a text into numbers with fixed numbers of digits.
fn parts<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[u16; N]> {
    let mut found = [0; N];
    let mut parts = text.split(between);
    for (found, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *found = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_or_refused() {
        let second = |text| moment(text).map(|moment| moment.second);
        assert_eq!(second("2026-06-21 00:30"), Some(1_800));
        assert_eq!(second("2026-06-21T23:59:59"), Some(86_399));
        assert!(second("2024-02-29 00:00").is_some() && second("2000-02-29 00:00").is_some());
        for wrong in [
            "",
            "2026-06-21",
            "2026-06-21 24:00",
            "2026-06-21 00:60",
            "2026-06-31 00:00",
            "2026-02-29 00:00",
            "2100-02-29 00:00",
            "2026-13-01 00:00",
            "2026-00-01 00:00",
            "2026-06-00 00:00",
            "21-06-2026 00:00",
            "2026-06-21 0:30",
            "2026-06-21T00:30Z",
            "2026-06-21T00:30:00+05:30",
            "2026-06-21 00:30:00:00",
            "2026-06-21-01 00:30",
            "2026-06-2१ 00:30",
        ] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }
}
