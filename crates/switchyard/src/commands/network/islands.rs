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
    loops: usize,
}

/// An island: its nodes, and whether a source feeds it.
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
    let answer = answer(&present);
    if json {
        print(&format!("{}\n", serde_json::to_string(&answer)?));
        return Ok(());
    }
    let energised = answer.islands.iter().filter(|island| island.live).count();
    say(&format!(
        "{} islands, {energised} of them energised; {} nodes are not energised; {} loops",
        answer.islands.len(),
        answer.dead.len(),
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

fn answer(present: &NetworkState) -> IslandsAnswer<'_> {
    let model: &Model = present.model();
    let is_own = |node: &&NodeId| !model.is_internal(**node);
    let found = present.islands();
    let islands = found.list.iter().map(|island| IslandAnswer {
        live: island.is_energised,
        nodes: island.nodes.iter().filter(is_own).map(|node| model.node_name(*node)).collect(),
    });
    let is_dead = |node: &NodeId| !model.is_internal(*node) && !matches!(present.state(*node), State::Energised | State::Conflict);
    IslandsAnswer {
        islands: islands.filter(|island| !island.nodes.is_empty()).collect(),
        dead: model.nodes().filter(is_dead).map(|node| model.node_name(node)).collect(),
        loops: found.loops,
    }
}
