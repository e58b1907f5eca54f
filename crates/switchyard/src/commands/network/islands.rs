//! `switchyard network islands`: lists the connected parts of a network, and whether a source feeds them.

use std::sync::Arc;

use anyhow::Context;
use network::{Contact, Model, NetworkState, NodeId, State};
use serde::Serialize;

use super::source;
use crate::cli::IslandsArgs;
use crate::console::{print, say};
use crate::progress;
use crate::settings::Settings;

/// The answer of `network islands --json`.
#[derive(Debug, Serialize)]
struct IslandsAnswer<'a> {
    islands: Vec<IslandAnswer<'a>>,
    dead: Vec<&'a str>,
    /// Nodes that a generator or a battery may feed. Other tools count these as dead, so the answer for a file has no such list.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Vec<&'a str>>,
    loops: usize,
}

/// An island: its nodes, and whether a source certainly feeds it.
#[derive(Debug, Serialize)]
struct IslandAnswer<'a> {
    live: bool,
    nodes: Vec<&'a str>,
}

/// Prints the islands of a network.
pub(super) async fn run(settings: &Settings, arguments: IslandsArgs) -> anyhow::Result<()> {
    let IslandsArgs { source, open, close, json } = arguments;
    if let Some(id) = open.iter().find(|id| close.contains(id)) {
        anyhow::bail!("{id} is to be opened and closed: name it once");
    }
    let is_file = source.file.is_some();
    let description = source::read(settings, source).await?;
    let present = progress::of_computation("searching islands", move || -> anyhow::Result<NetworkState> {
        let mut present = NetworkState::new(Arc::new(description.to_model()?));
        for (ids, contact) in [(&open, Contact::Open), (&close, Contact::Closed)] {
            for id in ids {
                set_switch(&mut present, id, contact)?;
            }
        }
        present.settle();
        Ok(present)
    });
    let present = present.await??;
    let answer = answer(&present, is_file);
    if json {
        print(&format!("{}\n", serde_json::to_string(&answer)?));
        return Ok(());
    }
    let energised = answer.islands.iter().filter(|island| island.live).count();
    say(&format!(
        "{} islands, {energised} of them energised; {} nodes are {}; {} loops",
        answer.islands.len(),
        answer.dead.len(),
        answer.unknown.as_ref().map_or("not energised".to_owned(), |unknown| format!("dead and {} unknown", unknown.len())),
        answer.loops
    ));
    for island in &answer.islands {
        say(&format!(
            "{}: {} nodes, from {}",
            if island.live { "energised" } else { "not energised" },
            island.nodes.len(),
            island.nodes[0]
        ));
    }
    Ok(())
}

fn set_switch(present: &mut NetworkState, id: &str, contact: Contact) -> anyhow::Result<()> {
    let model = present.model();
    let switch = model.equipment(id).with_context(|| format!("{id} is not in the network; ids look like switch:12"))?;
    let kind = model.kind(switch);
    anyhow::ensure!(kind.is_switch(), "{id} is no switch but: {}", kind.as_str());
    anyhow::ensure!(model.is_in_service(switch), "{id} is out of service: it connects nothing, in any position");
    present.set_position(switch, contact);
    Ok(())
}

fn answer(present: &NetworkState, is_file: bool) -> IslandsAnswer<'_> {
    let model: &Model = present.model();
    let is_own = |node: &NodeId| !model.is_internal(*node);
    let found = present.islands();
    let islands = found.list.iter().map(|island| IslandAnswer {
        live: island.is_energised,
        nodes: island.nodes.iter().filter(|node| is_own(node)).map(|node| model.node_name(*node)).collect(),
    });
    let names = |is: fn(State) -> bool| -> Vec<&str> {
        model.nodes().filter(|node| is_own(node) && is(present.state(*node))).map(|node| model.node_name(node)).collect()
    };
    let (dead, unknown) = if is_file {
        (names(|state| !matches!(state, State::Energised | State::Conflict)), None)
    } else {
        (names(|state| matches!(state, State::Dead | State::Earthed)), Some(names(|state| state == State::Unknown)))
    };
    IslandsAnswer { islands: islands.filter(|island| !island.nodes.is_empty()).collect(), dead, unknown, loops: found.loops }
}

#[cfg(test)]
mod tests {
    use network::Description;
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_nodes_of_a_stored_network_are_not_dead() {
        let terminals = |nodes: &[&str]| nodes.iter().map(|node| json!({ "node": node })).collect::<Vec<_>>();
        let description: Description = serde_json::from_value(json!({
            "nodes": [{ "id": "a", "name": "" }, { "id": "b", "name": "" }, { "id": "c", "name": "" }],
            "equipment": [
                { "id": "G", "name": "", "kind": "GeneratingUnit", "terminals": terminals(&["a"]) },
                { "id": "CB", "name": "", "kind": "Breaker", "terminals": terminals(&["a", "b"]) },
            ],
        }))
        .expect("a network");
        let mut present = NetworkState::new(Arc::new(description.to_model().expect("a model")));
        present.settle();
        let stored = serde_json::to_value(answer(&present, false)).expect("JSON");
        assert_eq!((&stored["dead"], &stored["unknown"]), (&json!(["c"]), &json!(["a", "b"])));
        let file = serde_json::to_value(answer(&present, true)).expect("JSON");
        assert_eq!((&file["dead"], file.get("unknown")), (&json!(["a", "b", "c"]), None));
    }
}
