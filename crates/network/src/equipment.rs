//! Kinds of equipment, with the class names of IEC 61970-301.

/// What a piece of equipment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EquipmentKind {
    /// A section of a busbar.
    BusbarSection,
    /// A circuit breaker.
    Breaker,
    /// An isolator, which must not switch load current.
    Disconnector,
    /// A switch made for load current.
    LoadBreakSwitch,
    /// A fuse. Each phase has a separate fuse.
    Fuse,
    /// A breaker that closes again by itself.
    Recloser,
    /// A switch that opens while the line is dead, after it has counted trips.
    Sectionaliser,
    /// A switch that connects its terminal with earth.
    GroundDisconnector,
    /// A switch of unknown kind.
    Switch,
    /// A segment of a line or a cable.
    LineSegment,
    /// A line with direct current, and its converters.
    DirectCurrentLine,
    /// A series reactor or capacitor.
    SeriesCompensator,
    /// A transformer with two or three ends.
    PowerTransformer,
    /// A capacitor or a reactor between the terminal and earth.
    ShuntCompensator,
    /// A neighbouring network, which supplies this one.
    EnergySource,
    /// Customers or a load.
    EnergyConsumer,
    /// A generator that can keep a part of the network live by itself.
    GeneratingUnit,
    /// A battery. It may keep a part of the network live by itself.
    BatteryUnit,
    /// A solar or wind plant behind an inverter. It stops when the network is dead.
    InverterUnit,
}

grid::enum_text! {
    /// The name of the class in IEC 61970-301, or its commonest subclass.
    EquipmentKind {
        BusbarSection = "BusbarSection",
        Breaker = "Breaker",
        Disconnector = "Disconnector",
        LoadBreakSwitch = "LoadBreakSwitch",
        Fuse = "Fuse",
        Recloser = "Recloser",
        Sectionaliser = "Sectionaliser",
        GroundDisconnector = "GroundDisconnector",
        Switch = "Switch",
        LineSegment = "ACLineSegment",
        DirectCurrentLine = "DCLineSegment",
        SeriesCompensator = "SeriesCompensator",
        PowerTransformer = "PowerTransformer",
        ShuntCompensator = "LinearShuntCompensator",
        EnergySource = "EnergySource",
        EnergyConsumer = "EnergyConsumer",
        GeneratingUnit = "GeneratingUnit",
        BatteryUnit = "BatteryUnit",
        InverterUnit = "PowerElectronicsConnection",
    }
}

crate::as_text!(EquipmentKind);

impl EquipmentKind {
    /// Whether it opens and closes a connection between two nodes.
    pub const fn is_switch(self) -> bool {
        matches!(
            self,
            Self::Breaker | Self::Disconnector | Self::LoadBreakSwitch | Self::Fuse | Self::Recloser | Self::Sectionaliser | Self::Switch
        )
    }

    /// Whether it can break a fault current and close again.
    pub const fn is_breaker(self) -> bool {
        matches!(self, Self::Breaker | Self::Recloser)
    }

    /// Whether it is designed to break and make load current.
    pub const fn breaks_load(self) -> bool {
        matches!(self, Self::Breaker | Self::LoadBreakSwitch | Self::Recloser)
    }

    /// Whether a current flows, or may flow, at its terminals while they are live.
    pub const fn takes_or_gives_current(self) -> bool {
        matches!(
            self,
            Self::EnergyConsumer
                | Self::EnergySource
                | Self::GeneratingUnit
                | Self::BatteryUnit
                | Self::InverterUnit
                | Self::ShuntCompensator
                | Self::DirectCurrentLine
        )
    }

    /// Whether its phases can have different positions.
    pub const fn has_position_for_each_phase(self) -> bool {
        matches!(self, Self::Fuse)
    }

    /// Whether its terminals have no metallic connection, as in a transformer. Supply passes through it, an earth does
    /// not.
    pub const fn isolates(self) -> bool {
        matches!(self, Self::PowerTransformer | Self::DirectCurrentLine)
    }

    /// Whether the voltages at its terminals need not have the same frequency and phase.
    pub const fn is_asynchronous(self) -> bool {
        matches!(self, Self::DirectCurrentLine)
    }

    /// Whether it may feed the network. Only a neighbouring network certainly feeds it.
    pub const fn may_feed(self) -> bool {
        matches!(self, Self::EnergySource | Self::GeneratingUnit | Self::BatteryUnit)
    }

    /// Returns the minimum and maximum number of terminals.
    pub const fn terminals(self) -> (usize, usize) {
        match self {
            Self::PowerTransformer => (2, 3),
            Self::LineSegment | Self::DirectCurrentLine | Self::SeriesCompensator => (2, 2),
            kind if kind.is_switch() => (2, 2),
            _ => (1, 1),
        }
    }
}
