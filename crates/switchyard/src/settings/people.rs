//! Settings about the people who sign in, and about what is kept of what they do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::Deserialize;

/// How long a sign-in lasts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// Life of an access token, minutes.
    pub access_min: u32,
    /// Idle limit, minutes.
    pub idle_min: u32,
    /// Absolute limit, hours.
    pub absolute_h: u32,
    /// How long a device stays known, days.
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
    /// Has the pepper, if there is one, go into every hash of this process.
    pub(crate) fn apply(&self) -> anyhow::Result<()> {
        if self.pepper_file.as_os_str().is_empty() {
            return Ok(());
        }
        let name = || format!("password.pepper_file: {}", self.pepper_file.display());
        let secret = std::fs::read(&self.pepper_file).with_context(name)?;
        auth::set_pepper(secret.trim_ascii()).with_context(name)
    }
}

/// What is asked for beside the password.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Auth {
    /// Whether people have second factors.
    pub second_factor: SecondFactor,
}

/// Whether people have second factors.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecondFactor {
    /// Nobody sets one up.
    Off,
    /// Everybody may.
    Offered,
    /// And roles 1 and 2 must.
    RequiredForAdministrators,
}

impl SecondFactor {
    /// The same for the api.
    pub(crate) fn of_identity(self) -> identity::SecondFactor {
        match self {
            Self::Off => identity::SecondFactor::Off,
            Self::Offered => identity::SecondFactor::Offered,
            Self::RequiredForAdministrators => identity::SecondFactor::RequiredForAdministrators,
        }
    }
}

/// Where the audit's checkpoints are kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Audit {
    /// File with the secret that signs them; empty for one under the state.
    pub key_file: PathBuf,
    /// File of the checkpoints; empty for one under the state.
    pub checkpoint_file: PathBuf,
    /// One is written so often while rows are entered, s.
    pub checkpoint_every_s: u32,
}

impl Audit {
    /// The file with the secret.
    pub(crate) fn key_file(&self, state: &Path) -> PathBuf {
        or(&self.key_file, state, "audit.key")
    }

    /// How often checkpoints are written while rows are entered.
    pub(crate) fn checkpoint_every(&self) -> anyhow::Result<Duration> {
        ensure!((1..=86_400).contains(&self.checkpoint_every_s), "audit.checkpoint_every_s must be from 1 to 86400");
        Ok(Duration::from_secs(self.checkpoint_every_s.into()))
    }

    /// The file of the checkpoints.
    pub(crate) fn checkpoint_file(&self, state: &Path) -> PathBuf {
        or(&self.checkpoint_file, state, "audit.checkpoints")
    }
}

fn or(file: &Path, state: &Path, name: &str) -> PathBuf {
    if file.as_os_str().is_empty() { state.join(name) } else { file.to_owned() }
}
