//! Object keys sort by namespace, then by name, both in byte order. The keys compared here differ at many byte
//! positions.

use podscope_api::ObjectKey;

#[test]
fn object_keys_sort_by_namespace_then_name_in_byte_order() {
    let texts = [
        "",
        "a",
        "app-12-5f7d8c9b6d-xxxxx",
        "app-12-5f7d8c9b6d-xxxxy",
        "app-12-5f7d8c9b6d",
        "app-12-5",
        "app-12-50",
        "app-12-5é",
        "app-12-6f7d8c9b6d-aaaaa",
        "b",
        "bpp-12-5",
    ];
    let keys = || texts.iter().flat_map(|namespace| texts.map(|name| (*namespace, name)));
    for left in keys() {
        for right in keys() {
            let [a, b] = [left, right].map(|(namespace, name)| ObjectKey::new(namespace, name));
            assert_eq!(a.cmp(&b), left.cmp(&right), "{a} and {b}");
        }
    }
}
