import { runPython } from '../../datasets/proofs/run-python.mjs'

const HELP = `Arrow answers: what pyarrow reads is the npy answer bit for bit, pandas, polars and DuckDB open it, and its speed, by
turns with npy's, medians. With BENCH_PYTHON: one that has pyarrow, polars, duckdb, pandas and numpy.

  npm run build && BENCH_PYTHON=… node test/wire/proofs/arrow.mjs [--rounds 9 --tokens 40000]`

const modules = ['pyarrow', 'polars', 'duckdb', 'pandas', 'numpy']
await runPython(HELP, modules, { rounds: 9, tokens: 40_000 }, ({ rounds, tokens }) => [
  ['../../wire/proofs/arrow.py', String(rounds), String(tokens)],
])
