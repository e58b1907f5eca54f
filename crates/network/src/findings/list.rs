//! Findings: the rules, their severities and remedies, and a list of limited length.

use crate::shown::limited;

/// Maximum number of findings of each rule that are listed. The others are only counted.
pub const LISTED_MAX: usize = 50;

/// Maximum number of characters of an id in a finding. Valid ids are not longer, so they are complete and the part can
/// be found.
const ID_CHARACTERS_MAX: usize = 200;

/// The severity of a finding: whether the description can still be activated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It cannot be activated.
    Error,
    /// It can be activated, but answers of the model may be wrong or missing.
    Warning,
}

grid::enum_text! {
    /// Its name in files and answers.
    Severity { Error = "error", Warning = "warning" }
}

crate::as_text!(Severity);

/// The kind of a part of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartKind {
    /// A container.
    Container,
    /// A connectivity node.
    Node,
    /// A piece of equipment.
    Equipment,
    /// A measurement.
    Measurement,
}

grid::enum_text! {
    /// Its name in files and answers.
    PartKind { Container = "container", Node = "node", Equipment = "equipment", Measurement = "measurement" }
}

crate::as_text!(PartKind);

/// The rules for a description. Rules whose violation is an error come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// An id occurs once among the parts of a kind.
    DuplicateId,
    /// Ids and names have a limited length and no control characters.
    InvalidText,
    /// Numbers are finite.
    NotFinite,
    /// Ids of nodes and equipment are not those of temporary changes.
    ReservedId,
    /// Numbers are possible.
    OutOfRange,
    /// A container that is named exists.
    MissingContainer,
    /// A container is not part of itself.
    ContainerCycle,
    /// The node of a terminal exists.
    MissingNode,
    /// Equipment has the number of terminals that its kind needs.
    WrongTerminals,
    /// The terminals of equipment have a phase in common.
    NoCommonPhase,
    /// The electrical values belong to the kind of the equipment.
    WrongValues,
    /// Nodes that are connected without a transformer have the same nominal voltage.
    TwoVoltages,
    /// A node has a limited number of sources and earth switches.
    TooManyAtNode,
    /// A network has equipment.
    EmptyNetwork,
    /// The equipment of a measurement exists.
    MissingEquipment,
    /// The terminal of a measurement exists.
    MissingTerminal,
    /// The position of equipment is measured in one of its phases.
    PhasesOfPosition,
    /// A node has terminals.
    NodeWithoutTerminals,
    /// A switch has a measurement of its position, which is bound to a point.
    SwitchWithoutPoint,
    /// A point reports one measurement only.
    PointTwice,
    /// A measured position belongs to a switch or a source.
    PositionWithoutSwitch,
    /// A measurement at equipment with several terminals names one of them.
    MeasurementWithoutTerminal,
    /// A transformer has ratings.
    TransformerWithoutRating,
    /// The rated voltage of a winding is near the nominal voltage of its node.
    RatedVoltage,
    /// A connected part has a source.
    PartWithoutSource,
    /// Customers are in a substation.
    ConsumerWithoutStation,
}

grid::enum_text! {
    /// Its name in files and answers.
    Rule {
        DuplicateId = "duplicate-id",
        InvalidText = "invalid-text",
        NotFinite = "not-finite",
        ReservedId = "reserved-id",
        OutOfRange = "out-of-range",
        MissingContainer = "missing-container",
        ContainerCycle = "container-cycle",
        MissingNode = "missing-node",
        WrongTerminals = "wrong-terminals",
        NoCommonPhase = "no-common-phase",
        WrongValues = "wrong-values",
        TwoVoltages = "two-voltages",
        TooManyAtNode = "too-many-at-node",
        EmptyNetwork = "empty-network",
        MissingEquipment = "missing-equipment",
        MissingTerminal = "missing-terminal",
        PhasesOfPosition = "phases-of-position",
        NodeWithoutTerminals = "node-without-terminals",
        SwitchWithoutPoint = "switch-without-point",
        PointTwice = "point-twice",
        PositionWithoutSwitch = "position-without-switch",
        MeasurementWithoutTerminal = "measurement-without-terminal",
        TransformerWithoutRating = "transformer-without-rating",
        RatedVoltage = "rated-voltage",
        PartWithoutSource = "part-without-source",
        ConsumerWithoutStation = "consumer-without-station",
    }
}

crate::as_text!(Rule);

impl Rule {
    /// Returns the severity of its violation.
    pub const fn severity(self) -> Severity {
        if (self as usize) < Self::NodeWithoutTerminals as usize { Severity::Error } else { Severity::Warning }
    }

