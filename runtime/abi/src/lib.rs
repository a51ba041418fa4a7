//! tilia-abi
