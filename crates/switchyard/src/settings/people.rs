//! The settings of sessions, passwords, second factors and the audit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::Deserialize;

/// Duration of sessions.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// Lifetime of an access token, minutes.
    pub access_min: u32,
    /// Idle limit, minutes.
    pub idle_min: u32,
    /// Absolute limit, hours.
    pub absolute_h: u32,
    /// How long a device is remembered, days.
    pub device_days: u32,
}

/// How passwords are kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Password {
    /// File with the pepper; empty for none.
    pub pepper_file: PathBuf,
}

impl Password {
    /// Reads the pepper, if there is one, for all password hashes of this process.
    pub(crate) fn apply(&self) -> anyhow::Result<()> {
        if self.pepper_file.as_os_str().is_empty() {
            return Ok(());
        }
        let name = || format!("password.pepper_file: {}", self.pepper_file.display());
        let secret = std::fs::read(&self.pepper_file).with_context(name)?;
        auth::set_pepper(secret.trim_ascii()).with_context(name)
    }
}

/// Authentication besides the password.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Auth {
    /// Whether users have second factors.
    pub second_factor: SecondFactor,
}

/// Whether users have second factors.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecondFactor {
    /// Users cannot set one up.
    Off,
    /// Users may set one up.
    Offered,
    /// Users may set one up; users of roles 1 and 2 must.
    RequiredForAdministrators,
}

impl SecondFactor {
    /// Converts the setting for the api.
    pub(crate) fn of_identity(self) -> identity::SecondFactor {
        match self {
            Self::Off => identity::SecondFactor::Off,
            Self::Offered => identity::SecondFactor::Offered,
            Self::RequiredForAdministrators => identity::SecondFactor::RequiredForAdministrators,
        }
    }
}

/// Checkpoints of the audit.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Audit {
    /// File of the signing secret; empty: a file in the state folder.
    pub key_file: PathBuf,
    /// File of the checkpoints; empty: a file in the state folder.
    pub checkpoint_file: PathBuf,
    /// Interval at which checkpoints are written while rows are added, s.
    pub checkpoint_every_s: u32,
}

impl Audit {
    /// Returns the file of the signing secret.
    pub(crate) fn key_file(&self, state: &Path) -> PathBuf {
        or(&self.key_file, state, "audit.key")
    }

    /// Returns the interval at which checkpoints are written while rows are added.
    pub(crate) fn checkpoint_every(&self) -> anyhow::Result<Duration> {
        ensure!((1..=86_400).contains(&self.checkpoint_every_s), "audit.checkpoint_every_s must be from 1 to 86400");
        Ok(Duration::from_secs(self.checkpoint_every_s.into()))
    }

    /// Returns the file of the checkpoints.
    pub(crate) fn checkpoint_file(&self, state: &Path) -> PathBuf {
        or(&self.checkpoint_file, state, "audit.checkpoints")
    }
}

fn or(file: &Path, state: &Path, name: &str) -> PathBuf {
    if file.as_os_str().is_empty() { state.join(name) } else { file.to_owned() }
}
