//! Prints the program of a seed: `print_case SEED [everything|affine|small|configurations|temporaries]`.

use tilia_gen::{Case, Profile};

fn main() {
    let mut args = std::env::args().skip(1);
    let seed = args.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let profile = match args.next().as_deref() {
        Some("affine") => Profile::affine(),
        Some("small") => Profile::small(),
        Some("configurations") => Profile::configurations(),
        Some("temporaries") => Profile::temporaries(),
        _ => Profile::everything(),
    };
    let case = Case::from_seed(seed, &profile);
    print!("{}", case.mlir);
    for input in &case.inputs {
        println!("// {:?} {:?}", input.params, input.arrays);
    }
    println!("// {:?}", case.stats);
}
