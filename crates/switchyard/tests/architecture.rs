//! Tests the directions of dependencies: only those in docs/ARCHITECTURE.md are allowed, between crates and between the layers of the web.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// The crates of the workspace that each crate may depend on. Dev-dependencies are not limited.
const ARROWS: [(&str, &[&str]); 32] = [
    ("grid", &[]),
    ("wire", &["grid"]),
    ("auth", &["grid"]),
    // A version of the network is stored and read as a description.
    ("store", &["grid", "network"]),
    ("registry", &["grid", "network", "store"]),
    ("field", &["grid", "wire"]),
    // Between processes the bus uses MQTT, which only `field` implements.
    ("bus", &["grid", "wire", "field"]),
    ("broker", &[]),
    ("ingest", &["grid", "wire", "store", "registry", "bus", "field"]),
    // A part of the network model is derived from a drawing.
    ("drawing", &["grid", "wire", "network"]),
    ("network", &["grid"]),
    ("network-files", &["network"]),
    ("powerflow", &["grid", "network"]),
    ("dispatch", &["grid"]),
    ("sheet", &["grid"]),
    ("hub", &["grid", "network", "wire", "store", "registry", "bus", "auth", "drawing"]),
    // The only service that publishes commands.
    ("control", &["grid", "network", "wire", "field", "store", "registry", "bus", "auth"]),
    ("permits", &["grid", "auth"]),
    ("mail", &[]),
    ("embed", &["grid", "wire"]),
    ("identity", &["grid", "wire", "store", "registry", "bus", "auth", "mail"]),
    ("analysis", &["grid", "network", "wire", "store", "registry", "drawing", "dispatch", "identity"]),
    ("reports", &["grid", "wire", "store", "registry", "auth", "identity", "analysis", "sheet", "mail", "permits"]),
    (
        "api",
        &[
            "grid",
            "wire",
            "store",
            "registry",
            "bus",
            "auth",
            "identity",
            "control",
            "analysis",
            "reports",
            "drawing",
            "network",
            "network-files",
            "dispatch",
            "sheet",
            "mail",
            "permits",
            "embed",
        ],
    ),
    ("alarms", &["grid", "network", "wire", "store", "registry", "bus", "drawing"]),
    ("forecast", &["grid"]),
    ("analytics", &["grid", "network", "store", "registry", "drawing", "forecast"]),
    ("simulators", &["grid", "network", "powerflow", "wire", "field"]),
    ("testkit", &["grid", "store", "registry"]),
    ("rig", &["wire", "field", "simulators", "testkit"]),
    // Runs the decisions of the services in a simulated world. No product crate depends on it.
    ("simulation", &["grid", "wire", "field", "store", "registry", "ingest", "hub", "simulators"]),
    (
        "switchyard",
        &[
            "grid",
            "wire",
            "field",
            "store",
            "bus",
            "broker",
            "registry",
            "auth",
            "drawing",
            "network",
            "network-files",
            "ingest",
            "hub",
            "control",
            "identity",
            "reports",
            "mail",
            "embed",
            "api",
            "alarms",
            "forecast",
            "analytics",
            "simulators",
        ],
    ),
];

/// External crates, each with the only crates that may depend on it.
const BEHIND: [(&str, &[&str]); 12] = [
    ("rumqttc-v5-next", &["field"]),
    ("srad-types", &["field"]),
    ("tokio-postgres", &["store", "testkit", "rig"]),
    ("axum", &["api", "hub", "switchyard"]),
    ("mqtt5", &["broker"]),
    ("argon2", &["auth"]),
    ("augurs", &["forecast"]),
    ("good_lp", &["dispatch"]),
    ("faer", &["powerflow"]),
    ("rust_xlsxwriter", &["sheet"]),
    ("cfb", &["sheet"]),
    ("pdf-writer", &["sheet"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn packages() -> Vec<Package> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("cargo metadata");
    metadata.workspace_packages().into_iter().cloned().collect()
}

fn uses(package: &Package) -> BTreeSet<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == DependencyKind::Normal)
        .map(|dependency| dependency.name.clone())
        .collect()
}

#[test]
fn crates_use_only_what_they_may() {
    let packages = packages();
    let house: BTreeSet<String> = packages.iter().map(|package| package.name.to_string()).collect();
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.into();
    let mut wrong = Vec::new();
    for package in &packages {
        let Some(allowed) = allowed.get(package.name.as_str()) else {
            wrong.push(format!("{} is new: give it its arrows here and in docs/ARCHITECTURE.md", package.name));
            continue;
        };
        let used = uses(package);
        wrong.extend(
            used.intersection(&house).filter(|name| !allowed.contains(&name.as_str())).map(|name| format!("{} -> {name}", package.name)),
        );
        if package.name.as_str() == "grid" && !used.is_empty() {
            wrong.push(format!("grid is pure and uses nothing, but here are {used:?}"));
        }
        wrong.extend(
            BEHIND
                .iter()
                .filter(|(foreign, homes)| used.contains(*foreign) && !homes.contains(&package.name.as_str()))
                .map(|(foreign, homes)| format!("{} -> {foreign}, which belongs behind {homes:?}", package.name)),
        );
    }
    assert!(wrong.is_empty(), "arrows that run the wrong way:\n{}", wrong.join("\n"));
}

