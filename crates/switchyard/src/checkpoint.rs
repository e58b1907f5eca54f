//! Signed checkpoints of the audit: where every chain stood, in a file outside of the database. Whoever owns the database can take away the last rows or
//! write a whole chain anew, but cannot sign that it always was so.
//!
//! A line is the signature in hexadecimal digits, a space, and what is signed: JSON with the number of the checkpoint, the time, the hash of the line
//! before, and the heads that have moved since (at a start all of them). So a line that is changed, taken out or put in shows, and so does a file that
//! is not there though its key is; only lines at the end can be missing unseen, which is why the file is worth most as a copy on another machine.

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

/// The heads of two hundred thousand chains; a longer line is none of ours.
const LINE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// What is read at once to find the last line.
const BLOCK_BYTES: u64 = 64 * 1024;
/// What it means that there is a key and no checkpoint.
pub(crate) const TAKEN_AWAY: &str = "there is a key and no checkpoint, so they were taken away or emptied: put the file back from a copy (to begin anew, put the key away as well)";
/// The end waits no longer for the last one.
const LAST_MAX: Duration = Duration::from_secs(3);

/// What is signed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    number: u64,
    at: String,
    /// The hash of the line before; empty in the first.
    before: String,
    /// Chain, last row, hash of that row.
    heads: Vec<(i64, i64, String)>,
}

/// Writes checkpoints.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    seal: Seal,
    file: PathBuf,
    every: Duration,
    /// Whether the secret has been made just now: only then is there to be no checkpoint yet.
    is_new: bool,
}

/// What a process has written last.
#[derive(Debug, Default)]
struct Written {
    number: u64,
    heads: Vec<Head>,
}

impl Keeper {
    /// With the secret and the file of the settings; a secret that is not there is made.
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let state = &settings.state.dir;
        let key = settings.audit.key_file(state);
        let (seal, is_new) = secret(&key).with_context(|| format!("audit.key_file: {}", key.display()))?;
        Ok(Self { seal, file: settings.audit.checkpoint_file(state), every: settings.audit.checkpoint_every()?, is_new })
    }

    /// What its checkpoints are recognised by.
    pub(crate) fn public(&self) -> String {
        hex(&self.seal.public())
    }

    /// Adds one of all chains; answers its line.
    pub(crate) async fn add(&self, store: &Store) -> anyhow::Result<String> {
        let (_, line) = self.write(store.audit_heads().await?, 0).await?;
        Ok(line)
    }

    async fn write(&self, heads: Vec<Head>, after: u64) -> anyhow::Result<(u64, String)> {
        let keeper = self.clone();
        tokio::task::spawn_blocking(move || keeper.append(&heads, after)).await?
    }

    /// Adds one after number `after`, which this process has written; others may have added more.
    fn append(&self, heads: &[Head], after: u64) -> anyhow::Result<(u64, String)> {
        let name = || format!("audit.checkpoint_file: {}", self.file.display());
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&self.file).with_context(name)?;
        // Two processes of one machine take turns.
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

    /// Adds one now, one each time a chain has moved, at most one each while, and a last one when everything ends. One that cannot be written is told
    /// of and no reason to stop: the next will tell of the same and more.
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

    /// Adds one of the chains that have moved since the last of this process; whether there were any. The first is of all.
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

/// The public key of this machine's secret, if there is one.
pub(crate) fn public(settings: &Settings) -> anyhow::Result<Option<[u8; 32]>> {
    let key = settings.audit.key_file(&settings.state.dir);
    if key.try_exists()? { Ok(Some(secret(&key).with_context(|| key.display().to_string())?.0.public())) } else { Ok(None) }
}

/// Reads a public key.
pub(crate) fn public_key(text: &str) -> anyhow::Result<[u8; 32]> {
    bytes(text).context("a public key has 64 hexadecimal digits")
}

/// What a file of checkpoints holds.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Where chains have stood.
    pub heads: Vec<Head>,
    /// Checkpoints.
    pub count: u64,
    /// The number of the first.
    pub first: u64,
    /// The time of the last; empty when there is none.
    pub last_at: String,
}

/// Reads a file of checkpoints, each of which is looked at: signed by `public`, and in its place.
pub(crate) fn read(file: &Path, public: &[u8; 32]) -> anyhow::Result<Kept> {
    let file = File::open(file)?;
    // Not in the middle of a line that is being added. A copy may lie where nothing can be locked, and needs no lock.
    let _ = file.lock_shared();
    let mut reader = BufReader::new(file);
    let mut kept = Kept::default();
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
        // A copy may begin anywhere: older ones are put away.
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

/// The last line. What a crash has left of one after it is cut off: it never was a checkpoint.
fn last(file: &mut File) -> anyhow::Result<Option<String>> {
    let end = file.seek(SeekFrom::End(0))?;
    let (mut from, mut text) = (end, Vec::new());
    // To the end of the line before the last.
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

/// Reads a secret, or makes one that only this program's user may read; whether it was made.
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
        // A string takes everything.
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
        let keeper = Keeper { seal, file: file.clone(), every: Duration::from_mins(1), is_new };
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
        let other = Keeper { seal: Seal::new().0, file: folder.join("other"), ..keeper.clone() };
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
        let keeper = Keeper { seal, file: file.clone(), every: Duration::from_mins(1), is_new };
        let public = keeper.seal.public();
        // Longer than what is read at once.
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
        // A start that finds a key finds checkpoints.
        let (seal, is_new) = secret(&key).expect("read");
        let next = Keeper { seal, is_new, ..keeper };
        assert_eq!(next.append(&[], 0).expect("added").0, 2);
        std::fs::write(&file, "x").expect("written");
        let error = next.append(&[], 0).expect_err("emptied").to_string();
        assert!(error.contains("taken away or emptied"), "{error}");
        std::fs::remove_dir_all(&folder).expect("gone");
    }
}
