//! `switchyard sld`: stores, prints, checks, imports and generates drawings.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, bail};
use drawing::check::{self, Known};
use drawing::fault::{FAULTS_MAX, Fault};
use drawing::layout::{self, Asset, PointOfAsset};
use drawing::schema::File;
use drawing::source::{self, Source};
use drawing::{scl, svg};
use grid::ClientId;
use grid::position::Encoding;
use store::Store;
use store::audit::Origin;
use store::registry::NodeRecord;

use crate::cli::SldCommand;
use crate::console::{note, print, say};
use crate::settings::Settings;

/// Maximum size of any file, bytes; each format has a lower limit of its own.
const BYTES_MAX: usize = if svg::BYTES_MAX > scl::BYTES_MAX { svg::BYTES_MAX } else { scl::BYTES_MAX };
/// Maximum number of notes that are printed.
const NOTES_MAX: usize = 1_000;

/// Runs one of its subcommands.
pub(crate) async fn run(settings: Settings, command: SldCommand) -> anyhow::Result<()> {
    match command {
        SldCommand::Schema => print(&format!("{:#}\n", drawing::schema::json_schema())),
        SldCommand::Check { file } => {
            let drawing = own(&file, &read(&file)?)?;
            print_notes(&[check::off_sheet(&drawing), unwired(&drawing)?].concat());
            say(&format!("{} is a drawing of {} with {} elements.", file.display(), drawing.name.as_str(), drawing.elements.len()));
        }
        SldCommand::Put { client, substation, file, dry_run } => {
            let drawing = own(&file, &read(&file)?)?;
            let place = Place::find(&settings, &client, &substation).await?;
            place.put(&settings, &drawing, &check::off_sheet(&drawing), dry_run).await?;
        }
        SldCommand::Get { client, substation } => {
            let place = Place::find(&settings, &client, &substation).await?;
            let drawing = place.store.drawing(place.client, place.node.id).await?;
            let drawing = drawing.with_context(|| format!("{} has no drawing", place.node.name))?;
            print(&format!("{}\n", serde_json::to_string_pretty(&drawing)?));
        }
        SldCommand::Import { file, metadata, client, substation, name, dry_run } => {
            let bytes = read(&file)?;
            let metadata = metadata.map(|metadata| read(&metadata)).transpose()?;
            let kind = source::of(&bytes).with_context(|| format!("{} is no drawing, no SCL and no SVG", file.display()))?;
            let place = Place::find(&settings, &client, &substation).await?;
            let (drawing, notes) = place.import(&file, kind, &bytes, metadata.as_deref(), name.as_deref())?;
            place.put(&settings, &drawing, &notes, dry_run).await?;
        }
        SldCommand::Layout { client, substation, store } => {
            let place = Place::find(&settings, &client, &substation).await?;
            let (plan, mut notes) = layout::plan(&place.node.name, &place.assets);
            let drawn = layout::draw(&plan).with_context(|| place.node.name.clone())?;
            notes.extend(drawn.notes);
            if store {
                place.put(&settings, &drawn.file, &notes, false).await?;
            } else {
                print_notes(&notes);
                print(&format!("{}\n", serde_json::to_string_pretty(&drawn.file)?));
            }
        }
    }
    Ok(())
}

/// Reads a file up to the maximum size: the path may name an endless device.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).with_context(|| file.display().to_string())?;
    opened.take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes).with_context(|| file.display().to_string())?;
    Ok(bytes)
}

/// Parses a drawing of our own format, or returns all of its errors.
fn own(file: &Path, bytes: &[u8]) -> anyhow::Result<File> {
    check::read(bytes).map_err(|faults| refused(file, &faults))
}

fn refused(file: &Path, faults: &[Fault]) -> anyhow::Error {
    let name = file.display();
    for fault in faults {
        say(&format!("{name}: {fault}"));
    }
    let at_least = if faults.len() < FAULTS_MAX { "" } else { "at least " };
    let noun = if faults.len() == 1 { "fault" } else { "faults" };
    anyhow::anyhow!("{name} has {at_least}{} {noun}; nothing is stored", faults.len())
}

