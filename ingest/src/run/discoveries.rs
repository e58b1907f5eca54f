//! Enters discovered gateways and points, several in one transaction: each transaction waits for the disk and for those of other processes, so a start with many
//! new gateways would take long one by one.

use std::collections::VecDeque;

use store::{Discovered, Discovery, Store};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::background::{Background, PAUSE};
use crate::host::NodeIndex;

/// Gateways and points that are entered in one transaction. A discovery with more points than that is entered alone.
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
        let (nodes, discoveries): (Vec<NodeIndex>, Vec<Discovery>) = take_together(&mut waiting).into_iter().unzip();
        let mut is_alone = discoveries.len() == 1;
        let mut rest = discoveries.as_slice();
        let mut nodes = nodes.into_iter();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(if is_alone { 1 } else { rest.len() });
            let answer: Vec<Result<Discovered, String>> = match enter(&store, now, &shutdown).await {
                None => return,
                Some(Ok(found)) => found.into_iter().map(Ok).collect(),
                // One of them cannot be entered; the others are.
                Some(Err(_)) if !is_alone => {
                    is_alone = true;
                    continue;
                }
                Some(Err(error)) => vec![Err(error.to_string())],
            };
            rest = later;
            for (node, found) in nodes.by_ref().take(now.len()).zip(answer) {
                let found = found.map(|found| (found.gateway, found.points));
                // A loop that has ended needs no answer.
                let _ = answers.send(Background::Discovered(node, found));
            }
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

/// Enters discoveries, trying for as long as the fault is not the data's own; `None` when the process wants to end.
async fn enter(store: &Store, discoveries: &[Discovery], shutdown: &CancellationToken) -> Option<store::Result<Vec<Discovered>>> {
    let mut is_reported = false;
    loop {
        match store.discover_all(discoveries).await {
            Err(error) if !error.is_permanent() => {
                // Once: an outage would fill the log.
                if !std::mem::replace(&mut is_reported, true) {
                    tracing::warn!(%error, gateways = discoveries.len(), "discoveries are not entered; tried again until they are");
                }
            }
            answer => return Some(answer),
        }
        if tokio::time::timeout(PAUSE, shutdown.cancelled()).await.is_ok() {
            return None;
        }
    }
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
