//! Parses a file of hierarchy and assets and reports the errors of each line.

use std::collections::HashMap;

use csv::{ByteRecord, ReaderBuilder};
use grid::Level;

use super::fault::{FAULTS_MAX, FILE_MAX_BYTES, Fault, ROWS_MAX};

/// `None` if the file has no such column.
pub(super) type Cell<T> = Option<T>;

/// The rows of a valid file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Document {
    pub(super) nodes: Vec<NodeRow>,
    pub(super) assets: Vec<AssetRow>,
}

/// A node, identified by level and code.
#[derive(Debug, PartialEq)]
pub(super) struct NodeRow {
    pub(super) line: u64,
    pub(super) level: Level,
    pub(super) code: String,
    pub(super) name: String,
    /// Code of the node above.
    pub(super) parent: Option<String>,
    pub(super) kv: Cell<Option<String>>,
    /// Latitude and longitude, degrees.
    pub(super) place: Cell<Option<(f64, f64)>>,
}

/// An asset, identified by substation and code.
#[derive(Debug, PartialEq)]
pub(super) struct AssetRow {
    pub(super) line: u64,
    pub(super) location: String,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) type_id: i32,
    pub(super) class_name: String,
    pub(super) device: Cell<String>,
    pub(super) kv: Cell<Option<f64>>,
    /// `None` if the cell is empty: the number is unknown.
    pub(super) customers: Cell<Option<i32>>,
    pub(super) control_asset_req: Cell<bool>,
    pub(super) is_sbo_supported: Cell<bool>,
    /// Code of the substation that a feeder supplies.
    pub(super) feeds: Cell<Option<String>>,
}

const REQUIRED: [&str; 4] = ["level", "code", "name", "parent"];
const OPTIONAL: [&str; 10] = ["kv", "lat", "lon", "type", "class", "device", "customers", "control", "sbo", "feeds"];
const ONLY_ASSETS: [&str; 7] = ["type", "class", "device", "customers", "control", "sbo", "feeds"];

/// Asset type of feeders (specification 2, section 9).
pub(super) const FEEDER: i32 = 1;
const CODE_MAX: usize = 64;
const NAME_MAX: usize = 200;
const CUSTOMERS_MAX: i32 = 10_000_000;

/// Name of a level in a file.
pub(super) fn word(level: Level) -> &'static str {
    match level {
        Level::Substation => "substation",
        other => other.as_str(),
    }
}

/// Parses a whole file. It finds all errors, up to a limit, so that a user need not import once for each error.
pub(super) fn document(csv: &[u8]) -> Result<Document, Vec<Fault>> {
    let about = |line, what: String| vec![Fault { line, column: String::new(), what }];
    if csv.len() as u64 > FILE_MAX_BYTES {
        return Err(about(1, format!("the file may have {} MiB", FILE_MAX_BYTES / 1024 / 1024)));
    }
    // Spreadsheets write a byte order mark before the first name.
    let csv = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(csv);
    let mut records = reader.byte_records();
    let header = match records.next() {
        Some(Ok(header)) => header,
        Some(Err(error)) => return Err(about(1, error.to_string())),
        None => return Err(about(1, format!("the file is empty; it begins with a line of column names: {}", REQUIRED.join(",")))),
    };
    let columns = columns(&header)?;
    let mut lines = Lines { columns, document: Document::default(), faults: Vec::new(), seen: HashMap::new() };
    for (number, record) in records.enumerate() {
        if number >= ROWS_MAX {
            lines.faults.push(Fault { line: 1, column: String::new(), what: format!("the file may have {ROWS_MAX} rows") });
        }
        match record {
            Ok(record) => lines.take(line_of(&record, csv), &record),
            Err(error) => lines.faults.push(Fault { line: 1, column: String::new(), what: error.to_string() }),
        }
        if lines.faults.len() >= FAULTS_MAX || number >= ROWS_MAX {
            break;
        }
    }
    if lines.faults.is_empty() { Ok(lines.document) } else { Err(lines.faults) }
}

