//! The linear program of a day (docs/reference/low-carbon.md, The plan), and the solver for it.

use good_lp::solvers::microlp::{MicroLpProblem, microlp};
use good_lp::variable::UnsolvedProblem;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, Solver, SolverModel, Variable, WithTimeLimit, constraint, variable,
};

use crate::parameters::Window;
use crate::problem::{Ending, Problem};
use crate::{SLOTS, Slots};

/// Time limit of the solver, s; a day takes milliseconds.
const SECONDS_MAX: f64 = 10.0;

/// Smallest meaningful value, kW or kWh. Smaller ones cause problems with the absolute tolerances of the solver and count as 0. The import limit may be
/// exceeded by this amount, and the final energy may deviate by it, so that no plan fails because of rounding.
const ALLOWANCE: f64 = 1e-6;

/// Cost of a curtailed kWh relative to the wear of the battery. It is too small to move energy, and large enough to prefer solar power over a grid with a price
/// of 0. It only decides between plans of equal cost, and is not part of any reported cost.
const CURTAILED_WEAR: f64 = 0.1;

/// The simplex solver, in Rust without a C library.
pub(crate) fn simplex(problem: UnsolvedProblem) -> MicroLpProblem {
    microlp(problem).with_time_limit(SECONDS_MAX)
}

/// The constraint that may be violated, to find the smallest violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relaxed {
    /// None: the plan with the least cost.
    Nothing,
    /// The import limit may be exceeded, with the least total excess; the final energy is free.
    ImportLimit,
    /// The final energy may be missed, by the smallest amount.
    Ending,
}

/// The solution of the solver.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// Cost including wear. If a constraint is relaxed, its violation: kW summed over the half hours, or kWh.
    pub(crate) objective: f64,
    /// Charging power, kW.
    pub(crate) charge: Slots,
    /// Discharging power, kW.
    pub(crate) discharge: Slots,
    /// Curtailed solar power, kW.
    pub(crate) curtailed: Slots,
    /// Import above the limit, kW.
    pub(crate) beyond_limit: Slots,
    /// Energy in the battery at the start of each half hour and at the end of the last, kWh.
    pub(crate) stored: [f64; SLOTS + 1],
}

/// The variables of one half hour; `None` if the value is always 0.
struct Slot {
    import: Variable,
    export: Option<Variable>,
    charge: Option<Variable>,
    discharge: Option<Variable>,
    curtailed: Option<Variable>,
    beyond_limit: Option<Variable>,
    /// Energy at the end of the half hour.
    stored: Variable,
}

impl Slot {
    fn new(problem: &Problem, slot: usize, relaxed: Relaxed, variables: &mut ProblemVariables) -> Self {
        let parameters = &problem.parameters;
        let mut up_to = |most: f64| (most > 0.0).then(|| variables.add(variable().min(0.0).max(most)));
        let is_there = problem.hours[slot] > 0.0;
        let works = is_there && parameters.capacity_max_kwh - parameters.capacity_min_kwh > ALLOWANCE;
        let rate = |rate_kw: f64, window: Window| if works && window.holds(slot) { measurable(rate_kw) } else { 0.0 };
        let charge = up_to(rate(parameters.charge_rate_kw, parameters.charging));
        let discharge = up_to(rate(parameters.discharge_rate_kw, parameters.discharging));
        let curtailed = up_to(measurable(problem.pv_kw[slot]));
        let import = variable().min(0.0);
        Self {
            import: variables.add(problem.import_limit_kw.map_or(import.clone(), |limit| import.max(limit + ALLOWANCE))),
            export: (is_there && problem.export_price.is_some()).then(|| variables.add(variable().min(0.0))),
            charge,
            discharge,
            curtailed,
            beyond_limit: (relaxed == Relaxed::ImportLimit).then(|| variables.add(variable().min(0.0))),
            stored: variables.add(variable().min(parameters.capacity_min_kwh).max(parameters.capacity_max_kwh)),
        }
    }