/// Returns a note if no element of the drawing is wired.
fn unwired(drawing: &File) -> anyhow::Result<Vec<String>> {
    check::unwired(drawing).map(|note| note.into_iter().collect()).map_err(anyhow::Error::msg)
}

fn print_notes(notes: &[String]) {
    for line in notes.iter().take(NOTES_MAX) {
        note(&format!("note: {line}"));
    }
    if notes.len() > NOTES_MAX {
        note(&format!("note: and {} more", notes.len() - NOTES_MAX));
    }
}

/// A substation with its assets.
struct Place {
    store: Store,
    client: ClientId,
    node: NodeRecord,
    assets: Vec<Asset>,
}

impl Place {
    async fn find(settings: &Settings, client: &str, substation: &str) -> anyhow::Result<Self> {
        let store = super::store(settings).await?;
        let (client, node) = super::substation(&store, client, substation).await?;
        let registry = store.registry(Some(client)).await?;
        let mut points: HashMap<grid::AssetId, Vec<PointOfAsset>> = HashMap::new();
        for point in registry.points.iter().filter(|point| point.location == node.id) {
            let double = point.encoding().map(|encoding| encoding == Encoding::DoublePoint);
            let of = PointOfAsset {
                address: point.address(),
                code: point.code.clone(),
                unit: point.unit.clone(),
                decimals: point.decimals,
                double,
            };
            points.entry(point.asset).or_default().push(of);
        }
        let here = registry.assets.into_iter().filter(|asset| asset.location == node.id);
        let assets = here.map(|asset| Asset {
            points: points.remove(&asset.id).unwrap_or_default(),
            code: asset.code,
            name: asset.name,
            class: asset.class_name,
            type_id: asset.type_id,
            device: asset.device,
            kv: asset.kv,
        });
        Ok(Self { assets: assets.collect(), store, client, node })
    }

    fn import(
        &self,
        file: &Path,
        kind: Source,
        bytes: &[u8],
        metadata: Option<&[u8]>,
        name: Option<&str>,
    ) -> anyhow::Result<(File, Vec<String>)> {
        if metadata.is_some() && kind != Source::Svg {
            bail!("{} is no SVG: only an SVG has metadata beside it", file.display());
        }
        let imported = match kind {
            Source::Own => {
                let drawing = own(file, bytes)?;
                let notes = check::off_sheet(&drawing);
                return Ok((drawing, notes));
            }
            Source::Scl => scl::read(bytes, Some(name.unwrap_or(&self.node.code)), &self.assets),
            Source::Svg => {
                let metadata = metadata
                    .with_context(|| format!("{} is an SVG, which says too little: name its metadata with --metadata", file.display()))?;
                svg::read(bytes, metadata, &self.node.name, &self.assets)
            }
        };
        let imported = imported.map_err(|fault| refused(file, &[fault]))?;
        Ok((imported.file, imported.notes))
    }

    /// Stores a drawing, or prints what storing it would change.
    async fn put(&self, settings: &Settings, drawing: &File, notes: &[String], dry_run: bool) -> anyhow::Result<()> {
        let known = Known {
            assets: self.assets.iter().map(|asset| asset.code.clone()).collect(),
            points: self.assets.iter().flat_map(|asset| &asset.points).map(|point| point.address.clone()).collect(),
        };
        let notes = [notes.to_vec(), unwired(drawing)?, check::unknown_names(&drawing.elements, &known)].concat();
        print_notes(&notes);
        let (count, name) = (drawing.elements.len(), &self.node.name);
        if dry_run {
            say(&format!("{count} elements would be stored for {name}."));
            return Ok(());
        }
        let origin = Origin { client: Some(self.client), from: "console".to_owned(), ..Origin::default() };
        let body = serde_json::to_value(drawing)?;
        self.store.replace_drawing(self.client, self.node.id, drawing.name.as_str(), &body, &origin).await?;
        say(&format!("Stored {count} elements for {name}."));
        super::news::notify_hubs(settings, self.client).await;
        Ok(())
    }
}
