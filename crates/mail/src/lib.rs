//! Mails, sent over SMTP if a server is configured, otherwise written as files into a folder.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::file::AsyncFileTransport;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use tokio::sync::mpsc;

/// Limit of the queue. When it is full, a new mail is dropped and the log says so; the user can request it again.
const QUEUE_MAX: usize = 100;
/// Time limit for one mail at the mail server.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest line of a mail (RFC 5322, section 2.1.1).
const LINE_MAX: usize = 998;
/// Pauses before the second and third attempt, if the server is busy or not reachable.
const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

/// Settings of the mail transport.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// URL `smtp://` or `smtps://` with user and password; `None` to write mails into `folder`.
    pub smtp: Option<String>,
    /// The sender, such as `Switchyard <switchyard@example.org>`.
    pub from: String,
    /// Folder for mails without a server.
    pub folder: PathBuf,
}

/// Why mails cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The URL of the server is not valid. The error does not repeat it, because it can contain a password.
    #[error("the address of the mail server cannot be read: smtp://user:password@host:port?tls=required or smtps://…")]
    Server,
    /// The sender is not a mail address.
    #[error("the sender {0:?} is no mail address")]
    Sender(String),
    /// The folder cannot be created.
    #[error("the mail folder: {0}")]
    Folder(#[from] io::Error),
    /// One mail could not be sent.
    #[error("the mail: {0}")]
    Mail(String),
}

/// A mail to one recipient.
#[derive(Debug)]
pub struct Mail {
    /// Address of the recipient.
    pub to: String,
    /// Subject, one line.
    pub subject: String,
    /// Plain text.
    pub text: String,
}

/// A file attached to a mail.
#[derive(Debug)]
pub struct Attached {
    /// File name.
    pub name: String,
    /// Its `Content-Type`.
    pub media_type: String,
    /// Content. The caller limits its size.
    pub body: Vec<u8>,
}

/// Sends mails one after another in the background. Clones share one queue.
#[derive(Clone)]
pub struct Mailer {
    queue: mpsc::Sender<Mail>,
    sender: Arc<Sender>,
}

/// Sends one mail without a queue, for commands on the console.
pub async fn send_now(settings: &MailSettings, mail: &Mail) -> Result<(), MailError> {
    Sender::new(settings)?.deliver(mail, None).await.map_err(MailError::Mail)
}

enum Way {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Folder(AsyncFileTransport<Tokio1Executor>),
}

struct Sender {
    way: Way,
    from: Mailbox,
}

impl Mailer {
    /// Checks the settings and starts the task that sends the queued mails. The task ends with the last clone. It must be called within the runtime.
    pub fn start(settings: &MailSettings) -> Result<Self, MailError> {
        let sender = Arc::new(Sender::new(settings)?);
        let (queue, mut waiting) = mpsc::channel::<Mail>(QUEUE_MAX);
        let behind = Arc::clone(&sender);
        tokio::spawn(async move {
            while let Some(mail) = waiting.recv().await {
                // `send` has logged a failure.
                let _ = behind.send(&mail, None, &PAUSES).await;
            }
        });
        Ok(Self { queue, sender })
    }

    /// Sends a mail while the caller waits, without the queue; the caller limits the number of waiting calls. If `is_patient`, a failed attempt is repeated
    /// after 2 s and 10 s. Errors are written to the log.
    pub async fn deliver(&self, mail: &Mail, attached: Option<&Attached>, is_patient: bool) -> Result<(), ()> {
        self.sender.send(mail, attached, if is_patient { &PAUSES } else { &[] }).await
    }

    /// Puts a mail into the queue.
    pub fn post(&self, mail: Mail) {
        if self.queue.try_send(mail).is_err() {
            metrics::counter!("api_mail_total", "outcome" => "dropped").increment(1);
            tracing::error!("a mail was dropped: {QUEUE_MAX} wait for the mail server already");
        }
    }
}

