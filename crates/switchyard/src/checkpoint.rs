//! Signed checkpoints of the audit: the last row of every chain, in a file outside of the database. An owner of the
//! database can delete the last rows or rewrite a whole chain, but cannot sign a checkpoint that agrees.
//!
//! A line is the signature in hexadecimal digits, a space, and the signed JSON: number of the checkpoint, time, hash of
//! the previous line, and the heads that changed since (after a start, all of them). A changed, removed or inserted
//! line is detected. A missing file is also detected while its key exists. Only missing lines at the end are not
//! detected, so keep a copy of the file on another machine.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use auth::{Seal, is_sealed};
use serde::{Deserialize, Serialize};
use store::Store;
use store::audit::Head;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::settings::Settings;

/// Maximum length of a line: the heads of two hundred thousand chains. A longer line is invalid.
const LINE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes read at once when searching for the last line.
const BLOCK_BYTES: u64 = 64 * 1024;
/// The error if there is a key but no checkpoint.
pub(crate) const TAKEN_AWAY: &str = "there is a key and no checkpoint, so they were taken away or emptied: put the file back from a copy (to begin anew, put the key away as well)";
/// Maximum time for the last checkpoint at shutdown.
const LAST_MAX: Duration = Duration::from_secs(3);

/// The signed content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    number: u64,
    at: String,
    /// The hash of the previous line; empty in the first line.
    before: String,
    /// Chain, last row, hash of that row.
    heads: Vec<(i64, i64, String)>,
}

/// Writes checkpoints.
#[derive(Debug, Clone)]
pub(crate) struct CheckpointWriter {
    seal: Seal,
    file: PathBuf,
    every: Duration,
    /// Whether this start has created the secret. Only in this case may there be no checkpoint yet.
    is_new: bool,
}

/// The last checkpoint of this process.
#[derive(Debug, Default)]
struct Written {
    number: u64,
    heads: Vec<Head>,
}

impl CheckpointWriter {
    /// Opens the secret and the file in the settings; creates the secret if there is none.
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let state = &settings.state.dir;
        let key = settings.audit.key_file(state);
        let (seal, is_new) = secret(&key).with_context(|| format!("audit.key_file: {}", key.display()))?;
        Ok(Self { seal, file: settings.audit.checkpoint_file(state), every: settings.audit.checkpoint_every()?, is_new })
    }

    /// Returns the public key that verifies its checkpoints.
    pub(crate) fn public(&self) -> String {
        hex(&self.seal.public())
    }

    /// Adds a checkpoint of all chains. Returns its line.
    pub(crate) async fn add(&self, store: &Store) -> anyhow::Result<String> {
        let (_, line) = self.write(store.audit_heads().await?, 0).await?;
        Ok(line)
    }

    async fn write(&self, heads: Vec<Head>, after: u64) -> anyhow::Result<(u64, String)> {
        let keeper = self.clone();
        tokio::task::spawn_blocking(move || keeper.append(&heads, after)).await?
    }

    /// Adds a checkpoint. `after` is the number of the last checkpoint of this process; other processes may have added
    /// later ones.
    fn append(&self, heads: &[Head], after: u64) -> anyhow::Result<(u64, String)> {
        let name = || format!("audit.checkpoint_file: {}", self.file.display());
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&self.file).with_context(name)?;
        // Processes of one machine write one after the other.
        file.lock().with_context(name)?;
        let (number, before) = match last(&mut file).with_context(name)? {
            Some(last) => (parsed(&last).with_context(name)?.number + 1, hex(&auth::hash_token(&last))),
            None => (1, String::new()),
        };
        ensure!(number > 1 || self.is_new, "{}: {TAKEN_AWAY}", name());
        ensure!(number > after, "{}: checkpoint {after} was there and is not any more: put the file back from a copy", name());
        let heads = heads.iter().map(|head| (head.chain, head.seq, hex(&head.hash))).collect();
        let body = serde_json::to_string(&Checkpoint { number, at: jiff::Timestamp::now().to_string(), before, heads })?;
        let line = format!("{} {body}", hex(&self.seal.sign(body.as_bytes())));
        file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data()).with_context(name)?;
        Ok((number, line))
    }

    /// Adds a checkpoint at the start, after each interval in which a chain changed, and at shutdown. A failed write is
    /// logged; the next checkpoint contains the same heads and later ones.
    pub(crate) async fn keep(self, store: Store, shutdown: CancellationToken) {
        let mut every = tokio::time::interval(self.every);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut written = Written::default();
        loop {
            tokio::select! {
                _ = every.tick() => self.try_to_follow(&store, &mut written).await,
                () = shutdown.cancelled() => break,
            }
        }
        if tokio::time::timeout(LAST_MAX, self.try_to_follow(&store, &mut written)).await.is_err() {
            tracing::warn!("the last checkpoint of the audit could not be written in time");
        }
    }

    async fn try_to_follow(&self, store: &Store, written: &mut Written) {
        match self.follow(store, written).await {
            Ok(true) => tracing::debug!("a checkpoint of the audit has been written"),
            Ok(false) => {}
            Err(error) => {
                metrics::counter!("audit_checkpoint_failures_total").increment(1);
                tracing::warn!("a checkpoint of the audit could not be written: {error:#}");
            }
        }
    }

    /// Adds a checkpoint of the chains that changed since the last one of this process. Returns whether there were any.
    /// The first one has all chains.
    async fn follow(&self, store: &Store, written: &mut Written) -> anyhow::Result<bool> {
        let heads = store.audit_heads().await?;
        let moved: Vec<Head> = heads.iter().filter(|head| !written.heads.contains(head)).copied().collect();
        if moved.is_empty() && written.number > 0 {
            return Ok(false);
        }
        let (number, _) = self.write(moved, written.number).await?;
        *written = Written { number, heads };
        Ok(true)
    }
}

