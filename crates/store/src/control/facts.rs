//! Reads, under the lock, the data for a decision about a command.

use std::sync::Arc;

use deadpool_postgres::Transaction;
use grid::control::machine::Command;
use grid::control::{CommandId, Holder, Mode, State, Throw};
use grid::point::PointKind;
use grid::{AssetId, ClientId, GatewayId, LinkOrder, LinkState, MemberId, NodeId, PointId};
use tokio_postgres::Row;

use super::locked::Locked;
use super::rows::{doubts, rows};
use super::{Ask, CallerNow, CommandFacts, EarlierRequest, NetworkFacts, PointCommand, Site};
use crate::control::list::command;
use crate::control::tag_row::tag;
use crate::convert::{Stamp, kind, micros, micros_or_null, reading, sql};
use crate::manual_entry_record::ManualEntry;
use crate::network::ActiveVersion;
use crate::registry::link_order;
use crate::{Error, Result, Store, areas, latest, manual_entry_record, temporary_record, tenant};

impl Store {
    /// Reads the data for a decision without the lock: for display only, never for a decision.
    pub async fn look(&self, client: ClientId, point: PointId, ask: &Ask) -> Result<Option<(Site, CommandFacts)>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.build_transaction().read_only(true).start().await?;
        let caller = caller(&transaction, client, ask.session).await?;
        tenant::bind(&transaction, client).await?;
        let Some(site) = site(&transaction, client, point).await? else { return Ok(None) };
        let around = Box::pin(circumstances(&transaction, client, &site, ask, caller, None)).await?;
        transaction.commit().await?;
        Ok(Some((site, around)))
    }
}

/// Reads the point and its unfinished command.
pub(super) async fn site(transaction: &Transaction<'_>, client: ClientId, point: PointId) -> Result<Option<Site>> {
    let (object, held) = tokio::try_join!(async { rows(transaction, sql!("control/object"), &[&client.0, &point.0]).await }, async {
        rows(transaction, sql!("control/held"), &[&client.0, &point.0]).await
    },)?;
    let Some(row) = object.first() else { return Ok(None) };
    let latest = row.try_get::<_, Option<Stamp>>("source_ts")?.map(|_| reading(row)).transpose()?;
    let encoding = match kind(row)? {
        PointKind::Status(encoding) => Some(encoding),
        PointKind::Measurand => None,
    };
    Ok(Some(Site {
        now: micros(row, "now")?,
        fresh: id(row.try_get("fresh")?)?,
        group: row.try_get("client_code")?,
        config: row.try_get("config")?,
        point,
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        class_name: row.try_get("class_name")?,
        location: NodeId(row.try_get("location_id")?),
        control_asset_req: row.try_get("control_asset_req")?,
        is_sbo_supported: row.try_get("is_sbo_supported")?,
        gateway: GatewayId(row.try_get("gateway_id")?),
        gateway_code: row.try_get("gateway_code")?,
        gateway_link: link(row, "gateway_online", "gateway_since", link_order(row, "link_term", "link_count")?)?,
        device: row.try_get("device")?,
        device_link: link(row, "device_online", "device_since", link_order(row, "device_term", "device_count")?)?,
        metric: row.try_get("metric")?,
        encoding,
        expected_ms: row.try_get("expected_ms")?,
        latest,
        last_change: micros_or_null(row, "last_change")?,
        held: held.first().map(self::held).transpose()?,
    }))
}

fn link(row: &Row, online: &str, since: &str, order: LinkOrder) -> Result<Option<LinkState>> {
    let online = row.try_get(online)?;
    Ok(micros_or_null(row, since)?.map(|since| LinkState { online, since, order }))
}

