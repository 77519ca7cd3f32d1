import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { startService } from '../../../attacks/harness/service.mjs'
import { findPython } from '../../../bench/harness/python.mjs'

const flags = flagsOf(
  `A GPT of two layers is trained with its first layer in the service, by inlet_client.torch.FirstLayer, and with the course's
nn.Embedding: the lists of losses are equal to the last digit; also where half of the answers are lost and asked for
again, and with four calls a step.

  npm run bench:peers && node test/features/learning/proofs/course.mjs [--steps N] [--text FILE]`,
  { steps: 200, text: '' },
)
const python = findPython('torch', 'numpy')
if (python.absent) {
  console.log(`not run: ${python.absent}`)
  process.exit(2)
}
let { text } = flags
if (text === '') {
  text = join(tmpdir(), `inlet-course-${process.pid}.txt`)
  const words = ['the ', 'layer ', 'learns ', 'a row ', 'of each ', 'token, ', 'and ', 'its place.\n']
  writeFileSync(
    text,
    Array.from({ length: 6000 }, (_, i) => words[(i * i + (i >> 3)) % words.length]).join(''),
  )
}
const service = await startService({ env: { ADMIN_KEY: 'admin-key-of-the-proof' } })
const script = fileURLToPath(new URL('course.py', import.meta.url))
// PyTorch's square root is MKL's: this one rounds as IEEE 754 has it.
const env = { ...process.env, MKL_VML_DEBUG_CPU_TYPE: '3' }
const args = [script, `http://127.0.0.1:${service.port}`, text, String(flags.steps)]
const { status } = spawnSync(python.path, args, { stdio: 'inherit', env })
service.kill()
await service.exited
end(status === 0 ? [] : ['course.py'])
