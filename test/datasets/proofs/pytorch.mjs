import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { findPython } from '../../bench/harness/python.mjs'
import { rankFiles } from '../../bench/harness/rank-files.mjs'

const HELP = `Orders of datasets beside PyTorch's own, bit for bit: GPTDatasetV1 in a DataLoader, DistributedSampler, 3 epochs,
1 to 4 ranks, with drop_last and without; and an order of shuffle=index beside the few lines of index_order.py.

  npm run bench:peers && node test/datasets/proofs/pytorch.mjs`

const flags = flagsOf(HELP, { windows: 1_000_000 })
const python = findPython('torch', 'tiktoken', 'numpy')
if (python.absent) {
  console.log(`not run: ${python.absent}`)
  process.exit(0)
}
const own = (name) => fileURLToPath(new URL(name, import.meta.url))
const service = await startService()
const url = `http://127.0.0.1:${service.port}`
const failures = []

function run(script, ...args) {
  const started = performance.now()
  const { status } = spawnSync(python.path, [own(script), url, ...args], { stdio: 'inherit' })
  console.log(`${script}: ${Math.round((performance.now() - started) / 1000)} s`)
  if (status !== 0) failures.push(script)
}

run(
  'course_loader.py',
  await rankFiles('r50k_base'),
  fileURLToPath(new URL('../../bench/peers', import.meta.url)),
)
run('compare_index.py', String(flags.windows))
service.kill()
await service.exited
end(failures)
