//! Carries out a committed decision: first the command to the gateway, then the notification of subscribers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use grid::control::machine::Effect;
use store::control::Committed;
use wire::bus::BusMessage;
use wire::control::CommandRow;

use crate::handle::Control;
use crate::job::Job;
use crate::open::{Links, Open};

impl Control {
    /// Carries out a committed decision: first the command to the gateway, then the notification of subscribers.
    pub(crate) fn carry_out(&self, committed: &Committed, links: Links) {
        self.note(committed, links);
        let operator = committed.rows.last().map(|row| row.operator.as_str());
        let operator = operator.or(committed.site.held.as_ref().map(|held| held.operator.as_str())).unwrap_or_default();
        for effect in &committed.effects {
            match effect {
                Effect::Publish { id, .. } => {
                    if let Err(error) = self.send(committed, operator, *effect) {
                        tracing::warn!(%error, command = %id, "a command was not published; it is not sent again");
                        self.later(Job::Unsent { client: committed.client, point: committed.site.point, command: *id });
                    }
                }
                Effect::Alarm { id } => {
                    metrics::counter!("control_alarms_total").increment(1);
                    tracing::warn!(command = %id, asset = committed.site.asset_name, "a command ended without the expected position: check the device in the field");
                }
                Effect::Interrogate => self.interrogate(&committed.site),
            }
        }
        self.publish(committed);
    }

    /// Updates the list of open commands: sets which command holds the point now.
    fn note(&self, committed: &Committed, links: Links) {
        let Committed { client, site, rows, holds, .. } = committed;
        let open = self.open();
        let before = holds.and_then(|(command, _)| open.get(&command.id.to_string()).map(|open| open.clone()));
        // The command that holds the point is replaced in one step below: a decision in between must see its deadline.
        let holder = holds.map(|(command, _)| command.id.to_string());
        for row in rows.iter().filter(|row| holder.as_ref() != Some(&row.id)) {
            open.remove(&row.id);
        }
        if let Some((command, left_ms)) = holds {
            let now = Instant::now();
            let due = now + Duration::from_millis(u64::try_from(*left_ms).unwrap_or_default());
            // A state that continues keeps its deadline, even if the wall clock was set in the meantime.
            let same = before.as_ref().filter(|before| before.state == command.state);
            let due = same.map_or(due, |before| due.min(before.due));
            let links = before.as_ref().map_or(links, |before| before.links);
            open.insert(
                command.id.to_string(),
                Open {
                    client: *client,
                    point: site.point,
                    gateway: site.gateway,
                    device: site.device.clone(),
                    session: command.holder.session,
                    state: command.state,
                    due,
                    noted: now,
                    links,
                },
            );
        }
        // The next deadline may be earlier now.
        self.later(Job::Look);
    }

    /// Publishes the states that were reached.
    fn publish(&self, committed: &Committed) {
        let Committed { client, epoch, from, rows, .. } = committed;
        let Some(offset) = rows.last().map(|row| row.offset) else { return };
        let rows: Vec<CommandRow> = rows.iter().map(CommandRow::from).collect();
        for row in &rows {
            // Sending fails if no request is waiting, which is no error.
            let _ = self.0.rows.send(Arc::new(row.clone()));
        }
        self.0.bus.publish(BusMessage::Commands { client: client.0, epoch: epoch.clone(), from: *from, offset, rows });
    }
}
