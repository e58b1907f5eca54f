//! Runs schedules when they are due. One process is the leader; after it ends, the next one takes over its unfinished runs.

use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;

use analysis::calendar::Calendar;
use futures_util::FutureExt as _;
use grid::{ClientId, Micros};
use permits::{HeavySlot, LimitOwner, Owner};
use store::lead::{self, Lead};
use store::report::{Claimed, DueRun, DueSchedule, Finished, RunState, Settled};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Reports;
use crate::schedule::due::{Days, period_text, ready};
use crate::schedule::make::{NoFileReason, make};
use crate::schedule::pace::{AHEAD_MS, Pace};
use crate::schedule::post::post;
use crate::schedule::rhythm;
use crate::schedule::settings::ScheduleSettings;

/// The name of the lock of the leader.
const LEAD: &str = "report schedules";
/// Interval between attempts to become leader, and between checks of the leadership.
const LEAD_EVERY: Duration = Duration::from_secs(2);
/// Maximum number of runs at once, each of a different utility. Further ones wait in the database. It is always less than the number of slots of heavy reads,
/// so that one slot is left for users, unless there is only one slot.
const MAKING_MAX: usize = 3;
/// Maximum number of runs that are mailed at once. Mailing does not delay the creation of others.
const MAILING_MAX: usize = 2;
/// Maximum number of schedules that are decided at a time.
const SETTLED_MAX: i64 = 500;
/// Number of runs of a schedule that are kept. A due time could be run twice only if the clock were set back to a time before all of these runs.
const RUNS_MAX: i64 = 1_000;
/// Maximum number of runs that are withdrawn at a time.
const EARLY_MAX: i64 = 200;
/// Maximum number of files, links and old runs that are deleted at a time.
const SWEPT_MAX: i64 = 200;
/// Number of consecutive failures to read the next run after which the work is restarted.
const UNCLAIMED_MAX: u32 = 10;
/// Interval between attempts to store how a run ended.
const AGAIN: Duration = Duration::from_secs(2);

const LEFT: &str = "The server stopped twice while it was made.";
const MISSED: &str = "Not run: no process was running when it was due, and a newer run was due meanwhile.";

/// Runs until `shutdown`. While the database cannot be reached, it waits. The wall clock is compared with the monotonic clock from this
/// call on, even on standby.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn mind_schedules(
    settings: ScheduleSettings,
    reports: Reports,
    shutdown: CancellationToken,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let mut pace = Pace::new((settings.clock)(), (settings.counter)());
    Box::pin(async move {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = lead_and_work(&settings, &reports, &mut pace, &shutdown) => {}
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(LEAD_EVERY.min(settings.poll)) => {}
            }
        }
    })
}

async fn lead_and_work(settings: &ScheduleSettings, reports: &Reports, pace: &mut Pace, shutdown: &CancellationToken) {
    let lead = match lead::take(&settings.database_url, LEAD).await {
        Ok(Some(lead)) => lead,
        Ok(None) => return,
        Err(error) => return tracing::warn!(%error, "schedules of reports wait for the database"),
    };
    // Stops the threads that write files. Whatever they still store is ignored.
    let end = shutdown.child_token();
    let _ends = end.clone().drop_guard();
    let lost = async {
        while lead.holds(LEAD_EVERY).await {
            tokio::time::sleep(LEAD_EVERY).await;
        }
    };
    tokio::select! {
        () = lost => tracing::warn!("the lead of the schedules of reports is lost"),
        error = work(settings, reports, (&lead, pace), &end) => tracing::warn!(%error, "schedules of reports begin anew"),
    }
}

