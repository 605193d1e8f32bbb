"""Shows noun's results, errors, clients and addresses in gdb as a person would say them, without secrets.

    (gdb) source /usr/local/share/noun/noun_gdb.py
    (gdb) print language
    $1 = value = {value = {alpha_3 = "deu", name = "German"}}
    (gdb) print missing
    $2 = error not_found: GET https://api.example.com/v1/languages/qnx: the server responded 404 Not Found; ...
    (gdb) print languages
    $3 = https://api.example.com/v1/languages
"""

import re

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


def base_url_of(core):
    """The base URL of a client, or None. Its class is noun's own: the URL is its first member, after its base class
    std::enable_shared_from_this, which is a std::weak_ptr."""
    if int(core["_M_ptr"]) == 0:
        return None
    address = int(core["_M_ptr"]) + 2 * gdb.lookup_type("void").pointer().sizeof
    string = gdb.lookup_type("std::string").strip_typedefs()
    return text_of(gdb.Value(address).cast(string.pointer()).dereference())


def words_of_address(address):
    base = base_url_of(address["core_"])
    if base is None:
        return "moved from"
    fault = text_of(address["fault_"])
    return base + text_of(address["path_"]) + (" (invalid: {})".format(fault) if fault else "")


# As in src/call/redaction.cpp; names in ClientOptions::secret_parameters are not known here.
SECRET_WORDS = ("token", "secret", "passw", "pwd", "credential", "signature", "session", "jwt", "oauth", "bearer",
                "authoriz", "passphrase", "passcode", "sessid", "connectionstring")
SECRET_NAMES = ("auth", "sig", "sid", "pass", "pin", "pincode", "otp", "totp", "otpcode", "mfacode",
                "verificationcode", "devicecode", "samlresponse")
SECRET_ENDS = ("key", "creds", "assertion")
HARMLESS_ENDS = ("pagetoken", "nexttoken", "continuationtoken", "skiptoken", "tokentype", "startkey", "endkey",
                 "sortkey", "pagekey", "lastkey", "rowkey", "partitionkey", "routingkey", "publickey", "foreignkey")


def names_secret(parameter):
    name = parameter.lower()
    if name.startswith("x-"):
        name = name[1:]
    name = re.sub("[_.-]", "", name)
    if name.endswith(HARMLESS_ENDS):
        return False
    return name.endswith(SECRET_ENDS) or name in SECRET_NAMES or any(word in name for word in SECRET_WORDS)


class ClientPrinter:
    def __init__(self, client):
        self.client = client

    def to_string(self):
        return base_url_of(self.client["core_"]) or "moved from"


class AddressPrinter:
    def __init__(self, address):
        self.address = address

    def to_string(self):
        return words_of_address(self.address)


class ResourcePrinter:
    """An Item or a Collection."""

    def __init__(self, resource):
        self.resource = resource

    def to_string(self):
        return words_of_address(self.resource["address_"])


class QueryPrinter:
    def __init__(self, query):
        self.query = query

    def to_string(self):
        fields = self.query["fields_"]["_M_impl"]
        field = fields["_M_start"]
        parts = []
        while field != fields["_M_finish"]:
            name = text_of(field["name"])
            parts.append("{}={}".format(name, "***" if names_secret(name) else text_of(field["value"])))
            field += 1
        return "?" + "&".join(parts) if parts else "no parameters"


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("noun")
    version = r"(v[0-9]+::)?"
    collection.add_printer("noun::Error", "^noun::" + version + "Error$", ErrorPrinter)
    collection.add_printer("noun::Result<void>", "^noun::" + version + "Result<void>$", EmptyResultPrinter)
    collection.add_printer("noun::Result", "^noun::" + version + "Result<.*>$", ResultPrinter)
    for name, printer in (("Client", ClientPrinter), ("Address", AddressPrinter), ("Query", QueryPrinter)):
        collection.add_printer("noun::" + name, "^noun::" + version + name + "$", printer)
    for name in ("Item", "Collection"):
        collection.add_printer("noun::" + name, "^noun::" + version + name + "<.*>$", ResourcePrinter)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