impl Sender {
    fn new(settings: &MailSettings) -> Result<Self, MailError> {
        let from = settings.from.parse().map_err(|_| MailError::Sender(settings.from.clone()))?;
        let way = if let Some(url) = &settings.smtp {
            let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| MailError::Server)?;
            Way::Smtp(server.timeout(Some(PATIENCE)).build())
        } else {
            // Mails contain links that set passwords, so no other user of the machine can read the folder.
            let mut folder = std::fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
            folder.recursive(true).create(&settings.folder)?;
            Way::Folder(AsyncFileTransport::new(&settings.folder))
        };
        Ok(Self { way, from })
    }

    /// Sends one mail and repeats failed attempts after the pauses. The log never contains the content of a mail.
    async fn send(&self, mail: &Mail, attached: Option<&Attached>, pauses: &[Duration]) -> Result<(), ()> {
        let mut pauses = pauses.iter();
        loop {
            let Err(error) = self.deliver(mail, attached).await else {
                metrics::counter!("api_mail_total", "outcome" => "sent").increment(1);
                return Ok(());
            };
            let Some(pause) = pauses.next() else {
                metrics::counter!("api_mail_total", "outcome" => "failed").increment(1);
                tracing::error!("a mail could not be sent: {error}");
                return Err(());
            };
            tokio::time::sleep(*pause).await;
        }
    }

    async fn deliver(&self, mail: &Mail, attached: Option<&Attached>) -> Result<(), String> {
        let to: Mailbox = mail.to.parse().map_err(|_| "the address on file is none".to_owned())?;
        let head = Message::builder().from(self.from.clone()).to(to).subject(&mail.subject);
        let message = match attached {
            None => head.header(ContentType::TEXT_PLAIN).body(body(&mail.text)),
            Some(Attached { name, media_type, body: file }) => {
                // The library splits a long file name (RFC 2231, section 3), which some mail programs do not join. The name in `Content-Type` is not split.
                let kind = ContentType::parse(&format!("{media_type}; name=\"{name}\"")).map_err(|error| error.to_string())?;
                let text = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(body(&mail.text));
                head.multipart(MultiPart::mixed().singlepart(text).singlepart(Attachment::new(name.clone()).body(file.clone(), kind)))
            }
        };
        let message = message.map_err(|error| error.to_string())?;
        match &self.way {
            Way::Smtp(server) => server.send(message).await.map(drop).map_err(|error| error.to_string()),
            Way::Folder(folder) => folder.send(message).await.map(drop).map_err(|error| error.to_string()),
        }
    }
}

/// Encodes the text. Where a mail can contain it unchanged, it is not encoded: the library would break long lines, and a link must stay in one piece in a mail
/// file.
fn body(text: &str) -> Body {
    let is_plain = text.is_ascii() && !text.contains(['\r', '\0']) && text.lines().all(|line| line.len() <= LINE_MAX);
    if is_plain {
        return Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), ContentTransferEncoding::SevenBit);
    }
    Body::new(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_server_each_mail_is_a_file_for_its_owner_alone() {
        let folder = std::env::temp_dir().join(format!("switchyard-mail-{}", std::process::id()));
        let settings = MailSettings { smtp: None, from: "Switchyard <portal@example.org>".into(), folder: folder.clone() };
        let mail = Mail {
            to: "asha@example.org".into(),
            subject: "Grüße".into(),
            text: "a line that stays whole although it is longer than the seventy-six letters of quoted-printable\n".into(),
        };
        Sender::new(&settings).expect("a folder").deliver(&mail, None).await.expect("written");
        let files: Vec<_> = std::fs::read_dir(&folder).expect("a folder").flatten().collect();
        assert_eq!(files.len(), 1);
        let text = std::fs::read_to_string(files[0].path()).expect("readable");
        assert!(
            text.contains("To: asha@example.org") && text.contains("a line that stays whole although it is longer than the seventy-six"),
            "{text}"
        );
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&folder).expect("a folder").permissions()) & 0o777, 0o700);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn what_cannot_work_is_refused_without_telling_a_password() {
        let of = |smtp: &str, from: &str| {
            let settings = MailSettings { smtp: Some(smtp.into()), from: from.into(), folder: PathBuf::new() };
            Sender::new(&settings).err().expect(smtp).to_string()
        };
        assert!(!of("imap://u:secret@host", "a@example.org").contains("secret"));
        assert!(of("smtp://host", "nobody").contains("nobody"));
    }
}