/// Works until runs can no longer be read, and returns the error. A failure of one schedule does not delay the others.
async fn work(settings: &ScheduleSettings, reports: &Reports, (lead, pace): (&Lead, &mut Pace), end: &CancellationToken) -> store::Error {
    let (mut queued, mut making, mut mailing) = (Queued::default(), Own::default(), Own::default());
    let mut swept: Option<Instant> = None;
    let mut unclaimed = 0;
    loop {
        // One instant for all decisions of this round; runs that are created by it share its reliability.
        let now = (settings.clock)();
        let is_ahead = pace.is_ahead(now, (settings.counter)());
        // A process that is no longer the leader must not take runs from the new one. It waits here until its caller stops it.
        if !lead.holds(LEAD_EVERY).await {
            std::future::pending::<()>().await;
        }
        match take_up(reports, now, (&making, &mailing)).await {
            Ok(()) => {}
            Err(error) if making.is_empty() && mailing.is_empty() => return error,
            Err(error) => tracing::warn!(%error, "what others have left of reports was not taken up"),
        }
        // Nothing is deleted while the clock may be wrong.
        if !is_ahead && swept.is_none_or(|at| at.elapsed() >= settings.sweep) {
            swept = sweep(reports, now).await.then(Instant::now);
        }
        settle(reports, now).await;
        match begin(settings, reports, (&mut queued, &mut making), (now, is_ahead), end).await {
            Ok(()) => unclaimed = 0,
            Err(error) if unclaimed + 1 >= UNCLAIMED_MAX => return error,
            Err(error) => {
                unclaimed += 1;
                tracing::warn!(%error, "no report could be taken up");
            }
        }
        if let Err(error) = mail(settings, reports, &mut mailing).await {
            tracing::warn!(%error, "no report could be mailed");
        }
        tokio::select! {
            () = queued.granted() => {}
            () = making.ended() => {}
            () = mailing.ended() => {}
            () = tokio::time::sleep(settings.poll) => {}
        }
    }
}

/// Runs that wait for a slot of heavy reads. In the database they are also in the state waiting. So another process can take them over, and waiting uses up no
/// attempt.
#[derive(Default)]
struct Queued {
    tasks: JoinSet<Option<HeavySlot>>,
    runs: HashMap<Id, (i64, AbortHandle)>,
    /// Runs that have a slot and can begin.
    granted: Vec<(i64, HeavySlot)>,
}

impl Queued {
    fn enqueue(&mut self, reports: &Reports, run: i64, utility: ClientId) {
        let (queue, owner) = (reports.queue().clone(), Owner { user: LimitOwner::Run(run), utility });
        let handle = self.tasks.spawn(async move { queue.slot(owner).await.ok() });
        self.runs.insert(handle.id(), (run, handle));
    }

    fn len(&self) -> usize {
        self.runs.len() + self.granted.len()
    }

    fn ids(&self) -> Vec<i64> {
        self.runs.values().map(|(run, _)| *run).chain(self.granted.iter().map(|(run, _)| *run)).collect()
    }

    /// Removes runs that a user has stopped from the queue, so that they do not delay other runs of their utility.
    async fn leave_stopped(&mut self, reports: &Reports) -> store::Result<()> {
        if self.runs.is_empty() {
            return Ok(());
        }
        let waiting = reports.records().report_runs_in(RunState::Waiting, &self.ids()).await?;
        self.runs.retain(|_, (run, handle)| {
            let is_waiting = waiting.contains(run);
            if !is_waiting {
                handle.abort();
            }
            is_waiting
        });
        Ok(())
    }

    /// Waits until one of the runs has a slot; forever if none waits.
    async fn granted(&mut self) {
        let Some(ended) = self.tasks.join_next_with_id().await else { return std::future::pending().await };
        let (id, slot) = ended.map_or_else(|error| (error.id(), None), |(id, slot)| (id, slot));
        // A stopped run is no longer among the runs. Its slot is returned here.
        if let (Some((run, _)), Some(slot)) = (self.runs.remove(&id), slot) {
            self.granted.push((run, slot));
        }
    }
}

/// The runs of this process, with their tasks.
#[derive(Default)]
struct Own {
    tasks: JoinSet<()>,
    ids: HashMap<Id, (i64, CancellationToken)>,
}

