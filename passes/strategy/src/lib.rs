//! What a scheduling strategy is: configuration files, scripts, and the trait that both implement.
