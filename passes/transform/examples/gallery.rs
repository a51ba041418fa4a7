//! Draws every tile shape from its sets, with the script that makes it and the loops it becomes.
//!
//! `cargo run -p tilia-transform --example gallery` writes `docs/gallery.md` and the pictures in `docs/gallery/`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use svg::Document;
use svg::node::element::path::Data;
use svg::node::element::{Path, Rectangle, Text};
use tilia_diag::Loc;
use tilia_presburger::{Budget, Id, Int, Map};
use tilia_schedule::{Execution, ScheduleTree, Step};
use tilia_transform::{Judge, Pairs, Script};

/// A stencil in one dimension: each point needs itself and its neighbours of the step before.
const STENCIL: &str = r#"
domain: "[T, N] -> { S[t, i] : 0 <= t < T and 0 <= i < N }"
child:
  schedule: "[T, N] -> t[{ S[t, i] -> [(t)] }]"
  child:
    schedule: "[T, N] -> i[{ S[t, i] -> [(i)] }]"
"#;
const STENCIL_DEPS: &str = "[T, N] -> { S[t, i] -> S[t + 1, j] : 0 <= t < T - 1 and 0 <= i, j < N and i - 1 <= j <= i + 1 }";

/// Independent points.
const PLAIN_DEPS: &str = "[T, N] -> { S[t, i] -> S[t, i] : false }";

/// One picture.
struct Shape {
    file: &'static str,
    title: &'static str,
    text: &'static str,
    deps: &'static str,
    script: &'static str,
    /// Steps of a key that say when a tile runs; tiles with the same ones may run together.
    front: usize,
}

const SHAPES: [Shape; 7] = [
    Shape {
        file: "rectangles",
        title: "Rectangles",
        text: "Tiles of a permutable band.",
        deps: PLAIN_DEPS,
        script: r#"[{ "do": "tile", "loops": ["t", "i"], "sizes": [6, 8] }]"#,
        front: 0,
    },
    Shape {
        file: "levels",
        title: "Two levels, full tiles apart",
        text: "Small tiles in large ones; whole small tiles are generated without bounds to compare.",
        deps: PLAIN_DEPS,
        script: r#"[{ "do": "tile", "loops": ["t", "i"], "sizes": [[12, 16], [3, 4]], "full": true }]"#,
        front: 0,
    },
    Shape {
        file: "register",
        title: "Register tile",
        text: "Constant tiles, written out where they are whole.",
        deps: PLAIN_DEPS,
        script: r#"[{ "do": "register_tile", "loops": ["t", "i"], "sizes": [2, 4], "vector": "i" }]"#,
        front: 0,
    },
    Shape {
        file: "wavefront",
        title: "Parallelograms in wavefronts",
        text: "The space loop is skewed so that tiles are legal; tiles of one colour run together. Few do at the start and at the end.",
        deps: STENCIL_DEPS,
        script: r#"[
  { "do": "skew", "loop": "i", "by": "t" },
  { "do": "tile", "loops": ["t", "i"], "sizes": [8, 8] },
  { "do": "wavefront", "loops": ["t_t", "i_t"] },
  { "do": "band", "loops": ["t_t"] }
]"#,
        front: 1,
    },
    Shape {
        file: "diamond",
        title: "Diamonds",
        text: "All tiles of a wavefront start together.",
        deps: STENCIL_DEPS,
        script: r#"[{ "do": "diamond", "loops": ["t", "i"], "sizes": [8, 8] }]"#,
        front: 1,
    },
    Shape {
        file: "split",
        title: "Split tiles",
        text: "In each time band first the upright trapezoids, then the inverted ones.",
        deps: STENCIL_DEPS,
        script: r#"[{ "do": "split_tile", "loops": ["t", "i"], "sizes": [6, 14] }]"#,
        front: 2,
    },
    Shape {
        file: "hexagon",
        title: "Hexagons",
        text: "Two phases of hexagons; the base makes tiles wider than diamonds without making them taller.",
        deps: STENCIL_DEPS,
        script: r#"[{ "do": "hexagonal", "loops": ["t", "i"], "half": 4, "base": 6 }]"#,
        front: 2,
    },
];

const CELL: i64 = 10;
const STEPS: i64 = 26;
const POINTS: i64 = 66;