impl Own {
    fn spawn(&mut self, id: i64, stop: CancellationToken, task: impl Future<Output = ()> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.ids.insert(handle.id(), (id, stop));
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn ids(&self) -> Vec<i64> {
        self.ids.values().map(|(id, _)| *id).collect()
    }

    /// Cancels tasks whose runs are no longer in progress in the database, for example because a user has stopped them. Their threads may not
    /// store another piece for a while.
    async fn stop_others(&self, reports: &Reports) -> store::Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let under_way = reports.records().report_runs_in(RunState::Running, &self.ids()).await?;
        self.ids.values().filter(|(id, _)| !under_way.contains(id)).for_each(|(_, stop)| stop.cancel());
        Ok(())
    }

    /// Waits until one of the tasks has ended; forever if there is none.
    async fn ended(&mut self) {
        let Some(ended) = self.tasks.join_next_with_id().await else { return std::future::pending().await };
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.ids.remove(&id);
    }
}

/// Takes over unfinished runs of other processes, including one that has not noticed yet that it is no longer the leader.
async fn take_up(reports: &Reports, now: Micros, (making, mailing): (&Own, &Own)) -> store::Result<()> {
    let left = reports.records().take_up_report_runs(now, LEFT, (&making.ids(), &mailing.ids())).await?;
    if left != store::report::UnfinishedWork::default() {
        tracing::warn!(left.again, left.failed, left.unsure, "reports were left in the middle");
    }
    making.stop_others(reports).await
}

/// Deletes expired files, links and runs. Returns whether all of them are deleted. After a failure, the next round tries again.
async fn sweep(reports: &Reports, now: Micros) -> bool {
    match reports.records().expire_report_files(now, RUNS_MAX, SWEPT_MAX).await {
        Ok(gone) => {
            metrics::counter!("report_files_expired_total").increment(gone.files.unsigned_abs());
            gone.is_all
        }
        Err(error) => {
            tracing::warn!(%error, "files of reports that are over were not let go");
            true
        }
    }
}

/// Starts runs that have a slot of heavy reads, and enqueues runs that can be created.
async fn begin(
    settings: &ScheduleSettings,
    reports: &Reports,
    (queued, making): (&mut Queued, &mut Own),
    (now, is_ahead): (Micros, bool),
    end: &CancellationToken,
) -> store::Result<()> {
    queued.leave_stopped(reports).await?;
    while let Some((run, slot)) = queued.granted.pop() {
        // Without a claim the slot is returned.
        let Some(of) = reports.records().claim_report_run(run, now, is_ahead).await? else { continue };
        let stop = end.child_token();
        making.spawn(of.id, stop.clone(), one(settings.clone(), reports.clone(), (of, slot), stop));
    }
    let most = MAKING_MAX.min(reports.queue().slots().saturating_sub(1)).max(1);
    while queued.len() + making.len() < most {
        let Some((run, utility)) = reports.records().next_report_run(now, &queued.ids()).await? else { break };
        queued.enqueue(reports, run, utility);
    }
    Ok(())
}

/// Starts runs that can be mailed.
async fn mail(settings: &ScheduleSettings, reports: &Reports, mailing: &mut Own) -> store::Result<()> {
    while mailing.len() < MAILING_MAX {
        let Some(of) = reports.records().claim_report_mail().await? else { break };
        let (settings, reports) = (settings.clone(), reports.clone());
        mailing.spawn(of.id, CancellationToken::new(), async move {
            let (to, trouble) = post(&reports, &settings, &of).await;
            let word = if trouble.is_empty() { "sent" } else { "failed" };
            metrics::counter!("report_mails_total", "outcome" => word).increment(1);
            while let Err(error) = reports.records().end_report_mail(&of, &to, &trouble).await {
                if is_hopeless(&error).await {
                    return;
                }
            }
        });
    }
    Ok(())
}

