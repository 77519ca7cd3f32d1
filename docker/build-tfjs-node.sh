#!/usr/bin/env bash
# Builds @tensorflow/tfjs-node without its download host: the package comes from npm, TensorFlow's library
# and headers from PyPI's wheel, and the addon is compiled here. docs/tfjs-node.md explains it.
#
#   docker/build-tfjs-node.sh [--cache DIR] [PROJECT]
#
# PROJECT    the folder whose node_modules gets it (default: the folder above this script)
# --cache    keeps the wheel (207 MB) in DIR and takes it from there the next time; otherwise it is deleted
#
# Needs: Linux on x86-64 with glibc, Node with npm, and to build: python3 with pip, make, g++
# (Debian: apt-get install python3 python3-pip make g++). Running it again does only what is missing.
set -euo pipefail

package='@tensorflow/tfjs-node'
package_version='4.22.0'
tensorflow_version='2.15.1'
wheel="tensorflow_cpu-$tensorflow_version-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
wheel_sha256='54660c074d7241a503e81edfd9f5ef5af88f64051b72e2945f26318c790f2d26'

say() { printf 'build-tfjs-node: %s\n' "$*"; }
fail() { printf 'build-tfjs-node: error: %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "$1 is missing. On Debian and Ubuntu: apt-get install $2"; }

cache=''
project="$(dirname "${BASH_SOURCE[0]}")/.."
while [ $# -gt 0 ]; do
  case "$1" in
    --cache)
      [ -n "${2:-}" ] || fail '--cache needs a folder'
      mkdir -p "$2"
      cache="$(cd "$2" && pwd)"
      shift 2
      ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "unknown option $1 (see --help)" ;;
    *) project="$1"; shift ;;
  esac
done
cd "$project" 2>/dev/null || fail "no such folder: $project"
project="$PWD"
[ -f package.json ] || fail "no package.json in $PWD: run this in the project's folder, or name it"

# --- the machine ------------------------------------------------------------------------------------------
need node 'nodejs'
need npm 'npm'
# The wheel's library is built for x86-64, glibc 2.17 and AVX, and aborts the process where AVX is missing.
machine_problem="$(node -e '
  const { process: p, fs } = { process, fs: require("fs") }
  const glibc = p.platform === "linux" ? p.report.getReport().header.glibcVersionRuntime : undefined
  if (p.platform !== "linux" || p.arch !== "x64") console.log(`needs Linux on x86-64; this Node is ${p.platform} ${p.arch}`)
  else if (glibc === undefined) console.log("needs glibc; this system has another C library (musl?). Take a Debian image instead of Alpine")
  else if (!/\bavx\b/.test(fs.readFileSync("/proc/cpuinfo", "utf8"))) console.log("needs a CPU with AVX; /proc/cpuinfo names none")
')"
[ -z "$machine_problem" ] || fail "$machine_problem"

# --- does it run already? ---------------------------------------------------------------------------------
# Prints TensorFlow's version if the package loads and computes, else the first line of the error.
try_addon() {
  TF_CPP_MIN_LOG_LEVEL=2 node -e '
    // Node has it no more from version 23 on; the service gives it to the package in the same way.
    util.isNullOrUndefined ??= (value) => value == null
    try {
      const tf = require("'"$package"'")
      const rows = tf.gather(tf.tensor2d([1, 2, 3, 4], [2, 2]), tf.tensor1d([1, 0, 1], "int32")).dataSync()
      if (tf.getBackend() !== "tensorflow") throw new Error(`the backend is ${tf.getBackend()}`)
      if (rows.join() !== "3,4,1,2,3,4") throw new Error(`gather gave ${rows.join()}`)
      console.log(tf.backend().binding.TF_Version)
    } catch (error) {
      console.log(String(error.message).split("\n")[0])
      process.exit(1)
    }' 2>/dev/null
}
if running="$(try_addon)"; then
  say "$package runs already, with TensorFlow $running: nothing to do"
  exit 0
fi

# --- the tools --------------------------------------------------------------------------------------------
[ -d node_modules ] || fail 'no node_modules here: run npm ci first (or npm ci --omit=dev)'
need python3 'python3'
need make 'make'
[ -n "${CXX:-}" ] || command -v g++ >/dev/null || command -v c++ >/dev/null ||
  fail 'no C++ compiler. On Debian and Ubuntu: apt-get install g++'
npm_gyp="$(dirname "$(realpath "$(command -v npm)")")/../node_modules/node-gyp/bin/node-gyp.js"
if [ -f "$npm_gyp" ]; then
  node_gyp=(node "$npm_gyp")
elif command -v node-gyp >/dev/null; then
  node_gyp=(node-gyp)
else
  fail "no node-gyp: neither inside npm ($npm_gyp) nor in PATH"
fi
folder="$PWD/node_modules/$package"
stamp="tensorflow-cpu $tensorflow_version $wheel_sha256"
unpacked() { [ "$(cat "$folder/deps/source" 2>/dev/null || true)" = "$stamp" ]; }
if ! unpacked && { [ -z "$cache" ] || [ ! -f "$cache/$wheel" ]; }; then
  python3 -m pip --version >/dev/null 2>&1 || fail 'pip is missing. On Debian and Ubuntu: apt-get install python3-pip'
fi

# --- the package ------------------------------------------------------------------------------------------
installed="$(node -p "require('$folder/package.json').version" 2>/dev/null || true)"
if [ "$installed" = "$package_version" ]; then
  say "$package $package_version is in node_modules"
