"""Writes npy_headers.json: the bytes that numpy.save puts before the elements. Run: python npy_headers.py > npy_headers.json"""
import io
import json
import sys

import numpy

SHAPES = [(), (1,), (7,), (8, 4), (8, 4, 256), (1, 1, 1), (12, 3, 4096), (99999, 1024), (123456789, 1), (2147483647,),
          (16, 1024, 12288), (1, 1, 1, 1), (1000000, 1000000, 1000)]
DTYPES = {"int32": "<i4", "float32": "<f4", "float16": "<f2"}


def header(dtype, shape):
    # broadcast_to gives a huge shape without its elements; only the header is written
    array = numpy.empty((), dtype=dtype)
    file = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(
        file, {"descr": numpy.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": shape})
    return file.getvalue()


def filled_up(shape):
    """Spaces behind the room for growth: 1 to 64, up to the next multiple of 64."""
    spaces = header("<f4", shape)[:-1]
    return len(spaces) - len(spaces.rstrip(b" ")) - (21 - len(str(shape[0])))


# The two ends of filling up, where one space more or less moves the data by 64 bytes.
SHAPES += [shape for axes in range(1, 24) for digits in (0, 1, 2)
           for shape in [(8,) * axes + (10 ** digits,)] if filled_up(shape) in (1, 64)]


def check_against_save():
    file = io.BytesIO()
    numpy.save(file, numpy.zeros((8, 4, 256), dtype="<f4"))
    assert file.getvalue().startswith(header("<f4", (8, 4, 256)))


check_against_save()
cases = [{"dtype": name, "shape": shape, "header_latin1": header(dtype, shape).decode("latin1")}
         for name, dtype in DTYPES.items() for shape in SHAPES]
json.dump({"topic": "headers of .npy files", "generated_with": {"numpy": numpy.__version__, "python": sys.version.split()[0]},
           "generator": "npy_headers.py", "cases": cases}, sys.stdout, indent=1)
print()
