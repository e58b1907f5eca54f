//! Bay templates: a bay is one element with the name of a template and parameters, and expands to the symbols of that template.
//!
//! In texts of a template `{name}` is replaced by a parameter. A text that consists only of `{name}` becomes the parameter itself, which can be a
//! number. Positions are relative to the bay. A template cannot contain bays, so there is no recursion.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::fault::shown;
use crate::schema::{Bay, Element, Parameter, Template};

/// Largest number of templates in a file.
pub const TEMPLATES_MAX: usize = 100;
/// Largest number of elements in a template.
pub const TEMPLATE_ELEMENTS_MAX: usize = 200;
/// Largest number of parameters of a template or a bay.
const PARAMETERS_MAX: usize = 40;
/// Largest number of characters of a parameter, and of a text of a template before and after the replacement of parameters.
const TEXT_MAX: usize = 500;

/// All templates that a file can use.
#[derive(Debug, Clone)]
pub struct Library {
    templates: BTreeMap<String, Template>,
    own: usize,
}

impl Library {
    /// Returns the built-in templates.
    pub fn builtin() -> Self {
        let templates = serde_json::from_str(include_str!("builtin.json")).expect("a test reads the built-in templates");
        Self { templates, own: 0 }
    }

    /// Returns the names of all templates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.keys().map(String::as_str)
    }

    /// Adds a template of a file.
    pub fn add(&mut self, name: &str, template: Template) -> Result<(), String> {
        if self.own == TEMPLATES_MAX {
            return Err(format!("a file may bring {TEMPLATES_MAX} templates"));
        }
        if self.templates.contains_key(name) {
            return Err(format!("there is a template {} already", shown(name)));
        }
        if name.is_empty() || name.len() > 64 {
            return Err(format!("{}: a template has a name of 1 to 64 bytes", shown(name)));
        }
        if template.elements.len() > TEMPLATE_ELEMENTS_MAX || template.parameters.len() > PARAMETERS_MAX {
            return Err(format!("template {} may have {TEMPLATE_ELEMENTS_MAX} elements and {PARAMETERS_MAX} parameters", shown(name)));
        }
        if template.elements.iter().any(|element| element.get("class").and_then(Value::as_str) == Some("bay")) {
            return Err(format!("template {} has a bay within; templates do not use templates", shown(name)));
        }
        self.own += 1;
        self.templates.insert(name.to_owned(), template);
        Ok(())
    }

    /// Expands a bay to its elements.
    pub fn expand(&self, bay: &Bay) -> Result<Vec<Element>, String> {
        let name = bay.template.as_str();
        let known = || self.names().collect::<Vec<_>>().join(", ");
        let template = self.templates.get(name).ok_or_else(|| format!("there is no template {}; there are {}", shown(name), known()))?;
        let values = values(template, bay)?;
        let element = |(index, element): (usize, &Map<String, Value>)| {
            let local = element.get("id").and_then(Value::as_str).map_or_else(|| (index + 1).to_string(), str::to_owned);
            one(element, &values, bay, &local).map_err(|what| format!("template {}, element {}: {what}", shown(name), shown(&local)))
        };
        template.elements.iter().enumerate().map(element).collect()
    }
}

/// Returns the value of each parameter.
fn values(template: &Template, bay: &Bay) -> Result<BTreeMap<String, Value>, String> {
    let none = BTreeMap::new();
    let given = bay.parameters.as_ref().unwrap_or(&none);
    if let Some(unknown) = given.keys().find(|name| !template.parameters.contains_key(*name)) {
        let known = template.parameters.keys().cloned().collect::<Vec<_>>().join(", ");
        return Err(format!("the template has no parameter {}; it has {known}", shown(unknown)));
    }
    let mut values = BTreeMap::new();
    for (name, value) in given {
        values.insert(name.clone(), json(value)?);
    }
    // Asset, name and voltage of the bay are the defaults of the parameters code, name and kv.
    let own = [
        ("code", bay.asset.as_ref().map(|code| code.as_str().into())),
        ("name", bay.name.as_ref().map(|name| name.as_str().into())),
        ("kv", bay.kv.map(|kv| kv.get().into())),
    ];
    for (name, value) in own {
        if let Some(value) = value.filter(|_| template.parameters.contains_key(name)) {
            values.entry(name.to_owned()).or_insert(value);
        }
    }
    for (name, default) in &template.parameters {
        if values.contains_key(name) {
            continue;
        }
        let Some(default) = default else { return Err(format!("parameter {} is missing", shown(name))) };
        let value = filled(&json(default)?, &values)?;
        values.insert(name.clone(), value);
    }
    Ok(values)
}

fn json(value: &Parameter) -> Result<Value, String> {
    match value {
        Parameter::Number(number) => Ok(serde_json::json!(number)),
        Parameter::Text(text) if text.chars().count() > TEXT_MAX => Err(format!("{} has more than {TEXT_MAX} characters", shown(text))),
        Parameter::Text(text) => Ok(Value::String(text.clone())),
    }
}

fn one(element: &Map<String, Value>, values: &BTreeMap<String, Value>, bay: &Bay, local: &str) -> Result<Element, String> {
    let Value::Object(mut object) = filled(&Value::Object(element.clone()), values)? else { return Err("is no object".to_owned()) };
    let (x, y) = (bay.x.get(), bay.y.get());
    for (key, by) in [("x", x), ("x1", x), ("x2", x), ("y", y), ("y1", y), ("y2", y)] {
        if let Some(number) = object.get(key).and_then(Value::as_f64) {
            object.insert(key.to_owned(), serde_json::json!(number + by));
        }
    }
    if let Some(Value::Array(corners)) = object.get_mut("path") {
        for corner in corners.iter_mut().filter_map(Value::as_array_mut) {
            for (number, by) in corner.iter_mut().zip([x, y]) {
                if let Some(old) = number.as_f64() {
                    *number = serde_json::json!(old + by);
                }
            }
        }
    }
    object.insert("id".to_owned(), Value::String(format!("{}/{local}", bay.id.as_str())));
    match serde_json::from_value(Value::Object(object)) {
        Ok(Element::Bay(_)) => Err("is a bay; templates do not use templates".to_owned()),
        Ok(element) => Ok(element),
        Err(error) => Err(error.to_string().chars().filter(|letter| !letter.is_control()).take(400).collect()),
    }
}

/// Returns a value with the parameters replaced in its texts.
fn filled(value: &Value, values: &BTreeMap<String, Value>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => text_filled(text, values)?,
        Value::Array(items) => Value::Array(items.iter().map(|item| filled(item, values)).collect::<Result<_, _>>()?),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(key, value)| Ok((key.clone(), filled(value, values)?))).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn text_filled(text: &str, values: &BTreeMap<String, Value>) -> Result<Value, String> {
    if text.chars().count() > TEXT_MAX {
        return Err(format!("{} has more than {TEXT_MAX} characters", shown(text)));
    }
    let value = |name: &str| values.get(name).ok_or_else(|| format!("{} names no parameter", shown(&format!("{{{name}}}"))));
    if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|name| !name.contains(['{', '}'])) {
        return value(name).cloned();
    }
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or_else(|| format!("{} opens a brace and does not close it", shown(text)))?;
        filled.push_str(before);
        match value(name)? {
            Value::String(text) => filled.push_str(text),
            number => filled.push_str(&plain(number)),
        }
        if filled.len() > TEXT_MAX * 4 {
            return Err(format!("{} becomes longer than {TEXT_MAX} characters", shown(text)));
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

/// Formats a number as users write it: 33, not 33.0.
fn plain(number: &Value) -> String {
    number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
}