fn held(row: &Row) -> Result<PointCommand> {
    let throw = |column: &str| -> Result<Throw> {
        let code: i16 = row.try_get(column)?;
        Throw::from_code(code.into()).ok_or_else(|| Error::Unreadable(format!("{column} {code}")))
    };
    let word = |column: &str| row.try_get::<_, &str>(column);
    let unreadable = |column: &str| Error::Unreadable(format!("{column} of a command"));
    Ok(PointCommand {
        command: Command {
            id: id(word("id")?)?,
            mode: Mode::parse(word("mode")?).ok_or_else(|| unreadable("mode"))?,
            holder: Holder { member: MemberId(row.try_get("member_id")?), session: row.try_get("session_id")? },
            from: throw("from_status")?,
            target: throw("to_status")?,
            state: State::parse(word("state")?).ok_or_else(|| unreadable("state"))?,
            issued: micros(row, "issued")?,
            until: micros(row, "until")?,
            deadline_ms: micros(row, "due")?.millis(),
            moving: row.try_get("moving")?,
        },
        operator: row.try_get("operator")?,
    })
}

fn id(text: &str) -> Result<CommandId> {
    text.parse().map_err(|_| Error::Unreadable("the id of a command".to_owned()))
}

/// Reads the caller before the connection is bound to a utility, because a super user belongs to another one.
pub(super) async fn caller(transaction: &Transaction<'_>, client: ClientId, session: i64) -> Result<Option<CallerNow>> {
    let statement = transaction.prepare_cached(sql!("control/caller")).await?;
    let row = transaction.query_opt(&statement, &[&session, &client.0]).await?;
    row.map(|row| {
        let (first, last): (&str, &str) = (row.try_get("first_name")?, row.try_get("last_name")?);
        let name = format!("{first} {last}");
        let name = if name.trim().is_empty() { row.try_get("username")? } else { name.trim().to_owned() };
        Ok(CallerNow {
            member: MemberId(row.try_get("member_id")?),
            name,
            role_id: row.try_get("role_id")?,
            node: row.try_get::<_, Option<i64>>("node_id")?.map(NodeId),
            can_operate: row.try_get("can_operate")?,
            demo: row.try_get("demo")?,
            signed_in: micros(&row, "begun")?,
        })
    })
    .transpose()
}

/// Reads the further data for a decision. `locked`: the stream of commands; `None` without the lock.
pub(super) async fn circumstances(
    transaction: &Transaction<'_>,
    client: ClientId,
    site: &Site,
    ask: &Ask,
    caller: Option<CallerNow>,
    locked: Option<Locked<'_>>,
) -> Result<CommandFacts> {
    let station = Some(site.location.0);
    let (since, now) = (Stamp(site.now.plus_millis(-ask.window_ms)), Stamp(site.now));
    let begun = Stamp(caller.as_ref().map_or(site.now, |caller| caller.signed_in));
    // Sent together, because each would wait for its answer while the commands of the utility are locked. The database executes them in this order.
    let (outside_area, busy, tags, recent, doubtful, network, active_network, temporary, ticket, readings, earlier) = tokio::try_join!(
        areas::outside(transaction, client, ask.session, &ask.places, locked.is_some()),
        async { rows(transaction, sql!("control/busy"), &[&client.0, &site.location.0, &site.point.0]).await },
        async { rows(transaction, sql!("control/tag_rows", "control/tags"), &[&client.0, &station]).await },
        async { rows(transaction, sql!("control/recent"), &[&client.0, &site.point.0, &since, &begun, &ask.burst]).await },
        async { rows(transaction, sql!("control/doubts"), &[&client.0, &station]).await },
        facts_of_command(transaction, client, ask.network.as_deref(), locked),
        async { rows(transaction, sql!("network/active"), &[&client.0, &now]).await },
        temporary_record::numbers(transaction, client),
        async {
            let statement = if locked.is_some() { sql!("control/ticket") } else { sql!("control/ticket_seen") };
            rows(transaction, statement, &[&ask.session, &site.asset.0, &ask.direction, &Stamp(ask.now)]).await
        },
        async { rows(transaction, sql!("latest/of"), &[&client.0, &station]).await },
        async {
            let Some(key) = &ask.key else { return Ok(Vec::new()) };
            let after = key.good_for_ms.map(|ms| Stamp(site.now.plus_millis(-ms)));
            rows(transaction, sql!("control/request"), &[&client.0, &key.hash.as_slice(), &after]).await
        },
    )?;
    let busy = busy.iter().map(|row| Ok((AssetId(row.try_get("asset_id")?), row.try_get("asset_name")?, row.try_get("device")?)));
    let busy = busy.collect::<Result<_>>()?;
    let tags = tags.iter().map(tag).collect::<Result<_>>()?;
    let recent = recent.first().ok_or_else(|| Error::Data("no row of recent operations".to_owned()))?;
    let doubts = doubts(&doubtful)?;
    let active_network = active_network.first().map(ActiveVersion::from_row).transpose()?;
    let readings = readings.iter().map(latest::entry).collect::<Result<_>>()?;
    let earlier = match earlier.first() {
        Some(row) => {
            let statement = transaction.prepare_cached(sql!("control/commands", "control/get")).await?;
            let found = transaction.query_one(&statement, &[&client.0, &row.try_get::<_, &str>("command_id")?]).await?;
            let body: &[u8] = row.try_get("body")?;
            let same_content = ask.key.as_ref().is_some_and(|key| body == key.body);
            Some(EarlierRequest {
                action: row.try_get("action")?,
                command: command(&found)?,
                refusal: row.try_get("refusal")?,
                same_content,
            })
        }
        None => None,
    };
    Ok(CommandFacts {
        caller,
        outside_area,
        busy,
        tags,
        last: micros_or_null(recent, "last")?,
        often_since: micros_or_null(recent, "often_since")?,
        doubt: micros_or_null(recent, "doubt")?,
        doubts,
        ticket: ticket.first().map(|row| row.try_get("id")).transpose()?,
        readings,
        earlier,
        active_network,
        temporary,
        network,
    })
}

