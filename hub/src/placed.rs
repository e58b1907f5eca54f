//! A row with an offset in its stream.

use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;
use wire::rows::EventRow;

/// A row with an offset in its stream.
pub(crate) trait Placed {
    /// Returns the offset.
    fn offset(&self) -> i64;
    /// Returns the id of the substation.
    fn station(&self) -> i64;
    /// Returns the approximate size in memory, bytes.
    fn bytes(&self) -> usize;
}

impl Placed for EventRow {
    fn offset(&self) -> i64 {
        self.offset
    }

    fn station(&self) -> i64 {
        self.location_id
    }

    fn bytes(&self) -> usize {
        let texts = [&self.asset_name, &self.signal, &self.event_time, &self.change_to, &self.location_name, &self.received_time];
        size_of::<Self>() + texts.map(String::len).iter().sum::<usize>()
    }
}

impl Placed for CommandRow {
    fn offset(&self) -> i64 {
        self.offset
    }

    fn station(&self) -> i64 {
        self.location_id
    }

    fn bytes(&self) -> usize {
        let texts = [&self.command_id, &self.asset_name, &self.mode, &self.state, &self.to_text, &self.operator, &self.message];
        size_of::<Self>() + texts.map(String::len).iter().sum::<usize>()
    }
}

impl Placed for AlarmRow {
    fn offset(&self) -> i64 {
        self.offset
    }

    fn station(&self) -> i64 {
        self.location_id
    }

    fn bytes(&self) -> usize {
        let texts = [&self.kind, &self.state, &self.location_name, &self.text, &self.unit].map(String::len);
        let optional = [&self.asset_name, &self.acknowledged_by, &self.shelved_by, &self.shelved_reason, &self.owner, &self.note];
        size_of::<Self>() + texts.iter().sum::<usize>() + optional.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Placed for FaultRow {
    fn offset(&self) -> i64 {
        self.offset
    }

    fn station(&self) -> i64 {
        self.location_id
    }

    fn bytes(&self) -> usize {
        let texts = [&self.status, &self.asset_name, &self.location, &self.severity, &self.start];
        size_of::<Self>() + texts.map(String::len).iter().sum::<usize>()
    }
}
