//! `switchyard sld`: drawings in and out of the database.

use anyhow::{Context, bail};
use wire::sld::{Drawing, FORMAT, VERSION};

use crate::cli::SldCommand;
use crate::console::say;
use crate::settings::Settings;

/// Stores or prints a drawing.
pub(crate) async fn run(settings: Settings, command: SldCommand) -> anyhow::Result<()> {
    let store = super::store(&settings).await?;
    match command {
        SldCommand::Put { client, substation, file } => {
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let drawing = parse(&text).with_context(|| file.display().to_string())?;
            let (client, node) = super::substation(&store, &client, &substation).await?;
            store.put_drawing(client, node.id, &drawing.name, &serde_json::from_str(&text)?).await?;
            say(&format!("Stored {} elements for {}.", drawing.elements.len(), node.name));
        }
        SldCommand::Get { client, substation } => {
            let (client, node) = super::substation(&store, &client, &substation).await?;
            let drawing = store.drawing(client, node.id).await?.with_context(|| format!("{} has no drawing", node.name))?;
            say(&serde_json::to_string_pretty(&drawing)?);
        }
    }
    Ok(())
}

/// Reads a drawing and refuses one that the web could not show.
pub(crate) fn parse(text: &str) -> anyhow::Result<Drawing> {
    let drawing: Drawing = serde_json::from_str(text)?;
    if drawing.format != FORMAT || drawing.version != VERSION {
        bail!("this is {:?} version {}, and {FORMAT:?} version {VERSION} is understood", drawing.format, drawing.version);
    }
    let mut seen = std::collections::HashSet::new();
    for (index, element) in drawing.elements.iter().enumerate() {
        let text = |key: &str| element.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty());
        let (Some(id), Some(_)) = (text("id"), text("class")) else { bail!("element {index} has no id or no class") };
        if !seen.insert(id) {
            bail!("two elements have the id {id:?}");
        }
    }
    Ok(drawing)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_drawing_that_cannot_be_shown_is_refused_with_the_reason() {
        let drawing = |format: &str, version: u32, elements: &str| {
            format!(r#"{{"format":"{format}","version":{version},"name":"N","size":{{"width":10,"height":10}},"elements":{elements}}}"#)
        };
        assert!(parse(&drawing("switchyard-sld", 1, r#"[{"id":"a","class":"text"}]"#)).is_ok());
        for (text, word) in [
            (drawing("visio", 1, "[]"), "visio"),
            (drawing("switchyard-sld", 2, "[]"), "version 2"),
            (drawing("switchyard-sld", 1, r#"[{"id":"a"}]"#), "element 0"),
            (drawing("switchyard-sld", 1, r#"[{"id":"a","class":"x"},{"id":"a","class":"x"}]"#), "\"a\""),
            ("<svg/>".to_owned(), "expected"),
        ] {
            let error = format!("{:#}", parse(&text).expect_err("refused"));
            assert!(error.contains(word), "{error}");
        }
    }
}
