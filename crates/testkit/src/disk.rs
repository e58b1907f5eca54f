//! Small disks that can be filled.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk of its own for a folder, in memory. Gone with the value.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Puts a disk of so many MiB into the place of a folder. Refused, in words, where one may not mount.
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

    /// Whether this machine lets us.
    pub fn is_possible() -> bool {
        let folder = std::env::temp_dir().join(crate::unique("disk"));
        let mounted = Self::mount(&folder, 1).is_ok();
        let _ = fs::remove_dir(&folder);
        mounted
    }

    /// Fills it to the last byte, or gives back what that took.
    pub fn fill(&mut self, full: bool) -> std::io::Result<()> {
        let ballast = self.folder.join("ballast");
        if !full {
            return fs::remove_file(ballast);
        }
        let mut file = fs::File::options().create(true).append(true).open(ballast)?;
        for size in [1024 * 1024, 4096] {
            let block = vec![0; size];
            // The error that ends it is what it is done for.
            while file.write_all(&block).is_ok() {}
        }
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: somebody may still stand in it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}
