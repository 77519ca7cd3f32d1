#!/usr/bin/env bash
# Builds both packages for callers, installs each in an empty environment and calls the service with it: the wheel beside
# NumPy alone, the tarball under plain Node, its types under `tsc --strict`. Needs `npm run build` and Python with venv;
# packages go to a temporary folder. WITH_ML_DTYPES=1 and WITH_TORCH=1 (gigabytes) also install those and check what the
# clients do with them; PYTHON names another interpreter. mypy and pyright check the Python client, both strict.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh

${PYTHON:-python3} -m venv "$work/venv"
pip() { "$work/venv/bin/pip" --quiet --disable-pip-version-check "$@"; }
"$work/venv/bin/python" -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check build
cp -r clients/python "$work/python" # the build writes beside its sources
"$work/build/bin/python" -m build --outdir "$work/wheel" "$work/python" >"$work/build.log" # the wheel is made of the sdist

# With the standard library alone all is imported, and what gives no arrays is called.
pip install --no-deps "$work"/wheel/*.whl
serve MODELS_DIR=test/goldens/static ADMIN_KEY=an-admin-key-of-32-characters-00
"$work/venv/bin/python" test/clients/packages/no_numpy.py "$url"
pip install "$work"/wheel/*.whl
[ "$(pip list --format=freeze | grep -vciE '^(pip|setuptools|inlet.client|numpy)=')" = 0 ] # nothing else was needed

npm pack --silent ./clients/typescript --pack-destination "$work" >/dev/null
mkdir "$work/npm"
echo "{}" >"$work/npm/package.json"
npm install --silent --prefix "$work/npm" "$work"/inlet-client-*.tgz
[ "$(ls "$work/npm/node_modules")" = inlet-client ]

check() { PYTHONWARNINGS=error "$work/venv/bin/python" test/clients/packages/check.py "$url" clients/python/README.md docs/train.md docs/training.md; }

check
pip install httpx
check
if [ -n "${WITH_ML_DTYPES:-}${WITH_TORCH:-}" ]; then
  pip install ${WITH_ML_DTYPES:+ml_dtypes} ${WITH_TORCH:+torch}
  check
fi
"$work/venv/bin/python" -m venv "$work/mypy"
"$work/mypy/bin/pip" install --quiet --disable-pip-version-check mypy numpy
"$work/mypy/bin/pip" install --quiet --disable-pip-version-check httpx pyright
"$work/mypy/bin/pyright" --project clients/python --pythonpath "$work/mypy/bin/python"
"$work/mypy/bin/mypy" --config-file clients/python/pyproject.toml clients/python/src
"$work/mypy/bin/mypy" --strict --python-executable "$work/venv/bin/python" test/clients/packages/typed.py

cp test/clients/packages/check.mjs test/clients/packages/typed.mts "$work/npm"
node "$work/npm/check.mjs" "$url"
for readme in clients/typescript/README.md; do
  # The blocks of TypeScript, but for those of the library.
  awk '/^```ts$/ { on = 1; block = ""; next }
    /^```$/ { if (on && block !~ /modelFrom/) printf "%s", block; on = 0 }
    on { block = block $0 "\n" }' "$readme" | sed "s|http://localhost:8000|$url|" >"$work/npm/readme.mts"
  npx tsc --strict --module NodeNext --target ES2022 --lib ES2022,DOM "$work/npm/readme.mts"
  node "$work/npm/readme.mjs"
done
npx tsc --strict --noEmit --module NodeNext --target ES2022 --lib ES2022,DOM "$work/npm/typed.mts"
