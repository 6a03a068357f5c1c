//! Colours of the page, computed from its design tokens: contrast, and distance between colours for people with a
//! colour-vision deficiency (U-08). `tests/e2e/stories/colour.mjs` checks in the browser that shapes and words carry the
//! same information.

use podscope_api::ordered;

/// Red, green and blue of a colour, in linear sRGB.
type Rgb = [f64; 3];
/// Colours of a design token in the light and the dark theme.
type TokenColours = [Rgb; 2];

const THEME_NAMES: [&str; 2] = ["light", "dark"];

/// Matrices that simulate vision without one kind of cone, in linear sRGB: Machado, Oliveira, Fernandes 2009
/// (doi 10.1109/TVCG.2009.113), severity 1.0. The first row is unimpaired vision.
const COLOUR_VISIONS: [(&str, [Rgb; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// Colour tokens with a meaning. Everyone must be able to distinguish any two of them.
const MEANING_TOKENS: [&str; 5] = ["ok", "wait", "bad", "ghost", "accent"];
/// Minimum distance in OKLab between the colours of two meanings. A distance of 0.02 is just noticeable side by side.
const MIN_MEANING_DISTANCE: f64 = 0.06;
/// Minimum distance in OKLab between the colours of pods of two owners. It may be smaller, because short names
/// distinguish owners too.
const MIN_OWNER_DISTANCE: f64 = 0.04;

fn matrix_product(matrix: &[Rgb; 3], v: Rgb) -> Rgb {
    matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

/// Converts OKLCh (Björn Ottosson) to linear sRGB, clamped to the gamut.
fn oklch_to_linear_srgb([lightness, chroma, hue]: [f64; 3]) -> Rgb {
    let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
    let cones = matrix_product(
        &[
            [1.0, 0.3963377774, 0.2158037573],
            [1.0, -0.1055613458, -0.0638541728],
            [1.0, -0.0894841775, -1.2914855480],
        ],
        [lightness, a, b],
    )
    .map(|x| x.powi(3));
    matrix_product(
        &[
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ],
        cones,
    )
    .map(|x| x.clamp(0.0, 1.0))
}

fn oklab(rgb: Rgb) -> [f64; 3] {
    let cones = matrix_product(
        &[
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ],
        rgb.map(|x| x.clamp(0.0, 1.0)),
    )
    .map(f64::cbrt);
    matrix_product(
        &[
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ],
        cones,
    )
}

fn colour_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// Returns the WCAG contrast ratio of two colours.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let luminance = |c: Rgb| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Reads every opaque token of the form `--name: light-dark(oklch(…), oklch(…))`.
fn read_colour_tokens() -> ordered::Map<&'static str, TokenColours> {
    let colour = |text: &str| -> Option<Rgb> {
        let inner = text.split_once("oklch(")?.1.split(')').next()?;
        let mut parts = inner.split_whitespace().map(|p| p.trim_end_matches('%').parse::<f64>());
        let mut next = || parts.next()?.ok();
        Some(oklch_to_linear_srgb([next()? / 100.0, next()?, next()?])).filter(|_| !inner.contains('/'))
    };
    include_str!("../../../www/style/tokens.css")
        .lines()
        .filter_map(|line| {
            let (name, value) = line.trim().strip_prefix("--")?.split_once(": light-dark(")?;
            let (light, dark) = value.split_once("), ")?;
            Some((name, [colour(light)?, colour(dark)?]))
        })
        .collect()
}

fn token_colour(tokens: &ordered::Map<&str, TokenColours>, name: &str, theme: usize) -> Rgb {
    tokens.get(name).unwrap_or_else(|| panic!("no token --{name}"))[theme]
}

/// Returns the smallest distance between the colours of two tokens, in any theme and colour vision, with a description
/// of the pair.
fn smallest_distance(names: &[&str]) -> (f64, String) {
    let tokens = read_colour_tokens();
    let mut smallest = (f64::MAX, String::new());
    for (theme, theme_name) in THEME_NAMES.iter().enumerate() {
        for (vision, matrix) in COLOUR_VISIONS {
            let seen: Vec<_> = names
                .iter()
                .map(|n| oklab(matrix_product(&matrix, token_colour(&tokens, n, theme))))
                .collect();
            for i in 0..seen.len() {
                for j in 0..i {
                    let distance_of_pair = colour_distance(seen[i], seen[j]);
                    if distance_of_pair < smallest.0 {
                        smallest = (
                            distance_of_pair,
                            format!("--{} and --{}, {theme_name}, {vision}", names[j], names[i]),
                        );
                    }
                }
            }
        }
    }
    smallest
}

// Shows: U-08
#[test]
fn meaning_colours_are_distinct_in_every_colour_vision() {
    let (distance, pair) = smallest_distance(&MEANING_TOKENS);
    assert!(distance >= MIN_MEANING_DISTANCE, "{pair}: {distance:.3} is too close");
}

// Shows: U-08
#[test]
fn owner_colours_are_distinct_in_every_colour_vision() {
    let (distance, pair) = smallest_distance(&["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"]);
    assert!(distance >= MIN_OWNER_DISTANCE, "{pair}: {distance:.3} is too close");
}

/// Text needs a contrast of 4.5:1 on every surface, marks and fields need 3:1 (WCAG 1.4.3 and 1.4.11).
/// Shows: U-08
#[test]
fn text_and_marks_have_enough_contrast() {
    let tokens = read_colour_tokens();
    let surfaces = ["bg", "panel", "raised", "zone"];
    let texts = ["ink", "ink-2", "ink-3", "ok", "wait", "bad", "ghost", "accent"];
    let owners = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"];
    let soft = [
        ("bad", "bad-soft"),
        ("wait", "wait-soft"),
        ("ghost", "ghost-soft"),
        ("ink", "accent-soft"),
    ];
    let rows = (texts.iter().flat_map(|t| surfaces.map(|s| (*t, s, 4.5))))
        .chain(owners.iter().flat_map(|h| surfaces.map(|s| (*h, s, 3.0))))
        .chain(owners.map(|h| ("on-h", h, 4.5)))
        .chain(soft.map(|(t, s)| (t, s, 4.5)))
        .chain([("on-accent", "accent", 4.5), ("on-accent", "bad", 4.5)])
        .chain(["panel", "raised"].map(|s| ("edge", s, 3.0)));
    for (theme, theme_name) in THEME_NAMES.iter().enumerate() {
        for (text, surface, minimum) in rows.clone() {
            let ratio = contrast(
                token_colour(&tokens, text, theme),
                token_colour(&tokens, surface, theme),
            );
            assert!(
                ratio >= minimum,
                "--{text} on --{surface}, {theme_name}: {ratio:.2}, minimum {minimum}"
            );
        }
    }
}

/// Checks the arithmetic: white on black has a contrast of 21, and deuteranopia brings red and green closer together.
#[test]
fn deuteranopia_brings_red_and_green_closer() {
    assert!((contrast([1.0; 3], [0.0; 3]) - 21.0).abs() < 1e-9);
    let white = oklch_to_linear_srgb([1.0, 0.0, 0.0]);
    assert!(colour_distance(white, [1.0; 3]) < 1e-3);
    let (red, green) = (
        oklch_to_linear_srgb([0.55, 0.12, 30.0]),
        oklch_to_linear_srgb([0.56, 0.12, 130.0]),
    );
    let seen = |vision: usize, c: Rgb| oklab(matrix_product(&COLOUR_VISIONS[vision].1, c));
    let red_green_distance = |vision: usize| colour_distance(seen(vision, red), seen(vision, green));
    assert!(
        red_green_distance(0) > 0.15 && red_green_distance(2) < red_green_distance(0) / 2.0,
        "{} {}",
        red_green_distance(0),
        red_green_distance(2)
    );
}
