//! Enters discovered gateways and points, several in one transaction. Each transaction waits for the disk and for the transactions of other processes. So with
//! one transaction for each gateway, a start with many new gateways would take long.

use std::collections::VecDeque;

use store::{Discovered, Discovery, Store};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::background::{Background, PAUSE};
use crate::node_index::NodeIndex;

/// Maximum number of gateways, and of points, that are entered in one transaction. A discovery with more points is entered alone.
const GATEWAYS_TOGETHER: usize = 64;
const POINTS_TOGETHER: usize = 5_000;

/// A discovery, and the node that waits for it.
pub(super) type Request = (NodeIndex, Discovery);

/// Enters discoveries until `shutdown`. Each node waits for one discovery at a time, so the queue is not longer than the number of nodes.
pub(super) async fn run(
    store: Store,
    mut requests: mpsc::UnboundedReceiver<Request>,
    answers: mpsc::UnboundedSender<Background>,
    shutdown: CancellationToken,
) {
    let mut waiting = VecDeque::new();
    let mut is_reported = false;
    loop {
        if waiting.is_empty() {
            tokio::select! {
                () = shutdown.cancelled() => return,
                first = requests.recv() => match first {
                    Some(first) => waiting.push_back(first),
                    None => return,
                },
            }
        }
        while let Ok(next) = requests.try_recv() {
            waiting.push_back(next);
        }
        let entered = enter(&store, take_together(&mut waiting)).await;
        for (node, found) in entered.answers {
            // A loop that has ended needs no answer.
            let _ = answers.send(Background::Discovered(node, found.map(|found| (found.gateway, found.points))));
        }
        let Some((requests, error)) = entered.unfinished else {
            is_reported = false;
            continue;
        };
        // Once: an outage would fill the log.
        if !std::mem::replace(&mut is_reported, true) {
            tracing::warn!(%error, gateways = requests.len(), "discoveries are not entered; tried again until they are");
        }
        // Discoveries of other utilities come first, so that one that waits does not delay them.
        waiting.extend(requests);
        if tokio::time::timeout(PAUSE, shutdown.cancelled()).await.is_ok() {
            return;
        }
    }
}

/// Takes discoveries of one utility from the front, as many as are entered together.
fn take_together(waiting: &mut VecDeque<Request>) -> Vec<Request> {
    let mut points = 0;
    let client = waiting.front().map(|(_, discovery)| discovery.client);
    let fits = |(_, discovery): &&Request| {
        points += discovery.points.len();
        Some(discovery.client) == client && points <= POINTS_TOGETHER
    };
    let count = waiting.iter().take(GATEWAYS_TOGETHER).take_while(fits).count();
    waiting.drain(..count.max(1).min(waiting.len())).collect()
}

/// The result of entering discoveries of one utility.
#[derive(Default)]
struct DiscoveryResult {
    /// Each discovery that was entered, or that can never be entered because of its own data.
    answers: Vec<(NodeIndex, Result<Discovered, String>)>,
    /// Discoveries that must be tried again, with the reason.
    unfinished: Option<(Vec<Request>, store::Error)>,
}

/// Enters discoveries in one transaction. If one of them cannot be entered, each is entered alone.
async fn enter(store: &Store, requests: Vec<Request>) -> DiscoveryResult {
    let (nodes, discoveries): (Vec<NodeIndex>, Vec<Discovery>) = requests.into_iter().unzip();
    let error = match store.discover_all(&discoveries).await {
        Ok(found) => return DiscoveryResult { answers: nodes.into_iter().zip(found.into_iter().map(Ok)).collect(), unfinished: None },
        Err(error) => error,
    };
    // A stored row that cannot be read is a fault of the gateway to which it belongs.
    let is_fault_of_data = error.is_permanent() || matches!(error, store::Error::Unreadable(_));
    if !is_fault_of_data {
        return DiscoveryResult { answers: Vec::new(), unfinished: Some((nodes.into_iter().zip(discoveries).collect(), error)) };
    }
    if let [node] = nodes[..] {
        return DiscoveryResult { answers: vec![(node, Err(error.to_string()))], unfinished: None };
    }
    let mut all = DiscoveryResult::default();
    for request in nodes.into_iter().zip(discoveries) {
        let alone = Box::pin(enter(store, vec![request])).await;
        all.answers.extend(alone.answers);
        if let Some((requests, error)) = alone.unfinished {
            all.unfinished.get_or_insert_with(|| (Vec::new(), error)).0.extend(requests);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use grid::measure::Quantity;
    use grid::point::PointKind;
    use grid::{ClientId, Micros};
    use store::NewPoint;

    use super::*;

    fn discovery(client: i64, points: usize) -> Request {
        let point = NewPoint {
            device: "F1".into(),
            metric: "F1/Ir".into(),
            code: "Ir".into(),
            kind: PointKind::Measurand,
            quantity: Quantity::Current,
            unit: "A".into(),
            expected_ms: None,
        };
        let points = vec![point; points];
        (NodeIndex(0), Discovery { client: ClientId(client), gateway_code: "RTU".into(), points, now: Micros(0) })
    }

    #[test]
    fn discoveries_of_one_utility_are_taken_together_up_to_limits() {
        let half = POINTS_TOGETHER / 2;
        for (waiting, expected, why) in [
            (vec![(1, 2), (1, 0), (2, 1), (1, 1)], vec![2, 1, 1], "of one utility, in their order"),
            (vec![(1, half), (1, half), (1, 1)], vec![2, 1], "as many points as are allowed"),
            (vec![(1, 1), (1, 2 * POINTS_TOGETHER), (1, 1)], vec![1, 1, 1], "a large one alone"),
            (vec![(1, 1); GATEWAYS_TOGETHER + 1], vec![GATEWAYS_TOGETHER, 1], "as many gateways as are allowed"),
        ] {
            let mut waiting: VecDeque<Request> = waiting.into_iter().map(|(client, points)| discovery(client, points)).collect();
            let mut taken = Vec::new();
            while !waiting.is_empty() {
                taken.push(take_together(&mut waiting).len());
            }
            assert_eq!(taken, expected, "{why}");
        }
    }
}
