//! Runs the field of the demo: each RTU of each utility with its own connection.

use std::path::PathBuf;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use grid::Micros;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::physics::substation::SUPPLY_LINE_FAULTS;
use crate::physics::utility::UtilityPhysics;
use crate::physics::utility_network::UtilityNetwork;
use crate::rtu::link::LinkConfig;
use crate::rtu::outbox::{OutboxError, Outboxes};
use crate::rtu::panel::Behaviour;
use crate::rtu::shared::StationPhysics;
use crate::rtu::station;
use crate::utility::{self, Pace};

/// Configuration of the simulation.
#[derive(Debug, Clone)]
pub struct SimulateConfig {
    /// URL of the broker, with user and password if required.
    pub mqtt_url: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Speed of time; 1 is real time.
    pub speed: f64,
    /// Whether the large utility has a field too.
    pub is_large: bool,
    /// Mean number of faults of each utility in an hour. Each one trips a breaker.
    pub trips_per_hour: f64,
    /// The file of the RTUs' outboxes; default: in memory.
    pub outbox: Option<PathBuf>,
    /// The folder of the RTUs' journals of commands; default: in memory.
    pub journals: Option<PathBuf>,
    /// The public key for the signatures of commands, Ed25519 in base64; default: unsigned commands are accepted.
    pub command_key: Option<String>,
    /// Defective switches.
    pub defects: Vec<Defect>,
}

/// A defective switch, written `STATION/SWITCH=behaviour`, such as `MILL/F1CB=stuck`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The substation's code.
    pub substation: String,
    /// The asset's code.
    pub asset: String,
    /// Its behaviour.
    pub behaviour: Behaviour,
}

impl FromStr for Defect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, behaviour) = text.split_once('=').ok_or_else(|| format!("{text:?} is not of the form STATION/SWITCH=behaviour"))?;
        let (substation, asset) = place.split_once('/').ok_or_else(|| format!("{place:?} is not of the form STATION/SWITCH"))?;
        let behaviour = behaviour.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { substation: substation.to_owned(), asset: asset.to_owned(), behaviour })
    }
}

/// The reason why the field cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The outboxes cannot be opened.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// A journal cannot be opened.
    #[error("the journal of commands: {0}")]
    Journal(#[from] std::io::Error),
    /// The public key is not valid.
    #[error("the public key for commands is no Ed25519 key of 32 bytes in base64")]
    Key,
    /// A defect names a switch that does not exist.
    #[error("there is no {0} in the demo that could have a defect")]
    Defect(String),
}

/// Runs until `shutdown`.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn run(config: SimulateConfig, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = Result<(), RunError>> + Send>> {
    Box::pin(work(config, shutdown))
}

async fn work(config: SimulateConfig, shutdown: CancellationToken) -> Result<(), RunError> {
    let clock = Clock::new(config.speed);
    let outboxes = config.outbox.as_deref().map(Outboxes::open).transpose()?;
    let key = config.command_key.as_deref().map(public_key).transpose()?;
    let clients = utility::utilities(config.seed, config.is_large);
    for defect in &config.defects {
        let here = |substation: &utility::Substation| {
            substation.code == defect.substation && substation.assets.iter().any(|asset| asset.code == defect.asset && asset.operable)
        };
        if !clients.iter().flat_map(|client| &client.substations).any(here) {
            return Err(RunError::Defect(format!("{}/{}", defect.substation, defect.asset)));
        }
    }
    let shared = Arc::new(Shared { config, clock, outboxes, key });
    let mut fields = JoinSet::new();
    for client in clients {
        let (shared, shutdown) = (shared.clone(), shutdown.clone());
        if client.pace == Pace::Usual {
            fields.spawn(async move { shared.run(client, shutdown).await });
        } else {
            // A load flow of the large utility takes long. It has a thread of its own, so that it delays nobody else.
            let on_its_thread = move || {
                let runtime = Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(shared.run(client, shutdown))
            };
            fields.spawn_blocking(on_its_thread);
        }
    }
    while let Some(ended) = fields.join_next().await {
        // A panic has been reported; the other utilities go on.
        ended.unwrap_or(Ok(()))?;
    }
    Ok(())
}

