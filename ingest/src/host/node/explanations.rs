//! How states that a birth reported are explained: by the message of the outbox that reports them too, or by an event when none does.

use field::sparkplug::Metric;
use grid::Reading;

use super::{Node, Work, event};
use crate::clock::Moment;
use crate::decode::{Envelope, Told, decode};
use crate::host::index::NodeIndex;
use crate::host::output::Out;
use crate::parcel::Parcel;

impl Node {
    /// Makes events of states that waited too long for an explanation.
    pub(in crate::host) fn settle_overdue(&mut self, index: NodeIndex, now: Moment, out: &mut Out) {
        if self.unexplained.iter().any(|waiting| waiting.is_overdue(now.steady)) {
            self.settle(index, out);
        }
    }

    /// Forgets of the states told at birth what a message tells itself: it was born while that was on its way.
    pub(super) fn explain(&mut self, work: &Work, envelope: Envelope) {
        let Self { unexplained, session, points, .. } = self;
        unexplained.retain(|waiting| {
            let tells_it = |metric: &Metric| {
                let Ok((name, value)) = session.resolve(&work.device, metric) else { return false };
                let Some(point) = points.get(&work.device, name).filter(|_| name == waiting.metric) else { return false };
                let told = decode(metric, &value, point.kind, point.scale, envelope);
                told.is_ok_and(|told| {
                    (told.reading.source, told.reading.value) == (waiting.arrival.reading.source, waiting.arrival.reading.value)
                })
            };
            waiting.device != work.device || !work.payload.metrics.iter().any(tells_it)
        });
    }

    /// Makes events of states told at birth that the outbox did not lead to.
    pub(super) fn settle(&mut self, index: NodeIndex, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        for waiting in std::mem::take(&mut self.unexplained) {
            let Some(point) = self.points.get_mut(&waiting.device, &waiting.metric) else { continue };
            // The birth tells more than a state that was known before it, whatever the clock was, and more than one that was measured before.
            let told = &waiting.arrival.reading;
            let is_older = |known: &Reading| told.supersedes(known) || known.source < told.source;
            if point.state.as_ref().is_none_or(|state| state.reading.value != told.value && is_older(&state.reading)) {
                point.state = Some(waiting.arrival);
                parcel.rows.events.push(event(point.id, self.client, waiting.index, &waiting.arrival, Told::AtBirthWithOutbox));
            }
        }
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }
}
