//! Tests the rules of docs/STYLE.md that a program can check, in all Rust, SQL and TypeScript files.

mod sources;

use sources::{Source, root, sources};

/// Module names that do not describe the content.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "common", "helpers", "helper", "misc"];

fn report(rule: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{rule}:\n{}", wrong.join("\n"));
}

#[test]
fn every_file_says_in_its_first_line_what_it_is_for() {
    let opens = |source: &Source| {
        let first = source.text.lines().next().unwrap_or_default();
        match source.name.rsplit('.').next() {
            Some("rs") => first.starts_with("//! "),
            // The path of a statement describes it (noun/verb). A migration needs a comment.
            Some("sql") => first.starts_with("-- ") || !source.name.contains("/migrations/"),
            _ => ["// ", "/** ", "/* "].iter().any(|opening| first.starts_with(opening)),
        }
    };
    let wrong: Vec<_> =
        sources(&["rs", "sql", "ts", "tsx"]).into_iter().filter(|source| !opens(source)).map(|source| source.name).collect();
    report("the first line says what the file is for", &wrong);
}

#[test]
fn no_name_is_empty_of_meaning() {
    let wrong: Vec<_> = sources(&["rs", "ts", "tsx"])
        .into_iter()
        .map(|source| source.name)
        .filter(|name| name.split(['/', '.']).any(|part| EMPTY_NAMES.contains(&part)))
        .collect();
    report("files and folders are named for what is in them", &wrong);
}

#[test]
fn nothing_is_left_unfinished() {
    // Joined at run time, so that the test does not find them in this file.
    let marks =
        [["TO", "DO"], ["FIX", "ME"], ["XX", "X"], ["HA", "CK:"], ["to", "do!("], ["unimpl", "emented!("]].map(|halves| halves.concat());
    let mut wrong = Vec::new();
    for source in sources(&["rs", "sql", "ts", "tsx"]) {
        for (number, line) in source.text.lines().enumerate() {
            wrong.extend(
                marks.iter().filter(|mark| line.contains(mark.as_str())).map(|mark| format!("{}:{}: {mark}", source.name, number + 1)),
            );
        }
    }
    report("unfinished work is an issue, not a remark in the code", &wrong);
}

#[test]
fn only_the_executable_reads_the_environment() {
    let read = ["env", "::var"].concat();
    let may = |name: &str| {
        name.starts_with("crates/switchyard/")
            || name.starts_with("crates/testkit/")
            || name.starts_with("crates/rig/")
            || name.contains("/tests/")
            || name.contains("/examples/")
            || name.ends_with("build.rs")
    };
    let wrong: Vec<_> =
        sources(&["rs"]).into_iter().filter(|source| !may(&source.name) && source.text.contains(&read)).map(|source| source.name).collect();
    report("settings come in as arguments", &wrong);
}

#[test]
fn sql_lives_in_files_of_the_store() {
    let statements = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM "];
    let mut wrong = Vec::new();
    for source in sources(&["rs"]) {
        let ours = ["crates/store/", "crates/testkit/", "crates/rig/"].iter().any(|home| source.name.starts_with(home))
            || source.name.contains("/tests/")
            || source.name.contains("/examples/");
        if !ours
            && source
                .text
                .lines()
                .any(|line| statements.iter().any(|statement| line.trim_start().trim_start_matches(['"', 'r', '#']).starts_with(statement)))
        {
            wrong.push(source.name);
        }
    }
    report("only the store knows SQL", &wrong);
}

/// A dashboard or alarm that uses a metric which does not exist would never show anything.
#[test]
fn every_number_that_is_watched_is_counted() {
    let sources: String = sources(&["rs"]).into_iter().map(|source| source.text).collect();
    let mut wrong = Vec::new();
    let mut watched = 0;
    for file in ["deploy/grafana/switchyard.json", "deploy/prometheus/alerts.yml", "docs/OPERATIONS.md"] {
        let text = std::fs::read_to_string(root().join(file)).expect("readable");
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let name = word.trim_end_matches("_bucket");
            let is_metric = ["ingest_", "hub_", "api_"].iter().any(|prefix| name.starts_with(prefix));
            if is_metric {
                watched += 1;
                if !sources.contains(&format!("\"{name}\"")) {
                    wrong.push(format!("{file}: {name}"));
                }
            }
        }
    }
    assert!(watched > 30, "the test looks in the wrong place");
    report("every metric named in dashboard, alarms and docs exists", &wrong);
}

/// A document that names a missing file misleads its readers.
#[test]
fn every_file_that_the_docs_name_is_there() {
    let mut wrong = Vec::new();
    let mut named = 0;
    for Source { name, text } in sources(&["md"]).into_iter().filter(|source| source.name.starts_with("docs/")) {
        for word in text.split('`').skip(1).step_by(2) {
            let path = word.split(['*', '…', '<']).next().unwrap_or(word);
            let is_path = ["crates/", "ingest/", "hub/", "api/src", "simulators/", "web/", "deploy/", "scripts/"]
                .iter()
                .any(|top| path.starts_with(top));
            if is_path && !path.contains(' ') {
                named += 1;
                if !root().join(path).exists() {
                    wrong.push(format!("{name}: {word}"));
                }
            }
        }
    }
    assert!(named > 50, "the test looks in the wrong place: {named}");
    report("files that the docs name", &wrong);
}

/// An invariant without a test can be violated unnoticed.
#[test]
fn every_invariant_of_control_names_a_test_that_exists() {
    let text = std::fs::read_to_string(root().join("crates/control/src/lib.rs")).expect("readable");
    let lines = text.lines().skip_while(|line| *line != "//! # Invariants").take_while(|line| line.starts_with("//!"));
    let list = lines.map(|line| line.trim_start_matches("//!").trim_start()).collect::<Vec<_>>().join("\n");
    let mut wrong = Vec::new();
    let mut named = 0;
    for invariant in list.split("\n- ").skip(1) {
        let tests: Vec<_> = invariant.split('`').skip(1).step_by(2).filter_map(|word| word.split_once("::")).collect();
        named += tests.len();
        if tests.is_empty() {
            wrong.push(format!("no test: {invariant}"));
        }
        wrong.extend(tests.into_iter().filter_map(|(file, test)| {
            let source = std::fs::read_to_string(root().join(file)).unwrap_or_default();
            let is_test = source.split("#[test]").skip(1).chain(source.split("#[tokio::test]").skip(1));
            let mut names = is_test.filter_map(|after| after.split_once("fn ")?.1.split_once('('));
            (!names.any(|(name, _)| name == test)).then(|| format!("no such test: {file}::{test}"))
        }));
    }
    assert!(named > 20, "the test looks in the wrong place: {named}");
    report("invariants of control", &wrong);
}
