//! `podscope course`: checks a course and lists it. `podscope scorm`: packs a course and the site as a SCORM 1.2
//! package.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use flate2::{Compression, Crc, write::DeflateEncoder};
use podscope_api::ordered::StableSort as _;
use podscope_course::course::{Course, ItemSource};
use podscope_course::scorm::{self, PackedFile};
use podscope_messages::{localized, t};

use crate::args;

/// Maximum total size of the files in a package, in bytes. ZIP without extensions allows 4 GiB.
const MAX_PACKAGE_BYTES: usize = 1 << 30;

/// Reads a built-in course by name, or another course from a file.
pub(crate) fn read_course(name: &str) -> Result<(Course, String), ExitCode> {
    let text = match podscope_course::course_text(name) {
        Some(text) => text.to_owned(),
        None => args::read_files(&[name.to_owned()])?
            .into_iter()
            .map(|(_, text)| text)
            .collect(),
    };
    let course = Course::read(name, &text).map_err(|problems| args::print_problems(&problems))?;
    Ok((course, text))
}

/// List the built-in courses, or check a course and list its lessons, tasks and weights
#[derive(Debug, Args)]
pub(crate) struct CourseArgs {
    /// A built-in course, or a file
    #[arg(value_name = "NAME|FILE")]
    course: Option<String>,
}

/// Pack a course and the built site as a SCORM 1.2 package for a learning management system
#[derive(Debug, Args)]
pub(crate) struct ScormArgs {
    /// A built-in course, or a file
    #[arg(value_name = "NAME|FILE")]
    course: String,
    /// Folder of the built site
    #[arg(long, value_name = "DIR")]
    site: PathBuf,
    /// File for the package
    #[arg(short, long, value_name = "FILE.zip")]
    output: PathBuf,
}

pub(crate) fn run(given: &CourseArgs) -> ExitCode {
    let Some(name) = &given.course else {
        for name in podscope_course::courses() {
            let title = read_course(name).map_or_else(|_| String::new(), |(course, _)| localized(&course.title));
            args::print_text(&format!("{name:28}{title}\n"));
        }
        return ExitCode::SUCCESS;
    };
    read_course(name).map_or_else(|status| status, |(course, _)| print_course(&course))
}

fn print_course(course: &Course) -> ExitCode {
    args::print_text(&format!("{}\n", localized(&course.title)));
    if let Some(exam) = course.exam {
        let exam = t!(cli_course::exam, minutes = exam.minutes, pass = exam.pass);
        args::print_text(&format!("{exam}\n"));
    }
    for (index, item) in course.items.iter().enumerate() {
        let what = match &item.source {
            ItemSource::Lesson(name) => name.clone(),
            ItemSource::Url(path) => t!(cli_course::of_site, path = path),
            ItemSource::Inline(_) => t!(cli_course::own_lesson),
            ItemSource::Practice { family, seed, level } => {
                t!(cli_course::practice, family = family, seed = seed, level = level)
            }
        };
        let line = match course.exam {
            Some(_) => t!(cli_course::weighted, item = what, weight = item.weight),
            None => what,
        };
        args::print_text(&format!("{:3}. {line}\n", index + 1));
    }
    ExitCode::SUCCESS
}

pub(crate) fn scorm(given: &ScormArgs) -> ExitCode {
    write_scorm_package(&given.course, &given.site, &given.output).map_or_else(|status| status, |()| ExitCode::SUCCESS)
}

fn write_scorm_package(name: &str, site: &Path, output: &Path) -> Result<(), ExitCode> {
    let bad = |message: String| {
        args::print_error(format_args!("podscope: {message}"));
        ExitCode::from(args::BAD_INPUT_STATUS)
    };
    let (course, text) = read_course(name)?;
    if !site.join("index.html").is_file() {
        return Err(bad(format!(
            "{}: there is no index.html in it: give the built site",
            site.display()
        )));
    }
    let mut files = Vec::new();
    let mut size = 0;
    collect_site_files(site, "", &mut files, &mut size).map_err(bad)?;
    let zip = zip(&scorm::package(&course, &text, files));
    std::fs::write(output, zip).map_err(|error| bad(format!("{}: {error}", output.display())))
}

/// Collects the files of the site, sorted by name.
fn collect_site_files(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<PackedFile>,
    size: &mut usize,
) -> Result<(), String> {
    let with_path = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<std::fs::DirEntry> = std::fs::read_dir(folder)
        .map_err(with_path)?
        .collect::<Result<_, _>>()
        .map_err(with_path)?;
    entries.stable_sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(with_path)?;
        if kind.is_dir() {
            collect_site_files(&entry.path(), &format!("{path}/"), files, size)?;
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path()).map_err(with_path)?;
            *size += bytes.len();
            if *size > MAX_PACKAGE_BYTES {
                return Err(format!(
                    "{}: the site is larger than {MAX_PACKAGE_BYTES} bytes",
                    folder.display()
                ));
            }
            files.push((path, bytes));
        }
    }
    Ok(())
}

/// Creates a ZIP file. Equal files give an equal ZIP: all entries have the earliest date that ZIP can store.
fn zip(files: &[PackedFile]) -> Vec<u8> {
    const ZIP_EARLIEST_DATE: u16 = (1 << 5) | 1;
    const ZIP_UTF8_NAMES_FLAG: u16 = 1 << 11;
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in files {
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let deflated = encoder.write_all(bytes).and_then(|()| encoder.finish());
        let (method, stored) = match &deflated {
            Ok(deflated) if deflated.len() < bytes.len() => (8_u16, deflated.as_slice()),
            _ => (0, bytes.as_slice()),
        };
        // The size was checked before, so it fits into 32 bits.
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let offset = length(&out);
        let mut header = Vec::new();
        for half in [20, ZIP_UTF8_NAMES_FLAG, method, 0, ZIP_EARLIEST_DATE] {
            header.extend(half.to_le_bytes());
        }
        for word in [crc.sum(), length(stored), length(bytes)] {
            header.extend(word.to_le_bytes());
        }
        header.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        header.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&header);
        out.extend(name.as_bytes());
        out.extend(stored);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&header);
        // Comment length, disk number, internal and external attributes: all are 0.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len()).unwrap_or(u16::MAX).to_le_bytes();
    let start = u32::try_from(out.len()).unwrap_or(u32::MAX).to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap_or(u32::MAX).to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend(count);
    out.extend(count);
    out.extend(size);
    out.extend(start);
    out.extend([0; 2]);
    out
}
