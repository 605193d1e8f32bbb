# shellcheck shell=bash
# Sourced by the scripts that a fresh clone is tried with. packages.txt is the list.

# packages_for PURPOSE...: the names of the packages that serve at least one of the purposes.
packages_for() {
  local name purposes wanted
  while read -r name purposes; do
    if [[ -z $name || $name == "#"* ]]; then continue; fi
    for wanted in "$@"; do
      if [[ " $purposes " == *" $wanted "* ]]; then
        echo "$name"
        break
      fi
    done
  done <"$(dirname "${BASH_SOURCE[0]}")/packages.txt"
}

# is_installed a|b: whether one of the packages is.
is_installed() {
  local name
  for name in ${1//|/ }; do
    # shellcheck disable=SC2016
    if [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null) == installed ]]; then return 0; fi
  done
  return 1
}

# first_known a|b: the first of the packages that apt can install, or else the last.
first_known() {
  local name
  for name in ${1//|/ }; do
    if [[ -n $(apt-cache madison "$name" 2>/dev/null) ]]; then break; fi
  done
  echo "$name"
}

# install_packages PURPOSE...: installs what is missing, and says how before it does. Where it cannot, it says what is
# needed and goes on: CMake may find it elsewhere, and says so when it does not. All output goes to standard error.
install_packages() {
  local names=() missing=() chosen=() name as_root=()
  mapfile -t names < <(packages_for "$@")

  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "No apt here. Needed, by the names of Debian's packages: ${names[*]}" >&2
    return 0
  fi
  for name in "${names[@]}"; do
    if ! is_installed "$name"; then missing+=("$name"); fi
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Needed, and neither root nor sudo to install it: apt-get install ${missing[*]}" >&2
      return 0
    fi
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  if "${as_root[@]}" apt-get update --quiet=2 >&2; then
    for name in "${missing[@]}"; do chosen+=("$(first_known "$name")"); done
    echo "${as_root[*]} apt-get install --yes --no-install-recommends ${chosen[*]}" >&2
    if "${as_root[@]}" apt-get install --yes --quiet=2 --no-install-recommends "${chosen[@]}" >&2; then return 0; fi
  fi
  echo "Needed, and apt-get did not install it: ${missing[*]}" >&2
}
