//! How a site presents itself, by the host that it is asked for.
//!
//! A footer is HTML that somebody wrote and everybody gets before signing in. It is cleaned when it is stored, and again when it is read: what was
//! stored by other means, or before a fault of the cleaner became known, must not come out either (trust.md S20).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;
use deadpool_postgres::GenericClient;
use grid::ClientId;
use serde_json::{Value, json};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::tenant::{bind, release};
use crate::{Error, Result, Store};

/// Characters of a text in one line.
const LINE_MAX: usize = 200;
/// Characters of a footer.
const FOOTER_MAX: usize = 4_000;
/// Servers to choose from.
const SERVERS_MAX: usize = 3;

/// How a site presents itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandRecord {
    /// In lower case, without a port.
    pub host: String,
    /// The utility whose site it is; `None` for a site of all.
    pub client: Option<ClientId>,
    /// Path of the logo on this site; empty for the product's own.
    pub logo: String,
    /// Path of the icon in the browser's tab.
    pub favi_icon: String,
    /// The browser tab's title.
    pub favi_icon_text: String,
    /// HTML of the footer.
    pub footer_text: String,
    /// Where the map's tiles come from: a path on this site, or https; empty for none.
    pub map_url: String,
    /// Title of the top bar.
    pub title: String,
    /// Whether the sign-in form has its grey box.
    pub grey_login: bool,
    /// Servers to choose from: what is sent, and what is shown.
    pub servers: Vec<(String, String)>,
}

impl Store {
    /// The brand of a host, in whatever case and with whatever port.
    pub async fn brand(&self, host: &str) -> Result<Option<BrandRecord>> {
        let Some(host) = plain_host(host) else { return Ok(None) };
        self.query_opt(sql!("brand/of_host"), &[&host]).await?.as_ref().map(brand).transpose()
    }

    /// The brands of a utility's hosts, by host.
    pub async fn brands(&self, client: ClientId) -> Result<Vec<BrandRecord>> {
        self.query_bound(client, sql!("brand/of_client"), &[&client.0]).await?.iter().map(brand).collect()
    }

    /// Stores or replaces the brand of a host on setting up, its footer cleaned. A host that is another utility's is refused.
    pub async fn put_brand(&self, brand: &BrandRecord) -> Result<()> {
        check(brand).map_err(Error::Data)?;
        let host = plain_host(&brand.host).ok_or_else(|| Error::Data(format!("{:?} is no host name", brand.host)))?;
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        if let Some(client) = brand.client {
            bind(&transaction, client).await?;
        }
        if !put(&transaction, &host, brand).await? {
            return Err(Error::Data(format!("{host} is the site of another utility")));
        }
        Ok(transaction.commit().await?)
    }

