//! The texts of the monthly document: the meaning of its figures, and remarks on their limits.

use grid::outage::Cause;
use wire::flag::Flag;
use wire::reliability::Weighting;

/// The meaning and source of each figure.
pub(super) const TERMS: &[(&str, &str)] = &[
    (
        "SAIDI",
        "Customer minutes of sustained interruptions that began in the month, with all of their minutes / customers served (IEEE 1366).",
    ),
    ("SAIFI", "Customers interrupted by sustained interruptions that began in the month / customers served."),
    ("CAIDI", "SAIDI / SAIFI: how long a sustained interruption lasted on average. Not known where there was none."),
    ("MAIFI", "Customers interrupted momentarily, which is up to the utility's own threshold / customers served."),
    (
        "12 months",
        "The month and the eleven before it together: SAIDI, SAIFI and MAIFI are from the sums of these months, CAIDI is SAIDI / SAIFI. If not all of them are \
         known, the row is of those that are and says how many.",
    ),
    (
        "Customers served",
        "The sum over the feeders that count, by the weighting of the utility's configuration. A feeder that leads to another substation counts in neither.",
    ),
    (
        "Worst outages",
        "Sustained outages of feeders that began in the month and count in SAIDI, by customers x minutes. The cause is derived from events, unless a user \
         has corrected it.",
    ),
    (
        "Energy in, energy out",
        "What the registers of the incoming lines and of the feeders counted (imported less exported) in the days that are over. What one substation of the \
         place gives to another counts on neither side.",
    ),
    ("Loss", "Energy in - energy out; in percent, of energy in. Below 0 where meters or their clocks differ, and then shown so."),
    ("Coverage", "The share of the time for which all meters of the substations are known. Energy of the rest is in no figure."),
    (
        "Peak demand",
        "The highest mean of the feeders' added active power over a block of the utility's demand-integration period (15 or 30 minutes), aligned to its clock, of blocks in which at least 95 % of \
         the feeders are heard; of an asset its own power.",
    ),
    ("Load factor", "The mean of the blocks of demand of the month over its peak demand."),
    (
        "Faults",
        "Faults of feeders that began in the month, by the phases that carried fault current. A breaker that opens, recloses and opens again within the \
         dead time is one fault. The minutes are of those that are over.",
    ),
    (
        "Gateways heard",
        "The share of the time, since each gateway was first heard, in which its link was up; all gateways together by their known time. Reliability and \
         faults are known for that share of it.",
    ),
    (
        "Health of cables and plant",
        "Sections of cable, transformers and breakers by health index (CNAIM v2.1) from HI1, as good as new, to HI5, near the end of life, by what was found \
         up to the end of the year that is named. The score behind it goes from 0.5 to 10; of a transformer the worse of its two parts decides. The \
         methodology has no model of some kinds.",
    ),
    ("Not known", "Nothing was measured or heard. It is left out of charts and sums, and never counted as 0."),
];

/// Returns the remark for a flag of the reliability of a month; `None` if the flag needs none.
pub(super) fn doubt(flag: Flag) -> Option<&'static str> {
    Some(match flag {
        Flag::NoData => "No data of this area in the month, so interruptions are unknown.",
        Flag::NoFeeder => "There is no feeder here that counts: interruptions are not known.",
        Flag::Silent => "Gateways were not heard for a part of the time: of that only such interruptions are known as were told later.",
        Flag::Partial => {
            "Only a part is known: of some feeders whom they supply, or when they were heard first, is not; or there are more outages than are looked at."
        }
        Flag::NoCustomers => "Whom the feeders supply has not been entered: there are no indices.",
        Flag::Open => "An outage lasts; it counts up to when this was made.",
        Flag::Provisional => "Some outages may change: where they began or ended is not known for sure.",
        Flag::Late => "The newest events are not in the figures yet.",
        Flag::Backcast
        | Flag::Coarse
        | Flag::NegativeLoss
        | Flag::NotMetered
        | Flag::RegisterReset
        | Flag::RegisterStep
        | Flag::StationMeters => return None,
    })
}

/// Returns the name of the weight of feeders, such as customers, and the title of a column with the weight multiplied
/// by minutes.
pub(super) fn weighted(weighting: Weighting) -> (&'static str, &'static str) {
    match weighting {
        Weighting::Customers => ("customers", "Customer minutes"),
        Weighting::ConnectedKva => ("connected kVA", "kVA minutes"),
        Weighting::Feeders => ("feeders", "Feeder minutes"),
    }
}

/// Returns the label of a cause.
pub(super) fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::LoadShedding => "load shedding",
        cause => cause.as_str(),
    }
}
