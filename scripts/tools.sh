# Sourced by the other scripts: checks the required tools, and builds the web if it is out of date.

complain() { echo "switchyard: $*" >&2; exit 1; }

# Prints one line for each missing tool, and ends if any is missing.
require_tools() {
  local missing=0 version
  lacks() { echo "switchyard: $*" >&2; missing=1; }
  command -v cargo >/dev/null || lacks "Rust is missing: install it with rustup (https://rustup.rs), then open a new terminal"
  command -v cc >/dev/null || lacks "a C compiler is missing, Rust links with it: install build-essential (Debian, Ubuntu), gcc (Fedora) or the Xcode command line tools (macOS)"
  if ! command -v node >/dev/null; then
    lacks "Node.js is missing: install version 20.19 or newer (https://nodejs.org)"
  else
    version=$(node --version)
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
      lacks "Node.js $version is too old: 20.19 or newer is needed"
  fi
  command -v npm >/dev/null || lacks "npm is missing: it comes with Node.js, or as the package npm"
  [ "$missing" = 0 ] || exit 1
}

# Runs npm ci, unless the installed packages match the lock file.
web_packages() {
  [ web/node_modules/.package-lock.json -nt web/package-lock.json ] || (cd web && npm ci --no-audit --no-fund --loglevel=error)
}

# Builds the web, unless no source is newer than the last build.
web_build() {
  web_packages
  if [ -e web/dist/index.html ] && [ -z "$(find web -path web/node_modules -prune -o -path web/dist -prune -o -type f -newer web/dist/index.html -print -quit)" ]; then return; fi
  (cd web && npm run --silent build)
}
