//! Floats as C's `%g` writes them.

/// `x` with six significant digits, as `printf("%g")` and C++ streams write it.
#[must_use]
pub fn general(x: f64) -> String {
    const DIGITS: i32 = 6;
    let sign = if x.is_sign_negative() { "-" } else { "" };
    if x.is_nan() {
        return format!("{sign}nan");
    }
    if x.is_infinite() {
        return format!("{sign}inf");
    }
    if x == 0.0 {
        return format!("{sign}0");
    }
    // Rounded to six digits first: the exponent of the rounded number decides.
    let scientific = format!("{x:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
        trim(&format!("{x:.decimals$}")).to_owned()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    }
}

fn trim(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn as_printf() {
        let cases = [
            (1.0, "1"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.23457e+06"),
            (999_999.5, "1e+06"),
            (-0.0, "-0"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1e300, "1e+300"),
            (4.9e-324, "4.94066e-324"),
            (100_000.0, "100000"),
            (f64::NAN, "nan"),
            (-f64::NAN, "-nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (x, text) in cases {
            assert_eq!(general(x), text);
        }
    }
}
