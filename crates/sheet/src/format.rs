//! The four kinds of file, as a browser and a person know them.

use std::str::FromStr;

/// A kind of file. PDF is what a person gets who does not choose (specification 3, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Comma-separated values, RFC 4180.
    Csv,
    /// Office Open XML.
    Xlsx,
    /// Excel 97 to 2003, BIFF8.
    Xls,
    /// A page to print.
    #[default]
    Pdf,
}

impl Format {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 4] = [Self::Pdf, Self::Xlsx, Self::Xls, Self::Csv];

    /// For `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Xls => "application/vnd.ms-excel",
            Self::Pdf => "application/pdf",
        }
    }

    /// Behind the last dot of a file's name.
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

    /// From its extension, in capitals or not.
    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(text));
        wanted.ok_or_else(|| format!("there is no format {text:.20}; there are PDF, XLSX, XLS and CSV"))
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
