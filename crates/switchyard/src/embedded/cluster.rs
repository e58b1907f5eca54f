//! The files of the private database. They are created once; later only the port can change.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, bail};

use super::account::Account;
use super::{pidfile, programs};
use crate::settings::Settings;

/// The superuser of the private database.
const USER: &str = "switchyard";

/// A data folder with the programs that serve it.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    /// The folder and the user.
    pub account: Account,
    programs: PathBuf,
    /// The data folder.
    pub data: PathBuf,
    /// The port on 127.0.0.1.
    pub port: u16,
    password: String,
}

impl Cluster {
    /// Installs the programs and creates the database, if missing.
    pub(crate) async fn prepare(settings: &Settings) -> anyhow::Result<Self> {
        let account = super::account::choose(settings).await?;
        let programs = programs::find(&account.home, &settings.embedded.postgres_programs).await?;
        let programs = std::path::absolute(programs)?;
        let password_file = account.home.join("postgres.password");
        if !password_file.exists() {
            write_private(&password_file, &format!("{:032x}", rand::random::<u128>()))?;
            account.own(&password_file)?;
        }
        let password = std::fs::read_to_string(&password_file)?.trim().to_owned();
        let cluster = Self { data: account.home.join("postgres"), port: choose_port(&account.home)?, account, programs, password };
        if !cluster.data.join("PG_VERSION").exists() {
            cluster.create(&password_file).await?;
        }
        Ok(cluster)
    }

    /// Returns the URL with the password.
    pub(crate) fn url(&self) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    /// Returns the path of PostgreSQL's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.account.home.join("postgres.log")
    }

    async fn create(&self, password_file: &Path) -> anyhow::Result<()> {
        // What a killed first start left is not a database.
        if self.data.exists() {
            std::fs::remove_dir_all(&self.data)?;
        }
        std::fs::create_dir_all(&self.data)?;
        restrict(&self.data)?;
        self.account.own(&self.data)?;
        let mut initdb = self.command("initdb");
        initdb.arg("-D").arg(&self.data).args(["--username", USER, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"]);
        initdb.args(["--no-instructions", "--pwfile"]).arg(password_file);
        let made = initdb.output().await.context("initdb")?;
        if !made.status.success() {
            // The next start must not use an incomplete database.
            let _ = std::fs::remove_dir_all(&self.data);
            bail!("initdb failed: {}", output_text(&made));
        }
        Ok(())
    }

    /// Returns a command for a program of the installation, as the right user.
    pub(crate) fn command(&self, program: &str) -> tokio::process::Command {
        self.account.command(&self.programs.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
    }

    /// Returns the content of the PID file; `None` if no server is running.
    pub(crate) fn pidfile(&self) -> Option<pidfile::PidFile> {
        pidfile::parse(&std::fs::read_to_string(self.data.join("postmaster.pid")).ok()?)
    }

    /// Stops a server that a killed process left running. If no server is running, it does nothing; PostgreSQL removes
    /// an outdated PID file itself.
    pub(crate) async fn stop(&self) {
        if self.pidfile().is_some() {
            let mut stop = self.command("pg_ctl");
            stop.arg("-D").arg(&self.data).args(["-m", "fast", "-w", "-t", "20", "stop"]);
            if let Ok(output) = stop.output().await
                && !output.status.success()
            {
                tracing::debug!(output_text = output_text(&output), "pg_ctl stop");
            }
        }
    }
}

fn output_text(output: &Output) -> String {
    let text = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
    String::from_utf8_lossy(text).lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no reason given").to_owned()
}

/// Returns the port of the last start if it is free, else any free port.
fn choose_port(home: &Path) -> anyhow::Result<u16> {
    let file = home.join("postgres.port");
    let kept = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u16>().ok());
    // A server left by a killed process uses the port itself; it is stopped before the new one starts.
    if let Some(port) = kept
        && (home.join("postgres").join("postmaster.pid").exists() || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
    {
        return Ok(port);
    }
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    std::fs::write(file, port.to_string())?;
    Ok(port)
}

fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(unix)]
fn restrict(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    Ok(())
}

#[cfg(not(unix))]
fn restrict(_: &Path) -> anyhow::Result<()> {
    Ok(())
}
