use crate::read_fine;

#[test]
fn probe() {
    let files: Vec<_> = std::env::var("PROBE").unwrap().split(' ').map(String::from).collect();
    for f in files {
        let text = std::fs::read_to_string(&f).unwrap();
        for c in tilia_mlir::split_input(&text) {
            let i = tilia_mlir::import(&f, c.text, &tilia_mlir::ImportOptions { first_line: c.first_line });
            for d in &i.diagnostics {
                println!("{d}");
            }
            for d in tilia_program::verify(&i.program) {
                println!("VERIFY {f}: {d}");
            }
            if std::env::var("SHOW").is_ok() {
                println!("{}", i.program);
            }
        }
    }
    read_fine("");
}
