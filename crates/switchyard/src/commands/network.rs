//! `switchyard network`: answers questions about a network in a file of another tool.

use std::sync::Arc;

use anyhow::Context;
use network::{Contact, Model, NetworkState, NodeId, State};
use network_files::Imported;
use serde::Serialize;

use crate::cli::{IslandsArgs, NetworkCommand};
use crate::console::{note, print, say};

/// Maximum number of notes that are printed.
const NOTES_MAX: usize = 100;

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

/// Runs one of its subcommands.
pub(crate) fn run(command: NetworkCommand) -> anyhow::Result<()> {
    match command {
        NetworkCommand::Islands(arguments) => islands(&arguments),
    }
}

fn islands(arguments: &IslandsArgs) -> anyhow::Result<()> {
    let Imported { description, notes } = network_files::read(&arguments.file).with_context(|| arguments.file.display().to_string())?;
    for at in notes.iter().take(NOTES_MAX) {
        note(&format!("{}: {}", at.place, at.reason));
    }
    if notes.len() > NOTES_MAX {
        note(&format!("… and {} more", notes.len() - NOTES_MAX));
    }
    if let Some(id) = arguments.open.iter().find(|id| arguments.close.contains(id)) {
        anyhow::bail!("{id} is to be opened and closed: name it once");
    }
    let mut present = NetworkState::new(Arc::new(description.to_model()?));
    for (ids, contact) in [(&arguments.open, Contact::Open), (&arguments.close, Contact::Closed)] {
        for id in ids {
            set_switch(&mut present, id, contact)?;
        }
    }
    present.settle();
    let answer = answer(&present);
    if arguments.json {
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
    let switch = model.equipment(id).with_context(|| format!("{id} is not in the file; ids look like switch:12"))?;
    let kind = model.kind(switch);
    anyhow::ensure!(kind.is_switch(), "{id} is no switch but: {}", kind.as_str());
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
