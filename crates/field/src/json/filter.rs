//! MQTT topic filters, and topic patterns with named wildcards.

use std::collections::HashMap;
use std::fmt;

/// A topic filter (MQTT 5, 4.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Filter(Vec<Level>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Level {
    Word(String),
    /// `+`
    One,
    /// `#`
    Rest,
}

impl Filter {
    /// Parses a filter; `None` if it is invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > 512 || text.contains('\0') {
            return None;
        }
        let mut levels = Vec::new();
        for word in text.split('/') {
            if levels.last() == Some(&Level::Rest) {
                return None;
            }
            levels.push(match word {
                "+" => Level::One,
                "#" => Level::Rest,
                word if word.contains(['+', '#']) => return None,
                word => Level::Word(word.to_owned()),
            });
        }
        Some(Self(levels))
    }

    /// Returns whether a topic could match both filters.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        fn meet(a: &[Level], b: &[Level]) -> bool {
            match (a, b) {
                // `#` also matches the parent level.
                ([Level::Rest], _) | (_, [Level::Rest]) | ([], []) => true,
                ([Level::Word(a), left @ ..], [Level::Word(b), right @ ..]) => a == b && meet(left, right),
                ([_, left @ ..], [_, right @ ..]) => meet(left, right),
                ([], [..]) | ([..], []) => false,
            }
        }
        meet(&self.0, &other.0)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self
            .0
            .iter()
            .map(|level| match level {
                Level::Word(word) => word.as_str(),
                Level::One => "+",
                Level::Rest => "#",
            })
            .collect();
        f.write_str(&words.join("/"))
    }
}

/// A topic pattern such as `neuron/+/{node}/{device}`: a filter with named levels. `{name...}` at the end matches the
/// remaining levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    filter: Filter,
    names: Vec<Option<String>>,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = Vec::new();
        let mut names = Vec::new();
        for word in text.split('/') {
            let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
            let (word, name) = match name {
                Some(name) => match name.strip_suffix("...") {
                    Some(name) => ("#", Some(name)),
                    None => ("+", Some(name)),
                },
                None => (word, None),
            };
            if name.is_some_and(|name| name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')) {
                return None;
            }
            words.push(word);
            names.push(name.map(str::to_owned));
        }
        Some(Self { filter: Filter::parse(&words.join("/"))?, names })
    }

    pub(super) fn filter(&self) -> &Filter {
        &self.filter
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().flatten().any(|known| known == name)
    }

    /// Returns the named levels of a topic; `None` if it does not match.
    pub(super) fn segments<'t>(&self, topic: &'t str) -> Option<HashMap<&str, &'t str>> {
        let mut found = HashMap::new();
        let mut rest = Some(topic);
        for (level, name) in self.filter.0.iter().zip(&self.names) {
            let text = rest?;
            let word = if *level == Level::Rest {
                rest = None;
                text
            } else {
                let (word, after) = text.split_once('/').map_or((text, None), |(word, after)| (word, Some(after)));
                rest = after;
                word
            };
            if matches!(level, Level::Word(expected) if expected != word) {
                return None;
            }
            if let Some(name) = name {
                found.insert(name.as_str(), word);
            }
        }
        rest.is_none().then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_that_share_a_topic_overlap() {
        for (a, b, expected) in [
            ("a/b", "a/b", true),
            ("a/+", "a/b", true),
            ("a/+/c", "a/b/+", true),
            ("a/#", "a", true),
            ("#", "x/y", true),
            ("a/b", "a/c", false),
            ("a/+", "a/b/c", false),
            ("a/b/#", "a/c/#", false),
        ] {
            let (a, b) = (Filter::parse(a).unwrap(), Filter::parse(b).unwrap());
            assert_eq!((a.overlaps(&b), b.overlaps(&a)), (expected, expected), "{a} {b}");
        }
        for bad in ["", "a/#/b", "a+/b", "a/b#"] {
            assert_eq!(Filter::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn patterns_name_the_levels() {
        let pattern = Pattern::parse("plant/{node}/+/{point...}").unwrap();
        assert_eq!(pattern.filter().to_string(), "plant/+/+/#");
        let found = pattern.segments("plant/RTU1/x/F3/Ir").unwrap();
        assert_eq!((found["node"], found["point"]), ("RTU1", "F3/Ir"));
        for other in ["plant", "plant/RTU1", "field/RTU1/x/y"] {
            assert_eq!(pattern.segments(other), None, "{other}");
        }
        assert_eq!(Pattern::parse("a/{b}").unwrap().segments("a/b/c"), None);
        assert_eq!(Pattern::parse("a/{}"), None);
    }
}
