"""Builds the clone that it lies in: conan create cmake/packaging/conan -s compiler.cppstd=20

It has not been tried with Conan itself.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class NounRecipe(ConanFile):
    name = "noun"
    description = "A client SDK toolkit for resource-style HTTP APIs"
    license = "MIT"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "with_sqlite": [True, False]}
    default_options = {"shared": False, "fPIC": True, "with_sqlite": False}
    implements = ["auto_shared_fpic"]

    def _clone(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._clone(), "include", "noun", "version.hpp"))
        self.version = re.search(r'#define NOUN_VERSION "([0-9.]+)"', header).group(1)

    def export_sources(self):
        for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "include/*", "src/*", "cmake/*"):
            copy(self, name, self._clone(), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        # With these noun detects truncated responses.
        self.options["libcurl"].with_ssl = "schannel" if self.settings.os == "Windows" else "openssl"

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os == "Windows" and (self.options.shared or self.options.with_sqlite):
            raise ConanInvalidConfiguration("on Windows noun is a static library, without noun::sqlite")

    def requirements(self):
        # Programs include these two.
        self.requires("fmt/[>=9]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.11]", transitive_headers=True)
        self.requires("libcurl/[>=7.88 <9]")
        self.requires("simdjson/[>=3]")
        self.requires("zlib/[>=1.2.11 <2]")
        if self.settings.os != "Windows":
            self.requires("openssl/[>=3 <4]")
        if self.options.with_sqlite:
            self.requires("sqlite3/[>=3.37]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part, built in {
            "BUILD_TESTS": False,
            "BUILD_EXAMPLES": False,
            "INSTALL": True,
            "BROTLI": False,
            "ZSTD": False,
            "SQLITE": bool(self.options.with_sqlite),
        }.items():
            toolchain.cache_variables["NOUN_" + part] = built
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Programs find what noun installs itself.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "noun"))
