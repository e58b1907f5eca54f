//! Local actions in a simulated substation: moving a switch, turning the local/remote switch, and causing faults.

use std::str::FromStr;
use std::time::Duration;

use grid::control::Throw;
use tokio::sync::mpsc;

/// Largest number of actions that wait for the RTU. At this number callers wait.
const TOUCHES: usize = 16;

/// The behaviour of a switch when it is commanded to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Behaviour {
    /// It moves.
    #[default]
    Normal,
    /// The RTU does not answer and does not act.
    Silent,
    /// The RTU accepts, but nothing moves.
    Stuck,
    /// The RTU fails once after the switch has started to move, and restarts.
    DiesHalfWay,
    /// The switch moves slowly.
    Slow(Duration),
    /// Writing the journal is slow.
    SlowDisk(Duration),
}

/// The error for an unknown name of a behaviour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of normal, silent, stuck, dies, slow:<milliseconds> and slow-disk:<milliseconds>")]
pub struct UnknownBehaviour(String);

impl FromStr for Behaviour {
    type Err = UnknownBehaviour;

    fn from_str(text: &str) -> Result<Self, UnknownBehaviour> {
        let unknown = || UnknownBehaviour(text.to_owned());
        Ok(match text.split_once(':') {
            None => match text {
                "normal" => Self::Normal,
                "silent" => Self::Silent,
                "stuck" => Self::Stuck,
                "dies" => Self::DiesHalfWay,
                _ => return Err(unknown()),
            },
            Some(("slow", ms)) => Self::Slow(Duration::from_millis(ms.parse().map_err(|_| unknown())?)),
            Some(("slow-disk", ms)) => Self::SlowDisk(Duration::from_millis(ms.parse().map_err(|_| unknown())?)),
            Some(_) => return Err(unknown()),
        })
    }
}

#[derive(Debug)]
pub(super) enum Touch {
    Behave(String, Behaviour),
    Throw(String, Throw),
    Local(bool),
    Fault(usize),
    Die,
}

/// The local controls of a substation. They have no effect after its RTU has ended.
#[derive(Debug, Clone)]
pub struct Panel {
    touches: mpsc::Sender<Touch>,
}

impl Panel {
    pub(super) fn new() -> (Self, mpsc::Receiver<Touch>) {
        let (touches, inbox) = mpsc::channel(TOUCHES);
        (Self { touches }, inbox)
    }

    /// Sets the behaviour of a switch for its next commands.
    pub async fn behave(&self, asset: &str, behaviour: Behaviour) {
        self.touch(Touch::Behave(asset.to_owned(), behaviour)).await;
    }

    /// Moves a switch locally.
    pub async fn throw(&self, asset: &str, to: Throw) {
        self.touch(Touch::Throw(asset.to_owned(), to)).await;
    }

    /// Sets the local/remote switch.
    pub async fn local(&self, local: bool) {
        self.touch(Touch::Local(local)).await;
    }

    /// Causes a fault on a feeder, counted from 0.
    pub async fn fault(&self, feeder: usize) {
        self.touch(Touch::Fault(feeder)).await;
    }

    /// Interrupts the supply of the RTU, which restarts on its own.
    pub async fn die(&self) {
        self.touch(Touch::Die).await;
    }

    async fn touch(&self, touch: Touch) {
        let _ = self.touches.send(touch).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaviours_have_names() {
        assert_eq!("dies".parse(), Ok(Behaviour::DiesHalfWay));
        assert_eq!("slow:12000".parse(), Ok(Behaviour::Slow(Duration::from_secs(12))));
        for wrong in ["", "Stuck", "slow", "slow:x", "fast:1"] {
            assert!(wrong.parse::<Behaviour>().is_err(), "{wrong}");
        }
    }
}
