//! Runs a program that exchanges lines with the test: it prints JSON, reads commands, and ends when its input is closed.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::product::PATIENCE;

/// A running script. Dropping it kills it.
pub(crate) struct Script {
    name: String,
    process: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Script {
    /// Starts `program` with `arguments`.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Self {
        let name = format!("{} {}", program.display(), arguments.first().copied().unwrap_or_default());
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let input = process.stdin.take();
        let lines = BufReader::new(process.stdout.take().expect("stdout is piped")).lines();
        Self { name, process, input, lines }
    }

    /// Waits for the next line and parses it.
    pub(crate) async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line()).await.unwrap_or_else(|_| panic!("{}: silent for {PATIENCE:?}", self.name));
        let line = line.expect("readable output").unwrap_or_else(|| panic!("{}: ended early", self.name));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{}: {line}: {error}", self.name))
    }

    /// Returns the lines up to and including the first one that the function accepts.
    pub(crate) async fn until(&mut self, mut is_expected: impl FnMut(&Value) -> bool) -> Vec<Value> {
        let mut received = Vec::new();
        loop {
            let line = self.next().await;
            let found = is_expected(&line);
            received.push(line);
            if found {
                return received;
            }
        }
    }

    /// Sends one line to the program.
    pub(crate) async fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("the program reads");
    }

    /// Closes its input, which ends it. Returns the lines that it still prints.
    pub(crate) async fn leave(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Ok(Ok(Some(line))) = timeout(PATIENCE, self.lines.next_line()).await {
            rest.extend(serde_json::from_str(&line));
        }
        timeout(PATIENCE, self.process.wait()).await.unwrap_or_else(|_| panic!("{}: does not leave", self.name)).expect("a status");
        rest
    }
}

/// Returns the path of a file in the folder of these tests.
pub(crate) fn beside(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file)
}

/// Returns the program of Node.js.
pub(crate) fn node() -> PathBuf {
    PathBuf::from("node")
}

/// Returns the Python program that has the packages of clients/requirements.txt.
pub(crate) fn python() -> PathBuf {
    let python = beside("clients/.venv/bin/python");
    assert!(python.exists(), "the Python clients are not installed: run scripts/services install (or make test)");
    python
}
