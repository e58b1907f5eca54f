//! Trackers: planned actions of users with due dates.

use store::tracker::NoteRecord;
use wire::alarms::ActionNoteRow;
use wire::time::iso;

pub(crate) mod list;
pub(crate) mod put;

/// Maximum number of rows of a list.
pub(crate) const ROWS_MAX: i64 = 2_000;

/// Builds the row of a tracker.
pub(crate) fn row(note: &NoteRecord) -> ActionNoteRow {
    let draft = &note.draft;
    ActionNoteRow {
        id: note.id,
        location_id: draft.location.0,
        location_name: note.location_name.clone(),
        asset_id: draft.asset.map(|id| id.0),
        asset_name: note.asset_name.clone(),
        text: draft.text.clone(),
        owner: draft.owner.clone(),
        due_date: draft.due.clone(),
        state: draft.state.clone(),
        overdue: note.overdue,
        created_by: note.created_by.clone(),
        created: iso(note.created),
        changed: iso(note.changed),
    }
}
