import { fileURLToPath } from 'node:url'
import { rankFiles } from '../../../bench/harness/rank-files.mjs'
import { runPython } from './run-python.mjs'

const PEERS = fileURLToPath(new URL('../../../bench/peers', import.meta.url))

await runPython(
  `Orders of datasets beside PyTorch's own, bit for bit: GPTDatasetV1 in a DataLoader, DistributedSampler, 3 epochs, 1 to 4
ranks, with drop_last and without; and an order of shuffle=index beside the few lines of index_order.py.

  npm run bench:peers && node test/features/datasets/proofs/pytorch.mjs`,
  ['torch', 'tiktoken', 'numpy'],
  { windows: 1_000_000 },
  async ({ windows }) => [
    ['course_loader.py', await rankFiles('r50k_base'), PEERS],
    ['compare_index.py', String(windows)],
  ],
)
