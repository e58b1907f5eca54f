//! Applies events to the command that holds a point.

use grid::control::Support;
use grid::control::machine::{self, Answer, Event, Step};
use grid::position::Position;
use grid::{Reading, freshness};
use store::control::Site;

use crate::decide;

/// Converts a reading to an event. A reading with a source time in the future does not confirm an outcome, because it is not known whether it was measured
/// after the command.
pub(crate) fn event(site: &Site, reading: &Reading) -> Option<Event> {
    let position = Position::decode(site.encoding?, reading.value?);
    let quality = freshness::shown_quality(reading.quality, reading.source, site.now, None, true);
    Some(Event::Position { position, quality, source: reading.source })
}

/// Applies several events in one step.
pub(crate) fn steps(site: &Site, events: impl Iterator<Item = Event>) -> Step {
    let object = decide::object(site, Support { direct: true, sbo: true });
    let mut all = Step { object, changes: Vec::new(), effects: Vec::new(), answer: Answer::Nothing };
    for event in events.chain([Event::Tick]) {
        let step = machine::step(all.object, event, decide::now(site));
        all.object = step.object;
        all.changes.extend(step.changes);
        all.effects.extend(step.effects);
        all.answer = step.answer;
    }
    all
}

/// Ends a state whose deadline has passed on the monotonic clock. A position that was reported in time is still used.
pub(crate) fn expired(site: &Site, position: Option<Event>) -> Step {
    let mut early = site.clone();
    if let Some(held) = &mut early.held {
        held.command.deadline_ms = held.command.deadline_ms.max(site.now.millis() + 1);
    }
    let mut all = steps(&early, position.into_iter());
    if let Some(command) = &mut all.object.command {
        command.deadline_ms = site.now.millis();
    }
    let step = machine::step(all.object, Event::Tick, decide::now(site));
    all.object = step.object;
    all.changes.extend(step.changes);
    all.effects.extend(step.effects);
    all
}

#[cfg(test)]
mod tests {
    use grid::Quality;
    use grid::control::State;

    use super::*;
    use crate::example::{NOW, site};

    /// The breaker reports open, `after_ms` after the command was published.
    fn opened(after_ms: i64) -> Event {
        let source = NOW.plus_millis(-1_000 + after_ms);
        Event::Position { position: Position::Open, quality: Quality::Good, source }
    }

    #[test]
    fn overdue_command_ends_whatever_the_wall_clock_says() {
        // The wall clock was set back: by it, the command has an hour left, although its time is over on the monotonic clock.
        let hour = 3_600_000;
        let end = |step: Step| step.changes.last().map(|change| change.state);
        let cases = [
            ("its time is not over", State::Sent, None, false, None),
            ("sent", State::Sent, None, true, Some(State::NoFeedback)),
            ("accepted", State::Accepted, None, true, Some(State::NoFeedback)),
            ("selected", State::Selected, None, true, Some(State::Expired)),
            ("the position came in time", State::Sent, Some(opened(500)), true, Some(State::Done)),
            ("the position is older than the command", State::Sent, Some(opened(-500)), true, Some(State::NoFeedback)),
        ];
        for (case, state, position, is_over, expected) in cases {
            let site = site(state, hour);
            let step = if is_over { expired(&site, position) } else { steps(&site, position.into_iter()) };
            assert_eq!(end(step), expected, "{case}");
        }
    }
}
