//! Assigns a column to each bay: bays of a section are adjacent, sections are in order, and everything is as central as possible.
//!
//! Between two voltages is a zone with its own columns. The constraints "right of" form a graph. The leftmost and the rightmost column of each bay
//! are longest paths through it. The middle between the two is also a solution, and centres narrow rows above wide ones.

use std::collections::VecDeque;

use super::plan::{Bay, Hang, Plan, SymbolKind};
use crate::schema::Kv;

/// The columns and rows of a layout.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    /// Sections of each voltage, the highest first, from left to right.
    pub levels: Vec<Vec<usize>>,
    /// Column of each bay; `None` for one that is left out.
    pub of_bay: Vec<Option<usize>>,
    /// First and last column of each section.
    pub extent: Vec<(usize, usize)>,
    /// Row of each section: sections of a voltage whose columns overlap are below each other.
    pub row: Vec<usize>,
    /// Couplers that cannot be drawn.
    pub left_out: Vec<usize>,
}

/// Computes the columns of a plan. All sections that bays refer to must exist.
pub(super) fn find(plan: &Plan) -> Columns {
    let levels = levels(plan);
    let mut level_of = vec![0; plan.sections.len()];
    let mut rank = vec![0; plan.sections.len()];
    for (level, sections) in levels.iter().enumerate() {
        for (at, section) in sections.iter().enumerate() {
            (level_of[*section], rank[*section]) = (level, at);
        }
    }
    let mut order = Order {
        plan,
        level_of: &level_of,
        rank: &rank,
        nodes: plan.bays.len(),
        edges: Vec::new(),
        couplers: vec![None; plan.bays.len()],
        stray: vec![false; plan.bays.len()],
    };
    let (anchors, left_out) = order.collect(&levels);
    let columns = order.solve();
    let mut of_bay: Vec<Option<usize>> = (0..plan.bays.len()).map(|bay| Some(columns[order.couplers[bay].unwrap_or(bay)])).collect();
    for bay in &left_out {
        of_bay[*bay] = None;
    }
    // Bays that do not fit into the order are placed to the right of all others.
    let next = columns.iter().max().map_or(0, |last| last + 1);
    for (column, bay) in (next..).zip((0..plan.bays.len()).filter(|bay| order.stray[*bay])) {
        of_bay[bay] = Some(column);
    }
    let extent = extents(plan, &of_bay, &anchors, &columns);
    let row = rows(&levels, &extent);
    Columns { levels, of_bay, extent, row, left_out }
}

/// Returns the sections of each voltage. The sections of the lowest voltage are in the given order. The sections of higher voltages are ordered by the sections
/// that they supply.
fn levels(plan: &Plan) -> Vec<Vec<usize>> {
    let kv = |section: usize| plan.sections[section].kv.map_or(0.0, Kv::get);
    let mut all: Vec<usize> = (0..plan.sections.len()).collect();
    all.sort_by(|a, b| kv(*b).total_cmp(&kv(*a)));
    let mut levels: Vec<Vec<usize>> = all.chunk_by(|a, b| kv(*a).to_bits() == kv(*b).to_bits()).map(<[usize]>::to_vec).collect();
    for at in (0..levels.len().saturating_sub(1)).rev() {
        let (upper, lower) = levels.split_at_mut(at + 1);
        let place = |section: usize| lower[0].iter().position(|other| *other == section);
        let middle = |section: usize| {
            let fed: Vec<usize> = plan
                .bays
                .iter()
                .filter_map(|bay| match bay.hang {
                    Hang::Between(high, low) if high == section => place(low),
                    _ => None,
                })
                .collect();
            if fed.is_empty() { f64::MAX } else { fed.iter().sum::<usize>() as f64 / fed.len() as f64 }
        };
        let mut keyed: Vec<(f64, usize)> = upper[at].iter().map(|section| (middle(*section), *section)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        upper[at] = keyed.into_iter().map(|(_, section)| section).collect();
    }
    levels
}

struct Order<'a> {
    plan: &'a Plan,
    level_of: &'a [usize],
    rank: &'a [usize],
    nodes: usize,
    /// From, to, smallest distance in columns.
    edges: Vec<(usize, usize, usize)>,
    /// For each coupler, the node of the gap in which it is drawn.
    couplers: Vec<Option<usize>>,
    /// Bays that do not fit into the order.
    stray: Vec<bool>,
}

