//! `switchyard network import`: stores a network from files as a new version.

use anyhow::bail;
use network::changes::{ChangeSet, Difference, Part, PartDifference};
use network::findings::{Findings, Severity};
use store::Store;
use store::network::Plan;
use store::registry::ClientRecord;

use super::files::ReadNetwork;
use super::{files, source, versions};
use crate::cli::NetworkImportArgs;
use crate::console::say;
use crate::progress;
use crate::settings::Settings;

/// Number of ids that are printed of each kind of change.
const IDS_MAX: usize = 5;

/// How a change is stored.
#[derive(Debug)]
pub(super) struct StoreOptions {
    pub(super) dry_run: bool,
    pub(super) note: String,
    pub(super) activate: bool,
}

/// Stores a network, or prints what storing it would change.
pub(super) async fn run(settings: &Settings, arguments: NetworkImportArgs) -> anyhow::Result<()> {
    let NetworkImportArgs { files, dry_run, utility, note, activate } = arguments;
    let ReadNetwork { description, errors } = files::read_with_errors(files).await?;
    if errors > 0 && !dry_run {
        bail!("nothing is stored: the import has {errors} errors. Correct the files; --dry-run shows the rest");
    }
    let store = crate::commands::store(settings).await?;
    let utility = source::utility(&store, utility.as_deref()).await?;
    store_change(&store, &utility, None, ChangeSet::Whole(description), StoreOptions { dry_run, note, activate }).await
}

/// Stores a change as a new version, or prints what storing it would change.
pub(super) async fn store_change(
    store: &Store,
    utility: &ClientRecord,
    based_on: Option<i32>,
    change: ChangeSet,
    options: StoreOptions,
) -> anyhow::Result<()> {
    let plan = progress::of("comparing and checking", store.plan_network(utility.id, based_on, change)).await?;
    print_findings(plan.findings());
    print_difference(&plan);
    if options.dry_run {
        say("Nothing is stored: this was a dry run.");
        return Ok(());
    }
    let origin = source::origin(utility.id);
    let applied = store.apply_network(utility.id, &plan, &options.note, wire::time::now(), &origin);
    let Some(version) = progress::of("storing", applied).await? else {
        say("Nothing is stored: the network is as before.");
        // An earlier command may have stored it, and failed to activate it.
        let active = store.active_network(utility.id, wire::time::now()).await?.map(|active| active.version);
        return match store.newest_network(utility.id).await? {
            Some(newest) if options.activate && active != Some(newest) => versions::activate_from(store, utility, newest, None, None).await,
            _ => Ok(()),
        };
    };
    say(&format!("Stored version {version} of the network of {}.", utility.name));
    if options.activate {
        return versions::activate_from(store, utility, version, None, None).await;
    }
    if !plan.findings().permit_activation() {
        bail!("version {version} cannot be activated before its errors are corrected");
    }
    say(&format!("Activate it with: switchyard network activate {version} --utility {}", utility.code));
    Ok(())
}

/// Prints findings with place and remedy, and their numbers.
pub(super) fn print_findings(findings: &Findings) {
    for finding in findings.listed() {
        let (severity, part) = (finding.severity().as_str(), finding.part.as_str());
        say(&format!("{severity}: {part} {}: {}. {}", finding.id, finding.problem, finding.remedy()));
    }
    if findings.unlisted() > 0 {
        say(&format!("… and {} more findings of these kinds", findings.unlisted()));
    }
    say(&format!("{} errors, {} warnings.", findings.count_of(Severity::Error), findings.count_of(Severity::Warning)));
}

fn print_difference(plan: &Plan) {
    let Difference { containers, nodes, equipment, measurements } = plan.difference();
    let lines = [of("containers", &containers), of("nodes", &nodes), of("equipment", &equipment), of("measurements", &measurements)];
    let against = plan.based_on().map_or("an empty network".to_owned(), |version| format!("version {version}"));
    say(&format!("Compared with {against}:"));
    lines.iter().flatten().for_each(|line| say(line));
}

/// Returns a line about the differences in parts of one kind; `None` if there are no differences.
fn of<T: Part>(kind: &str, difference: &PartDifference<'_, T>) -> Option<String> {
    let PartDifference { added, changed, removed } = difference;
    let first = |ids: &mut dyn Iterator<Item = &str>, count: usize, what: &str| {
        let ids: Vec<&str> = ids.take(IDS_MAX).collect();
        let rest = if count > ids.len() { ", …" } else { "" };
        (count > 0).then(|| format!("{count} {what} ({}{rest})", ids.join(", ")))
    };
    let changes = [
        first(&mut added.iter().map(|part| part.id()), added.len(), "added"),
        first(&mut changed.iter().map(|part| part.id()), changed.len(), "changed"),
        first(&mut removed.iter().copied(), removed.len(), "removed"),
    ];
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    (!changes.is_empty()).then(|| format!("  {kind}: {}", changes.join("; ")))
}
