//! Chooses the operating system user for PostgreSQL, which refuses to run as root, and a folder that this user can
//! access.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use tokio::process::Command;

use crate::console::say;
use crate::settings::Settings;

/// A user of the operating system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    /// Its name.
    pub name: String,
    /// Its number.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
}

/// The folder of the embedded database and the user that runs it.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    /// The folder for programs and data.
    pub home: PathBuf,
    /// `None`: the user of this process.
    pub user: Option<User>,
}

impl Account {
    /// Returns a command that runs as this user, in a folder that the user can access.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.home).stdin(Stdio::null());
        #[cfg(unix)]
        if let Some(user) = &self.user {
            // The standard library drops root's supplementary groups along with the user id.
            command.uid(user.uid).gid(user.gid);
        }
        command
    }

    /// Gives a file or folder to this user.
    pub(crate) fn own(&self, path: &Path) -> anyhow::Result<()> {
        #[cfg(unix)]
        if let Some(user) = &self.user {
            std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid))
                .with_context(|| format!("handing {} to {}", path.display(), user.name))?;
        }
        Ok(())
    }
}

/// Chooses the account. An ordinary user runs PostgreSQL under the own account. For root, another user is chosen, with a separate folder if that user cannot
/// access the state folder.
#[cfg(unix)]
pub(crate) async fn choose(settings: &Settings) -> anyhow::Result<Account> {
    use std::os::unix::fs::MetadataExt;

    let state = std::path::absolute(&settings.state.dir)?;
    std::fs::create_dir_all(&state)?;
    if our_uid(&state)? != 0 {
        return Ok(Account { home: state, user: None });
    }
    let users = std::fs::read_to_string("/etc/passwd").context("/etc/passwd")?;
    let user = pick(&users, &settings.embedded.user, std::fs::metadata(&state)?.uid())?;
    let mut account = Account { home: PathBuf::from("/"), user: Some(user) };
    let mut candidates = vec![state.clone()];
    // One folder for each state folder, so that two installations do not conflict.
    candidates.push(Path::new("/var/lib/switchyard").join(state.to_string_lossy().trim_matches('/').replace('/', "-")));
    for home in candidates {
        std::fs::create_dir_all(&home).with_context(|| home.display().to_string())?;
        let reached = account.command(Path::new("test")).arg("-x").arg(&home).stderr(Stdio::null()).status().await;
        if reached.is_ok_and(|status| status.success()) {
            if home != state {
                say(&format!(
                    "  PostgreSQL cannot run as root and its user cannot enter {}: its data is in {}",
                    state.display(),
                    home.display()
                ));
            }
            account.home = home;
            return Ok(account);
        }
    }
    bail!(
        "PostgreSQL cannot run as root, and no other user can enter {}: start as an ordinary user, or name a database by DATABASE_URL",
        state.display()
    )
}

/// Returns the uid of this process. It is read from a file that the process creates, because the standard library has no function for it.
#[cfg(unix)]
fn our_uid(folder: &Path) -> anyhow::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    let probe = folder.join(format!(".owner-{}", std::process::id()));
    std::fs::write(&probe, []).with_context(|| format!("cannot write in {}", folder.display()))?;
    let uid = std::fs::metadata(&probe)?.uid();
    std::fs::remove_file(probe)?;
    Ok(uid)
}

/// On other systems than Unix, always chooses the own account, because there is no root.
#[cfg(not(unix))]
pub(crate) async fn choose(settings: &Settings) -> anyhow::Result<Account> {
    let home = std::path::absolute(&settings.state.dir)?;
    std::fs::create_dir_all(&home)?;
    Ok(Account { home, user: None })
}

/// Returns the user in the settings. Otherwise, returns the first of the owner of the folder, `postgres` and `nobody` that exists and is not root. The user
/// must have a name, because initdb requires one.
fn pick(passwd: &str, configured: &str, owner: u32) -> anyhow::Result<User> {
    let users: Vec<User> = passwd
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(':');
            let (name, uid, gid) = (fields.next()?, fields.nth(1)?, fields.next()?);
            Some(User { name: name.to_owned(), uid: uid.parse().ok()?, gid: gid.parse().ok()? })
        })
        .filter(|user| user.uid != 0)
        .collect();
    let named = |name: &str| users.iter().find(|user| user.name == name).cloned();
    if !configured.is_empty() {
        return named(configured).with_context(|| format!("embedded.user {configured:?} is no ordinary user of this machine"));
    }
    let found = users.iter().find(|user| user.uid == owner).cloned();
    found
        .or_else(|| named("postgres"))
        .or_else(|| named("nobody"))
        .context("PostgreSQL cannot run as root and there is no other user: create one and name it by SWITCHYARD__EMBEDDED__USER")
}

#[cfg(test)]
mod tests {
    use super::pick;

    const PASSWD: &str = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nann:x:1000:1000::/home/ann:/bin/sh\n";

    #[test]
    fn never_root_and_the_owner_before_nobody() {
        let with_postgres = format!("{PASSWD}postgres:x:70:70::/:/bin/false\n");
        let cases = [
            (PASSWD, "", 1000, Some("ann")),
            (PASSWD, "", 0, Some("nobody")),
            (with_postgres.as_str(), "", 0, Some("postgres")),
            (with_postgres.as_str(), "", 4242, Some("postgres")),
            (PASSWD, "ann", 0, Some("ann")),
            (PASSWD, "root", 1000, None),
            ("root:x:0:0::/root:/bin/sh\n", "", 0, None),
        ];
        for (passwd, configured, owner, expected) in cases {
            assert_eq!(pick(passwd, configured, owner).ok().map(|user| user.name).as_deref(), expected, "{configured:?} {owner}");
        }
    }
}