/// Returns the public key of this machine's secret, if there is one.
pub(crate) fn public(settings: &Settings) -> anyhow::Result<Option<[u8; 32]>> {
    let key = settings.audit.key_file(&settings.state.dir);
    if key.try_exists()? { Ok(Some(secret(&key).with_context(|| key.display().to_string())?.0.public())) } else { Ok(None) }
}

/// Parses a public key.
pub(crate) fn public_key(text: &str) -> anyhow::Result<[u8; 32]> {
    bytes(text).context("a public key has 64 hexadecimal digits")
}

/// The content of a file of checkpoints.
#[derive(Debug, Default)]
pub(crate) struct CheckpointFile {
    /// The last known row of each chain.
    pub heads: Vec<Head>,
    /// Number of checkpoints.
    pub count: u64,
    /// Number of the first checkpoint.
    pub first: u64,
    /// Time of the last checkpoint; empty if there is none.
    pub last_at: String,
}

/// Reads a file of checkpoints and verifies each one: its signature by `public`, and its place in the sequence.
pub(crate) fn read(file: &Path, public: &[u8; 32]) -> anyhow::Result<CheckpointFile> {
    let file = File::open(file)?;
    // Wait for a line that is being added. A copy may be on a file system without locks, and needs none.
    let _ = file.lock_shared();
    let mut reader = BufReader::new(file);
    let mut kept = CheckpointFile::default();
    let mut before: Option<(u64, String)> = None;
    loop {
        let at = kept.count + 1;
        let place = || format!("line {at}");
        let mut line = String::new();
        if (&mut reader).take(LINE_MAX_BYTES + 1).read_line(&mut line).with_context(place)? == 0 {
            return Ok(kept);
        }
        ensure!(line.len() as u64 <= LINE_MAX_BYTES, "line {at} may have {LINE_MAX_BYTES} bytes at most");
        let line = line.strip_suffix('\n').unwrap_or(&line);
        let (signature, body) = line.split_once(' ').with_context(place)?;
        let signature: [u8; 64] = bytes(signature).with_context(place)?;
        ensure!(is_sealed(public, body.as_bytes(), &signature), "line {at} was not signed by this key");
        let checkpoint = parsed(line).with_context(place)?;
        // A copy may start at any number: older lines are archived elsewhere.
        match &before {
            None => kept.first = checkpoint.number,
            Some((number, hash)) => ensure!(
                checkpoint.number == number + 1 && checkpoint.before == *hash,
                "line {at} does not follow the one before it: checkpoint {} comes after {number}",
                checkpoint.number
            ),
        }
        for (chain, seq, hash) in checkpoint.heads {
            kept.heads.push(Head { chain, seq, hash: bytes(&hash).with_context(place)? });
        }
        before = Some((checkpoint.number, hex(&auth::hash_token(line))));
        (kept.count, kept.last_at) = (at, checkpoint.at);
    }
}

/// Returns the last line. Removes an incomplete line that a crash has left, because it was never a valid checkpoint.
fn last(file: &mut File) -> anyhow::Result<Option<String>> {
    let end = file.seek(SeekFrom::End(0))?;
    let (mut from, mut text) = (end, Vec::new());
    // Read back to the end of the line before the last.
    while from > 0 && text.iter().filter(|byte| **byte == b'\n').nth(1).is_none() {
        ensure!(end - from <= LINE_MAX_BYTES, "its last line has more than {LINE_MAX_BYTES} bytes");
        let mut block = vec![0; usize::try_from(BLOCK_BYTES.min(from))?];
        from -= block.len() as u64;
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut block)?;
        block.append(&mut text);
        text = block;
    }
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    if whole < text.len() {
        tracing::warn!(
            bytes = text.len() - whole,
            "a checkpoint of the audit that was cut in two, by a crash or by hand, is taken off the end"
        );
        file.set_len(from + whole as u64)?;
        text.truncate(whole);
    }
    let Some((_newline, lines)) = text.split_last() else { return Ok(None) };
    let line = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Some(String::from_utf8(line.to_vec())?))
}

