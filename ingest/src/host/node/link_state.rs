//! Link states of nodes and devices in the form in which they are reported.

/// A link state of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported {
    pub(super) online: bool,
    /// Whether it differs from the previous state.
    pub(super) changed: bool,
    /// Whether it is added to the history of the link.
    pub(super) entered: bool,
}

/// A link state of a device.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportedDevice {
    pub(super) online: bool,
    /// Whether it differs from the previous state.
    pub(super) changed: bool,
}
