import { runPython } from './run-python.mjs'

await runPython(
  `A small GPT on the processor (PyTorch, float64) gives each document of packed batches the logits that it gives it alone, where
its attention is masked by the answer's cu_seq_lens.

  npm run bench:peers && node test/datasets/proofs/isolation.mjs`,
  ['torch', 'numpy'],
  {},
  () => [['isolation.py']],
)
