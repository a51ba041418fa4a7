//! OpenScop and isl text: programs and schedules exchanged with other polyhedral tools.
