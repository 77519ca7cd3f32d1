// npm run bench:peers: a Python with what the benches compare with, in the system's temporary folder.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PEERS_VENV } from '../harness/python.mjs'

/** Tokenizers beside ours. Each by itself: one without a build for this machine leaves the others there. */
const TOKENIZERS = ['gigatoken', 'fastokens', 'rustbpe', 'tokenizers']

const requirements = fileURLToPath(new URL('./requirements.txt', import.meta.url))
const install = (...args) =>
  execFileSync(join(PEERS_VENV, 'bin', 'pip'), ['install', ...args], { stdio: 'inherit' })

execFileSync('python3', ['-m', 'venv', PEERS_VENV], { stdio: 'inherit' })
install('-r', requirements)
for (const name of TOKENIZERS) {
  try {
    install('--only-binary', ':all:', name)
  } catch {
    console.error(`${name} cannot be installed: the benches do without it.`)
  }
}
console.log(`The benches find it there: ${PEERS_VENV}`)
