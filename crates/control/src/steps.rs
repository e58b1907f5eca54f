//! What events do to the command that has a point.

use grid::control::Support;
use grid::control::machine::{self, Answer, Event, Step};
use grid::position::Position;
use grid::{Reading, freshness};
use store::control::Site;

use crate::decide;

/// A reading of a point as an event. One of the future confirms nothing: its clock does not tell whether it was measured after the command.
pub(crate) fn event(site: &Site, reading: &Reading) -> Option<Event> {
    let position = Position::decode(site.encoding?, reading.value?);
    let quality = freshness::shown_quality(reading.quality, reading.source, site.now, None, true);
    Some(Event::Position { position, quality, source: reading.source })
}

/// Several events in one step.
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

/// The end of a state whose time is over by our own clock; a position that came in time counts.
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