/// Returns the number of the line on which a record starts. The position of the reader is before left-over line ends and empty lines.
pub(crate) fn line_of(record: &ByteRecord, csv: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let at = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let skipped = csv.get(at..).unwrap_or_default().iter().take_while(|byte| b"\r\n".contains(byte));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

/// Returns the index of each column.
fn columns(header: &ByteRecord) -> Result<HashMap<&'static str, usize>, Vec<Fault>> {
    let mut columns = HashMap::new();
    let mut faults = Vec::new();
    let mut fault = |column: &str, what: String| faults.push(Fault { line: 1, column: column.to_owned(), what });
    for (at, name) in header.iter().enumerate() {
        let name = String::from_utf8_lossy(name).to_lowercase();
        match REQUIRED.iter().chain(&OPTIONAL).find(|known| **known == name) {
            Some(known) if columns.insert(*known, at).is_some() => fault(known, "stands there twice".to_owned()),
            Some(_) => {}
            None => fault(
                &name.escape_debug().take(NAME_MAX).collect::<String>(),
                format!("is not known; allowed are {},{}, separated by commas", REQUIRED.join(","), OPTIONAL.join(",")),
            ),
        }
    }
    for missing in REQUIRED.iter().filter(|name| !columns.contains_key(*name)) {
        fault(missing, "is missing".to_owned());
    }
    if columns.contains_key("lat") != columns.contains_key("lon") {
        fault("lat", "lat and lon come together or not at all".to_owned());
    }
    if faults.is_empty() { Ok(columns) } else { Err(faults) }
}

struct Lines {
    columns: HashMap<&'static str, usize>,
    document: Document,
    faults: Vec<Fault>,
    /// The line on which each level, parent and code was first used. The parent matters only for assets.
    seen: HashMap<(String, String, String), u64>,
}

impl Lines {
    fn take(&mut self, line: u64, record: &ByteRecord) {
        let mut row = Row { line, columns: &self.columns, cells: Vec::new(), faults: &mut self.faults };
        if record.len() != row.columns.len() {
            row.fault("", format!("has {} columns, the first line has {}", record.len(), row.columns.len()));
            return;
        }
        for cell in record {
            let Ok(text) = std::str::from_utf8(cell) else {
                row.fault("", "is not UTF-8".to_owned());
                return;
            };
            row.cells.push(text);
        }
        let before = row.faults.len();
        let level = row.text("level").to_lowercase();
        let (node, asset) = if level == "asset" {
            (None, row.asset())
        } else if let Some(found) = Level::ALL.into_iter().find(|known| word(*known) == level) {
            (row.node(found), None)
        } else {
            let allowed = Level::ALL.map(word).join(", ");
            row.fault("level", format!("{} is none; allowed are {allowed} and asset", shown(&level)));
            (None, None)
        };
        if self.faults.len() > before {
            return;
        }
        let key = match (&node, &asset) {
            (Some(node), _) => (level, String::new(), node.code.clone()),
            (_, Some(asset)) => (level, asset.location.clone(), asset.code.clone()),
            (None, None) => return,
        };
        if let Some(first) = self.seen.get(&key) {
            let what = format!("{} {} is already on line {first}", key.0, shown(&key.2));
            self.faults.push(Fault { line, column: "code".to_owned(), what });
            return;
        }
        self.seen.insert(key, line);
        self.document.nodes.extend(node);
        self.document.assets.extend(asset);
    }
}

