//! Use of the second factor: whether a code is required, whether it is correct, and that no code is accepted twice (OWASP ASVS 5.0, 6.5.1).

use grid::{ClientId, MemberId};
use mail::{self, Mail, MailError, MailSettings};
use store::audit::{Entry, Origin};
use store::people::{MemberRecord, SecondFactorRecord};

use crate::error::Error;
use crate::request_origin::RequestOrigin;
use crate::{Identity, throttle};

/// Whether users can or must have a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactor {
    /// No user can set one up. Users who already have one must still enter its code, so that the setting does not weaken their protection.
    Off,
    /// Every user can set one up.
    Offered,
    /// Every user can set one up; roles 1 and 2 must.
    RequiredForAdministrators,
}

impl SecondFactor {
    /// Returns whether a member must have a second factor. The demo user needs none: its password is published.
    pub fn requires(self, member: &MemberRecord) -> bool {
        self == Self::RequiredForAdministrators && matches!(member.role_id, 1 | 2) && !member.demo
    }
}

/// Maximum length of a code, bytes. Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 64;

/// Result of checking the code of a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No code is needed: the member has no second factor.
    None,
    /// The code is correct.
    Good,
    /// No code was given.
    Missing,
    /// The code is wrong.
    Wrong,
}

/// Returns the ids under which the second factor is stored. The utility is the member's own, even if the session is in another one.
pub fn whose(member: &MemberRecord) -> (ClientId, MemberId) {
    (member.client, member.id)
}

/// Checks the code of a member whose password was correct.
///
/// A wrong code is entered in the audit under `action` and counted for the member, from any address. Otherwise an attacker with the
/// password could guess codes from many addresses. The caller counts the attempts of the address, together with those of the password.
pub async fn check(
    identity: &Identity,
    member: &MemberRecord,
    otp: Option<&str>,
    device: Option<[u8; 32]>,
    trail: &RequestOrigin,
    action: &str,
) -> Result<Verdict, Error> {
    let Some(factor) = identity.store.second_factor(member.id).await?.filter(|factor| factor.is_on) else { return Ok(Verdict::None) };
    let Some(otp) = otp.map(str::trim).filter(|otp| !otp.is_empty()) else { return Ok(Verdict::Missing) };
    let client = trail.origin.client.or(Some(member.client));
    let origin = Origin { client, actor: trail.origin.actor.or(Some(member.id)), ..trail.origin.clone() };
    let attempt = throttle::code(&identity.store, member.id, device).await?;
    match take(identity, member, &factor, otp, &origin).await {
        Ok(true) => {
            attempt.was_right(&identity.store).await?;
            return Ok(Verdict::Good);
        }
        Ok(false) => {}
        Err(error) => {
            attempt.take_back(&identity.store).await?;
            return Err(error);
        }
    }
    if let Some(failures) = attempt.was_wrong(&member.username) {
        warn(identity, member, failures);
    }
    let origin = Origin { client, ..trail.origin.clone() };
    identity.store.audit(&Entry::new(&origin, action, format!("second factor of member {}", member.id))).await?;
    Ok(Verdict::Wrong)
}

/// Warns the member by mail about wrong codes: their sender knows the member's password.
fn warn(identity: &Identity, member: &MemberRecord, failures: i32) {
    let text = format!(
        "Somebody who has the password of the user name {} has entered {failures} wrong codes of its second factor.\n\n\
         If it was not you, set another password at once, and tell your administrator.\n",
        member.username
    );
    identity.mail.post(Mail { to: member.email.clone(), subject: "Wrong codes of your second factor".to_owned(), text });
}

/// Returns the mail that informs a member that another user has removed their second factor.
pub fn removed_by(whom: &str, member: &MemberRecord) -> Mail {
    let text = format!(
        "{whom} has removed the second factor of the user name {}.\n\nIf you did not request this, inform your utility immediately.\n",
        member.username
    );
    Mail { to: member.email.clone(), subject: "Your second factor has been removed".to_owned(), text }
}

/// Informs a member that their second factor was removed at the console of the server. Returns when the mail is sent, or the reason why it
/// could not be sent.
pub async fn mail_console_removal(settings: &MailSettings, member: &MemberRecord) -> Result<(), MailError> {
    mail::send_now(settings, &removed_by("Somebody at the console of the server", member)).await
}

/// Accepts a time-based code or a recovery code, once.
async fn take(identity: &Identity, member: &MemberRecord, factor: &SecondFactorRecord, otp: &str, origin: &Origin) -> Result<bool, Error> {
    if otp.len() > INPUT_MAX_BYTES {
        return Ok(false);
    }
    let now = wire::time::now();
    if otp.bytes().all(|byte| byte.is_ascii_digit()) {
        let secret = open(factor, member.id)?;
        return match step(&secret, otp) {
            Some(step) => Ok(identity.store.use_step(member.id, step).await?),
            None => Ok(false),
        };
    }
    let hash = auth::hash_recovery_code(otp, member.id.0);
    Ok(identity.store.use_recovery_code(whose(member), &hash, now, origin).await?)
}

/// Returns the time step for which the code is valid now; `None` if it is wrong.
pub fn step(secret: &[u8], otp: &str) -> Option<i64> {
    let now_s = u64::try_from(wire::time::now().0 / 1_000_000).ok()?;
    auth::step_of(secret, otp, now_s).and_then(|step| i64::try_from(step).ok())
}

/// Decrypts the secret of a second factor.
pub fn open(factor: &SecondFactorRecord, member: MemberId) -> Result<Vec<u8>, Error> {
    auth::unlock(&factor.secret, member.0).ok_or_else(|| {
        tracing::error!(%member, "a second factor cannot be read: was it locked with another pepper?");
        Error::Internal
    })
}
