//! The machine: processes, images, disks, power. What really runs, whatever
//! the API says.

/// A timer of a machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineTimer {}
