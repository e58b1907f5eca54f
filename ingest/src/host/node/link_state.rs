//! States of links as they are reported: of a node, and of one of its devices.

/// A state of a node that is reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported {
    pub(super) online: bool,
    /// It is another than before.
    pub(super) changed: bool,
    /// It belongs into the history of the link.
    pub(super) entered: bool,
}

/// A state of a device that is reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportedDevice {
    pub(super) online: bool,
    /// It is another than before.
    pub(super) changed: bool,
}
