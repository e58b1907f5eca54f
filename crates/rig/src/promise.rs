//! Runs a promise by its name: the faults, their duration and the required results. `scripts/promise` lists the promises.

mod aliases;
mod apart;
mod blind;
mod clients;
mod clocks;
mod crashes;
mod frozen;
mod input;
mod leaders;
mod orders;
mod outages;
mod picture;

use std::time::Duration;

use anyhow::bail;

use crate::files;
use crate::gateways::Late;
use crate::run::Run;
use crate::site::Shape;
pub use crate::trial::{Report, Trial};

/// The names and texts of all promises.
pub const NAMES: [(&str, &str); 27] = [
    ("P1", "a crash of ingest loses and doubles nothing"),
    ("P2", "a crash of the database loses nothing, and values stay live"),
    ("P3", "a crash of the broker loses nothing that a gateway with an outbox sent"),
    ("P4", "everything stopped at once comes back by itself"),
    ("P5", "what is sent again and again is stored once"),
    ("P6", "the event log is complete under an avalanche, with ingest and hub killed"),
    ("P7", "late values go to history and never to the picture; wrong clocks do no harm"),
    ("P8", "full disks lose nothing"),
    ("P9", "a disturbed link heals"),
    ("P10", "a database that does not answer is bridged within bounded memory"),
    ("P11", "poisoned input is set aside with its reason"),
    ("P12", "clients resume without a gap when they or the hub are cut"),
    ("P13", "a client that does not read hurts only itself"),
    ("P14", "values are on the screen in time"),
    ("P15", "positions are seen at once, and what has died is soon not live any more"),
    ("P16", "clocks that jump do no harm"),
    ("P16c", "clocks that jump prolong no selection"),
    ("P17", "a reconnect storm is over soon"),
    ("P19", "a command acts at most once"),
    ("P20", "no late, kept, replayed or foreign order acts"),
    ("standby", "a restart of the database under a leader and a standby disturbs no gateway"),
    ("cutoff", "a leader that is cut off from the database alone loses nothing and disturbs no gateway"),
    ("blind", "a switch that moves while ingest is cut off is not shown where it was"),
    ("corrected", "a death after a correction of the clock takes its gateway off the screen"),
    ("aliases", "data under new aliases of a gateway is not stored or shown under the old names"),
    ("frozen", "a hub whose core does no work shows nothing as live"),
    ("apart", "shards and hubs apart store what one process stores"),
];

/// Runs the promise with this name. Fails for an unknown name.
pub async fn try_promise(name: &str, trial: Trial) -> anyhow::Result<Report> {
    if !NAMES.iter().any(|(known, _)| *known == name) {
        bail!("{name} is none of {}", NAMES.map(|(name, _)| name).join(", "));
    }
    let short = trial.short;
    let count = |quick: u32, long: u32| if short { quick } else { long };
    let seconds = |quick: u64, long: u64| Duration::from_secs(if short { quick } else { long });
    let one = Shape { switchyard: trial.switchyard.clone(), ingests: 1, hubs: 1, standby: false, clocks: false, held: false, disks: None };
    let shape = match name {
        "P5" => Shape { ingests: 2, ..one },
        "P8" => Shape { disks: Some((count(512, 3_072), 96)), ..one },
        "P12" | "apart" => Shape { ingests: 2, hubs: 2, ..one },
        "standby" | "cutoff" => Shape { standby: true, ..one },
        "frozen" => Shape { held: true, ..one },
        "P16" | "P16c" | "corrected" => Shape { clocks: true, ..one },
        _ => one,
    };
    match name {
        "P16c" => return orders::Orders::start(name, &trial, &shape).await?.over_set_clocks().await,
        "P19" => return orders::Orders::start(name, &trial, &shape).await?.at_most_once(count(40, 2_000) as usize, count(3, 60)).await,
        "P20" => return orders::Orders::start(name, &trial, &shape).await?.none_late().await,
        _ => {}
    }
    let observers = match name {
        "P13" => count(6, 50),
        "P17" => count(20, 5_000),
        _ => count(2, 50),
    };
    files::allow_sockets(u64::from(observers))?;
    let mut run = Run::start(name, trial.clone(), shape, observers as usize).await?;
    match name {
        "P1" => {
            run.kill_again_and_again("ingest1", count(2, 30)).await?;
            run.crash_at_places(count(1, 5)).await?;
        }
        "P2" => run.kill_again_and_again("postgres", count(1, 10)).await?,
        "P3" => run.kill_again_and_again("broker", count(1, 10)).await?,
        "P4" => run.kill_everything(count(1, 10)).await?,
        "P5" => run.repeat_everything(seconds(5, 60)).await?,
        "P6" => run.avalanche(count(1_000, 10_000)).await?,
        "P7" => {
            let late = Late { since: Duration::from_hours(6), step: seconds(600, 10), per_s: 20 };
            run.bring_late(late, count(3, 30) as usize, count(2, 5) as usize).await?;
        }
        "P8" => run.fill_disks(seconds(6, 60)).await?,
        "P9" => run.disturb_links().await?,
        "P10" => run.stop_database(seconds(15, 600)).await?,
        "P11" => run.poison(seconds(5, 120)).await?,
        "P12" => run.cut_clients((count(10, 200), count(2, 20))).await?,
        "P13" => run.freeze_some(if short { (1, 600, 14) } else { (5, 10_000, 60) }).await?,
        "P14" => run.watch_delays(seconds(5, 600), count(600, 10_000)).await?,
        "P15" => run.watch_picture(count(5, 60)).await?,
        "P16" => run.set_clocks(seconds(3, 20)).await?,
        "P17" => run.storm().await?,
        "standby" => run.restart_database_with_standby(count(2, 20)).await?,
        "cutoff" => run.cut_leaders_off(count(2, 10)).await?,
        "corrected" => run.die_after_a_clock_correction(count(2, 20)).await?,
        "blind" => run.move_unseen(count(2, 20)).await?,
        "aliases" => run.change_aliases(count(2, 10), count(1, 10)).await?,
        "frozen" => run.hold_core(count(1, 10)).await?,
        _ => run.compare_with_twin(seconds(5, 60)).await?,
    }
    run.end().await
}
