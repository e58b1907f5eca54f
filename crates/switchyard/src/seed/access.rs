//! What the demo shows of page access and brand beyond the defaults: a role that only looks, and sites with a footer.

use grid::ClientId;
use store::Store;
use store::access::PageGrant;
use store::brand::BrandRecord;

/// The role of the demo's viewer (specification 1, section 6).
const VIEWER_ROLE: i32 = 4;

/// The hosts that a demo is asked for by; browsers know names under localhost without a name server. The last one has the grey sign-in form.
const HOSTS: [(&str, bool); 3] = [("localhost", false), ("127.0.0.1", false), ("grey.localhost", true)];

const FOOTER: &str =
    "<p><b>Demo.</b> Names and values are invented. <a href=\"https://spdx.org/licenses/Apache-2.0.html\">Apache License 2.0</a></p>";

/// Writes it for the utility that the demo shows.
pub(crate) async fn write(store: &Store, client: ClientId, name: &str) -> anyhow::Result<()> {
    let defaults = store.page_access(client, VIEWER_ROLE..=VIEWER_ROLE).await?;
    let grants: Vec<PageGrant> = defaults
        .into_iter()
        .map(|access| PageGrant { tab_key: access.page.tab_key, is_readonly: true, show_in_tab: access.show_in_tab })
        .collect();
    store.put_page_access(client, VIEWER_ROLE, &grants).await?;
    for (host, grey_login) in HOSTS {
        let brand = BrandRecord {
            host: host.to_owned(),
            client: Some(client),
            logo: String::new(),
            favi_icon: "/favicon.svg".to_owned(),
            favi_icon_text: format!("Switchyard · {name}"),
            footer_text: FOOTER.to_owned(),
            map_url: String::new(),
            title: "Switchyard".to_owned(),
            grey_login,
            servers: Vec::new(),
        };
        store.put_brand(&brand).await?;
    }
    Ok(())
}
