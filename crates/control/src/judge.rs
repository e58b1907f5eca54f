//! A decision about a request by facts that are given, without a database and without a bus: for tests that compare decisions with those of another source, and
//! for measurements.

use grid::Quality;
use grid::control::Refusal;
use grid::control::check::Request;
use grid::control::interlock::Verdict;
use registry::Field;
use serde_json::Value;
use store::control::{CommandFacts, Site};

use crate::decide::{self, DecisionContext};
use crate::image::Image;

/// What a decision finds about a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Every reason to refuse the request, the most important first; empty if it is permitted.
    pub refusals: Vec<Refusal>,
    /// The verdicts of the interlocks that apply, of the bay and of the network.
    pub interlocks: Vec<Verdict>,
    /// The quality of the position of the switch, as it would be shown.
    pub quality: Quality,
}

/// Decides about a request by what its transaction has read. It is the decision of a request while an ingest confirms the links and nothing newer has arrived over
/// the bus. `drawing` is the single-line diagram of the substation.
pub fn judge(field: &Field, drawing: Option<&Value>, session: i64, site: &Site, facts: &CommandFacts, request: &Request) -> Judgement {
    let mut image = Image::default();
    image.alive("given", &[], None, (0, 0));
    let categories = decide::categories(drawing, field, site.location);
    let context = DecisionContext { field, categories: &categories, image: &image, can_send: true };
    let found = decide::point_facts(&context, session, site, facts, request);
    Judgement { refusals: decide::refusals(request, &found), interlocks: found.verdicts, quality: found.quality }
}