impl Order<'_> {
    /// Collects all constraints. Returns a placeholder node for each section without bays (`None` for other sections), and the couplers of sections
    /// that are not adjacent.
    fn collect(&mut self, levels: &[Vec<usize>]) -> (Vec<Option<usize>>, Vec<usize>) {
        for zone in 0..=levels.len() {
            let chain = self.zone(zone);
            for pair in chain.windows(2) {
                self.edges.push((pair[0], pair[1], 1));
            }
        }
        let mut on: Vec<Vec<usize>> = vec![Vec::new(); self.plan.sections.len()];
        for (bay, _) in self.stray.iter().enumerate().filter(|(_, stray)| !**stray) {
            for section in hung(self.plan.bays[bay].hang).into_iter().flatten() {
                on[section].push(bay);
            }
        }
        let mut anchors = vec![None; on.len()];
        for (section, on) in on.iter_mut().enumerate().filter(|(_, on)| on.is_empty()) {
            anchors[section] = Some(self.nodes);
            on.push(self.nodes);
            self.nodes += 1;
        }
        for sections in levels {
            for (gap, pair) in sections.windows(2).enumerate() {
                self.gap(gap, pair[0], pair[1], &on);
            }
        }
        let couples = |bay: &usize| matches!(self.plan.bays[*bay].hang, Hang::Couple(..)) && self.couplers[*bay].is_none();
        (anchors, (0..self.plan.bays.len()).filter(couples).collect())
    }

    /// Adds the gap between two adjacent sections, which can contain a coupler. Constraints from the adjacent bays are sufficient, because gaps are
    /// ordered too.
    fn gap(&mut self, gap: usize, left: usize, right: usize, on: &[Vec<usize>]) {
        let couples = |bay: &Bay| matches!(bay.hang, Hang::Couple(a, b) if (a, b) == (left, right) || (b, a) == (left, right));
        let coupler = self.plan.bays.iter().position(couples);
        let room = coupler.map_or(1, |bay| (self.plan.bays[bay].items.len() * 40 + 80).div_ceil(280));
        let node = self.nodes;
        self.nodes += 1;
        if let Some(bay) = coupler {
            self.couplers[bay] = Some(node);
        }
        self.edges.extend(on[left].iter().map(|bay| (*bay, node, room)));
        // Without a coupler the gap needs no column.
        let after = if coupler.is_some() { room } else { 0 };
        self.edges.extend(on[right].iter().map(|bay| (node, *bay, after)));
        if gap > 0 {
            self.edges.push((node - 1, node, 1));
        }
    }

    /// Returns the bays between one voltage and the next, from left to right.
    fn zone(&mut self, zone: usize) -> Vec<usize> {
        let (mut through, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
        for (at, bay) in self.plan.bays.iter().enumerate() {
            match bay.hang {
                Hang::Between(high, low) if self.level_of[high] + 1 == zone => {
                    if self.level_of[low] == zone {
                        through.push((self.rank[high], self.rank[low], at));
                    } else {
                        self.stray[at] = true;
                    }
                }
                Hang::Below(section) if self.level_of[section] + 1 == zone => above.push((self.rank[section], at)),
                Hang::Above(section) if self.level_of[section] == zone => below.push((self.rank[section], at)),
                _ => {}
            }
        }
        through.sort_unstable();
        let mut furthest = 0;
        through.retain(|(_, low, at)| {
            let fits = *low >= furthest;
            if fits {
                furthest = *low;
            } else {
                self.stray[*at] = true;
            }
            fits
        });
        above.sort_unstable();
        below.sort_unstable();
        let mut keyed: Vec<(usize, usize, usize)> = through.iter().enumerate().map(|(index, (_, _, at))| (index * 2 + 1, 0, *at)).collect();
        keyed.extend(above.iter().map(|(section, at)| (through.iter().filter(|(high, _, _)| high <= section).count() * 2, *section, *at)));
        keyed.extend(below.iter().map(|(section, at)| (through.iter().filter(|(_, low, _)| low <= section).count() * 2, *section, *at)));
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, _, at)| at).collect()
    }

    /// Returns for each node the middle between its leftmost and rightmost column.
    fn solve(&self) -> Vec<usize> {
        let forward = self.longest(false);
        let width = forward.iter().copied().max().unwrap_or(0);
        let back = self.longest(true);
        forward.iter().zip(back).map(|(left, from_right)| usize::midpoint(*left, width.saturating_sub(from_right))).collect()
    }

    /// Returns the longest path to each node, or with `reverse` from each node.
    fn longest(&self, reverse: bool) -> Vec<usize> {
        let mut next: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.nodes];
        let mut waiting = vec![0_usize; self.nodes];
        for (from, to, weight) in &self.edges {
            let (from, to) = if reverse { (to, from) } else { (from, to) };
            next[*from].push((*to, *weight));
            waiting[*to] += 1;
        }
        let mut longest = vec![0; self.nodes];
        let mut ready: VecDeque<usize> = (0..self.nodes).filter(|node| waiting[*node] == 0).collect();
        while let Some(node) = ready.pop_front() {
            for (to, weight) in &next[node] {
                longest[*to] = longest[*to].max(longest[node] + weight);
                waiting[*to] -= 1;
                if waiting[*to] == 0 {
                    ready.push_back(*to);
                }
            }
        }
        longest
    }
}