fn main() -> Result<(), Box<dyn Error>> {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::create_dir_all(docs.join("gallery"))?;
    let mut page = String::from(
        "# Gallery of tile shapes\n\nMade by `cargo run -p tilia-transform --example gallery`: each picture is drawn from the schedule tree, the loops are generated from it. Time runs down, space to the right; \
         tiles are outlined. Where tiles wait for each other, tiles of one colour run together.\n",
    );
    for shape in &SHAPES {
        let tree = transformed(shape)?;
        let params = [(Id::new("T"), Int::from(STEPS)), (Id::new("N"), Int::from(POINTS))];
        let all = tree.executions(&params, 100_000, &Budget::unlimited())?;
        let picture = draw(shape, &all)?;
        svg::save(docs.join("gallery").join(format!("{}.svg", shape.file)), &picture)?;
        let (ast, _) = tilia_astgen::generate(
            &tree,
            &"[T, N] -> { : T >= 1 and N >= 1 }".parse()?,
            &tilia_astgen::Options::default(),
            &Budget::default(),
        )?;
        write!(
            page,
            "\n## {}\n\n{}\n\n![{}](gallery/{}.svg)\n\n```json\n{}\n```\n\n```text\n{}\n```\n",
            shape.title,
            shape.text,
            shape.title,
            shape.file,
            shape.script,
            ast.to_string().trim_end()
        )?;
    }
    std::fs::write(docs.join("gallery.md"), page)?;
    Ok(())
}

fn transformed(shape: &Shape) -> Result<ScheduleTree, Box<dyn Error>> {
    let tree: ScheduleTree = STENCIL.parse()?;
    let script = Script::parse(shape.file, shape.script).map_err(|d| d.iter().map(ToString::to_string).collect::<String>())?;
    let judge = Judge {
        scop: &Id::new("gallery"),
        stmts: &[(Id::new("S"), Loc::unknown())],
        pairs: &Pairs::from_maps(vec![shape.deps.parse::<Map>()?]),
        only: true,
        budget: &Budget::default(),
    };
    Ok(script.apply(&tree, &judge).map_err(|d| d.to_string())?.tree)
}

/// The tile of an execution: its position but for the points' own values.
fn tile(shape: &Shape, e: &Execution) -> Vec<Step> {
    let points = if shape.file == "register" { 2 } else { 1 };
    e.key[..e.key.len().saturating_sub(points)].to_vec()
}

/// Colours of times at which tiles run, and of tiles that needn't wait.
const HUES: [u16; 6] = [205, 28, 120, 275, 50, 350];

fn draw(shape: &Shape, all: &[Execution]) -> Result<Document, Box<dyn Error>> {
    let mut cells: BTreeMap<(i64, i64), Vec<Step>> = BTreeMap::new();
    for e in all {
        let at = |k: usize| e.args[k].to_i64().ok_or("a coordinate is too large");
        cells.insert((at(0)?, at(1)?), tile(shape, e));
    }
    let mut tiles: Vec<&Vec<Step>> = cells.values().collect();
    tiles.sort();
    tiles.dedup();
    let mut fronts: Vec<&[Step]> = tiles.iter().map(|t| &t[..shape.front]).collect();
    fronts.dedup();
    let (width, height) = (CELL * (POINTS + 3), CELL * (STEPS + 3));
    let mut picture = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .set("font-size", 11);
    for (&(t, i), own) in &cells {
        // One rectangle for the part of a row that is in one tile.
        if cells.get(&(t, i - 1)) == Some(own) {
            continue;
        }
        let run = (i..).take_while(|&k| cells.get(&(t, k)) == Some(own)).count();
        let front = fronts.iter().position(|f| own.starts_with(f)).unwrap_or(0);
        let number = tiles.binary_search(&own).unwrap_or(0);
        let hue = if shape.front == 0 { HUES[0] } else { HUES[front % HUES.len()] };
        let light = 78 + 8 * (number % 2);
        let row = Rectangle::new()
            .set("x", CELL * (i + 2))
            .set("y", CELL * (t + 2))
            .set("width", CELL * i64::try_from(run)?)
            .set("height", CELL)
            .set("fill", format!("hsl({hue}, 70%, {light}%)"));
        picture = picture.add(row);
    }
    picture = picture.add(Path::new().set("d", outlines(&cells)).set("stroke", "#333").set("fill", "none"));
    let caption = |text: &str, x: i64, y: i64| Text::new(text).set("x", x).set("y", y).set("fill", "#777");
    Ok(picture.add(caption("i", CELL * 3, CELL + 4)).add(caption("t", CELL / 2, CELL * 3)))
}

/// Lines where the neighbour to the right or below is in another tile.
fn outlines(cells: &BTreeMap<(i64, i64), Vec<Step>>) -> Data {
    let mut lines = Data::new();
    for (&(t, i), own) in cells {
        let differs = |next: (i64, i64)| cells.get(&next).is_some_and(|n| n != own);
        if differs((t, i + 1)) {
            lines = lines.move_to((CELL * (i + 3), CELL * (t + 2))).vertical_line_by(CELL);
        }
        if differs((t + 1, i)) {
            lines = lines.move_to((CELL * (i + 2), CELL * (t + 3))).horizontal_line_by(CELL);
        }
    }
    lines
}
