//! The one executable of Switchyard: reads the settings, then runs the role that was asked for.

mod cli;
mod console;
mod embedded;
mod logging;
mod settings;
mod shutdown;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    use clap::Parser;
    let cli = cli::Cli::parse();
    let settings = settings::load(cli.config.as_deref())?;
    logging::start(&settings.log, false)?;
    let token = shutdown::on_signal()?;
    let embedded = embedded::Embedded::start(&settings, &token).await?;
    console::say(&embedded.database_url);
    console::say(&embedded.mqtt_url);
    token.cancelled().await;
    embedded.stop().await;
    Ok(())
}
