//! `switchyard admin audit`: verifies the audit and writes signed checkpoints.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use store::Store;
use store::audit::Head;

use crate::checkpoint::{self, CheckpointWriter, TAKEN_AWAY};
use crate::console::say;
use crate::settings::Settings;

/// Maximum size of the output of earlier runs, bytes. The output has a line for each utility and run.
const KEPT_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Prints for each chain the number of valid rows and its end, and the first invalid row. Fails if there is one, or if
/// a chain differs from `kept`.
pub(super) async fn verify(store: &Store, kept: &[Head]) -> anyhow::Result<()> {
    let clients = store.registry(None).await?.clients;
    let mut broken = 0;
    for verdict in store.verify_audit(kept).await? {
        let name = clients.iter().find(|client| client.id.0 == verdict.chain).map_or("no utility", |client| client.code.as_str());
        match verdict.broken {
            None => {
                let head = Head { chain: verdict.chain, seq: verdict.good, hash: verdict.hash };
                say(&format!("{name}: {} rows, all as they were entered{}", verdict.good, line(&head)));
            }
            Some((row, why)) => {
                broken += 1;
                say(&format!("{name}: {} rows are good, row {row} is the first that is not: {why}", verdict.good));
            }
        }
    }
    if broken > 0 {
        bail!("the audit has been touched in {broken} of its chains");
    }
    Ok(())
}

/// Returns the known heads of the chains, from the output of earlier runs and from signed checkpoints.
pub(super) fn kept(settings: &Settings, expected: Option<&Path>, checkpoints: &[PathBuf], key: Option<&str>) -> anyhow::Result<Vec<Head>> {
    let mut kept = match expected {
        Some(file) => read(file).with_context(|| file.display().to_string())?,
        None => Vec::new(),
    };
    let own = settings.audit.checkpoint_file(&settings.state.dir);
    let has_key = settings.audit.key_file(&settings.state.dir).try_exists()?;
    let is_own = checkpoints.is_empty();
    if is_own && !own.try_exists()? {
        ensure!(!has_key, "{}: {TAKEN_AWAY}", own.display());
        say(&format!("There are no checkpoints in {}: rows that are missing at the end of a chain do not show.", own.display()));
        return Ok(kept);
    }
    let public = match key {
        Some(text) => Some(checkpoint::public_key(text)?),
        None => checkpoint::public(settings)?,
    };
    let public =
        public.context("the secret of the checkpoints is not here: name the public key by --key, as `admin audit checkpoint` prints it")?;
    for file in if is_own { std::slice::from_ref(&own) } else { checkpoints } {
        let name = file.display();
        let found = checkpoint::read(file, &public).with_context(|| name.to_string())?;
        if is_own {
            ensure!(found.count > 0, "{name}: {TAKEN_AWAY}");
            ensure!(
                found.first == 1,
                "{name}: it begins with checkpoint {}, so those before it were taken away: put the file back from a copy",
                found.first
            );
        }
        ensure!(found.count > 0, "{name}: it holds no checkpoint");
        say(&format!("{name}: {} checkpoints, the last of {}", found.count, found.last_at));
        kept.extend(found.heads);
    }
    Ok(kept)
}

/// Adds a signed checkpoint.
pub(super) async fn checkpoint(store: &Store, settings: &Settings) -> anyhow::Result<()> {
    let writer = CheckpointWriter::new(settings)?;
    say(&writer.add(store).await?);
    say(&format!("Signed with the key {}", writer.public()));
    Ok(())
}

/// Returns the printed form of a chain's end; [`head`] parses it.
fn line(head: &Head) -> String {
    let mut line = format!("; chain {} row {} hash ", head.chain, head.seq);
    for byte in head.hash {
        // Writing to a string cannot fail.
        let _ = write!(line, "{byte:02x}");
    }
    line
}

/// Returns the ends of chains in a file with the output of earlier runs; other lines are ignored.
fn read(file: &Path) -> anyhow::Result<Vec<Head>> {
    let mut text = String::new();
    if std::fs::File::open(file)?.take(KEPT_MAX_BYTES + 1).read_to_string(&mut text)? as u64 > KEPT_MAX_BYTES {
        bail!("it may have {KEPT_MAX_BYTES} bytes at most");
    }
    heads(&text)
}

fn heads(text: &str) -> anyhow::Result<Vec<Head>> {
    let mut heads = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some((_, end)) = line.split_once("; chain ") {
            let read = head(end).with_context(|| {
                format!("line {}: after \"; chain \" come a number, \"row\" and a number, \"hash\" and 64 hexadecimal digits", number + 1)
            });
            heads.push(read?);
        }
    }
    if heads.is_empty() {
        bail!("it holds nothing that `switchyard admin audit verify` has printed of a chain that was good");
    }
    Ok(heads)
}

/// Parses `{chain} row {seq} hash {hex}`.
fn head(text: &str) -> Option<Head> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [chain, "row", seq, "hash", digits] = words[..] else { return None };
    let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut hash = [0; 32];
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2).filter(|_| is_hash)?, 16).ok()?;
    }
    Some(Head { chain: chain.parse().ok()?, seq: seq.parse().ok()?, hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back_and_what_is_not_is_told_by_its_line() {
        let head = Head { chain: 7, seq: 12, hash: std::array::from_fn(|place| place as u8 * 8) };
        let text = format!("Monday\nNORTH: 12 rows, all as they were entered{}\n\nTuesday", line(&head));
        assert_eq!(heads(&text).expect("a head"), [head]);
        for (wrong, why) in [
            ("", "holds nothing"),
            ("NORTH: 2 rows are good, row 3 is the first that is not", "holds nothing"),
            ("x; chain 7 row 12", "line 1"),
            ("\nx; chain 7 row x hash 00", "line 2"),
            (&*text.replace("row 12", "row -"), "line 2"),
            (&text[..text.len() - 20], "line 2"),
        ] {
            let error = heads(wrong).expect_err(wrong).to_string();
            assert!(error.contains(why), "{wrong:?}: {error}");
        }
    }
}
