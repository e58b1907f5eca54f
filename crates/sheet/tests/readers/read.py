# Reads workbooks with openpyxl and xlrd, programs that know nothing of ours, and prints their cells as JSON: a list of files, each a list of
# sheets, each {name, rows}. A number is a number, a time {"time": ISO}, a duration {"seconds": n}, an empty cell null. An error ends it.
import datetime
import json
import sys
import warnings

import openpyxl
import xlrd
from openpyxl.utils.escape import unescape

warnings.simplefilter("error")


def cell(value):
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, datetime.timedelta):
        return {"seconds": round(value.total_seconds())}
    if isinstance(value, datetime.time):
        return {"seconds": value.hour * 3600 + value.minute * 60 + value.second}
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
    if shown == "[h]:mm:ss":
        return {"seconds": round(one.value * 86400)}
    if one.ctype == xlrd.XL_CELL_DATE:
        return cell(datetime.datetime(1899, 12, 30) + datetime.timedelta(milliseconds=round(one.value * 86400000)))
    return one.value


def xls(path):
    # What it has to complain about it writes into its log.
    log = open(path + ".log", "w+")
    book = xlrd.open_workbook(path, formatting_info=True, logfile=log)
    log.seek(0)
    complaints = log.read()
    assert not complaints, complaints
    sheets = [{"name": sheet.name, "rows": [[xls_cell(book, one) for one in row] for row in sheet.get_rows()]} for sheet in book.sheets()]
    return sheets


json.dump([xlsx(path) if path.endswith(".xlsx") else xls(path) for path in sys.argv[1:]], sys.stdout)
