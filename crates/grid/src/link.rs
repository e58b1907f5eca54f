//! Statistics of a state over time: how long it was present, how often it was lost, and how long it was unknown. Used for links, which are online or offline,
//! and for feeders, which have supply or not.

use crate::Micros;

/// A state from an instant until the next change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The instant.
    pub at: Micros,
    /// Whether the state is present; `None` if not known.
    pub holds: Option<bool>,
}

/// The statistics of a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkStatistics {
    /// How long the state was present, µs.
    pub held_us: i64,
    /// Time for which the state is known, µs.
    pub known_us: i64,
    /// How often it changed from present to absent within the window.
    pub lost: u32,
    /// The longest continuous time within the window in which the state is known to be absent, µs.
    pub longest_us: i64,
    /// How often it was reported present within the window, including repeated reports, for example when a gateway reconnects.
    pub reported_present: u32,
    /// The last change before the end of the window.
    pub last: Option<Change>,
    /// Start of the state at the end of the window. Repeated reports of the same state do not change it.
    pub since: Option<Micros>,
}

impl LinkStatistics {
    /// Returns the share of the known time in which it was present, 0 to 100 %; `None` without known time.
    pub fn percent(&self) -> Option<f64> {
        (self.known_us > 0).then(|| self.held_us as f64 * 100.0 / self.known_us as f64)
    }

    /// Returns the known time in which it was absent, minutes; `None` without known time.
    pub fn missed_minutes(&self) -> Option<f64> {
        (self.known_us > 0).then(|| (self.known_us - self.held_us) as f64 / 60e6)
    }

    /// Whether it is present at the end of the window; `None` if not known.
    pub fn is_present_at_end(&self) -> Option<bool> {
        self.last.and_then(|change| change.holds)
    }
}

/// Computes the statistics of a history (oldest first) from `from` (inclusive) to `to` (exclusive). Before its first change the state is unknown.
pub fn tally(history: &[Change], from: Micros, to: Micros) -> LinkStatistics {
    let mut tally = LinkStatistics::default();
    // How long it has been absent, up to the point of the summation.
    let mut missing_us = 0;
    let mut add = |tally: &mut LinkStatistics, until: Micros| {
        let Some(last) = tally.last else { return };
        let lasted = until.min(to).0.saturating_sub(last.at.max(from).0).max(0);
        if let Some(holds) = last.holds {
            tally.known_us += lasted;
            tally.held_us += if holds { lasted } else { 0 };
        }
        // A repeated report of absence does not interrupt it.
        missing_us = if last.holds == Some(false) { missing_us + lasted } else { 0 };
        tally.longest_us = tally.longest_us.max(missing_us);
    };
    for change in history.iter().take_while(|change| change.at < to) {
        add(&mut tally, change.at);
        let before = tally.is_present_at_end();
        if change.at >= from {
            tally.reported_present += u32::from(change.holds == Some(true));
            tally.lost += u32::from(before == Some(true) && change.holds == Some(false));
        }
        if tally.last.is_none_or(|last| last.holds != change.holds) {
            tally.since = Some(change.at);
        }
        tally.last = Some(*change);
    }
    add(&mut tally, to);
    tally
}

