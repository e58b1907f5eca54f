//! Areas of responsibility: who holds what, and the check of it within the transaction of an operation. `control::areas` changes them.

use deadpool_postgres::Transaction;
use grid::area::handover::{HeldSince, OpenRequest, RequestKind};
use grid::area::seating::OpenSeat;
use grid::area::{ActiveSince, Containers, HeldArea, OutsideArea, Part, Parts, Place, Responsibility};
use grid::{AreaId, ClientId, DeskId, MemberId, Micros, NodeId};
use tokio_postgres::Row;

use crate::audit::Origin;
use crate::convert::{micros, micros_or_null, sql};
use crate::{Error, Result, Store};

/// A desk of the control room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Desk {
    /// Its id.
    pub id: DeskId,
    /// Its name.
    pub name: String,
    /// Whether sessions that have chosen no desk sit at it.
    pub is_default: bool,
}

/// An area, and since when its holder holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AreaRecord {
    /// The area with its holder.
    pub area: HeldArea,
    /// Since when the desk holds it; `None` if no desk does.
    pub since: Option<Micros>,
    /// Name of the user whose act gave it to the desk.
    pub held_by: Option<String>,
    /// How the desk got it.
    pub how: Option<HeldSince>,
}

/// A request or an offer without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRecord {
    /// The area.
    pub area: AreaId,
    /// What it is, between which desks, and until when.
    pub request: OpenRequest,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user.
    pub made_by: String,
    /// Time at which it was made.
    pub made: Micros,
}

/// A request to sit down at a desk, without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatRecord {
    /// Who would sit where, and until when.
    pub request: OpenSeat,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user.
    pub made_by: String,
    /// Time at which it was made.
    pub made: Micros,
}

/// All areas and desks of a utility, for one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Areas {
    /// Raised with each change.
    pub version: i64,
    /// The desks, by name.
    pub desks: Vec<Desk>,
    /// The areas, by name; the area for the rest is last.
    pub areas: Vec<AreaRecord>,
    /// The area of each part.
    pub parts: Parts,
    /// Requests and offers without an answer, oldest first. Some may have expired.
    pub requests: Vec<RequestRecord>,
    /// Requests to sit down at a desk without an answer, oldest first. Some may have expired.
    pub seats: Vec<SeatRecord>,
    /// The desks at which other users sit and that hold an area.
    pub guarded: Vec<DeskId>,
    /// The desk of the session; `None` only for a utility that does not exist.
    pub own_desk: Option<DeskId>,
}

impl Areas {
    /// Returns what decides where a desk can operate.
    pub fn responsibility(&self) -> Responsibility {
        Responsibility {
            areas: self.areas.iter().map(|record| record.area.clone()).collect(),
            parts: self.parts.clone(),
            containers: Containers::None,
        }
    }
}

impl Store {
    /// Returns the areas and desks of a utility at one moment, as a session sees them.
    pub async fn areas(&self, client: ClientId, session: i64) -> Result<Areas> {
        let mut connection = self.pool.get().await?;
        let transaction =
            connection.build_transaction().read_only(true).isolation_level(tokio_postgres::IsolationLevel::RepeatableRead).start().await?;
        let others = desks_of_others(&transaction, client, session).await?;
        crate::tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("area/version")).await?;
        let version = transaction.query_opt(&statement, &[&client.0]).await?;
        let version = version.map(|row| row.try_get("top")).transpose()?.unwrap_or_default();
        let records = records(&transaction, client).await?;
        let areas = Areas {
            version,
            desks: desks(&transaction, client).await?,
            guarded: guarded(&others, &records),
            areas: records,
            parts: all_parts(&transaction, client).await?,
            requests: requests(&transaction, client, None).await?,
            seats: seat_requests(&transaction, client).await?,
            own_desk: own_desk(&transaction, client, session).await?,
        };
        transaction.commit().await?;
        Ok(areas)
    }

    /// Returns the version of the areas of a utility.
    pub async fn area_version(&self, client: ClientId) -> Result<i64> {
        let row = self.of(client).query_opt(sql!("area/version"), &[&client.0]).await?;
        Ok(row.map(|row| row.try_get("top")).transpose()?.unwrap_or_default())
    }
}