fn parsed(line: &str) -> anyhow::Result<Checkpoint> {
    let (_, body) = line.split_once(' ').context("a checkpoint has a signature, a space and a text")?;
    serde_json::from_str(body).context("a checkpoint that cannot be read")
}

/// Reads a secret, or creates one that only the user of this process may read. Returns whether it was created.
fn secret(file: &Path) -> anyhow::Result<(Seal, bool)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match options.open(file) {
        Ok(mut made) => {
            let (seal, secret) = Seal::new();
            made.write_all(format!("{}\n", hex(&secret)).as_bytes())?;
            made.sync_all()?;
            Ok((seal, true))
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let text = std::fs::read_to_string(file)?;
            Ok((Seal::of(&bytes(text.trim()).context("it must hold 64 hexadecimal digits")?), false))
        }
        Err(error) => Err(error.into()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let is_good = hex.len() == 2 * N && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes = [0; N];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * place..2 * place + 2).filter(|_| is_good)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_touched_is_told_by_its_line() {
        let folder = std::env::temp_dir().join(format!("switchyard-checkpoints-{:016x}", rand::random::<u64>()));
        let (key, file) = (folder.join("audit.key"), folder.join("audit.checkpoints"));
        let (seal, is_new) = secret(&key).expect("made");
        let keeper = CheckpointWriter { seal, file: file.clone(), every: Duration::from_mins(1), is_new };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&key).expect("a file").permissions().mode() & 0o777, 0o600);
        }
        let head = |seq| Head { chain: 7, seq, hash: [seq as u8; 32] };
        for seq in 1..=3 {
            keeper.append(&[head(seq), Head { chain: 0, ..head(9) }], 0).expect("added");
        }
        let public = secret(&key).expect("read again").0.public();
        let kept = read(&file, &public).expect("good");
        assert_eq!((kept.heads.len(), kept.count, kept.first, kept.last_at.is_empty()), (6, 3, 1, false));
        let good = std::fs::read_to_string(&file).expect("a file");
        let lines: Vec<&str> = good.lines().collect();
        let other = CheckpointWriter { seal: Seal::new().0, file: folder.join("other"), ..keeper.clone() };
        let (_, foreign) = other.append(&[head(4)], 0).expect("added");
        for (text, why) in [
            (good.replace("[7,2,", "[7,1,"), "line 2 was not signed"),
            (format!("{}\n{}\n", lines[0], lines[2]), "line 2 does not follow"),
            (format!("{}\n{}\n", lines[1], lines[0]), "line 2 does not follow"),
            (format!("{good}{foreign}\n"), "line 4 was not signed"),
            (format!("{good}x\n"), "line 4"),
        ] {
            std::fs::write(&file, text).expect("written");
            let error = format!("{:#}", read(&file, &public).expect_err(why));
            assert!(error.contains(why), "{error}");
        }
        std::fs::write(&file, format!("{}\n", lines[2])).expect("written");
        let kept = read(&file, &public).expect("the older ones were put away");
        assert_eq!((kept.heads.len(), kept.first), (2, 3));
        std::fs::write(&key, "not a key").expect("written");
        assert!(secret(&key).is_err());
        std::fs::remove_dir_all(&folder).expect("gone");
    }

    #[test]
    fn what_a_crash_has_cut_in_two_is_taken_off_and_what_was_taken_away_is_missed() {
        let folder = std::env::temp_dir().join(format!("switchyard-checkpoints-{:016x}", rand::random::<u64>()));
        let (key, file) = (folder.join("audit.key"), folder.join("audit.checkpoints"));
        let (seal, is_new) = secret(&key).expect("made");
        let keeper = CheckpointWriter { seal, file: file.clone(), every: Duration::from_mins(1), is_new };
        let public = keeper.seal.public();
        // A line longer than one block.
        let heads: Vec<Head> = (0..2_000).map(|chain| Head { chain, seq: 1, hash: [1; 32] }).collect();
        for number in 1..=3 {
            assert_eq!(keeper.append(&heads, number - 1).expect("added").0, number);
        }
        let good = std::fs::read_to_string(&file).expect("a file");
        std::fs::write(&file, &good[..good.len() - 10]).expect("written");
        assert!(read(&file, &public).is_err(), "cut in two");
        assert_eq!(keeper.append(&[], 0).expect("added").0, 3);
        assert_eq!(read(&file, &public).expect("good").count, 3);
        std::fs::write(&file, &good[..=good.find('\n').expect("a line")]).expect("written");
        let error = keeper.append(&[], 3).expect_err("lines are missing").to_string();
        assert!(error.contains("checkpoint 3 was there"), "{error}");
        // If there is a key, there must be checkpoints.
        let (seal, is_new) = secret(&key).expect("read");
        let next = CheckpointWriter { seal, is_new, ..keeper };
        assert_eq!(next.append(&[], 0).expect("added").0, 2);
        std::fs::write(&file, "x").expect("written");
        let error = next.append(&[], 0).expect_err("emptied").to_string();
        assert!(error.contains("taken away or emptied"), "{error}");
        std::fs::remove_dir_all(&folder).expect("gone");
    }
}
