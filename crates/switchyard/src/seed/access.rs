//! Seeds page access and brands of the demo that differ from the defaults: a read-only role, and sites with a footer.

use grid::ClientId;
use store::Store;
use store::access::PageGrant;
use store::brand::BrandRecord;

/// The role of the demo's viewer (specification 1, section 6).
const VIEWER_ROLE: i32 = 4;

/// The host names of the demo, and whether the sign-in form is grey. Browsers resolve names under localhost without a name server.
const HOSTS: [(&str, bool); 3] = [("localhost", false), ("127.0.0.1", false), ("grey.localhost", true)];

const FOOTER: &str =
    "<p><b>Demo.</b> Names and values are invented. <a href=\"https://spdx.org/licenses/Apache-2.0.html\">Apache License 2.0</a></p>";

/// Writes page access and brands for the utility of the demo.
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