/// Checks within a transaction that is bound to the utility that the desk of the user's session holds the areas of all these places, and keeps it so until the
/// end of the transaction: a takeover at the same moment comes before this check or after the COMMIT. Refuses with [`Error::OutsideArea`].
///
/// Call it after the locks of the rows that the operation changes, and before the audit. A call from the console has no session and is permitted.
pub(crate) async fn permit(transaction: &Transaction<'_>, client: ClientId, origin: &Origin, places: &[Place]) -> Result<()> {
    let Some(session) = origin.session.filter(|_| !places.is_empty()) else { return Ok(()) };
    match outside(transaction, client, session, places, true).await? {
        Some(refusal) => Err(Error::OutsideArea(refusal)),
        None => Ok(()),
    }
}

/// Returns the refusal for the places that the desk of a session does not hold. With `locks`, holders stay the same until the end of the transaction.
pub(crate) async fn outside(
    transaction: &Transaction<'_>,
    client: ClientId,
    session: i64,
    places: &[Place],
    locks: bool,
) -> Result<Option<OutsideArea>> {
    if locks {
        let statement = transaction.prepare_cached(sql!("area/share")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
    }
    let (mut nodes, mut containers) = (Vec::new(), Vec::new());
    for part in places.iter().flat_map(Place::parts) {
        match part {
            Part::Node(node) => nodes.push(node.0),
            Part::Container(id) => containers.push(id.as_str()),
        }
    }
    let (parts, areas, desk, containers) = tokio::try_join!(
        async {
            let statement = transaction.prepare_cached(sql!("area/parts_of")).await?;
            let rows = transaction.query(&statement, &[&client.0, &nodes, &containers]).await?;
            rows.iter().map(part).collect::<Result<_>>()
        },
        records(transaction, client),
        own_desk(transaction, client, session),
        containers_in_areas(transaction, client),
    )?;
    let areas = areas.into_iter().map(|record| record.area).collect();
    Ok(Responsibility { areas, parts, containers }.permit(desk, places).err())
}

/// Returns all areas with their holders and parts.
pub(crate) async fn responsibility(transaction: &Transaction<'_>, client: ClientId) -> Result<Responsibility> {
    let areas = records(transaction, client).await?.into_iter().map(|record| record.area).collect();
    Ok(Responsibility { areas, parts: all_parts(transaction, client).await?, containers: containers_in_areas(transaction, client).await? })
}

/// Returns whether areas have containers of the network, and which version is active now. Places that were found in another version are not known.
async fn containers_in_areas(transaction: &Transaction<'_>, client: ClientId) -> Result<Containers> {
    let statement = transaction.prepare_cached(sql!("area/network")).await?;
    let Some(row) = transaction.query_opt(&statement, &[&client.0]).await? else { return Ok(Containers::None) };
    let version: Option<i32> = row.try_get("version")?;
    let since = micros_or_null(&row, "since")?;
    Ok(Containers::Of(version.zip(since).map(|(version, since)| ActiveSince { version, since })))
}

/// Returns the desk at which a session sits.
pub(crate) async fn own_desk(transaction: &Transaction<'_>, client: ClientId, session: i64) -> Result<Option<DeskId>> {
    let statement = transaction.prepare_cached(sql!("area/own_desk")).await?;
    let row = transaction.query_opt(&statement, &[&client.0, &session]).await?;
    Ok(row.map(|row| row.try_get("id")).transpose()?.map(DeskId))
}

/// Returns the desks at which other users sit than the one of a session. The users of a utility are those of others, too, so the transaction is bound to none
/// after it.
pub(crate) async fn desks_of_others(transaction: &Transaction<'_>, client: ClientId, session: i64) -> Result<Vec<DeskId>> {
    crate::tenant::release(transaction).await?;
    let statement = transaction.prepare_cached(sql!("area/desks_of_others")).await?;
    let rows = transaction.query(&statement, &[&client.0, &session]).await?;
    rows.iter().map(|row| Ok(DeskId(row.try_get("desk_id")?))).collect()
}

/// Returns those of some desks that hold an area.
pub(crate) fn guarded(desks: &[DeskId], areas: &[AreaRecord]) -> Vec<DeskId> {
    let holds = |desk: &DeskId| areas.iter().any(|record| record.area.holder.as_ref().is_some_and(|(holder, _)| holder == desk));
    desks.iter().copied().filter(holds).collect()
}

/// Returns the open requests of a utility to sit down at a desk.
pub(crate) async fn seat_requests(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<SeatRecord>> {
    let statement = transaction.prepare_cached(sql!("area/seat_requests")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(seat_request).collect()
}

/// Returns the desks of a utility.
pub(crate) async fn desks(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<Desk>> {
    let statement = transaction.prepare_cached(sql!("area/desks")).await?;
    let rows = transaction.query(&statement, &[&client.0]).await?;
    rows.iter()
        .map(|row| Ok(Desk { id: DeskId(row.try_get("id")?), name: row.try_get("name")?, is_default: row.try_get("is_default")? }))
        .collect()
}

/// Returns the areas of a utility with their holders.
pub(crate) async fn records(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<AreaRecord>> {
    let statement = transaction.prepare_cached(sql!("area/holders")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(record).collect()
}

/// Returns the open requests of a utility, or of one area.
pub(crate) async fn requests(transaction: &Transaction<'_>, client: ClientId, area: Option<AreaId>) -> Result<Vec<RequestRecord>> {
    let statement = transaction.prepare_cached(sql!("area/requests")).await?;
    let rows = transaction.query(&statement, &[&client.0, &area.map(|area| area.0)]).await?;
    rows.iter().map(request).collect()
}

async fn all_parts(transaction: &Transaction<'_>, client: ClientId) -> Result<Parts> {
    let statement = transaction.prepare_cached(sql!("area/parts")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(part).collect()
}

fn part(row: &Row) -> Result<(Part, AreaId)> {
    let node: Option<i64> = row.try_get("node_id")?;
    let part = match node {
        Some(node) => Part::Node(NodeId(node)),
        None => Part::Container(row.try_get("container")?),
    };
    Ok((part, AreaId(row.try_get("area_id")?)))
}

fn record(row: &Row) -> Result<AreaRecord> {
    let desk: Option<i64> = row.try_get("desk_id")?;
    let holder = desk.map(|desk| Ok::<_, Error>((DeskId(desk), row.try_get("desk_name")?))).transpose()?;
    let how: Option<&str> = row.try_get("how")?;
    let how = how.map(|how| HeldSince::parse(how).ok_or_else(|| Error::Unreadable(format!("how an area is held: {how}")))).transpose()?;
    Ok(AreaRecord {
        area: HeldArea { id: AreaId(row.try_get("id")?), name: row.try_get("name")?, is_rest: row.try_get("is_rest")?, holder },
        since: micros_or_null(row, "since")?,
        held_by: row.try_get("held_by")?,
        how,
    })
}

fn request(row: &Row) -> Result<RequestRecord> {
    let kind: &str = row.try_get("kind")?;
    Ok(RequestRecord {
        area: AreaId(row.try_get("area_id")?),
        request: OpenRequest {
            id: row.try_get("id")?,
            kind: RequestKind::parse(kind).ok_or_else(|| Error::Unreadable(format!("kind of a request for an area: {kind}")))?,
            from: DeskId(row.try_get("from_desk")?),
            to: DeskId(row.try_get("to_desk")?),
            expires: micros(row, "expires")?,
            member: row.try_get::<_, Option<i64>>("member_id")?.map(MemberId),
        },
        reason: row.try_get("reason")?,
        made_by: row.try_get("made_by")?,
        made: micros(row, "made")?,
    })
}

fn seat_request(row: &Row) -> Result<SeatRecord> {
    Ok(SeatRecord {
        request: OpenSeat {
            id: row.try_get("id")?,
            desk: DeskId(row.try_get("desk_id")?),
            session: row.try_get("session_id")?,
            member: MemberId(row.try_get("member_id")?),
            expires: micros(row, "expires")?,
        },
        reason: row.try_get("reason")?,
        made_by: row.try_get("made_by")?,
        made: micros(row, "made")?,
    })
}