/// The settings and handles that the fields of all utilities share.
struct Shared {
    config: SimulateConfig,
    clock: Clock,
    outboxes: Option<Outboxes>,
    key: Option<VerifyingKey>,
}

impl Shared {
    /// Runs the RTUs of a utility until `shutdown`.
    async fn run(&self, client: utility::Client, shutdown: CancellationToken) -> Result<(), RunError> {
        let Self { config, clock, outboxes, key } = self;
        let physics = physics(&client, config.seed, clock.now());
        let physics = match fault_hours(&client, config.trips_per_hour) {
            Some(hours) => physics.with_fault_hours(hours),
            None => physics,
        };
        let mut stations = JoinSet::new();
        for (substation, physics) in client.substations.into_iter().zip(StationPhysics::share(physics, client.pace)) {
            let code = substation.code.clone();
            let (_, mut rtu) = station::build(station::Config {
                link: LinkConfig {
                    mqtt_url: config.mqtt_url.clone(),
                    group: client.code.clone(),
                    node: code.clone(),
                    outboxes: outboxes.clone(),
                },
                substation,
                physics,
                clock: *clock,
                journal: config.journals.as_ref().map(|folder| folder.join(format!("{}-{code}.journal", client.code))),
                key: *key,
            })?;
            for defect in config.defects.iter().filter(|defect| defect.substation == code) {
                rtu = rtu.behaving(&defect.asset, defect.behaviour);
            }
            stations.spawn(rtu.run(shutdown.clone()));
        }
        stations.join_all().await;
        Ok(())
    }
}

/// Returns the physics of a utility of the demo at the start at an instant, without faults. `seed` is the seed of the demo.
pub fn physics(client: &utility::Client, seed: u64, at: Micros) -> UtilityPhysics {
    UtilityPhysics::new(Arc::new(UtilityNetwork::new(client)), |index| station_seed(seed, index), at).settled()
}

/// Returns the seed of a substation by its index in the utility.
pub fn station_seed(seed: u64, index: usize) -> u64 {
    seed.wrapping_mul(1_000).wrapping_add(index as u64)
}

/// Returns the mean time between faults of a feeder, h, with which all feeders of a utility together have this number of faults in an hour. `None` for no
/// faults.
pub fn fault_hours(client: &utility::Client, trips_per_hour: f64) -> Option<f64> {
    let feeders = client.substations.iter().flat_map(|substation| &substation.plan.feeders);
    let weight = |feeder: &utility::Feeder| if feeder.is_supply_line() { SUPPLY_LINE_FAULTS } else { 1.0 };
    let together: f64 = feeders.filter(|feeder| feeder.in_service).map(weight).sum();
    (trips_per_hour > 0.0).then(|| together / trips_per_hour)
}

fn public_key(text: &str) -> Result<VerifyingKey, RunError> {
    let bytes = STANDARD.decode(text).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).ok_or(RunError::Key)?;
    VerifyingKey::from_bytes(&bytes).map_err(|_| RunError::Key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_key_is_read_from_base64() {
        let key = ed25519_dalek::SigningKey::from_bytes(&[3; 32]).verifying_key();
        assert_eq!(public_key(&STANDARD.encode(key.as_bytes())).unwrap(), key);
        for wrong in ["", "AAAA", "not base64"] {
            assert!(matches!(public_key(wrong), Err(RunError::Key)), "{wrong}");
        }
    }

    #[test]
    fn defects_are_read_from_text() {
        let defect = Defect { substation: "MILL".into(), asset: "F1CB".into(), behaviour: Behaviour::Stuck };
        assert_eq!("MILL/F1CB=stuck".parse(), Ok(defect));
        for wrong in ["MILL/F1CB", "MILL=stuck", "MILL/F1CB=odd"] {
            assert!(wrong.parse::<Defect>().is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_defect_of_what_is_not_there_is_an_error() {
        let config = SimulateConfig {
            mqtt_url: "mqtt://127.0.0.1:1".into(),
            seed: 33,
            speed: 1.0,
            trips_per_hour: 8.0,
            outbox: None,
            journals: None,
            command_key: None,
            is_large: false,
            defects: vec!["MILL/F99CB=stuck".parse().unwrap()],
        };
        assert!(matches!(run(config, CancellationToken::new()).await, Err(RunError::Defect(what)) if what == "MILL/F99CB"));
    }
}
