//! Converts committed events to bus messages, and combines messages of live values.

use store::writer::CommittedEvents;
use wire::bus::BusMessage;
use wire::rows::EventRow;

/// Maximum number of rows or changes in one bus message.
const ROWS: usize = 1_000;

/// Combines successive changes of one utility into one message, because each message takes processor time in a hub.
pub fn coalesce(messages: Vec<BusMessage>) -> Vec<BusMessage> {
    let mut put: Vec<BusMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        match (put.last_mut(), message) {
            (Some(BusMessage::Changes { client: before, changes }), BusMessage::Changes { client, changes: mut next })
                if *before == client && changes.len() + next.len() <= ROWS =>
            {
                changes.append(&mut next);
            }
            (_, message) => put.push(message),
        }
    }
    put
}

/// Returns committed events as bus messages, in the order of the offsets.
pub fn event_messages(committed: &CommittedEvents) -> Vec<BusMessage> {
    let mut from = committed.from;
    let message = |rows: &[grid::Event]| {
        let offset = rows.last().map_or(from, |row| row.offset);
        let rows = rows.iter().map(EventRow::from).collect();
        let message = BusMessage::Events { client: committed.client.0, epoch: committed.epoch.clone(), from, offset, rows };
        from = offset;
        message
    };
    committed.rows.chunks(ROWS).map(message).collect()
}

#[cfg(test)]
mod tests {
    use grid::position::Encoding;
    use grid::{AssetId, ClientId, Event, Micros, NodeId, Ordinal, PointId, Quality};
    use wire::bus::Change;

    use super::*;

    fn event(offset: i64) -> Event {
        Event {
            client: ClientId(1),
            offset,
            point: PointId(2),
            asset: AssetId(3),
            asset_name: "CB".into(),
            location: NodeId(4),
            location_name: "S".into(),
            signal: "Position".into(),
            encoding: Encoding::DoublePoint,
            value: Some(1.0),
            quality: Quality::Good,
            source: Micros(1),
            received: Micros(2),
            ordinal: Ordinal::default(),
        }
    }

    #[test]
    fn a_flood_of_events_keeps_its_offsets_without_a_gap() {
        let rows: Vec<Event> = (11..=2_510).map(event).collect();
        let committed = CommittedEvents { client: ClientId(1), epoch: "e".into(), from: 10, offset: 2_510, rows };
        let spans: Vec<(i64, i64, usize)> = event_messages(&committed)
            .iter()
            .map(|message| match message {
                BusMessage::Events { from, offset, rows, .. } => (*from, *offset, rows.len()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(spans, [(10, 1_010, 1_000), (1_010, 2_010, 1_000), (2_010, 2_510, 500)]);
    }

    #[test]
    fn changes_of_one_utility_travel_together_and_in_order() {
        let change = |point| Change { point, value: None, quality: 0, source: 0, received: 0, epoch: 0, seq: 0 };
        let changes = |client, points: &[i64]| BusMessage::Changes { client, changes: points.iter().map(|point| change(*point)).collect() };
        let gateway = BusMessage::Gateway { client: 1, gateway: 9, online: true, since: 0, order: (1, 1), changed: true };
        let put = coalesce(vec![changes(1, &[1]), changes(1, &[2, 3]), changes(2, &[4]), gateway, changes(2, &[5])]);
        let shapes: Vec<usize> =
            put.iter().map(|message| if let BusMessage::Changes { changes, .. } = message { changes.len() } else { 0 }).collect();
        assert_eq!(shapes, [3, 1, 0, 1]);
    }
}
