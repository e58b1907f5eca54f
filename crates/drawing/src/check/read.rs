//! Reads a drawing file into its elements, with bays expanded.

use std::collections::{BTreeMap, HashMap};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{nesting, wired};
use crate::fault::{self, FAULTS_MAX, Fault, shown};
use crate::schema::{CLASSES, ELEMENTS_MAX, Element, File, Name, Size, Template};
use crate::template::Library;

/// Largest size of a file in bytes: 20,000 elements of 800 bytes.
pub const BYTES_MAX: usize = 16 * 1024 * 1024;

/// The fields that are checked before the rest is read.
#[derive(Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
    version: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet<'a> {
    #[serde(rename = "$schema", default)]
    _schema: Option<String>,
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    name: Name,
    size: Size,
    #[serde(borrow)]
    elements: Elements<'a>,
    #[serde(default, borrow)]
    templates: BTreeMap<String, &'a RawValue>,
    #[serde(default, rename = "points")]
    _points: serde::de::IgnoredAny,
}

/// The texts of the elements; reading stops after the permitted number.
struct Elements<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bounded;

        impl<'de> Visitor<'de> for Bounded {
            type Value = Elements<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("an array of elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element()? {
                    if elements.len() == ELEMENTS_MAX {
                        return Err(serde::de::Error::custom(format!("a drawing may have {ELEMENTS_MAX} elements")));
                    }
                    elements.push(element);
                }
                Ok(Elements(elements))
            }
        }

        deserializer.deserialize_seq(Bounded)
    }
}

/// Reads a file. Up to [`FAULTS_MAX`] faults are returned at once, so that a user can correct them together.
pub fn read(bytes: &[u8]) -> Result<File, Vec<Fault>> {
    let text = fault::text(bytes, BYTES_MAX).map_err(|fault| vec![fault])?;
    nesting::check(text).map_err(|fault| vec![fault])?;
    let whole = |error: &serde_json::Error| vec![place(text, 0, error)];
    let head: Head = serde_json::from_str(text).map_err(|error| whole(&error))?;
    understood(&head).map_err(|what| vec![Fault::whole(what)])?;
    let sheet: Sheet = serde_json::from_str(text).map_err(|error| whole(&error))?;
    let mut reading = Reading { text, faults: Vec::new(), seen: HashMap::new(), elements: Vec::new(), begins: Vec::new(), full: false };
    let library = reading.library(&sheet.templates);
    for raw in &sheet.elements.0 {
        if reading.full || reading.faults.len() >= FAULTS_MAX {
            break;
        }
        reading.element(raw, &library);
    }
    if reading.faults.is_empty() {
        reading.wire();
    }
    if !reading.faults.is_empty() {
        return Err(reading.faults);
    }
    let mut file = File::new(sheet.name, reading.elements);
    file.size = sheet.size;
    Ok(file)
}

fn understood(head: &Head) -> Result<(), String> {
    let or_nothing =
        |value: &Option<serde_json::Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), |value| shown(&value.to_string()));
    if head.format.as_ref().and_then(serde_json::Value::as_str) != Some(wire::sld::FORMAT) {
        return Err(format!("format is {}, and \"{}\" is understood", or_nothing(&head.format), wire::sld::FORMAT));
    }
    if head.version.as_ref().and_then(serde_json::Value::as_u64) != Some(u64::from(wire::sld::VERSION)) {
        return Err(format!("version is {}, and version {} is understood", or_nothing(&head.version), wire::sld::VERSION));
    }
    Ok(())
}

/// Returns the fault for a parse error in the part of a text that starts at byte `begin`.
pub(crate) fn place(text: &str, begin: usize, error: &serde_json::Error) -> Fault {
    let part = &text[begin..];
    let before: usize = part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let line = part[before..].split('\n').next().unwrap_or_default();
    // The column of serde counts bytes and includes the one it stopped at.
    let byte = begin + before + error.column().saturating_sub(1).min(line.len());
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    // Error messages can contain text of the file; control characters are escaped so that they cannot affect a
    // terminal.
    let clean: String = what
        .chars()
        .flat_map(|letter| if letter.is_control() { letter.escape_debug().collect::<Vec<_>>() } else { vec![letter] })
        .take(400)
        .collect();
    Fault::at(text, byte, clean)
}

