//! HTTP headers for hosts with configurable headers. The page already contains its Content-Security-Policy; as a header
//! the policy also covers files without a page (the worker of the offline copy), and some directives
//! (`frame-ancestors`) work only as a header. The same list is written in the format of each host.

use crate::run::Fallible;
use crate::site::write;
use std::path::Path;

/// Browser permissions that the page never needs, and that injected content must not get.
const PERMISSIONS_POLICY: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), \
                           magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// Any site may show the page in a frame, because embedding is supported. A framed page stores nothing.
const FRAME_ANCESTORS: &str = "frame-ancestors *";

/// Names of the files that configure the headers of static hosts. The page itself does not use these files.
pub(crate) const HEADER_FILES: &[&str] = &[
    "_headers",
    ".htaccess",
    "vercel.json",
    "hosting/Caddyfile",
    "hosting/nginx.conf",
];

/// Returns the names and values of all headers; `policy` is the Content-Security-Policy.
fn headers_with_policy(policy: &str) -> Vec<(&'static str, String)> {
    vec![
        ("Content-Security-Policy", format!("{policy}; {FRAME_ANCESTORS}")),
        // A window that opened the page gets no handle to it, so it cannot navigate the page elsewhere.
        ("Cross-Origin-Opener-Policy", "same-origin".into()),
        ("Permissions-Policy", PERMISSIONS_POLICY.into()),
        ("Referrer-Policy", "no-referrer".into()),
        ("X-Content-Type-Options", "nosniff".into()),
    ]
}

/// Writes the configuration files beside the page; `policy` is the page's Content-Security-Policy.
pub(crate) fn write_headers(site: &Path, policy: &str) -> Fallible {
    let headers = headers_with_policy(policy);
    let lines = |line: &dyn Fn(&str, &str) -> String| -> String {
        headers.iter().map(|(name, value)| line(name, value) + "\n").collect()
    };
    // In the order of `HEADER_FILES`: Netlify and Cloudflare Pages; Apache; Vercel; snippets for Caddy and nginx.
    let texts = [
        format!("/*\n{}", lines(&|name, value| format!("  {name}: {value}"))),
        format!(
            "<IfModule mod_headers.c>\n{}</IfModule>\nAddType application/wasm .wasm\n",
            lines(&|name, value| format!("  Header set {name} \"{value}\""))
        ),
        format!(
            "{{\"headers\": [{{\"source\": \"/(.*)\", \"headers\": [\n{}\n]}}]}}\n",
            lines(&|name, value| format!("  {{\"key\": \"{name}\", \"value\": \"{value}\"}},"))
                .trim_end()
                .trim_end_matches(',')
        ),
        format!(
            "header {{\n{}}}\n",
            lines(&|name, value| format!("\t{name} \"{value}\""))
        ),
        lines(&|name, value| format!("add_header {name} \"{value}\" always;")),
    ];
    for (file, text) in HEADER_FILES.iter().zip(texts) {
        write(&site.join(file), &text)?;
    }
    Ok(())
}
