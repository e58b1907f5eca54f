//! The classes of CIM that an import distinguishes by their names.

use network::description::ContainerKind;

/// Classes whose content is used for parts of other classes. An object of these that no part refers to is left out.
pub(super) const USED_WITH_OTHERS: [&str; 40] = [
    "ACLineSegmentPhase",
    "BaseVoltage",
    "BatteryUnit",
    "ConnectivityNode",
    "CurrentLimit",
    "EnergyConsumerPhase",
    "GeneratingUnit",
    "HydroGeneratingUnit",
    "LinearShuntCompensatorPhase",
    "LoadResponseCharacteristic",
    "NoLoadTest",
    "NuclearGeneratingUnit",
    "OperationalLimitSet",
    "OperationalLimitType",
    "PerLengthPhaseImpedance",
    "PerLengthSequenceImpedance",
    "PhaseImpedanceData",
    "PhaseTapChangerAsymmetrical",
    "PhaseTapChangerLinear",
    "PhaseTapChangerSymmetrical",
    "PhotoVoltaicUnit",
    "PhotovoltaicUnit",
    "PowerElectronicsConnectionPhase",
    "PowerElectronicsWindUnit",
    "PowerTransformerEnd",
    "RatioTapChanger",
    "RegulatingControl",
    "ShortCircuitTest",
    "SolarGeneratingUnit",
    "SwitchPhase",
    "Terminal",
    "ThermalGeneratingUnit",
    "TopologicalNode",
    "TransformerCoreAdmittance",
    "TransformerEndInfo",
    "TransformerMeshImpedance",
    "TransformerStarImpedance",
    "TransformerTankEnd",
    "TransformerTankInfo",
    "WindGeneratingUnit",
];

/// Known classes that a description cannot express, with the reason.
pub(super) const WITHOUT_PLACE: &[(&str, &str)] = &[
    ("Junction", "it is a node only"),
    ("Location", "places of parts other than substations are not taken"),
    ("PositionPoint", "places of parts other than substations are not taken"),
    ("CoordinateSystem", "places are taken as longitude and latitude"),
    ("NonlinearShuntCompensatorPoint", "the characteristic of a shunt is not taken"),
    ("RegularTimePoint", "schedules are not taken"),
    ("BaseVoltage", "no part that is taken has this voltage"),
    ("CurrentLimit", "only permanent limits of equipment are taken"),
    ("VoltageLimit", "limits of voltages are not taken"),
    ("OperationalLimitSet", "it has no limit that is taken"),
    ("OperationalLimitType", "it has no limit that is taken"),
    ("Terminal", "its equipment or its node is missing"),
    ("TopologicalNode", "connectivity nodes are taken instead"),
    ("GeographicalRegion", "regions are not taken"),
    ("SubGeographicalRegion", "regions are not taken"),
    ("EnergySchedulingType", "schedules are not taken"),
    ("EnergySourcePhase", "a source is taken with all phases"),
    ("FossilFuel", "fuels are not taken"),
    ("HydroPowerPlant", "plants are not taken, only their machines"),
    ("IEC61970CIMVersion", "it is the version of the file"),
    ("TapChangerControl", "controls of tap changers are not taken"),
    ("TopologicalIsland", "results of a calculation are not taken"),
    ("SvInjection", "results of a calculation are not taken"),
    ("SvPowerFlow", "results of a calculation are not taken"),
    ("SvShuntCompensatorSections", "results of a calculation are not taken"),
    ("SvStatus", "results of a calculation are not taken"),
    ("SvTapStep", "results of a calculation are not taken"),
    ("SvVoltage", "results of a calculation are not taken"),
];

/// The classes of containers, with the property that refers to their parent.
pub(super) const CONTAINERS: [(&str, ContainerKind, &str); 5] = [
    ("Substation", ContainerKind::Substation, ""),
    ("VoltageLevel", ContainerKind::VoltageLevel, "VoltageLevel.Substation"),
    ("Bay", ContainerKind::Bay, "Bay.VoltageLevel"),
    ("Feeder", ContainerKind::Feeder, "Feeder.NormalEnergizingSubstation"),
    ("Line", ContainerKind::Line, ""),
];

/// Classes of measurements.
pub(super) const MEASUREMENTS: [&str; 3] = ["Analog", "Discrete", "Accumulator"];

/// Whether a class is the header of a file.
pub(super) fn is_header(class: &str) -> bool {
    class == "FullModel"
}

pub(super) fn is_container(class: &str) -> bool {
    CONTAINERS.iter().any(|(known, ..)| *known == class)
}

pub(super) fn is_measurement(class: &str) -> bool {
    MEASUREMENTS.contains(&class)
}
