//! The spools of a process on standby from its former leadership.

use std::cell::RefCell;
use std::rc::Rc;

use ingest::run::standby::FormerLeadership;
use ingest::spool::SpoolError;
use wire::bus::BusMessage;

use crate::desk::{Action, Connection, Desk};
use crate::disk::{File, Spool};

/// The spools of a machine with a process on standby.
pub(crate) struct Former {
    pub(crate) desk: Desk,
    pub(crate) files: Vec<Rc<RefCell<File>>>,
}

impl FormerLeadership for Former {
    type Spool = Spool;
    type Database = Connection;

    fn open(&self, writer: usize) -> Option<Result<Spool, SpoolError>> {
        Some(Ok(Spool { file: Rc::clone(self.files.get(writer)?), desk: self.desk.clone() }))
    }

    fn connect(&self) -> Connection {
        Connection::new(self.desk.clone())
    }

    fn broadcast(&self, message: BusMessage) {
        self.desk.act(Action::Broadcast(message));
    }
}