fn hung(hang: Hang) -> [Option<usize>; 2] {
    match hang {
        Hang::Above(section) | Hang::Below(section) => [Some(section), None],
        Hang::Between(high, low) => [Some(high), Some(low)],
        Hang::Couple(..) => [None, None],
    }
}

/// First and last column of each section.
fn extents(plan: &Plan, of_bay: &[Option<usize>], anchors: &[Option<usize>], columns: &[usize]) -> Vec<(usize, usize)> {
    let mut extent: Vec<Option<(usize, usize)>> = anchors.iter().map(|node| node.map(|node| (columns[node], columns[node]))).collect();
    for (bay, column) in plan.bays.iter().zip(of_bay) {
        let Some(column) = *column else { continue };
        for section in hung(bay.hang).into_iter().flatten() {
            let (left, right) = extent[section].unwrap_or((column, column));
            extent[section] = Some((left.min(column), right.max(column)));
        }
    }
    extent.into_iter().map(|extent| extent.unwrap_or((0, 0))).collect()
}

/// Returns the row of each section: 0, or more if it would overlap another section of its voltage.
fn rows(levels: &[Vec<usize>], extent: &[(usize, usize)]) -> Vec<usize> {
    let mut row = vec![0; extent.len()];
    for sections in levels {
        let mut ends: Vec<Option<usize>> = Vec::new();
        let mut by_left = sections.clone();
        by_left.sort_by_key(|section| extent[*section].0);
        for section in by_left {
            let (left, right) = extent[section];
            let free = ends.iter().position(|end| end.is_none_or(|end| end < left)).unwrap_or(ends.len());
            if free == ends.len() {
                ends.push(None);
            }
            ends[free] = Some(right);
            row[section] = free;
        }
    }
    row
}

/// Returns the number of symbols of a bay on its high side: up to the transformer, or all.
pub(super) fn high_side(bay: &Bay) -> usize {
    bay.items.iter().position(|item| item.kind == SymbolKind::Transformer).unwrap_or(bay.items.len())
}
