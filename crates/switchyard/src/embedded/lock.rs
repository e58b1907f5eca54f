//! Prevents two processes from using one state folder at the same time, because the second process would stop the
//! database of the first one.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

/// Held while the process runs; the operating system releases it even after kill -9.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the folder, creating it if necessary.
    pub(crate) fn take(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}: choose another folder by SWITCHYARD__STATE__DIR", folder.display()))?;
        let path = folder.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("cannot write {}: choose another folder by SWITCHYARD__STATE__DIR", path.display()))?;
        if file.try_lock().is_err() {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            bail!(
                "{} is in use by another switchyard (process {}): stop it, or choose another folder by SWITCHYARD__STATE__DIR",
                folder.display(),
                holder.trim()
            );
        }
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn a_folder_has_one_holder_and_the_second_learns_who() {
        let folder = std::env::temp_dir().join(format!("switchyard-lock-{}", std::process::id()));
        let first = Lock::take(&folder).expect("free");
        let refusal = Lock::take(&folder).expect_err("taken").to_string();
        assert!(refusal.contains(&std::process::id().to_string()), "{refusal}");
        drop(first);
        Lock::take(&folder).expect("free again");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
