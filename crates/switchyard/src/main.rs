//! The executable of Switchyard: reads the settings, then runs the subcommand.

mod checkpoint;
mod cli;
mod clock;
mod commands;
mod console;
mod embedded;
mod history;
mod logging;
mod measure;
mod progress;
mod seed;
mod settings;
mod shutdown;
mod site;

use clap::Parser;

use cli::{Cli, Command};

#[tokio::main]
async fn main() -> std::process::ExitCode {
    ingest::failpoint::arm();
    match Box::pin(run(Cli::parse())).await {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("switchyard: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    let settings = settings::load(cli.config.as_deref())?;
    let demo = matches!(&cli.command, Command::All(arguments) if arguments.demo);
    logging::start(&settings.log, demo)?;
    settings.password.apply()?;
    match cli.command {
        Command::All(arguments) => commands::all::run(settings, arguments).await,
        Command::Ingest => commands::ingest::run(settings).await,
        Command::Alarms => commands::alarms::run(settings).await,
        Command::Analytics => commands::analytics::run(settings).await,
        Command::Hub(arguments) => commands::hub::run(settings, arguments).await,
        Command::Api => commands::api::run(settings).await,
        Command::Migrate => commands::migrate::run(settings).await,
        Command::Seed(arguments) => commands::seed::run(settings, arguments).await,
        Command::Simulate(arguments) => commands::simulate::run(settings, arguments).await,
        Command::Sld(command) => commands::sld::run(settings, command).await,
        Command::Network(command) => commands::network::run(settings, command).await,
        Command::Forecast(command) => commands::forecast::run(settings, command).await,
        Command::Admin(command) => commands::admin::run(settings, command).await,
        Command::Openapi => {
            console::print(api::document());
            Ok(())
        }
    }
}
