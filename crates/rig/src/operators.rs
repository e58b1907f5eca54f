//! Simulates operators of breakers of the demo's RTUs: their commands over HTTP, and the effects. The RTUs run as a process with journals on disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::gateways::GROUP;
use crate::site::{Site, call_json};

/// Maximum number of attempts for one command if no answer arrives.
const TRIES: usize = 5;
/// Pause between two status requests.
const LOOK: Duration = Duration::from_millis(120);

/// A breaker of the demo that can be operated.
#[derive(Debug, Clone)]
pub struct Breaker {
    /// Id of the asset.
    pub asset: i64,
    /// Id of the point of its position.
    pub point: i64,
    /// Id of the gateway.
    pub gateway: i64,
    /// Code of the gateway, which is the name of its edge node.
    pub node: String,
}

impl Breaker {
    /// Returns the path of its status request.
    pub fn status_path(&self) -> String {
        format!("/api/digiops/cbstatus/{}/{}", self.gateway, self.point)
    }

    /// Returns the body of a command request. `flag` is the step: `isSelect`, `isCancel` or `directOperate`.
    pub fn order(&self, flag: &str, from: i64, to: i64) -> Value {
        let mut body = json!({
            "assetId": self.asset, "productId": self.gateway, "fromDIStatus": from, "fromDIText": "", "toDIStatus": to, "toDIText": "",
            "scheduledTime": "", "asset2DiSettingId": self.point, "directOperate": 0, "isSelect": 0, "isExecute": 0, "createdBy": 0,
        });
        body[flag] = 1.into();
        body
    }
}

/// Enables control for the demo utility, and permits its administrator to operate without further credentials.
pub async fn allow(site: &Site) -> anyhow::Result<()> {
    let control = json!({ "control": {
        "enabled": true, "stepupAll": false, "selectSeconds": 5, "feedbackSeconds": 3, "isolatorFeedbackSeconds": 25,
        "minIntervalSeconds": 0, "burstOperations": 100, "burstSeconds": 1,
    }, "simulated": true });
    let client = site.sql().await?;
    client.execute("UPDATE client SET config = config || $1 WHERE code = $2", &[&control, &GROUP]).await?;
    client.execute("UPDATE member SET can_operate = true, demo = false WHERE username = 'admin'", &[]).await?;
    Ok(())
}

/// Returns the breakers of feeders.
pub async fn breakers(site: &Site) -> anyhow::Result<Vec<Breaker>> {
    let statement = "SELECT a.id, p.id, g.id, g.code FROM asset a
        JOIN point p ON p.asset_id = a.id AND p.code = 'Pos' JOIN gateway g ON g.id = p.gateway_id JOIN client c ON c.id = a.client_id
        WHERE c.code = $1 AND a.class_name = 'breaker' AND a.control_asset_req AND a.customers > 0 ORDER BY a.id";
    let rows = site.sql().await?.query(statement, &[&GROUP]).await?;
    ensure!(!rows.is_empty(), "the demo has breakers");
    Ok(rows.iter().map(|row| Breaker { asset: row.get(0), point: row.get(1), gateway: row.get(2), node: row.get(3) }).collect())
}

/// Waits until a breaker can be operated; returns its position then.
pub async fn until_operable(site: &Site, token: &str, breaker: &Breaker, patience: Duration) -> anyhow::Result<i64> {
    let (port, began) = (site.service("api")?.port(), Instant::now());
    loop {
        let status = call_json(port, "GET", &breaker.status_path(), token, "", &Value::Null).await;
        let status = status.map(|(_, body)| body["result"].clone()).unwrap_or_default();
        match status["currentDIStatus"].as_i64() {
            Some(position @ 1..=2) if status["operable"] == true => return Ok(position),
            _ => ensure!(began.elapsed() < patience, "breaker {} cannot be operated: {status}", breaker.asset),
        }
        sleep(LOOK).await;
    }
}

/// Operators, one for each breaker. They issue commands until they are stopped.
#[derive(Debug)]
pub struct Operators {
    stop: Arc<AtomicBool>,
    /// Number of commands so far; repeated attempts are not counted.
    pub operations: Arc<AtomicUsize>,
    tasks: JoinSet<()>,
}

impl Operators {
    /// Starts the operators. One command in five is requested twice at the same time. A request without an answer is repeated with the same
    /// idempotency key.
    pub fn start(port: u16, token: &str, breakers: &[Breaker], seed: u64) -> Self {
        let (stop, operations) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for breaker in breakers {
            let (stop, operations, token, breaker) = (stop.clone(), operations.clone(), token.to_owned(), breaker.clone());
            let mut random = StdRng::seed_from_u64(seed.wrapping_mul(7_919).wrapping_add(breaker.asset.unsigned_abs()));
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let status = call_json(port, "GET", &breaker.status_path(), &token, "", &Value::Null).await;
                    let status = status.map(|(_, body)| body["result"].clone()).unwrap_or_default();
                    let Some(from @ 1..=2) = status["currentDIStatus"].as_i64().filter(|_| status["operable"] == true) else {
                        sleep(LOOK).await;
                        continue;
                    };
                    let order = breaker.order("directOperate", from, 3 - from);
                    let key = format!("rig-{}-{}", breaker.asset, random.random::<u64>());
                    operations.fetch_add(1, Ordering::Relaxed);
                    let one = insist(port, &token, &key, &order);
                    if random.random_bool(0.2) {
                        tokio::join!(one, insist(port, &token, &key, &order));
                    } else {
                        one.await;
                    }
                }
            });
        }
        Self { stop, operations, tasks }
    }

    /// Stops the operators and waits for their current requests.
    pub async fn finish(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Requests a command, and again with the same idempotency key while its outcome is unknown.
async fn insist(port: u16, token: &str, key: &str, order: &Value) {
    for _ in 0..TRIES {
        match call_json(port, "POST", "/api/digiops", token, key, order).await {
            Some((status, _)) if status != 503 && status != 504 => return,
            _ => sleep(Duration::from_millis(300)).await,
        }
    }
}

/// Returns how often each command was started, by command id, from the journals of the RTUs.
pub fn begun(site: &Site) -> anyhow::Result<HashMap<String, usize>> {
    let mut begun = HashMap::new();
    let folder = site.folder.join("state").join("rtu").join("journal");
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let text = String::from_utf8_lossy(&std::fs::read(entry?.path())?).into_owned();
        for line in text.lines() {
            if let Some(id) = line.strip_prefix("begun ").and_then(|rest| rest.split(' ').next()) {
                *begun.entry(id.to_owned()).or_default() += 1;
            }
        }
    }
    Ok(begun)
}
