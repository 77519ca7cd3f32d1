import { runPython } from './run-python.mjs'

await runPython(
  `A PyTorch DataLoader with workers over a dataset's batches [16, 1024], beside the same loader over a local memmap of the
ids, in the same order, by turns: samples a second, and whether every id is the same.

  npm run bench:peers && node test/features/datasets/proofs/memmap.mjs`,
  ['torch', 'numpy'],
  { tokens: 50_000_000, workers: 2, batches: 2000, rounds: 5 },
  ({ tokens, workers, batches, rounds }) => [
    ['memmap_loop.py', ...[tokens, workers, batches, rounds].map(String)],
  ],
)