    fn cost(&self, problem: &Problem, slot: usize) -> Expression {
        let export_price = problem.export_price.as_ref().map_or(0.0, |prices| prices[slot]);
        let through = term(self.charge) + term(self.discharge);
        problem.hours[slot] * (problem.import_price[slot] * self.import - export_price * term(self.export) + problem.wear_per_kwh * through)
    }
}

/// Returns the cost term that decides between plans of equal cost.
fn waste(slots: &[Slot], problem: &Problem) -> Expression {
    slots.iter().zip(problem.hours).map(|(of, hours)| hours * CURTAILED_WEAR * problem.wear_per_kwh * term(of.curtailed)).sum()
}

/// Returns the value, or 0 if it is too small.
fn measurable(figure: f64) -> f64 {
    if figure > ALLOWANCE { figure } else { 0.0 }
}

fn term(variable: Option<Variable>) -> Expression {
    variable.map_or_else(Expression::default, Expression::from)
}

/// Solves a day with the given solver.
pub(crate) fn solve<S>(problem: &Problem, relaxed: Relaxed, solver: S) -> Result<Found, ResolutionError>
where
    S: Solver,
    S::Model: SolverModel<Error = ResolutionError>,
{
    let mut variables = ProblemVariables::new();
    let slots: Vec<Slot> = (0..SLOTS).map(|slot| Slot::new(problem, slot, relaxed, &mut variables)).collect();
    let short = (relaxed == Relaxed::Ending).then(|| variables.add(variable().min(0.0)));
    let objective: Expression = match relaxed {
        Relaxed::Nothing => slots.iter().enumerate().map(|(slot, of)| of.cost(problem, slot)).sum(),
        Relaxed::ImportLimit => slots.iter().map(|of| term(of.beyond_limit)).sum(),
        Relaxed::Ending => term(short),
    };
    let smallest = if relaxed == Relaxed::Nothing { objective.clone() + waste(&slots, problem) } else { objective.clone() };
    let mut model = variables.minimise(smallest).using(solver);
    let mut before = Expression::from(problem.initial_kwh);
    for (slot, of) in slots.iter().enumerate() {
        let drawn = of.import + term(of.beyond_limit) - term(of.export);
        let needed = measurable(problem.demand_kw[slot]) - measurable(problem.pv_kw[slot]) + term(of.curtailed) + term(of.charge)
            - term(of.discharge);
        model.add_constraint(constraint!(drawn == needed));
        let kept = problem.charge_efficiency * term(of.charge) - (1.0 / problem.discharge_efficiency) * term(of.discharge);
        let gained = problem.hours[slot] * kept;
        model.add_constraint(constraint!(of.stored == before + gained));
        before = of.stored.into();
    }
    match problem.ending {
        _ if relaxed == Relaxed::ImportLimit => {}
        Ending::Free => {}
        // Charging costs money, so the battery never ends with more energy than required.
        Ending::AsBegun => {
            model.add_constraint(constraint!(before + term(short) >= problem.initial_kwh - ALLOWANCE));
        }
        Ending::AtLeast(kwh) => {
            model.add_constraint(constraint!(before + term(short) >= kwh - ALLOWANCE));
        }
    }
    let solution = model.solve()?;
    let value = |variable: Option<Variable>| variable.map_or(0.0, |variable| solution.value(variable));
    let each = |of: fn(&Slot) -> Option<Variable>| std::array::from_fn(|slot| value(of(&slots[slot])));
    Ok(Found {
        objective: solution.eval(&objective),
        charge: each(|slot| slot.charge),
        discharge: each(|slot| slot.discharge),
        curtailed: each(|slot| slot.curtailed),
        beyond_limit: each(|slot| slot.beyond_limit),
        stored: std::array::from_fn(|index| if index == 0 { problem.initial_kwh } else { solution.value(slots[index - 1].stored) }),
    })
}

#[cfg(test)]
mod tests;
