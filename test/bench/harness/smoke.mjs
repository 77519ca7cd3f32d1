/** `--smoke`: each bench runs once on little data, so that one that no longer works is seen. Its figures mean nothing. */
export const SMOKE = process.argv.includes('--smoke') || process.env.BENCH_SMOKE === '1'
