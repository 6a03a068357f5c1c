//! No text makes parsing, defaulting, validation or printing panic (Q-03), and printed objects parse without loss
//! (P-03).

use podscope_api::{
    Object, advice, default_object, object_from_value, parse, print_json, print_yaml, validate, validate_update,
};

/// A small random number generator that produces the same sequence in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(usize::MAX) % bound
    }
}

/// Parses a text, and defaults, validates and prints its objects.
fn parse_validate_and_print(text: &str) {
    let parsed = parse(text);
    for problem in &parsed.problems {
        assert!(!problem.to_string().is_empty());
    }
    let mut objects = Vec::new();
    for located in &parsed.objects {
        let value = located.value.to_value();
        let again = object_from_value(&value).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assert_eq!(again.to_value(), value, "printed and read again\n{text}");
        let mut object = located.value.clone();
        default_object(&mut object);
        for error in validate(&object) {
            let (line, column) = located.at.position(text, &error.path);
            assert!(line >= 1 && column >= 1, "{error}\n{text}");
        }
        let _ = validate_update(&located.value, &object);
        let printed = print_yaml(&object.to_value());
        assert_eq!(parse(&printed).problems, [], "{printed}");
        assert_eq!(parse(&print_json(&object.to_value())).problems, [], "{printed}");
        objects.push(object);
    }
    let _ = advice(&objects);
}

const MANIFESTS: [&str; 4] = [
    include_str!("../fixtures/shop.yaml"),
    include_str!("../fixtures/database.yaml"),
    include_str!("../fixtures/dump.yaml"),
    include_str!("../fixtures/pods.json"),
];

/// Shows: Q-03
#[test]
fn valid_manifests_are_processed_without_problems() {
    for text in MANIFESTS {
        let parsed = parse(text);
        assert_eq!(parsed.problems, []);
        assert!(!parsed.objects.is_empty());
        parse_validate_and_print(text);
    }
}

/// Shows: Q-03
#[test]
fn damaged_manifests_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let pieces = [
        "",
        " ",
        "  ",
        "\n",
        "\t",
        ":",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "'",
        "\"",
        "\\",
        "&a ",
        "*a",
        "!!int ",
        "<<: ",
        "|",
        ">",
        "#",
        "%",
        "@",
        "~",
        "null",
        "yes",
        "0x7f",
        "-1",
        "1e400",
        "99999999999999999999",
        "1.5",
        "5Gi",
        "é",
        "\u{0}",
        "\u{feff}",
        "\r\n",
        "---\n",
        "...",
        "? ",
    ];
    for round in 0..500 {
        let text = MANIFESTS[random.below(MANIFESTS.len())];
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(4) {
            let at = random.below(letters.len());
            match random.below(3) {
                0 => {
                    let end = (at + 1 + random.below(12)).min(letters.len());
                    letters.drain(at..end);
                }
                1 => {
                    let piece: Vec<char> = pieces[random.below(pieces.len())].chars().collect();
                    letters.splice(at..at, piece);
                }
                _ => {
                    let from = random.below(letters.len());
                    let end = (from + random.below(30)).min(letters.len());
                    let copy: Vec<char> = letters[from..end].to_vec();
                    letters.splice(at..at, copy);
                }
            }
            if letters.is_empty() {
                break;
            }
        }
        let text: String = letters.into_iter().collect();
        // If the assertion below fails, its message contains the round and the text.
        let outcome = std::panic::catch_unwind(|| parse_validate_and_print(&text));
        assert!(outcome.is_ok(), "round {round}:\n{text}");
    }
}

/// Shows: Q-03
#[test]
fn random_text_never_panics() {
    let mut random = Random(42);
    let pieces = [
        "apiVersion: v1\n",
        "kind: Pod\n",
        "kind: List\n",
        "items:\n",
        "- ",
        "  ",
        "spec:\n",
        "a: ",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "'",
        "\\u12",
        "\\",
        "\n",
        "\t",
        "&x ",
        "*x",
        "<<: ",
        "!",
        "!!",
        "!<",
        "%TAG",
        "|",
        ">",
        "+",
        "1",
        "é",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "---",
        "...",
        "#",
        "? ",
        "{\"a\":",
        "null",
        "\r",
    ];
    for _ in 0..15_000 {
        let text: String = (0..random.below(16))
            .map(|_| pieces[random.below(pieces.len())])
            .collect();
        parse_validate_and_print(&text);
        let _ = podscope_api::read_yaml(&text);
        let _ = podscope_api::ContainerBehavior::parse(&text);
        let _ = podscope_api::parse_duration(&text);
        let _ = text.parse::<podscope_api::Quantity>();
        let _ = text.parse::<podscope_api::Time>();
    }
}

/// Extreme numbers, in fields that are used in calculations, cause neither an overflow nor a panic.
/// Shows: Q-03
#[test]
fn edge_values_never_overflow() {
    for number in [
        "0",
        "-1",
        "1",
        "2147483647",
        "-2147483648",
        "9223372036854775807",
        "-9223372036854775808",
        "1e300",
    ] {
        for spec in [
            "terminationGracePeriodSeconds: N",
            "activeDeadlineSeconds: N",
            "containers: [{name: c, image: i, resources: {requests: {cpu: N, memory: N}, limits: {cpu: N}}, lifecycle: {preStop: \
             {sleep: {seconds: N}}}}]",
            "overhead: {cpu: N}",
            "resources: {limits: {cpu: N}}",
            "priority: N",
        ] {
            let text = format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: p, annotations: {{behavior.podscope.dev/c: 'memory=1..{number}@1ns, \
                 run={number}h'}}}}, spec: {{{}}}}}",
                spec.replace('N', number)
            );
            parse_validate_and_print(&text);
        }
    }
    for quantity in [
        "9223372036854775807E",
        "-9223372036854775807Ei",
        "1e2147483647",
        "1e-2147483648",
        "0.000000000000000001n",
    ] {
        if let Ok(quantity) = quantity.parse::<podscope_api::Quantity>() {
            let _ = (quantity.to_string(), quantity.value(), quantity.milli_value());
            let _ = quantity
                .plus(quantity)
                .minus(quantity)
                .rounded_up_to_milli()
                .interpolate(quantity, 1, 3);
        }
    }
    let object: Option<Object> = parse("{apiVersion: v1, kind: Pod}")
        .objects
        .pop()
        .map(|located| located.value);
    assert!(object.is_some());
}
