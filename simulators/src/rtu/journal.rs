//! The journal of commands that this RTU has started. An entry is written to disk before the RTU acts, so that no command is executed again after a
//! restart.
//!
//! A text file with one line per entry, flushed after each line. Entries older than [`KEEP_MS`] are removed when the file is opened and when it has grown. They
//! are not needed, because no command is valid for so long.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use grid::control::CommandId;

/// Shortest time for which an entry is kept, ms.
pub const KEEP_MS: u64 = 3_600_000;
/// Number of lines at which the file is rewritten without old entries.
const LINES: usize = 20_000;

/// The progress of a command in this RTU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Started since the last restart of the RTU.
    Begun,
    /// Started before a restart of the RTU: it is not known whether it was executed.
    Unfinished,
    /// Ended.
    Finished,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Time of the start, epoch ms.
    pub at: u64,
    /// Device and asset of the switch.
    pub switch: (String, String),
    /// Its progress.
    pub progress: Progress,
}

/// The journal of one RTU.
#[derive(Debug)]
pub struct Journal {
    path: Option<PathBuf>,
    file: Option<File>,
    lines: usize,
    entries: BTreeMap<CommandId, Entry>,
}

impl Journal {
    /// Opens the file, or creates it. Without a path the journal is only in memory.
    pub fn open(path: Option<&Path>, now_ms: u64) -> io::Result<Self> {
        let mut journal = Self { path: path.map(Path::to_owned), file: None, lines: 0, entries: BTreeMap::new() };
        let Some(path) = path else { return Ok(journal) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        match std::fs::read(path) {
            Ok(bytes) => journal.entries = read(&String::from_utf8_lossy(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        journal.boot();
        journal.rewrite(now_ms)?;
        Ok(journal)
    }

    /// Marks commands that were started before a restart of the RTU as unfinished.
    pub fn boot(&mut self) {
        for entry in self.entries.values_mut().filter(|entry| entry.progress == Progress::Begun) {
            entry.progress = Progress::Unfinished;
        }
    }

    /// Returns the entry of a command.
    pub fn get(&self, id: CommandId) -> Option<&Entry> {
        self.entries.get(&id)
    }

    /// Adds a command. On return it is on disk; on failure the command must not be executed.
    pub fn begin(&mut self, id: CommandId, device: &str, asset: &str, now_ms: u64) -> io::Result<()> {
        self.append(&format!("begun {id} {now_ms} {device}\t{asset}\n"))?;
        let entry = Entry { at: now_ms, switch: (device.to_owned(), asset.to_owned()), progress: Progress::Begun };
        self.entries.insert(id, entry);
        if self.lines > LINES {
            self.rewrite(now_ms)?;
        }
        Ok(())
    }

    /// Marks a command as ended. If this entry is lost in a crash, the command is reported as unknown.
    pub fn finish(&mut self, id: CommandId) -> io::Result<()> {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.progress = Progress::Finished;
            self.append(&format!("over {id}\n"))?;
        }
        Ok(())
    }

    /// Returns the commands whose outcome is not known.
    pub fn unfinished(&self) -> Vec<(CommandId, (String, String))> {
        let open = self.entries.iter().filter(|(_, entry)| entry.progress == Progress::Unfinished);
        open.map(|(id, entry)| (*id, entry.switch.clone())).collect()
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(line.as_bytes())?;
            file.sync_data()?;
        }
        self.lines += 1;
        Ok(())
    }

    /// Writes the file without old entries, and replaces the previous file atomically.
    fn rewrite(&mut self, now_ms: u64) -> io::Result<()> {
        self.entries.retain(|_, entry| entry.progress != Progress::Finished || now_ms.saturating_sub(entry.at) < KEEP_MS);
        self.lines = self.entries.len();
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = String::new();
        for (id, Entry { at, switch: (device, asset), progress }) in &self.entries {
            text.extend(["begun ", &id.to_string(), " ", &at.to_string(), " ", device, "\t", asset, "\n"]);
            if *progress == Progress::Finished {
                text.extend(["over ", &id.to_string(), "\n"]);
            }
        }
        let fresh = path.with_extension("new");
        let mut file = File::create(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        self.file = Some(OpenOptions::new().append(true).open(path)?);
        Ok(())
    }
}

/// Reads the lines. An incomplete line was cut off by a crash; its command was never executed, so it is ignored.
fn read(text: &str) -> BTreeMap<CommandId, Entry> {
    let mut entries = BTreeMap::new();
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        let mut words = line.splitn(4, ' ');
        let (what, id) = (words.next(), words.next().and_then(|id| id.parse::<CommandId>().ok()));
        match (what, id) {
            (Some("begun"), Some(id)) => {
                let at = words.next().and_then(|at| at.parse().ok());
                let switch = words.next().and_then(|switch| switch.split_once('\t'));
                if let (Some(at), Some((device, asset))) = (at, switch) {
                    entries.insert(id, Entry { at, switch: (device.to_owned(), asset.to_owned()), progress: Progress::Begun });
                }
            }
            (Some("over"), Some(id)) => {
                if let Some(entry) = entries.get_mut(&id) {
                    entry.progress = Progress::Finished;
                }
            }
            _ => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            Self(std::env::temp_dir().join(format!("switchyard-journal-{:x}", rand::random::<u64>())))
        }

        fn file(&self) -> PathBuf {
            self.0.join("rtu.journal")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_begun_and_not_finished_is_unknown_after_a_restart_and_stays_known() {
        let folder = Folder::new();
        let mut journal = Journal::open(Some(&folder.file()), 1_000).unwrap();
        journal.begin(CommandId(1), "F1", "F1CB", 1_000).unwrap();
        journal.finish(CommandId(1)).unwrap();
        journal.begin(CommandId(2), "F2", "F2CB", 1_001).unwrap();
        // No shutdown: only what was flushed remains.
        std::mem::forget(journal);
        for _ in 0..2 {
            let journal = Journal::open(Some(&folder.file()), 2_000).unwrap();
            assert_eq!(journal.get(CommandId(1)).map(|entry| entry.progress), Some(Progress::Finished));
            assert_eq!(journal.unfinished(), [(CommandId(2), ("F2".to_owned(), "F2CB".to_owned()))]);
            assert_eq!(journal.get(CommandId(3)), None);
        }
    }

    #[test]
    fn a_torn_line_counts_for_nothing_and_spoils_no_other() {
        let folder = Folder::new();
        let mut journal = Journal::open(Some(&folder.file()), 1_000).unwrap();
        journal.begin(CommandId(1), "F1", "F1CB", 1_000).unwrap();
        let mut bytes = std::fs::read(folder.file()).unwrap();
        bytes.extend(format!("begun {} 10", CommandId(2)).bytes());
        std::fs::write(folder.file(), bytes).unwrap();
        let mut journal = Journal::open(Some(&folder.file()), 1_000).unwrap();
        assert_eq!((journal.unfinished().len(), journal.get(CommandId(2))), (1, None));
        journal.begin(CommandId(3), "F3", "F3CB", 1_000).unwrap();
        let journal = Journal::open(Some(&folder.file()), 1_000).unwrap();
        assert_eq!(journal.unfinished().len(), 2);
    }

    #[test]
    fn old_entries_go_but_never_one_whose_outcome_is_unknown() {
        let folder = Folder::new();
        let mut journal = Journal::open(Some(&folder.file()), 0).unwrap();
        for id in [1, 2] {
            journal.begin(CommandId(id), "F1", "F1CB", 0).unwrap();
        }
        journal.finish(CommandId(1)).unwrap();
        assert_eq!(Journal::open(Some(&folder.file()), KEEP_MS - 1).unwrap().entries.len(), 2);
        let journal = Journal::open(Some(&folder.file()), KEEP_MS).unwrap();
        assert_eq!(journal.entries.keys().copied().collect::<Vec<_>>(), [CommandId(2)]);
    }

    #[test]
    fn a_disk_that_refuses_refuses_the_command() {
        let folder = Folder::new();
        let mut journal = Journal::open(Some(&folder.file()), 0).unwrap();
        // Opened for reading only: every write fails.
        journal.file = Some(File::open(folder.file()).unwrap());
        assert!(journal.begin(CommandId(1), "F1", "F1CB", 0).is_err());
        assert_eq!(journal.get(CommandId(1)), None);
    }
}
