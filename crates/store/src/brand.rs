//! The brand of a site: its appearance, by host name.
//!
//! A footer is HTML that a user has written and that is shown to everyone before sign-in. It is sanitised when it is stored and again when it is read, because
//! it could have been stored by other means or before a defect of the sanitiser was known (OWASP ASVS 5.0, 1.3.1).

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

/// Maximum length of a text in one line, characters.
const LINE_MAX: usize = 200;
/// Maximum length of a footer, characters.
const FOOTER_MAX: usize = 4_000;
/// Maximum length of the key of a server, characters.
const KEY_MAX: usize = 60;
/// Maximum number of servers to select from.
const SERVERS_MAX: usize = 3;

/// The brand of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandRecord {
    /// Host name in lower case, without a port.
    pub host: String,
    /// The utility of the site; `None` for a site of all utilities.
    pub client: Option<ClientId>,
    /// Path of the logo on this site; empty for the product's own.
    pub logo: String,
    /// Path of the icon in the browser's tab.
    pub favi_icon: String,
    /// The browser tab's title.
    pub favi_icon_text: String,
    /// HTML of the footer.
    pub footer_text: String,
    /// Address of the map's tiles: a path on this site, or https; empty for none.
    pub map_url: String,
    /// Title of the top bar.
    pub title: String,
    /// Whether the sign-in form is in a grey box.
    pub grey_login: bool,
    /// Servers that a user can select: key and name.
    pub servers: Vec<(String, String)>,
}

impl Store {
    /// Returns the brand of a host; case and port are ignored.
    pub async fn brand(&self, host: &str) -> Result<Option<BrandRecord>> {
        let Some(host) = plain_host(host) else { return Ok(None) };
        self.query_opt(sql!("brand/of_host"), &[&host]).await?.as_ref().map(brand).transpose()
    }

    /// Returns the brands of a utility's hosts, ordered by host.
    pub async fn brands(&self, client: ClientId) -> Result<Vec<BrandRecord>> {
        self.query_bound(client, sql!("brand/of_client"), &[&client.0]).await?.iter().map(brand).collect()
    }

    /// Stores or replaces the brand of a host during set-up, with a sanitised footer. A host of another utility is refused.
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

    /// Replaces the brand of a host, with a sanitised footer, and adds an audit entry. The host must belong to the utility; with `may_assign`, a host that
    /// belongs to no utility is assigned to it. In all other cases the result is `None`, and nothing is changed.
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
            // A host without a utility is not visible to a connection that is bound to one.
            release(&transaction).await?;
            before = transaction.query_opt(sql!("brand/assign"), &[&host, &client.0]).await?.as_ref().map(brand).transpose()?;
            bind(&transaction, client).await?;
        }
        if !put(&transaction, &host, record).await? {
            return Ok(None);
        }
        let after = brand(&transaction.query_one(sql!("brand/lock"), &[&host, &client.0]).await?)?;
        release(&transaction).await?;
        let entry = Entry::new(origin, "brand_changed", format!("host {host}"))
            .changing(before.as_ref().map(audit_value), Some(audit_value(&after)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Deletes the brand of a utility's host and adds an audit entry. Returns whether there was one.
    pub async fn delete_brand(&self, client: ClientId, host: &str, origin: &Origin) -> Result<bool> {
        let Some(host) = plain_host(host) else { return Ok(false) };
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let Some(row) = transaction.query_opt(sql!("brand/delete"), &[&host, &client.0]).await? else { return Ok(false) };
        release(&transaction).await?;
        let entry = Entry::new(origin, "brand_deleted", format!("host {host}")).changing(Some(audit_value(&brand(&row)?)), None);
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Stores a brand. Returns false for a host of another utility.
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
        // The database reports this error if the existing row belongs to another utility.
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

/// Returns a brand for the audit.
fn audit_value(brand: &BrandRecord) -> Value {
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

/// Returns the HTML that is allowed in a footer: text, emphasis, paragraphs, and links with https and mailto.
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

/// Returns a host name in the stored form; `None` if it is not valid.
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

/// Checks a brand. The error names the field and what is allowed.
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
    // Images must come from this site.
    for (name, path) in [("logo", &brand.logo), ("faviIcon", &brand.favi_icon)] {
        if !path.is_empty() && !is_own_path(path) {
            return Err(format!("{name} must be a path on this site, such as /logo.svg, or empty"));
        }
    }
    if !brand.map_url.is_empty() && !is_own_path(&brand.map_url) && !brand.map_url.starts_with("https://") {
        return Err("mapUrl must be a path on this site or begin with https://, or be empty".to_owned());
    }
    if !brand.map_url.is_empty() && !["{z}", "{x}", "{y}"].iter().all(|part| brand.map_url.contains(part)) {
        return Err("mapUrl must contain {z}, {x} and {y}, such as /tiles/{z}/{x}/{y}.png, or be empty".to_owned());
    }
    if brand.footer_text.chars().count() > FOOTER_MAX || brand.footer_text.contains('\0') {
        return Err(format!("footerText may have {FOOTER_MAX} characters"));
    }
    let is_name = |text: &String| !text.is_empty() && is_line(text);
    if brand.servers.len() > SERVERS_MAX || brand.servers.iter().any(|(key, name)| !is_name(key) || !is_name(name)) {
        return Err(format!("servers may be up to {SERVERS_MAX}, each with key and name of 1 to {LINE_MAX} characters"));
    }
    // The proxy compares the key with the raw text of a cookie.
    if let Some(at) = brand.servers.iter().position(|(key, _)| !is_key(key)) {
        return Err(format!("servers[{at}].key must have 1 to {KEY_MAX} letters, digits, hyphens and underscores"));
    }
    Ok(())
}

fn is_line(text: &str) -> bool {
    text.chars().count() <= LINE_MAX && !text.chars().any(char::is_control)
}

fn is_key(text: &str) -> bool {
    (1..=KEY_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns whether the text is one line of limited length that a browser resolves as a path on the same site.
pub fn is_own_path(path: &str) -> bool {
    is_line(path) && path.starts_with('/') && !path.starts_with("//") && !path.contains('\\')
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
    fn a_path_of_the_site_is_one_line_of_limited_length() {
        let longest = format!("/{}", "x".repeat(199));
        for own in ["/logo.svg", "/", &longest] {
            assert!(is_own_path(own), "{own}");
        }
        for refused in [
            "",
            "logo.svg",
            "//elsewhere.example/x",
            "/\\elsewhere.example",
            "/a\nb",
            "/\t/elsewhere.example",
            "/a\0",
            &format!("{longest}x"),
        ] {
            assert!(!is_own_path(refused), "{refused:?}");
        }
    }

    #[test]
    fn a_key_can_be_compared_as_the_raw_text_of_a_cookie() {
        assert!(["north", "N_2-b", &"k".repeat(60)].into_iter().all(is_key));
        assert!(!["", "a b", "a;b", "é", "a%20b", &"k".repeat(61)].into_iter().any(is_key));
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
