//! The figures of a block: as steps of 16 bits, or exact where steps would be too coarse.

use super::entries::{entry, trimmed};

/// Largest error of a step, as a share of the value.
const SHARE_MAX: f64 = 1.0 / 5_000.0;
/// Largest error of a step, as a share of the usual span, which is the distance between the 10th and the 90th percentile of the block.
const SPAN_SHARE_MAX: f64 = 1.0 / 2_000.0;
/// Number of steps between the smallest and the largest figure, at most.
const STEPS_MAX: f64 = 65_534.0;
/// Largest multiple of a step that a double holds exactly, with room for the difference of two.
const MULTIPLE_MAX: f64 = 4_503_599_627_370_496.0;

/// The figures of a bucket with a usable value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    pub(super) last: f64,
    pub(super) first: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) mean: f64,
}

impl Figure {
    pub(super) fn is_finite(&self) -> bool {
        self.all().iter().all(|value| value.is_finite())
    }

    fn all(&self) -> [f64; 5] {
        [self.last, self.first, self.min, self.max, self.mean]
    }

    fn map(self, value: impl Fn(f64) -> f64) -> Self {
        let [last, first, min, max, mean] = self.all().map(value);
        Self { last, first, min, max, mean }
    }
}

/// One array for each figure, by slot. An entry is `None` if it can be derived from other entries, see [`super`].
#[derive(Debug, Clone, PartialEq)]
pub struct Figures<T> {
    /// The last usable value.
    pub last: Vec<Option<T>>,
    /// The first usable value.
    pub first: Vec<Option<T>>,
    /// The smallest usable value.
    pub min: Vec<Option<T>>,
    /// The largest usable value.
    pub max: Vec<Option<T>>,
    /// The mean over time.
    pub mean: Vec<Option<T>>,
}

/// The figures of a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// No bucket has a usable value.
    Absent,
    /// A figure is `base + step * entry`.
    Steps {
        /// The figure of entry 0; a multiple of `step`, unless that is 0.
        base: f64,
        /// A power of two; 0 if all figures are equal.
        step: f64,
        /// Multiples of `step`.
        figures: Figures<i16>,
    },
    /// Figures that are not rounded to steps. Used for counters, so that differences between readings are exact, and for blocks with a spike, because the steps
    /// would make the other figures too coarse.
    Exact(Figures<f64>),
}

impl Values {
    pub(super) fn pack(figures: &[Option<Figure>]) -> Self {
        let known: Vec<Figure> = figures.iter().flatten().copied().collect();
        let Some(scale) = Scale::of(&known) else { return Self::Absent };
        match scale {
            Scale::Steps { step, offset } => {
                let steps = |value: f64| if step > 0.0 { (value / step).round() - offset } else { 0.0 };
                let base = if step > 0.0 { offset * step } else { known[0].last };
                Self::Steps {
                    base,
                    step,
                    figures: reduced(figures, |figure| figure.map(steps).all().map(|steps| steps as i16), i16::min, i16::max),
                }
            }
            Scale::Exact => Self::Exact(reduced(figures, Figure::all, f64::min, f64::max)),
        }
    }

    pub(super) fn unpack(&self, slots: usize) -> Vec<Option<Figure>> {
        match self {
            Self::Absent => vec![None; slots],
            Self::Steps { base, step, figures } => {
                let value = |steps: i16| base + step * f64::from(steps);
                let all = |all: [i16; 5]| all.map(value);
                (0..slots).map(|slot| restored(figures, slot, i16::min, i16::max).map(all).map(of_all)).collect()
            }
            Self::Exact(figures) => (0..slots).map(|slot| restored(figures, slot, f64::min, f64::max).map(of_all)).collect(),
        }
    }
}

fn of_all([last, first, min, max, mean]: [f64; 5]) -> Figure {
    Figure { last, first, min, max, mean }
}

