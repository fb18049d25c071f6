"""The messages of pprof's profile.proto, as classes that are built at run time.

A generated file would tie us to the protobuf release that generated it; the table below gives the
same classes on every release. The numbers are those of profile.proto in google/pprof.
"""

from functools import cache
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "perftools.profiles"

# Field, number, type; a star marks a repeated field. `int64` fields of texts are places in
# `string_table`.
_MESSAGES: dict[str, str] = {
    "ValueType": "type 1 int64, unit 2 int64",
    "Label": "key 1 int64, str 2 int64, num 3 int64, num_unit 4 int64",
    "Sample": "location_id 1 uint64*, value 2 int64*, label 3 Label*",
    "Mapping": (
        "id 1 uint64, memory_start 2 uint64, memory_limit 3 uint64, file_offset 4 uint64, "
        "filename 5 int64, build_id 6 int64, has_functions 7 bool, has_filenames 8 bool, "
        "has_line_numbers 9 bool, has_inline_frames 10 bool"
    ),
    "Line": "function_id 1 uint64, line 2 int64, column 3 int64",
    "Location": (
        "id 1 uint64, mapping_id 2 uint64, address 3 uint64, line 4 Line*, is_folded 5 bool"
    ),
    "Function": (
        "id 1 uint64, name 2 int64, system_name 3 int64, filename 4 int64, start_line 5 int64"
    ),
    "Profile": (
        "sample_type 1 ValueType*, sample 2 Sample*, mapping 3 Mapping*, location 4 Location*, "
        "function 5 Function*, string_table 6 string*, drop_frames 7 int64, keep_frames 8 int64, "
        "time_nanos 9 int64, duration_nanos 10 int64, period_type 11 ValueType, period 12 int64, "
        "comment 13 int64*, default_sample_type 14 int64, doc_url 15 int64"
    ),
}
_SCALARS = {
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "string": FieldDescriptorProto.TYPE_STRING,
}


def profile_class() -> type[Any]:
    """Return the class of the message `Profile`."""
    return _class_named("Profile")


def sample_class() -> type[Any]:
    """Return the class of the message `Sample`."""
    return _class_named("Sample")


@cache
def _class_named(name: str) -> type[Any]:
    return GetMessageClass(_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}"))


@cache
def _pool() -> DescriptorPool:
    file = FileDescriptorProto(name="profile.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields.split(", "):
            _add_field(message, *field.split())
    pool = DescriptorPool()
    pool.Add(file)
    return pool


def _add_field(message: DescriptorProto, name: str, number: str, kind: str) -> None:
    """Add one field of the table to a message."""
    field = message.field.add(name=name, number=int(number))
    repeated = kind.endswith("*")
    field.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
    kind = kind.rstrip("*")
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{kind}"