else
  # npm would add the development dependencies to a tree that was installed without them.
  omit=()
  node -e '
    const list = "./node_modules/.package-lock.json"
    const packages = require("fs").existsSync(list) ? Object.values(require(list).packages) : [{ dev: true }]
    process.exit(packages.some(({ dev }) => dev) ? 0 : 1)
  ' || omit=(--omit=dev)
  say "installing $package $package_version from npm, without its install script"
  # Of an optional peer npm says "up to date" and installs nothing, unless it is asked for as another kind.
  npm install --no-save --save-optional --ignore-scripts --no-audit --no-fund "${omit[@]}" "$package@$package_version"
fi

# --- TensorFlow's library and headers ---------------------------------------------------------------------
cd "$folder"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch" "$folder/deps.new"' EXIT

check_wheel() {
  local sum
  sum="$(sha256sum "$1" | cut -d' ' -f1)"
  [ "$sum" = "$wheel_sha256" ] || fail "wrong checksum of $1: expected $wheel_sha256, got $sum$2"
}

fetch_wheel() {
  if [ -n "$cache" ] && [ -f "$cache/$wheel" ]; then
    say 'taking the wheel from the cache'
    check_wheel "$cache/$wheel" '. Delete it and try again'
    wheel_path="$cache/$wheel"
    return
  fi
  say "downloading tensorflow-cpu $tensorflow_version from PyPI (207 MB)"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 311 --implementation cp --abi cp311 --platform manylinux2014_x86_64 \
    --dest "$scratch" "tensorflow-cpu==$tensorflow_version" || fail 'pip could not download the wheel (see above)'
  [ -f "$scratch/$wheel" ] || fail "pip gave another file than $wheel: $(ls "$scratch")"
  check_wheel "$scratch/$wheel" ''
  wheel_path="$scratch/$wheel"
  if [ -n "$cache" ]; then
    mv "$wheel_path" "$cache/$wheel"
    wheel_path="$cache/$wheel"
  fi
}

if unpacked; then
  say "TensorFlow $tensorflow_version is unpacked"
else
  wheel_path=''
  fetch_wheel
  say 'unpacking two libraries and the headers of the C API'
  rm -rf deps.new
  python3 - "$wheel_path" deps.new <<'PYTHON'
import pathlib, re, shutil, sys, zipfile
wheel, target = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
places = [
    (r'tensorflow/(libtensorflow_(?:cc|framework)\.so\.2)', 'lib'),
    (r'tensorflow/include/(tensorflow/c/(?:eager/)?[^/]+\.h)', 'include'),
    (r'tensorflow/include/((?:tensorflow/core|tsl)/platform/ctstring[^/]*\.h)', 'include'),
    (r'tensorflow/include/(tsl/c/[^/]+\.h)', 'include'),
    (r'tensorflow/(THIRD_PARTY_NOTICES\.txt)', '.'),
    (r'tensorflow_cpu-[^/]+\.dist-info/(LICENSE)', '.'),
]
for name in wheel.namelist():
    for pattern, folder in places:
        if match := re.fullmatch(pattern, name):
            path = target / folder / match[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(name) as source, open(path, 'wb') as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
PYTHON
  # binding.gyp links -ltensorflow and -ltensorflow_framework; the C API lives in the wheel's "cc" library.
  ln -s libtensorflow_cc.so.2 deps.new/lib/libtensorflow.so
  ln -s libtensorflow_framework.so.2 deps.new/lib/libtensorflow_framework.so
  if command -v strip >/dev/null; then
    say 'stripping the symbols that nothing links against (613 MB become 449 MB)'
    strip --strip-unneeded deps.new/lib/*.so.2
  fi
  printf '%s\n' "$stamp" >deps.new/source
  rm -rf deps
  mv deps.new deps
fi

# --- the addon --------------------------------------------------------------------------------------------
# The headers that belong to the running Node, where they are installed; else node-gyp downloads them.
headers="$(node -e '
  const { dirname, resolve } = require("path")
  const major = process.versions.node.split(".")[0]
  const candidates = [resolve(dirname(process.execPath), ".."), "/usr", process.argv[1]].filter((dir) => dir && dir !== "undefined")
  const fits = (dir) => {
    try {
      const text = require("fs").readFileSync(`${dir}/include/node/node_version.h`, "utf8")
      return /NODE_MAJOR_VERSION (\d+)/.exec(text)?.[1] === major
    } catch {
      return false
    }
  }
  console.log(candidates.find(fits) ?? "")
' "$(npm config get nodedir 2>/dev/null || true)")"
if [ -n "$headers" ]; then
  say "compiling the addon with the headers in $headers/include/node"
  node_gyp+=("--nodedir=$headers")
else
  say 'compiling the addon; node-gyp downloads the headers of this Node'
fi
"${node_gyp[@]}" rebuild --loglevel=warn --napi_build_version=8 --module_name=tfjs_binding \
  --module_path="$folder/lib/napi-v8" >"$scratch/compile.log" 2>&1 || {
  tail -n 40 "$scratch/compile.log" >&2
  fail 'the addon did not compile (the last lines are above)'
}
rm -rf build
cd "$project"

# --- the proof --------------------------------------------------------------------------------------------
running="$(try_addon)" || fail "$package does not load: $running. Delete $folder and run this again"
[ "$running" = "$tensorflow_version" ] || fail "expected TensorFlow $tensorflow_version, but $running is loaded"
say "done: $package $package_version runs with TensorFlow $running ($(du -sh "$folder" | cut -f1) in node_modules/$package)"