/// Symbols that are needed to publish a command, and the files that may contain them. Gateways and their simulators read commands; ingest ignores
/// them.
const COMMAND_SYMBOLS: [(&str, &[&str]); 3] = [
    // Publishes a message that expires. Only commands do.
    ("try_order", &["crates/field/src/client.rs", "crates/control/src/send.rs"]),
    // The topic of a command, as a symbol and as text.
    (
        "DCmd",
        &[
            "crates/field/src/topic.rs",
            "crates/control/src/send.rs",
            "ingest/src/session.rs",
            "simulators/src/rtu/node.rs",
            "simulators/src/rtu/link.rs",
            "crates/simulation/src/broker.rs",
        ],
    ),
    ("DCMD", &["crates/field/src/topic.rs", "crates/rig/src/promise/orders.rs"]),
];

#[test]
fn only_control_publishes_commands() {
    let mut files = Vec::new();
    collect(&root(), &["rs"], &mut files);
    let mut wrong = Vec::new();
    let mut homes: BTreeSet<(&str, &str)> =
        COMMAND_SYMBOLS.iter().flat_map(|(symbol, homes)| homes.iter().map(|home| (*symbol, *home))).collect();
    for file in &files {
        let name = file.strip_prefix(root()).expect("inside").to_string_lossy().replace('\\', "/");
        if name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(file).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for (symbol, may) in COMMAND_SYMBOLS.iter().filter(|(symbol, _)| code.contains(symbol)) {
            match may.iter().find(|home| **home == name) {
                Some(home) => drop(homes.remove(&(*symbol, *home))),
                None => wrong.push(format!("{name} has {symbol}: commands leave from crates/control/src/send.rs alone")),
            }
        }
    }
    wrong.extend(homes.iter().map(|(symbol, home)| format!("{home} has no {symbol} any more: take it off the list")));
    assert!(wrong.is_empty(), "what may publish a command:\n{}", wrong.join("\n"));
}

/// The layers of the web with their heights. A file may import from its own folder and from lower layers, but not from another folder of the same
/// height.
const LAYERS: [(&str, u8); 9] =
    [("app", 5), ("features", 4), ("table", 3), ("live", 2), ("session", 2), ("charts", 3), ("ui", 2), ("wire", 1), ("words", 0)];

#[test]
fn the_webs_imports_point_down_and_no_feature_knows_another() {
    let source = root().join("web/src");
    let mut files = Vec::new();
    collect(&source, &["ts", "tsx"], &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("readable");
        let from = folder_of(&source, file);
        for import in imports(&text) {
            let target = if let Some(path) = import.strip_prefix("@/") {
                source.join(path)
            } else if import.starts_with('.') {
                normal(&file.parent().expect("a folder").join(&import))
            } else {
                continue;
            };
            let to = folder_of(&source, &target);
            if !may_import(&from, &to) {
                wrong.push(format!("{} imports {import}", file.strip_prefix(&source).expect("inside").display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that run the wrong way:\n{}", wrong.join("\n"));
}

/// Returns the layer of a file, and its feature if the layer is `features`.
fn folder_of(source: &Path, file: &Path) -> (String, String) {
    let inside = file.strip_prefix(source).unwrap_or(file);
    let mut parts = inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let layer = parts.next().unwrap_or_default();
    let feature = if layer == "features" { parts.next().unwrap_or_default() } else { String::new() };
    (layer, feature)
}

fn may_import(from: &(String, String), to: &(String, String)) -> bool {
    let height = |layer: &str| LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, height)| *height);
    match (height(&from.0), height(&to.0)) {
        // Files outside of the layers, such as main.tsx, and test folders may import everything. No layer may import them.
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(_)) if from.0 == to.0 => from.1 == to.1,
        (Some(above), Some(below)) => above > below,
    }
}

/// Returns the paths that a TypeScript file imports, statically or dynamically.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//") && !line.starts_with('*')) {
        for opening in ["from '", "from \"", "import '", "import \"", "import('", "import(\""] {
            if let Some((_, rest)) = line.split_once(opening) {
                let quote = opening.chars().last().expect("not empty");
                found.extend(rest.split(quote).next().map(str::to_owned));
            }
        }
    }
    found
}

/// Resolves `.` and `..` in a path.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !["target", "node_modules"].contains(&&*entry.file_name().to_string_lossy()) {
                collect(&path, extensions, files);
            }
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|expected| extension == *expected)) {
            files.push(path);
        }
    }
}

#[test]
fn the_rules_for_imports_hold_what_they_say() {
    let at = |layer: &str, feature: &str| (layer.to_owned(), feature.to_owned());
    for (from, to, expected) in [
        (at("app", ""), at("features", "sld"), true),
        (at("features", "sld"), at("features", "sld"), true),
        (at("features", "sld"), at("features", "events"), false),
        (at("features", "sld"), at("live", ""), true),
        (at("live", ""), at("features", "sld"), false),
        (at("live", ""), at("session", ""), false),
        (at("live", ""), at("wire", ""), true),
        (at("wire", ""), at("live", ""), false),
        (at("features", "sld"), at("app", ""), false),
        (at("main.tsx", ""), at("app", ""), true),
        (at("app", ""), at("main.tsx", ""), false),
    ] {
        assert_eq!(may_import(&from, &to), expected, "{from:?} -> {to:?}");
    }
    let text = "import { a } from '../live/store'\nimport type B from \"@/wire/schema\"\nconst c = await import('./c')\n// import 'no'\n";
    assert_eq!(imports(text), ["../live/store", "@/wire/schema", "./c"]);
}
