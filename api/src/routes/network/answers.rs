//! Versions, findings and refusals of the network, as they are answered.

use axum::http::StatusCode;
use network::findings::{Findings, LISTED_MAX, PartKind, Severity};
use network::temporary::equipment_of;
use serde_json::json;
use store::network::{NetworkError, PartCounts, VersionRecord};
use store::temporary_change::UnfitChange;
use wire::network::{NetworkActivation, NetworkFinding, NetworkFindings, NetworkPartCounts, NetworkVersion};
use wire::time::iso;

use crate::error::Error;

/// The rule that temporary changes have a place in a version.
const UNFIT_RULE: &str = "temporary-change-unfit";

/// Returns a version.
pub(crate) fn version(record: VersionRecord) -> NetworkVersion {
    let activations = record.activations.into_iter().map(|activation| NetworkActivation {
        since: iso(activation.since),
        until: activation.until.map(iso),
        member_id: activation.member.map(|member| member.0),
    });
    NetworkVersion {
        version: record.number.0,
        note: record.note,
        member_id: record.member.map(|member| member.0),
        created: iso(record.created),
        parts: counts(record.counts),
        activations: activations.collect(),
    }
}

/// Returns numbers of parts.
pub(crate) fn counts(PartCounts { containers, nodes, equipment, measurements }: PartCounts) -> NetworkPartCounts {
    NetworkPartCounts { containers, nodes, equipment, measurements }
}

/// Returns findings.
pub(crate) fn findings(findings: &Findings) -> NetworkFindings {
    let listed = findings.listed().map(|finding| NetworkFinding {
        severity: finding.severity().as_str().to_owned(),
        rule: finding.rule.as_str().to_owned(),
        part: finding.part.as_str().to_owned(),
        id: finding.id.clone(),
        problem: finding.problem.clone(),
        remedy: finding.remedy().to_owned(),
    });
    NetworkFindings {
        errors: findings.count_of(Severity::Error),
        warnings: findings.count_of(Severity::Warning),
        listed: listed.collect(),
        unlisted: findings.unlisted(),
    }
}

/// Adds the temporary changes that do not fit the network, as warnings: the network has no error, but nobody would know where they are.
pub(crate) fn with_unfit(mut findings: NetworkFindings, unfit: &[UnfitChange]) -> NetworkFindings {
    findings.warnings += unfit.len();
    findings.unlisted += unfit.len().saturating_sub(LISTED_MAX);
    findings.listed.extend(unfit.iter().take(LISTED_MAX).map(|of| NetworkFinding {
        severity: Severity::Warning.as_str().to_owned(),
        rule: UNFIT_RULE.to_owned(),
        part: PartKind::Equipment.as_str().to_owned(),
        id: equipment_of(of.record.id),
        problem: of.to_string(),
        remedy: "Remove it and place it again after the activation. Until then, switches are not closed.".to_owned(),
    }));
    findings
}

impl From<NetworkError> for Error {
    fn from(error: NetworkError) -> Self {
        let message = error.to_string();
        match error {
            NetworkError::Store(error) => error.into(),
            NetworkError::NoVersion(_) => Self::NotFound,
            NetworkError::Outdated { .. } | NetworkError::Past { .. } => Self::Late(message),
            NetworkError::Change(_) | NetworkError::TooLarge { .. } | NetworkError::LongNote(_) => Self::BadRequest(message),
            NetworkError::Unfit(unfit) => {
                let none = NetworkFindings { errors: 0, warnings: 0, listed: Vec::new(), unlisted: 0 };
                Self::Operate { status: StatusCode::UNPROCESSABLE_ENTITY, message, details: json!(with_unfit(none, &unfit)) }
            }
            NetworkError::Findings(found) => {
                Self::Operate { status: StatusCode::UNPROCESSABLE_ENTITY, message, details: json!(findings(&found)) }
            }
        }
    }
}
