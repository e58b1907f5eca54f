//! Runs the other programs. If one is missing, its test reports that and ends; in continuous integration it fails,
//! because `scripts/services install` must provide it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A folder of the test, deleted with it.
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file into the folder.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is missing: `scripts/services install` provides it");
    eprintln!("SKIPPED: {what} is missing here; `scripts/services install` provides it");
}

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns the sheets of each workbook as openpyxl or xlrd reads them.
pub(crate) fn sheets(files: &[&Path]) -> Option<Vec<Vec<Sheet>>> {
    let readers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers");
    let python = readers.join(".venv/bin/python");
    if !python.exists() {
        missing("Python with openpyxl and xlrd");
        return None;
    }
    let text = run(Command::new(python).arg(readers.join("read.py")).args(files));
    let read: Value = serde_json::from_str(&text).unwrap();
    let sheet = |sheet: &Value| Sheet {
        name: sheet["name"].as_str().unwrap().into(),
        rows: sheet["rows"].as_array().unwrap().iter().map(|row| row.as_array().unwrap().clone()).collect(),
    };
    Some(read.as_array().unwrap().iter().map(|file| file.as_array().unwrap().iter().map(sheet).collect()).collect())
}

/// A sheet of a workbook.
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// Returns the first sheet of a workbook as LibreOffice displays it, as rows of text.
pub(crate) fn shown_by_libreoffice(folder: &Folder, file: &Path) -> Option<Vec<Vec<String>>> {
    let Some(office) = on_path("soffice") else {
        missing("LibreOffice Calc");
        return None;
    };
    let (profile, out) = (folder.0.path().join("profile"), folder.0.path().join("shown"));
    // Comma, double quotes, UTF-8, from line 1, as displayed.
    run(Command::new(office)
        .arg(format!("-env:UserInstallation=file://{}", profile.display()))
        .args(["--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true", "--outdir"])
        .args([&out, &file.to_path_buf()]));
    let text = std::fs::read(out.join(file.with_extension("csv").file_name().unwrap())).unwrap();
    Some(rows(&text))
}

/// Returns CSV as the `csv` crate reads it.
pub(crate) fn rows(text: &[u8]) -> Vec<Vec<String>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    reader.into_records().map(|row| row.unwrap().iter().map(String::from).collect()).collect()
}

/// Returns the text of a PDF in the layout of the page.
pub(crate) fn text_of_pdf(file: &Path) -> Option<String> {
    let Some(program) = on_path("pdftotext") else {
        missing("pdftotext");
        return None;
    };
    // It reports faults of a file on its error output and continues.
    let done = Command::new(program).args(["-layout", "-enc", "UTF-8"]).arg(file).arg("-").output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).unwrap())
}

/// Returns the first page of a PDF as grey values, row by row, 100 pixels per inch.
pub(crate) fn picture(folder: &Folder, file: &Path) -> Option<Vec<Vec<u8>>> {
    let Some(program) = on_path("pdftoppm") else {
        missing("pdftoppm");
        return None;
    };
    let out = folder.0.path().join("page");
    run(Command::new(program).args(["-r", "100", "-gray", "-singlefile"]).arg(file).arg(&out));
    // P5, width and height, the lightest grey, and the grey values.
    let bytes = std::fs::read(out.with_extension("pgm")).unwrap();
    let mut fields = bytes.splitn(4, u8::is_ascii_whitespace);
    assert_eq!(fields.next(), Some(&b"P5"[..]));
    let mut number = || -> usize { std::str::from_utf8(fields.next().unwrap()).unwrap().parse().unwrap() };
    let (width, height) = (number(), number());
    let greys = &bytes[bytes.len() - width * height..];
    Some(greys.chunks(width).map(<[u8]>::to_vec).collect())
}