    /// Replaces the brand of a host, its footer cleaned, and enters that into the audit. The host is the utility's already; or, with `may_assign`, it
    /// is nobody's and becomes the utility's. `None` when it is neither, and nothing has changed.
    pub async fn change_brand(&self, record: &BrandRecord, may_assign: bool, origin: &Origin) -> Result<Option<BrandRecord>> {
        check(record).map_err(Error::Data)?;
        let Some(host) = plain_host(&record.host) else { return Ok(None) };
        let Some(client) = record.client else { return Ok(None) };
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let mut before = transaction.query_opt(sql!("brand/lock"), &[&host, &client.0]).await?.as_ref().map(brand).transpose()?;
        if before.is_none() {
            if !may_assign {
                return Ok(None);
            }
            // A host that is nobody's yet is no utility's to see.
            release(&transaction).await?;
            before = transaction.query_opt(sql!("brand/assign"), &[&host, &client.0]).await?.as_ref().map(brand).transpose()?;
            bind(&transaction, client).await?;
        }
        if !put(&transaction, &host, record).await? {
            return Ok(None);
        }
        let after = brand(&transaction.query_one(sql!("brand/lock"), &[&host, &client.0]).await?)?;
        release(&transaction).await?;
        let entry = Entry::new(origin, "brand_changed", format!("host {host}")).changing(before.as_ref().map(told), Some(told(&after)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Takes the brand of a host of a utility away and enters that into the audit; whether there was one.
    pub async fn delete_brand(&self, client: ClientId, host: &str, origin: &Origin) -> Result<bool> {
        let Some(host) = plain_host(host) else { return Ok(false) };
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let Some(row) = transaction.query_opt(sql!("brand/delete"), &[&host, &client.0]).await? else { return Ok(false) };
        release(&transaction).await?;
        let entry = Entry::new(origin, "brand_deleted", format!("host {host}")).changing(Some(told(&brand(&row)?)), None);
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Whether it is stored; a host that is another utility's is not.
async fn put(client: &impl GenericClient, host: &str, brand: &BrandRecord) -> Result<bool> {
    let login = login_variant(brand);
    let servers = servers(brand);
    let owner = brand.client.map(|client| client.0);
    let footer = clean(&brand.footer_text);
    let BrandRecord { logo, favi_icon, favi_icon_text, map_url, title, .. } = brand;
    let statement = client.prepare_cached(sql!("brand/put")).await?;
    let put =
        client.execute(&statement, &[&host, &owner, logo, favi_icon, favi_icon_text, &footer, map_url, title, &login, &servers]).await;
    match put {
        Ok(rows) => Ok(rows > 0),
        // So the database itself says to who is bound to one utility that the row there is another's.
        Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn login_variant(brand: &BrandRecord) -> &'static str {
    if brand.grey_login { "grey" } else { "plain" }
}

fn servers(brand: &BrandRecord) -> Value {
    brand.servers.iter().map(|(key, name)| json!({ "key": key, "name": name })).collect()
}

/// A brand as the audit tells of it.
fn told(brand: &BrandRecord) -> Value {
    json!({
        "clientId": brand.client.map(|client| client.0),
        "logo": brand.logo,
        "faviIcon": brand.favi_icon,
        "faviIconText": brand.favi_icon_text,
        "footerText": brand.footer_text,
        "mapUrl": brand.map_url,
        "title": brand.title,
        "loginVariant": login_variant(brand),
        "servers": servers(brand),
    })
}

/// The HTML that may stand in a footer: text, emphasis, paragraphs, and links to https and mailto.
pub fn clean(html: &str) -> String {
    static FOOTER: LazyLock<Builder<'static>> = LazyLock::new(|| {
        let mut footer = Builder::empty();
        footer
            .tags(HashSet::from(["a", "b", "i", "p", "br", "span"]))
            .tag_attributes(HashMap::from([("a", HashSet::from(["href"]))]))
            .clean_content_tags(HashSet::from([
                "script", "style", "svg", "math", "template", "noscript", "iframe", "object", "title", "textarea",
            ]))
            .url_schemes(HashSet::from(["https", "mailto"]))
            .url_relative(ammonia::UrlRelative::Deny)
            .link_rel(Some("noopener"));
        footer
    });
    FOOTER.clean(html).to_string()
}

/// A host as brands are known by; `None` for what is none.
pub fn plain_host(host: &str) -> Option<String> {
    let host = host.trim().to_ascii_lowercase();
    // An IPv6 address has its colons inside of brackets.
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => &host,
    };
    let allowed = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte));
    (allowed && (1..=253).contains(&name.len())).then(|| name.to_owned())
}

/// What of a brand cannot be stored, in a sentence: which field, and what is allowed.
pub fn check(brand: &BrandRecord) -> Result<(), String> {
    for (name, text) in [
        ("logo", &brand.logo),
        ("faviIcon", &brand.favi_icon),
        ("faviIconText", &brand.favi_icon_text),
        ("mapUrl", &brand.map_url),
        ("title", &brand.title),
    ] {
        if !is_line(text) {
            return Err(format!("{name} must be one line of up to {LINE_MAX} characters"));
        }
    }
    // Pictures come from this site and from nowhere else (trust.md S24).
    for (name, path) in [("logo", &brand.logo), ("faviIcon", &brand.favi_icon)] {
        if !path.is_empty() && !is_own_path(path) {
            return Err(format!("{name} must be a path on this site, such as /logo.svg, or empty"));
        }
    }
    if !brand.map_url.is_empty() && !is_own_path(&brand.map_url) && !brand.map_url.starts_with("https://") {
        return Err("mapUrl must be a path on this site or begin with https://, or be empty".to_owned());
    }
    if brand.footer_text.chars().count() > FOOTER_MAX || brand.footer_text.contains('\0') {
        return Err(format!("footerText may have {FOOTER_MAX} characters"));
    }
    let is_name = |text: &String| !text.is_empty() && is_line(text);
    if brand.servers.len() > SERVERS_MAX || brand.servers.iter().any(|(key, name)| !is_name(key) || !is_name(name)) {
        return Err(format!("servers may be up to {SERVERS_MAX}, each with key and name of 1 to {LINE_MAX} characters"));
    }
    Ok(())
}

fn is_line(text: &str) -> bool {
    text.chars().count() <= LINE_MAX && !text.chars().any(char::is_control)
}

/// Whether a browser reads it as an address on the site that it is on.
pub fn is_own_path(path: &str) -> bool {
    path.starts_with('/') && !path.starts_with("//") && !path.contains('\\')
}

fn brand(row: &Row) -> Result<BrandRecord> {
    let servers: Value = row.try_get("servers")?;
    let text = |server: &Value, key: &str| server.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(BrandRecord {
        host: row.try_get("host")?,
        client: row.try_get::<_, Option<i64>>("client_id")?.map(ClientId),
        logo: row.try_get("logo")?,
        favi_icon: row.try_get("favi_icon")?,
        favi_icon_text: row.try_get("favi_icon_text")?,
        footer_text: clean(row.try_get("footer_text")?),
        map_url: row.try_get("map_url")?,
        title: row.try_get("title")?,
        grey_login: row.try_get::<_, &str>("login_variant")? == "grey",
        servers: servers
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|server| Some((text(server, "key")?, text(server, "name")?)))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_keeps_its_words_and_loses_what_could_act() {
        for (given, kept) in [
            ("<p>Own <b>words</b><br>and <i>more</i></p>", "<p>Own <b>words</b><br>and <i>more</i></p>"),
            ("<a href=\"https://example.org/x\">x</a>", "<a href=\"https://example.org/x\" rel=\"noopener\">x</a>"),
            (
                "<a href=\"mailto:a@example.org\" rel=\"opener\" target=\"_blank\">x</a>",
                "<a href=\"mailto:a@example.org\" rel=\"noopener\">x</a>",
            ),
            ("<a href=\"http://example.org\">x</a>", "<a rel=\"noopener\">x</a>"),
            ("<a href=\"javascript:alert(1)\">x</a>", "<a rel=\"noopener\">x</a>"),
            ("<a href=\" jAvascript:alert(1)\">x</a>", "<a rel=\"noopener\">x</a>"),
            ("<a href=\"data:text/html,x\">x</a>", "<a rel=\"noopener\">x</a>"),
            ("<a href=\"//example.org\">x</a><a href=\"/tree\">y</a>", "<a rel=\"noopener\">x</a><a rel=\"noopener\">y</a>"),
            ("<span style=\"color:red\" class=\"c\" id=\"i\" onclick=\"x()\">s</span>", "<span>s</span>"),
            ("<script>alert(1)</script>a<style>b{}</style><img src=x onerror=alert(1)>", "a"),
            ("<svg><script>x</script></svg><math><mtext></mtext></math>b", "b"),
            ("<form><input name=password></form><iframe src=x></iframe>c", "c"),
            ("1 < 2 & 3", "1 &lt; 2 &amp; 3"),
        ] {
            assert_eq!(clean(given), kept, "{given}");
            assert_eq!(clean(&clean(given)), clean(given), "cleaning again changes nothing: {given}");
        }
    }

    #[test]
    fn a_host_is_known_in_any_case_and_with_any_port() {
        for (given, plain) in [
            ("Portal.Example", Some("portal.example")),
            ("portal.example:8080", Some("portal.example")),
            ("127.0.0.1:80", Some("127.0.0.1")),
            ("[::1]:8080", Some("[::1]")),
            ("[::1]", Some("[::1]")),
            ("", None),
            (":80", None),
            ("a b", None),
            ("x'; --", None),
        ] {
            assert_eq!(plain_host(given).as_deref(), plain, "{given}");
        }
        assert_eq!(plain_host(&"x".repeat(254)), None);
    }
}
