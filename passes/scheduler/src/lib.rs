//! The configurable scheduler: one integer linear program for each dimension and component.
