//! Matches states of a birth with the outbox messages that report the same change. States without such a message become
//! events.

use field::sparkplug::Metric;
use grid::Reading;

use super::{Node, Work, event};
use crate::clock::Moment;
use crate::decode::{Envelope, StatusSource, decode};
use crate::host::output::Out;
use crate::node_index::NodeIndex;
use crate::parcel::Parcel;

impl Node {
    /// Converts states to events if they have waited too long for an outbox message.
    pub(in crate::host) fn settle_overdue(&mut self, index: NodeIndex, now: Moment, out: &mut Out) {
        if self.unconfirmed.iter().any(|waiting| waiting.is_overdue(now.steady)) {
            self.settle(index, out);
        }
    }

    /// Removes the states of a birth that a message reports too: the change happened before the birth, and its message
    /// arrived after the birth.
    pub(super) fn explain(&mut self, work: &Work, envelope: Envelope) {
        let Self { unconfirmed, session, points, .. } = self;
        unconfirmed.retain(|waiting| {
            let tells_it = |metric: &Metric| {
                let Ok((name, value)) = session.resolve(&work.device, metric) else { return false };
                let Some(point) = points.get(&work.device, name).filter(|_| name == waiting.metric) else { return false };
                let explained = decode(metric, &value, point.kind, point.scale, envelope);
                explained.is_ok_and(|explained| {
                    (explained.reading.source, explained.reading.value) == (waiting.arrival.reading.source, waiting.arrival.reading.value)
                })
            };
            waiting.device != work.device || !work.payload.metrics.iter().any(tells_it)
        });
    }

    /// Converts those states of a birth to events that the outbox has not reported.
    pub(super) fn settle(&mut self, index: NodeIndex, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        for waiting in std::mem::take(&mut self.unconfirmed) {
            let Some(point) = self.points.get_mut(&waiting.device, &waiting.metric) else { continue };
            // The state counts if it is newer in order than the known state, or has a later source time.
            let reading = &waiting.arrival.reading;
            let is_older = |known: &Reading| reading.supersedes(known) || known.source < reading.source;
            if point.state.as_ref().is_none_or(|state| state.reading.value != reading.value && is_older(&state.reading)) {
                point.state = Some(waiting.arrival);
                parcel.rows.events.push(event(point.id, self.client, waiting.index, &waiting.arrival, StatusSource::AtBirthWithOutbox));
            }
        }
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }
}
