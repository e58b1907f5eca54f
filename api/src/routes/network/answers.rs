//! Versions, findings and refusals of the network, as they are answered.

use axum::http::StatusCode;
use network::findings::{Findings, Severity};
use serde_json::json;
use store::network::{NetworkError, PartCounts, VersionRecord};
use wire::network::{NetworkActivation, NetworkFinding, NetworkFindings, NetworkPartCounts, NetworkVersion};
use wire::time::iso;

use crate::error::Error;

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

impl From<NetworkError> for Error {
    fn from(error: NetworkError) -> Self {
        let message = error.to_string();
        match error {
            NetworkError::Store(error) => error.into(),
            NetworkError::NoVersion(_) => Self::NotFound,
            NetworkError::Outdated { .. } | NetworkError::Past { .. } => Self::Late(message),
            NetworkError::Change(_) | NetworkError::TooLarge { .. } | NetworkError::LongNote(_) => Self::BadRequest(message),
            NetworkError::Findings(found) => {
                Self::Operate { status: StatusCode::UNPROCESSABLE_ENTITY, message, details: json!(findings(&found)) }
            }
        }
    }
}