struct Row<'a> {
    line: u64,
    columns: &'a HashMap<&'static str, usize>,
    cells: Vec<&'a str>,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Row<'a> {
    fn fault(&mut self, column: &str, what: String) {
        self.faults.push(Fault { line: self.line, column: column.to_owned(), what });
    }

    /// Returns the text of a cell; empty if the file has no such column.
    fn text(&self, column: &'static str) -> &'a str {
        self.columns.get(column).and_then(|at| self.cells.get(*at)).copied().unwrap_or_default()
    }

    fn has(&self, column: &'static str) -> bool {
        self.columns.contains_key(column)
    }

    fn node(&mut self, level: Level) -> Option<NodeRow> {
        for column in ONLY_ASSETS {
            self.empty(column, "only an asset has one");
        }
        if level != Level::Substation {
            self.empty("kv", "only a substation or an asset has one");
        }
        let (code, name) = (self.code("code"), self.name());
        let parent = match level.parent() {
            None => {
                self.empty("parent", "a circle hangs under the utility: leave it empty");
                None
            }
            Some(_) => self.code("parent"),
        };
        let kv = self.short("kv", 40).map(|text| (!text.is_empty()).then_some(text));
        let place = self.place();
        Some(NodeRow { line: self.line, level, code: code?, name: name?, parent, kv, place })
    }

    fn asset(&mut self) -> Option<AssetRow> {
        self.empty("lat", "only a node has one");
        self.empty("lon", "only a node has one");
        let (code, name, location) = (self.code("code"), self.name(), self.code("parent"));
        let type_id = self.number("type", 1, 999, "a number from 1 to 999, such as 1, 2, 4, 5 or 11");
        if type_id.flatten().is_none() && self.text("type").is_empty() {
            self.fault("type", "is missing: a number from 1 to 999, such as 1, 2, 4, 5 or 11".to_owned());
        }
        let class_name = self.text("class").to_owned();
        if class_name.is_empty() || class_name.len() > 32 || !class_name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            self.fault("class", format!("{}: one word of up to 32 letters, digits and -, such as breaker", shown(&class_name)));
        }
        let device = self.short("device", CODE_MAX);
        let kv = self.decimal("kv", 0.0, 1_500.0, "a number of kV up to 1500");
        let customers = self.number("customers", 0, CUSTOMERS_MAX, "a whole number up to 10000000");
        let (control_asset_req, is_sbo_supported) = (self.flag("control"), self.flag("sbo"));
        let feeds = self.has("feeds").then(|| if self.text("feeds").is_empty() { None } else { self.code("feeds") });
        if feeds.as_ref().is_some_and(Option::is_some) && type_id.flatten().is_some_and(|type_id| type_id != FEEDER) {
            self.fault("feeds", format!("only a feeder (type {FEEDER}) leads to a substation"));
        }
        if feeds.as_ref().is_some_and(|to| to.is_some() && *to == location) {
            self.fault("feeds", "a feeder does not lead to its own substation".to_owned());
        }
        Some(AssetRow {
            line: self.line,
            location: location?,
            code: code?,
            name: name?,
            type_id: type_id.flatten()?,
            class_name,
            device,
            kv,
            customers,
            control_asset_req,
            is_sbo_supported,
            feeds,
        })
    }

    fn empty(&mut self, column: &'static str, why: &str) {
        let text = self.text(column);
        if !text.is_empty() {
            self.fault(column, format!("{}: {why}", shown(text)));
        }
    }

    /// Codes are part of metric names and topics, in which `/`, `+` and `#` have a meaning.
    fn code(&mut self, column: &'static str) -> Option<String> {
        let text = self.text(column);
        let allowed = text.chars().all(|letter| letter.is_alphanumeric() || " ._-".contains(letter));
        if text.is_empty() || text.chars().count() > CODE_MAX || !allowed {
            self.fault(column, format!("{}: 1 to {CODE_MAX} letters, digits, spaces and . _ -", shown(text)));
            return None;
        }
        Some(text.to_owned())
    }

    fn name(&mut self) -> Option<String> {
        let text = self.text("name");
        if text.is_empty() || text.chars().count() > NAME_MAX || text.chars().any(char::is_control) {
            self.fault("name", format!("{}: one line of 1 to {NAME_MAX} characters", shown(text)));
            return None;
        }
        Some(text.to_owned())
    }

    /// Reads an optional text.
    fn short(&mut self, column: &'static str, max: usize) -> Cell<String> {
        let text = self.text(column);
        if text.chars().count() > max || text.chars().any(char::is_control) {
            self.fault(column, format!("{}: one line of up to {max} characters", shown(text)));
        }
        self.has(column).then(|| text.to_owned())
    }

    fn number(&mut self, column: &'static str, min: i32, max: i32, allowed: &str) -> Cell<Option<i32>> {
        self.parsed(column, allowed, |text| text.parse().ok().filter(|number| (min..=max).contains(number)))
    }

    fn decimal(&mut self, column: &'static str, min: f64, max: f64, allowed: &str) -> Cell<Option<f64>> {
        self.parsed(column, allowed, |text| text.parse().ok().filter(|number| (min..=max).contains(number)))
    }

    fn flag(&mut self, column: &'static str) -> Cell<bool> {
        let word = |text: &str| match text.to_lowercase().as_str() {
            "yes" | "true" | "1" => Some(true),
            "no" | "false" | "0" => Some(false),
            _ => None,
        };
        self.parsed(column, "yes or no", word).map(Option::unwrap_or_default)
    }

    /// Parses a cell: `None` for an empty one; an invalid one is an error.
    fn parsed<T>(&mut self, column: &'static str, allowed: &str, parse: impl Fn(&str) -> Option<T>) -> Cell<Option<T>> {
        if !self.has(column) {
            return None;
        }
        let text = self.text(column);
        let value = parse(text);
        if value.is_none() && !text.is_empty() {
            self.fault(column, format!("{}: {allowed}", shown(text)));
        }
        Some(value)
    }

    fn place(&mut self) -> Cell<Option<(f64, f64)>> {
        let lat = self.decimal("lat", -90.0, 90.0, "degrees north, from -90 to 90")?;
        let lon = self.decimal("lon", -180.0, 180.0, "degrees east, from -180 to 180")?;
        if self.text("lat").is_empty() != self.text("lon").is_empty() {
            self.fault("lat", "lat and lon come together or not at all".to_owned());
        }
        Some(lat.zip(lon))
    }
}