    /// Whether a violation prevents not only the activation but also storing, because the parts could not be read back
    /// unchanged.
    pub const fn prevents_storing(self) -> bool {
        matches!(self, Self::DuplicateId | Self::InvalidText | Self::NotFinite)
    }

    /// Returns what a user can do about a violation.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::DuplicateId => "Give each part an id of its own, or remove one of them.",
            Self::InvalidText => "Use an id of 1 to 200 characters and names of up to 200 characters, without control characters.",
            Self::NotFinite => "Give a number, or leave the value out if it is not known.",
            Self::ReservedId => "Give the part another id.",
            Self::OutOfRange => "Correct the number. Check its unit and its sign.",
            Self::MissingContainer => "Add the container, or leave the reference out.",
            Self::ContainerCycle => "Remove the parent of one of these containers.",
            Self::MissingNode => "Add the node, or connect the terminal with another node.",
            Self::WrongTerminals => "Add the missing terminals, remove the excess ones, or correct the kind.",
            Self::NoCommonPhase => "Correct the phases of the terminals.",
            Self::WrongValues => "Give the values of this kind of equipment, or correct the kind.",
            Self::TwoVoltages => "Correct the nominal voltage, or put a transformer between the nodes.",
            Self::TooManyAtNode => "Remove duplicates, or distribute them over several nodes that a busbar section joins.",
            Self::EmptyNetwork => "Add the equipment. If it should be there, check whether all files of the network were given.",
            Self::MissingEquipment => "Add the equipment, or remove the measurement.",
            Self::MissingTerminal => "Name a terminal that the equipment has, from 1.",
            Self::PhasesOfPosition => "Give the phases of the equipment whose position the point reports.",
            Self::PointTwice => "Keep the point in one of the measurements, unless it reports all of them.",
            Self::NodeWithoutTerminals => "Connect equipment with the node, or remove it.",
            Self::SwitchWithoutPoint => {
                "Add a measurement Pos with the point that reports it. Without one, the switch counts as in its normal position until a user enters another."
            }
            Self::PositionWithoutSwitch => "Bind the position to the switch that it belongs to.",
            Self::MeasurementWithoutTerminal => "Name the terminal at which the value is measured, from 1.",
            Self::TransformerWithoutRating => "Give the rated power and voltages. Without them there is no loading and no load flow.",
            Self::RatedVoltage => "Check which winding is at which node, and the nominal voltage of the node.",
            Self::PartWithoutSource => "Connect the part with the network, or add the source that feeds it. Without one it counts as dead.",
            Self::ConsumerWithoutStation => {
                "Put the feeder into the substation that feeds it. Until then its customers count where its breaker is, if that is known; those in no feeder count nowhere."
            }
        }
    }
}

/// A violated rule, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The kind of the part.
    pub part: PartKind,
    /// The id of the part.
    pub id: String,
    /// What is wrong.
    pub problem: String,
}

impl Finding {
    /// Returns its severity.
    pub const fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// Returns what to do about it.
    pub const fn remedy(&self) -> &'static str {
        self.rule.remedy()
    }
}

/// All findings about a description: the first findings of each rule, and the number of all findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    listed: [Vec<Finding>; Rule::ALL.len()],
    counts: [usize; Rule::ALL.len()],
}

impl Findings {
    /// Returns the listed findings, errors first, in the order of the rules.
    pub fn listed(&self) -> impl Iterator<Item = &Finding> {
        self.listed.iter().flatten()
    }

    /// Returns the number of all findings of a rule.
    pub fn count(&self, rule: Rule) -> usize {
        self.counts[rule as usize]
    }

    /// Returns the number of all findings of a severity.
    pub fn count_of(&self, severity: Severity) -> usize {
        Rule::ALL.into_iter().filter(|rule| rule.severity() == severity).map(|rule| self.count(rule)).sum()
    }

    /// Returns the number of findings that are not listed.
    pub fn unlisted(&self) -> usize {
        self.counts.iter().sum::<usize>() - self.listed.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether the description can be stored.
    pub fn permit_storing(&self) -> bool {
        Rule::ALL.into_iter().all(|rule| !rule.prevents_storing() || self.count(rule) == 0)
    }

    /// Whether the description can be activated.
    pub fn permit_activation(&self) -> bool {
        self.count_of(Severity::Error) == 0
    }

    /// Adds a finding. The text of the problem is created only if the finding is listed.
    pub(crate) fn add(&mut self, rule: Rule, part: PartKind, id: &str, problem: impl FnOnce() -> String) {
        self.counts[rule as usize] += 1;
        let listed = &mut self.listed[rule as usize];
        if listed.len() < LISTED_MAX {
            listed.push(Finding { rule, part, id: limited(id, ID_CHARACTERS_MAX), problem: problem() });
        }
    }
}