/// Decides everything that is due.
async fn settle(reports: &Reports, now: Micros) {
    match reports.records().withdraw_early_report_runs((now, now.plus_millis(AHEAD_MS)), EARLY_MAX).await {
        Ok(0) => {}
        Ok(runs) => tracing::warn!(runs, "reports that a clock which was ahead has had made are made anew"),
        Err(error) => tracing::warn!(%error, "reports that a clock which was ahead has had made were not withdrawn"),
    }
    let due = match reports.records().due_report_schedules(now, SETTLED_MAX).await {
        Ok(due) => due,
        Err(error) => return tracing::warn!(%error, "which reports are due cannot be read"),
    };
    for schedule in due {
        let Some(decided) = decided(&schedule, now) else {
            tracing::error!(schedule = schedule.id, "a schedule of reports cannot be read");
            continue;
        };
        // A schedule that was changed at this moment is read again in the next round.
        if let Err(error) = reports.records().settle_report_schedule(&schedule, &decided, now).await {
            tracing::error!(schedule = schedule.id, %error, "what becomes of a schedule of reports was not entered");
        }
    }
}

fn decided(of: &DueSchedule, now: Micros) -> Option<Settled> {
    let rhythm = rhythm(&of.every, of.weekday, of.day_of_month, of.at_minute)?;
    let days = Days::parse(&of.period)?;
    let calendar = Calendar::named(&of.zone, now);
    let decision = rhythm.decide(of.since, of.settled, now, calendar.zone());
    let over = |due: Micros| if of.is_real_time { None } else { days.over(due, calendar.zone()) };
    let period = |due: Micros| over(due).map(period_text).unwrap_or_default();
    let oldest = decision.missed.len().saturating_sub(1);
    let missed = decision.missed.iter().enumerate().map(|(nth, due)| {
        let more = decision.more && nth == oldest;
        let message = if more { format!("{MISSED} So were others before it.") } else { MISSED.to_owned() };
        (*due, period(*due), message)
    });
    Some(Settled {
        run: decision.run.map(|due| DueRun {
            due,
            period: period(due),
            ready: over(due).and_then(|period| ready(period, calendar.zone())),
        }),
        missed: missed.collect(),
        settled: decision.settled,
        next_due: decision.next,
    })
}

/// Creates a run and stores how it ended. The time limit does not include the wait for the slot.
async fn one(settings: ScheduleSettings, reports: Reports, (of, slot): (Claimed, HeavySlot), end: CancellationToken) {
    let made = async {
        let _slot = slot;
        make(&reports, &settings, &of, end.clone()).await
    };
    let made = std::panic::AssertUnwindSafe(made).catch_unwind();
    let made = tokio::time::timeout(settings.made_within, made).await.unwrap_or_else(|_| {
        // Stops the thread that writes.
        end.cancel();
        let minutes = settings.made_within.as_secs().div_ceil(60);
        Ok(Err(NoFileReason::Failed(format!(
            "The report took longer than {minutes} minutes and was given up: ask for fewer days or places."
        ))))
    });
    let finished = match made {
        Ok(Ok(finished)) => finished,
        Ok(Err(NoFileReason::Failed(why))) => Finished::Failed(why),
        Ok(Err(NoFileReason::Lost)) => return,
        Err(_) => Finished::Failed("The report could not be made: something went wrong.".to_owned()),
    };
    let word = match &finished {
        Finished::Done { .. } => "done",
        Finished::Empty => "empty",
        Finished::Failed(why) => {
            tracing::warn!(run = of.id, why, "a scheduled report was not made");
            "failed"
        }
    };
    metrics::counter!("report_runs_total", "state" => word).increment(1);
    while let Err(error) = reports.records().finish_report_run(&of, &finished, (settings.clock)()).await {
        if is_hopeless(&error).await {
            return;
        }
    }
}

/// Waits before the next attempt to store how a run ended, and returns whether to give up. Attempts end when one succeeds, when this
/// process stops, or when the error is permanent.
async fn is_hopeless(error: &store::Error) -> bool {
    tracing::warn!(%error, "how a report ended was not entered");
    tokio::time::sleep(AGAIN).await;
    error.is_permanent()
}
