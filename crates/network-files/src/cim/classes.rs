//! The classes of CIM that an import distinguishes by their names.

use network::description::ContainerKind;

/// Classes whose content is used for parts of other classes, or that are not about the network.
pub(super) const USED_WITH_OTHERS: [&str; 57] = [
    "ACLineSegmentPhase",
    "BaseVoltage",
    "BatteryUnit",
    "ConnectivityNode",
    "CurrentLimit",
    "EnergyConsumerPhase",
    "EnergySchedulingType",
    "EnergySourcePhase",
    "FossilFuel",
    "FullModel",
    "GeneratingUnit",
    "GeographicalRegion",
    "HydroGeneratingUnit",
    "HydroPowerPlant",
    "IEC61970CIMVersion",
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
    "SubGeographicalRegion",
    "SvInjection",
    "SvPowerFlow",
    "SvShuntCompensatorSections",
    "SvStatus",
    "SvTapStep",
    "SvVoltage",
    "SwitchPhase",
    "TapChangerControl",
    "Terminal",
    "ThermalGeneratingUnit",
    "TopologicalIsland",
    "TopologicalNode",
    "TransformerCoreAdmittance",
    "TransformerEndInfo",
    "TransformerMeshImpedance",
    "TransformerStarImpedance",
    "TransformerTankEnd",
    "TransformerTankInfo",
    "VoltageLimit",
    "WindGeneratingUnit",
];

/// Known classes that a description cannot express, with the reason.
pub(super) const WITHOUT_PLACE: [(&str, &str); 6] = [
    ("Junction", "it is a node only"),
    ("Location", "places of parts other than substations are not taken"),
    ("PositionPoint", "places of parts other than substations are not taken"),
    ("CoordinateSystem", "places are taken as longitude and latitude"),
    ("NonlinearShuntCompensatorPoint", "the characteristic of a shunt is not taken"),
    ("RegularTimePoint", "schedules are not taken"),
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

pub(super) fn is_container(class: &str) -> bool {
    CONTAINERS.iter().any(|(known, ..)| *known == class)
}

pub(super) fn is_measurement(class: &str) -> bool {
    MEASUREMENTS.contains(&class)
}
