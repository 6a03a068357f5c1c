//! SCORM 1.2 packages: a course with the site that shows it, as one ZIP file that a learning management system imports.
//! The package has one item, which opens the course in a frame and reports its messages to the system's API.

use std::fmt::Write;

use crate::course::Course;

/// A file of a package: its path, and its content.
pub type PackedFile = (String, Vec<u8>);

/// Path of the page that the learning management system opens.
pub const LAUNCHER_PAGE: &str = "launch.html";
/// Folder of the site in the package.
pub const SITE_FOLDER: &str = "site";
/// File name of the course in the folder [`SITE_FOLDER`].
pub const COURSE_FILE: &str = "course.yaml";

/// Escapes text for XML and HTML.
fn xml_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Of the control characters, XML 1.0 allows only these three.
            '\t' | '\n' | '\r' | ' '.. => out.push(character),
            _ => {}
        }
    }
    out
}

/// Returns an identifier for the manifest: only letters, digits, `-` and `.`.
fn manifest_identifier(name: &str) -> String {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.');
    format!("podscope-{}", name.replace(|character| !is_allowed(character), "-"))
}

/// Returns the manifest `imsmanifest.xml` of a package with these files.
#[must_use]
pub fn manifest(course: &Course, files: &[PackedFile]) -> String {
    let (id, title) = (manifest_identifier(&course.name), xml_escaped(&course.title));
    let mastery = course
        .exam
        .map(|exam| format!("\n        <adlcp:masteryscore>{}</adlcp:masteryscore>", exam.pass));
    let mut listed = String::new();
    for (path, _) in files {
        let _ = writeln!(listed, "      <file href=\"{}\"/>", xml_escaped(path));
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="{id}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="{id}-organization">
    <organization identifier="{id}-organization">
      <title>{title}</title>
      <item identifier="{id}-item" identifierref="{id}-resource">
        <title>{title}</title>{mastery}
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="{id}-resource" type="webcontent" adlcp:scormtype="sco" href="{LAUNCHER_PAGE}">
      <file href="{LAUNCHER_PAGE}"/>
{listed}    </resource>
  </resources>
</manifest>
"#,
        mastery = mastery.unwrap_or_default(),
    )
}

/// Returns the page that the learning management system opens.
#[must_use]
pub fn launcher(course: &Course) -> String {
    let title = xml_escaped(&course.title);
    let n_items = course.items.len();
    let mut fragment = String::new();
    if let Some(language) = &course.language {
        let _ = write!(fragment, "&lang={language}");
    }
    if let Some(theme) = &course.theme {
        let _ = write!(fragment, "&theme={theme}");
    }
    let fragment = xml_escaped(&fragment);
    format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>html,body,iframe{{margin:0;border:0;width:100%;height:100%;display:block}}</style>
<iframe id="course" title="{title}" data-fragment="{fragment}" data-items="{n_items}"></iframe>
<script src="launch.js"></script>
</html>
"#
    )
}

/// The script of the launcher page, which reports the messages of the course to the SCORM 1.2 API.
pub const LAUNCHER_SCRIPT: &str = include_str!("launch.js");

/// Returns all files of a package: the manifest, the launcher, the files of the site, and the course file.
#[must_use]
pub fn package(course: &Course, text: &str, site: Vec<PackedFile>) -> Vec<PackedFile> {
    let mut files: Vec<PackedFile> = site
        .into_iter()
        .map(|(path, bytes)| (format!("{SITE_FOLDER}/{path}"), bytes))
        .collect();
    files.push((format!("{SITE_FOLDER}/{COURSE_FILE}"), text.as_bytes().to_vec()));
    files.push(("launch.js".to_owned(), LAUNCHER_SCRIPT.as_bytes().to_vec()));
    let manifest = manifest(course, &files);
    files.push((LAUNCHER_PAGE.to_owned(), launcher(course).into_bytes()));
    // The manifest is the first file, because a learning management system reads it first.
    files.insert(0, ("imsmanifest.xml".to_owned(), manifest.into_bytes()));
    files
}