/// Combines two histories: a device is online while its gateway is online and the device was not reported offline. A device without reports has the
/// state of its gateway.
pub fn both(gateway: &[Change], device: &[Change]) -> Vec<Change> {
    let mut all: Vec<(Change, bool)> =
        gateway.iter().map(|change| (*change, true)).chain(device.iter().map(|change| (*change, false))).collect();
    all.sort_by_key(|(change, _)| change.at);
    let (mut gateway, mut device, mut put) = (None, Some(true), Vec::<Change>::new());
    for (change, is_gateway) in all {
        *(if is_gateway { &mut gateway } else { &mut device }) = change.holds;
        let holds = match (gateway, device) {
            (Some(false), _) => Some(false),
            (Some(true), known) => known,
            (None, _) => None,
        };
        if put.last().is_none_or(|last| last.holds != holds) {
            put.push(Change { at: change.at, holds });
        }
    }
    put
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: i64 = 60_000_000;

    type Case = (&'static str, &'static [(i64, Option<bool>)], i64, i64, u32, u32, Option<i64>);

    fn history(changes: &[(i64, Option<bool>)]) -> Vec<Change> {
        changes.iter().map(|&(minute, holds)| Change { at: Micros(minute * MINUTE), holds }).collect()
    }

    #[test]
    fn shares_losses_and_beginnings() {
        const ON: Option<bool> = Some(true);
        const OFF: Option<bool> = Some(false);
        // History by the minute; from 100 to 200: minutes present, minutes known, times lost, times reported present, first minute of the final
        // state.
        let cases: [Case; 9] = [
            ("nothing was ever told", &[], 0, 0, 0, 0, None),
            ("all the time", &[(10, ON)], 100, 100, 0, 0, Some(10)),
            ("never", &[(10, ON), (20, OFF)], 0, 100, 0, 0, Some(20)),
            ("lost and back", &[(10, ON), (130, OFF), (140, ON)], 90, 100, 1, 1, Some(140)),
            ("begun within", &[(150, ON)], 50, 50, 0, 1, Some(150)),
            ("connected anew without a loss", &[(10, ON), (150, ON)], 100, 100, 0, 1, Some(10)),
            ("not known for a while", &[(10, ON), (120, None), (160, OFF)], 20, 60, 0, 0, Some(160)),
            ("what comes after does not count", &[(10, ON), (200, OFF)], 100, 100, 0, 0, Some(10)),
            ("at the very beginning", &[(10, ON), (100, OFF)], 0, 100, 1, 0, Some(100)),
        ];
        for (name, changes, held, known, lost, begun, since) in cases {
            let tally = tally(&history(changes), Micros(100 * MINUTE), Micros(200 * MINUTE));
            let found =
                (tally.held_us / MINUTE, tally.known_us / MINUTE, tally.lost, tally.reported_present, tally.since.map(|at| at.0 / MINUTE));
            assert_eq!(found, (held, known, lost, begun, since), "{name}");
        }
        assert_eq!((LinkStatistics::default().percent(), LinkStatistics::default().missed_minutes()), (None, None), "not known is not 0");
        let tally = tally(&history(&[(0, ON), (175, OFF)]), Micros(100 * MINUTE), Micros(200 * MINUTE));
        assert_eq!((tally.percent(), tally.missed_minutes()), (Some(75.0), Some(25.0)));
    }

    #[test]
    fn longest_absence_ignores_repeated_reports() {
        type LinkChange = (i64, Option<bool>);
        const ON: Option<bool> = Some(true);
        const OFF: Option<bool> = Some(false);
        let cases: [(&[LinkChange], i64); 6] = [
            (&[], 0),
            (&[(10, ON)], 0),
            (&[(10, OFF), (130, ON), (150, OFF), (160, ON)], 30),
            (&[(10, ON), (110, OFF), (120, OFF), (135, ON), (190, OFF)], 25),
            (&[(10, OFF)], 100),
            (&[(10, ON), (110, OFF), (120, None), (130, OFF), (145, ON)], 15),
        ];
        for (changes, longest) in cases {
            let tally = tally(&history(changes), Micros(100 * MINUTE), Micros(200 * MINUTE));
            assert_eq!(tally.longest_us / MINUTE, longest, "{changes:?}");
        }
    }

    #[test]
    fn a_device_is_heard_through_its_gateway_only() {
        let gateway = history(&[(10, Some(true)), (50, Some(false)), (60, Some(true))]);
        assert_eq!(both(&gateway, &[]), gateway);
        let device = history(&[(20, Some(false)), (55, Some(true)), (70, Some(false))]);
        let expected = history(&[(10, Some(true)), (20, Some(false)), (60, Some(true)), (70, Some(false))]);
        assert_eq!(both(&gateway, &device), expected);
        assert_eq!(both(&[], &device), history(&[(20, None)]), "of its gateway nothing was ever told");
    }

    proptest! {
        #[test]
        fn parts_of_a_window_add_up_to_it(mut times in proptest::collection::vec((0..1_000_i64, proptest::option::of(any::<bool>())), 0..30), cut in 100..900_i64) {
            times.sort_by_key(|(minute, _)| *minute);
            let history = history(&times);
            let [from, cut, to] = [100, cut, 900].map(|minute| Micros(minute * MINUTE));
            let (whole, first, second) = (tally(&history, from, to), tally(&history, from, cut), tally(&history, cut, to));
            prop_assert_eq!(whole.held_us, first.held_us + second.held_us);
            prop_assert_eq!(whole.known_us, first.known_us + second.known_us);
            prop_assert_eq!((whole.lost, whole.reported_present), (first.lost + second.lost, first.reported_present + second.reported_present));
            prop_assert!(whole.held_us <= whole.known_us && whole.known_us <= to.0 - from.0);
        }
    }
}
