# Reads workbooks with openpyxl and xlrd, and CSV with Python's own reader, programs that know nothing of ours, and prints their cells as JSON: a list
# of files, each a list of sheets, each {name, rows}. A number is a number, a time {"time": ISO}, a duration {"seconds": n}, an empty cell null; of CSV
# each cell is text. An error ends it.
import csv
import datetime
import io
import json
import struct
import sys
import warnings

import openpyxl
import xlrd
import xlrd.compdoc
from openpyxl.utils.escape import unescape

warnings.simplefilter("error")


def lasting(ms):
    return {"seconds": ms // 1000 if ms % 1000 == 0 else ms / 1000}


def cell(value):
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, datetime.timedelta):
        return lasting(round(value.total_seconds() * 1000))
    if isinstance(value, datetime.time):
        return lasting((value.hour * 3600 + value.minute * 60 + value.second) * 1000 + round(value.microsecond / 1000))
    if isinstance(value, datetime.datetime):
        # Spreadsheets keep times as parts of a day; what is lost there is less than a millisecond.
        near = value + datetime.timedelta(microseconds=500)
        return {"time": near.isoformat(sep=" ", timespec="milliseconds")}
    return unescape(value)


def xlsx(path):
    book = openpyxl.load_workbook(path)
    for sheet in book:
        for row in sheet.iter_rows():
            for one in row:
                assert one.data_type != "f", f"a formula: {one.value}"
    return [{"name": sheet.title, "rows": [[cell(value) for value in row] for row in sheet.iter_rows(values_only=True)]} for sheet in book]


def xls_cell(book, one):
    shown = book.format_map[book.xf_list[one.xf_index].format_key].format_str
    if one.ctype == xlrd.XL_CELL_EMPTY:
        return None
    if one.ctype == xlrd.XL_CELL_TEXT:
        return one.value
    assert one.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE), one
    if shown in ("[h]:mm:ss", "[h]:mm:ss.000"):
        return lasting(round(one.value * 86400000))
    if one.ctype == xlrd.XL_CELL_DATE:
        return cell(datetime.datetime(1899, 12, 30) + datetime.timedelta(milliseconds=round(one.value * 86400000)))
    return one.value


def places(path):
    """Every place that a record names holds what it should: programs that go by them read no other cells than those that do not."""
    with open(path, "rb") as file:
        stream = xlrd.compdoc.CompDoc(file.read(), logfile=sys.stderr).get_named_stream("Workbook")
    records, at = {}, 0
    while at < len(stream):
        number, length = struct.unpack_from("<HH", stream, at)
        assert length <= 8224, (hex(number), length)
        records[at] = (number, stream[at + 4 : at + 4 + length])
        at += 4 + length
    assert at == len(stream)
    for at, (number, data) in records.items():
        if number == 0x85:  # BOUNDSHEET: the sheet's BOF
            assert records[struct.unpack_from("<L", data)[0]][0] == 0x809
        elif number == 0x20B:  # INDEX: DEFCOLWIDTH, and the DBCELL of each 32 rows
            words = struct.unpack(f"<{len(data) // 4}L", data)
            assert records[words[3]][0] == 0x55 and len(words) == 4 + (words[2] + 31) // 32, words
            assert all(records[place][0] == 0xD7 for place in words[4:]), words
        elif number == 0xD7:  # DBCELL: the first ROW, and the first cell of each row that has any
            row = at - struct.unpack_from("<L", data)[0]
            assert records[row][0] == 0x208
            cell = row + 20
            for offset in struct.unpack_from(f"<{len(data) // 2 - 2}H", data, 4):
                cell += offset
                number, _, end = struct.unpack_from("<HHH", records[row][1])
                if end > 0:
                    assert records[cell][0] in (0x203, 0xFD) and struct.unpack_from("<H", records[cell][1])[0] == number, (row, cell)
                row += 20


def xls(path):
    places(path)
    # What it has to complain about it writes into its log.
    log = io.StringIO()
    book = xlrd.open_workbook(path, formatting_info=True, logfile=log)
    assert not log.getvalue(), log.getvalue()
    sheets = [{"name": sheet.name, "rows": [[xls_cell(book, one) for one in row] for row in sheet.get_rows()]} for sheet in book.sheets()]
    return sheets


def lines(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return [{"name": "", "rows": list(csv.reader(file, strict=True))}]


readers = {"xlsx": xlsx, "xls": xls, "csv": lines}
json.dump([readers[path.rsplit(".", 1)[1]](path) for path in sys.argv[1:]], sys.stdout)
