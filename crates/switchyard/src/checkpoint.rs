//! Signed checkpoints of the audit: where every chain stood, in a file outside of the database. Whoever owns the database can take away the last rows or
//! write a whole chain anew, but cannot sign that it always was so.
//!
//! A line is the signature in hexadecimal digits, a space, and what is signed: JSON with the number of the checkpoint, the time, the hash of the line
//! before, and the heads. So a line that is changed, taken out or put in shows; only lines at the end can be missing unseen, which is why the file is
//! worth most as a copy on another machine.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use auth::{Seal, is_sealed};
use serde::{Deserialize, Serialize};
use store::Store;
use store::audit::Head;
use tokio_util::sync::CancellationToken;

use crate::settings::Settings;

/// At one a day and a thousand utilities it takes a century to get there; a larger file is none of ours.
const FILE_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
const EVERY: Duration = Duration::from_secs(24 * 3_600);
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
}

impl Keeper {
    /// With the secret and the file of the settings; a secret that is not there is made.
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let state = &settings.state.dir;
        let key = settings.audit.key_file(state);
        let seal = secret(&key).with_context(|| format!("audit.key_file: {}", key.display()))?;
        Ok(Self { seal, file: settings.audit.checkpoint_file(state) })
    }

    /// What its checkpoints are recognised by.
    pub(crate) fn public(&self) -> String {
        hex(&self.seal.public())
    }

    /// Adds one; answers its line.
    pub(crate) async fn add(&self, store: &Store) -> anyhow::Result<String> {
        let heads = store.audit_heads().await?;
        let keeper = self.clone();
        tokio::task::spawn_blocking(move || keeper.append(&heads)).await?
    }

    fn append(&self, heads: &[Head]) -> anyhow::Result<String> {
        let name = || format!("audit.checkpoint_file: {}", self.file.display());
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&self.file).with_context(name)?;
        // Two processes of one machine take turns.
        file.lock().with_context(name)?;
        let (number, before) = match lines(&mut file).with_context(name)?.last() {
            Some(last) => (parsed(last).with_context(name)?.number + 1, hex(&auth::hash_token(last))),
            None => (1, String::new()),
        };
        let heads = heads.iter().map(|head| (head.chain, head.seq, hex(&head.hash))).collect();
        let body = serde_json::to_string(&Checkpoint { number, at: jiff::Timestamp::now().to_string(), before, heads })?;
        let line = format!("{} {body}", hex(&self.seal.sign(body.as_bytes())));
        file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data()).with_context(name)?;
        Ok(line)
    }

    /// Adds one now, each day, and a last one when everything ends. One that cannot be written is told of and no reason to stop: the next will do.
    pub(crate) async fn keep(self, store: Store, shutdown: CancellationToken) {
        let mut every = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                _ = every.tick() => self.try_to_add(&store).await,
                () = shutdown.cancelled() => break,
            }
        }
        if tokio::time::timeout(LAST_MAX, self.try_to_add(&store)).await.is_err() {
            tracing::warn!("the last checkpoint of the audit could not be written in time");
        }
    }

    async fn try_to_add(&self, store: &Store) {
        match self.add(store).await {
            Ok(_) => tracing::debug!("a checkpoint of the audit has been written"),
            Err(error) => {
                metrics::counter!("audit_checkpoint_failures_total").increment(1);
                tracing::warn!("a checkpoint of the audit could not be written: {error:#}");
            }
        }
    }
}

/// The public key of this machine's secret, if there is one.
pub(crate) fn public(settings: &Settings) -> anyhow::Result<Option<[u8; 32]>> {
    let key = settings.audit.key_file(&settings.state.dir);
    if key.try_exists()? { Ok(Some(secret(&key).with_context(|| key.display().to_string())?.public())) } else { Ok(None) }
}

/// Reads a public key.
pub(crate) fn public_key(text: &str) -> anyhow::Result<[u8; 32]> {
    bytes(text).context("a public key has 64 hexadecimal digits")
}

/// The heads in a file of checkpoints, each of which has been looked at: signed by `public`, and in its place.
pub(crate) fn read(file: &Path, public: &[u8; 32]) -> anyhow::Result<Vec<Head>> {
    let mut heads = Vec::new();
    let mut before: Option<(u64, String)> = None;
    for (at, line) in lines(&mut File::open(file)?)?.iter().enumerate() {
        let place = || format!("line {}", at + 1);
        let (signature, body) = line.split_once(' ').with_context(place)?;
        let signature: [u8; 64] = bytes(signature).with_context(place)?;
        ensure!(is_sealed(public, body.as_bytes(), &signature), "line {} was not signed by this key", at + 1);
        let checkpoint = parsed(line).with_context(place)?;
        // A file may begin anywhere: older ones are put away.
        if let Some((number, hash)) = &before
            && (checkpoint.number != number + 1 || checkpoint.before != *hash)
        {
            bail!("line {} does not follow the one before it: checkpoint {} comes after {number}", at + 1, checkpoint.number);
        }
        for (chain, seq, hash) in checkpoint.heads {
            heads.push(Head { chain, seq, hash: bytes(&hash).with_context(place)? });
        }
        before = Some((checkpoint.number, hex(&auth::hash_token(line))));
    }
    Ok(heads)
}

fn lines(file: &mut File) -> anyhow::Result<Vec<String>> {
    let mut text = String::new();
    if file.take(FILE_MAX_BYTES + 1).read_to_string(&mut text)? as u64 > FILE_MAX_BYTES {
        bail!("it may have {FILE_MAX_BYTES} bytes at most");
    }
    Ok(text.lines().map(str::to_owned).collect())
}

fn parsed(line: &str) -> anyhow::Result<Checkpoint> {
    let (_, body) = line.split_once(' ').context("a checkpoint has a signature, a space and a text")?;
    serde_json::from_str(body).context("a checkpoint that cannot be read")
}

/// Reads a secret, or makes one that only this program's user may read.
fn secret(file: &Path) -> anyhow::Result<Seal> {
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
            Ok(seal)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let text = std::fs::read_to_string(file)?;
            Ok(Seal::of(&bytes(text.trim()).context("it must hold 64 hexadecimal digits")?))
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
        let keeper = Keeper { seal: secret(&key).expect("made"), file: file.clone() };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&key).expect("a file").permissions().mode() & 0o777, 0o600);
        }
        let head = |seq| Head { chain: 7, seq, hash: [seq as u8; 32] };
        for seq in 1..=3 {
            keeper.append(&[head(seq), Head { chain: 0, ..head(9) }]).expect("added");
        }
        let public = secret(&key).expect("read again").public();
        assert_eq!(read(&file, &public).expect("good").len(), 6);
        let good = std::fs::read_to_string(&file).expect("a file");
        let lines: Vec<&str> = good.lines().collect();
        let other = Keeper { seal: Seal::new().0, file: folder.join("other") };
        let foreign = other.append(&[head(4)]).expect("added");
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
        assert_eq!(read(&file, &public).expect("the older ones were put away").len(), 2);
        std::fs::write(&key, "not a key").expect("written");
        assert!(secret(&key).is_err());
        std::fs::remove_dir_all(&folder).expect("gone");
    }
}
