//! Sets passwords by links in mails (OWASP ASVS 5.0, section 6.4). Answers have the same text and the same duration whether or not an
//! account with the address exists. Nothing changes until the link is used.

use std::net::IpAddr;

use grid::MemberId;
use mail::Mail;
use store::audit::Origin;
use store::reset::Until;
use url::Url;

use crate::error::Error;
use crate::request_origin::RequestOrigin;
use crate::{Identity, session, throttle};

/// Lifetime of a handle and of a link, ms.
const RESET_MS: i64 = 10 * 60_000;
/// Lifetime of the link in an invitation, ms. It is longer because an invited user does not wait for the mail, and the new account holds
/// nothing worth stealing.
const INVITATION_MS: i64 = 24 * 3_600_000;
/// Maximum number of handles for one address per hour.
const PER_ADDRESS: i64 = 10;
/// Maximum number of mails for one account per hour.
const PER_ACCOUNT: i64 = 3;
/// Maximum number of accounts with the same mail address that get a link.
const ACCOUNTS_MAX: usize = 5;
/// The maximum length of a mail address, bytes (RFC 5321, section 4.5.3.1, and its erratum 1690).
const EMAIL_MAX_BYTES: usize = 254;

const LINK_OVER: &str = "This link is not good any more. Ask for a new one.";

/// Creates a reset handle for a mail address.
pub async fn handle_for(identity: &Identity, email: &str, from: IpAddr) -> Result<String, Error> {
    throttle::hourly(&identity.store, "reset-address", auth::subscriber(from), PER_ADDRESS).await?;
    let (handle, hash) = auth::new_token();
    // No account has an address that is too long or contains NUL, and such an address cannot be stored.
    let is_storable = email.len() <= EMAIL_MAX_BYTES && !email.contains('\0');
    let email = if is_storable { email.trim() } else { "" };
    let now = wire::time::now();
    identity.store.put_reset_handle(&hash, email, now.plus_millis(RESET_MS), now).await?;
    Ok(handle)
}

/// Mails links to the address of a handle. The work that depends on whether accounts exist runs in the background, so that the duration of
/// the answer does not depend on it.
pub async fn ask(identity: &Identity, handle: &str, trail: RequestOrigin) -> Result<(), Error> {
    let attempt = throttle::secret(&identity.store, trail.from).await?;
    let permit = identity.resets.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
    let Some(email) = identity.store.use_reset_handle(&auth::hash_token(handle), wire::time::now()).await? else { return Ok(()) };
    attempt.settle(&identity.store).await?;
    let identity = identity.clone();
    tokio::spawn(async move {
        if let Err(error) = mail_links(&identity, &email, &trail.origin).await {
            if let Error::Store(cause) = &error {
                cause.log();
            }
            tracing::warn!(%error, "links for a new password could not be made");
        }
        drop(permit);
    });
    Ok(())
}

async fn mail_links(identity: &Identity, email: &str, origin: &Origin) -> Result<(), Error> {
    let tokens: Vec<(String, [u8; 32])> = (0..ACCOUNTS_MAX).map(|_| auth::new_token()).collect();
    let hashes: Vec<[u8; 32]> = tokens.iter().map(|(_, hash)| *hash).collect();
    let until = wire::time::now().plus_millis(RESET_MS);
    for link in identity.store.put_reset_links(email, &hashes, until, origin).await? {
        let Some((token, _)) = tokens.get(link.place) else { continue };
        match throttle::hourly(&identity.store, "reset-mails", link.member, PER_ACCOUNT).await {
            // This account had its three mails of the hour. Its link is never mailed and expires.
            Err(Error::TooMany { .. }) => continue,
            admitted => admitted?,
        };
        let text = format!(
            "Somebody, most likely you, has asked for a new password for the user name {}.\n\n\
             Set it within ten minutes at\n{}\n\n\
             Until then the old password stays good. If it was not you, there is nothing to do.\n",
            link.username,
            address(identity, token)
        );
        identity.mail.post(Mail { to: link.email, subject: "Set a new password".to_owned(), text });
    }
    Ok(())
}

/// Mails a user a link to set their password and returns the mail address. The link of a first password is valid for a day. `None` if the
/// user may not sign in.
pub async fn invite(identity: &Identity, member: MemberId, origin: &Origin) -> Result<Option<String>, Error> {
    let (token, hash) = auth::new_token();
    let now = wire::time::now();
    let until = Until { first: now.plus_millis(INVITATION_MS), again: now.plus_millis(RESET_MS) };
    let Some(link) = identity.store.put_link(&hash, member, until, "member_invited", origin).await? else { return Ok(None) };
    let text = format!(
        "You can sign in to the portal with the user name {}.\n\nSet your password within {} at\n{}\n",
        link.username,
        if link.is_first { "a day" } else { "ten minutes" },
        address(identity, &token)
    );
    identity.mail.post(Mail { to: link.email.clone(), subject: "Your access to the portal".to_owned(), text });
    Ok(Some(link.email))
}

/// Informs a user at their former mail address that password links now go to another address. Only the user can notice a change that they
/// did not make.
pub fn mail_former_address(identity: &Identity, former: String, username: &str) {
    let text = format!(
        "An administrator has changed the e-mail address of the user name {username}: mails about it do not come here any more, and links in earlier ones are \
         worth nothing.\n\nIf you did not request this, inform your utility immediately: whoever has the new address can set a new password.\n"
    );
    identity.mail.post(Mail { to: former, subject: "Your e-mail address has been changed".to_owned(), text });
}

/// Sets the password of the account of a link. All sessions of the user end, and a mail informs the user.
pub async fn set(identity: &Identity, token: &str, password: &str, trail: RequestOrigin) -> Result<(), Error> {
    let attempt = throttle::secret(&identity.store, trail.from).await?;
    let link = auth::hash_token(token);
    let member = identity.store.member_by_link(&link, wire::time::now()).await?.ok_or(Error::Forbidden(LINK_OVER))?;
    attempt.settle(&identity.store).await?;
    let field = identity.fields.get(member.client).await?;
    let utility = field.client();
    let host = Url::parse(&identity.settings.public_url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let person = format!("{} {}", member.first_name, member.last_name);
    let words = [utility.name.as_str(), &utility.code, &host, &person];
    auth::judge_password(password, &member.username, &member.email, &words).map_err(|weak| Error::BadRequest(weak.to_string()))?;
    let hash = auth::hash_password(password.to_owned()).await?;
    let ended = identity.store.set_password(&link, &hash, wire::time::now(), &trail.origin).await?.ok_or(Error::Forbidden(LINK_OVER))?;
    session::publish_ended(identity, &ended);
    let text = format!(
        "The password of the user name {} has been changed, and all its sessions have been ended.\n\n\
         If it was not you, ask your administrator to disable the account at once.\n",
        member.username
    );
    identity.mail.post(Mail { to: member.email, subject: "Your password has been changed".to_owned(), text });
    Ok(())
}

/// Returns the link. The token follows `#`, because browsers do not send that part: it is in no log and in no request of a link scanner.
fn address(identity: &Identity, token: &str) -> String {
    format!("{}/setpassword#{token}", identity.settings.public_url)
}
