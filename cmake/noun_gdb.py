"""Shows noun's results and errors in gdb as a person would say them.

    (gdb) source /usr/local/share/noun/noun_gdb.py
    (gdb) print language
    $1 = value = {value = {alpha_3 = "deu", name = "German"}}
    (gdb) print missing
    $2 = error not_found: GET https://api.example.com/v1/languages/qnx: the server responded 404 Not Found; ...
"""

import gdb
import gdb.printing


def text_of(string):
    """The characters of a std::string, whether or not the standard library's own printers are loaded."""
    length = int(string["_M_string_length"])
    return string["_M_dataplus"]["_M_p"].string(encoding="utf-8", errors="replace", length=length)


def held_by(shared):
    """What a std::shared_ptr points to, or None."""
    pointer = shared["_M_ptr"]
    return pointer.dereference() if int(pointer) != 0 else None


def enumerator_of(value):
    """An enumerator without its scope."""
    return str(value).rsplit("::", 1)[-1]


def words_of_error(error):
    state = held_by(error["state_"])
    if state is None:
        return "moved from"
    return "{}: {}".format(enumerator_of(state["details"]["code"]), text_of(state["message"]))


def alternative_of(variant, number):
    """The alternative of a std::variant with that number, as a value of its type."""
    wanted = variant.type.strip_typedefs().template_argument(number)
    union = variant["_M_u"]
    for _ in range(number):
        union = union["_M_rest"]
    return union["_M_first"]["_M_storage"].address.cast(wanted.pointer()).dereference()


class ErrorPrinter:
    def __init__(self, error):
        self.error = error

    def to_string(self):
        return words_of_error(self.error)

    def children(self):
        state = held_by(self.error["state_"])
        if state is None:
            return
        details = state["details"]
        yield "sent", enumerator_of(details["sent"])
        yield "attempts", int(details["attempts"])
        yield "status", int(details["status"])


class ResultPrinter:
    def __init__(self, result):
        state = result["state_"]
        self.has_value = int(state["_M_index"]) == 0
        self.held = alternative_of(state, 0 if self.has_value else 1)

    def to_string(self):
        return "value" if self.has_value else "error " + words_of_error(self.held)

    def children(self):
        if self.has_value:
            yield "value", self.held
        else:
            yield from ErrorPrinter(self.held).children()


class EmptyResultPrinter:
    """A Result<void>."""

    def __init__(self, result):
        payload = result["error_"]["_M_payload"]
        self.failed = bool(payload["_M_engaged"])
        self.error = payload["_M_payload"]["_M_value"]

    def to_string(self):
        return "error " + words_of_error(self.error) if self.failed else "success"

    def children(self):
        if self.failed:
            yield from ErrorPrinter(self.error).children()


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("noun")
    version = r"(v[0-9]+::)?"
    collection.add_printer("noun::Error", "^noun::" + version + "Error$", ErrorPrinter)
    collection.add_printer("noun::Result<void>", "^noun::" + version + "Result<void>$", EmptyResultPrinter)
    collection.add_printer("noun::Result", "^noun::" + version + "Result<.*>$", ResultPrinter)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
