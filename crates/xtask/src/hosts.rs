//! Headers for hosts that let a site choose them: the page's policy stands in the page already, and
//! reaches by header what has no page (the offline copy's worker); some of it (`frame-ancestors`) holds
//! as a header only. One list, in the form of each host.

use crate::run::Fallible;
use crate::site::write;
use std::path::Path;

/// What no page of ours asks for, and nothing that gets into it may.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), \
                           magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// Whoever may show the page in a frame: all, since embedding is meant. A framed page keeps nothing.
const FRAMES: &str = "frame-ancestors *";

/// Files that tell hosts their headers. They are no part of the site.
pub(crate) const FILES: &[&str] = &[
    "_headers",
    ".htaccess",
    "vercel.json",
    "hosting/Caddyfile",
    "hosting/nginx.conf",
];

fn headers(policy: &str) -> Vec<(&'static str, String)> {
    vec![
        ("Content-Security-Policy", format!("{policy}; {FRAMES}")),
        // Who opened the page in a window has no handle on it: it cannot open link after link there.
        ("Cross-Origin-Opener-Policy", "same-origin".into()),
        ("Permissions-Policy", PERMISSIONS.into()),
        ("Referrer-Policy", "no-referrer".into()),
        ("X-Content-Type-Options", "nosniff".into()),
    ]
}

/// Writes them beside the page, whose policy this is.
pub(crate) fn write_headers(site: &Path, policy: &str) -> Fallible {
    let headers = headers(policy);
    let lines = |line: &dyn Fn(&str, &str) -> String| -> String {
        headers.iter().map(|(name, value)| line(name, value) + "\n").collect()
    };
    // Netlify, Cloudflare Pages; Apache; Vercel; and what to include in a server's own configuration.
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
    for (file, text) in FILES.iter().zip(texts) {
        write(&site.join(file), &text)?;
    }
    Ok(())
}