/// Returns a text for use in a message: in quotes, shortened, without control characters.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &str = "level,code,name,parent,kv,lat,lon,type,class,device,customers,control,sbo\n";

    fn faults(rows: &str) -> Vec<String> {
        document(format!("{HEADER}{rows}").as_bytes()).map_or_else(|faults| faults.iter().map(Fault::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_good_file_is_read_in_any_order_and_case() {
        let text = "\u{feff}Level,CODE,name,parent\r\nasset,F1,Feeder 1,S1\r\nCircle,C1,\" North, upper \",\r\n";
        let refused = document(text.as_bytes()).unwrap_err();
        assert!(refused.iter().all(|fault| fault.line == 2), "an asset needs type and class: {refused:?}");
        let text = "parent,name,code,level,type,class\n,\" North, upper \",C1,CIRCLE,,\nS1,Feeder 1,F1,asset,1,feeder\n";
        let read = document(text.as_bytes()).unwrap();
        assert_eq!((read.nodes[0].line, read.nodes[0].name.as_str(), &read.nodes[0].kv), (2, "North, upper", &None));
        assert_eq!((read.assets[0].location.as_str(), read.assets[0].type_id, &read.assets[0].device), ("S1", 1, &None));
    }

    #[test]
    fn each_fault_names_line_column_and_what_is_allowed() {
        for (row, expected) in [
            (
                "region,R1,R,,,,,,,,,,",
                "line 2, column level: \"region\" is none; allowed are circle, division, town, subdivision, section, substation and asset",
            ),
            ("circle,,C,,,,,,,,,,", "line 2, column code: \"\": 1 to 64 letters, digits, spaces and . _ -"),
            ("circle,a/b,C,,,,,,,,,,", "line 2, column code: \"a/b\": 1 to 64 letters, digits, spaces and . _ -"),
            ("circle,C1,,,,,,,,,,,", "line 2, column name: \"\": one line of 1 to 200 characters"),
            ("circle,C1,C,X,,,,,,,,,", "line 2, column parent: \"X\": a circle hangs under the utility: leave it empty"),
            ("circle,C1,C,,33/11 kV,,,,,,,,", "line 2, column kv: \"33/11 kV\": only a substation or an asset has one"),
            ("circle,C1,C,,,91,0,,,,,,", "line 2, column lat: \"91\": degrees north, from -90 to 90"),
            ("circle,C1,C,,,1,,,,,,,", "line 2, column lat: lat and lon come together or not at all"),
            ("circle,C1,C,,,NaN,1,,,,,,", "line 2, column lat: \"NaN\": degrees north, from -90 to 90"),
            ("circle,C1,C,,,,,1,,,,,", "line 2, column type: \"1\": only an asset has one"),
            ("division,D1,D,,,,,,,,,,", "line 2, column parent: \"\": 1 to 64 letters, digits, spaces and . _ -"),
            ("asset,F1,F,S1,,,,,feeder,,,,", "line 2, column type: is missing: a number from 1 to 999, such as 1, 2, 4, 5 or 11"),
            ("asset,F1,F,S1,,,,x,feeder,,,,", "line 2, column type: \"x\": a number from 1 to 999, such as 1, 2, 4, 5 or 11"),
            ("asset,F1,F,S1,,,,1,<b>,,,,", "line 2, column class: \"<b>\": one word of up to 32 letters, digits and -, such as breaker"),
            ("asset,F1,F,S1,11 kV,,,1,feeder,,,,", "line 2, column kv: \"11 kV\": a number of kV up to 1500"),
            ("asset,F1,F,S1,,,,1,feeder,,-1,,", "line 2, column customers: \"-1\": a whole number up to 10000000"),
            ("asset,F1,F,S1,,,,1,feeder,,,maybe,", "line 2, column control: \"maybe\": yes or no"),
            ("circle,C1,C", "line 2: has 3 columns, the first line has 13"),
        ] {
            assert_eq!(faults(row), [expected], "{row}");
        }
        assert_eq!(faults("circle,C1,C,,,,,,,,,,\n\ncircle,C1,D,,,,,,,,,,"), ["line 4, column code: circle \"C1\" is already on line 2"]);
        assert_eq!(faults("circle,C1,\u{7}\u{1b}[2J,,,,,,,,,,").len(), 1);
    }

    #[test]
    fn a_bad_header_and_a_hostile_file_are_refused() {
        for text in ["", "level;code;name;parent\n", "level,code,name\n", "level,level,code,name,parent\n", "level,code,name,parent,lat\n"]
        {
            assert!(document(text.as_bytes()).is_err(), "{text:?}");
        }
        let mut raw = HEADER.as_bytes().to_vec();
        raw.extend(b"circle,C1,\xff\xfe,,,,,,,,,,\n");
        assert_eq!(document(&raw).unwrap_err()[0].to_string(), "line 2: is not UTF-8");
        let many = format!("{HEADER}{}", "x\n".repeat(ROWS_MAX + 5));
        assert_eq!(document(many.as_bytes()).unwrap_err().len(), FAULTS_MAX);
        assert!(document(&vec![b'a'; FILE_MAX_BYTES as usize + 1]).is_err());
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused_within_bounds(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), with_header in any::<bool>()) {
            let file = if with_header { [HEADER.as_bytes(), &bytes].concat() } else { bytes };
            if let Err(faults) = document(&file) {
                let lines = file.split(|byte| b"\r\n".contains(byte)).count() as u64;
                prop_assert!(!faults.is_empty() && faults.len() < 2 * FAULTS_MAX);
                prop_assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && !fault.what.chars().any(char::is_control)), "{faults:?}");
            }
        }

        #[test]
        fn what_is_nearly_right_is_told_on_its_own_line(cells in proptest::collection::vec("[a-z0-9 .,;\"+-]{0,6}", 13), skipped in 0_usize..4) {
            let row: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            let file = format!("{HEADER}{}{}\n", "\n".repeat(skipped), row.join(","));
            if let Err(faults) = document(file.as_bytes()) {
                prop_assert!(faults.iter().all(|fault| fault.line == 2 + skipped as u64), "{faults:?}");
            }
        }
    }
}