struct Reading<'a> {
    text: &'a str,
    faults: Vec<Fault>,
    /// The first byte of each id.
    seen: HashMap<String, usize>,
    elements: Vec<Element>,
    /// The first byte of each element.
    begins: Vec<usize>,
    /// The limit of elements is reached: this is reported once, and the rest is not stored.
    full: bool,
}

impl<'a> Reading<'a> {
    /// Returns the byte at which a part of the text starts.
    fn begin(&self, part: &'a RawValue) -> usize {
        part.get().as_ptr() as usize - self.text.as_ptr() as usize
    }

    fn library(&mut self, templates: &BTreeMap<String, &'a RawValue>) -> Library {
        let mut library = Library::builtin();
        for (name, raw) in templates {
            let begin = self.begin(raw);
            match serde_json::from_str::<Template>(raw.get()) {
                Ok(template) => {
                    if let Err(what) = library.add(name, template) {
                        self.faults.push(Fault::at(self.text, begin, what));
                    }
                }
                Err(error) => self.faults.push(place(self.text, begin, &error)),
            }
            if self.faults.len() >= FAULTS_MAX {
                break;
            }
        }
        library
    }

    fn element(&mut self, raw: &'a RawValue, library: &Library) {
        #[derive(Deserialize)]
        struct Class {
            class: String,
        }

        let begin = self.begin(raw);
        let class = match serde_json::from_str::<Class>(raw.get()) {
            Ok(Class { class }) => class,
            Err(error) => return self.faults.push(place(self.text, begin, &error)),
        };
        match Element::read(&class, raw.get()) {
            None => self.faults.push(Fault::at(
                self.text,
                begin,
                format!("there is no class {}; there are {}", shown(&class), CLASSES.join(", ")),
            )),
            Some(Err(error)) => self.faults.push(place(self.text, begin, &error)),
            Some(Ok(Element::Bay(bay))) => match library.expand(&bay) {
                Ok(elements) => elements.into_iter().for_each(|element| self.keep(element, begin)),
                Err(what) => self.faults.push(Fault::at(self.text, begin, format!("bay {}: {what}", shown(bay.id.as_str())))),
            },
            Some(Ok(element)) => self.keep(element, begin),
        }
    }

    fn keep(&mut self, element: Element, begin: usize) {
        if self.full || self.faults.len() >= FAULTS_MAX {
            return;
        }
        if self.elements.len() == ELEMENTS_MAX {
            self.faults.push(Fault::at(
                self.text,
                begin,
                format!("a drawing may have {ELEMENTS_MAX} elements, and with its bays it has more"),
            ));
            self.full = true;
            return;
        }
        if let Element::Busbar(bar) = &element
            && (bar.x1, bar.y1) == (bar.x2, bar.y2)
        {
            self.faults.push(Fault::at(self.text, begin, format!("busbar {} has no length", shown(bar.id.as_str()))));
        }
        let id = element.id().as_str();
        if let Some(first) = self.seen.get(id) {
            let line = Fault::at(self.text, *first, "").line;
            self.faults.push(Fault::at(self.text, begin, format!("an element on line {line} has the id {} already", shown(id))));
            return;
        }
        self.seen.insert(id.to_owned(), begin);
        self.elements.push(element);
        self.begins.push(begin);
    }

    /// Refuses a drawing whose wiring is not valid.
    fn wire(&mut self) {
        match wired::shorted(&self.elements) {
            Err(what) => self.faults.push(Fault::whole(what)),
            Ok(shorted) => {
                for element in shorted.into_iter().take(FAULTS_MAX) {
                    let id = shown(self.elements[element].id().as_str());
                    let what = format!("{id} stands with both ends on one node: cut the busbar or line at it, else it parts nothing");
                    self.faults.push(Fault::at(self.text, self.begins[element], what));
                }
            }
        }
    }
}
