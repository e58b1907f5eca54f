//! Small disks that a test can fill.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk in memory, mounted at a folder until the value is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of the given size, MiB, at a folder. The error says why the test may not mount.
    pub fn mount(folder: &Path, mib: u32) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={mib}m,mode=0777"), "tmpfs"]).arg(folder);
        let done = command.output().map_err(|error| error.to_string())?;
        if done.status.success() {
            Ok(Self { folder: folder.to_owned() })
        } else {
            Err(format!("a disk for a test cannot be mounted: {}", String::from_utf8_lossy(&done.stderr).trim()))
        }
    }

    /// Returns whether tests can mount disks on this machine.
    pub fn is_possible() -> bool {
        let folder = std::env::temp_dir().join(crate::unique("disk"));
        let mounted = Self::mount(&folder, 1).is_ok();
        let _ = fs::remove_dir(&folder);
        mounted
    }

    /// Fills the disk to the last byte, or deletes what filled it.
    pub fn fill(&mut self, full: bool) -> std::io::Result<()> {
        let ballast = self.folder.join("ballast");
        if !full {
            return fs::remove_file(ballast);
        }
        let mut file = fs::File::options().create(true).append(true).open(ballast)?;
        for size in [1024 * 1024, 4096] {
            let block = vec![0; size];
            // The error of a full disk ends the loop.
            while file.write_all(&block).is_ok() {}
        }
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, because a process may still use the folder.
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}
