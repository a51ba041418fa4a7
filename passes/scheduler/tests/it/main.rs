//! Schedules of whole programs.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]

mod configured;
mod fusion;
mod golden;
mod live;
mod options;
mod program;
mod random;