/// Reads what a decision depends on beyond the substation. Tags, commands under way and doubts count also in a network without a bound point. `locked`: the stream
/// of commands; `None` without the lock, for display.
pub(crate) async fn network_facts(
    transaction: &Transaction<'_>,
    client: ClientId,
    points: &[PointId],
    locked: Option<Locked<'_>>,
) -> Result<NetworkFacts> {
    let points: Vec<i64> = points.iter().map(|point| point.0).collect();
    let everywhere: Option<i64> = None;
    let (readings, doubts, moving, tags, manual) = tokio::try_join!(
        async { rows(transaction, sql!("latest/of_points"), &[&client.0, &points]).await },
        async {
            match locked {
                Some(locked) => locked.doubts(transaction, client).await,
                None => doubts(&rows(transaction, sql!("control/doubts"), &[&client.0, &everywhere]).await?),
            }
        },
        async { rows(transaction, sql!("control/moving"), &[&client.0]).await },
        async { rows(transaction, sql!("control/tag_rows", "control/tags"), &[&client.0, &everywhere]).await },
        entries(transaction, client, locked),
    )?;
    Ok(NetworkFacts {
        readings: readings.iter().map(latest::entry).collect::<Result<_>>()?,
        doubts,
        moving: moving.iter().map(|row| Ok(PointId(row.try_get("point_id")?))).collect::<Result<_>>()?,
        tags: tags.iter().map(tag).collect::<Result<_>>()?,
        manual,
    })
}

/// Reads the network facts for a command. Without an active network, these are only what users have entered, because entries can be for points, too.
async fn facts_of_command(
    transaction: &Transaction<'_>,
    client: ClientId,
    points: Option<&[PointId]>,
    locked: Option<Locked<'_>>,
) -> Result<NetworkFacts> {
    match points {
        Some(points) => network_facts(transaction, client, points, locked).await,
        None => Ok(NetworkFacts { manual: entries(transaction, client, locked).await?, ..NetworkFacts::default() }),
    }
}

/// Returns the current manual entries of a utility.
async fn entries(transaction: &Transaction<'_>, client: ClientId, locked: Option<Locked<'_>>) -> Result<Arc<Vec<ManualEntry>>> {
    match locked {
        Some(locked) => locked.entries(transaction, client).await,
        None => Ok(Arc::new(manual_entry_record::current(transaction, client).await?)),
    }
}
