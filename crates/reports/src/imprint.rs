//! The imprint of a file: the utility that it is about, and the user who creates it.

use std::path::{Component, Path, PathBuf};

use identity::{Area, View};
use sheet::{LOGO_BYTES_MAX, Logo};

use crate::Reports;
use crate::error::Error;
use crate::valid_request::name_of;

/// The imprint of a file.
#[derive(Debug, Clone)]
pub struct Imprint {
    /// Name of the utility.
    pub utility: String,
    /// Logo of the utility, if it is a PNG or JPEG file of this site.
    pub logo: Option<Logo>,
    /// Name of the user who creates the file.
    pub made_by: String,
}

impl Imprint {
    /// Returns the imprint of a file for a user.
    pub async fn of(reports: &Reports, view: &View) -> Result<Self, Error> {
        let principal = &view.principal;
        // A super user can work in another utility. The demo user owns no reports.
        let maker = match reports.records().report_owner(principal.client, principal.member).await? {
            None => reports.records().member(principal.client, principal.member).await?,
            found => found,
        };
        let made_by = maker.map_or_else(String::new, |maker| {
            let name = format!("{} {}", maker.first_name, maker.last_name);
            if name.trim().is_empty() { maker.username } else { name.trim().to_owned() }
        });
        let path = view.field.client().config.get("logo").and_then(|logo| logo.as_str()).unwrap_or_default().to_owned();
        let file = file_of(&reports.settings.site, &path);
        let logo = match file {
            Some(file) => tokio::task::spawn_blocking(move || read(&file)).await.map_err(|_| Error::Internal)?,
            None => None,
        };
        Ok(Self { utility: name_of(view, Area(None)), logo, made_by })
    }
}

/// Returns the file of a path on this site; `None` for a path that leads out of the folder of the site.
fn file_of(site: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path.strip_prefix('/')?);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_inside && path.extension().is_some()).then(|| site.join(path))
}

/// Reads a logo. A report is useful without it, so any problem is logged only.
fn read(file: &Path) -> Option<Logo> {
    let length = std::fs::metadata(file).ok()?.len();
    let bytes = (length <= LOGO_BYTES_MAX as u64).then(|| std::fs::read(file).ok()).flatten();
    let logo = bytes.and_then(Logo::parse);
    if logo.is_none() {
        tracing::debug!(file = %file.display(), "the logo is no PNG or JPEG file that reports can show");
    }
    logo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logo_is_a_file_of_the_site() {
        let of = |path| file_of(Path::new("/site"), path).map(|file| file.display().to_string());
        assert_eq!(of("/brand/logo.png").as_deref(), Some("/site/brand/logo.png"));
        for path in ["", "/", "logo.png", "//etc/logo.png", "/../secret.png", "/brand/../../secret.png", "/api/logo"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
