//! The second factor at its uses: whether a code is needed, whether it is right, and that none is taken twice (trust.md S3).

use grid::{ClientId, MemberId};
use mail::{self, Mail, MailError, MailSettings};
use store::audit::{Entry, Origin};
use store::people::{MemberRecord, SecondFactorRecord};

use crate::error::Error;
use crate::trail::Trail;
use crate::{Identity, throttle};

/// Whether people have second factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactor {
    /// Nobody can set one up. Who has one is still asked: a setting does not take away what a person relies on.
    Off,
    /// Everybody can.
    Offered,
    /// Everybody can, and roles 1 and 2 must.
    RequiredForAdministrators,
}

impl SecondFactor {
    /// Whether a role must have one. The demo user has nothing to protect and no device.
    pub fn requires(self, member: &MemberRecord) -> bool {
        self == Self::RequiredForAdministrators && matches!(member.role_id, 1 | 2) && !member.demo
    }
}

/// Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 64;

/// What came of asking for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None is needed: there is no second factor.
    None,
    /// It was right.
    Good,
    /// None was given.
    Missing,
    /// It was wrong.
    Wrong,
}

/// Whose second factor: the utility is the person's own, wherever their session is.
pub fn whose(member: &MemberRecord) -> (ClientId, MemberId) {
    (member.client, member.id)
}

/// Looks at the code of a member whose password was right. One that is wrong is entered under `action`, and counted for the member wherever it comes
/// from: who has the password would else guess from many addresses. Counting it for the address as well is for who counts the password.
pub async fn check(
    identity: &Identity,
    member: &MemberRecord,
    otp: Option<&str>,
    device: Option<[u8; 32]>,
    trail: &Trail,
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

/// Tells the person what only they can know to be wrong: whoever enters codes has their password.
fn warn(identity: &Identity, member: &MemberRecord, failures: i32) {
    let text = format!(
        "Somebody who has the password of the user name {} has entered {failures} wrong codes of its second factor.\n\n\
         If it was not you, set another password at once, and tell your administrator.\n",
        member.username
    );
    identity.mail.post(Mail { to: member.email.clone(), subject: "Wrong codes of your second factor".to_owned(), text });
}

/// What a person is told whose second factor somebody else has removed.
pub fn removed_by(whom: &str, member: &MemberRecord) -> Mail {
    let text = format!(
        "{whom} has removed the second factor of the user name {}.\n\nIf you have not asked for this, tell your utility at once.\n",
        member.username
    );
    Mail { to: member.email.clone(), subject: "Your second factor has been removed".to_owned(), text }
}

/// Tells a person that their second factor was removed at the console; returns when the mail has left, or why it could not.
pub async fn tell_of_removal_at_the_console(settings: &MailSettings, member: &MemberRecord) -> Result<(), MailError> {
    mail::send_now(settings, &removed_by("Somebody at the console of the server", member)).await
}

/// Takes a code of the time, or a recovery code.
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

/// The step of which a code is now.
pub fn step(secret: &[u8], otp: &str) -> Option<i64> {
    let now_s = u64::try_from(wire::time::now().0 / 1_000_000).ok()?;
    auth::step_of(secret, otp, now_s).and_then(|step| i64::try_from(step).ok())
}

/// The secret of a factor.
pub fn open(factor: &SecondFactorRecord, member: MemberId) -> Result<Vec<u8>, Error> {
    auth::unlock(&factor.secret, member.0).ok_or_else(|| {
        tracing::error!(%member, "a second factor cannot be read: was it locked with another pepper?");
        Error::Internal
    })
}
