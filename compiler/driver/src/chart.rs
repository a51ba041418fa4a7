//! Ratios of a suite's kernels as a picture.

use crate::report::BenchReport;
use crate::suite::Suite;
use crate::table::{geometric_mean, rivals};
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Style, Text, Title};

/// Bars in the order of the compilers; these can be told apart by people who see few colours.
const COLOURS: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];

const BAR: f64 = 9.0;
const GAP: f64 = 10.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 52.0;
const HEIGHT: f64 = 300.0;
const NAMES: f64 = 110.0;

/// The scale of the ratios, logarithmic.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// From the power of ten at or below the least ratio to the one at or above the greatest; 1 is always there.
    fn over(ratios: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ratios
            .filter(|q| q.is_finite() && *q > 0.0)
            .fold((0.5f64, 2.0f64), |(l, h), q| (l.min(q), h.max(q)));
        let nice = |x: f64, up: bool| {
            let ten = 10f64.powf(x.log10().floor());
            let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * ten);
            let below = steps.iter().rev().find(|s| **s <= x * 1.000_001).copied();
            let above = steps.iter().find(|s| **s * 1.000_001 >= x).copied();
            if up { above } else { below }.unwrap_or(x)
        };
        Self {
            low: nice(low, false),
            high: nice(high, true),
        }
    }

    fn y(&self, ratio: f64) -> f64 {
        let part = (ratio.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        TOP + HEIGHT * (1.0 - part)
    }

    /// 1, 2 and 5 times powers of ten.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        let mut ten = 10f64.powf(self.low.log10().floor());
        while ten <= self.high {
            ticks.extend(
                [1.0, 2.0, 5.0]
                    .map(|s| s * ten)
                    .into_iter()
                    .filter(|t| (self.low * 0.999..=self.high * 1.001).contains(t)),
            );
            ten *= 10.0;
        }
        ticks
    }
}

fn label(x: f64, y: f64, text: &str, anchor: &str) -> Text {
    Text::new(text)
        .set("x", round(x))
        .set("y", round(y))
        .set("text-anchor", anchor.to_owned())
}

/// Tenths are enough, and keep the file the same wherever it is made.
fn round(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

/// A bar for each kernel and compiler: how many times as long as ours theirs takes, on a logarithmic scale; above the line at 1 ours is faster.
#[must_use]
pub fn chart(suite: &Suite, reports: &[BenchReport], title: &str) -> String {
    let rivals = rivals(reports);
    let scale = Scale::over(reports.iter().flat_map(|r| r.vs.values().copied()));
    let group = BAR * rivals.len().max(1) as f64 + GAP;
    // The legend needs room, too.
    let width = (LEFT + group * reports.len() as f64 + GAP).max(120.0 + 260.0 * rivals.len() as f64);
    let height = TOP + HEIGHT + NAMES;
    let mut picture = Document::new()
        .set("viewBox", (0.0, 0.0, round(width), round(height)))
        .set("font-family", "sans-serif")
        .set("font-size", 11)
        .add(Title::new(title))
        .add(Style::new("text { fill: #333 } .axis { stroke: #ddd } .one { stroke: #333 }"))
        .add(
            Rectangle::new()
                .set("width", round(width))
                .set("height", round(height))
                .set("fill", "#fff"),
        )
        .add(label(LEFT, 18.0, title, "start").set("font-size", 13));
    for tick in scale.ticks() {
        let one = (tick - 1.0).abs() < 1e-9;
        let y = round(scale.y(tick));
        picture = picture
            .add(
                Line::new()
                    .set("class", if one { "one" } else { "axis" })
                    .set("x1", LEFT)
                    .set("x2", round(width - GAP))
                    .set("y1", y)
                    .set("y2", y),
            )
            .add(label(LEFT - 6.0, y + 4.0, &format!("{tick}"), "end"));
    }
    let base = scale.y(1.0);
    for (n, report) in reports.iter().enumerate() {
        let left = LEFT + GAP / 2.0 + group * n as f64;
        let mut bars = Group::new();
        for (k, rival) in rivals.iter().enumerate() {
            let Some(&ratio) = report.vs.get(rival).filter(|q| q.is_finite() && **q > 0.0) else {
                continue;
            };
            let y = scale.y(ratio);
            let bar = Rectangle::new()
                .set("x", round(left + BAR * k as f64))
                .set("y", round(y.min(base)))
                .set("width", BAR - 1.0)
                .set("height", round((y - base).abs().max(0.5)))
                .set("fill", COLOURS[k % COLOURS.len()])
                .add(Title::new(format!("{} {}: {ratio:.2} times {rival}", report.kernel, report.size)));
            bars = bars.add(bar);
        }
        let (x, y) = (round(left + group / 2.0 - GAP / 2.0 + 4.0), TOP + HEIGHT + 8.0);
        let name = label(x, y, &report.kernel, "end").set("transform", format!("rotate(-60 {x} {y})"));
        picture = picture.add(bars).add(name);
    }
    for (k, rival) in rivals.iter().enumerate() {
        let x = LEFT + 260.0 * k as f64;
        let mean = geometric_mean(suite, reports, rival).map_or_else(String::new, |(m, n)| format!(", geometric mean of {n}: {m:.2}"));
        picture = picture
            .add(
                Rectangle::new()
                    .set("x", x)
                    .set("y", 28)
                    .set("width", 10)
                    .set("height", 10)
                    .set("fill", COLOURS[k % COLOURS.len()]),
            )
            .add(label(x + 15.0, 37.0, &format!("times {rival}{mean}"), "start"));
    }
    format!("{picture}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_holds_all_ratios_and_one() {
        let scale = Scale::over([0.3, 125.0].into_iter());
        assert_eq!((scale.low, scale.high), (0.2, 200.0));
        assert_eq!(scale.ticks(), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]);
        assert!(scale.y(0.3) > scale.y(1.0) && scale.y(1.0) > scale.y(125.0));
        let none = Scale::over(std::iter::empty());
        assert_eq!((none.low, none.high), (0.5, 2.0));
    }

    #[test]
    fn a_bar_for_each_ratio() {
        let suite: Suite = toml::from_str("suite = \"s\"\nkernel = []").unwrap();
        let report = BenchReport {
            kernel: "first".to_owned(),
            vs: [("clang".to_owned(), 3.0), ("gcc".to_owned(), f64::NAN)].into(),
            ..BenchReport::default()
        };
        let text = chart(&suite, &[report], "ratios");
        assert_eq!(text.matches("first : 3.00 times clang").count(), 1, "{text}");
        assert!(!text.contains("NaN") && text.contains("rotate(-60"), "{text}");
    }
}
