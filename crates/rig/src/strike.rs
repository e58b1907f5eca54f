//! Faults of processes and links, by name. Each waits for its effect.

use std::time::Duration;

use anyhow::bail;
use tokio::process::Command;
use tokio::time::sleep;

use crate::proxy::Fault;
use crate::site::{Site, send_signal};

/// Kills a process with SIGKILL and restarts it after a while.
pub async fn kill(site: &mut Site, part: &str, down: Duration) -> anyhow::Result<()> {
    match part {
        "postgres" => {
            site.postgres.kill9();
            sleep(down).await;
            site.postgres.restart().await;
        }
        "broker" => {
            site.broker.kill();
            sleep(down).await;
            site.broker.restart().await;
        }
        service => {
            site.service_mut(service)?.kill().await?;
            sleep(down).await;
            site.service_mut(service)?.start()?;
        }
    }
    Ok(())
}

/// Kills all processes at once. Restarts the services first and then the broker and the database, which is the least favourable order.
pub async fn kill_all(site: &mut Site, down: Duration) -> anyhow::Result<()> {
    site.postgres.kill9();
    site.broker.kill();
    let names: Vec<String> = site.services.keys().cloned().collect();
    for name in &names {
        site.service_mut(name)?.kill().await?;
    }
    sleep(down).await;
    for name in &names {
        site.service_mut(name)?.start()?;
    }
    site.broker.restart().await;
    site.postgres.restart().await;
    Ok(())
}

/// Stops or continues a service with all its processes.
pub async fn signal(site: &Site, part: &str, signal: &str) -> anyhow::Result<()> {
    match part {
        "postgres" => {
            let Some(pid) = site.postgres.pid() else { bail!("PostgreSQL does not run") };
            // Its children first, so that the parent cannot wake a running child.
            let _ = Command::new("pkill").args([format!("-{signal}"), "-P".into(), pid.to_string()]).status().await?;
            send_signal(pid, signal).await
        }
        service => site.service(service)?.signal(signal).await,
    }
}

/// Disturbs a link for a while.
pub async fn disturb(site: &Site, link: &str, fault: Fault, how_long: Duration) -> anyhow::Result<()> {
    let Some(proxy) = site.links.get(link) else { bail!("there is no link {link}") };
    proxy.set(fault);
    sleep(how_long).await;
    proxy.set(Fault::None);
    Ok(())
}
