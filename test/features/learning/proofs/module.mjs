import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { startService } from '../../../attacks/harness/service.mjs'
import { findPython } from '../../../bench/harness/python.mjs'

flagsOf(
  `What inlet_client.torch.FirstLayer sends and keeps, beside torch's nn.Embedding: offsets, masks, attached rows, modes, state,
copies in other processes, numbers of calls that had no answer.

  npm run bench:peers && node test/features/learning/proofs/module.mjs`,
  {},
)
const python = findPython('torch', 'numpy')
if (python.absent) {
  console.log(`not run: ${python.absent}`)
  process.exit(2)
}
const service = await startService({ env: { ADMIN_KEY: 'admin-key-of-the-proof' } })
const script = fileURLToPath(new URL('module.py', import.meta.url))
const { status } = spawnSync(python.path, [script, `http://127.0.0.1:${service.port}`], { stdio: 'inherit' })
service.kill()
await service.exited
end(status === 0 ? [] : ['module.py'])