/// Returns the arrays, without the entries that can be derived from other entries.
fn reduced<T: Copy + PartialEq>(
    figures: &[Option<Figure>],
    all: impl Fn(&Figure) -> [T; 5],
    smaller: impl Fn(T, T) -> T,
    larger: impl Fn(T, T) -> T,
) -> Figures<T> {
    let all: Vec<Option<[T; 5]>> = figures.iter().map(|figure| figure.as_ref().map(&all)).collect();
    let column = |entry: &dyn Fn([T; 5]) -> Option<T>| trimmed(all.iter().map(|all| all.and_then(entry)));
    Figures {
        last: column(&|[last, ..]| Some(last)),
        first: column(&|[last, first, ..]| (first != last).then_some(first)),
        min: column(&|[last, first, min, ..]| (min != smaller(first, last)).then_some(min)),
        max: column(&|[last, first, _, max, _]| (max != larger(first, last)).then_some(max)),
        mean: column(&|[_, first, .., mean]| (mean != first).then_some(mean)),
    }
}

fn restored<T: Copy>(figures: &Figures<T>, slot: usize, smaller: impl Fn(T, T) -> T, larger: impl Fn(T, T) -> T) -> Option<[T; 5]> {
    let last = entry(&figures.last, slot)?;
    let first = entry(&figures.first, slot).unwrap_or(last);
    let min = entry(&figures.min, slot).unwrap_or_else(|| smaller(first, last));
    let max = entry(&figures.max, slot).unwrap_or_else(|| larger(first, last));
    Some([last, first, min, max, entry(&figures.mean, slot).unwrap_or(first)])
}

enum Scale {
    /// Entry 0 is `offset` steps.
    Steps {
        step: f64,
        offset: f64,
    },
    Exact,
}

impl Scale {
    /// Returns the scale of figures; `None` if there are none.
    fn of(figures: &[Figure]) -> Option<Self> {
        let values = || figures.iter().flat_map(Figure::all);
        let (min, max) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        if min >= max {
            return Some(Self::Steps { step: 0.0, offset: 0.0 });
        }
        if is_counter(figures) {
            return Some(Self::Exact);
        }
        let Some(step) = smallest_step(min, max) else { return Some(Self::Exact) };
        let error_max = usual_span(figures) * SPAN_SHARE_MAX;
        let is_close = |value: f64| {
            let error = ((value / step).round() * step - value).abs();
            error <= error_max.max(value.abs() * SHARE_MAX)
        };
        // The smallest figure is entry -32767.
        Some(if values().all(is_close) { Self::Steps { step, offset: (min / step).round() + STEPS_MAX / 2.0 } } else { Self::Exact })
    }
}

/// Returns the smallest power of two that divides the range into at most [`STEPS_MAX`] steps; `None` if a double cannot hold such steps.
fn smallest_step(min: f64, max: f64) -> Option<f64> {
    let least = (max - min) / STEPS_MAX;
    if !least.is_normal() {
        return None;
    }
    // A double without its fraction is the power of two at or below it.
    let mut step = f64::from_bits(least.to_bits() & !((1 << 52) - 1));
    while (max / step).round() - (min / step).round() > STEPS_MAX {
        step *= 2.0;
    }
    (max.abs().max(min.abs()) / step < MULTIPLE_MAX).then_some(step)
}

/// Returns whether the values increase like those of a counter. Such values may fall by rollovers and restarts of the device: once in a block, or once in ten
/// rises.
fn is_counter(figures: &[Figure]) -> bool {
    let falls_within = figures.iter().filter(|figure| figure.min < figure.first || figure.max > figure.last).count();
    let falls_between = figures.windows(2).filter(|pair| pair[1].first < pair[0].last).count();
    let rises_within = figures.iter().filter(|figure| figure.last > figure.first).count();
    let rises_between = figures.windows(2).filter(|pair| pair[1].first > pair[0].last).count();
    let falls = falls_within + falls_between;
    falls <= 1 || falls * 10 <= rises_within + rises_between
}

/// Returns the difference between the 10th and the 90th percentile of the last values.
fn usual_span(figures: &[Figure]) -> f64 {
    let mut lasts: Vec<f64> = figures.iter().map(|figure| figure.last).collect();
    lasts.sort_unstable_by(f64::total_cmp);
    let at = |tenths: usize| lasts[(lasts.len() - 1) * tenths / 10];
    at(9) - at(1)
}
