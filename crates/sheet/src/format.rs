//! The four file formats, with their media types and extensions.

use std::str::FromStr;

/// A file format. The default is PDF (specification 3, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Comma-separated values, RFC 4180.
    Csv,
    /// Office Open XML.
    Xlsx,
    /// Excel 97 to 2003, BIFF8.
    Xls,
    /// Pages for printing.
    #[default]
    Pdf,
}

impl Format {
    /// All formats, in the order of the specification.
    pub const ALL: [Self; 4] = [Self::Pdf, Self::Xlsx, Self::Xls, Self::Csv];

    /// Returns the value for `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Xls => "application/vnd.ms-excel",
            Self::Pdf => "application/pdf",
        }
    }

    /// Returns the file extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Xls => "xls",
            Self::Pdf => "pdf",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    /// Parses an extension, ignoring case.
    fn from_str(text: &str) -> Result<Self, String> {
        let format = Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(text));
        format.ok_or_else(|| format!("there is no format {text:.20}; there are PDF, XLSX, XLS and CSV"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_extension() {
        for format in Format::ALL {
            assert_eq!(format.extension().to_uppercase().parse(), Ok(format));
        }
        assert_eq!("docx".parse::<Format>(), Err("there is no format docx; there are PDF, XLSX, XLS and CSV".into()));
        assert_eq!(Format::default(), Format::Pdf);
    }
}
